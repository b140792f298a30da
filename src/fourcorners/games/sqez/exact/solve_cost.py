"""How much it takes to solve a position of Sqez."""

from __future__ import annotations

import math

import numpy as np

from fourcorners.core import compiled_api
from fourcorners.core.bits import ZERO, popcount
from fourcorners.core.dispatch import Actions, State, States
from fourcorners.core.jit import kernel
from fourcorners.games.sqez import rules
from fourcorners.games.sqez.exact.live_rectangles import edge_bits, find_alive

_SLOW = 10
"""A node with shared sides is a patch, and takes about so many times as long as a tangle."""


def effort(s: State) -> float:
    """Estimate how many nodes of small parts the solvers could search while they solve a position.

    A node of a large part takes up to a hundred times as long. The formulas were fitted to random positions of 6 x 6 to
    12 x 12 dots; most are right within a factor of 10.
    """
    states = np.array([s], rules.DTYPE)
    legal = int(compiled_api.legal(states, 0, np.zeros(rules.bound(s), np.int64)))
    if s.shared == 0:
        return 1e4 * (legal / 500) ** 6 if s.players == 2 else 1e3 * (legal / 107) ** 4.5
    if s.players > 2:
        drawn = sum(int(word).bit_count() for lines in (s.across, s.sides) for word in lines.tolist())
        free = sum(int(word).bit_count() for word in s.free.tolist())
        return float(10 ** (0.17 * (edge_bits(s)[1] - drawn - 0.3 * free) - 1))
    if legal == 0:
        return 0.0
    found = np.zeros(2, np.int64)
    _count(states, found)
    return float(_SLOW * 10 ** (0.044 * found[1] + 0.7 * math.log10(legal) + 0.6 * math.log10(found[0]) - 0.6))


@kernel
def _count(states: States, out: Actions) -> None:
    """Write how many rectangles are alive, and how many undrawn edges they have together."""
    alive, n = find_alive(states[0])
    out[0], out[1] = n, 0
    for k in range(alive.edges.shape[1]):
        some = ZERO
        for i in range(n):
            some |= alive.edges[i, k]
        out[1] += popcount(some)
