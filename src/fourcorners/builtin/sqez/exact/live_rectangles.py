"""Live rectangles: those that can still be drawn, now or (with shared sides) perhaps later, as rows of bits."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fourcorners.builtin.sqez import rules
from fourcorners.builtin.sqez.exact import conflict_graph
from fourcorners.builtin.sqez.exact.bit_fields import put_bits
from fourcorners.builtin.sqez.rules import bit_range
from fourcorners.core.arrays import State
from fourcorners.core.bits import ZERO, bit
from fourcorners.core.jit import jitable

Masks = NDArray[np.uint64]
"""A set of edges, dots or rectangles in each row, as bits of as many words as they need."""

UNION_EDGES, UNION_OUTLINE_DOTS, UNION_NEEDS = range(3)
"""Rows of `LiveRectangles.union`."""


class LiveRectangles(NamedTuple):
    """The live rectangles of a field, a row for each, and memory to work in.

    Edges are numbered as in `count_edges`, dots row by row. With `enclose=any` no dot matters: their rows are empty.
    """

    corners: NDArray[np.int64]  # columns x1, y1, x2, y2
    edges: Masks  # undrawn edges of the outline
    outline_dots: Masks  # free dots on the outline
    inside_dots: Masks  # free dots inside
    needs: Masks  # the free dots inside of which it needs one; none if it cannot lose them all
    safe_dots: Masks  # free dots inside that no other live rectangle can cover
    union: Masks  # edges, outline dots and needs of one component
    graph: conflict_graph.Graph
    overlaps: Masks  # the rectangles with a common undrawn edge; without rows until `add_overlaps`


@jitable
def count_edges(s: State) -> tuple[int, int]:
    """Return the number of edges to the right, and of all edges, of a field.
    They are numbered from 0: first those to the right, row by row, then those upwards, row by row.
    """
    cols, rows = np.int64(s.cols), np.int64(s.rows)
    return rows * (cols - 1), rows * (cols - 1) + (rows - 1) * cols


@jitable
def count_words(bits: int) -> int:
    """Return the number of words that hold this number of bits."""
    return (bits + 63) >> 6


@jitable
def _write_masks(s: State, live: LiveRectangles, i: int) -> None:
    """Write row i of edges, outline dots and inside dots in `live`, given its corners; no dots with `enclose=any`."""
    x1, y1, x2, y2 = live.corners[i, 0], live.corners[i, 1], live.corners[i, 2], live.corners[i, 3]
    cols, first_up = np.int64(s.cols), count_edges(s)[0]
    edges, on_outline, inside = live.edges[i], live.outline_dots[i], live.inside_dots[i]
    edges[:], on_outline[:], inside[:] = ZERO, ZERO, ZERO
    for y in (y1, y2):
        put_bits(edges, 0, y * (cols - 1), ~np.uint64(s.across[y]) & bit_range(x1, x2))
    for y in range(y1, y2):
        put_bits(edges, 0, first_up + y * cols, ~np.uint64(s.up[y]) & (bit(x1) | bit(x2)))
    if s.any_dot != 0:
        return
    for y in range(y1, y2 + 1):
        free = np.uint64(s.free[y])
        outline = bit_range(x1, x2 + 1) if y in (y1, y2) else bit(x1) | bit(x2)
        put_bits(on_outline, 0, y * cols, free & outline)
        put_bits(inside, 0, y * cols, free & bit_range(x1, x2 + 1) & ~outline)


@jitable
def is_subset(masks: Masks, i: int, others: Masks, p: int) -> bool:
    """Return whether every bit of row i of `masks` is set in row p of `others`; rows of both have as many words."""
    for k in range(masks.shape[1]):
        if masks[i, k] & ~others[p, k] != ZERO:
            return False
    return True


@jitable
def _list_legal_rectangles(s: State, live: LiveRectangles) -> int:
    """Write corners, edges and dots of the legal rectangles into the rows of `live` from 0 on; return their number."""
    actions = np.empty(len(live.corners), np.int64)
    n = rules.legal(s, actions)
    for i in range(n):
        x1, y1, x2, y2 = rules.unpack(actions[i])
        live.corners[i, 0], live.corners[i, 1], live.corners[i, 2], live.corners[i, 3] = x1, y1, x2, y2
        _write_masks(s, live, i)
    return n


@jitable
def _list_potential_rectangles(s: State, live: LiveRectangles) -> int:
    """Write the rectangles that are or may become legal with shared sides into the rows of `live`; return their number.
    One whose new edges form several pieces becomes legal when other moves draw some of them. `over` is not looked at.
    """
    n = 0
    for y1 in range(np.int64(s.rows) - 2):
        for y2 in range(y1 + 2, np.int64(s.rows)):
            for x1 in range(np.int64(s.cols) - 2):
                for x2 in range(x1 + 2, np.int64(s.cols)):
                    live.corners[n, 0], live.corners[n, 1], live.corners[n, 2], live.corners[n, 3] = x1, y1, x2, y2
                    _write_masks(s, live, n)
                    if live.edges[n].any() and (s.any_dot != 0 or live.inside_dots[n].any()):
                        n += 1  # otherwise the next rectangle overwrites the row
    return n


@jitable
def _has_common_bits(masks: Masks, i: int, j: int) -> bool:
    """Return whether rows i and j of `masks` have a bit in common."""
    for k in range(masks.shape[1]):
        if masks[i, k] & masks[j, k] != ZERO:
            return True
    return False


@jitable
def add_overlaps(live: LiveRectangles, n: int) -> LiveRectangles:
    """Return the same n rectangles, sharing arrays, with a table `overlaps` that makes `has_common_edge` quicker."""
    overlaps = np.zeros((n, count_words(n)), np.uint64)
    for i in range(n):
        overlaps[i, i >> 6] |= bit(i & 63)
        for j in range(i):
            if _has_common_bits(live.edges, i, j):
                overlaps[i, j >> 6] |= bit(j & 63)
                overlaps[j, i >> 6] |= bit(i & 63)
    return LiveRectangles(*live[:-1], overlaps)  # the last field


@jitable
def has_common_edge(live: LiveRectangles, i: int, j: int) -> bool:
    """Return whether rectangles i and j have an undrawn edge in common; a rectangle has one with itself."""
    if len(live.overlaps) > 0:
        return live.overlaps[i, j >> 6] & bit(j & 63) != ZERO
    return _has_common_bits(live.edges, i, j)


@jitable
def find_live_rectangles(s: State) -> tuple[LiveRectangles, int]:
    """Return the live rectangles of a field, and their number n; the record is unchanged. Rows from n on are undefined.
    Corners, edges, outline dots and inside dots are filled in, `needs` and `safe_dots` are 0, `overlaps` has no rows;
    the rest is for the caller to fill. Only with own sides does it matter that a game is over: it has none then.
    """
    n = rules.bound(s)
    edge_words, dot_words = count_words(count_edges(s)[1]), count_words(np.int64(s.cols) * np.int64(s.rows))
    live = LiveRectangles(
        np.empty((n, 4), np.int64),
        np.empty((n, edge_words), np.uint64),
        np.empty((n, dot_words), np.uint64),
        np.empty((n, dot_words), np.uint64),
        np.zeros((n, dot_words), np.uint64),
        np.zeros((n, dot_words), np.uint64),
        np.empty((3, max(edge_words, dot_words)), np.uint64),
        np.empty((conflict_graph.ROWS, conflict_graph.ROOM), np.uint64),
        np.empty((0, 0), np.uint64),
    )
    return live, _list_legal_rectangles(s, live) if s.shared == 0 else _list_potential_rectangles(s, live)
