"""The rules of Square Off, interpreted and compiled alike.

A cell is its row, shifted by `shift`, and its column: rows of 8 bits up to the 8 x 8 board, which is one word then,
and of 16 bits above. `men` and `marks` are by colour; which seat has White is in `swapped`. White moves when the number
of men is even, as every move but the swap adds one man.
"""

from __future__ import annotations

import numpy as np

from fourcorners.core.bits import Rng, bit, lowest_bit, nth_bit, popcount, random_below
from fourcorners.core.dispatch import Actions, Points, State
from fourcorners.core.jit import jitable
from fourcorners.games.square_off.options import BLACK, WHITE, SquareOffOptions, cells, shift_of
from fourcorners.games.square_off.squares import has, mark, mark_anew, symmetries, weight

DTYPE = np.dtype(
    [
        ("men", np.uint64, (2, 4)),
        ("marks", np.uint64, (2, 4)),
        ("free", np.uint64, (4,)),
        # The weights of the white men less those of the black men: 0 in every symmetric position, seldom in others.
        ("balance", np.int64),
        ("marked", np.int16, (2,)),
        ("placed", np.int16),
        # Black's last man while White may replace him, otherwise -1: other positions do not depend on him.
        ("last", np.int16),
        ("side", np.uint8),
        ("shift", np.uint8),
        ("may_swap", np.uint8),
        ("swapped", np.uint8),
        ("right", np.uint8),
        ("current", np.uint8),
        ("pad", np.uint8, (2,)),
    ]
)
MAX_SEATS = 2
MAX_PLIES = 257

# Actions: a cell; SWAP; RIGHT + 256 * the cell of the replaced man + the cell he goes to.
SWAP = 256
RIGHT = 512

# Values of `right`, which tells how often White may use the symmetry right.
NEVER, SPENT, ONCE, ALWAYS = 0, 1, 2, 3

_ZERO, _ONE = np.uint64(0), np.uint64(1)


def start(s: State, options: SquareOffOptions, deck: tuple[str, ...]) -> None:
    """Fill a zeroed record with the empty board."""
    s.side = options.size
    s.shift = shift_of(options.size)
    s.may_swap = options.swap
    s.right = {"none": NEVER, "once": ONCE, "each": ALWAYS}[options.symmetry]
    s.current = options.marks == "current"
    s.last = -1
    for cell in cells(options.size):
        s.free[cell >> 6] |= bit(cell & 63)


@jitable
def makes_right(s: State) -> bool:
    """Tell whether White is to move and may use the symmetry right."""
    placed = np.int64(s.placed)
    # The quick tests come first.
    if s.balance != 0 or placed & 1 != 0 or placed == 0 or s.right < ONCE:
        return False
    return left(s) > 0 and symmetries(s) != 0


@jitable
def swap_open(s: State) -> bool:
    """Tell whether the white man may be taken over now."""
    return s.placed == 1 and s.may_swap != 0 and s.swapped == 0


@jitable
def left(s: State) -> int:
    """Return the number of free cells."""
    return np.int64(s.side) * np.int64(s.side) - np.int64(s.placed)


@jitable
def bound(s: State) -> int:
    """Count the legal actions, or a few more."""
    return 2 * left(s) + 1


@jitable
def legal(s: State, out: Actions) -> int:
    """List the free cells, then the swap or the uses of the symmetry right."""
    n = 0
    for word in range(4):
        rest = s.free[word]
        while rest != _ZERO:
            out[n] = 64 * word + lowest_bit(rest)
            n += 1
            rest = rest & (rest - _ONE)
    if swap_open(s):
        out[n] = SWAP
        n += 1
    if s.last >= 0:
        base = RIGHT + (np.int64(s.last) << 8)
        for i in range(n):
            out[n + i] = base + out[i]
        n = 2 * n
    return n


@jitable
def pick(s: State, rng: Rng) -> int:
    """Draw a legal action."""
    cells_left = left(s)
    n = cells_left
    if swap_open(s):
        n += 1
    if s.last >= 0:
        n += cells_left
    chosen = random_below(rng, n)
    base = 0
    if chosen >= cells_left:
        if s.last < 0:
            return SWAP
        base = RIGHT + (np.int64(s.last) << 8)
        chosen -= cells_left
    word = 0
    count = popcount(s.free[0])
    while chosen >= count:
        chosen -= count
        word += 1
        count = popcount(s.free[word])
    return base + 64 * word + nth_bit(s.free[word], chosen)


@jitable
def play(s: State, action: int) -> None:
    """Place a man, swap, or use the symmetry right."""
    if action == SWAP:
        s.swapped = 1
        return
    colour = np.int64(s.placed) & 1
    cell = action & 255
    s.free[cell >> 6] ^= bit(cell & 63)
    s.placed = np.int64(s.placed) + 1
    s.last = -1
    if action >= RIGHT:
        replace(s, (action - RIGHT) >> 8, cell)
        return
    s.men[colour, cell >> 6] |= bit(cell & 63)
    s.balance += weight(s, cell) * (1 - 2 * colour)
    mark(s, colour, cell)
    if makes_right(s):
        s.last = cell


@jitable
def replace(s: State, replaced: int, target: int) -> None:
    """Put a white man in the place of a black one, who goes to the target with the mark he has."""
    if s.right == ONCE:
        s.right = SPENT
    s.men[BLACK, replaced >> 6] ^= bit(replaced & 63)
    s.men[BLACK, target >> 6] |= bit(target & 63)
    s.men[WHITE, replaced >> 6] |= bit(replaced & 63)
    s.balance += 2 * weight(s, replaced) - weight(s, target)
    if has(s.marks[BLACK], replaced):
        s.marks[BLACK, replaced >> 6] ^= bit(replaced & 63)
        s.marks[BLACK, target >> 6] |= bit(target & 63)
    mark(s, WHITE, replaced)
    if s.current != 0:
        mark_anew(s, BLACK)
    else:
        mark(s, BLACK, target)


@jitable
def to_move(s: State) -> int:
    """Return the seat to move."""
    return (np.int64(s.placed) & 1) ^ np.int64(s.swapped)


@jitable
def is_over(s: State) -> bool:
    """Tell whether the board is full."""
    return left(s) == 0


@jitable
def points(s: State, out: Points) -> None:
    """Count the marked men of each seat."""
    swapped = np.int64(s.swapped)
    out[swapped] = np.int64(s.marked[WHITE])
    out[1 - swapped] = np.int64(s.marked[BLACK])
