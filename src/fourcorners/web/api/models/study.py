"""The requests and answers about lessons, reviews, puzzles and sets, and games that are typed in."""

from collections.abc import Sequence
from typing import Annotated, Any, Literal

from msgspec import Meta

from fourcorners.study.entry import MAX_LINE_LENGTH
from fourcorners.study.entry import MAX_MOVES as MAX_ENTERED_MOVES
from fourcorners.web.api.models.common import GameId, Move, Ply, Request
from fourcorners.web.application.exercises import MAX_EXERCISE_MOVES
from fourcorners.web.application.lessons import MAX_LESSON_MOVES, MAX_LESSONS, MAX_STEPS
from fourcorners.web.application.puzzle_sets import MAX_ITEMS
from fourcorners.web.protocol.codec import example
from fourcorners.web.protocol.table_fields import Fields
from fourcorners.web.store.puzzle_sets import MAX_PUPILS

ExerciseMoves = Annotated[
    list[Move],
    Meta(max_length=MAX_EXERCISE_MOVES, description="Only the first move counts; without one you get the position."),
]
PuzzleLine = Annotated[
    list[Move],
    Meta(
        max_length=MAX_EXERCISE_MOVES,
        description="Your moves so far, in order. Moves after a wrong one, or after the last one to find, do not "
        "count. Without moves you get the position.",
    ),
]
PupilName = Annotated[str, Meta(max_length=400)]
_ADMITS_DESCRIPTION = "Whose answers count: `all` who have the link, only the names already `listed`, or `none`."
Key = Annotated[
    str,
    Meta(
        max_length=100,
        description="The key of the owner’s link; not needed for a set that you made with this API key.",
    ),
]


@example(game="a-game", lesson="rules", step=0, moves=["c4"])
class LessonMoves(Request, frozen=True, kw_only=True):
    """A learner's moves in a step of a lesson; the server does not remember them."""

    game: GameId
    lesson: Annotated[str, Meta(max_length=60, description="The id of a lesson, the last part of its page's address.")]
    step: Annotated[int, Meta(ge=0, lt=MAX_STEPS, description="The step, counted from 0.")]
    moves: Annotated[
        list[Move], Meta(max_length=MAX_LESSON_MOVES, description="The learner's own moves since the step began.")
    ] = []


@example(lessons={"a-game/rules": 3})
class LessonSteps(Request, frozen=True, kw_only=True):
    """A learner's progress in lessons."""

    lessons: Annotated[
        dict[Annotated[str, Meta(max_length=128)], Annotated[int, Meta(ge=0, le=MAX_STEPS)]],
        Meta(
            max_length=MAX_LESSONS,
            description="The number of steps done by lesson, as GAME/LESSON. Unknown lessons are ignored.",
        ),
    ]


@example(lessons={"a-game/rules": 3, "a-game/chains": 1})
class LessonProgress(Fields, frozen=True, kw_only=True):
    """A learner's progress in all lessons, as the server knows it."""

    lessons: Annotated[
        dict[str, int] | None,
        Meta(description="The number of steps done by lesson; null without an identity."),
    ]


@example(ply=11, moves=["c4d4"])
class AttemptMoves(Request, frozen=True, kw_only=True):
    """A move tried instead of one of a reviewed game; the server does not remember it."""

    ply: Ply
    moves: ExerciseMoves = []
    show: Annotated[bool, Meta(description="Whether to show the best move instead.")] = False


@example(ply=11, move="c4d4")
class OtherMove(Request, frozen=True, kw_only=True):
    """An alternative to a move of a reviewed game."""

    ply: Ply
    move: Annotated[str, Meta(min_length=1, max_length=100)]


@example(game="a-game", puzzle="0123abcd", moves=["c4"])
class PuzzleMoves(Request, frozen=True, kw_only=True):
    """The moves in a puzzle, without those with which the server defends."""

    game: GameId
    puzzle: Annotated[str, Meta(max_length=32, description="The id of a puzzle, the last part of its page's address.")]
    moves: PuzzleLine = []
    show: Annotated[bool, Meta(description="Whether to show the next move instead; the puzzle is then not solved.")] = (
        False
    )
    helped: Annotated[
        bool, Meta(description="Whether you had help, such as a hint; the puzzle then counts as not solved.")
    ] = False
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
    pupils: Annotated[Sequence[str], Meta(description="The names of the pupils who have answered.")]


_OptionName = Annotated[str, Meta(max_length=40)]


@example(game="a-game", options={"size": 6}, moves=["b2", "c3"], names=["Ada", "Ben"], date="2026-11-23", deck=None)
class TypedGame(Request, frozen=True, kw_only=True):
    """A game played on paper, as typed so far; the server does not remember it."""

    game: GameId
    options: Annotated[dict[_OptionName, Any], Meta(max_length=40)] = {}
    moves: Annotated[
        list[Annotated[str, Meta(max_length=MAX_LINE_LENGTH)]],
        Meta(max_length=MAX_ENTERED_MOVES, description="All moves; the last one may be `resign`."),
    ] = []
    typed: Annotated[
        Annotated[int, Meta(ge=0, lt=MAX_ENTERED_MOVES)] | None,
        Meta(
            description="The index of the item of `moves` that is a typed line, which may have several moves; or null."
        ),
    ] = None
    names: Annotated[
        list[Annotated[str, Meta(max_length=60)]] | None, Meta(description="The players' names, by seat.")
    ] = None
    date: Annotated[str, Meta(max_length=10, description="Such as 2026-11-23; empty if unknown.")] = ""
    deck: Annotated[
        list[Annotated[str, Meta(max_length=20)]] | None,
        Meta(description="The tiles in drawing order, for games with a hidden deck."),
    ] = None


@example(state="running", plies=24, judged=9, errors=1, sentence="", compiled=1.0, ahead=0, review=None)
class ReviewAnswer(Fields, frozen=True, kw_only=True):
    """The review of a finished game; anyone with the table's id may request and read it."""

    state: Annotated[
        Literal["none", "running", "finished", "failed"],
        Meta(description="A review that no one asks about for a minute stops, and has then failed."),
    ]
    plies: Annotated[int, Meta(description="The number of moves.")]
    judged: Annotated[int, Meta(description="The number of moves judged.")]
    errors: Annotated[int, Meta(description="The number of errors found so far.")]
    sentence: Annotated[str, Meta(description="Why the review failed, or what it withholds; otherwise empty.")]
    compiled: Annotated[
        float, Meta(description="The share of the game that is compiled, 0 to 1; the review begins at 1.")
    ]
    ahead: Annotated[int, Meta(description="The maximum number of reviews that come first.")]
    review: Annotated[
        dict[str, Any] | None,
        Meta(description="The findings so far, as JSON in the format that the field `schema` names."),
    ]


@example(sentence="c4d4 loses 2 points.", html="", move={"ply": 11, "move": "c4d4", "label": "mistake"})
class OtherMoveAnswer(Fields, frozen=True, kw_only=True):
    """What a review says about another move."""

    sentence: Annotated[str, Meta(description="What the move loses.")]
    html: Annotated[str, Meta(description="Why, as HTML; empty if nothing is known.")]
    move: Annotated[dict[str, Any], Meta(description="The move in the form of the moves of a review.")]
