"""Regions: components too large for a conflict graph, as undrawn edges and free dots in canonical form."""

import numpy as np
from numpy.typing import NDArray

from fourcorners.builtin.sqez.exact.bit_fields import get_bits, put_bits
from fourcorners.builtin.sqez.rules import bit_range
from fourcorners.core.arrays import State
from fourcorners.core.bits import ONE, ZERO, bit
from fourcorners.core.jit import jitable
from fourcorners.solvers.nimber_protocol import GAME_BITS, Words, header

# Bits of the first word: IS_GRAPH of `conflict_graph`, at GAME_BITS, stays 0; then the columns and the rows of dots.
_COLS, _ROWS, _SIDE_MASK = np.uint64(GAME_BITS + 1), np.uint64(GAME_BITS + 8), np.uint64(31)

Lines = NDArray[np.uint64]
"""A table of shape (6, MAX_SIDE), a word for each row of dots: the undrawn edges to the right (ACROSS), the undrawn
edges upwards (UP), the free dots (FREE); then the same three of the transposed region."""
ACROSS, UP, FREE = 0, 1, 2
_TRANSPOSED = 3


@jitable
def _reverse_bits(word: np.uint64, length: int) -> np.uint64:
    """Return the lowest `length` bits of a word in reverse order; higher bits are dropped."""
    reversed_word = ZERO
    for _ in range(length):
        reversed_word = (reversed_word << ONE) | (word & ONE)
        word = word >> ONE
    return reversed_word


@jitable
def _transpose_region(lines: Lines, cols: int, rows: int) -> None:
    """Write the region of cols x rows dots in the first three rows of `lines`, transposed, into the other three."""
    for kind, source in ((ACROSS, UP), (UP, ACROSS), (FREE, FREE)):
        for x in range(cols):
            column = ZERO
            for y in range(rows):
                column |= ((lines[source, y] >> np.uint64(x)) & ONE) << np.uint64(y)
            lines[_TRANSPOSED + kind, x] = column


@jitable
def _encode_image(lines: Lines, first: int, cols: int, rows: int, flip: int, out: Words, at: int, end: int) -> None:
    """Write one mirror image of a region, without a header, to `out[at:end]`, which must have just as many words.

    `first` is 0 or _TRANSPOSED; bit 0 of `flip` mirrors left to right, bit 1 top to bottom. `cols` and `rows` are those
    of the image, in dots. The order is edges to the right, edges upwards, free dots, each row by row.
    """
    out[at:end] = ZERO
    offset = 0
    for kind in range(3):
        width, height = cols - (kind == ACROSS), rows - (kind == UP)
        for y in range(height):
            word = lines[first + kind, height - 1 - y if flip & 2 else y]
            put_bits(out, at, offset, _reverse_bits(word, width) if flip & 1 else word)
            offset += width


@jitable
def encode_region(lines: Lines, cols: int, rows: int, weight: int, out: Words, top: int) -> int:
    """Write a region from `out[top]` on in canonical form, the smallest of its mirror images; return its end.

    The first three rows of `lines` must be given; the others may be overwritten. `cols` and `rows` count dots, and
    `weight` is an upper bound of the number of moves. The longer side becomes the columns, so all eight images are
    compared only if the region is square. `out` must have room for two encodings.
    """
    bits = rows * (cols - 1) + (rows - 1) * cols + rows * cols
    length = 1 + ((bits + 63) >> 6)
    longer, shorter = max(cols, rows), min(cols, rows)
    out[top] = header(length, weight) | np.uint64(longer) << _COLS | np.uint64(shorter) << _ROWS
    if cols <= rows:  # otherwise no transposed image is compared
        _transpose_region(lines, cols, rows)
    best, trial = top + 1, top + length
    out[best:trial] = ~ZERO  # no image is greater
    for transposed in range(2):
        if (cols, rows)[transposed] != longer:  # the columns of this image
            continue
        for flip in range(4):
            _encode_image(lines, transposed * _TRANSPOSED, longer, shorter, flip, out, trial, trial + length - 1)
            for i in range(length - 1):
                if out[trial + i] != out[best + i]:
                    if out[trial + i] < out[best + i]:
                        # Assigning a slice to a slice would compile Numba's message on shapes: a second more.
                        for k in range(length - 1):
                            out[best + k] = out[trial + k]
                    break
    return top + length


@jitable
def decode_region(words: Words, at: int, s: State) -> None:
    """Turn the record in place into a field with the size, undrawn edges and free dots of the region at `words[at]`.
    The other edges count as drawn, and the game is not over. The other options and the seats stay as they are, and so
    do rows and columns beyond the region, which nothing reads.
    """
    cols, rows = np.int64((words[at] >> _COLS) & _SIDE_MASK), np.int64((words[at] >> _ROWS) & _SIDE_MASK)
    s.cols, s.rows, s.over = cols, rows, 0
    s.sides[:cols] = bit_range(0, rows - 1)  # all drawn; the undrawn ones are cleared below, row by row
    offset = 0
    for y in range(rows):
        s.across[y] = get_bits(words, at + 1, offset, cols - 1) ^ bit_range(0, cols - 1)
        offset += cols - 1
    for y in range(rows - 1):
        undrawn = get_bits(words, at + 1, offset, cols)
        s.up[y] = undrawn ^ bit_range(0, cols)
        for x in range(cols):
            if undrawn & bit(x) != ZERO:
                s.sides[x] = np.uint64(s.sides[x]) & ~bit(y)
        offset += cols
    s.up[rows - 1] = 0
    for y in range(rows):
        s.free[y] = get_bits(words, at + 1, offset, cols)
        offset += cols
