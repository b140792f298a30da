"""The rules of Square Off over one record of bitboards.

A cell is its row, shifted left by `shift` bits, plus its column; see `board.py` for bitboards. `men` and `marks` are by
colour, and `swapped` is the seat that has White. White is to move while the number of men is even, since every move but
the swap adds one man.
"""

import numpy as np

from fourcorners.builtin.square_off.board import (
    compute_symmetry_weight,
    find_symmetries,
    has_cell,
    mark_squares,
    recompute_marks,
)
from fourcorners.builtin.square_off.options import BLACK, WHITE, SquareOffOptions, get_row_shift, list_cells
from fourcorners.core.arrays import Actions, Estimates, Points, Rng, State
from fourcorners.core.bits import ONE, ZERO, bit, lowest_bit, nth_bit, popcount, random_below
from fourcorners.core.jit import jitable

DTYPE = np.dtype(
    [
        ("men", np.uint64, (2, 4)),
        ("marks", np.uint64, (2, 4)),
        ("free", np.uint64, (4,)),
        # The symmetry weights of the white men less those of the black men: 0 if the position is symmetric.
        ("balance", np.int64),
        ("marked", np.int16, (2,)),  # the number of marked men, by colour
        ("placed", np.int16),  # the number of men on the board
        # The cell of Black's last man while White may replace it, otherwise -1, so that equal positions are equal.
        ("last", np.int16),
        ("side", np.uint8),  # cells along a side of the board
        ("shift", np.uint8),
        ("may_swap", np.uint8),  # the option `swap`
        ("swapped", np.uint8),
        ("right", np.uint8),  # NEVER, SPENT, ONCE or ALWAYS
        ("current", np.uint8),  # whether a man is marked only while it stands on a complete square
        ("pad", np.uint8, (2,)),
    ]
)
MAX_SEATS = 2
MAX_PLIES = 257

# Actions: a cell; SWAP; or RIGHT + 256 * the cell of the replaced man + the cell it goes to.
SWAP = 256
RIGHT = 512

# Values of `right`: how often White may still use the symmetry right.
NEVER, SPENT, ONCE, ALWAYS = 0, 1, 2, 3


def start(s: State, options: SquareOffOptions, deck: tuple[str, ...]) -> None:
    """Fill a zeroed record in place with the empty board of these options; `deck` is ignored, as there is none."""
    s.side = options.size
    s.shift = get_row_shift(options.size)
    s.may_swap = options.swap
    s.right = {"none": NEVER, "once": ONCE, "each": ALWAYS}[options.symmetry]
    s.current = options.marks == "current"
    s.last = -1
    for cell in list_cells(options.size):
        s.free[cell >> 6] |= bit(cell & 63)


@jitable
def has_symmetry_right(s: State) -> bool:
    """Return whether White is to move and may use the symmetry right, computed from the men and `right`, not `last`."""
    placed = np.int64(s.placed)
    # The quick tests come first: they settle nearly all positions.
    if s.balance != 0 or placed & 1 != 0 or placed == 0 or s.right < ONCE:
        return False
    return count_free(s) > 0 and find_symmetries(s) != 0


@jitable
def can_swap(s: State) -> bool:
    """Return whether the seat to move may take over White's first man."""
    return s.placed == 1 and s.may_swap != 0 and s.swapped == 0


@jitable
def count_free(s: State) -> int:
    """Return the number of free cells."""
    return np.int64(s.side) * np.int64(s.side) - np.int64(s.placed)


@jitable
def bound(s: State) -> int:
    """Return an upper bound of the number of legal actions: each free cell twice, and the swap."""
    return 2 * count_free(s) + 1


@jitable
def legal(s: State, out: Actions) -> int:
    """Write the free cells, ascending, then the swap or the uses of the symmetry right into `out`; return their number.
    `out` has `bound(s)` entries or more.
    """
    n = 0
    for word in range(4):
        rest = s.free[word]
        while rest != ZERO:
            out[n] = 64 * word + lowest_bit(rest)
            n += 1
            rest = rest & (rest - ONE)
    if can_swap(s):
        out[n] = SWAP
        n += 1
    # While White may replace a man there is no swap: n is the number of free cells here.
    if s.last >= 0:
        base = RIGHT + (np.int64(s.last) << 8)
        for i in range(n):
            out[n + i] = base + out[i]
        n = 2 * n
    return n


@jitable
def pick(s: State, rng: Rng) -> int:
    """Draw a legal action uniformly at random; the board must not be full (not checked)."""
    free = count_free(s)
    n = free
    if can_swap(s):
        n += 1
    if s.last >= 0:
        n += free
    chosen = random_below(rng, n)
    base = 0
    if chosen >= free:
        if s.last < 0:
            return SWAP
        base = RIGHT + (np.int64(s.last) << 8)
        chosen -= free
    word = 0
    count = popcount(s.free[0])
    while chosen >= count:
        chosen -= count
        word += 1
        count = popcount(s.free[word])
    return base + 64 * word + nth_bit(s.free[word], chosen)


@jitable
def play(s: State, action: int) -> None:
    """Place a man, swap, or use the symmetry right, in place; the action must be legal (not checked)."""
    if action == SWAP:
        s.swapped = 1
        return
    colour = np.int64(s.placed) & 1
    cell = action & 255
    s.free[cell >> 6] ^= bit(cell & 63)
    s.placed = np.int64(s.placed) + 1
    s.last = -1
    if action >= RIGHT:
        replace_last_man(s, (action - RIGHT) >> 8, cell)
        return
    s.men[colour, cell >> 6] |= bit(cell & 63)
    s.balance += compute_symmetry_weight(s, cell) * (1 - 2 * colour)
    mark_squares(s, colour, cell)
    if has_symmetry_right(s):
        s.last = cell


@jitable
def replace_last_man(s: State, replaced: int, target: int) -> None:
    """Replace Black's last man, on the cell `replaced`, with a white one and move it to the cell `target`, in place.
    The caller has already updated `free`, `placed` and `last`.
    """
    if s.right == ONCE:
        s.right = SPENT
    s.men[BLACK, replaced >> 6] ^= bit(replaced & 63)
    s.men[BLACK, target >> 6] |= bit(target & 63)
    s.men[WHITE, replaced >> 6] |= bit(replaced & 63)
    s.balance += 2 * compute_symmetry_weight(s, replaced) - compute_symmetry_weight(s, target)
    if has_cell(s.marks[BLACK], replaced):
        s.marks[BLACK, replaced >> 6] ^= bit(replaced & 63)
        s.marks[BLACK, target >> 6] |= bit(target & 63)
    mark_squares(s, WHITE, replaced)
    if s.current != 0:
        recompute_marks(s, BLACK)
    else:
        mark_squares(s, BLACK, target)


@jitable
def to_move(s: State) -> int:
    """Return the seat to move; on a full board, the seat that would be next."""
    return (np.int64(s.placed) & 1) ^ np.int64(s.swapped)


@jitable
def is_over(s: State) -> bool:
    """Return whether the board is full."""
    return count_free(s) == 0


@jitable
def points(s: State, out: Points | Estimates) -> None:
    """Write the number of marked men of seats 0 and 1 into `out`, at any time in the game."""
    swapped = np.int64(s.swapped)
    out[swapped] = np.int64(s.marked[WHITE])
    out[1 - swapped] = np.int64(s.marked[BLACK])
