"""Geometry for playouts: with the row of a box at hand, its edges are found without a division.

A row counts from 0 at the bottom; sides are numbered as in `rules.py`, so `side ^ 2` is the opposite side. The *cell*
of a box, `box - 2 - cols`, counts from 0 at the lower left box in steps of `cols + 1` from row to row: it is the
number of the box's left edge among the vertical edges. Fields are cast to int64 because a uint8 would wrap around.
"""

import numpy as np

from fourcorners.builtin.squarin_off.rules import is_free
from fourcorners.core.arrays import State
from fourcorners.core.jit import jitable_no_alloc


@jitable_no_alloc
def get_row(s: State, box: int) -> int:
    """Return the row, from 0 at the bottom, of a box of the board (of no use for a box of the border)."""
    return (box - 2 - np.int64(s.cols)) // (np.int64(s.cols) + 1)


@jitable_no_alloc
def get_row_edge(s: State, box: int, row: int, side: int) -> int:
    """Return the edge on a side of a box of the board; `row` must be its row, which spares a division."""
    cell = box - 2 - np.int64(s.cols)
    if side & 1:
        return np.int64(s.horizontal_edges) + cell + np.int64(side == 1)
    return cell - row + (np.int64(s.cols) if side else 0)


@jitable_no_alloc
def get_free_sides(s: State, box: int, row: int) -> int:
    """Return the sides of a box whose edges are not drawn, as a mask: 1 bottom, 2 right, 4 top, 8 left; 0 for none.
    The box must be on the board, not on its border, and `row` must be its row: `get_row(s, box)`. Neither is checked.
    """
    cell = box - 2 - np.int64(s.cols)
    below, left = cell - row, np.int64(s.horizontal_edges) + cell
    return (
        np.int64(is_free(s, below))
        + 2 * np.int64(is_free(s, left + 1))
        + 4 * np.int64(is_free(s, below + np.int64(s.cols)))
        + 8 * np.int64(is_free(s, left))
    )


@jitable_no_alloc
def get_single_side(mask: int) -> int:
    """Return the side of a mask with one bit: 1, 2, 4, 8 give 0, 1, 2, 3. An empty mask gives 0, like 1."""
    return (mask >> 1) - (mask >> 3)


@jitable_no_alloc
def get_neighbour(s: State, box: int, side: int) -> int:
    """Return the number of the box beyond a side (0 to 3) of a box of the board; it may be one of the border."""
    stride = np.int64(s.cols) + 1
    step = 1 if side & 1 else stride
    return box + step if side in (1, 2) else box - step


@jitable_no_alloc
def get_neighbour_row(row: int, side: int) -> int:
    """Return the row of the box beyond a side."""
    return row + np.int64(side == 2) - np.int64(side == 0)
