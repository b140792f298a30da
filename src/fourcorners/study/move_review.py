"""The review of one move."""

from dataclasses import dataclass
from enum import StrEnum

from fourcorners.study.evaluation import Evaluation, Loss
from fourcorners.study.labels import Label
from fourcorners.study.statements import Statement


class Phase(StrEnum):
    """One third of a game's plies."""

    OPENING = "opening"
    MIDDLE = "middle game"
    ENDING = "ending"


def find_phase(ply: int, count: int) -> Phase:
    """Return the phase of a ply, counted from 0, in a game of `count` plies."""
    return tuple(Phase)[min(2, 3 * ply // count)]


@dataclass(frozen=True)
class MoveReview:
    """The review of one move, from its player's view; numbers are for that seat.

    `ply` counts from 0. `evaluation` is for the position before the move, `loss` is the loss against the best move, and
    `best_moves` are some of the best moves known. Each is None or empty until it is found. `statements` explain errors.
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
