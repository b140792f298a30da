"""The judgement of moves tried in a puzzle: right, wrong, refused, or open."""

from collections.abc import Sequence
from typing import Literal, NamedTuple

from fourcorners.core.game import Position
from fourcorners.study.puzzles.format import Decision, Puzzle

State = Literal["open", "right", "wrong", "refused"]


class Verdict(NamedTuple):
    """The outcome of the moves tried in a puzzle.

    "open" means that a move has to be found: the first one, or the next one after best moves and the best defence.
    "refused" means that the move is illegal, and `feedback` gives the reason as a clause. "right" means that the last
    move was found. `positions` are to be shown one after the other, beginning with the one before the last move; the
    last stays.

    `decision` is the open one, or the one of the last move: a "wrong" move provably loses at least the margin
    `decision.value - decision.next_value`. `found` counts the best moves so far. `line` is best play from the decision
    on, as far as the puzzle knows it; after a "right" move it begins with that move.
    """

    state: State
    feedback: str
    positions: tuple[Position, ...]
    decision: Decision
    found: int = 0
    line: tuple[str, ...] = ()


def judge_moves(puzzle: Puzzle, moves: Sequence[str]) -> Verdict:
    """Judge the solver's moves, between which the puzzle plays the best defence; moves after the end are ignored.

    This needs no search. Raise NotationError if the puzzle's position is invalid.
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
    """Return best play from a decision on, beginning with a best move, as far as the puzzle knows it."""
    played, end = len(decision.after), (*decision.after, move)
    if puzzle.line[: len(end)] == end:
        return puzzle.line[played:]
    while (following := puzzle.find_next(decision, end[-1])) is not None:
        decision, end = following, (*following.after, following.best[0])
    return end[played:]
