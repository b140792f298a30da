"""Hints: reasons for good moves, in words whose numbers are claims that play can verify."""

import re
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import NamedTuple, Protocol

import numpy as np

from fourcorners.core import compiled_api, dispatch
from fourcorners.core.arrays import State, States
from fourcorners.core.bits import new_rng
from fourcorners.core.game import View

Quantities = Mapping[str, Callable[[State], int]]
"""The quantities that a game can count in a position besides points and legal actions, by name."""
NO_QUANTITIES: Quantities = MappingProxyType({})

_NUMBER = re.compile(r"(?<![\w,-])-?\d+(?![\w,]*\w)")  # but not the digits of coordinates such as a1 or 2,1


class Claim(NamedTuple):
    """The claim that a line of play results in a number.

    `line` are actions from the position of the hint on. The number is the points that `seat` gains by them, or the
    game's count of a `quantity` afterwards, or, without either, the number of legal actions afterwards.
    """

    number: int
    line: tuple[int, ...]
    seat: int | None = None
    quantity: str = ""


class Hint(NamedTuple):
    """The effect of a move: a clause to follow the move, without a full stop, and the claims of its numbers.

    `theme` names the underlying knowledge, such as "forks": lower-case letters and hyphens, perhaps empty. A hint
    `is_merit` if it speaks for the move although no claim says that the mover gains points; reviews do not use merits
    to explain mistakes. It `is_fault` if its words blame the move; reviews do not use faults to explain better moves.
    It `is_vague` if alone it speaks neither for nor against the move, so it cannot explain an error.
    """

    text: str
    claims: tuple[Claim, ...] = ()
    theme: str = ""
    is_merit: bool = False
    is_fault: bool = False
    is_vague: bool = False


class Hints(Protocol):
    """`hints.py`: reasons for good moves."""

    def hint(self, view: View, action: int) -> Hint:
        """Say why a legal action of the seat to move is good, in words with proven numbers."""


def find_unproven(hint: Hint, states: States, quantities: Quantities = NO_QUANTITIES) -> list[str]:
    """List the faults of a hint for `states[0]`: numbers without a claim, and false claims.

    Points that a seat loses may stand without their sign: "costs blue 1 point".

    `states` is (1,) or longer; only its first record counts. A claim is false if its line is illegal, or if its
    quantity is not among the game's `quantities`.
    """
    numbers = {int(text) for text in _NUMBER.findall(hint.text)}
    lost = {-claim.number for claim in hint.claims if claim.seat is not None and claim.number < 0}
    missing = sorted(numbers - {claim.number for claim in hint.claims} - lost)
    return [
        *(f"no claim has the number {number}" for number in missing),
        *(f"{claim} is false" for claim in hint.claims if evaluate_claim(claim, states, quantities) != claim.number),
    ]


def evaluate_claim(claim: Claim, states: States, quantities: Quantities = NO_QUANTITIES) -> int | None:
    """Play a claim's line on a copy of `states[0]` and return the true number; None if the line or quantity is invalid.

    Hidden information is dealt first: the line is played in one possible world, always the same.
    """
    work = np.array(states[:1])
    compiled_api.deal(work, 0, new_rng(0))
    max_seats = dispatch.require_function(dispatch.view_record(work), "MAX_SEATS")  # a constant of the game's rules
    before = np.zeros(max_seats, np.int64)
    over = compiled_api.status(work, 0, before) < 0
    after = before.copy()
    for action in claim.line:
        if over or action not in compiled_api.list_legal(work, 0):
            return None
        compiled_api.play(work, 0, action)
        over = compiled_api.status(work, 0, after) < 0
    if claim.quantity:
        count = quantities.get(claim.quantity)
        return None if count is None else int(count(dispatch.view_record(work)))
    if claim.seat is not None:
        return int(after[claim.seat] - before[claim.seat])
    return 0 if over else len(compiled_api.list_legal(work, 0))
