"""The value of a place to a colour, from the tiles around it alone.

The eight places around one are bits: 0 to 2 the row below from west to east, 3 west, 4 east, 5 to 7 the row above. A
*neighbourhood* packs these eight bits for every colour, red lowest.
"""

import numpy as np
from numpy.typing import NDArray

from fourcorners.builtin.squendo.placements import EAST, NORTH, find_place, unpack_key, unpack_top, unpack_under
from fourcorners.core.arrays import State
from fourcorners.core.jit import jitable

RECTANGLE_POINTS = 10
Map = NDArray[np.int64]
_CORNERS = (0b11010000, 0b01101000, 0b00001011, 0b00010110)
"""For each of the four 2 x 2 squares that contain the place, the bits of its other three places."""


def _count_squares_by_gap(lacking: int) -> NDArray[np.int64]:
    """Return, by the eight bits around a place, how many squares lack `lacking` tiles apart from the place."""
    return np.array([sum((corner & ~bits).bit_count() == lacking for corner in _CORNERS) for bits in range(256)])


COMPLETED = _count_squares_by_gap(0)
"""The number of 2 x 2 squares that a tile at the place completes, by the eight bits around it."""
LACKING_ONE = _count_squares_by_gap(1)
"""The number of squares that then still lack one tile."""
LACKING_TWO = _count_squares_by_gap(2)
"""The number of squares that then still lack two tiles."""

SHOWN = np.array([0] + [1 << 8 * (tile // 12) for tile in range(48)], np.int64)
"""The value of a cell of a map, by its visible tile counted from 1."""

# A window is seven by seven places as bits, row by row from the south-western corner: three places each way from the
# middle.
_WIDTH = 7
_MIDDLE = 3
_CENTRE = 1 << (_MIDDLE * _WIDTH + _MIDDLE)
_ROW = (1 << _WIDTH) - 1
# All places but the easternmost column, whose bits have their eastern neighbour in the next row.
_NOT_EAST = sum((_ROW >> 1) << row * _WIDTH for row in range(_WIDTH))
_FULL = (1 << _WIDTH * _WIDTH) - 1


def _count_run(mask: int, step: int) -> int:
    """Count the set bits next to the middle of a row, in direction `step` (1 east, -1 west), up to a gap or the end."""
    at = _MIDDLE + step
    while 0 <= at < _WIDTH and mask >> at & 1:
        at += step
    return abs(at - _MIDDLE) - 1


RUN_WEST = np.array([_count_run(mask, -1) for mask in range(1 << _WIDTH)], np.int64)
"""The number of places directly west of the middle that are filled, by the bits of a row."""
RUN_EAST = np.array([_count_run(mask, 1) for mask in range(1 << _WIDTH)], np.int64)
"""The number of places directly east of the middle that are filled, by the bits of a row."""


@jitable
def read_three_places(s: State, index: int, key: int) -> int:
    """Return which of three places from a key eastwards show a tile, as bits 0 to 2 of its colour's byte.
    `index` is that of the first place at or after the key.
    """
    bits = 0
    while index < np.int64(s.place_count):
        place = np.int64(s.place[index])
        step = unpack_key(place) - key
        if step > 2:
            break
        top = unpack_top(place)
        if top > 0:
            bits |= 1 << (step + 8 * ((top - 1) // 12))
        index += 1
    return bits


@jitable
def draw_map(s: State) -> tuple[Map, int, int]:
    """Return a map of the table, and its width and shift for `find_cell`.

    Its cells lie row by row from the south-western corner, with a margin around all places. A cell has bit 8 c if a
    tile of colour c is visible there, and otherwise is 0.
    """
    n = np.int64(s.place_count)
    south, north = unpack_key(np.int64(s.place[0])) // NORTH, unpack_key(np.int64(s.place[n - 1])) // NORTH
    west, east = NORTH, 0
    for i in range(n):
        column = unpack_key(np.int64(s.place[i])) % NORTH
        west, east = min(west, column), max(east, column)
    width = east - west + 3
    shift = (1 - south) * width + 1 - west
    cells = np.zeros(width * (north - south + 3), np.int64)
    for i in range(n):
        place = np.int64(s.place[i])
        cells[find_cell(unpack_key(place), width, shift)] = SHOWN[unpack_top(place)]
    return cells, width, shift


@jitable
def find_cell(key: int, width: int, shift: int) -> int:
    """Return the index of the cell of a key in a map, given its width and shift."""
    return (key // NORTH) * width + key % NORTH + shift


@jitable
def read_neighbourhood(cells: Map, width: int, cell: int) -> int:
    """Return the neighbourhood of a cell of a map: eight bits for each colour, as the module describes.

    It has no branches: these would depend on the table, be mispredicted often and take three times as long.
    """
    south, north = cell - width, cell + width
    return (
        cells[south - 1]
        | cells[south] << 1
        | cells[south + 1] << 2
        | cells[cell - 1] << 3
        | cells[cell + 1] << 4
        | cells[north - 1] << 5
        | cells[north] << 6
        | cells[north + 1] << 7
    )


@jitable
def select_colour(neighbourhood: int, colour: int) -> int:
    """Return the eight bits (0 to 255) of a colour, 0 to 3, in a neighbourhood, by which COMPLETED is indexed."""
    return (neighbourhood >> (8 * colour)) & 255


@jitable
def read_window(s: State, key: int, colour: int) -> tuple[int, int]:
    """Return two windows of 49 bits around a key: where tiles of a colour are visible, and which are single."""
    shown, single = 0, 0
    for row in range(_WIDTH):
        first = key + (row - _MIDDLE) * NORTH - _MIDDLE * EAST
        index = find_place(s, first)
        while index < np.int64(s.place_count):
            place = np.int64(s.place[index])
            step = unpack_key(place) - first
            if step >= _WIDTH:
                break
            top = unpack_top(place)
            if top > 0 and (top - 1) // 12 == colour:
                shown |= 1 << (row * _WIDTH + step)
                if unpack_under(place) == 0:
                    single |= 1 << (row * _WIDTH + step)
            index += 1
    return shown, single


@jitable
def find_rectangle_places(shown: int) -> int:
    """Return, as a window, the places of a window that are in a filled 2 x 2 square, and therefore in a rectangle."""
    corner = shown & (shown >> 1) & (shown >> _WIDTH) & (shown >> (_WIDTH + 1)) & _NOT_EAST
    return (corner | corner << 1 | corner << _WIDTH | corner << (_WIDTH + 1)) & _FULL


@jitable
def measure_extents(shown: int, step: int) -> tuple[int, int]:
    """Return the extent of a filled area west and east of the middle, row by row, and the number of rows.

    `step` is 1 to go up, -1 to go down; there are 0 rows if the middle of the window is empty. The middle row is the
    lowest byte: four bits for west, then four for east. No row reaches further than the rows before it, so each pair of
    rows bounds the rectangles between them.
    """
    packed, rows = 0, 0
    west = east = row = _MIDDLE
    while 0 <= row < _WIDTH:
        mask = (shown >> (row * _WIDTH)) & _ROW
        if not (mask >> _MIDDLE) & 1:
            break
        west, east = min(west, RUN_WEST[mask]), min(east, RUN_EAST[mask])
        packed |= (west | east << 4) << (8 * rows)
        rows += 1
        row += step
    return packed, rows


@jitable
def count_rectangles(shown: int) -> int:
    """Count the filled rectangles, 2 x 2 or more, that contain the middle of a window of bits, which must be set."""
    up, ups = measure_extents(shown, 1)
    down, downs = measure_extents(shown, -1)
    count = 0
    for i in range(ups):
        for j in range(downs):
            if i + j > 0:
                upper, lower = (up >> (8 * i)) & 255, (down >> (8 * j)) & 255
                # Every choice of a western and an eastern side makes a rectangle, except the one of width 1.
                count += (min(upper & 15, lower & 15) + 1) * (min(upper >> 4, lower >> 4) + 1) - 1
    return count


@jitable
def count_rectangle_gain(s: State, key: int, colour: int) -> int:
    """Return the points that a colour (0 to 3) gains in rectangles by showing at a key where it must complete a square.

    The points of single tiles that this brings into a rectangle are deducted. What the place shows now does not count,
    nor do lines. Rectangles are cut off three places away; with the option `maximal` the result is an approximation.
    """
    shown, single = read_window(s, key, colour)
    old, new = find_rectangle_places(shown & ~_CENTRE), find_rectangle_places(shown | _CENTRE)
    lost = 0
    left = single & new & ~old & ~_CENTRE
    while left != 0:
        left &= left - 1
        lost += 1
    count = count_rectangles(shown | _CENTRE)
    if s.maximal:
        # Larger rectangles replace those inside them: as an approximation, a new one counts if it overlaps no old one.
        count = 1 if old & new == 0 else 0
    return RECTANGLE_POINTS * count - lost


@jitable
def count_gain(s: State, key: int, neighbourhood: int, colour: int, double: int) -> int:
    """Return the points that a colour (0 to 3) gains by showing at a place, by itself (`double` 0) or on a tile (1).
    `key` and `neighbourhood` are those of the place; what it shows now does not count.
    """
    if COMPLETED[select_colour(neighbourhood, colour)] == 0:
        return 1 + double
    return 2 * double + count_rectangle_gain(s, key, colour)
