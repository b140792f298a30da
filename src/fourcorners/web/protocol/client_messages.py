"""What a client may send over a table's socket: commands, and the messages here; each is checked when it is read."""

import re
from typing import Annotated, Any, get_args

import msgspec
from msgspec import Meta

from fourcorners.core.errors import quote
from fourcorners.web.domain import commands
from fourcorners.web.domain.chat_rules import LONGEST_CHAT
from fourcorners.web.domain.commands import AnyCommand, ClientMessage, Id, Seat, Text, Version
from fourcorners.web.protocol import codec
from fourcorners.web.protocol.codec import EXAMPLES, UnreadableMessageError, example, find_tag

LONGEST_MESSAGE = 65_536
"""The longest message in characters, and the largest body of an API request in bytes."""
LONGEST_LINE = 32
"""The most premoves in a line, and the most lines."""
_MAX_TOKENS = 32

Ply = Annotated[int, Meta(ge=0, le=10**6, description="A position, by the number of plies played before it.")]

for _command in (
    commands.Move("c1", 12, "c4"),
    commands.Resign("c1", 12, 0),
    commands.Undo("c1", 12),
    commands.OfferDraw("c1", 12, 0),
    commands.AnswerDraw("c1", 12, 1, accept=True),
    commands.RequestTakeback("c1", 12, 0),
    commands.AnswerTakeback("c1", 12, 1, accept=True),
    commands.Sit("c1", 12, name="Ada"),
    commands.LeaveSeat("c1", 12, 1),
    commands.AddComputer("c1", 12, 1, "computer:3"),
    commands.Rematch("c1", 12),
    commands.Rematch("c1", 12, 2),
    commands.DeclineRematch("c1", 12),
    commands.Rename("c1", 12, 0, "Ada"),
    commands.Reveal("c1", 12, "5e" * 32),
):
    EXAMPLES[type(_command)].append(_command)


@example()
@example(version=12, viewer=0)
class Hello(ClientMessage, frozen=True, kw_only=True):
    """Send this first, and again whenever the client has missed something. The answer is a `state`. As long as the
    player cannot see the table, `visible` is false.
    """

    version: Version | None = None
    viewer: Seat | None = None
    visible: bool = True


@example(visible=False)
class ChangeVisibility(ClientMessage, frozen=True, kw_only=True):
    """Say whether the player can see the table: if not, the player's devices may be notified of what happens."""

    visible: bool


@example(seat=0, version=12, ply=9, lines=[[None, "c4"]])
class Premoves(ClientMessage, frozen=True, kw_only=True):
    """Set the premoves of a seat: lines of moves by the others and by itself; null stands for any move of theirs. Lines
    with the same beginning are a tree, of at most 64 moves.
    """

    seat: Seat
    version: Version
    ply: Ply
    lines: Annotated[
        list[Annotated[list[Text | None], Meta(min_length=2, max_length=LONGEST_LINE)]], Meta(max_length=LONGEST_LINE)
    ]


@example(seat=0, line=["b2"])
@example(seat=0, line=[None], tokens=[])
class Preview(ClientMessage, frozen=True, kw_only=True):
    """Ask for the board after a line of moves and for what can follow, or only for what can follow some tokens."""

    seat: Seat
    line: Annotated[list[Text | None], Meta(max_length=LONGEST_LINE)]
    tokens: Annotated[list[Text], Meta(max_length=_MAX_TOKENS)] | None = None


@example(phrase=0)
@example(text="Good luck!")
class Say(ClientMessage, frozen=True, kw_only=True):
    """Chat: a quick phrase by its number, or free text where the table allows it."""

    phrase: Annotated[int, Meta(ge=0, le=99)] | None = None
    text: Annotated[str, Meta(max_length=LONGEST_CHAT)] = ""


@example(number=3, text="This is rude.")
class Report(ClientMessage, frozen=True, kw_only=True):
    """Report a chat message, or the table as a whole, to the operator."""

    number: Annotated[int, Meta(ge=0, le=10**9)] | None = None
    text: Annotated[str, Meta(max_length=LONGEST_CHAT)] = ""


@example(now=1795279143.25)
class BeatAnswer(ClientMessage, frozen=True, kw_only=True):
    """The answer to a `beat` from the server, with the same `now`."""

    now: float


@example()
class Probe(ClientMessage, frozen=True, kw_only=True):
    """Ask for a `beat` at once, to learn whether the connection is alive."""


@example(ply=3)
class Look(ClientMessage, frozen=True, kw_only=True):
    """Ask for an earlier position."""

    ply: Ply


@example(tokens=["a1"])
class Complete(ClientMessage, frozen=True, kw_only=True):
    """Ask what can follow the first tokens of a move."""

    tokens: Annotated[list[Text], Meta(max_length=_MAX_TOKENS)]


@example(text="c4")
class Why(ClientMessage, frozen=True, kw_only=True):
    """Ask why a move or the beginning of one is illegal."""

    text: Text


@example(viewer=1)
class ChangeViewer(ClientMessage, frozen=True, kw_only=True):
    """Ask to see the table as another seat sees it."""

    viewer: Seat | None = None


@example(id="q1", ply=9)
class Solve(ClientMessage, frozen=True, kw_only=True):
    """Ask for the exact value of a position of a finished game or a record."""

    id: Id
    ply: Ply


@example(id="q2", version=12)
class Hint(ClientMessage, frozen=True, kw_only=True):
    """Ask for a good move and the reason for it."""

    id: Id
    version: Version


@example(id="q3", version=12, ply=9)
class Evaluate(ClientMessage, frozen=True, kw_only=True):
    """Ask for the expected result of a position."""

    id: Id
    version: Version
    ply: Ply


@example()
class CancelSolve(ClientMessage, frozen=True, kw_only=True):
    """Cancel the last `solve`."""


Query = Solve | Hint | Evaluate
_Premove = Premoves | Preview
_Chat = Say | Report
_Sign = BeatAnswer | Probe
_Page = ChangeViewer | ChangeVisibility
Message = Hello | AnyCommand | _Premove | _Chat | _Sign | Look | Complete | Why | _Page | Query | CancelSolve
MESSAGES: tuple[type[ClientMessage], ...] = get_args(Message)
_decoder: msgspec.json.Decoder[Message] = msgspec.json.Decoder(Message)


OLD_TYPES = {
    "again": "rematch",
    "answer-undo": "answer-takeback",
    "ask-undo": "request-takeback",
    "computer": "add-computer",
    "leave": "cancel-solve",
    "plan": "premoves",
    "stand": "leave-seat",
    "try": "preview",
    "view": "change-viewer",
}
"""The types and API commands of earlier versions, which programs may still send, and what they are called now."""
_OLD_TYPE = re.compile(rf'"type"\s*:\s*"({"|".join(OLD_TYPES)})"')


def parse_message(text: str) -> Message:
    """Read one message from JSON; raise UnreadableMessageError, whose sentence says which field or type is wrong."""
    try:
        return _decoder.decode(text)
    except (msgspec.MsgspecError, ValueError, RecursionError) as error:
        if not str(error).endswith("`$.type`"):
            raise codec.build_unreadable_error("this message", error) from None
        renamed = _OLD_TYPE.sub(lambda found: f'"type":"{OLD_TYPES[found[1]]}"', text)
        if renamed != text:
            return parse_message(renamed)
        allowed = ", ".join(find_tag(message) for message in MESSAGES)
        sentence = f"this message cannot be read: {quote(text)} (type: it must be one of {allowed})"
        raise UnreadableMessageError(sentence) from None


def parse_command(verb: str, body: bytes) -> AnyCommand:
    """Read a command of type `verb` from its other fields as JSON, blank for none; raise UnreadableMessageError."""
    try:
        fields: Any = codec.decode_json(body) if body.strip() else {}
    except (msgspec.MsgspecError, ValueError, RecursionError):
        fields = None
    if not isinstance(fields, dict):
        raise UnreadableMessageError(f"this is not a JSON object: {quote(body[:200].decode(errors='replace'))}")
    fields["type"] = verb
    command: AnyCommand = codec.decode(lambda given: msgspec.convert(given, AnyCommand), fields, "this command")
    return command
