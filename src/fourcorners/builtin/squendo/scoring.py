"""Scoring: rectangles, double stacks and single tiles (rule 6, R19)."""

import numpy as np

from fourcorners.builtin.squendo.placements import EAST, NORTH, find_place, unpack_key, unpack_top, unpack_under
from fourcorners.core.arrays import Estimates, Points, State
from fourcorners.core.bits import ZERO, bit
from fourcorners.core.jit import jitable

MIN_LINE = 4
"""The shortest line that counts as a rectangle if the option `lines` is set."""


@jitable
def points(s: State, out: Points | Estimates) -> None:
    """Write the points of every seat into `out`, as they stand, by seat; 0 for seats that do not play."""
    for seat in range(len(out)):
        out[seat] = 0
    covered = ZERO
    for i in range(np.int64(s.place_count)):
        place = np.int64(s.place[i])
        if unpack_top(place) > 0:
            colour = (unpack_top(place) - 1) // 12
            if colour < np.int64(s.players):  # not the neutral colour
                count, tiles = _count_rectangles_at(s, i, colour)
                out[colour] += 10 * count
                covered |= tiles
    for i in range(np.int64(s.place_count)):
        place = np.int64(s.place[i])
        top = unpack_top(place) - 1
        if top >= 0 and top // 12 < np.int64(s.players):
            if unpack_under(place) > 0:
                out[top // 12] += 2
            elif covered & bit(top) == ZERO:
                out[top // 12] += 1


@jitable
def count_colour_points(s: State, colour: int) -> int:
    """Return the points of one colour (0 to 3), as if a seat had it, without counting those of the others."""
    covered, total = ZERO, 0
    for i in range(np.int64(s.place_count)):
        top = unpack_top(np.int64(s.place[i]))
        if top > 0 and (top - 1) // 12 == colour:
            count, tiles = _count_rectangles_at(s, i, colour)
            total += 10 * count
            covered |= tiles
    for i in range(np.int64(s.place_count)):
        place = np.int64(s.place[i])
        top = unpack_top(place) - 1
        if top >= 0 and top // 12 == colour:
            if unpack_under(place) > 0:
                total += 2
            elif covered & bit(top) == ZERO:
                total += 1
    return total


@jitable
def count_rectangles(s: State, colour: int) -> int:
    """Return the number of scoring rectangles of one colour (0 to 3)."""
    total = 0
    for i in range(np.int64(s.place_count)):
        top = unpack_top(np.int64(s.place[i]))
        if top > 0 and (top - 1) // 12 == colour:
            total += _count_rectangles_at(s, i, colour)[0]
    return total


@jitable
def _count_rectangles_at(s: State, index: int, colour: int) -> tuple[int, np.uint64]:
    """Return the number of scoring rectangles whose lower left corner is the place at an index, and the tiles in them.
    The place must show the colour; the tiles are a set. Rows are added upwards, and the width shrinks as needed.
    """
    covered, count = ZERO, 0
    key = unpack_key(np.int64(s.place[index]))
    width, height = _count_run(s, key, colour), 1
    while width > 1 or (width == 1 and s.lines):
        next_width = min(width, _count_run(s, key + height * NORTH, colour))
        for wide in range(1, width + 1):
            # In the second case one of the two is 1, so the product is the length of a line.
            if (wide > 1 and height > 1) or (s.lines and wide * height >= MIN_LINE):
                # With the option `maximal`, nothing may extend it: first look to the right and above.
                closed = wide == width and wide > next_width
                if not s.maximal or (closed and not _can_extend_down_or_left(s, key, wide, height, colour)):
                    count += 1
                    covered |= _collect_rectangle_tiles(s, key, wide, height)
        width = next_width
        height += 1
    return count, covered


@jitable
def _count_run(s: State, key: int, colour: int) -> int:
    """Count the places from a key eastwards that show tiles of a colour, up to the first gap; 0 if that is at `key`."""
    n, i = 0, find_place(s, key)
    while i < np.int64(s.place_count):
        place = np.int64(s.place[i])
        if unpack_key(place) != key + n or unpack_top(place) == 0 or (unpack_top(place) - 1) // 12 != colour:
            break
        n += 1
        i += 1
    return n


@jitable
def _can_extend_down_or_left(s: State, key: int, wide: int, high: int, colour: int) -> bool:
    """Return whether the row below or the column to the left, filled with `colour`, would enlarge a filled rectangle.
    `key` is that of its lower left place; the size is in places.
    """
    if _count_run(s, key - NORTH, colour) >= wide:
        return True
    for up in range(high):  # Numba compiles no generator expressions, so no `all`
        if _count_run(s, key - EAST + up * NORTH, colour) == 0:
            return False
    return True


@jitable
def _collect_rectangle_tiles(s: State, key: int, wide: int, high: int) -> np.uint64:
    """Return the set of visible tiles in a filled rectangle, given its lower left key and its size in places."""
    found = ZERO
    for up in range(high):
        i = find_place(s, key + up * NORTH)  # the places of a row follow each other in the record
        for j in range(i, i + wide):
            found |= bit(unpack_top(np.int64(s.place[j])) - 1)
    return found
