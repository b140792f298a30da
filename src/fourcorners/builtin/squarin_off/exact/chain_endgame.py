"""The value of positions of independent chains and loops alone, by dynamic programming instead of a search.

The party that opens a chain gives away its value T. The opponent may hand out r of it, and then does not have to open
the next one. Among chains with equal r it is best to open the one with the least T first: two positions that differ
only in the T of one chain differ in value by no more than the two T do. So the state is how many chains of each r are
left.
"""

import numpy as np
from numpy.typing import NDArray

from fourcorners.core.jit import jitable

NO_HANDOUT = 16000
"""In place of r: nothing can be handed out, the opponent captures all and moves on."""
_MAX_KINDS = 3
_MAX_STATES = 1 << 13


@jitable
def solve_chains(values: NDArray[np.int16], handouts: NDArray[np.int16], n: int) -> tuple[bool, int]:
    """Return whether n chains can be solved, and if so the margin of the party to move, which must open one.

    `values` are their T, `handouts` their r or NO_HANDOUT, by chain; n is at least 1, and entries from n on are
    ignored. Chains with more than three different r, or with too many states, cannot be solved here: the result is
    False and 0.
    """
    kinds = np.empty(_MAX_KINDS, np.int64)
    counts = np.zeros(_MAX_KINDS, np.int64)
    order = np.empty((_MAX_KINDS, n), np.int64)
    used = 0
    for i in range(n):
        kind = 0
        while kind < used and kinds[kind] != np.int64(handouts[i]):
            kind += 1
        if kind == _MAX_KINDS:
            return False, 0
        if kind == used:
            kinds[kind] = np.int64(handouts[i])
            used += 1
        # Insert the value in descending order: the chains that are left last come first.
        at = counts[kind]
        while at > 0 and order[kind, at - 1] < np.int64(values[i]):
            order[kind, at] = order[kind, at - 1]
            at -= 1
        order[kind, at] = np.int64(values[i])
        counts[kind] += 1
    states = (counts[0] + 1) * (counts[1] + 1) * (counts[2] + 1)
    if states > _MAX_STATES:
        return False, 0
    # The digits of a state, in mixed radix, are the numbers of chains left of each kind.
    margins = np.zeros(states, np.int64)
    for state in range(1, states):
        best = -NO_HANDOUT
        scale, rest = 1, state
        for kind in range(used):
            left = rest % (counts[kind] + 1)
            rest //= counts[kind] + 1
            if left > 0:
                later = margins[state - scale]
                total, r = order[kind, left - 1], kinds[kind]
                value = -(total + later) if r == NO_HANDOUT else -(total - r + abs(r + later))
                best = max(best, value)
            scale *= counts[kind] + 1
        margins[state] = best
    return True, margins[states - 1]
