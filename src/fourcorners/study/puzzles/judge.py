"""What the moves that someone tries in a puzzle mean: right, wrong, refused, or none yet."""

from collections.abc import Sequence
from typing import Literal, NamedTuple

from fourcorners.core.position import Position
from fourcorners.study.puzzles.format import Puzzle

State = Literal["open", "right", "wrong", "refused"]


class Verdict(NamedTuple):
    """What has come of the moves.

    "open" means that there is none yet; one that is "refused" is illegal, and `feedback` says why as a clause.
    `positions` are those to show one after the other; the last is the one to stay. After a move that is "right", `line`
    is how best play goes on, as far as the puzzle knows. `least_loss` is the margin that a move that is "wrong" loses
    at least, by proof.
    """

    state: State
    feedback: str
    positions: tuple[Position, ...]
    line: tuple[str, ...] = ()
    least_loss: int = 0


def judge_move(puzzle: Puzzle, moves: Sequence[str]) -> Verdict:
    """Judge the first of the moves, which decides; the others do not count. Nothing is solved.

    Raise NotationError if the puzzle's position is wrong.
    """
    start = puzzle.position
    if not moves:
        return Verdict("open", "", (start,))
    move = moves[0]
    reason = start.why(move)
    if reason is not None:
        return Verdict("refused", reason.sentence, (start,))
    after = start.play(move)
    if move not in puzzle.best:
        return Verdict("wrong", "", (start, after), least_loss=puzzle.value - puzzle.next_value)
    return Verdict("right", "", (start, after), puzzle.line[1:] if move == puzzle.line[0] else ())
