"""Exact play of Cram for the nimber solver (see `fourcorners.solvers.nimber_protocol`).

A component is a set of connected free cells, encoded as a word in canonical form: the smallest of its eight mirror
images and rotations, each moved to the corner. A component that half a turn carries onto itself, with nothing in its
middle, has nimber 0 and is left out.
"""

import numpy as np

from fourcorners.core.arrays import State
from fourcorners.core.bits import ONE, ZERO, popcount
from fourcorners.core.jit import jitable
from fourcorners.solvers.nimber_protocol import GAME_BITS, SINGLE, Ends, Words, header
from fourcorners_cram.rules import find_horizontal, find_vertical

OPTIONS = ("cols", "rows")
_LENGTH = 2  # words of an encoded component
_ROW, _COLUMN = np.uint64(0xFF), np.uint64(0x0101010101010101)
_EIGHT = np.uint64(8)
_S1, _S2, _S4, _S7, _S8, _S14, _S16, _S28, _S32 = (np.uint64(n) for n in (1, 2, 4, 7, 8, 14, 16, 28, 32))
# Masks to reflect a word of 8 x 8 cells: columns (H), rows (V), and along the diagonal (D).
_H1, _H2, _H4 = (np.uint64(n) for n in (0x5555555555555555, 0x3333333333333333, 0x0F0F0F0F0F0F0F0F))
_V1, _V2 = np.uint64(0x00FF00FF00FF00FF), np.uint64(0x0000FFFF0000FFFF)
_D1, _D2, _D4 = (np.uint64(n) for n in (0x5500550055005500, 0x3333000033330000, 0x0F0F0F0F00000000))
# The game may use the upper bits of the first word; one of them makes it differ from SINGLE whatever the weight.
_COMPONENT = ONE << np.uint64(GAME_BITS)


@jitable
def _add_neighbours(cells: np.uint64) -> np.uint64:
    """Return the given cells and all their neighbours on 8 x 8 cells, free or not."""
    # Shifted bits that left their row arrive in the column at the other side, which is masked.
    left, right = (cells >> ONE) & ~(_COLUMN << np.uint64(7)), (cells << ONE) & ~_COLUMN
    return cells | left | right | cells << _EIGHT | cells >> _EIGHT


@jitable
def _move_to_corner(cells: np.uint64) -> np.uint64:
    """Return cells, of which there must be one, moved as far as possible to the left and down."""
    while cells & _ROW == ZERO:
        cells = cells >> _EIGHT
    while cells & _COLUMN == ZERO:
        cells = cells >> ONE
    return cells


@jitable
def _reflect_columns(cells: np.uint64) -> np.uint64:
    """Return cells reflected left to right: swap neighbouring bits, pairs and nibbles in each row."""
    cells = (cells >> _S1) & _H1 | (cells & _H1) << _S1
    cells = (cells >> _S2) & _H2 | (cells & _H2) << _S2
    return (cells >> _S4) & _H4 | (cells & _H4) << _S4


@jitable
def _reflect_rows(cells: np.uint64) -> np.uint64:
    """Return cells reflected top to bottom: swap neighbouring bytes, pairs of bytes and halves."""
    cells = (cells >> _S8) & _V1 | (cells & _V1) << _S8
    cells = (cells >> _S16) & _V2 | (cells & _V2) << _S16
    return cells >> _S32 | cells << _S32


@jitable
def _transpose(cells: np.uint64) -> np.uint64:
    """Return cells with rows and columns exchanged, by delta swaps of 4 x 4 blocks, then of 2 x 2, then of cells."""
    swap = (cells ^ (cells << _S28)) & _D4
    cells = cells ^ swap ^ (swap >> _S28)
    swap = (cells ^ (cells << _S14)) & _D2
    cells = cells ^ swap ^ (swap >> _S14)
    swap = (cells ^ (cells << _S7)) & _D1
    return cells ^ swap ^ (swap >> _S7)


@jitable
def _canonicalise(cells: np.uint64) -> np.uint64:
    """Return the smallest of the eight images of some cells (at least one), each moved to the corner."""
    best = ~ZERO
    # Alternating the two reflections goes through four images; after the transposition come the other four.
    for image in range(8):
        if image == 4:
            cells = _transpose(cells)
        elif image & 1 == 1:
            cells = _reflect_columns(cells)
        elif image > 0:
            cells = _reflect_rows(cells)
        best = min(best, _move_to_corner(cells))
    return best


@jitable
def _measure_component(cells: np.uint64) -> tuple[int, int]:
    """Return the number of columns and of rows, up to 8, of connected cells that were moved to the corner."""
    cols, rows = 0, 0
    while cols < 8 and cells & _COLUMN << np.uint64(cols) != ZERO:
        cols += 1
    while rows < 8 and cells & _ROW << np.uint64(8 * rows) != ZERO:
        rows += 1
    return cols, rows


@jitable
def _has_mirror_strategy(cells: np.uint64) -> bool:
    """Return whether every domino on these cells can be answered by its image after half a turn: the mover loses.

    The cells must be connected and moved to the corner. False means only that this strategy does not apply.
    """
    if _move_to_corner(_reflect_rows(_reflect_columns(cells))) != cells:
        return False
    cols, rows = _measure_component(cells)
    # With an odd side there is a cell or a domino in the middle that is, or touches, its own image.
    middle = np.uint64(8 * ((rows - 1) // 2) + (cols - 1) // 2)
    return bool((cols | rows) & 1 == 0 or cells >> middle & ONE == ZERO)


@jitable
def _encode_components(s: State, free: np.uint64, out: Words, top: int) -> int:
    """Write the components of the free cells `free` from `out[top]` on; return the index after the last word.

    Leave out those without moves or with a mirror strategy, as their nimber is 0. Return -1 if `out` is too short. `s`
    is a record to work in: `s.free` is overwritten.
    """
    while free != ZERO:
        component = free & (~free + ONE)  # the lowest free cell, from which the component grows
        expanded = _add_neighbours(component) & free
        while expanded != component:
            component = expanded
            expanded = _add_neighbours(component) & free
        free = free & ~component
        s.free = component
        moves = popcount(find_horizontal(s)) + popcount(find_vertical(s))
        image = _canonicalise(component)
        if moves == 0 or _has_mirror_strategy(image):
            continue
        # A single move needs only one word, but it is simpler to always ask for the longest.
        if top + _LENGTH > len(out):
            return -1
        if moves == 1:
            out[top] = SINGLE
            top += 1
        else:
            out[top] = header(_LENGTH, moves) | _COMPONENT
            out[top + 1] = image
            top += _LENGTH
    return top


def split(s: State, out: Words) -> int:
    """Write the components of a position from `out[0]` on; return the number of words, or -1 if `out` is too short.

    The field `free` of the record is overwritten.
    """
    return _encode_components(s, s.free, out, 0)


def options(s: State, words: Words, at: int, out: Words, ends: Ends) -> int:
    """Write what each move in the component at `words[at]`, not SINGLE, leaves of it, as components one by one.

    Option i ends before `out[ends[i]]`, and begins where the one before ends. Return the number of options, or -1 if
    `out` or `ends` is too short. `s` is a record to work in.
    """
    cells = words[at + 1]
    top, n = 0, 0
    for vertical in range(2):
        s.free = cells
        step = _EIGHT if vertical == 1 else ONE
        starts = find_vertical(s) if vertical == 1 else find_horizontal(s)
        while starts != ZERO:
            cell = starts & (~starts + ONE)
            starts = starts & (starts - ONE)
            if n == len(ends):
                return -1
            top = _encode_components(s, cells & ~(cell | cell << step), out, top)
            if top < 0:
                return -1
            ends[n] = top
            n += 1
    return n
