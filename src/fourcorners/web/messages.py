"""What a browser may say over its socket, checked before anything looks at it."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from fourcorners.core.errors import quote
from fourcorners.core.reading import LONGEST_MOVE

LONGEST_MESSAGE = 65_536
_MOST_TOKENS = 32

Text = Annotated[str, Field(max_length=LONGEST_MOVE)]
Id = Annotated[str, Field(pattern=r"^[A-Za-z0-9_.:-]{1,64}$")]
Version = Annotated[int, Field(ge=0, le=10**9)]
Seat = Annotated[int, Field(ge=0, le=63)]


class _Message(BaseModel):
    model_config = ConfigDict(strict=True, frozen=True)


class Hello(_Message):
    """The first message, and again whenever the browser has lost count."""

    type: Literal["hello"]
    version: Version | None = None
    viewer: Seat | None = None


class Move(_Message):
    """A move for the seat to move."""

    type: Literal["move"]
    id: Id
    version: Version
    move: Text


class Resign(_Message):
    """Give up for a seat."""

    type: Literal["resign"]
    id: Id
    version: Version
    seat: Seat


class Undo(_Message):
    """Go back to before the last move of a person."""

    type: Literal["undo"]
    id: Id
    version: Version


class Look(_Message):
    """Show an earlier position."""

    type: Literal["look"]
    ply: Annotated[int, Field(ge=0, le=10**6)]


class Complete(_Message):
    """Ask what may follow some tokens."""

    type: Literal["complete"]
    tokens: Annotated[list[Text], Field(max_length=_MOST_TOKENS)]


class Why(_Message):
    """Ask why a move or its beginning is refused."""

    type: Literal["why"]
    text: Text


class See(_Message):
    """Ask for another seat's sight."""

    type: Literal["view"]
    viewer: Seat | None = None


class Solve(_Message):
    """Ask what a position is worth, of a finished game or a record."""

    type: Literal["solve"]
    id: Id
    ply: Annotated[int, Field(ge=0, le=10**6)]


class Hint(_Message):
    """Ask for a good move, and why."""

    type: Literal["hint"]
    id: Id
    version: Version


class Evaluate(_Message):
    """Ask how a position is expected to end."""

    type: Literal["evaluate"]
    id: Id
    version: Version
    ply: Annotated[int, Field(ge=0, le=10**6)]


class Leave(_Message):
    """Want no longer to know what was asked with `solve`."""

    type: Literal["leave"]


Message = Hello | Move | Resign | Undo | Look | Complete | Why | See | Solve | Hint | Evaluate | Leave
_read: TypeAdapter[Message] = TypeAdapter(Annotated[Message, Field(discriminator="type")])


class BadMessageError(Exception):
    """A message that cannot be read; the text says why."""


def read(text: str) -> Message:
    """Read a message; raise BadMessageError with one sentence."""
    try:
        return _read.validate_json(text)
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False)[0]
        where = ".".join(str(part) for part in first["loc"][1:])
        what = f"{where}: {first['msg']}" if where else first["msg"]
        raise BadMessageError(f"this message cannot be read: {quote(text)} ({what})") from None
    except (ValueError, RecursionError):
        raise BadMessageError(f"this message cannot be read: {quote(text)}") from None
