"""Hints: why a move is good, in words in which every number is a claim that can be verified by play."""

import re
from typing import NamedTuple

import numpy as np

from fourcorners.core import compiled_api, dispatch
from fourcorners.core.bits import new_rng
from fourcorners.core.dispatch import States

_NUMBER = re.compile(r"(?<![\w,-])-?\d+(?![\w,]*\w)")  # but not the digits of coordinates such as a1 or 2,1


class Claim(NamedTuple):
    """The claim that a line of play results in a number.

    `line` are actions from the position of the hint on. The number is the points that `seat` gains by them or, if
    `seat` is None, the number of legal actions afterwards.
    """

    number: int
    line: tuple[int, ...]
    seat: int | None = None


class Hint(NamedTuple):
    """Why a move is good: a clause to follow the move, without a full stop, and what its numbers claim."""

    text: str
    claims: tuple[Claim, ...] = ()


def find_unproven(hint: Hint, states: States) -> list[str]:
    """List what is wrong with a hint for `states[0]`: numbers without a claim, and false claims; empty if nothing.

    `states` is (1,) or longer: only its first record counts. A claim whose line is illegal is false.
    """
    numbers = {int(text) for text in _NUMBER.findall(hint.text)}
    missing = sorted(numbers - {claim.number for claim in hint.claims})
    return [
        *(f"no claim has the number {number}" for number in missing),
        *(f"{claim} is false" for claim in hint.claims if _evaluate_claim(claim, states) != claim.number),
    ]


def _evaluate_claim(claim: Claim, states: States) -> int | None:
    """Play a claim's line on a copy of `states[0]` and return the true number; None if the line is illegal. What is
    hidden is dealt first: the line is played in one possible world, always the same.
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
    if claim.seat is not None:
        return int(after[claim.seat] - before[claim.seat])
    return 0 if over else len(compiled_api.list_legal(work, 0))
