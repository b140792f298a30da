"""What a review says about one move."""

from dataclasses import dataclass
from enum import StrEnum

from fourcorners.study.evaluation import Evaluation, Loss
from fourcorners.study.labels import Label
from fourcorners.study.statements import Statement


class Phase(StrEnum):
    """A third of a game's plies."""

    OPENING = "opening"
    MIDDLE = "middle game"
    ENDING = "ending"


def find_phase(ply: int, count: int) -> Phase:
    """Return the phase of a ply, counted from 0, in a game of `count` plies."""
    return tuple(Phase)[min(2, 3 * ply // count)]


@dataclass(frozen=True)
class MoveReview:
    """One move, as its player saw the position before it; numbers are that seat's.

    `ply` counts from 0. `evaluation` is of the position before the move, `loss` what the move lost compared with the
    best one, and `best_moves` are some of the best moves known. Each is None, or empty, until it is found.
    `statements` explain errors.
    """

    ply: int
    seat: int
    move: str
    phase: Phase
    evaluation: Evaluation | None
    loss: Loss | None
    label: Label | None
    best_moves: tuple[str, ...] = ()
    statements: tuple[Statement, ...] = ()
