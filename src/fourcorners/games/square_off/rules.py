"""The rules of Square Off, interpreted and compiled alike.

A cell is 16 * row + column on every size of board, so that a row is 16 bits of a word of four rows and nothing is
ever divided. `men` and `marks` are by colour; which seat has White is in `swapped`. White moves when the number of men
is even, as every move but the swap adds one man.
"""

from __future__ import annotations

import numpy as np

from fourcorners.core.bits import Rng, bit, lowest, nth_bit, popcount, random_below
from fourcorners.core.jit import jitable
from fourcorners.core.kernel import Actions, Points, State
from fourcorners.games.square_off.options import BLACK, WHITE, SquareOffOptions

DTYPE = np.dtype(
    [
        ("men", np.uint64, (2, 4)),
        ("marks", np.uint64, (2, 4)),
        ("free", np.uint64, (4,)),
        ("marked", np.int16, (2,)),
        ("placed", np.int16),
        # Black's last man while White may replace him, otherwise -1: other positions do not depend on him.
        ("last", np.int16),
        ("side", np.uint8),
        ("may_swap", np.uint8),
        ("swapped", np.uint8),
        ("right", np.uint8),
        ("current", np.uint8),
        ("pad", np.uint8, (3,)),
    ]
)
MAX_SEATS = 2
MAX_PLIES = 257

# Actions: a cell; SWAP; RIGHT + 256 * the cell of the replaced man + the cell he goes to.
SWAP = 256
RIGHT = 512

# Values of `right`, which tells how often White may still use the symmetry right.
NEVER, ONCE, ALWAYS = 0, 1, 2

LEFT_RIGHT, TOP_BOTTOM, HALF_TURN = 1, 2, 4

_ZERO, _ONE = np.uint64(0), np.uint64(1)
_ROW = np.uint64(0xFFFF)


def start(s: State, options: SquareOffOptions, deck: tuple[str, ...]) -> None:
    """Fill a zeroed record with the empty board."""
    s.side = options.size
    s.may_swap = options.swap
    s.right = {"none": NEVER, "once": ONCE, "each": ALWAYS}[options.symmetry]
    s.current = options.marks == "current"
    s.last = -1
    for cell in cells(options.size):
        s.free[cell >> 6] |= bit(cell & 63)


def cells(size: int) -> tuple[int, ...]:
    """Return the cells of a board, row by row from a1."""
    return tuple(16 * row + column for row in range(size) for column in range(size))


@jitable
def has(words: object, cell: int) -> bool:
    """Tell whether a board of four words has a cell."""
    return words[cell >> 6] & bit(cell & 63) != _ZERO  # type: ignore[index,no-any-return]  # an array of four words


@jitable
def row_bits(s: State, colour: int, row: int) -> int:
    """Return the men of a colour on a row, the first column in the lowest bit."""
    return np.int64((s.men[colour, row >> 2] >> np.uint64((row & 3) << 4)) & _ROW)


@jitable
def partners(s: State, colour: int, cell: int, row: int) -> int:
    """Return the columns in which this row holds the far side of a complete square with a corner on the cell."""
    own_row, column = cell >> 4, cell & 15
    here = 1 << column
    theirs = row_bits(s, colour, row)
    if row == own_row or theirs & here == 0:
        return 0
    half = np.int64(s.side) >> 1
    side = abs(row - own_row)
    # The other column lies in the same half of the board exactly when the other row does.
    low = (column < half) == ((row < half) == (own_row < half))
    reach = (1 << half) - 1
    if not low:
        reach = reach << half
    return row_bits(s, colour, own_row) & theirs & ((here << side) | (here >> side)) & reach


@jitable
def mark(s: State, colour: int, cell: int) -> None:
    """Mark all men of the squares that the man on this cell completes."""
    own_row, here = cell >> 4, 1 << (cell & 15)
    changed = False
    for row in range(np.int64(s.side)):
        columns = partners(s, colour, cell, row)
        if columns != 0:
            changed = True
            pair = np.uint64(columns | here)
            s.marks[colour, row >> 2] |= pair << np.uint64((row & 3) << 4)
            s.marks[colour, own_row >> 2] |= pair << np.uint64((own_row & 3) << 4)
    if changed:
        count_marks(s, colour)


@jitable
def count_marks(s: State, colour: int) -> None:
    """Count the marked men of a colour anew."""
    count = 0
    for word in range(4):
        count += popcount(s.marks[colour, word])
    s.marked[colour] = count


@jitable
def mark_anew(s: State, colour: int) -> None:
    """Mark exactly the men of a colour that stand on complete squares."""
    for word in range(4):
        s.marks[colour, word] = _ZERO
    count_marks(s, colour)
    for word in range(4):
        rest = s.men[colour, word]
        while rest != _ZERO:
            mark(s, colour, 64 * word + lowest(rest))
            rest = rest & (rest - _ONE)


@jitable
def mirrored(row: int, size: int) -> int:
    """Return a row of bits from right to left."""
    row = ((row & 0x5555) << 1) | ((row >> 1) & 0x5555)
    row = ((row & 0x3333) << 2) | ((row >> 2) & 0x3333)
    row = ((row & 0x0F0F) << 4) | ((row >> 4) & 0x0F0F)
    row = ((row & 0x00FF) << 8) | ((row >> 8) & 0x00FF)
    return row >> (16 - size)


@jitable
def symmetries(s: State) -> int:
    """Return which mirrorings carry the white men exactly onto the black men."""
    size = np.int64(s.side)
    found = LEFT_RIGHT | TOP_BOTTOM | HALF_TURN
    for row in range(size):
        black = row_bits(s, BLACK, row)
        level = row_bits(s, WHITE, row)
        across = row_bits(s, WHITE, size - 1 - row)
        if mirrored(level, size) != black:
            found &= ~LEFT_RIGHT
        if across != black:
            found &= ~TOP_BOTTOM
        if mirrored(across, size) != black:
            found &= ~HALF_TURN
        if found == 0:
            break
    return found


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
            out[n] = 64 * word + lowest(rest)
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
    mark(s, colour, cell)
    if colour == BLACK and s.right != NEVER and left(s) > 0 and symmetries(s) != 0:
        s.last = cell


@jitable
def replace(s: State, replaced: int, target: int) -> None:
    """Put a white man in the place of a black one, who goes to the target with the mark he has."""
    if s.right == ONCE:
        s.right = NEVER
    s.men[BLACK, replaced >> 6] ^= bit(replaced & 63)
    s.men[BLACK, target >> 6] |= bit(target & 63)
    s.men[WHITE, replaced >> 6] |= bit(replaced & 63)
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
