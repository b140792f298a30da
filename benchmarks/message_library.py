"""Compare msgspec with pydantic on the messages of a table's socket: `python -m benchmarks.message_library`."""

import json
import sys
import timeit
from collections.abc import Callable
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta
from pydantic import BaseModel, ConfigDict, Field, TypeAdapter

MOVE = '{"type":"move","id":"c1","version":12,"move":"c4"}'
BEAT = '{"type":"beat","now":1795279143.25}'
MOVES = [f"{column}{row}" for column in "abcdefgh" for row in range(1, 9)]
FACTS = [(0, "squares", "5"), (1, "squares", "3"), (None, "to play", "6")]
REPEATS = 5


class MoveStruct(msgspec.Struct, tag="move", tag_field="type", frozen=True):
    """A move, as msgspec declares it."""

    id: Annotated[str, Meta(pattern=r"^[A-Za-z0-9_.:-]{1,64}$")]
    version: Annotated[int, Meta(ge=0, le=10**9)]
    move: Annotated[str, Meta(max_length=100)]


class BeatStruct(msgspec.Struct, tag="beat", tag_field="type", frozen=True):
    """A beat, as msgspec declares it."""

    now: float


class PatchStruct(msgspec.Struct, tag="patch", tag_field="type", frozen=True):
    """A patch with the fields that take time, as msgspec declares it."""

    version: int
    plies: list[tuple[int, str]]
    names: list[str]
    scores: list[int]
    facts: list[tuple[int | None, str, str]]
    moves: list[str] | None
    patch: dict[str, Any]


class _Model(BaseModel):
    model_config = ConfigDict(strict=True, frozen=True)


class MoveModel(_Model):
    """A move, as pydantic declares it."""

    type: Literal["move"]
    id: Annotated[str, Field(pattern=r"^[A-Za-z0-9_.:-]{1,64}$")]
    version: Annotated[int, Field(ge=0, le=10**9)]
    move: Annotated[str, Field(max_length=100)]


class BeatModel(_Model):
    """A beat, as pydantic declares it."""

    type: Literal["beat"]
    now: float


class PatchModel(_Model):
    """A patch with the fields that take time, as pydantic declares it."""

    type: Literal["patch"] = "patch"
    version: int
    plies: list[tuple[int, str]]
    names: list[str]
    scores: list[int]
    facts: list[tuple[int | None, str, str]]
    moves: list[str] | None
    patch: dict[str, Any]


def time_call(call: Callable[[], object]) -> float:
    """Return the mean time of one call in microseconds, in the best of REPEATS rounds of many calls."""
    timer = timeit.Timer(call)
    number, _ = timer.autorange()
    return round(1e6 * min(timer.repeat(REPEATS, number)) / number, 2)


def main() -> None:
    """Measure parsing and serialising with both libraries and print the times in microseconds as JSON."""
    decode = msgspec.json.Decoder(MoveStruct | BeatStruct).decode
    encode = msgspec.json.Encoder().encode
    adapter: TypeAdapter[MoveModel | BeatModel] = TypeAdapter(
        Annotated[MoveModel | BeatModel, Field(discriminator="type")]
    )
    fields: dict[str, Any] = {
        "version": 12,
        "plies": [(1, "b2")],
        "names": ["Ada", "Computer 3"],
        "scores": [1, 0],
        "facts": FACTS,
        "moves": MOVES,
        "patch": {"board": {"set": {"p-b2": {"class": "mark dark"}}}},
    }
    times = {
        "parse move": {"msgspec": lambda: decode(MOVE), "pydantic": lambda: adapter.validate_json(MOVE)},
        "parse beat": {"msgspec": lambda: decode(BEAT), "pydantic": lambda: adapter.validate_json(BEAT)},
        "build and serialise patch": {
            "msgspec": lambda: encode(PatchStruct(**fields)).decode(),
            "pydantic": lambda: PatchModel(**fields).model_dump_json(),
            "pydantic, unchecked": lambda: PatchModel.model_construct(**fields).model_dump_json(),
            "dict and json.dumps": lambda: json.dumps({"type": "patch", **fields}, ensure_ascii=False),
        },
    }
    measured = {what: {name: time_call(call) for name, call in calls.items()} for what, calls in times.items()}
    json.dump(measured, sys.stdout, indent=2)


if __name__ == "__main__":
    main()
