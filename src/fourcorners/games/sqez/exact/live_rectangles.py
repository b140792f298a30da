"""The rectangles of a field that can still be drawn, now or (with shared sides) perhaps later, as rows of bits."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fourcorners.core.bits import ZERO, bit
from fourcorners.core.dispatch import State
from fourcorners.core.jit import jitable
from fourcorners.games.sqez import rules
from fourcorners.games.sqez.exact import conflict_graph
from fourcorners.games.sqez.exact.conflict_graph import put
from fourcorners.games.sqez.rules import span

Masks = NDArray[np.uint64]
"""A row of bits for each rectangle, in words."""


class Alive(NamedTuple):
    """The rectangles that are alive, and memory to work in."""

    corners: NDArray[np.int64]
    edges: Masks  # undrawn ones of the outline
    rims: Masks  # free dots on the outline
    inner: Masks  # free dots inside
    needs: Masks  # free dots inside of which it needs one, if that is in doubt after some move
    kept: Masks  # free dots inside that nothing can take after that move
    union: Masks  # edges, rims and needs of a part
    tangle: conflict_graph.Tangle
    near: Masks  # which have an undrawn edge in common, as bits; without rows as long as that is not found


@jitable
def edge_bits(s: State) -> tuple[int, int]:
    """Return the number of edges to the right, and of all edges."""
    cols, rows = np.int64(s.cols), np.int64(s.rows)
    return rows * (cols - 1), rows * (cols - 1) + (rows - 1) * cols


@jitable
def _fill(s: State, alive: Alive, i: int) -> None:
    """Write of a rectangle its undrawn edges, the free dots on its outline, and those inside."""
    x1, y1, x2, y2 = alive.corners[i, 0], alive.corners[i, 1], alive.corners[i, 2], alive.corners[i, 3]
    cols, ups = np.int64(s.cols), edge_bits(s)[0]
    edges, rim, inside = alive.edges[i], alive.rims[i], alive.inner[i]
    edges[:], rim[:], inside[:] = ZERO, ZERO, ZERO
    for y in (y1, y2):
        put(edges, 0, y * (cols - 1), ~np.uint64(s.across[y]) & span(x1, x2))
    for y in range(y1, y2):
        put(edges, 0, ups + y * cols, ~np.uint64(s.up[y]) & (bit(x1) | bit(x2)))
    if s.any_dot != 0:
        return
    for y in range(y1, y2 + 1):
        free = np.uint64(s.free[y])
        outline = span(x1, x2 + 1) if y in (y1, y2) else bit(x1) | bit(x2)
        put(rim, 0, y * cols, free & outline)
        put(inside, 0, y * cols, free & span(x1, x2 + 1) & ~outline)


@jitable
def _has_bits(masks: Masks, i: int) -> bool:
    for word in masks[i]:
        if word != ZERO:
            return True
    return False


@jitable
def has_more(masks: Masks, i: int, others: Masks, p: int) -> bool:
    """Tell whether a row has bits that a row of others has not."""
    for k in range(masks.shape[1]):
        if masks[i, k] & ~others[p, k] != ZERO:
            return True
    return False


@jitable
def _list_legal(s: State, alive: Alive) -> int:
    actions = np.empty(len(alive.corners), np.int64)
    n = rules.legal(s, actions)
    for i in range(n):
        x1, y1, x2, y2 = rules.unpack(actions[i])
        alive.corners[i, 0], alive.corners[i, 1], alive.corners[i, 2], alive.corners[i, 3] = x1, y1, x2, y2
        _fill(s, alive, i)
    return n


@jitable
def _list_undrawn(s: State, alive: Alive) -> int:
    """List, for shared sides, also what is not legal now: what others draw may close the gaps between its new edges."""
    n = 0
    for y1 in range(np.int64(s.rows) - 2):
        for y2 in range(y1 + 2, np.int64(s.rows)):
            for x1 in range(np.int64(s.cols) - 2):
                for x2 in range(x1 + 2, np.int64(s.cols)):
                    alive.corners[n, 0], alive.corners[n, 1], alive.corners[n, 2], alive.corners[n, 3] = x1, y1, x2, y2
                    _fill(s, alive, n)
                    if _has_bits(alive.edges, n) and (s.any_dot != 0 or _has_bits(alive.inner, n)):
                        n += 1
    return n


@jitable
def _share_edges(edges: Masks, i: int, j: int) -> bool:
    for k in range(edges.shape[1]):
        if edges[i, k] & edges[j, k] != ZERO:
            return True
    return False


@jitable
def find_near(alive: Alive, n: int) -> Alive:
    """Add the table of all pairs with common edges."""
    near = np.zeros((n, words_of(n)), np.uint64)
    for i in range(n):
        near[i, i >> 6] |= bit(i & 63)
        for j in range(i):
            if _share_edges(alive.edges, i, j):
                near[i, j >> 6] |= bit(j & 63)
                near[j, i >> 6] |= bit(i & 63)
    return Alive(
        alive.corners, alive.edges, alive.rims, alive.inner, alive.needs, alive.kept, alive.union, alive.tangle, near
    )


@jitable
def are_near(alive: Alive, i: int, j: int) -> bool:
    """Tell whether two rectangles have an undrawn edge in common."""
    if len(alive.near) > 0:
        return alive.near[i, j >> 6] & bit(j & 63) != ZERO
    return _share_edges(alive.edges, i, j)


@jitable
def words_of(bits: int) -> int:
    """Return how many words so many bits need."""
    return (bits + 63) >> 6


@jitable
def find_alive(s: State) -> tuple[Alive, int]:
    """Return the rectangles of a field that are alive, and how many there are."""
    n = rules.bound(s)
    lines, dots = words_of(edge_bits(s)[1]), words_of(np.int64(s.cols) * np.int64(s.rows))
    alive = Alive(
        np.empty((n, 4), np.int64),
        np.empty((n, lines), np.uint64),
        np.empty((n, dots), np.uint64),
        np.empty((n, dots), np.uint64),
        np.zeros((n, dots), np.uint64),
        np.zeros((n, dots), np.uint64),
        np.empty((3, max(lines, dots)), np.uint64),
        np.empty((conflict_graph.ROWS, conflict_graph.ROOM), np.uint64),
        np.empty((0, 0), np.uint64),
    )
    return alive, _list_legal(s, alive) if s.shared == 0 else _list_undrawn(s, alive)
