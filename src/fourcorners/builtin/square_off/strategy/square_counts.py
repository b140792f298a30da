"""Counts of the squares of each kind through each cell of Square Off, for the 64 cells of a word at once.

Counts are bit-sliced: of four words, the first holds bit 0 of the counts of 64 cells, the next bit 1, and so on. A cell
is on at most nine squares of the 8 x 8 board. On the largest boards it may be on 16 or more: then the highest bit
saturates, so that a count n above 15 reads as 8 + n % 8.
"""

from typing import NamedTuple

import numpy as np

from fourcorners.builtin.square_off.strategy.square_potential import LEFT_CORNERS, MAX_SIDE, find_overlaps, shift_rows
from fourcorners.core.arrays import State
from fourcorners.core.bits import ONE, ZERO
from fourcorners.core.jit import jitable_no_alloc

Count = tuple[np.uint64, np.uint64, np.uint64, np.uint64]
"""Bits 0 to 3 of the counts of 64 cells."""


class SquareCounts(NamedTuple):
    """For every cell, the squares through it that only one colour, or either, can still complete."""

    empty: Count
    own_single: Count  # with one man, of the colour in question
    own_pair: Count  # with two or more men of that colour
    their_single: Count  # likewise of the other colour
    their_pair: Count


@jitable_no_alloc
def count_squares(s: State, colour: int, word: int) -> SquareCounts:
    """Count the squares through every cell of word number `word` that are empty or have men of one colour only.
    `colour` is the one that the fields of the result call `own`.
    """
    empty = own_single = own_pair = their_single = their_pair = (ZERO, ZERO, ZERO, ZERO)
    own, other, side = s.men[colour, word], s.men[1 - colour, word], np.int64(s.side)
    for rise in range(1 - side, side):
        corners = LEFT_CORNERS[side, word, rise + MAX_SIDE - 1]
        if corners == ZERO:
            continue
        # For a square with its left corner at a bit: a, b, c, d are this colour's men on its near left, near right, far
        # left and far right corner; p, q, r, t are the other colour's.
        width = np.uint64(abs(rise))
        far, their_far = shift_rows(s, colour, word, rise), shift_rows(s, 1 - colour, word, rise)
        a, b, c, d = own, own >> width, far, far >> width
        p, q, r, t = other, other >> width, their_far, their_far >> width
        any_own, any_theirs = a | b | c | d, p | q | r | t
        mine, theirs = corners & any_own & ~any_theirs, corners & any_theirs & ~any_own
        pairs, their_pairs = find_overlaps(a, b, c, d), find_overlaps(p, q, r, t)
        empty = _add_squares(empty, corners & ~(any_own | any_theirs), width)
        own_single = _add_squares(own_single, mine & ~pairs, width)
        own_pair = _add_squares(own_pair, mine & pairs, width)
        their_single = _add_squares(their_single, theirs & ~their_pairs, width)
        their_pair = _add_squares(their_pair, theirs & their_pairs, width)
    return SquareCounts(empty, own_single, own_pair, their_single, their_pair)


@jitable_no_alloc
def _add_squares(count: Count, left: np.uint64, width: np.uint64) -> Count:
    """Return a count with one added for both corners in this row of squares, from their left corners and their width.
    The squares' other row is met with the opposite rise.
    """
    return _increment_counts(_increment_counts(count, left), left << width)


@jitable_no_alloc
def _increment_counts(count: Count, cells: np.uint64) -> Count:
    """Return a count with one added for each of these cells: a ripple-carry adder on 64 counts."""
    ones, twos, fours, eights = count
    carry = ones & cells
    carry_on = twos & carry
    return ones ^ cells, twos ^ carry, fours ^ carry_on, eights | (fours & carry_on)


@jitable_no_alloc
def get_count(count: Count, place: np.uint64) -> int:
    """Return the count, 0 to 15, of the cell at bit `place` of the word."""
    low = np.int64((count[0] >> place) & ONE) + 2 * np.int64((count[1] >> place) & ONE)
    return low + 4 * np.int64((count[2] >> place) & ONE) + 8 * np.int64((count[3] >> place) & ONE)
