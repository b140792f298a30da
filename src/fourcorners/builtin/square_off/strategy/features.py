"""The inputs of the value network: numbers that describe a position for each seat, on a board of one word.

They are for positions in which neither colour can complete a square at once. A *single* of a colour is a square with
one man of it and none of the other, a *pair* is one with more: in such positions two, or all four. All counts come from
one pass over the squares by their width, for the 64 cells of the word at once.
"""

import numpy as np
from numpy.typing import NDArray

from fourcorners.builtin.square_off.rules import count_free, points, to_move
from fourcorners.builtin.square_off.strategy.square_potential import LEFT_CORNERS, MAX_SIDE, find_overlaps
from fourcorners.core.arrays import Estimates, State
from fourcorners.core.bits import ZERO, popcount
from fourcorners.core.jit import jitable_no_alloc

# The features of a seat, by index. All count something; "cells" are free cells.
SINGLES, PAIRS = 0, 1  # complete squares count as pairs
SINGLES_GAIN, PAIRS_GAIN = 2, 3  # sums over these squares: 3 or 2, and the men on the square that are not marked yet
ON_SINGLES = 4  # three counts: cells on at least one, two and three of its singles
ON_PAIRS = 7  # likewise for its pairs
ON_PAIR_AND_SINGLE = 10  # cells on at least one of its pairs and one of its singles
ON_PAIR_AND_SINGLES = 11  # on a pair and two singles
ON_PAIRS_AND_SINGLE = 12  # on two pairs and a single
ON_BOTH_PAIRS = 13  # on a pair of either colour
ON_PAIR_AND_THEIR_SINGLE = 14
ON_PAIR_AND_EMPTY = 15  # on a pair and a square without men
STILL_OPEN = 16  # cells on squares that its colour can still complete
SEAT_FEATURES = 17
# Then come the same features of the other seat, and what both share: a 1, the number of squares without men, and the
# number of free cells. All stand in the second half of the inputs if the seat is to move, otherwise in the first; the
# other half is 0. So the parameters of a network differ by whether the seat is to move.
_HALF = 2 * SEAT_FEATURES + 3
INPUT_COUNT = 2 * _HALF

Features = NDArray[np.float64]
Cells = tuple[np.uint64, np.uint64, np.uint64]
"""The cells on at least one, two and three squares of some kind, a bit for each."""
_NO_CELLS = (ZERO, ZERO, ZERO)


@jitable_no_alloc
def compute_features(s: State, out: Features, now: Estimates) -> None:
    """Write the features of both seats into the rows of `out`, (2, INPUT_COUNT), and their points into `now`, (2,)."""
    points(s, now)
    free, mover, white_seat = s.free[0], to_move(s), np.int64(s.swapped)
    out[:2] = 0.0
    white = out[white_seat, _HALF if white_seat == mover else 0 :]
    black = out[1 - white_seat, _HALF if white_seat != mover else 0 :]
    empty_squares = 0
    empty = white_singles = white_pairs = black_singles = black_pairs = _NO_CELLS
    for width in range(1, np.int64(s.side)):
        squares = LEFT_CORNERS[np.int64(s.side), 0, width + MAX_SIDE - 1]
        if squares == ZERO:
            continue
        right, up = np.uint64(width), np.uint64(8 * width)
        has_white, has_two_white = _find_men(s.men[0, 0], right, up)
        has_black, has_two_black = _find_men(s.men[1, 0], right, up)
        no_men = squares & ~(has_white | has_black)
        empty_squares += popcount(no_men)
        empty = _count_corners(empty, no_men, right, up)
        single, pair = squares & has_white & ~(has_two_white | has_black), squares & has_two_white & ~has_black
        _count_squares(s.men[0, 0] & ~s.marks[0, 0], single, pair, right, up, white)
        white_singles = _count_corners(white_singles, single, right, up)
        white_pairs = _count_corners(white_pairs, pair, right, up)
        single, pair = squares & has_black & ~(has_two_black | has_white), squares & has_two_black & ~has_white
        _count_squares(s.men[1, 0] & ~s.marks[1, 0], single, pair, right, up, black)
        black_singles = _count_corners(black_singles, single, right, up)
        black_pairs = _count_corners(black_pairs, pair, right, up)
    _count_cells(white_singles, white_pairs, black_singles, black_pairs, empty, free, white)
    _count_cells(black_singles, black_pairs, white_singles, white_pairs, empty, free, black)
    for i in range(SEAT_FEATURES):
        white[SEAT_FEATURES + i], black[SEAT_FEATURES + i] = black[i], white[i]
    for row in (white, black):
        row[_HALF - 3], row[_HALF - 2], row[_HALF - 1] = 1.0, empty_squares, count_free(s)


@jitable_no_alloc
def _find_men(men: np.uint64, right: np.uint64, up: np.uint64) -> tuple[np.uint64, np.uint64]:
    """Return the squares of a width that have one of the men or more, and two or more, by their lower left corners."""
    a, b, c, d = men, men >> right, men >> up, men >> (right + up)
    return a | b | c | d, find_overlaps(a, b, c, d)


@jitable_no_alloc
def _count_corners(cells: Cells, squares: np.uint64, right: np.uint64, up: np.uint64) -> Cells:
    """Return counts of cells with one added for each corner of squares of a width, given their lower left corners."""
    one, two, three = cells
    for corners in (squares, squares << right, squares << up, squares << (right + up)):
        three |= two & corners
        two |= one & corners
        one |= corners
    return one, two, three


@jitable_no_alloc
def _count_squares(
    unmarked: np.uint64, single: np.uint64, pair: np.uint64, right: np.uint64, up: np.uint64, row: Features
) -> None:
    """Add squares of a width, given by their lower left corners, to the counts of squares and their gains."""
    singles, pairs = popcount(single), popcount(pair)
    row[SINGLES] += singles
    row[PAIRS] += pairs
    row[SINGLES_GAIN] += 3 * singles + _count_men(unmarked, single, right, up)
    row[PAIRS_GAIN] += 2 * pairs + _count_men(unmarked, pair, right, up)


@jitable_no_alloc
def _count_men(men: np.uint64, squares: np.uint64, right: np.uint64, up: np.uint64) -> int:
    """Return how many of the men stand on squares of a width, counted once for each square."""
    near = popcount(men & squares) + popcount((men >> right) & squares)
    return near + popcount((men >> up) & squares) + popcount((men >> (right + up)) & squares)


@jitable_no_alloc
def _count_cells(
    singles: Cells,
    pairs: Cells,
    their_singles: Cells,
    their_pairs: Cells,
    empty: Cells,
    free: np.uint64,
    row: Features,
) -> None:
    """Write the counts of free cells of a seat's colour."""
    for i in range(3):
        row[ON_SINGLES + i] = popcount(singles[i] & free)
        row[ON_PAIRS + i] = popcount(pairs[i] & free)
    row[ON_PAIR_AND_SINGLE] = popcount(pairs[0] & singles[0] & free)
    row[ON_PAIR_AND_SINGLES] = popcount(pairs[0] & singles[1] & free)
    row[ON_PAIRS_AND_SINGLE] = popcount(pairs[1] & singles[0] & free)
    row[ON_BOTH_PAIRS] = popcount(pairs[0] & their_pairs[0] & free)
    row[ON_PAIR_AND_THEIR_SINGLE] = popcount(pairs[0] & their_singles[0] & free)
    row[ON_PAIR_AND_EMPTY] = popcount(pairs[0] & empty[0] & free)
    row[STILL_OPEN] = popcount((singles[0] | pairs[0] | empty[0]) & free)
