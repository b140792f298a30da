"""Men on the board of Square Off: squares and their marks, mirror images. Its functions are compiled, too."""

from __future__ import annotations

import numpy as np

from fourcorners.core.bits import bit, lowest_bit, popcount
from fourcorners.core.dispatch import State
from fourcorners.core.jit import jitable
from fourcorners.games.square_off.options import BLACK, WHITE

LEFT_RIGHT, TOP_BOTTOM, HALF_TURN = 1, 2, 4

_ZERO, _ONE = np.uint64(0), np.uint64(1)
_ROW = np.uint64(0xFFFF)


@jitable
def has(words: object, cell: int) -> bool:
    """Tell whether a board of four words has a cell."""
    return words[cell >> 6] & bit(cell & 63) != _ZERO  # type: ignore[index]  # an array of four words


@jitable
def row_bits(s: State, colour: int, row: int) -> int:
    """Return the men of a colour on a row, the first column in the lowest bit."""
    first = row << np.int64(s.shift)
    return np.int64((s.men[colour, first >> 6] >> np.uint64(first & 63)) & _ROW) & ((1 << np.int64(s.side)) - 1)


@jitable
def mark(s: State, colour: int, cell: int) -> None:
    """Mark all men of the squares that the man on this cell completes."""
    # With the shift known the compiler makes quicker code for each; random play consists of this.
    if s.shift == 3:
        mark_in(s, colour, cell, 1, np.int64(s.side), 3)
    else:
        mark_in(s, colour, cell, 4, 4, 4)


@jitable
def mark_in(s: State, colour: int, cell: int, words: int, rows: int, shift: int) -> None:
    """Do so on a board of so many words and of so many rows in a word."""
    own_row, column = cell >> shift, cell & ((1 << shift) - 1)
    here = 1 << column
    half = np.int64(s.side) >> 1
    lower = own_row < half
    # The men beside him; and those whose column lies in his half of the board, as their row then must.
    first = own_row << shift
    others = row_bits(s, colour, own_row) ^ here
    near = others & ((1 << half) - 1)
    if column >= half:
        near = near ^ others
    far = near ^ others
    found = 0
    # No branch depends on the men: such branches cannot be foretold and took most of the time of random play.
    for word in range(words):
        men = s.men[colour, word]
        marks = _ZERO
        for i in range(rows):
            row = word * rows + i
            theirs = np.int64((men >> np.uint64(i << shift)) & _ROW)
            size = abs(row - own_row)
            reach = near if (row < half) == lower else far
            columns = reach & theirs & ((here << size) | (here >> size)) & -((theirs >> column) & 1)
            found |= columns
            marks |= np.uint64(columns | ((-columns >> 63) & here)) << np.uint64(i << shift)
        s.marks[colour, word] |= marks
    if found != 0:
        s.marks[colour, first >> 6] |= np.uint64(found | here) << np.uint64(first & 63)
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
            mark(s, colour, 64 * word + lowest_bit(rest))
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
def weight(s: State, cell: int) -> int:
    """Return a number that is the same for a cell and all its mirror images."""
    shift, end = np.int64(s.shift), np.int64(s.side) - 1
    row, column = cell >> shift, cell & ((1 << shift) - 1)
    return 1 << (3 * ((4 * min(row, end - row) + min(column, end - column)) & 15))


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
