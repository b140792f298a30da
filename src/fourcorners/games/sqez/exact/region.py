"""A patch of a field: undrawn edges and free dots that still matter, written in one way whichever way it lies."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fourcorners.core.bits import ONE, ZERO, bit
from fourcorners.core.dispatch import State
from fourcorners.core.jit import jitable
from fourcorners.core.nimber_protocol import GAME_BITS, Words, header
from fourcorners.games.sqez.exact.conflict_graph import get, put
from fourcorners.games.sqez.options import MAX_SIDE
from fourcorners.games.sqez.rules import span

LONGEST = 1 + (2 * MAX_SIDE * (MAX_SIDE - 1) + MAX_SIDE * MAX_SIDE + 63) // 64
_COLS, _ROWS, _SIDE = np.uint64(GAME_BITS + 1), np.uint64(GAME_BITS + 8), np.uint64(31)

Lines = NDArray[np.uint64]
"""By row: the edges to the right, the edges upwards, the free dots; then the same three of the field turned over."""
ACROSS, UP, FREE = 0, 1, 2
_TURNED = 3


@jitable
def _reverse(word: np.uint64, length: int) -> np.uint64:
    turned = ZERO
    for _ in range(length):
        turned = (turned << ONE) | (word & ONE)
        word = word >> ONE
    return turned


@jitable
def _turn_over(lines: Lines, cols: int, rows: int) -> None:
    """Write the rows of the field with its columns for rows."""
    for x in range(cols):
        across, up, free = ZERO, ZERO, ZERO
        for y in range(rows):
            at = np.uint64(y)
            across |= ((lines[UP, y] >> np.uint64(x)) & ONE) << at
            up |= ((lines[ACROSS, y] >> np.uint64(x)) & ONE) << at
            free |= ((lines[FREE, y] >> np.uint64(x)) & ONE) << at
        lines[_TURNED + ACROSS, x], lines[_TURNED + UP, x], lines[_TURNED + FREE, x] = across, up, free


@jitable
def _image(lines: Lines, first: int, cols: int, rows: int, flip: int, out: Words, at: int, end: int) -> None:
    """Write one image behind the first word of a part."""
    for i in range(at, end):
        out[i] = ZERO
    offset = 0
    for kind in range(3):
        width, height = cols - (kind == ACROSS), rows - (kind == UP)
        for y in range(height):
            word = lines[first + kind, height - 1 - y if flip & 2 else y]
            put(out, at, offset, _reverse(word, width) if flip & 1 else word)
            offset += width


@jitable
def write(lines: Lines, cols: int, rows: int, weight: int, out: Words, top: int) -> int:
    """Write a patch as a part, the least of its images; return where it ends. There must be room for two of them."""
    bits = rows * (cols - 1) + (rows - 1) * cols + rows * cols
    length = 1 + ((bits + 63) >> 6)
    wide, high = max(cols, rows), min(cols, rows)
    out[top] = header(length, weight) | np.uint64(wide) << _COLS | np.uint64(high) << _ROWS
    if cols <= rows:
        _turn_over(lines, cols, rows)
    best, trial = top + 1, top + length
    begun = False
    for turned in range(2):
        if (cols, rows)[turned] != wide:
            continue
        for flip in range(4):
            _image(lines, turned * _TURNED, wide, high, flip, out, trial, trial + length - 1)
            better = not begun
            if begun:
                for i in range(length - 1):
                    if out[trial + i] != out[best + i]:
                        better = out[trial + i] < out[best + i]
                        break
            if better:
                for i in range(length - 1):
                    out[best + i] = out[trial + i]
            begun = True
    return top + length


@jitable
def lay_out(words: Words, at: int, s: State) -> None:
    """Make of a part a field in which all is drawn that does not matter."""
    cols, rows = np.int64((words[at] >> _COLS) & _SIDE), np.int64((words[at] >> _ROWS) & _SIDE)
    s.cols, s.rows, s.over = cols, rows, 0
    for x in range(cols):
        s.sides[x] = span(0, rows - 1)
    offset = 0
    for y in range(rows):
        s.across[y] = get(words, at + 1, offset, cols - 1) ^ span(0, cols - 1)
        offset += cols - 1
    for y in range(rows - 1):
        undrawn = get(words, at + 1, offset, cols)
        s.up[y] = undrawn ^ span(0, cols)
        for x in range(cols):
            if undrawn & bit(x) != ZERO:
                s.sides[x] = np.uint64(s.sides[x]) & ~bit(y)
        offset += cols
    s.up[rows - 1] = 0
    for y in range(rows):
        s.free[y] = get(words, at + 1, offset, cols)
        offset += cols
