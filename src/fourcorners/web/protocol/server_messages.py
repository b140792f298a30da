"""What the server sends over a table's socket: one type for each message, and `encode`, which writes them all."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any, Literal, get_args

import msgspec
from msgspec import UNSET, Meta, UnsetType

from fourcorners.core.scene import ScenePatch
from fourcorners.web.domain.commands import ClientMessage, derive_type
from fourcorners.web.domain.sentences import write_sentence
from fourcorners.web.protocol import codec
from fourcorners.web.protocol.codec import EncodedMessage, example, find_tag
from fourcorners.web.protocol.table_fields import (
    BOARD_EXAMPLE,
    INTRODUCTION_EXAMPLE,
    BoardFields,
    Explanations,
    ExplanationState,
    Fact,
    Fields,
    Gains,
    GameInfo,
    IsHost,
    Miniatures,
    Plies,
    ServerTime,
    Settings,
    Shuffle,
    Svg,
    Tray,
    Version,
    Words,
)

Id = Annotated[str, Meta(description="The id of the command or query.")]
Code = Annotated[str, Meta(description="A stable code for programs, the same as in the library's errors.")]
Sentence = Annotated[str, Meta(description="A human-readable explanation.")]
_COUNTS_DESCRIPTION = "What the numbers mean: the final margin, the margin of what is left to play, or won and lost."
Counts = Annotated[Literal["margin", "rest", "win"], Meta(description=_COUNTS_DESCRIPTION)]
_PATCH_DESCRIPTION = "For board and tray: box, label, remove (ids), set (id to changes), add (behind, SVG)."
RESTARTING = "The server is restarting. This page will reconnect in a moment."
NO_HELLO = "The first message must be a hello."
_SVG = '<svg class="part">…</svg>'


class _Message(Fields, frozen=True, kw_only=True, tag_field="type", tag=derive_type):
    """A message; its `type` names it on the wire."""


_SETUP_EXAMPLE = {
    "study": False,
    "confirm": False,
    "clock_label": "5 min + 3 s",
    "phrases": ["Hello!"],
    "miniatures": [],
    "gains": [1, 0],
}


_EXPLANATION_EXAMPLE = {"explanations": [ExplanationState(id="swap", sentence="The second player may swap once.")]}


@example(**BOARD_EXAMPLE, **INTRODUCTION_EXAMPLE, **_EXPLANATION_EXAMPLE, board=_SVG, tray=None, **_SETUP_EXAMPLE)
class State(BoardFields, frozen=True, kw_only=True, tag_field="type", tag=derive_type):
    """The whole table: the answer to `hello`, also sent after a stale command."""

    board: Svg
    tray: Tray
    plies: Plies
    words: Words
    miniatures: Miniatures
    gains: Gains
    explanations: Explanations
    game: GameInfo
    settings: Settings
    host: IsHost
    shuffle: Shuffle
    study: Annotated[bool, Meta(description="Whether this is a game record, not a game in progress.")]
    confirm: bool
    clock_label: str
    phrases: Annotated[Sequence[str], Meta(description="The quick phrases for `say`, by number.")]


_PATCH_EXAMPLE = {"board": {"set": {"p-b2": {"class": "mark dark"}}}}


_NEW_PLIES_EXAMPLE: dict[str, Any] = {
    "plies_from": 1,
    "plies": [(1, "b2")],
    "words": INTRODUCTION_EXAMPLE["words"][1:],
    "miniatures": [],
    "gains": [0],
}


if TYPE_CHECKING:
    _ChangedFields = BoardFields
else:
    _ChangedFields = msgspec.defstruct(
        "_ChangedFields",
        [(field.name, field.type | UnsetType, UNSET) for field in msgspec.structs.fields(BoardFields)],
        bases=(_Message,),
        frozen=True,
        kw_only=True,
    )
_CHANGED_EXAMPLE = {name: BOARD_EXAMPLE[name] for name in ("version", "seat", "mine", "clock", "may", "facts", "ply")}


@example(**_CHANGED_EXAMPLE, **_EXPLANATION_EXAMPLE, **_NEW_PLIES_EXAMPLE, from_version=11, patch=_PATCH_EXAMPLE)
class Patch(_ChangedFields, frozen=True, kw_only=True, rename={"from_version": "from"}):
    """What an event changed: parts of the picture, the last plies, and the fields of a `state` that have new values.
    What a patch leaves out has not changed.
    """

    version: Version
    from_version: Annotated[int, Meta(description="The version to which this patch applies.")]
    patch: Annotated[ScenePatch, Meta(description=_PATCH_DESCRIPTION)]
    plies_from: Annotated[int, Meta(description="Keep this many plies and append `plies`.")]
    plies: Sequence[tuple[int, str]]
    words: Words
    miniatures: Miniatures
    gains: Gains
    explanations: Explanations


@example(now=1795279143.25, interval=4)
class Beat(_Message, frozen=True, kw_only=True):
    """The connection is alive. Send it back at once; reconnect if the next one is 6 seconds late."""

    now: ServerTime
    interval: Annotated[int, Meta(description="The next beat comes within this many seconds.")]


@example(id="c1", version=13)
class Done(_Message, frozen=True, kw_only=True):
    """A command was executed and stored; a command with the same id is never executed twice."""

    id: Id
    version: int


@example(id="c1", code="not-your-turn", sentence="It is Ben’s turn.")
class Refused(_Message, frozen=True, kw_only=True):
    """A command is not allowed."""

    id: Id
    code: Code
    sentence: Sentence


@example(id="c1")
class Stale(_Message, frozen=True, kw_only=True):
    """A command was made for an older board, or could not be stored. It was not executed; a `state` follows."""

    id: Id
    sentence: Annotated[str, Meta(description="Set if the command could not be stored.")] | UnsetType = UNSET


@example(sentence=NO_HELLO)
class Error(_Message, frozen=True, kw_only=True):
    """A message was unreadable, refused or failed; a computer found or stored no move; or premoves were cancelled."""

    sentence: Sentence
    of: Annotated[str, Meta(description="The type of the message in question.")] | UnsetType = UNSET
    id: Annotated[str, Meta(description="The id of the command or query in question.")] | UnsetType = UNSET


def build_error(reason: str, about: ClientMessage | None = None) -> Error:
    """Return a message about a failure, whose reason is a clause or a sentence; if it concerns a client's message, with
    its type, and its id if it has one.
    """
    sentence = write_sentence(reason)
    if about is None:
        return Error(sentence=sentence)
    return Error(sentence=sentence, of=find_tag(type(about)), id=getattr(about, "id", UNSET))


@example(chairs=[True, False], watching=2)
class Presence(_Message, frozen=True, kw_only=True):
    """Someone connected or left: whether each seat's player is connected, and the number of spectators."""

    chairs: list[bool]
    watching: int


@example(seat=0, lines=[[None, "c4"]], movers=[[None, 0]])
class PremovesState(_Message, frozen=True, kw_only=True):
    """The remaining premoves of one of your seats."""

    seat: int
    lines: Sequence[Sequence[str | None]]
    movers: Annotated[Sequence[Sequence[int | None]], Meta(description="The seat that plays each move of the lines.")]


@example(seat=0, line=["b2"], tokens=None, board=_SVG, tray=None, mover=0, moves=["c4"], labels={})
class PreviewAnswer(_Message, frozen=True, kw_only=True):
    """The answer to `preview`: the board after a line of moves and what can follow, or what can follow some tokens."""

    line: Sequence[str | None]
    tokens: list[str] | None
    seat: int | UnsetType = UNSET
    sentence: Annotated[str, Meta(description="Why this premove is not possible.")] | UnsetType = UNSET
    board: Svg | UnsetType = UNSET
    tray: str | UnsetType | None = UNSET
    mover: int | UnsetType | None = UNSET
    moves: Sequence[str] | UnsetType | None = UNSET
    labels: dict[str, str] | UnsetType = UNSET
    next: Annotated[list[str], Meta(description="What can follow the tokens.")] | UnsetType = UNSET
    move: Annotated[bool, Meta(description="Whether the tokens are a move.")] | UnsetType = UNSET


class ChatLineState(Fields, frozen=True, kw_only=True):
    """A chat message; `seat` is null if its author no longer sits there."""

    number: int
    name: str
    seat: int | None
    text: str
    mine: bool
    who: Annotated[str, Meta(description="The same for all messages of one player; identifies whom to mute.")]
    at: float


@example(lines=[ChatLineState(number=1, name="Ada", seat=0, text="Hello!", mine=True, who="5a1f", at=1795279100.5)])
class Chat(_Message, frozen=True, kw_only=True):
    """New chat messages; the first time, the latest hundred messages."""

    lines: list[ChatLineState]


@example(taken=True)
class ReportAnswer(_Message, frozen=True, kw_only=True):
    """Whether a report was accepted; the number of reports is limited."""

    taken: bool


_FEATURES_DESCRIPTION = "By feature, such as `hint` or `solve`: the share that is compiled; at 1, it can be used."


@example(
    features={
        "levels": 1.0,
        "solving_levels": 0.5,
        "slow_levels": 1.0,
        "hint": 0.4,
        "evaluate": 0.5,
        "solve": 0.1,
        "review": 0.3,
    }
)
class Preparing(_Message, frozen=True, kw_only=True):
    """The server is compiling this game. People can play already; it answers what needs more when that is compiled."""

    features: Annotated[dict[str, float], Meta(description=_FEATURES_DESCRIPTION)]


@example()
class Ready(_Message, frozen=True, kw_only=True):
    """This game is compiled."""


@example(sentence=RESTARTING)
class Goodbye(_Message, frozen=True, kw_only=True):
    """The server is stopping; reconnect soon."""

    sentence: Sentence


@example(seat=1, simulations=1200, share=0.4, preparing=False)
class ComputerProgress(_Message, frozen=True, kw_only=True):
    """A computer is thinking: its simulations so far, and the share of its time or simulations used so far.

    While `preparing`, its level is still being compiled, and `share` says how much of it is.
    """

    seat: int
    simulations: int
    share: float
    preparing: bool = False


@example(ply=1, board=_SVG, tray=None, facts=[(0, "marks", "1")], scores=[0, 0])
class LookAnswer(_Message, frozen=True, kw_only=True):
    """An earlier position: the answer to `look`."""

    ply: int
    board: Svg
    tray: str | None
    facts: Sequence[Fact]
    scores: Sequence[int]


@example(tokens=["a1"], next=["b1"], move=False, labels={})
class CompleteAnswer(_Message, frozen=True, kw_only=True):
    """What can follow the tokens, and whether they are a move."""

    tokens: list[str]
    next: list[str]
    move: bool
    labels: dict[str, str]


@example(text="c4", code="taken", sentence="c4 is taken.")
class WhyAnswer(_Message, frozen=True, kw_only=True):
    """Why a move is illegal; null if it is legal."""

    text: str
    code: str | None
    sentence: str | None


class QueryAnswer(_Message, frozen=True, kw_only=True):
    """The answer to a question that takes a while; `cancelled` if the client moved on."""

    id: Id
    state: Literal["found", "solved", "bounds", "refused", "cancelled"]
    sentence: str | UnsetType = UNSET
    detail: str | UnsetType = UNSET


_SOLVED = {"sentence": "Solved: you win by 1.", "detail": "1,204 positions searched.", "worth": 1, "counts": "margin"}


@example(id="q1", ply=9, state="solved", seat=0, moves=[("c4", 1), ("d4", -1)], **_SOLVED)
class SolveAnswer(QueryAnswer, frozen=True, kw_only=True):
    """The exact value of a position: the last answer to `solve`."""

    ply: int
    seat: int | UnsetType = UNSET
    worth: Annotated[int, Meta(description="The mover’s final margin; negative if it loses.")] | UnsetType = UNSET
    counts: Counts | UnsetType = UNSET
    moves: Annotated[list[tuple[str, int]], Meta(description="Every move with its value.")] | UnsetType = UNSET


@example(ply=9, lower=-3, upper=2, nodes=800)
class SolveProgress(_Message, frozen=True, kw_only=True):
    """The bounds so far while a position is solved."""

    ply: int
    lower: int
    upper: int
    nodes: int


@example(id="q2", state="found", move="c4", reason="it closes a square")
class HintAnswer(QueryAnswer, frozen=True, kw_only=True):
    """A good move and the reason for it: the answer to `hint`."""

    move: str | UnsetType = UNSET
    reason: str | UnsetType = UNSET


_ESTIMATED = {"sentence": "Estimate: you win by about 3, in 60 to 80 of 100 games.", "solved": False}


@example(id="q3", ply=9, state="found", share=0.7, low=0.6, high=0.8, sides=[[0], [1]], **_ESTIMATED)
class EvaluateAnswer(QueryAnswer, frozen=True, kw_only=True):
    """The expected result of a position: the answer to `evaluate`."""

    ply: int
    share: Annotated[float, Meta(description="The winning chance of the first of `sides`.")] | UnsetType = UNSET
    low: Annotated[float, Meta(description="The lower bound of `share`.")] | UnsetType = UNSET
    high: Annotated[float, Meta(description="The upper bound of `share`.")] | UnsetType = UNSET
    sides: list[list[int]] | UnsetType = UNSET
    solved: bool | UnsetType = UNSET


CommandAnswer = Done | Refused | Stale
_TableMessage = Error | Presence | PremovesState | PreviewAnswer | Chat | ReportAnswer
_ServerNews = Preparing | Ready | Goodbye | ComputerProgress
_Analysis = LookAnswer | CompleteAnswer | WhyAnswer | SolveAnswer | SolveProgress | HintAnswer | EvaluateAnswer
ServerMessage = State | Patch | Beat | CommandAnswer | _TableMessage | _ServerNews | _Analysis
MESSAGES: tuple[type[ServerMessage], ...] = get_args(ServerMessage)
"""All messages of the server, in the order in which the documentation shows them."""
_decoder: msgspec.json.Decoder[ServerMessage] = msgspec.json.Decoder(ServerMessage)


def encode(message: ServerMessage) -> EncodedMessage:
    """Return a message as it is sent."""
    return EncodedMessage(codec.encode_json(message))


def parse_server_message(text: str | bytes) -> ServerMessage:
    """Read a message of the server as a client does; raise msgspec.DecodeError (ValidationError for other JSON)."""
    return _decoder.decode(text)
