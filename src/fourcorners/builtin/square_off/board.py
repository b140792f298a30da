"""The board of Square Off as bitboards: completing squares, marking men, mirror symmetry.

A bitboard is four words of 64 cells. Rows are 8 bits wide on boards up to 8 x 8, which fit into the first word, and 16
bits wide on larger ones. A row taken by itself is an integer with column a in bit 0. A square counts if its corners lie
in one quarter or one in each; see `list_squares`.
"""

from typing import Any

import numpy as np

from fourcorners.builtin.square_off.options import BLACK, WHITE
from fourcorners.core.arrays import State
from fourcorners.core.bits import ONE, ZERO, bit, lowest_bit, popcount
from fourcorners.core.jit import jitable

LEFT_RIGHT, TOP_BOTTOM, HALF_TURN = 1, 2, 4
"""The symmetries that give White a right: two reflections and the rotation by 180 degrees, as flags."""

_ROW_MASK = np.uint64(0xFFFF)


def to_integer(words: Any) -> int:
    """Return a bitboard, an array of four words, as one integer with a bit for each cell."""
    return sum(word << 64 * i for i, word in enumerate(words.tolist()))


@jitable
def has_cell(words: object, cell: int) -> bool:
    """Return whether a bitboard, an array of four words, has the bit of a cell."""
    return words[cell >> 6] & bit(cell & 63) != ZERO  # type: ignore[index]  # an array of four words


@jitable
def get_row(s: State, colour: int, row: int) -> int:
    """Return the men of a colour on a row (from 0 at the bottom) as an integer with column a in bit 0."""
    first = row << np.int64(s.shift)
    return np.int64((s.men[colour, first >> 6] >> np.uint64(first & 63)) & _ROW_MASK) & ((1 << np.int64(s.side)) - 1)


@jitable
def mark_squares(s: State, colour: int, cell: int) -> None:
    """Add to a colour's marks, in place, the men of squares completed by its man already on `cell`; update `marked`."""
    # With constant arguments the compiler unrolls the loops. Random playouts spend most of their time here.
    if s.shift == 3:
        _mark_squares(s, colour, cell, 1, np.int64(s.side), 3)
    else:
        _mark_squares(s, colour, cell, 4, 4, 4)


@jitable
def _mark_squares(s: State, colour: int, cell: int, words: int, rows: int, shift: int) -> None:
    """Mark squares as `mark_squares` does, on a board of `words` words with `rows` rows of `1 << shift` bits in each.
    For every other row, the square's side is its distance to the man's row, which leaves two candidate columns.
    """
    own_row, column = cell >> shift, cell & ((1 << shift) - 1)
    here = 1 << column
    half = np.int64(s.side) >> 1
    is_lower = own_row < half
    # The men beside this one, by half of the board: a square lies in one quarter, or has a corner in each. So its other
    # column is in the same half as this column exactly if its other row is in the same half as this row.
    first = own_row << shift
    beside = get_row(s, colour, own_row) ^ here
    near = beside & ((1 << half) - 1)
    if column >= half:
        near = near ^ beside
    far = near ^ beside
    found = 0
    # No branch depends on the men: the processor mispredicts such branches, which took most of the time of playouts.
    for word in range(words):
        men = s.men[colour, word]
        marks = ZERO
        for i in range(rows):
            row = word * rows + i
            row_men = np.int64((men >> np.uint64(i << shift)) & _ROW_MASK)
            side = abs(row - own_row)
            candidates = near if (row < half) == is_lower else far
            # -x is all ones if x is 1, and 0 if x is 0: no columns unless a man stands in this column of the row.
            columns = candidates & row_men & ((here << side) | (here >> side)) & -((row_men >> column) & 1)
            found |= columns
            # -x >> 63 is all ones if x > 0: this column is marked, too, if any other column is.
            marks |= np.uint64(columns | ((-columns >> 63) & here)) << np.uint64(i << shift)
        s.marks[colour, word] |= marks
    if found != 0:
        s.marks[colour, first >> 6] |= np.uint64(found | here) << np.uint64(first & 63)
        _update_mark_count(s, colour)


@jitable
def _update_mark_count(s: State, colour: int) -> None:
    """Set, in place, `marked` of a colour, the number of its marked men, from its `marks`."""
    count = 0
    for word in range(4):
        count += popcount(s.marks[colour, word])
    s.marked[colour] = count


@jitable
def recompute_marks(s: State, colour: int) -> None:
    """Mark exactly the men of a colour on complete squares, in place, and drop all earlier marks."""
    for word in range(4):
        s.marks[colour, word] = ZERO
    _update_mark_count(s, colour)
    for word in range(4):
        rest = s.men[colour, word]
        while rest != ZERO:
            mark_squares(s, colour, 64 * word + lowest_bit(rest))
            rest = rest & (rest - ONE)


@jitable
def reverse_row(row: int, size: int) -> int:
    """Return a row of `size` columns (at most 16) with its columns in reverse order."""
    # Swap neighbouring bits, then pairs, nibbles and bytes.
    row = ((row & 0x5555) << 1) | ((row >> 1) & 0x5555)
    row = ((row & 0x3333) << 2) | ((row >> 2) & 0x3333)
    row = ((row & 0x0F0F) << 4) | ((row >> 4) & 0x0F0F)
    row = ((row & 0x00FF) << 8) | ((row >> 8) & 0x00FF)
    return row >> (16 - size)


@jitable
def compute_symmetry_weight(s: State, cell: int) -> int:
    """Return a number that is the same for a cell and all its mirror images (and perhaps for other cells).

    If a symmetry maps the white men onto the black ones, their weights have equal sums, which is a quick first test.
    """
    # Three bits for each of sixteen kinds of cells: up to 8 x 8 a kind is one cell with its images, four at most. On
    # larger boards different cells share a kind.
    shift, end = np.int64(s.shift), np.int64(s.side) - 1
    row, column = cell >> shift, cell & ((1 << shift) - 1)
    return 1 << (3 * ((4 * min(row, end - row) + min(column, end - column)) & 15))


@jitable
def find_symmetries(s: State) -> int:
    """Return the sum of the flags of the symmetries that map the white men exactly onto the black men; 0 if none does.

    On an empty board, all three do.
    """
    size = np.int64(s.side)
    found = LEFT_RIGHT | TOP_BOTTOM | HALF_TURN
    for row in range(size):
        black = get_row(s, BLACK, row)
        same_row = get_row(s, WHITE, row)
        opposite_row = get_row(s, WHITE, size - 1 - row)
        if reverse_row(same_row, size) != black:
            found &= ~LEFT_RIGHT
        if opposite_row != black:
            found &= ~TOP_BOTTOM
        if reverse_row(opposite_row, size) != black:
            found &= ~HALF_TURN
        if found == 0:
            break
    return found
