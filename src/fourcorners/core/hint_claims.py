"""Hints: why a move is good, in words whose every number can be checked by playing on."""

from __future__ import annotations

import re
from typing import NamedTuple

import numpy as np

from fourcorners.core import compiled_api
from fourcorners.core.bits import new_rng
from fourcorners.core.dispatch import States

_NUMBER = re.compile(r"(?<![\w,-])-?\d+(?![\w,]*\w)")


class Claim(NamedTuple):
    """That a number is what comes of a line: the points a seat gains by it, or how many legal actions there are then.

    `line` are actions from the position of the hint on; `seat` is None where actions are counted.
    """

    number: int
    line: tuple[int, ...]
    seat: int | None = None


class Hint(NamedTuple):
    """Why a move is good: a sentence that follows the move, without a full stop, and what its numbers claim."""

    text: str
    claims: tuple[Claim, ...] = ()


def find_unproven(hint: Hint, states: States) -> list[str]:
    """List what is wrong with a hint for the position in `states[0]`: numbers without a claim, claims that fail."""
    numbers = {int(text) for text in _NUMBER.findall(hint.text)}
    wrong = [f"{number} is not claimed" for number in sorted(numbers - {claim.number for claim in hint.claims})]
    return wrong + [f"{claim} does not hold" for claim in hint.claims if _outcome(claim, states) != claim.number]


def _outcome(claim: Claim, states: States) -> int | None:
    """Play a claim's line and return the number that comes of it; None if the line cannot be played."""
    work = np.array(states)
    compiled_api.deal(work, 0, new_rng(0))
    before, after = np.zeros(64, np.int64), np.zeros(64, np.int64)
    compiled_api.status(work, 0, before)
    for action in claim.line:
        legal = np.zeros(compiled_api.bound(work, 0), np.int64)
        if action not in legal[: compiled_api.legal(work, 0, legal)]:
            return None
        compiled_api.play(work, 0, action)
    over = compiled_api.status(work, 0, after) < 0
    if claim.seat is not None:
        return int(after[claim.seat] - before[claim.seat])
    return 0 if over else int(compiled_api.legal(work, 0, np.zeros(compiled_api.bound(work, 0), np.int64)))
