"""The choice of a cell in playouts on boards up to 8 x 8, for all cells at once, in a tenth of the time.

Values are whole numbers, bit-sliced as in `square_counts`: of six words, the first holds bit 0 of the values of 64
cells, and so on. Noise costs one random word for each of its bits.
"""

import numpy as np

from fourcorners.builtin.square_off.strategy.square_potential import (
    LEFT_CORNERS,
    MAX_SIDE,
    count_new_marks,
    find_overlaps,
)
from fourcorners.core.arrays import Rng, State
from fourcorners.core.bits import ZERO, lowest_bit, nth_bit, popcount, random_below, random_word
from fourcorners.core.jit import jitable_no_alloc

Sum = tuple[np.uint64, np.uint64]
"""The sum and the carry of the bits at each place."""


@jitable_no_alloc
def _add_three(a: np.uint64, b: np.uint64, c: np.uint64) -> Sum:
    """Return the sum of three words, bit by bit: a full adder at each place."""
    either = a ^ b
    return either ^ c, (a & b) | (either & c)


@jitable_no_alloc
def pick_cell_quickly(s: State, rng: Rng) -> int:
    """Draw a free cell, of which there must be one, by the promise of the squares through it for either colour.

    Cells where a colour completes a square come first: those that take and block the most marks. Any other has a value:
    5 for each square with two or more men of one colour only, 2 for each square with fewer men of one colour only, and
    noise from 0 to 7. Equal cells are drawn at random. The board must have one word.
    """
    colour, side = np.int64(s.placed) & 1, np.int64(s.side)
    own, other, free = s.men[colour, 0], s.men[1 - colour, 0], s.free[0]
    takes = blocks = ZERO
    # The bits 1, 2, 4 and 8 of two counts: squares with few men, and with two or more.
    few1 = few2 = few4 = few8 = pair1 = pair2 = pair4 = pair8 = ZERO
    for width in range(1, side):
        corners = LEFT_CORNERS[side, 0, width + MAX_SIDE - 1]
        if corners == ZERO:
            continue
        # Men on the lower left, lower right, upper left and upper right corner: a to d, and p, q, r, t of the other.
        right, up = np.uint64(width), np.uint64(8 * width)
        both = right + up
        a, b, c, d = own & corners, (own >> right) & corners, (own >> up) & corners, (own >> both) & corners
        p, q, r, t = other & corners, (other >> right) & corners, (other >> up) & corners, (other >> both) & corners
        lower, upper, their_lower, their_upper = a & b, c & d, p & q, r & t
        takes |= (b & upper) | ((a & upper) << right) | ((lower & d) << up) | ((lower & c) << both)
        blocks |= (
            (q & their_upper) | ((p & their_upper) << right) | ((their_lower & t) << up) | ((their_lower & r) << both)
        )
        still_open = corners & ~((a | b | c | d) & (p | q | r | t))
        pairs = still_open & (find_overlaps(a, b, c, d) | find_overlaps(p, q, r, t))
        few = still_open ^ pairs
        few1, carry = _add_three(few1, few, few << right)
        few1, carry_on = _add_three(few1, few << up, few << both)
        few2, carry = _add_three(few2, carry, carry_on)
        few8 |= few4 & carry
        few4 ^= carry
        pair1, carry = _add_three(pair1, pairs, pairs << right)
        pair1, carry_on = _add_three(pair1, pairs << up, pairs << both)
        pair2, carry = _add_three(pair2, carry, carry_on)
        pair8 |= pair4 & carry
        pair4 ^= carry
    urgent = (takes | blocks) & free
    if urgent != ZERO:
        best = urgent
        if urgent & (urgent - np.uint64(1)) != ZERO:
            best = _find_biggest_swings(s, colour, urgent, takes, blocks)
        return nth_bit(best, random_below(rng, popcount(best)))
    # The value is 2 * (few + 2 * pairs) + pairs + noise.
    half1, half2 = few1, few2 ^ pair1
    carry = few2 & pair1
    half4, carry = _add_three(few4, pair2, carry)
    half8, carry = _add_three(few8, pair4, carry)
    half16 = pair8 ^ carry
    noise1, noise2, noise4 = random_word(rng), random_word(rng), random_word(rng)
    value1, carry = pair1 ^ noise1, pair1 & noise1
    sum2, carry = _add_three(pair2, noise2, carry)
    sum4, carry = _add_three(pair4, noise4, carry)
    sum8, sum16 = pair8 ^ carry, pair8 & carry
    value2, carry = sum2 ^ half1, sum2 & half1
    value4, carry = _add_three(sum4, half2, carry)
    value8, carry = _add_three(sum8, half4, carry)
    value16, carry = _add_three(sum16, half8, carry)
    value32 = half16 ^ carry
    best = free
    for value in (value32, value16, value8, value4, value2, value1):
        higher = best & value
        if higher != ZERO:
            best = higher
    return nth_bit(best, random_below(rng, popcount(best)))


@jitable_no_alloc
def _find_biggest_swings(s: State, colour: int, urgent: np.uint64, takes: np.uint64, blocks: np.uint64) -> np.uint64:
    """Return those of the `urgent` cells, as bits, that take and block the most marks together; one must be urgent."""
    best, chosen = 0, ZERO
    while urgent != ZERO:
        here = urgent & (~urgent + np.uint64(1))
        urgent ^= here
        cell = lowest_bit(here)
        swing = 0
        if takes & here != ZERO:
            swing += count_new_marks(s, colour, cell)
        if blocks & here != ZERO:
            swing += count_new_marks(s, 1 - colour, cell)
        if swing > best:
            best, chosen = swing, ZERO
        if swing == best:
            chosen |= here
    return chosen


@jitable_no_alloc
def is_settled(s: State) -> bool:
    """Return whether no square has a free cell and men of one colour at most. The board must have one word."""
    white, black, free, side = s.men[0, 0], s.men[1, 0], s.free[0], np.int64(s.side)
    for width in range(1, side):
        corners = LEFT_CORNERS[side, 0, width + MAX_SIDE - 1]
        right, up = np.uint64(width), np.uint64(8 * width)
        both = right + up
        has_white = white | (white >> right) | (white >> up) | (white >> both)
        has_black = black | (black >> right) | (black >> up) | (black >> both)
        has_free = free | (free >> right) | (free >> up) | (free >> both)
        if corners & has_free & ~(has_white & has_black) != ZERO:
            return False
    return True
