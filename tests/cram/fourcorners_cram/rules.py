"""The rules of Cram over one record.

Cell (x, y), counted from 0, is bit 8 * y + x of `free`, whatever the size of the board. An action is the lower or left
cell of a domino times two, plus one if the domino is vertical.
"""

import numpy as np

from fourcorners.core.arrays import Actions, Points, Rng, State
from fourcorners.core.bits import ONE, ZERO, lowest_bit, nth_bit, popcount, random_below
from fourcorners.core.jit import jitable
from fourcorners_cram.options import CramOptions

# A game is found by its dtype, so no two games may have the same one. A field with a unique name sees to that.
DTYPE = np.dtype([("free", np.uint64), ("cram_cols", np.int8), ("rows", np.int8), ("turn", np.int8), ("pad", np.int8)])
MAX_SEATS = 2
MAX_PLIES = 32
_RIGHT, _UP = np.uint64(1), np.uint64(8)
_NOT_LAST_COLUMN = np.uint64(0x7F7F7F7F7F7F7F7F)


def start(s: State, options: CramOptions, deck: tuple[str, ...]) -> None:
    """Fill a zeroed record with an empty board and seat 0 to move; the deck is empty."""
    s.cram_cols, s.rows = options.cols, options.rows
    s.free = sum(1 << (8 * y + x) for y in range(options.rows) for x in range(options.cols))


@jitable
def find_horizontal(s: State) -> np.uint64:
    """Return the left cells of all legal horizontal dominoes, as bits."""
    # Bit 8 follows bit 7, but is the first cell of the next row.
    return s.free & (s.free >> _RIGHT) & _NOT_LAST_COLUMN


@jitable
def find_vertical(s: State) -> np.uint64:
    """Return the lower cells of all legal vertical dominoes, as bits."""
    return s.free & (s.free >> _UP)


def bound(s: State) -> int:
    """Return 112, the number of dominoes on 8 x 8 cells: no position has more legal actions."""
    return 112


def legal(s: State, out: Actions) -> int:
    """Write the horizontal dominoes, then the vertical ones, both cell by cell, into `out`; return their number."""
    n = 0
    for vertical in range(2):
        cells = find_vertical(s) if vertical else find_horizontal(s)
        while cells != ZERO:
            out[n] = 2 * lowest_bit(cells) + vertical
            cells = cells & (cells - ONE)
            n += 1
    return n


def play(s: State, action: int) -> None:
    """Lay a domino, which must be legal, and pass the turn, in place."""
    step = _UP if action & 1 else _RIGHT
    cell = ONE << np.uint64(action >> 1)
    s.free = s.free & ~(cell | (cell << step))
    s.turn = 1 - s.turn


def pick(s: State, rng: Rng) -> int:
    """Return a legal action uniformly at random, and advance `rng`; there must be one."""
    cells = find_horizontal(s)
    n = popcount(cells)
    # Action k counts through the horizontal dominoes, then the vertical ones.
    k = random_below(rng, n + popcount(find_vertical(s)))
    if k < n:
        return 2 * nth_bit(cells, k)
    return 2 * nth_bit(find_vertical(s), k - n) + 1


def to_move(s: State) -> int:
    """Return the seat to move."""
    return np.int64(s.turn)


def is_over(s: State) -> bool:
    """Return whether the game is over: no domino fits."""
    return (find_horizontal(s) | find_vertical(s)) == ZERO


def points(s: State, out: Points) -> None:
    """Write one point into `out` for the seat that made the last move once the game is over; otherwise write zeros."""
    over = (find_horizontal(s) | find_vertical(s)) == ZERO
    out[0] = 1 if over and s.turn == 1 else 0
    out[1] = 1 if over and s.turn == 0 else 0
