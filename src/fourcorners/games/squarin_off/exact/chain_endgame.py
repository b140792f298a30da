"""Chains and loops that stand alone, when nothing else is left: a closed calculation instead of a search.

A gift is worth T to whoever gets it; he may leave r of it and have the other move first in the rest (see `exact.py`).
Of gifts with the same r the one with the least T is always handed out first: the values of the two rests differ by no
more than the two T do. So only how many of each r are gone matters.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fourcorners.core.jit import jitable

ALL = 16000
"""In place of r: nothing can be left over, the opponent takes all and moves on."""
_MOST_KINDS = 3
_MOST_STATES = 1 << 13


@jitable
def worth_of_gifts(gift: NDArray[np.int16], back: NDArray[np.int16], n: int) -> tuple[bool, int]:
    """Return whether there are few enough kinds of r to count, and if so the value for the party to move."""
    kinds = np.empty(_MOST_KINDS, np.int64)
    counts = np.zeros(_MOST_KINDS, np.int64)
    order = np.empty((_MOST_KINDS, n), np.int64)
    used = 0
    for i in range(n):
        kind = 0
        while kind < used and kinds[kind] != np.int64(back[i]):
            kind += 1
        if kind == _MOST_KINDS:
            return False, 0
        if kind == used:
            kinds[kind] = np.int64(back[i])
            used += 1
        # Kept with the dearest first: what is left over last.
        at = counts[kind]
        while at > 0 and order[kind, at - 1] < np.int64(gift[i]):
            order[kind, at] = order[kind, at - 1]
            at -= 1
        order[kind, at] = np.int64(gift[i])
        counts[kind] += 1
    one, two = counts[0] + 1, counts[1] + 1
    states = one * two * (counts[2] + 1)
    if states > _MOST_STATES:
        return False, 0
    worth = np.zeros(states, np.int64)
    for state in range(1, states):
        best = -ALL
        scale, rest = 1, state
        for kind in range(used):
            left = rest % (counts[kind] + 1)
            rest //= counts[kind] + 1
            if left > 0:
                after = worth[state - scale]
                total, r = order[kind, left - 1], kinds[kind]
                value = -(total + after) if r == ALL else -(total - r + abs(r + after))
                best = max(best, value)
            scale *= counts[kind] + 1
        worth[state] = best
    return True, worth[states - 1]
