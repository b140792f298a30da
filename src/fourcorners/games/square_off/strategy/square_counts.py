"""How many squares of each kind pass through each cell of Square Off, counted for all cells of a word at once.

Counts are bit-sliced: four planes hold the ones, twos, fours and eights of the counts of 64 cells. A cell has at most
nine squares on the 8 x 8 board; on the largest boards, where 16 or more are possible, whole eights are lost then.
"""

from __future__ import annotations

import numpy as np

from fourcorners.core.bits import ZERO
from fourcorners.core.dispatch import State
from fourcorners.core.jit import jitable_no_alloc
from fourcorners.games.square_off.strategy.square_potential import MOST, WAYS, other_row

Count = tuple[np.uint64, np.uint64, np.uint64, np.uint64]
Census = tuple[Count, Count, Count, Count, Count]


@jitable_no_alloc
def census(s: State, colour: int, word: int) -> Census:
    """Count the squares through every cell of a word that are empty, and those with men of one colour only.

    First the empty ones, then those with one man of the colour, with two or more, and the same for the other colour.
    """
    own, other = s.men[colour, word], s.men[1 - colour, word]
    e0 = e1 = e2 = e3 = a0 = a1 = a2 = a3 = b0 = b1 = b2 = b3 = ZERO
    x0 = x1 = x2 = x3 = y0 = y1 = y2 = y3 = ZERO
    side = np.int64(s.side)
    for rise in range(1 - side, side):
        if rise == 0:
            continue
        ways = WAYS[side, word, rise + MOST - 1]
        if ways == ZERO:
            continue
        width = np.uint64(abs(rise))
        far, their_far = other_row(s, colour, word, rise), other_row(s, 1 - colour, word, rise)
        a, b, c, d = own, own >> width, far, far >> width
        p, q, r, t = other, other >> width, their_far, their_far >> width
        some, theirs = a | b | c | d, p | q | r | t
        two = (a & b) | (c & d) | ((a | b) & (c | d))
        their_two = (p & q) | (r & t) | ((p | q) & (r | t))
        empty = ways & ~(some | theirs)
        mine, yours = ways & some & ~theirs, ways & theirs & ~some
        e0, e1, e2, e3 = counted(e0, e1, e2, e3, empty)
        e0, e1, e2, e3 = counted(e0, e1, e2, e3, empty << width)
        a0, a1, a2, a3 = counted(a0, a1, a2, a3, mine & ~two)
        a0, a1, a2, a3 = counted(a0, a1, a2, a3, (mine & ~two) << width)
        b0, b1, b2, b3 = counted(b0, b1, b2, b3, mine & two)
        b0, b1, b2, b3 = counted(b0, b1, b2, b3, (mine & two) << width)
        x0, x1, x2, x3 = counted(x0, x1, x2, x3, yours & ~their_two)
        x0, x1, x2, x3 = counted(x0, x1, x2, x3, (yours & ~their_two) << width)
        y0, y1, y2, y3 = counted(y0, y1, y2, y3, yours & their_two)
        y0, y1, y2, y3 = counted(y0, y1, y2, y3, (yours & their_two) << width)
    return (e0, e1, e2, e3), (a0, a1, a2, a3), (b0, b1, b2, b3), (x0, x1, x2, x3), (y0, y1, y2, y3)


@jitable_no_alloc
def counted(ones: np.uint64, twos: np.uint64, fours: np.uint64, eights: np.uint64, plane: np.uint64) -> Count:
    """Add one to the counts of a plane's cells."""
    carry = ones & plane
    more = twos & carry
    return ones ^ plane, twos ^ carry, fours ^ more, eights | (fours & more)


@jitable_no_alloc
def at(count: Count, place: np.uint64) -> int:
    """Return the count of a cell."""
    one = np.uint64(1)
    low = np.int64((count[0] >> place) & one) + 2 * np.int64((count[1] >> place) & one)
    return low + 4 * np.int64((count[2] >> place) & one) + 8 * np.int64((count[3] >> place) & one)
