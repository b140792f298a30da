"""What exact play knows of Cram: free cells that hang together are a part, the least of its images.

A part that is its own image after half a turn is left out if nothing is in its middle: its nimber is 0.
The nimbers of all sets of cells in small boxes are found beforehand, the larger boxes only with much memory.
"""

import numpy as np
from numpy.typing import NDArray

from fourcorners.core.bits import ONE, ZERO, popcount
from fourcorners.core.dispatch import State
from fourcorners.core.jit import jitable, kernel
from fourcorners.core.nimber_protocol import GAME_BITS, SINGLE, Ends, Words, header
from fourcorners_cram.options import Options
from fourcorners_cram.rules import lying, standing

_BOXES = ((5, 5), (7, 4), (6, 5))
"""Columns and rows, no more rows than columns as in a least image."""
_STARTS = (0, 1 << 25, (1 << 25) + (1 << 28), (1 << 25) + (1 << 28) + (1 << 30))
_SHARE = 4
"""The boxes get one byte in so many: with the usual memory only the smallest is filled."""
_NOWHERE = 1 << 62
_LENGTH = 2
_ROW, _COLUMN = np.uint64(0xFF), np.uint64(0x0101010101010101)
_EIGHT = np.uint64(8)
_S1, _S2, _S4, _S7, _S8, _S14, _S16, _S28, _S32 = (np.uint64(n) for n in (1, 2, 4, 7, 8, 14, 16, 28, 32))
_H1, _H2, _H4 = (np.uint64(n) for n in (0x5555555555555555, 0x3333333333333333, 0x0F0F0F0F0F0F0F0F))
_V1, _V2 = np.uint64(0x00FF00FF00FF00FF), np.uint64(0x0000FFFF0000FFFF)
_T1, _T2, _T4 = (np.uint64(n) for n in (0x5500550055005500, 0x3333000033330000, 0x0F0F0F0F00000000))
_MARK = ONE << np.uint64(GAME_BITS)


@jitable
def _beside(cells: np.uint64) -> np.uint64:
    """Return the cells next to some cells, and these."""
    left, right = (cells >> ONE) & ~(_COLUMN << np.uint64(7)), (cells << ONE) & ~_COLUMN
    return cells | left | right | cells << _EIGHT | cells >> _EIGHT


@jitable
def _corner(cells: np.uint64) -> np.uint64:
    """Move cells as far as possible to the left and down."""
    while cells & _ROW == ZERO:
        cells = cells >> _EIGHT
    while cells & _COLUMN == ZERO:
        cells = cells >> ONE
    return cells


@jitable
def _level(cells: np.uint64) -> np.uint64:
    """Mirror cells left to right."""
    cells = (cells >> _S1) & _H1 | (cells & _H1) << _S1
    cells = (cells >> _S2) & _H2 | (cells & _H2) << _S2
    return (cells >> _S4) & _H4 | (cells & _H4) << _S4


@jitable
def _upright(cells: np.uint64) -> np.uint64:
    """Mirror cells top to bottom."""
    cells = (cells >> _S8) & _V1 | (cells & _V1) << _S8
    cells = (cells >> _S16) & _V2 | (cells & _V2) << _S16
    return cells >> _S32 | cells << _S32


@jitable
def _turned(cells: np.uint64) -> np.uint64:
    """Mirror cells along the diagonal through the corner."""
    swap = (cells ^ (cells << _S28)) & _T4
    cells = cells ^ swap ^ (swap >> _S28)
    swap = (cells ^ (cells << _S14)) & _T2
    cells = cells ^ swap ^ (swap >> _S14)
    swap = (cells ^ (cells << _S7)) & _T1
    return cells ^ swap ^ (swap >> _S7)


@jitable
def _least_image(cells: np.uint64) -> np.uint64:
    """Return the least of the eight images of some cells, each moved to the corner."""
    best = ~ZERO
    for image in range(8):
        if image == 4:
            cells = _turned(cells)
        elif image & 1 == 1:
            cells = _level(cells)
        elif image > 0:
            cells = _upright(cells)
        best = min(best, _corner(cells))
    return best


@jitable
def _answers_itself(cells: np.uint64) -> bool:
    """Tell whether every domino on these cells can be answered by its image after half a turn: then who moves loses."""
    if _corner(_upright(_level(cells))) != cells:
        return False
    cols, rows = 0, 0
    while cols < 8 and cells & _COLUMN << np.uint64(cols) != ZERO:
        cols += 1
    while rows < 8 and cells & _ROW << np.uint64(8 * rows) != ZERO:
        rows += 1
    # With an odd side there is a cell or a domino in the middle that is, or touches, its own image.
    middle = np.uint64(8 * ((rows - 1) // 2) + (cols - 1) // 2)
    return bool((cols | rows) & 1 == 0 or cells >> middle & ONE == ZERO)


@jitable
def _write_parts(s: State, free: np.uint64, out: Words, top: int) -> int:
    """Write the parts of some free cells; return where they end, -1 without room."""
    while free != ZERO:
        one = free & (~free + ONE)
        wider = _beside(one) & free
        while wider != one:
            one = wider
            wider = _beside(one) & free
        free = free & ~one
        s.free = one
        moves = popcount(lying(s)) + popcount(standing(s))
        image = _least_image(one)
        if moves == 0 or _answers_itself(image):
            continue
        if top + _LENGTH > len(out):
            return -1
        if moves == 1:
            out[top] = SINGLE
            top += 1
        else:
            out[top] = header(_LENGTH, moves) | _MARK
            out[top + 1] = image
            top += _LENGTH
    return top


def split(s: State, out: Words) -> int:
    """See the contract."""
    return _write_parts(s, s.free, out, 0)


def options(s: State, words: Words, at: int, out: Words, ends: Ends) -> int:
    """See the contract."""
    cells = words[at + 1]
    top, n = 0, 0
    for upright in range(2):
        s.free = cells
        step = _EIGHT if upright == 1 else ONE
        starts = standing(s) if upright == 1 else lying(s)
        while starts != ZERO:
            cell = starts & (~starts + ONE)
            starts = starts & (starts - ONE)
            if n == len(ends):
                return -1
            top = _write_parts(s, cells & ~(cell | cell << step), out, top)
            if top < 0:
                return -1
            ends[n] = top
            n += 1
    return n


@kernel
def _fill(nimbers: NDArray[np.uint8], begin: int, cols: int, rows: int) -> None:
    """Write the nimbers of all sets of cells in a box, each after those that its moves lead to."""
    not_last_column = ZERO
    for y in range(rows):
        not_last_column |= ((ONE << np.uint64(cols - 1)) - ONE) << np.uint64(cols * y)
    for code in range(1 << cols * rows):
        cells = np.uint64(code)
        seen = 0
        for upright in range(2):
            step = np.uint64(cols) if upright == 1 else ONE
            starts = cells & cells >> step
            if upright == 0:
                starts &= not_last_column
            while starts != ZERO:
                cell = starts & (~starts + ONE)
                starts = starts & (starts - ONE)
                seen |= 1 << np.int64(nimbers[begin + np.int64(cells ^ (cell | cell << step))])
        nimber = 0
        while seen >> nimber & 1:
            nimber += 1
        nimbers[begin + code] = nimber


def tabulate(options: Options, memory: int) -> NDArray[np.uint8]:
    """See the contract."""
    count = 0
    for (cols, rows), end in zip(_BOXES, _STARTS[1:], strict=True):
        # The box is to be worth its time: the board is larger by a third.
        if 4 * cols * rows <= 3 * options.cols * options.rows and _SHARE * end <= memory:
            count += 1
    nimbers = np.zeros(_STARTS[count], np.uint8)
    for begin, (cols, rows) in zip(_STARTS[:count], _BOXES, strict=False):
        _fill(nimbers, begin, cols, rows)
    return nimbers


@jitable
def place(s: State, words: Words, at: int) -> int:
    """See the contract."""
    if words[at] == SINGLE:
        return _NOWHERE
    cells = words[at + 1]
    cols, rows = 0, 0
    while cols < 8 and cells & _COLUMN << np.uint64(cols) != ZERO:
        cols += 1
    while rows < 8 and cells & _ROW << np.uint64(8 * rows) != ZERO:
        rows += 1
    for i in range(len(_BOXES)):
        width, height = _BOXES[i]
        if cols <= width and rows <= height:
            code = _STARTS[i]
            for y in range(rows):
                code += np.int64(cells >> np.uint64(8 * y) & _ROW) << width * y
            return code
    return _NOWHERE
