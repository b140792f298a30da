"""Square Off for learning programs: the indices of its actions, and its planes.

The cells come first, row by row from the bottom, then the swap, then the cells to which the replaced man goes when
White uses the symmetry right. A plane has a row and a column for each cell, from the lower left.
"""

import numpy as np

from fourcorners.builtin.square_off.board import has_cell
from fourcorners.builtin.square_off.options import BLACK, SquareOffOptions, format_cell, list_cells
from fourcorners.builtin.square_off.rules import DTYPE, ONCE, RIGHT, SWAP, can_swap
from fourcorners.core.arrays import Mask, Planes, State
from fourcorners.core.bits import ZERO, pop_bit
from fourcorners.core.encoding import clear_planes, fill_plane
from fourcorners.core.jit import jitable_no_alloc

VERSION = 1

_PLANES = (
    "my men",
    "others' men",
    "my marked men",
    "others' marked men",
    "the man that White may replace",
    "the symmetry right is left",
    "I have White",
    "the swap is possible",
)


def count_actions(options: SquareOffOptions) -> int:
    """Return twice the number of cells, and one for the swap."""
    return 2 * options.size * options.size + 1


def describe_action(options: SquareOffOptions, index: int) -> str:
    """Describe an index, such as "man on c2", "swap" or "symmetry right, man to d4"."""
    cells = list_cells(options.size)
    if index < len(cells):
        return f"man on {format_cell(cells[index], options.size)}"
    if index == len(cells):
        return "swap"
    return f"symmetry right, man to {format_cell(cells[index - len(cells) - 1], options.size)}"


def plane_names(options: SquareOffOptions) -> tuple[str, ...]:
    """Return the names of the planes."""
    return _PLANES


def plane_shape(options: SquareOffOptions) -> tuple[int, int]:
    """Return the numbers of cells in a column and in a row."""
    return options.size, options.size


def small_dtype(options: SquareOffOptions) -> np.dtype[np.void]:
    """Return the dtype of the rules, which is small."""
    return DTYPE


@jitable_no_alloc
def _index_cell(s: State, cell: int) -> int:
    """Return the number of a cell, row by row without gaps."""
    shift = np.int64(s.shift)
    return cell - (cell >> shift) * ((1 << shift) - np.int64(s.side))


@jitable_no_alloc
def index_action(s: State, action: int) -> int:
    """Return the index of an action."""
    cells = np.int64(s.side) * np.int64(s.side)
    if action == SWAP:
        return cells
    index = _index_cell(s, action & 255)
    return index if action < SWAP else cells + 1 + index


@jitable_no_alloc
def find_action(s: State, index: int) -> int:
    """Return the action of an index, legal or not; -1 for the symmetry right if there is no man to replace."""
    size = np.int64(s.side)
    cells = size * size
    if index == cells:
        return SWAP
    place = index % (cells + 1)
    cell = place + place // size * ((1 << np.int64(s.shift)) - size)
    if index < cells:
        return cell
    return RIGHT + (np.int64(s.last) << 8) + cell if s.last >= 0 else -1


@jitable_no_alloc
def action_at(s: State, index: int) -> int:
    """Return the action of an index, or -1 if it is not legal."""
    if index < 0 or index > 2 * np.int64(s.side) * np.int64(s.side):
        return -1
    action = find_action(s, index)
    if action == SWAP:
        return SWAP if can_swap(s) else -1
    return action if action >= 0 and has_cell(s.free, action & 255) else -1


@jitable_no_alloc
def mask_actions(s: State, out: Mask) -> None:
    """Write whether each index is legal."""
    size, shift = np.int64(s.side), np.int64(s.shift)
    cells = size * size
    has_right = s.last >= 0
    out[cells] = can_swap(s)
    for row in range(size):
        for column in range(size):
            is_free = has_cell(s.free, (row << shift) + column)
            out[row * size + column] = is_free
            out[cells + 1 + row * size + column] = has_right and is_free


@jitable_no_alloc
def update_mask(s: State, action: int, seat: int, out: Mask) -> None:
    """Take the cell and the swap out of the mask; change the part of the symmetry right if it comes or goes."""
    cells = np.int64(s.side) * np.int64(s.side)
    out[cells] = can_swap(s)
    if action == SWAP:
        return
    cell = _index_cell(s, action & 255)
    out[cell] = False
    # White had the right exactly if the cell was open to the replaced man; it never has the right twice in a row.
    if out[cells + 1 + cell]:
        for place in range(cells):
            out[cells + 1 + place] = False
    if s.last >= 0:
        for place in range(cells):
            out[cells + 1 + place] = out[place]


@jitable_no_alloc
def write_planes(s: State, seat: int, out: Planes) -> None:
    """Write the planes that `plane_names` names; all is open."""
    clear_planes(out)
    own = seat ^ np.int64(s.swapped)
    for colour in range(2):
        plane = 0 if colour == own else 1
        for word in range(4):
            _write_cells(s, s.men[colour, word], word, out[plane])
            _write_cells(s, s.marks[colour, word], word, out[2 + plane])
    if s.last >= 0:
        out[4, _index_cell(s, np.int64(s.last))] = 1.0
    if s.right >= ONCE:
        fill_plane(out, 5, 1.0)
    if own != BLACK:
        fill_plane(out, 6, 1.0)
    if can_swap(s):
        fill_plane(out, 7, 1.0)


@jitable_no_alloc
def _write_cells(s: State, cells: np.uint64, word: int, plane: Planes) -> None:
    """Write 1 for each cell of a word of a bitboard into a plane, (cells,)."""
    while cells != ZERO:
        place, cells = pop_bit(cells)
        plane[_index_cell(s, 64 * word + place)] = 1.0
