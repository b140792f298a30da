"""What the moves that someone tries in a puzzle mean: right, wrong, refused, or none yet."""

from collections.abc import Sequence
from typing import Literal, NamedTuple

from fourcorners.core.position import Position
from fourcorners.study.puzzles.format import Decision, Puzzle

State = Literal["open", "right", "wrong", "refused"]


class Verdict(NamedTuple):
    """What has come of the moves.

    "open" means that a move is to be found: the first one, or the next one after best moves and the best defence. One
    that is "refused" is illegal, and `feedback` says why as a clause. "right" means that the last move was found.
    `positions` are those to show one after the other, from that before the last move on; the last is the one to stay.

    `decision` is the one that is open, or in which the last move was made: a "wrong" one loses at least the margin
    `decision.value - decision.next_value`, by proof. `found` counts the best moves so far. `line` is best play from the
    decision on, as far as the puzzle knows; after a move that is "right", it begins with that move.
    """

    state: State
    feedback: str
    positions: tuple[Position, ...]
    decision: Decision
    found: int = 0
    line: tuple[str, ...] = ()


def judge_moves(puzzle: Puzzle, moves: Sequence[str]) -> Verdict:
    """Judge the solver's moves, between which the puzzle plays the best defence; those after the end do not count.

    Nothing is solved. Raise NotationError if the puzzle's position is wrong.
    """
    decision, position = puzzle.first, puzzle.position
    shown: tuple[Position, ...] = (position,)
    for found, move in enumerate(moves):
        reason = position.why(move)
        if reason is not None:
            return Verdict("refused", reason.sentence, (position,), decision, found)
        after = position.play(move)
        if move not in decision.best:
            return Verdict("wrong", "", (position, after), decision, found)
        following = puzzle.find_next(decision, move)
        if following is None:
            return Verdict("right", "", (position, after), decision, found + 1, find_line(puzzle, decision, move))
        shown = (position, after)
        for reply in following.after[len(decision.after) + 1 :]:
            shown += (shown[-1].play(reply),)
        decision, position = following, shown[-1]
    return Verdict("open", "", shown, decision, len(moves), find_line(puzzle, decision, decision.best[0]))


def find_line(puzzle: Puzzle, decision: Decision, move: str) -> tuple[str, ...]:
    """Return best play from a decision on, beginning with a best move, as far as the puzzle knows."""
    played, end = len(decision.after), (*decision.after, move)
    if puzzle.line[: len(end)] == end:
        return puzzle.line[played:]
    while (following := puzzle.find_next(decision, end[-1])) is not None:
        decision, end = following, (*following.after, following.best[0])
    return end[played:]
