"""Counting out: who makes the last move where so few rectangles are left that every order of them can be tried.

The rectangles are bits of a mask, and drawing one takes away those of its `kills`. That is nearly the truth: it
overlooks that two together may take the last dot of a third, and that with shared sides new rectangles come up.
"""

from __future__ import annotations

import numpy as np

from fourcorners.core.bits import ONE, ZERO, bit, lowest
from fourcorners.core.jit import jitable
from fourcorners.core.kernel import State
from fourcorners.games.sqez.rules import between_rows, fits, pack, right_sides, seats_left, to_enclose, unpack
from fourcorners.games.sqez.tries import NONE, put_down, take_back

MOST, MOST_SEVERAL = 8, 6
"""As many rectangles can be counted out between two seats, and between more."""
_EIGHT = np.uint64(255)

Few = tuple[int, int, int, int, int, int, int, int]
Words = tuple[np.uint64, np.uint64, np.uint64, np.uint64]


@jitable
def _with(few: Few, at: int, action: int) -> Few:
    a, b, c, d, e, f, g, h = few
    return (
        action if at == 0 else a,
        action if at == 1 else b,
        action if at == 2 else c,
        action if at == 3 else d,
        action if at == 4 else e,
        action if at == 5 else f,
        action if at == 6 else g,
        action if at == 7 else h,
    )


@jitable
def few_left(s: State, most: int) -> tuple[int, Few]:
    """Return how many rectangles are legal, and which; NONE if they are more than `most`, or than can be counted out."""
    room = min(most, MOST if seats_left(s) == 2 else MOST_SEVERAL)
    zero = np.int64(0)
    few = (zero, zero, zero, zero, zero, zero, zero, zero)
    n = 0
    for y1 in range(np.int64(s.rows) - 2):
        walls, inside = np.uint64(s.up[y1]), ZERO
        for y2 in range(y1 + 2, np.int64(s.rows)):
            walls, inside = walls | np.uint64(s.up[y2 - 1]), inside | to_enclose(s, y2 - 1)
            starts, columns, edges = between_rows(s, y1, y2, walls, inside)
            while starts != ZERO:
                x1 = lowest(starts)
                starts = starts & (starts - ONE)
                rights = right_sides(s, y1, y2, x1, columns, edges, inside)
                while rights != ZERO:
                    if n == room:
                        return NONE, few
                    few = _with(few, n, pack(x1, y1, lowest(rights), y2))
                    rights = rights & (rights - ONE)
                    n += 1
    return n, few


@jitable
def kills_of(s: State, few: Few, n: int) -> np.uint64:
    """Return which rectangles each one takes away, itself included, as one byte after the other."""
    kills = ZERO
    for i in range(n):
        before = put_down(s, few[i])
        for j in range(n):
            x1, y1, x2, y2 = unpack(few[j])
            if i == j or not fits(s, x1, y1, x2, y2):
                kills |= bit(8 * i + j)
        take_back(s, few[i], before)
    return kills


@jitable
def _get(words: Words, at: int) -> np.uint64:
    return words[at >> 6] >> np.uint64(at & 63)


@jitable
def _put(words: Words, at: int, value: np.uint64) -> Words:
    k, value = at >> 6, value << np.uint64(at & 63)
    a, b, c, d = words
    return (
        a | value if k == 0 else a,
        b | value if k == 1 else b,
        c | value if k == 2 else c,
        d | value if k == 3 else d,
    )


@jitable
def last_mover(kills: np.uint64, n: int, seats: int) -> tuple[int, int]:
    """Return how many turns from now on the seat comes that makes the last move, and a rectangle that leads to it.

    0 is the seat to move. Who cannot make the last move itself leaves it to the seat that comes soonest.
    """
    bits, most = (1, ONE) if seats == 2 else (4, np.uint64(15))
    words = _put((ZERO, ZERO, ZERO, ZERO), 0, np.uint64(seats - 1))
    best, first = seats - 1, 0
    for mask in range(1, 1 << n):
        best = seats
        for i in range(n):
            if mask >> i & 1 == 0:
                continue
            rest = mask & ~np.int64((kills >> np.uint64(8 * i)) & _EIGHT)
            then = (np.int64(_get(words, bits * rest) & most) + 1) % seats
            if then < best:
                best, first = then, i
                if best == 0:
                    break
        words = _put(words, bits * mask, np.uint64(best))
    return best, first
