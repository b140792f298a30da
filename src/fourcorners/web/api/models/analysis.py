"""The requests and answers of the analysis board."""

from collections.abc import Sequence
from typing import Annotated, Literal

from msgspec import Meta

from fourcorners.core.game_tree import MAX_COMMENT_LENGTH, MAX_MARKS
from fourcorners.core.record_format import MAX_RECORD_LENGTH
from fourcorners.web.api.models.common import GameId, Move, Options, Request, Tokens
from fourcorners.web.api.models.pictures import PictureStyle
from fourcorners.web.application.analysis_board import MAX_MOVES, MAX_POSITION_LENGTH
from fourcorners.web.application.analysis_tree import MAX_NODES, Counts, TreeNode
from fourcorners.web.engine.services import MAX_LINES
from fourcorners.web.protocol.codec import example
from fourcorners.web.protocol.table_fields import Fields


class AnalysedGame(Request, frozen=True, kw_only=True):
    """Where an analysis begins: the start of a game, or any position of it."""

    game: GameId
    options: Options = {}
    position: Annotated[
        str,
        Meta(
            max_length=MAX_POSITION_LENGTH,
            description="A position as text, or what the seat to move knows of it; empty for the start.",
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

    lines: Annotated[int, Meta(ge=1, le=MAX_LINES, description="The number of best moves to find.")] = 3


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
    """What the engine has found so far. The response is a series of these, one JSON object per line of text, until the
    state is `done` or, with a sentence, `refused`. The engine stops when the client leaves.
    """

    state: Literal["running", "done", "refused"]
    sentence: str
    seat: Annotated[int, Meta(description="The seat to move, for which all values are.")]
    nodes: Annotated[int, Meta(description="The number of simulations so far.")]
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
        Literal["solved", "bounds", "refused"], Meta(description="`bounds` if the limits were reached first.")
    ]
    sentence: str
    detail: str = ""
    seat: int | None = None
    worth: int | None = None
    counts: Counts = "margin"
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
            description="The record of the analysed game, whose moves begin the main line; empty if there is none.",
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
    values: Annotated[bool, Meta(description="Whether the link also shows the exact values of the moves.")] = False


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
        Meta(max_length=MAX_MOVES + 1, description="The marks at the start and after each move, as in a record."),
    ] = []
    comment: Annotated[
        str, Meta(max_length=MAX_COMMENT_LENGTH, description="A comment on the position; an animation has none.")
    ] = ""
    values: Annotated[
        list[NotedValue],
        Meta(max_length=_MAX_VALUES, description="The values to write on the moves of the last position."),
    ] = []
    counts: Annotated[Literal["margin", "rest", "win"], Meta(description="What these numbers mean.")] = "margin"
    style: PictureStyle = PictureStyle()
