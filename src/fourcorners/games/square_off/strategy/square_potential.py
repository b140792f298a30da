"""What men can still make of the squares of Square Off, for all cells of a word at once.

A *plane* is a word with a bit for every cell. Squares are met row by row: a plane `ways` holds the left corners, in one
row, of all squares of a width whose other row lies so many rows higher; their corners are then the bits of the two
rows' words, once as they are and once shifted by the width. A square is met from both its rows, and tells one of them.
"""

from __future__ import annotations

import numpy as np

from fourcorners.core.bits import ZERO, bit, popcount
from fourcorners.core.dispatch import State
from fourcorners.core.jit import jitable_no_alloc
from fourcorners.games.square_off.options import shift_of

_WORDS, MOST = 4, 16
_SMALL = 3
_SIXTEEN, _WHOLE = np.uint64(16), np.uint64(64)


def _ways(side: int, word: int, rise: int) -> int:
    """Return the left corners in a word of the squares whose other row is so many rows higher."""
    shift, half, width = shift_of(side), side // 2, abs(rise)
    found = 0
    for place in range(64):
        row, column = (64 * word + place) >> shift, place & ((1 << shift) - 1)
        inside = row < side and column + width < side and 0 <= row + rise < side
        if inside and ((row < half) == (row + rise < half)) == ((column < half) == (column + width < half)):
            found |= 1 << place
    return found


WAYS = np.array(
    [
        [[_ways(side, word, rise) if rise else 0 for rise in range(1 - MOST, MOST)] for word in range(_WORDS)]
        if side in range(4, MOST + 1, 2)
        else [[0] * (2 * MOST - 1)] * _WORDS
        for side in range(MOST + 1)
    ],
    np.uint64,
)


@jitable_no_alloc
def other_row(s: State, colour: int, word: int, rise: int) -> np.uint64:
    """Return a word of men with every row replaced by that which lies so many rows higher."""
    if s.shift == _SMALL:
        men = s.men[colour, word]
        return men >> np.uint64(8 * rise) if rise > 0 else men << np.uint64(-8 * rise)
    first = 4 * word + rise
    source, over = first >> 2, np.uint64(first & 3) * _SIXTEEN
    low = s.men[colour, source] if 0 <= source < _WORDS else ZERO
    if over == ZERO:
        return low
    high = s.men[colour, source + 1] if 0 <= source + 1 < _WORDS else ZERO
    return (low >> over) | (high << (_WHOLE - over))


@jitable_no_alloc
def words_of(s: State) -> int:
    """Return how many words the board has."""
    return 1 if s.shift == _SMALL else _WORDS


@jitable_no_alloc
def glance(s: State, colour: int, word: int) -> tuple[np.uint64, np.uint64, np.uint64, np.uint64, np.uint64]:
    """Return which free cells of a word matter, as planes.

    Those where the colour completes a square; where the other does; where the colour makes two threats at once or
    more; where the other does; and those on a square that either may still complete.
    """
    free = s.free[word]
    own, other = s.men[colour, word], s.men[1 - colour, word]
    takes = blocks = forks = their_forks = useful = ZERO
    threats = their_threats = ZERO
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
        both, their_both = c & d & ways, r & t & ways
        takes |= (b & both) | ((a & both) << width)
        blocks |= (q & their_both) | ((p & their_both) << width)
        mine, theirs = ways & ~(p | q | r | t), ways & ~(a | b | c | d)
        still = mine | theirs
        useful |= still | (still << width)
        two = mine & ((a & b) | (c & d) | ((a | b) & (c | d)))
        forks |= threats & two
        threats |= two
        two = two << width
        forks |= threats & two
        threats |= two
        two = theirs & ((p & q) | (r & t) | ((p | q) & (r | t)))
        their_forks |= their_threats & two
        their_threats |= two
        two = two << width
        their_forks |= their_threats & two
        their_threats |= two
    return takes & free, blocks & free, forks & free, their_forks & free, useful & free


@jitable_no_alloc
def completing(s: State, colour: int, word: int) -> tuple[np.uint64, np.uint64]:
    """Return the free cells of a word where the colour, and where the other, completes a square."""
    own, other = s.men[colour, word], s.men[1 - colour, word]
    takes = blocks = ZERO
    side = np.int64(s.side)
    for rise in range(1 - side, side):
        if rise == 0:
            continue
        ways = WAYS[side, word, rise + MOST - 1]
        width = np.uint64(abs(rise))
        far, their_far = other_row(s, colour, word, rise), other_row(s, 1 - colour, word, rise)
        both, their_both = far & (far >> width) & ways, their_far & (their_far >> width) & ways
        takes |= ((own >> width) & both) | ((own & both) << width)
        blocks |= ((other >> width) & their_both) | ((other & their_both) << width)
    return takes & s.free[word], blocks & s.free[word]


@jitable_no_alloc
def fresh(s: State, colour: int, cell: int) -> int:
    """Count the men that a man of the colour on this free cell would newly mark."""
    side, shift = np.int64(s.side), np.int64(s.shift)
    row, column = cell >> shift, cell & ((1 << shift) - 1)
    half = side >> 1
    here = 1 << column
    near = (1 << half) - 1 if column < half else ((1 << half) - 1) << half
    far = near ^ ((1 << side) - 1)
    own = row_of(s.men[colour, (row << shift) >> 6], row, shift)
    unmarked = own & ~row_of(s.marks[colour, (row << shift) >> 6], row, shift)
    beside = 0
    count = 0
    for other in range(side):
        if other == row:
            continue
        word = (other << shift) >> 6
        men = row_of(s.men[colour, word], other, shift)
        if men & here == 0:
            continue
        size = abs(other - row)
        reach = near if (other < half) == (row < half) else far
        columns = men & own & reach & ((here << size) | (here >> size))
        if columns != 0:
            beside |= columns
            found = (columns | here) & ~row_of(s.marks[colour, word], other, shift)
            while found != 0:
                count += 1
                found &= found - 1
    if beside == 0:
        return 0
    beside &= unmarked
    count += 1
    while beside != 0:
        count += 1
        beside &= beside - 1
    return count


@jitable_no_alloc
def squares_through(s: State, cell: int) -> int:
    """Count the squares of the board through a cell, whoever stands on them."""
    word, here = cell >> 6, bit(cell & 63)
    count = 0
    for rise in range(1 - MOST, MOST):
        ways = WAYS[np.int64(s.side), word, rise + MOST - 1]
        count += popcount((ways | (ways << np.uint64(abs(rise)))) & here)
        count += popcount(ways & (ways << np.uint64(abs(rise))) & here)
    return count


@jitable_no_alloc
def row_of(word: np.uint64, row: int, shift: int) -> int:
    """Return a row of a word's cells, the first column in the lowest bit."""
    return np.int64(word >> np.uint64((row << shift) & 63)) & ((1 << (1 << shift)) - 1)


@jitable_no_alloc
def holds(plane: np.uint64, cell: int) -> bool:
    """Tell whether a plane of a cell's word has it."""
    return plane & bit(cell & 63) != ZERO
