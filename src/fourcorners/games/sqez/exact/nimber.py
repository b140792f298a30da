"""What exact play knows of Sqez: the independent parts of a position, see `core/parts.py`.

A rectangle is *alive* if it can still be drawn, now or (with shared sides) perhaps later. Two of them depend on each
other if they have an undrawn edge in common, or if the outline of one takes a free dot that the other may come to need.
A part is the rectangles that hang together so: a tangle where they are few and drawn whole, otherwise a patch.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fourcorners.core.bits import ONE, ZERO, bit, mix, popcount
from fourcorners.core.dispatch import State
from fourcorners.core.jit import jitable
from fourcorners.core.nimber_protocol import Ends, Words
from fourcorners.games.sqez import rules
from fourcorners.games.sqez.exact import conflict_graph, region
from fourcorners.games.sqez.exact.conflict_graph import get
from fourcorners.games.sqez.exact.live_rectangles import (
    Alive,
    Masks,
    are_near,
    edge_bits,
    find_alive,
    find_near,
    has_more,
    words_of,
)
from fourcorners.games.sqez.exact.solve_cost import effort
from fourcorners.games.sqez.options import MAX_SIDE

__all__ = ["effort", "options", "split"]

Order = NDArray[np.int64]

_LONGEST = max(region.LONGEST, conflict_graph.LONGEST)


@jitable
def _leave(s: State, alive: Alive, n: int, p: int, order: Order, key: NDArray[np.uint64]) -> int:
    """List the rectangles that are alive after one, p, was drawn, and write all that the rest depends on as bits."""
    key[:] = ZERO
    left = 0
    edges, rims, inner = alive.edges, alive.rims, alive.inner
    dots, lines = words_of(n), words_of(n) + rims.shape[1]
    for i in range(n):
        if s.shared == 0:
            if are_near(alive, i, p):
                continue
        elif not has_more(edges, i, edges, p):
            continue
        if s.any_dot == 0:
            if not has_more(inner, i, rims, p):
                continue
            for k in range(rims.shape[1]):
                key[dots + k] |= inner[i, k] & rims[p, k]
        if s.shared != 0:
            for k in range(edges.shape[1]):
                key[lines + k] |= edges[i, k] & edges[p, k]
        key[i >> 6] |= bit(i & 63)
        order[left] = i
        left += 1
    return left


@jitable
def _is_new(keys: Masks, codes: NDArray[np.uint64], last: int) -> bool:
    """Tell whether the last key differs from all before it."""
    code = ZERO
    for word in keys[last]:
        code = mix(code ^ word)
    codes[last] = code
    for one in range(last):
        if codes[one] == code and not (has_more(keys, one, keys, last) or has_more(keys, last, keys, one)):
            return False
    return True


@jitable
def _find_needs(alive: Alive, order: Order, n: int, p: int) -> None:
    """Write of those that are alive after p which free dots they may come to need, and which nothing can take."""
    rims, inner, needs, kept = alive.rims, alive.inner, alive.needs, alive.kept
    some = np.zeros(rims.shape[1], np.uint64)
    for at in range(n):
        for k in range(len(some)):
            some[k] |= rims[order[at], k]
    for at in range(n):
        i = order[at]
        safe = False
        for k in range(len(some)):
            free = inner[i, k] if p < 0 else inner[i, k] & ~rims[p, k]
            kept[i, k] = free & ~some[k]
            needs[i, k] = free
            if kept[i, k] != ZERO:
                safe = True
        if safe:
            for k in range(len(some)):
                needs[i, k] = ZERO


@jitable
def _touches(alive: Alive, i: int) -> bool:
    """Tell whether a rectangle depends on those of the union."""
    for k in range(alive.edges.shape[1]):
        if alive.edges[i, k] & alive.union[0, k] != ZERO:
            return True
    for k in range(alive.rims.shape[1]):
        if (alive.rims[i, k] & alive.union[2, k]) | (alive.needs[i, k] & alive.union[1, k]) != ZERO:
            return True
    return False


@jitable
def _gather(alive: Alive, order: Order, first: int, n: int, p: int) -> int:
    """Move to the front those that hang together with the first one; return their end, and their bits in the union."""
    edges, rims, needs, union = alive.edges, alive.rims, alive.needs, alive.union
    union[:] = ZERO
    fresh, end = first, first + 1
    while fresh < end:
        # All that were found since the last round are added before the others are compared.
        while fresh < end:
            i = order[fresh]
            for k in range(edges.shape[1]):
                union[0, k] |= edges[i, k] if p < 0 else edges[i, k] & ~edges[p, k]
            for k in range(rims.shape[1]):
                union[1, k] |= rims[i, k]
                union[2, k] |= needs[i, k]
            fresh += 1
        for at in range(end, n):
            i = order[at]
            if _touches(alive, i):
                order[at], order[end] = order[end], i
                end += 1
    return end


@jitable
def _write_tangles(alive: Alive, order: Order, n: int, out: Words, top: int) -> int:
    """Write rectangles as tangles; return where they end, -1 if they are too many."""
    t, rims, needs = alive.tangle, alive.rims, alive.needs
    for i in range(n):
        t[conflict_graph.KILLS, i], t[conflict_graph.WIPES, i], t[conflict_graph.NEEDS, i] = bit(i), ZERO, ZERO
        for j in range(i):
            if are_near(alive, order[i], order[j]):
                t[conflict_graph.KILLS, i] |= bit(j)
                t[conflict_graph.KILLS, j] |= bit(i)
    t[conflict_graph.KILLERS, :n] = t[conflict_graph.KILLS, :n]
    marks = 0
    for k in range(needs.shape[1]):
        some = ZERO
        for i in range(n):
            some |= needs[order[i], k]
        if marks + popcount(some) > conflict_graph.ROOM:
            return -1
        while some != ZERO:
            dot = some & (~some + ONE)
            some = some & (some - ONE)
            wipers = ZERO
            for i in range(n):
                if rims[order[i], k] & dot != ZERO:
                    t[conflict_graph.WIPES, i] |= bit(marks)
                    wipers |= bit(i)
                if needs[order[i], k] & dot != ZERO:
                    t[conflict_graph.NEEDS, i] |= bit(marks)
            t[conflict_graph.WIPERS, marks] = wipers
            marks += 1
    everyone = ~ZERO if n == conflict_graph.ROOM else bit(n) - ONE
    return conflict_graph.write_all(t, conflict_graph.reduce(t, everyone, marks), out, top)


@jitable
def _write_patch(s: State, alive: Alive, order: Order, first: int, end: int, out: Words, top: int) -> int:
    """Write rectangles that hang together as a patch; return where it ends."""
    x1, y1, x2, y2 = MAX_SIDE, MAX_SIDE, 0, 0
    corners, kept, union = alive.corners, alive.kept, alive.union
    for at in range(first, end):
        i = order[at]
        x1, y1, x2, y2 = min(x1, corners[i, 0]), min(y1, corners[i, 1]), max(x2, corners[i, 2]), max(y2, corners[i, 3])
        for k in range(kept.shape[1]):
            union[2, k] |= kept[i, k]
    lines = np.zeros((6, MAX_SIDE), np.uint64)
    cols, ups = np.int64(s.cols), edge_bits(s)[0]
    for y in range(y1, y2 + 1):
        lines[region.ACROSS, y - y1] = get(union[0], 0, y * (cols - 1) + x1, x2 - x1)
        if y < y2:
            lines[region.UP, y - y1] = get(union[0], 0, ups + y * cols + x1, x2 - x1 + 1)
        lines[region.FREE, y - y1] = get(union[2], 0, y * cols + x1, x2 - x1 + 1)
    return region.write(lines, x2 - x1 + 1, y2 - y1 + 1, end - first, out, top)


@jitable
def _write_parts(s: State, alive: Alive, order: Order, n: int, p: int, out: Words, top: int) -> int:
    """Write the parts of which so many rectangles consist after p was drawn; return where they end, -1 without room."""
    if top + (n + 1) * _LONGEST > len(out):
        return -1
    if s.any_dot == 0:
        _find_needs(alive, order, n, p)
    if s.shared == 0 and 0 < n <= conflict_graph.ROOM:
        end = _write_tangles(alive, order, n, out, top)
        if end >= 0:
            return end
    first = 0
    while first < n:
        end = _gather(alive, order, first, n, p)
        then = -1
        if s.shared == 0 and end - first < n and end - first <= conflict_graph.ROOM:
            then = _write_tangles(alive, order[first:], end - first, out, top)
        top = then if then >= 0 else _write_patch(s, alive, order, first, end, out, top)
        first = end
    return top


@jitable
def split(s: State, out: Words) -> int:
    """See the contract."""
    if s.over != 0:
        return 0
    alive, n = find_alive(s)
    return _write_parts(s, alive, np.arange(n), n, -1, out, 0)


@jitable
def options(s: State, words: Words, at: int, out: Words, ends: Ends) -> int:
    """See the contract."""
    if words[at] & conflict_graph.IS_TANGLE != ZERO:
        return conflict_graph.options(words, at, out, ends)
    region.lay_out(words, at, s)
    alive, n = find_alive(s)
    if s.shared == 0:
        alive = find_near(alive, n)
    order = np.empty(n, np.int64)
    keys = np.empty((n, words_of(n) + alive.rims.shape[1] + alive.edges.shape[1]), np.uint64)
    codes = np.empty(n, np.uint64)
    top, count = 0, 0
    for p in range(n):
        x1, y1, x2, y2 = alive.corners[p, 0], alive.corners[p, 1], alive.corners[p, 2], alive.corners[p, 3]
        if s.shared != 0 and not rules.fits(s, x1, y1, x2, y2):
            continue
        if count == len(ends):
            return -1
        left = _leave(s, alive, n, p, order, keys[count])
        if not _is_new(keys, codes, count):
            continue
        top = _write_parts(s, alive, order, left, p, out, top)
        if top < 0:
            return -1
        ends[count] = top
        count += 1
    return count
