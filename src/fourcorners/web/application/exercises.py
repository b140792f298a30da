"""Exercises: positions in which someone looks for the best move, and the pictures that show what comes of it.

Lessons, mistakes to repair and puzzles have the same answers, so that one script can show them. Nothing is stored here.
"""

from collections.abc import Sequence
from html import escape
from itertools import pairwise
from typing import Annotated, Literal

from msgspec import Meta

from fourcorners.core.game import Position
from fourcorners.core.narration import narrate
from fourcorners.core.scene import ScenePatch, diff_scenes
from fourcorners.study.html_report import render_sentence
from fourcorners.study.lessons.judge import State
from fourcorners.study.statements import Statement
from fourcorners.web.domain.sentences import capitalise, write_sentence
from fourcorners.web.protocol.board_picture import PICTURE_EXAMPLE, BoardPicture, build_board_picture
from fourcorners.web.protocol.codec import example
from fourcorners.web.protocol.table_fields import Fields

MAX_EXERCISE_MOVES = 60
_SHOWN_LINE = 12
_FOLLOWED_PLIES = 8
STATE_DESCRIPTION = (
    "`open` while the task goes on, or if there is none; `done` once it is solved; `wrong` after a legal move that "
    "does not solve it; `refused` after an illegal one."
)
Feedback = Annotated[str, Meta(description="The feedback as HTML; may be empty.")]
PATCHES_DESCRIPTION = "Patches that lead to the picture one ply at a time; the first one begins before the last move."


@example(
    state="done",
    proven=True,
    feedback="<strong>Proven:</strong> no move is better than a1b1.",
    events=["White drew a1–b1."],
    patches=[{"board": {"set": {"p-b2": {"class": "mark dark"}}}}],
    picture=PICTURE_EXAMPLE,
    best=["a1b1"],
    line=["a1b1", "c4d4"],
)
class ExerciseAnswer(Fields, frozen=True, kw_only=True):
    """What has come of a move in an exercise, or the position before it."""

    state: Annotated[Literal["open", "done", "wrong", "refused"], Meta(description=STATE_DESCRIPTION)]
    proven: Annotated[bool, Meta(description="Whether the judgement is proven; otherwise it is an estimate.")]
    feedback: Feedback
    events: Annotated[list[str], Meta(description="What was played after the move, in sentences.")]
    patches: Annotated[list[ScenePatch], Meta(description=PATCHES_DESCRIPTION)]
    picture: BoardPicture
    best: Annotated[list[str], Meta(description="Best moves, once the exercise is solved or given up.")]
    line: Annotated[list[str], Meta(description="The line behind the judgement, from the exercise's position on.")]


def open_exercise(position: Position) -> ExerciseAnswer:
    """Return the answer before any move: the picture as the seat to move sees it, and its moves."""
    return _answer("open", "", (position,), can_move=True)


def go_on(positions: Sequence[Position], feedback: str) -> ExerciseAnswer:
    """Return the answer to a good move after which another one is to be found. `positions` are those to show, from that
    before the move on; `feedback` is HTML.
    """
    return _answer("open", feedback, positions, can_move=True, proven=True)


def refuse_move(position: Position, clause: str) -> ExerciseAnswer:
    """Return the answer to an illegal move; the clause says why."""
    return _answer("refused", escape(write_sentence(clause)), (position,), can_move=True)


def accept_move(
    position: Position,
    line: Sequence[str],
    feedback: str,
    best: Sequence[str],
    *,
    proven: bool,
    names: Sequence[str] | None = None,
) -> ExerciseAnswer:
    """Return the answer to a good move, the first one of a line that is shown; `feedback` is HTML. What follows is told
    with the players' `names`, by seat, or else with those of the seats.
    """
    return _answer("done", feedback, _play_line(position, line), proven=proven, best=best, line=line, names=names)


def reject_move(
    position: Position, line: Sequence[str], feedback: str, *, proven: bool, names: Sequence[str] | None = None
) -> ExerciseAnswer:
    """Return the answer to a move that is not good enough, like `accept_move`."""
    return _answer("wrong", feedback, _play_line(position, line), proven=proven, line=line, names=names)


def _play_line(position: Position, line: Sequence[str]) -> tuple[Position, ...]:
    """Return a position and those after the first moves of a line, which must be legal."""
    positions = [position]
    for move in line[: 1 + _FOLLOWED_PLIES]:
        positions.append(positions[-1].play(move))
    return tuple(positions)


def _answer(
    state: State,
    feedback: str,
    positions: Sequence[Position],
    *,
    can_move: bool = False,
    proven: bool = False,
    best: Sequence[str] = (),
    line: Sequence[str] = (),
    names: Sequence[str] | None = None,
) -> ExerciseAnswer:
    """Return an answer with the pictures of positions, all as the seat to move in the first one sees them."""
    seat = positions[0].seat
    views = [position.view(seat) for position in positions]
    scenes = [view.scene() for view in views]
    return ExerciseAnswer(
        state=state,
        proven=proven,
        feedback=feedback,
        events=list_events(positions[1:], seat, names),
        patches=[diff_scenes(before, after) or {} for before, after in pairwise(scenes)],
        picture=build_board_picture(views[-1], scenes[-1], can_move=can_move),
        best=list(best),
        line=list(line),
    )


def list_events(positions: Sequence[Position], learner: int | None, names: Sequence[str] | None = None) -> list[str]:
    """Say in sentences what was played between positions, with the players' names, by default those of the seats."""
    sentences = []
    for before, after in pairwise(positions):
        name = (names or before.seat_names)[before.seat or 0]
        words = narrate(before, after, learner).words
        sentences.append(f"{capitalise(name)} {words}.")
    return sentences


def render_statements(statements: Sequence[Statement]) -> str:
    """Return statements as HTML inside a paragraph, each with its line."""
    parts = []
    for statement in statements:
        line = statement.line[:_SHOWN_LINE]
        more = ", …" if len(statement.line) > _SHOWN_LINE else ""
        shown = (
            f' <span class="line">Line: <code>{escape(", ".join(line))}{more}</code></span>' if len(line) > 1 else ""
        )
        parts.append(f"{render_sentence(statement)}{shown}")
    return " ".join(parts)
