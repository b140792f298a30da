"""What a client may send over a table's socket: one type for each message, checked when it is read."""

from typing import Annotated, Any, get_args

import msgspec
from msgspec import Meta, Struct

from fourcorners.core.errors import quote
from fourcorners.core.levels import MAX_LEVELS
from fourcorners.core.match import MAX_NAME_LENGTH
from fourcorners.core.position import MAX_MOVE_LENGTH
from fourcorners.web.domain.chat_rules import LONGEST_CHAT
from fourcorners.web.protocol import codec
from fourcorners.web.protocol.codec import UnreadableMessageError, example, find_tag

LONGEST_MESSAGE = 65_536
"""The longest message in characters, and the largest body of an API request in bytes."""
_MAX_TOKENS = 32

Text = Annotated[str, Meta(max_length=MAX_MOVE_LENGTH)]
# In Python `$` also matches before a final newline, which the last group excludes.
_ID_PATTERN = r"^[A-Za-z0-9_.:-]{1,64}$(?!\n)"
_ID_DESCRIPTION = (
    "An id that you choose, a new one for each command: a command that is sent again is executed only once, and "
    "another one with the same id is refused."
)
Id = Annotated[str, Meta(pattern=_ID_PATTERN, description=_ID_DESCRIPTION)]
Version = Annotated[int, Meta(ge=0, le=10**9, description="The version of the table that this was made for.")]
Seat = Annotated[int, Meta(ge=0, le=63, description="A seat, counted from 0.")]
Ply = Annotated[int, Meta(ge=0, le=10**6, description="A position, by the number of plies played before it.")]
Level = Annotated[int, Meta(ge=1, le=MAX_LEVELS, description="A level of the computer, counted from 1.")]
_NAME_DESCRIPTION = "Your name at the table, truncated to 60 characters."
_COLOUR_DESCRIPTION = "The letter of a free colour, in games in which players choose one; empty for that of the seat."
_DIGITS_PATTERN = r"^[0-9a-f]{64}$(?!\n)"
_HASH_DESCRIPTION = (
    "The SHA-256 hash of your value for the shuffle, 64 random digits 0 to 9 and a to f, which you reveal once every "
    "seat is taken; empty to take no part."
)
Hash = Annotated[str, Meta(pattern=r"^([0-9a-f]{64})?$(?!\n)", description=_HASH_DESCRIPTION)]
Name = Annotated[str, Meta(max_length=10 * MAX_NAME_LENGTH, description=_NAME_DESCRIPTION)]


class ClientMessage(Struct, frozen=True, kw_only=True, tag_field="type"):
    """A message of a client; unknown fields are ignored."""


class CommandMessage(ClientMessage, frozen=True, kw_only=True):
    """A command changes the table; it is made for one version of it."""

    id: Id
    version: Version


class SeatCommandMessage(CommandMessage, frozen=True, kw_only=True):
    """A command for a seat; without one, for the only seat that it can be for."""

    seat: Seat | None = None


@example()
@example(version=12, viewer=0)
class Hello(ClientMessage, frozen=True, kw_only=True, tag="hello"):
    """Send this first, and again whenever the client has missed something. The answer is a `state`."""

    version: Version | None = None
    viewer: Seat | None = None


@example(id="c1", version=12, move="c4")
class Move(CommandMessage, frozen=True, kw_only=True, tag="move"):
    """Play a move for the seat to move."""

    move: Text


@example(id="c1", version=12, seat=0)
class Resign(SeatCommandMessage, frozen=True, kw_only=True, tag="resign"):
    """Resign one of your seats."""


@example(id="c1", version=12)
class Undo(CommandMessage, frozen=True, kw_only=True, tag="undo"):
    """Go back to before the last move by a person, if nobody else has to agree."""


@example(id="c1", version=12, seat=0)
class OfferDraw(SeatCommandMessage, frozen=True, kw_only=True, tag="offer-draw"):
    """Offer a draw."""


@example(id="c1", version=12, seat=1, accept=True)
class AnswerDraw(SeatCommandMessage, frozen=True, kw_only=True, tag="answer-draw"):
    """Accept or decline a draw offer."""

    accept: bool = False


@example(id="c1", version=12, seat=0)
class AskUndo(SeatCommandMessage, frozen=True, kw_only=True, tag="ask-undo"):
    """Request a takeback: ask the other players to go back to before your own last move."""


@example(id="c1", version=12, seat=1)
class AnswerUndo(SeatCommandMessage, frozen=True, kw_only=True, tag="answer-undo"):
    """Accept or decline a takeback request."""

    accept: bool = False


@example(id="c1", version=12, name="Ada")
class Sit(SeatCommandMessage, frozen=True, kw_only=True, tag="sit"):
    """Take an open seat, or any open seat if `seat` is null."""

    name: Name = ""
    colour: Annotated[str, Meta(max_length=1, description=_COLOUR_DESCRIPTION)] = ""
    hash: Hash = ""


@example(id="c1", version=12, seat=1)
class Stand(SeatCommandMessage, frozen=True, kw_only=True, tag="stand"):
    """Leave your seat before the game starts."""


@example(id="c1", version=12, seat=1, kind="computer:3")
class SeatComputer(SeatCommandMessage, frozen=True, kw_only=True, tag="computer"):
    """Give an open seat to a computer: computer:LEVEL or computer:SECONDSs."""

    kind: Annotated[str, Meta(max_length=32)] = ""


@example(id="c1", version=12)
@example(id="c1", version=12, level=2)
class Rematch(CommandMessage, frozen=True, kw_only=True, tag="again"):
    """Create a rematch: the same game with the seats rotated, and the computers at another level if one is given."""

    level: Level | None = None
    hash: Hash = ""


@example(id="c1", version=12, seat=0, name="Ada")
class Rename(SeatCommandMessage, frozen=True, kw_only=True, tag="rename"):
    """Change your name at your seat before the game starts."""

    name: Name = ""


@example(id="c1", version=12, value="5e" * 32)
class Reveal(CommandMessage, frozen=True, kw_only=True, tag="reveal"):
    """Reveal your value for the shuffle, whose hash you gave before. The game starts without values that come late."""

    value: Annotated[str, Meta(pattern=_DIGITS_PATTERN, description="64 digits 0 to 9 and a to f.")]


@example(seat=0, version=12, ply=9, lines=[[None, "c4"]])
class Premoves(ClientMessage, frozen=True, kw_only=True, tag="plan"):
    """Set the premoves of a seat: lines of moves by the others and by itself; null stands for any move of theirs."""

    seat: Seat
    version: Version
    ply: Ply
    lines: Annotated[list[Annotated[list[Text | None], Meta(min_length=2, max_length=16)]], Meta(max_length=16)]


@example(seat=0, line=["b2"])
@example(seat=0, line=[None], tokens=[])
class Preview(ClientMessage, frozen=True, kw_only=True, tag="try"):
    """Ask for the board after a line of moves and for what can follow, or only for what can follow some tokens."""

    seat: Seat
    line: Annotated[list[Text | None], Meta(max_length=16)]
    tokens: Annotated[list[Text], Meta(max_length=_MAX_TOKENS)] | None = None


@example(phrase=0)
@example(text="Good luck!")
class Say(ClientMessage, frozen=True, kw_only=True, tag="say"):
    """Chat: a quick phrase by its number, or free text where the table allows it."""

    phrase: Annotated[int, Meta(ge=0, le=99)] | None = None
    text: Annotated[str, Meta(max_length=LONGEST_CHAT)] = ""


@example(number=3, text="This is rude.")
class Report(ClientMessage, frozen=True, kw_only=True, tag="report"):
    """Report a chat message, or the table as a whole, to the operator."""

    number: Annotated[int, Meta(ge=0, le=10**9)] | None = None
    text: Annotated[str, Meta(max_length=LONGEST_CHAT)] = ""


@example(now=1795279143.25)
class BeatReply(ClientMessage, frozen=True, kw_only=True, tag="beat"):
    """The answer to a `beat` from the server, with the same `now`."""

    now: float


@example()
class Probe(ClientMessage, frozen=True, kw_only=True, tag="probe"):
    """Ask for a `beat` at once, to learn whether the connection is alive."""


@example(ply=3)
class Look(ClientMessage, frozen=True, kw_only=True, tag="look"):
    """Ask for an earlier position."""

    ply: Ply


@example(tokens=["a1"])
class Complete(ClientMessage, frozen=True, kw_only=True, tag="complete"):
    """Ask what can follow the first tokens of a move."""

    tokens: Annotated[list[Text], Meta(max_length=_MAX_TOKENS)]


@example(text="c4")
class Why(ClientMessage, frozen=True, kw_only=True, tag="why"):
    """Ask why a move or the beginning of one is illegal."""

    text: Text


@example(viewer=1)
class ChangeViewer(ClientMessage, frozen=True, kw_only=True, tag="view"):
    """Ask to see the table as another seat sees it."""

    viewer: Seat | None = None


@example(id="q1", ply=9)
class Solve(ClientMessage, frozen=True, kw_only=True, tag="solve"):
    """Ask for the exact value of a position of a finished game or a record."""

    id: Id
    ply: Ply


@example(id="q2", version=12)
class Hint(ClientMessage, frozen=True, kw_only=True, tag="hint"):
    """Ask for a good move and the reason for it."""

    id: Id
    version: Version


@example(id="q3", version=12, ply=9)
class Evaluate(ClientMessage, frozen=True, kw_only=True, tag="evaluate"):
    """Ask for the expected result of a position."""

    id: Id
    version: Version
    ply: Ply


@example()
class CancelSolve(ClientMessage, frozen=True, kw_only=True, tag="leave"):
    """Cancel the last `solve`."""


_AtAnyBoard = Sit | Stand | SeatComputer | Rematch | Rename | Reveal
Command = Move | Resign | Undo | OfferDraw | AnswerDraw | AskUndo | AnswerUndo | _AtAnyBoard
Query = Solve | Hint | Evaluate
_Premove = Premoves | Preview
_Chat = Say | Report
_Sign = BeatReply | Probe
Message = Hello | Command | _Premove | _Chat | _Sign | Look | Complete | Why | ChangeViewer | Query | CancelSolve
COMMANDS: tuple[type[CommandMessage], ...] = get_args(Command)
MESSAGES: tuple[type[ClientMessage], ...] = get_args(Message)
_decoder: msgspec.json.Decoder[Message] = msgspec.json.Decoder(Message)


def parse_message(text: str) -> Message:
    """Read one message from JSON; raise UnreadableMessageError, whose sentence says which field or type is wrong."""
    try:
        return _decoder.decode(text)
    except (msgspec.MsgspecError, ValueError, RecursionError) as error:
        if not str(error).endswith("`$.type`"):
            raise codec.build_unreadable_error("this message", error) from None
        allowed = ", ".join(find_tag(message) for message in MESSAGES)
        sentence = f"this message cannot be read: {quote(text)} (type: it must be one of {allowed})"
        raise UnreadableMessageError(sentence) from None


def parse_command(verb: str, body: bytes) -> Command:
    """Read a command of type `verb` from its other fields as JSON, blank for none; raise UnreadableMessageError."""
    try:
        fields: Any = codec.decode_json(body) if body.strip() else {}
    except (msgspec.MsgspecError, ValueError, RecursionError):
        fields = None
    if not isinstance(fields, dict):
        raise UnreadableMessageError(f"this is not a JSON object: {quote(body[:200].decode(errors='replace'))}")
    fields["type"] = verb
    command: Command = codec.decode(lambda given: msgspec.convert(given, Command), fields, "this command")
    return command
