"""What exact play knows of Sqez: the independent parts of a position, see `core/parts.py`.

A rectangle is *alive* if it can still be drawn, now or (with shared sides) perhaps later. Two of them depend on each
other if they have an undrawn edge in common, or if the outline of one takes a free dot that the other may come to need.
A part is the rectangles that hang together so: a tangle where they are few and drawn whole, otherwise a patch.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fourcorners.core import doors
from fourcorners.core.bits import ONE, ZERO, bit, mix, popcount
from fourcorners.core.jit import jitable
from fourcorners.core.kernel import State
from fourcorners.core.parts import Ends, Words
from fourcorners.games.sqez import patch, rules, tangle
from fourcorners.games.sqez.options import MAX_SIDE
from fourcorners.games.sqez.rules import span
from fourcorners.games.sqez.tangle import get, put

Masks = NDArray[np.uint64]
"""A row of bits for each rectangle, in words."""
Order = NDArray[np.int64]

_LONGEST = max(patch.LONGEST, tangle.LONGEST)


class Alive(NamedTuple):
    """The rectangles that are alive, and memory to work in."""

    corners: NDArray[np.int64]
    edges: Masks  # undrawn ones of the outline
    rims: Masks  # free dots on the outline
    inner: Masks  # free dots inside
    needs: Masks  # free dots inside of which it needs one, if that is in doubt after some move
    kept: Masks  # free dots inside that nothing can take after that move
    union: Masks  # edges, rims and needs of a part
    tangle: tangle.Tangle
    near: Masks  # which have an undrawn edge in common, as bits; without rows as long as that is not found


@jitable
def _edge_bits(s: State) -> tuple[int, int]:
    """Return the number of edges to the right, and of all edges."""
    cols, rows = np.int64(s.cols), np.int64(s.rows)
    return rows * (cols - 1), rows * (cols - 1) + (rows - 1) * cols


@jitable
def _fill(s: State, alive: Alive, i: int) -> None:
    """Write of a rectangle its undrawn edges, the free dots on its outline, and those inside."""
    x1, y1, x2, y2 = alive.corners[i, 0], alive.corners[i, 1], alive.corners[i, 2], alive.corners[i, 3]
    cols, ups = np.int64(s.cols), _edge_bits(s)[0]
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
def _has_more(masks: Masks, i: int, others: Masks, p: int) -> bool:
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
def _find_near(alive: Alive, n: int) -> Alive:
    """Add the table of all pairs with common edges."""
    near = np.zeros((n, _words(n)), np.uint64)
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
def _are_near(alive: Alive, i: int, j: int) -> bool:
    if len(alive.near) > 0:
        return alive.near[i, j >> 6] & bit(j & 63) != ZERO
    return _share_edges(alive.edges, i, j)


@jitable
def _words(bits: int) -> int:
    return (bits + 63) >> 6


@jitable
def _find_alive(s: State) -> tuple[Alive, int]:
    """Return the rectangles of a field that are alive, and how many there are."""
    n = rules.bound(s)
    lines, dots = _words(_edge_bits(s)[1]), _words(np.int64(s.cols) * np.int64(s.rows))
    alive = Alive(
        np.empty((n, 4), np.int64),
        np.empty((n, lines), np.uint64),
        np.empty((n, dots), np.uint64),
        np.empty((n, dots), np.uint64),
        np.zeros((n, dots), np.uint64),
        np.zeros((n, dots), np.uint64),
        np.empty((3, max(lines, dots)), np.uint64),
        np.empty((tangle.ROWS, tangle.ROOM), np.uint64),
        np.empty((0, 0), np.uint64),
    )
    return alive, _list_legal(s, alive) if s.shared == 0 else _list_undrawn(s, alive)


@jitable
def _leave(s: State, alive: Alive, n: int, p: int, order: Order, key: NDArray[np.uint64]) -> int:
    """List the rectangles that are alive after one, p, was drawn, and write all that the rest depends on as bits."""
    key[:] = ZERO
    left = 0
    edges, rims, inner = alive.edges, alive.rims, alive.inner
    dots, lines = _words(n), _words(n) + rims.shape[1]
    for i in range(n):
        if s.shared == 0:
            if _are_near(alive, i, p):
                continue
        elif not _has_more(edges, i, edges, p):
            continue
        if s.any_dot == 0:
            if not _has_more(inner, i, rims, p):
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
        if codes[one] == code and not (_has_more(keys, one, keys, last) or _has_more(keys, last, keys, one)):
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
        t[tangle.KILLS, i], t[tangle.WIPES, i], t[tangle.NEEDS, i] = bit(i), ZERO, ZERO
        for j in range(i):
            if _are_near(alive, order[i], order[j]):
                t[tangle.KILLS, i] |= bit(j)
                t[tangle.KILLS, j] |= bit(i)
    t[tangle.KILLERS, :n] = t[tangle.KILLS, :n]
    marks = 0
    for k in range(needs.shape[1]):
        some = ZERO
        for i in range(n):
            some |= needs[order[i], k]
        if marks + popcount(some) > tangle.ROOM:
            return -1
        while some != ZERO:
            dot = some & (~some + ONE)
            some = some & (some - ONE)
            wipers = ZERO
            for i in range(n):
                if rims[order[i], k] & dot != ZERO:
                    t[tangle.WIPES, i] |= bit(marks)
                    wipers |= bit(i)
                if needs[order[i], k] & dot != ZERO:
                    t[tangle.NEEDS, i] |= bit(marks)
            t[tangle.WIPERS, marks] = wipers
            marks += 1
    everyone = ~ZERO if n == tangle.ROOM else bit(n) - ONE
    return tangle.write_all(t, tangle.reduce(t, everyone, marks), out, top)


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
    cols, ups = np.int64(s.cols), _edge_bits(s)[0]
    for y in range(y1, y2 + 1):
        lines[patch.ACROSS, y - y1] = get(union[0], 0, y * (cols - 1) + x1, x2 - x1)
        if y < y2:
            lines[patch.UP, y - y1] = get(union[0], 0, ups + y * cols + x1, x2 - x1 + 1)
        lines[patch.FREE, y - y1] = get(union[2], 0, y * cols + x1, x2 - x1 + 1)
    return patch.write(lines, x2 - x1 + 1, y2 - y1 + 1, end - first, out, top)


@jitable
def _write_parts(s: State, alive: Alive, order: Order, n: int, p: int, out: Words, top: int) -> int:
    """Write the parts of which so many rectangles consist after p was drawn; return where they end, -1 without room."""
    if top + (n + 1) * _LONGEST > len(out):
        return -1
    if s.any_dot == 0:
        _find_needs(alive, order, n, p)
    if s.shared == 0 and 0 < n <= tangle.ROOM:
        end = _write_tangles(alive, order, n, out, top)
        if end >= 0:
            return end
    first = 0
    while first < n:
        end = _gather(alive, order, first, n, p)
        then = -1
        if s.shared == 0 and end - first < n and end - first <= tangle.ROOM:
            then = _write_tangles(alive, order[first:], end - first, out, top)
        top = then if then >= 0 else _write_patch(s, alive, order, first, end, out, top)
        first = end
    return top


@jitable
def split(s: State, out: Words) -> int:
    """See the contract."""
    if s.over != 0:
        return 0
    alive, n = _find_alive(s)
    return _write_parts(s, alive, np.arange(n), n, -1, out, 0)


@jitable
def options(s: State, words: Words, at: int, out: Words, ends: Ends) -> int:
    """See the contract."""
    if words[at] & tangle.IS_TANGLE != ZERO:
        return tangle.options(words, at, out, ends)
    patch.lay_out(words, at, s)
    alive, n = _find_alive(s)
    if s.shared == 0:
        alive = _find_near(alive, n)
    order = np.empty(n, np.int64)
    keys = np.empty((n, _words(n) + alive.rims.shape[1] + alive.edges.shape[1]), np.uint64)
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


def effort(s: State) -> float:
    """Estimate how many nodes of small parts the solvers could search while they solve a position.

    A node of a large part takes up to a hundred times as long. The formulas were fitted to random positions of 6 x 6 to
    12 x 12 dots; most are right within a factor of 10.
    """
    if s.shared == 0:
        legal = int(doors.legal(np.array([s], rules.DTYPE), 0, np.zeros(rules.bound(s), np.int64)))
        return 1e4 * (legal / 500) ** 6 if s.players == 2 else 1e3 * (legal / 107) ** 4.5
    drawn = sum(int(word).bit_count() for lines in (s.across, s.sides) for word in lines.tolist())
    undrawn = _edge_bits(s)[1] - drawn
    free = sum(int(word).bit_count() for word in s.free.tolist())
    if s.players > 2:
        return float(10 ** (0.17 * (undrawn - 0.3 * free) - 1))
    return float(10 ** (0.2 * (undrawn + 1 if s.any_dot else undrawn - 0.9 * free - 12)))
