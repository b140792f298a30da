"""The requests and answers of the API: types that parse, serialise and document themselves."""

from collections.abc import Sequence
from typing import Annotated, Any, Literal

from msgspec import Meta, Struct

from fourcorners.core.game_tree import MAX_COMMENT_LENGTH, MAX_MARKS
from fourcorners.core.record_format import MAX_RECORD_LENGTH
from fourcorners.study.entry import MAX_LINE_LENGTH
from fourcorners.study.entry import MAX_MOVES as MAX_ENTERED_MOVES
from fourcorners.study.rendering import MAX_WIDTH, MIN_WIDTH
from fourcorners.study.review import MAX_PLIES
from fourcorners.web.application.analysis_board import MAX_MOVES, MAX_POSITION_LENGTH
from fourcorners.web.application.analysis_tree import MAX_NODES, TreeNode
from fourcorners.web.application.exercises import MAX_EXERCISE_MOVES
from fourcorners.web.application.lessons import MAX_LESSON_MOVES, MAX_LESSONS, MAX_STEPS
from fourcorners.web.application.pictures import MAX_FRAMES
from fourcorners.web.application.puzzle_sets import MAX_ITEMS
from fourcorners.web.application.table_setup import MAX_SEATS
from fourcorners.web.domain.clocks import MAX_DAYS, MAX_INCREMENT, MAX_SECONDS, MIN_SECONDS
from fourcorners.web.domain.commands import Hash, Name, Seat, Version
from fourcorners.web.domain.push_services import MAX_ENDPOINT_LENGTH
from fourcorners.web.engine.services import MAX_LINES
from fourcorners.web.protocol.codec import example
from fourcorners.web.protocol.table_fields import (
    BOARD_EXAMPLE,
    INTRODUCTION_EXAMPLE,
    Fields,
    GameInfo,
    IsHost,
    Plies,
    Settings,
    Shuffle,
    TableFields,
    Words,
)
from fourcorners.web.store.puzzle_sets import MAX_PUPILS

ME = "me"
"""The word for the caller's own seat in a request."""
LONGEST_WAIT = 30.0
GameId = Annotated[str, Meta(max_length=60, description="The id of a game, as listed by /api/games.")]
Options = Annotated[dict[str, Any], Meta(description="The game's options that differ from the defaults.")]
Move = Annotated[str, Meta(max_length=100)]
Tokens = Annotated[list[Annotated[str, Meta(max_length=100)]], Meta(max_length=100)]
ExerciseMoves = Annotated[
    list[Move],
    Meta(max_length=MAX_EXERCISE_MOVES, description="The first move counts; without one you get the position."),
]
PuzzleLine = Annotated[
    list[Move],
    Meta(
        max_length=MAX_EXERCISE_MOVES,
        description="Your moves so far, in their order. Those after a wrong one, or after the last one to find, do not "
        "count. Without any you get the position.",
    ),
]
Ply = Annotated[int, Meta(ge=0, le=MAX_PLIES, description="The move of the game, counted from 0.")]
Viewer = Annotated[Seat, Meta(description="The seat to view it from, if you have several.")]
PupilName = Annotated[str, Meta(max_length=400)]
_ADMITS_DESCRIPTION = (
    "Whose answers count: those of `all` who have the link, of the names that are `listed` already, or of `none`."
)
Key = Annotated[
    str,
    Meta(
        max_length=100,
        description="The key of the owner’s link; you need none for a set that you made with this API key.",
    ),
]


class Request(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A request; unknown fields are refused."""


@example(name="Ada's program")
class NewPlayer(Request, frozen=True, kw_only=True):
    """A guest."""

    name: Name = ""


_RATED_DESCRIPTION = (
    "Whether the game counts for ratings. It needs a clock and another player at each seat; against computers a level, "
    "the standard board and random order as well."
)


class GameClock(Request, frozen=True, kw_only=True, tag_field="kind", tag="game"):
    """Seconds for the whole game, and an increment after each turn."""

    seconds: Annotated[int, Meta(ge=MIN_SECONDS, le=MAX_SECONDS)]
    increment: Annotated[int, Meta(ge=0, le=MAX_INCREMENT)] = 0


class DaysClock(Request, frozen=True, kw_only=True, tag_field="kind", tag="days"):
    """Days for each turn."""

    days: Annotated[int, Meta(ge=1, le=MAX_DAYS)]


class NewTable(Request, frozen=True, kw_only=True):
    """A table to create."""

    game: GameId
    options: Options = {}
    seats: (
        Annotated[
            list[Annotated[str, Meta(max_length=32)]],
            Meta(
                max_length=MAX_SEATS,
                description="Who plays each seat: `me`, `open` for anyone, `computer:LEVEL` or `computer:SECONDSs`. "
                "By default you take the first seat and the others are open.",
            ),
        ]
        | None
    ) = None
    name: Name = ""
    order: Annotated[
        Literal["random", "given"], Meta(description="Whether seats are assigned at random or as listed.")
    ] = "random"
    clock: GameClock | DaysClock | None = None
    visibility: Annotated[
        Literal["link", "public"],
        Meta(description="Whether the lobby lists the table; anyone with its link can watch."),
    ] = "link"
    chat: Annotated[Literal["presets", "free"], Meta(description="What people may write in the chat.")] = "presets"
    rated: Annotated[bool, Meta(description=_RATED_DESCRIPTION)] = False
    hide_points: Annotated[
        bool, Meta(description="Whether no one learns points until the end, so that players count them on the board.")
    ] = False
    hash: Hash = ""


@example(game="a-game", lesson="rules", step=0, moves=["c4"])
class LessonMoves(Request, frozen=True, kw_only=True):
    """What a learner has played in a step of a lesson, so that the server need not remember it."""

    game: GameId
    lesson: Annotated[str, Meta(max_length=60, description="The id of a lesson, the last part of its page's address.")]
    step: Annotated[int, Meta(ge=0, lt=MAX_STEPS, description="The step, counted from 0.")]
    moves: Annotated[
        list[Move], Meta(max_length=MAX_LESSON_MOVES, description="The learner's own moves since the step began.")
    ] = []


@example(lessons={"a-game/rules": 3})
class LessonSteps(Request, frozen=True, kw_only=True):
    """How far a learner is in lessons."""

    lessons: Annotated[
        dict[Annotated[str, Meta(max_length=128)], Annotated[int, Meta(ge=0, le=MAX_STEPS)]],
        Meta(
            max_length=MAX_LESSONS,
            description="By lesson, as GAME/LESSON, how many of its steps are done. Unknown lessons are left out.",
        ),
    ]


@example(lessons={"a-game/rules": 3, "a-game/chains": 1})
class LessonProgress(Fields, frozen=True, kw_only=True):
    """How far a learner is in lessons, by everything that the server knows."""

    lessons: Annotated[
        dict[str, int] | None,
        Meta(description="By lesson the number of steps that are done; null without an identity."),
    ]


@example(ply=11, moves=["c4d4"])
class AttemptMoves(Request, frozen=True, kw_only=True):
    """A move tried in place of one of a reviewed game, so that the server need not remember it."""

    ply: Ply
    moves: ExerciseMoves = []
    show: Annotated[bool, Meta(description="Whether to show the best move instead.")] = False


@example(ply=11, move="c4d4")
class OtherMove(Request, frozen=True, kw_only=True):
    """Another move in place of one of a reviewed game."""

    ply: Ply
    move: Annotated[str, Meta(min_length=1, max_length=100)]


@example(game="a-game", puzzle="0123abcd", moves=["c4"])
class PuzzleMoves(Request, frozen=True, kw_only=True):
    """The moves in a puzzle, without those with which the server defends."""

    game: GameId
    puzzle: Annotated[str, Meta(max_length=32, description="The id of a puzzle, the last part of its page's address.")]
    moves: PuzzleLine = []
    show: Annotated[bool, Meta(description="Whether to show how to go on instead: the puzzle is not solved then.")] = (
        False
    )
    helped: Annotated[bool, Meta(description="Whether you had help, such as a hint: it counts as not solved.")] = False
    rated: Annotated[bool, Meta(description="Whether a first attempt changes your rating.")] = True


@example(pupil="Ada", item=0, moves=["c4"])
class SetMoves(Request, frozen=True, kw_only=True):
    """A pupil's moves in an item of a set of puzzles, without those with which the server defends."""

    pupil: Annotated[str, Meta(max_length=400, description="The name under which results are kept.")] = ""
    item: Annotated[int, Meta(ge=0, lt=MAX_ITEMS, description="The item, counted from 0.")]
    moves: PuzzleLine = []
    show: Annotated[bool, Meta(description="Whether to show the solution instead.")] = False


class SetQuery(Request, frozen=True, kw_only=True):
    """The proof that a set is yours."""

    key: Key = ""


@example(key="q8Jr…", admits="listed")
class SetAdmission(Request, frozen=True, kw_only=True):
    """Whose answers a set counts from now on."""

    admits: Annotated[Literal["all", "listed", "none"], Meta(description=_ADMITS_DESCRIPTION)]
    key: Key = ""


@example(key="q8Jr…", pupils=["Ada"])
class SetNames(Request, frozen=True, kw_only=True):
    """Names to remove from a set, with their results."""

    pupils: Annotated[list[PupilName], Meta(max_length=MAX_PUPILS)]
    key: Key = ""


@example(id="x1Yb3kQ_9aZcTr4eQwErTy", title="Homework", admits="all", pupils=["Ada", "Ben"])
class SetState(Fields, frozen=True, kw_only=True):
    """A set of puzzles, for its owner."""

    id: str
    title: str
    admits: Annotated[str, Meta(description=_ADMITS_DESCRIPTION)]
    pupils: Annotated[Sequence[str], Meta(description="The names of those who have answered.")]


class AnalysedGame(Request, frozen=True, kw_only=True):
    """Where an analysis begins: the start of a game, or any position of it."""

    game: GameId
    options: Options = {}
    position: Annotated[
        str,
        Meta(
            max_length=MAX_POSITION_LENGTH,
            description="The line of a position, or of what the seat to move knows of it; empty for the start.",
        ),
    ] = ""


@example(game="a-game", options={}, position="", moves=["c4"])
class AnalysedPosition(AnalysedGame, frozen=True, kw_only=True):
    """A position on the analysis board."""

    moves: Annotated[list[Move], Meta(max_length=MAX_MOVES, description="The moves that were played from there.")] = []


@example(game="a-game", options={}, position="", moves=["c4"], tokens=["d4"])
class BegunMove(AnalysedPosition, frozen=True, kw_only=True):
    """The beginning of a move on the analysis board."""

    tokens: Tokens = []


@example(game="a-game", options={}, position="", tool="edges", edit="c4d4")
class EditedPosition(AnalysedGame, frozen=True, kw_only=True):
    """A position, or a draft of one, to change by hand."""

    tool: Annotated[str, Meta(max_length=60, description="What to change; empty for the first tool of the game.")] = ""
    edit: Annotated[str, Meta(max_length=100, description="The change to make; empty for none.")] = ""


@example(game="a-game", options={}, position="", tool="edges", tokens=["c4"])
class BegunEdit(EditedPosition, frozen=True, kw_only=True):
    """The beginning of a change."""

    tokens: Tokens = []


@example(game="a-game", options={}, position="", moves=["c4"], lines=3)
class EngineRequest(AnalysedPosition, frozen=True, kw_only=True):
    """A position for the engine."""

    lines: Annotated[int, Meta(ge=1, le=MAX_LINES, description="How many of the best moves to find.")] = 3


@example(move="c4", line=["c4", "d4"], seats=[0, 1], margin=2.5, win=0.71, lower=-3, upper=9, nodes=1200)
class EngineLine(Fields, frozen=True, kw_only=True):
    """A move of the seat to move, what it is worth to it, and the expected play."""

    move: str
    line: Annotated[list[str], Meta(description="The expected play from this move on, as far as it is known.")]
    seats: Annotated[list[int], Meta(description="Who makes these moves.")]
    margin: Annotated[float, Meta(description="The expected final margin.")]
    win: Annotated[float, Meta(description="The chance of winning; 0 and 1 only if that is proven.")]
    lower: Annotated[int, Meta(description="A proven bound of the margin; equal to `upper` if it is proven itself.")]
    upper: int
    nodes: int


@example(
    state="running",
    sentence="",
    seat=0,
    nodes=1800,
    share=0.2,
    lines=[EngineLine(move="c4", line=["c4"], seats=[0], margin=2.5, win=0.7, lower=-3, upper=9, nodes=1200)],
)
class EngineUpdate(Fields, frozen=True, kw_only=True):
    """What the engine has found so far. The answer is a row of them, one JSON object per line of text, until the state
    is `done` or, with a sentence, `refused`. The engine stops when the client leaves.
    """

    state: Literal["running", "done", "refused"]
    sentence: str
    seat: Annotated[int, Meta(description="The seat to move, for which all values are.")]
    nodes: Annotated[int, Meta(description="The work so far, in simulations.")]
    share: Annotated[float, Meta(description="The share of the work that is done, 0 to 1.")]
    lines: Annotated[list[EngineLine], Meta(description="The best moves, the best first.")]


class MoveValue(Fields, frozen=True, kw_only=True):
    """What a move is worth to the seat to move."""

    move: str
    value: int


@example(
    state="solved",
    sentence="Solved: White wins by 3.",
    detail="1,204 positions searched.",
    seat=0,
    worth=3,
    counts="margin",
    moves=[MoveValue(move="c4", value=3), MoveValue(move="d4", value=-1)],
)
class MoveValues(Fields, frozen=True, kw_only=True):
    """What every move of a position is worth to the seat to move."""

    state: Annotated[
        Literal["solved", "bounds", "refused"], Meta(description="`bounds` if the limits were reached before.")
    ]
    sentence: str
    detail: str = ""
    seat: int | None = None
    worth: int | None = None
    counts: Annotated[str, Meta(description="What the numbers mean: margin, rest or win.")] = "margin"
    moves: Annotated[Sequence[MoveValue], Meta(description="The moves, the best first.")] = ()


@example(
    game="a-game",
    options={},
    position="",
    record="",
    nodes=[TreeNode(depth=0), TreeNode(depth=1, move="c4", comment="The centre.", marks=["good"])],
)
class AnalysisTree(AnalysedGame, frozen=True, kw_only=True):
    """An analysis with its moves, variations and notes."""

    record: Annotated[
        str,
        Meta(
            max_length=MAX_RECORD_LENGTH,
            description="The record of the game that it is about, whose moves begin its main line; empty without one.",
        ),
    ] = ""
    nodes: Annotated[list[TreeNode], Meta(max_length=MAX_NODES, description="The start, and all moves after it.")] = []


@example(
    game="a-game",
    options={},
    position="",
    record="",
    nodes=[TreeNode(depth=0), TreeNode(depth=1, move="c4", comment="The centre.", marks=["good"])],
    shown=1,
    values=False,
)
class AnalysisToShare(AnalysisTree, frozen=True, kw_only=True):
    """An analysis, and where its link opens it."""

    shown: (
        Annotated[
            int, Meta(ge=0, lt=MAX_NODES, description="The index, in `nodes`, of the move at which the link opens.")
        ]
        | None
    ) = None
    values: Annotated[bool, Meta(description="Whether the exact values of its moves are shown as well.")] = False


@example(id="x1Yb3kQ_9aZcTr4e", link="/analysis/shared/x1Yb3kQ_9aZcTr4e", embed="/embed/x1Yb3kQ_9aZcTr4e")
class SharedAnalysis(Fields, frozen=True, kw_only=True):
    """An analysis that was stored: `link` is its page, and `embed` one to show in a frame of another site."""

    id: str
    link: str
    embed: str


@example(name="a-game-analysis.txt", text="fourcorners record 2\n…")
class AnalysisRecord(Fields, frozen=True, kw_only=True):
    """An analysis as a record, with the name of a file for it."""

    name: str
    text: str


_OptionName = Annotated[str, Meta(max_length=40)]


@example(game="a-game", options={"size": 6}, moves=["b2", "c3"], names=["Ada", "Ben"], date="2026-11-23", deck=None)
class TypedGame(Request, frozen=True, kw_only=True):
    """A game that was played on paper, as it was typed so far; the server does not remember it."""

    game: GameId
    options: Annotated[dict[_OptionName, Any], Meta(max_length=40)] = {}
    moves: Annotated[
        list[Annotated[str, Meta(max_length=MAX_LINE_LENGTH)]],
        Meta(max_length=MAX_ENTERED_MOVES, description="All moves; at the end perhaps `resign`."),
    ] = []
    typed: Annotated[
        Annotated[int, Meta(ge=0, lt=MAX_ENTERED_MOVES)] | None,
        Meta(description="Which item of `moves`, from 0, is a typed line that may have several moves, or null."),
    ] = None
    names: Annotated[
        list[Annotated[str, Meta(max_length=60)]] | None, Meta(description="The players' names, by seat.")
    ] = None
    date: Annotated[str, Meta(max_length=10, description="Such as 2026-11-23; empty if unknown.")] = ""
    deck: Annotated[
        list[Annotated[str, Meta(max_length=20)]] | None,
        Meta(description="The tiles in drawing order, for games with a hidden deck."),
    ] = None


class TableQuery(Request, frozen=True, kw_only=True):
    """How to view a table."""

    since: Annotated[Version, Meta(description="Answer as soon as the version is larger than this.")] | None = None
    wait: Annotated[
        float, Meta(ge=0, le=LONGEST_WAIT, description="Wait at most this many seconds for a larger version.")
    ] = 0.0
    viewer: Viewer | None = None


class PictureStyle(Request, frozen=True, kw_only=True):
    """What a picture looks like."""

    theme: Literal["light", "dark", "print"] = "light"
    palette: Annotated[str, Meta(max_length=40, description="A palette such as high-contrast.")] = ""
    look: Annotated[str, Meta(max_length=40, description="What the board is made of, if players can choose.")] = ""
    width: Annotated[
        int,
        Meta(ge=MIN_WIDTH, le=MAX_WIDTH, description="In pixels, except for SVG; an animation has at most 640."),
    ] = 640
    pause: Annotated[int, Meta(ge=20, le=10_000, description="Milliseconds for each move of an animation.")] = 800
    last: (
        Annotated[
            int, Meta(ge=1, lt=MAX_FRAMES, description="An animation shows only this many moves, with the score below.")
        ]
        | None
    ) = None


class PictureQuery(PictureStyle, frozen=True, kw_only=True):
    """What to draw."""

    ply: (
        Annotated[int, Meta(ge=0, le=10_000, description="After this many moves; by default, after the last.")] | None
    ) = None
    viewer: Viewer | None = None


_MAX_VALUES = 5000


class NotedValue(Request, frozen=True, kw_only=True):
    """What a move is worth, to be written on a picture."""

    move: Annotated[str, Meta(max_length=100)]
    value: Annotated[int, Meta(ge=-(10**7), le=10**7)]


@example(
    game="a-game",
    options={},
    position="",
    moves=["c4"],
    marks=[[], ["arrow a1 c3"]],
    comment="Best.",
    style=PictureStyle(theme="dark"),
)
class AnalysisPicture(AnalysedPosition, frozen=True, kw_only=True):
    """What to draw of an analysis."""

    marks: Annotated[
        list[Annotated[list[Annotated[str, Meta(max_length=100)]], Meta(max_length=MAX_MARKS)]],
        Meta(max_length=MAX_MOVES + 1, description="Those at the start and after each move, as in a record."),
    ] = []
    comment: Annotated[
        str, Meta(max_length=MAX_COMMENT_LENGTH, description="A comment on the position, for the PDF.")
    ] = ""
    values: Annotated[
        list[NotedValue], Meta(max_length=_MAX_VALUES, description="What to write on the moves of the last position.")
    ] = []
    counts: Annotated[Literal["margin", "rest", "win"], Meta(description="What these numbers mean.")] = "margin"
    style: PictureStyle = PictureStyle()


class SheetQuery(Request, frozen=True, kw_only=True):
    """How to print a game."""

    viewer: Viewer | None = None
    paper: Literal["a4", "letter"] = "a4"


class TablesQuery(Request, frozen=True, kw_only=True):
    """Which tables to list."""

    mine: Annotated[bool, Meta(description="List your own tables instead of the lobby.")] = False


class TurnsQuery(Request, frozen=True, kw_only=True):
    """Which games to count."""

    besides: Annotated[str, Meta(max_length=32, description="A table to leave out.")] = ""


@example(count=2, next="x1Yb3kQ_9aZc")
class Turns(Fields, frozen=True, kw_only=True):
    """Your games in which another person waits for your move."""

    count: Annotated[int, Meta(description="How many there are, up to 100.")]
    next: Annotated[str | None, Meta(description="The table at which someone has waited longest.")]


class SubscriptionKeys(Request, frozen=True, kw_only=True):
    """The keys of a browser’s subscription, in base64url."""

    p256dh: Annotated[str, Meta(max_length=100)]
    auth: Annotated[str, Meta(max_length=40)]


@example(
    endpoint="https://updates.push.services.mozilla.com/wpush/v2/gAAAAAB…",
    keys=SubscriptionKeys(p256dh="BKNZ…", auth="QmFs…"),
)
class NewSubscription(Request, frozen=True, kw_only=True):
    """A browser’s subscription at a push service, as `PushSubscription.toJSON()` returns it."""

    endpoint: Annotated[str, Meta(max_length=MAX_ENDPOINT_LENGTH)]
    keys: SubscriptionKeys
    expirationTime: float | None = None  # noqa: N815  # the browsers' name


@example(key="BKNZ…", subscribed=True)
class Notifications(Fields, frozen=True, kw_only=True):
    """Whether you are notified of your turns through a push service, as long as you do not have the table open."""

    key: Annotated[str, Meta(description="The `applicationServerKey` of a subscription.")]
    subscribed: Annotated[bool, Meta(description="Whether your session has a subscription.")]


@example(code="not-your-turn", sentence="it is Ben’s turn")
class Problem(Fields, frozen=True, kw_only=True):
    """Why a request was refused."""

    code: Annotated[str, Meta(description="A stable code for programs; for moves, that of the library's error.")]
    sentence: Annotated[str, Meta(description="The reason, as a human-readable sentence.")]


@example(id="9f…", name="Ada", account=None)
class Player(Fields, frozen=True, kw_only=True):
    """Who you are: a guest, or an account if `account` is not null."""

    id: str
    name: str
    account: str | None


@example(id="9f…", name="Ada's program", account=None, secret="k3J…")  # noqa: S106  # only an example
class Guest(Player, frozen=True, kw_only=True):
    """A new guest. `secret` is its API key, which is shown only once; send it as `Authorization: Bearer KEY`."""

    secret: str


class Level(Fields, frozen=True, kw_only=True):
    """A level of the computer, and its blind spot."""

    level: int
    name: str
    blind: str


class OfferedGame(Fields, frozen=True, kw_only=True):
    """A game that can be played; `options` is a JSON Schema of the options that a table can set."""

    id: str
    title: str
    summary: str
    hidden: Annotated[bool, Meta(description="Whether some information is hidden from some seats.")]
    seats: Annotated[int, Meta(description="The number of seats with the default options.")]
    options: dict[str, Any]
    levels: list[Level]


class Games(Fields, frozen=True, kw_only=True):
    """All games."""

    games: list[OfferedGame]


class ListedTable(Fields, frozen=True, kw_only=True):
    """A table in a list."""

    id: str
    game: str
    options: dict[str, Any]
    names: Annotated[list[str], Meta(description="The name at each seat; empty where it is open.")]
    kinds: list[str]
    free: Annotated[list[int], Meta(description="The seats that you can take.")]
    seats: Annotated[list[int], Meta(description="Your seats.")]
    version: int
    turn: Annotated[int | None, Meta(description="The seat to move.")]
    result: Annotated[str, Meta(description="Empty while the game is not over.")]
    settings: dict[str, Any]
    created: Annotated[float, Meta(description="The server time in seconds, like all times.")]
    started: float | None
    changed: float


class Tables(Fields, frozen=True, kw_only=True):
    """A list of tables, most recently changed first; the lobby starts with those that are waiting for players."""

    tables: list[ListedTable]


@example(id="x1Yb3kQ_9aZc", link="/play/x1Yb3kQ_9aZc")
class CreatedTable(Fields, frozen=True, kw_only=True):
    """A table that was created; `link` is its page."""

    id: str
    link: str


@example(state="running", plies=24, judged=9, errors=1, sentence="", compiled=1.0, ahead=0, review=None)
class ReviewAnswer(Fields, frozen=True, kw_only=True):
    """The review of a finished game; anyone with the table's id may request and read it."""

    state: Annotated[
        Literal["none", "running", "finished", "failed"],
        Meta(description="A review stops if no one asks about it for a minute, and has then failed."),
    ]
    plies: Annotated[int, Meta(description="The number of moves.")]
    judged: Annotated[int, Meta(description="How many of them are judged.")]
    errors: Annotated[int, Meta(description="How many errors were found so far.")]
    sentence: Annotated[str, Meta(description="Why the review failed, or what of it is withheld; otherwise empty.")]
    compiled: Annotated[
        float, Meta(description="How much of the game is compiled, 0 to 1: before that the review cannot begin.")
    ]
    ahead: Annotated[int, Meta(description="How many other reviews come first, at most.")]
    review: Annotated[
        dict[str, Any] | None,
        Meta(description="What was found so far, as JSON of the format that its field `schema` names."),
    ]


@example(sentence="c4d4 loses 2 points.", html="", move={"ply": 11, "move": "c4d4", "label": "mistake"})
class OtherMoveAnswer(Fields, frozen=True, kw_only=True):
    """What a review says about another move."""

    sentence: Annotated[str, Meta(description="What the move loses.")]
    html: Annotated[str, Meta(description="Why, as HTML; empty if nothing is known.")]
    move: Annotated[dict[str, Any], Meta(description="The move in the form of the moves of a review.")]


class ViewText(Fields, frozen=True, kw_only=True):
    """What you may know of the position; `fourcorners.game(id, **options).view(text, seat)` reads it."""

    seat: int | None
    text: str


@example(
    id="x1Yb3kQ_9aZc",
    view=ViewText(seat=0, text="2/…"),
    now=1795279143.25,
    **{name: value for name, value in BOARD_EXAMPLE.items() if name in TableFields.__struct_fields__},
    **INTRODUCTION_EXAMPLE,
)
class TableAnswer(TableFields, frozen=True, kw_only=True):
    """A table, limited to what you may know."""

    id: str
    plies: Plies
    words: Words
    game: GameInfo
    settings: Settings
    host: IsHost
    shuffle: Shuffle
    view: ViewText
    now: Annotated[float, Meta(description="The server time in seconds.")]
