"""What a browser may say over its socket, checked before anything looks at it."""

from __future__ import annotations

from typing import Annotated, Any, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError
from pydantic_core import from_json

from fourcorners.core.errors import quote
from fourcorners.core.match import MAX_NAME_LENGTH
from fourcorners.core.position import MAX_MOVE_LENGTH

LONGEST_MESSAGE = 65_536
LONGEST_CHAT = 200
_MOST_TOKENS = 32
_LONGEST_REASON = 160

Text = Annotated[str, Field(max_length=MAX_MOVE_LENGTH)]
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


class Deed(_Message):
    """What changes a table without being a move; `undo` goes back to before the last move of a person."""

    type: Literal["resign", "undo", "offer-draw", "answer-draw", "ask-undo", "answer-undo", "sit", "stand", "computer"]
    id: Id
    version: Version
    seat: Seat | None = None
    accept: bool = False
    name: Annotated[str, Field(max_length=10 * MAX_NAME_LENGTH)] = ""
    kind: Annotated[str, Field(max_length=32)] = ""


class Again(_Message):
    """Set the game up once more, with the seats turned."""

    type: Literal["again"]
    id: Id
    version: Version


class Plan(_Message):
    """Say what a seat will play when its turn comes: lines of moves, the others' and its own; null is any of theirs.

    `ply` is the number of plies on the board for which that was made.
    """

    type: Literal["plan"]
    seat: Seat
    version: Version
    ply: Annotated[int, Field(ge=0, le=10**6)]
    lines: Annotated[list[Annotated[list[Text | None], Field(min_length=2, max_length=16)]], Field(max_length=16)]


class Try(_Message):
    """Ask for the board after a line of moves and what may be played there, or only what may follow some tokens."""

    type: Literal["try"]
    seat: Seat
    line: Annotated[list[Text | None], Field(max_length=16)]
    tokens: Annotated[list[Text], Field(max_length=_MOST_TOKENS)] | None = None


class Say(_Message):
    """Chat: one of the phrases that there are, or a text where the table allows that."""

    type: Literal["say"]
    phrase: Annotated[int, Field(ge=0, le=99)] | None = None
    text: Annotated[str, Field(max_length=LONGEST_CHAT)] = ""


class Report(_Message):
    """Tell the operator of a line of the chat, or of the table as a whole."""

    type: Literal["report"]
    number: Version | None = None
    text: Annotated[str, Field(max_length=LONGEST_CHAT)] = ""


class Beat(_Message):
    """Answer the server's beat."""

    type: Literal["beat"]
    now: float


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


Message = (
    Hello
    | Move
    | Deed
    | Again
    | Plan
    | Try
    | Say
    | Report
    | Beat
    | Look
    | Complete
    | Why
    | See
    | Solve
    | Hint
    | Evaluate
    | Leave
)
_read_command: TypeAdapter[Move | Deed | Again] = TypeAdapter(
    Annotated[Move | Deed | Again, Field(discriminator="type")]
)
_read: TypeAdapter[Message] = TypeAdapter(Annotated[Message, Field(discriminator="type")])


class BadMessageError(Exception):
    """A message that cannot be read; the text says why."""


def read(text: str) -> Message:
    """Read a message; raise BadMessageError with one sentence."""
    try:
        return _read.validate_json(text)
    except (ValueError, RecursionError) as error:
        raise BadMessageError(f"this message cannot be read: {quote(text)}{reason(error, 1)}") from None


def read_command(verb: str, body: bytes) -> Move | Deed | Again:
    """Read a command whose verb was said elsewhere; raise BadMessageError with one sentence."""
    given = _object(body)
    try:
        return _read_command.validate_python({**given, "type": verb})
    except ValidationError as error:
        raise BadMessageError(f"this command cannot be read{reason(error, 1)}") from None


M = TypeVar("M", bound=BaseModel)


def read_as(model: type[M], body: bytes) -> M:
    """Read what a program sends; raise BadMessageError with one sentence."""
    try:
        return model.model_validate_json(body.strip() or b"{}")
    except (ValueError, RecursionError) as error:
        raise BadMessageError(f"this cannot be read{reason(error, 0)}") from None


def _object(body: bytes) -> dict[str, Any]:
    try:
        given = from_json(body, allow_inf_nan=False) if body.strip() else {}
    except (ValueError, RecursionError):
        given = None
    if not isinstance(given, dict):
        raise BadMessageError(f"this is no JSON object: {quote(body[:200].decode(errors='replace'))}")
    return given


def reason(error: Exception, outer: int) -> str:
    """Say what a model takes exception at; the first `outer` steps to it are no names that the sender gave."""
    if not isinstance(error, ValidationError):
        return ""
    first = error.errors(include_url=False, include_context=False)[0]
    where = ".".join(quote(part).strip("'") for part in first["loc"][outer:])
    what = first["msg"]
    what = what if len(what) <= _LONGEST_REASON else f"{what[:_LONGEST_REASON]} …"
    return f" ({where}: {what})" if where else f" ({what})"
