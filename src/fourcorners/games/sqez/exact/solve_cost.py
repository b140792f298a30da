"""Estimates of what it takes to solve a position of Sqez."""

from __future__ import annotations

import math

import numpy as np

from fourcorners.core import compiled_api
from fourcorners.core.bits import ZERO, popcount
from fourcorners.core.dispatch import Actions, State, States
from fourcorners.core.jit import kernel
from fourcorners.games.sqez import rules
from fourcorners.games.sqez.exact.live_rectangles import count_edges, find_live_rectangles

_REGION_COST = 10
"""With shared sides every node is a region, and takes about ten times as long as a conflict graph."""


def estimate_cost(s: State) -> float:
    """Estimate how many nodes it takes to solve a position, counted as small components; 0 if the game is over.

    A node that is a large component takes up to a hundred times as long. The formulas were fitted to random positions
    of 6 x 6 to 12 x 12 dots; most estimates are right within a factor of 10. The record is not changed.
    """
    states = np.array([s], rules.DTYPE)
    legal = int(compiled_api.legal(states, 0, np.zeros(rules.bound(s), np.int64)))
    if s.shared == 0:
        return 1e4 * (legal / 500) ** 6 if s.players == 2 else 1e3 * (legal / 107) ** 4.5
    if s.players > 2:
        drawn = sum(int(word).bit_count() for lines in (s.across, s.sides) for word in lines.tolist())
        free = sum(int(word).bit_count() for word in s.free.tolist())
        return float(10 ** (0.17 * (count_edges(s)[1] - drawn - 0.3 * free) - 1))
    if legal == 0:
        return 0.0
    counts = np.zeros(2, np.int64)
    _count_live(states, counts)
    live, undrawn = counts
    return float(_REGION_COST * 10 ** (0.044 * undrawn + 0.7 * math.log10(legal) + 0.6 * math.log10(live) - 0.6))


@kernel
def _count_live(states: States, out: Actions) -> None:
    """Write the number of live rectangles of `states[0]`, and of undrawn edges on their outlines."""
    live, n = find_live_rectangles(states[0])
    out[0], out[1] = n, 0
    for k in range(live.edges.shape[1]):
        edges = ZERO
        for i in range(n):
            edges |= live.edges[i, k]
        out[1] += popcount(edges)
