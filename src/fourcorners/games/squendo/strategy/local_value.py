"""What a place is worth to a colour, from the tiles around it alone: rectangles made, broken and nearly made.

The eight places around one are bits: 0 to 2 the row below from west to east, 3 west, 4 east, 5 to 7 the row above.
`near` holds these eight bits for every colour, red lowest.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fourcorners.core.dispatch import State
from fourcorners.core.jit import jitable
from fourcorners.games.squendo.placements import EAST, NORTH, find_place, unpack_key, unpack_top, unpack_under

RECTANGLE = 10
_CORNERS = (0b11010000, 0b01101000, 0b00001011, 0b00010110)


def _count_squares_by_gap(lacking: int) -> NDArray[np.int64]:
    """Count, by the bits around, the squares of four that lack so many tiles besides that of the place."""
    return np.array([sum((corner & ~bits).bit_count() == lacking for corner in _CORNERS) for bits in range(256)])


COMPLETED = _count_squares_by_gap(0)
"""The squares of four that a tile at the place completes."""
LACKING_ONE = _count_squares_by_gap(1)
"""Those that then lack one more."""
LACKING_TWO = _count_squares_by_gap(2)
"""Those that then lack two more."""

# A window is seven by seven places, the lowest bits its south-west corner.
_WIDE = 7
_MIDDLE = 3
_CENTRE = 1 << (_MIDDLE * _WIDE + _MIDDLE)
_ROW = (1 << _WIDE) - 1
_NOT_LAST = sum((_ROW >> 1) << row * _WIDE for row in range(_WIDE))
_FULL = (1 << _WIDE * _WIDE) - 1


def _count_run(mask: int, step: int) -> int:
    """Count the bits beside the middle one, without a gap."""
    at = _MIDDLE + step
    while 0 <= at < _WIDE and mask >> at & 1:
        at += step
    return abs(at - _MIDDLE) - 1


WEST = np.array([_count_run(mask, -1) for mask in range(1 << _WIDE)], np.int64)
"""How many places west of the middle of a row are filled without a gap."""
TO_EAST = np.array([_count_run(mask, 1) for mask in range(1 << _WIDE)], np.int64)


@jitable
def read_row(s: State, at: int, key: int) -> int:
    """Return the three places from a key on as bits 0 to 2 for every colour; `at` is the first index not before it."""
    bits = 0
    n = np.int64(s.place_count)
    while at < n:
        place = np.int64(s.place[at])
        step = unpack_key(place) - key
        if step > 2:
            break
        top = unpack_top(place)
        if top > 0:
            bits |= 1 << (step + 8 * ((top - 1) // 12))
        at += 1
    return bits


@jitable
def read_neighbourhood(s: State, at: int, low: int, high: int) -> int:
    """Return `near` for the place at an index; `low` and `high` are where the rows below and above begin beside it."""
    key = unpack_key(np.int64(s.place[at]))
    near = read_row(s, low, key - NORTH - EAST) | read_row(s, high, key + NORTH - EAST) << 5
    for side in range(2):
        beside = at - 1 + 2 * side
        if 0 <= beside < np.int64(s.place_count):
            place = np.int64(s.place[beside])
            if unpack_key(place) == key - EAST + 2 * EAST * side and unpack_top(place) > 0:
                near |= 1 << (3 + side + 8 * ((unpack_top(place) - 1) // 12))
    return near


@jitable
def select_colour(near: int, colour: int) -> int:
    """Return the eight bits of a colour."""
    return (near >> (8 * colour)) & 255


@jitable
def read_window(s: State, key: int, colour: int) -> tuple[int, int]:
    """Return where tiles of a colour show in the seven by seven places around a key, and which of those are single."""
    shown, single = 0, 0
    for row in range(_WIDE):
        first = key + (row - _MIDDLE) * NORTH - _MIDDLE * EAST
        at = find_place(s, first)
        while at < np.int64(s.place_count):
            place = np.int64(s.place[at])
            step = unpack_key(place) - first
            if step >= _WIDE:
                break
            top = unpack_top(place)
            if top > 0 and (top - 1) // 12 == colour:
                shown |= 1 << (row * _WIDE + step)
                if unpack_under(place) == 0:
                    single |= 1 << (row * _WIDE + step)
            at += 1
    return shown, single


@jitable
def find_covered(shown: int) -> int:
    """Return the places of a window that lie in a filled square of four, and so in some rectangle."""
    corner = shown & (shown >> 1) & (shown >> _WIDE) & (shown >> (_WIDE + 1)) & _NOT_LAST
    return (corner | corner << 1 | corner << _WIDE | corner << (_WIDE + 1)) & _FULL


@jitable
def measure_extents(shown: int, step: int) -> tuple[int, int]:
    """Return how far rows reach west and east of the middle, row by row away from it, and how many rows do.

    A row's reach is that of the narrowest so far, four bits each way, the middle row lowest.
    """
    packed, rows = 0, 0
    west, east = _MIDDLE, _MIDDLE
    row = _MIDDLE
    while 0 <= row < _WIDE:
        mask = (shown >> (row * _WIDE)) & _ROW
        if not (mask >> _MIDDLE) & 1:
            break
        west, east = min(west, WEST[mask]), min(east, TO_EAST[mask])
        packed |= (west | east << 4) << (8 * rows)
        rows += 1
        row += step
    return packed, rows


@jitable
def count_rectangles(shown: int) -> int:
    """Count the filled rectangles of at least two by two over the middle of a window."""
    up, ups = measure_extents(shown, 1)
    down, downs = measure_extents(shown, -1)
    count = 0
    for i in range(ups):
        for j in range(downs):
            if i + j > 0:
                one, other = (up >> (8 * i)) & 255, (down >> (8 * j)) & 255
                count += (min(one & 15, other & 15) + 1) * (min(one >> 4, other >> 4) + 1) - 1
    return count


@jitable
def count_rectangle_gain(s: State, key: int, colour: int) -> int:
    """Return what the rectangles over a place are worth if it shows a colour, less what singles in them then lose.

    Rectangles that reach further than three places from it are counted as far as that.
    """
    shown, single = read_window(s, key, colour)
    before = find_covered(shown & ~_CENTRE)
    fresh = find_covered(shown | _CENTRE) & ~before
    lost = 0
    left = single & fresh & ~_CENTRE
    while left != 0:
        left &= left - 1
        lost += 1
    count = count_rectangles(shown | _CENTRE)
    if s.maximal:
        # A larger one takes the place of those inside it.
        count = 1 if before & find_covered(shown | _CENTRE) == 0 else 0
    return RECTANGLE * count - lost


@jitable
def count_gain(s: State, key: int, near: int, colour: int, double: int) -> int:
    """Return the points that a colour has by showing at a place, alone or on another tile, over not showing there."""
    if COMPLETED[select_colour(near, colour)] == 0:
        return 1 + double
    return 2 * double + count_rectangle_gain(s, key, colour)
