"""What a player of Squarin' Off knows at first sight: take what is free, give nothing away, keep blockers for late."""

from __future__ import annotations

import numpy as np

from fourcorners.core.jit import jitable
from fourcorners.core.kernel import Actions, Priors, State, Weights
from fourcorners.games.squarin_off.rules import BLOCKED, BLOCKER, SIDES, beside

TAKES, SAFE, CUTS, GIVES, WASTES = 5.0, 0.0, -1.0, -2.0, -6.0
_SIDES_OF_A_LINK = 2  # a box of a chain


def prior(s: State, actions: Actions, n: int, weights: Weights, out: Priors) -> None:
    """Rank completing a box first, then safe edges, blockers on chains, giving boxes away, and other blockers.

    While there is a safe edge every blocker is a waste.
    """
    safe = False
    for i in range(n):
        if actions[i] >= BLOCKER:
            on_chain = np.int64(s.box[(actions[i] - BLOCKER) >> 2]) & SIDES >= _SIDES_OF_A_LINK
            out[i] = CUTS if on_chain and not safe else WASTES
            continue
        below, above = beside(s, actions[i])
        out[i] = _worth(s, below) + _worth(s, above)
        safe = safe or out[i] == SAFE


@jitable
def _worth(s: State, box: int) -> float:
    """Return what drawing one more side does for a box; one that is blocked or worth nothing leaves it alone."""
    byte = np.int64(s.box[box])
    if byte & BLOCKED != 0 or s.value[box] == 0:
        return SAFE
    sides = byte & SIDES
    return TAKES if sides == 3 else GIVES if sides == _SIDES_OF_A_LINK else SAFE
