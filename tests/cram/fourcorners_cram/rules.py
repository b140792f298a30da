"""The rules of Cram. An action is the domino's lower-left cell times two, plus one if it stands upright."""

import numpy as np

from fourcorners.core.bits import ONE, ZERO, Rng, lowest_bit, nth_bit, popcount, random_below
from fourcorners.core.dispatch import Actions, Points, State
from fourcorners.core.jit import jitable
from fourcorners_cram.options import Options

DTYPE = np.dtype([("free", np.uint64), ("cram_cols", np.int8), ("rows", np.int8), ("turn", np.int8), ("pad", np.int8)])
MAX_SEATS = 2
MAX_PLIES = 32
_RIGHT, _UP = np.uint64(1), np.uint64(8)
_NOT_LAST_COLUMN = np.uint64(0x7F7F7F7F7F7F7F7F)


def start(s: State, options: Options, deck: tuple[str, ...]) -> None:
    """Clear the board."""
    s.cram_cols, s.rows = options.cols, options.rows
    s.free = sum(1 << (8 * y + x) for y in range(options.rows) for x in range(options.cols))


@jitable
def lying(s: State) -> np.uint64:
    """Return the cells on which a lying domino can begin."""
    return s.free & (s.free >> _RIGHT) & _NOT_LAST_COLUMN


@jitable
def standing(s: State) -> np.uint64:
    """Return the cells on which a standing domino can begin."""
    return s.free & (s.free >> _UP)


def bound(s: State) -> int:
    """See the contract."""
    return 112


def legal(s: State, out: Actions) -> int:
    """See the contract."""
    n = 0
    for upright in range(2):
        cells = standing(s) if upright else lying(s)
        while cells != ZERO:
            out[n] = 2 * lowest_bit(cells) + upright
            cells = cells & (cells - ONE)
            n += 1
    return n


def play(s: State, action: int) -> None:
    """See the contract."""
    step = _UP if action & 1 else _RIGHT
    cell = ONE << np.uint64(action >> 1)
    s.free = s.free & ~(cell | (cell << step))
    s.turn = 1 - s.turn


def pick(s: State, rng: Rng) -> int:
    """See the contract."""
    cells = lying(s)
    n = popcount(cells)
    k = random_below(rng, n + popcount(standing(s)))
    if k < n:
        return 2 * nth_bit(cells, k)
    return 2 * nth_bit(standing(s), k - n) + 1


def to_move(s: State) -> int:
    """See the contract."""
    return np.int64(s.turn)


def is_over(s: State) -> bool:
    """See the contract."""
    return (lying(s) | standing(s)) == ZERO


def points(s: State, out: Points) -> None:
    """Give the point to the seat that made the last move."""
    over = (lying(s) | standing(s)) == ZERO
    out[0] = 1 if over and s.turn == 1 else 0
    out[1] = 1 if over and s.turn == 0 else 0
