"""What a player of Sqez sees without looking ahead: a last move, and an answer that is one."""

from __future__ import annotations

import numpy as np

from fourcorners.core.bits import Rng
from fourcorners.core.dispatch import State, Weights
from fourcorners.core.jit import jitable
from fourcorners.games.sqez.make_unmake import last_move, safe_move
from fourcorners.games.sqez.rules import pick

LAST, ANSWER = 0, 1
"""What the weights are: 1 for who sees a last move; the most rectangles to draw with which answers are looked at."""


@jitable
def rollout(s: State, weights: Weights, rng: Rng) -> int:
    """Draw any rectangle, but a better one where that is seen."""
    if weights[LAST] > 0.0:
        last = last_move(s, rng)
        if last >= 0:
            return last
    if weights[ANSWER] > 0.0:
        safe = safe_move(s, np.int64(weights[ANSWER]), rng)
        if safe >= 0:
            return safe
    return pick(s, rng)
