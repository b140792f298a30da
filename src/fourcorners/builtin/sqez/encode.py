"""Sqez for learning programs: the indices of its actions, and its planes.

The index of a rectangle is that of its pair of rows, times the number of pairs of columns, plus that of its pair of
columns. Pairs are two or more apart and sorted by their first, then by their second number. A plane has a row and a
column for each dot, from the lower left; an edge is at its left or lower dot. In a strict game only legal rectangles
have legal indices, so no learning program forfeits.
"""

import numpy as np
from numpy.typing import NDArray

from fourcorners.builtin.sqez.notation import format_dot
from fourcorners.builtin.sqez.options import SqezOptions
from fourcorners.builtin.sqez.rules import (
    DTYPE,
    bit_range,
    find_right_sides,
    get_enclosable_dots,
    is_legal_rectangle,
    pack,
    scan_row_pair,
    unpack,
)
from fourcorners.core.arrays import Mask, Planes, State
from fourcorners.core.bits import ZERO, pop_bit
from fourcorners.core.encoding import clear_mask, clear_planes
from fourcorners.core.jit import jitable_no_alloc

VERSION = 1
_MOST_TABLED = 8
"""The most columns for which tables say which pairs of columns fit."""


def count_actions(options: SqezOptions) -> int:
    """Return the number of rectangles."""
    return _count_pairs(options.cols) * _count_pairs(options.rows)


def describe_action(options: SqezOptions, index: int) -> str:
    """Describe an index, such as "rectangle b2 e5"."""
    rows, columns = divmod(index, _count_pairs(options.cols))
    (x1, x2), (y1, y2) = _find_pair(options.cols, columns), _find_pair(options.rows, rows)
    return f"rectangle {format_dot(x1, y1)} {format_dot(x2, y2)}"


def plane_names(options: SqezOptions) -> tuple[str, ...]:
    """Return the names of the planes."""
    return "drawn edges to the right", "drawn edges upwards", "free dots"


def plane_shape(options: SqezOptions) -> tuple[int, int]:
    """Return the numbers of dots in a column and in a row."""
    return options.rows, options.cols


def small_dtype(options: SqezOptions) -> np.dtype[np.void]:
    """Return the dtype of the rules, which is small."""
    return DTYPE


@jitable_no_alloc
def _count_pairs(n: int) -> int:
    """Return the number of pairs from 0 to n - 1 that are two or more apart."""
    return (n - 1) * (n - 2) // 2


@jitable_no_alloc
def _index_pair(n: int, first: int, second: int) -> int:
    """Return the index of a pair from 0 to n - 1; all pairs with a lower first number come before it."""
    return first * (n - 2) - first * (first - 1) // 2 + second - first - 2


@jitable_no_alloc
def _find_pair(n: int, index: int) -> tuple[int, int]:
    """Return the pair from 0 to n - 1 with an index, which must exist."""
    first = 0
    while index >= n - 2 - first:
        index -= n - 2 - first
        first += 1
    return first, first + 2 + index


def _make_tables() -> tuple[NDArray[np.uint32], NDArray[np.uint32], NDArray[np.uint32]]:
    """Return the pairs of columns that fit, bit i for index i, by the number of columns and a word of columns.

    Three tables, (_MOST_TABLED + 1, 2**_MOST_TABLED): with both sides in columns of the word, with all edges between
    them in it (bit x runs to column x + 1), and with a dot strictly between them in it. A rectangle needs all three.
    """
    tables = np.zeros((3, _MOST_TABLED + 1, 2**_MOST_TABLED), np.uint32)
    words = np.arange(2**_MOST_TABLED)
    for cols in range(3, _MOST_TABLED + 1):
        for index in range(_count_pairs(cols)):
            x1, x2 = _find_pair(cols, index)
            sides, edges, dots = (1 << x1) | (1 << x2), (1 << x2) - (1 << x1), (1 << x2) - (2 << x1)
            for table, fits in zip(
                tables, (words & sides == sides, words & edges == edges, words & dots > 0), strict=True
            ):
                table[cols, fits] |= 1 << index
    return tables[0], tables[1], tables[2]


_BY_SIDES, _BY_EDGES, _BY_DOTS = _make_tables()


@jitable_no_alloc
def index_action(s: State, action: int) -> int:
    """Return the index of a rectangle."""
    x1, y1, x2, y2 = unpack(action)
    cols = np.int64(s.cols)
    return _index_pair(np.int64(s.rows), y1, y2) * _count_pairs(cols) + _index_pair(cols, x1, x2)


@jitable_no_alloc
def find_action(s: State, index: int) -> int:
    """Return the action of an index, legal or not."""
    pairs = _count_pairs(np.int64(s.cols))
    x1, x2 = _find_pair(np.int64(s.cols), index % pairs)
    y1, y2 = _find_pair(np.int64(s.rows), index // pairs)
    return pack(x1, y1, x2, y2)


@jitable_no_alloc
def action_at(s: State, index: int) -> int:
    """Return the action of an index, or -1 if it is not legal."""
    if index < 0 or index >= _count_pairs(np.int64(s.cols)) * _count_pairs(np.int64(s.rows)):
        return -1
    action = find_action(s, index)
    x1, y1, x2, y2 = unpack(action)
    return action if is_legal_rectangle(s, x1, y1, x2, y2) else -1


@jitable_no_alloc
def mask_actions(s: State, out: Mask) -> None:
    """Write whether each index is legal."""
    cols, rows = np.int64(s.cols), np.int64(s.rows)
    clear_mask(out)
    if s.shared == 0 and cols <= _MOST_TABLED:
        _mask_by_tables(s, out)
        return
    base = 0
    for y1 in range(rows - 2):
        walls, inside = np.uint64(s.up[y1]), ZERO
        for y2 in range(y1 + 2, rows):
            walls, inside = walls | np.uint64(s.up[y2 - 1]), inside | get_enclosable_dots(s, y2 - 1)
            starts, columns, edges = scan_row_pair(s, y1, y2, walls, inside)
            while starts != ZERO:
                x1, starts = pop_bit(starts)
                ends = find_right_sides(s, y1, y2, x1, columns, edges, inside)
                first = base + _index_pair(cols, x1, 0)
                while ends != ZERO:
                    x2, ends = pop_bit(ends)
                    out[first + x2] = True
            base += _count_pairs(cols)


@jitable_no_alloc
def _mask_by_tables(s: State, out: Mask) -> None:
    """Write which indices are legal into a mask without any, for own sides and few columns: in half the time."""
    cols, rows, base = np.int64(s.cols), np.int64(s.rows), 0
    field = bit_range(0, cols)
    for y1 in range(rows - 2):
        walls, inside = np.uint64(s.up[y1]), ZERO
        for y2 in range(y1 + 2, rows):
            walls, inside = walls | np.uint64(s.up[y2 - 1]), inside | get_enclosable_dots(s, y2 - 1)
            edges = field & ~(np.uint64(s.across[y1]) | np.uint64(s.across[y2]))
            pairs = np.uint64(_BY_SIDES[cols, field & ~walls] & _BY_EDGES[cols, edges] & _BY_DOTS[cols, inside])
            while pairs != ZERO:
                pair, pairs = pop_bit(pairs)
                out[base + pair] = True
            base += _count_pairs(cols)


@jitable_no_alloc
def write_planes(s: State, seat: int, out: Planes) -> None:
    """Write the planes that `plane_names` names; all is open."""
    clear_planes(out)
    for y in range(np.int64(s.rows)):
        first = y * np.int64(s.cols)
        _write_row(np.uint64(s.across[y]), first, out[0])
        _write_row(np.uint64(s.up[y]), first, out[1])
        _write_row(np.uint64(s.free[y]), first, out[2])


@jitable_no_alloc
def _write_row(columns: np.uint64, first: int, plane: Planes) -> None:
    """Write 1 for each column of a word into a plane, (cells,), in which the row begins at `first`."""
    while columns != ZERO:
        x, columns = pop_bit(columns)
        plane[first + x] = 1.0
