"""What exact play knows of Cram: free cells that hang together are a part, the least of its images."""

import numpy as np

from fourcorners.core.bits import ONE, ZERO, lowest, popcount
from fourcorners.core.jit import jitable
from fourcorners.core.kernel import State
from fourcorners.core.parts import GAME_BITS, SINGLE, Ends, Words, header
from fourcorners_cram.rules import lying, standing

_LENGTH = 2
_ROW, _COLUMN = np.uint64(0xFF), np.uint64(0x0101010101010101)
_EIGHT = np.uint64(8)
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
def _least_image(cells: np.uint64) -> np.uint64:
    """Return the least of the eight images of some cells, each moved to the corner."""
    best = ~ZERO
    for image in range(8):
        turned = ZERO
        rest = cells
        while rest != ZERO:
            cell = lowest(rest)
            rest = rest & (rest - ONE)
            x, y = cell & 7, cell >> 3
            if image & 1:
                x = 7 - x
            if image & 2:
                y = 7 - y
            if image & 4:
                x, y = y, x
            turned |= ONE << np.uint64(8 * y + x)
        turned = _corner(turned)
        best = min(best, turned)
    return best


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
        if moves == 0:
            continue
        if top + _LENGTH > len(out):
            return -1
        if moves == 1:
            out[top] = SINGLE
            top += 1
        else:
            # No more dominoes fit than half the cells, and not more than there are moves.
            out[top] = header(_LENGTH, min(moves, popcount(one) // 2)) | _MARK
            out[top + 1] = _least_image(one)
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
