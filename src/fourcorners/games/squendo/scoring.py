"""The points: rectangles, double stacks and single tiles."""

from __future__ import annotations

import numpy as np

from fourcorners.core.bits import ZERO, bit
from fourcorners.core.dispatch import Points, State
from fourcorners.core.jit import jitable
from fourcorners.games.squendo.placements import find, key_at, top_at, under_at

EAST, NORTH = 1, 128
LINE = 4
"""The least length of a line that counts where lines do."""


@jitable
def points(s: State, out: Points) -> None:
    """Write the points of every seat."""
    for seat in range(len(out)):
        out[seat] = 0
    covered = ZERO
    for i in range(np.int64(s.places)):
        place = np.int64(s.place[i])
        if top_at(place) > 0:
            colour = (top_at(place) - 1) // 12
            if colour < np.int64(s.players):
                count, tiles = _rectangles_from(s, i, colour)
                out[colour] += 10 * count
                covered |= tiles
    for i in range(np.int64(s.places)):
        place = np.int64(s.place[i])
        top = top_at(place) - 1
        if top >= 0 and top // 12 < np.int64(s.players):
            if under_at(place) > 0:
                out[top // 12] += 2
            elif covered & bit(top) == ZERO:
                out[top // 12] += 1


@jitable
def points_of(s: State, colour: int) -> int:
    """Return the points of one colour."""
    covered = ZERO
    total = 0
    for i in range(np.int64(s.places)):
        top = top_at(np.int64(s.place[i]))
        if top > 0 and (top - 1) // 12 == colour:
            count, tiles = _rectangles_from(s, i, colour)
            total += 10 * count
            covered |= tiles
    for i in range(np.int64(s.places)):
        place = np.int64(s.place[i])
        top = top_at(place) - 1
        if top >= 0 and top // 12 == colour:
            if under_at(place) > 0:
                total += 2
            elif covered & bit(top) == ZERO:
                total += 1
    return total


@jitable
def _rectangles_from(s: State, at: int, colour: int) -> tuple[int, np.uint64]:
    """Count the rectangles whose lower left corner is the place with index `at`, and return the tiles in them."""
    covered = ZERO
    count = 0
    key = key_at(np.int64(s.place[at]))
    width = _run(s, key, colour)
    height = 1
    while width > 1 or (width == 1 and s.lines):
        next_width = min(width, _run(s, key + height * NORTH, colour))
        for wide in range(1, width + 1):
            if _counts(s, wide, height):
                closed = wide == width and wide > next_width
                if not s.maximal or (closed and not _grows(s, key, wide, height, colour)):
                    count += 1
                    covered |= _tiles_in(s, key, wide, height)
        width = next_width
        height += 1
    return count, covered


@jitable
def _counts(s: State, wide: int, high: int) -> bool:
    """Tell whether a filled rectangle of this size is worth points."""
    if wide > 1 and high > 1:
        return True
    return bool(s.lines) and wide * high >= LINE


@jitable
def _run(s: State, key: int, colour: int) -> int:
    """Count the places with visible tiles of a colour from a key on, eastwards without a gap."""
    n = 0
    i = find(s, key)
    while i < np.int64(s.places):
        place = np.int64(s.place[i])
        if key_at(place) != key + n or top_at(place) == 0 or (top_at(place) - 1) // 12 != colour:
            break
        n += 1
        i += 1
    return n


@jitable
def _grows(s: State, key: int, wide: int, high: int, colour: int) -> bool:
    """Tell whether the row below or the column to the left would make a filled rectangle larger."""
    if _run(s, key - NORTH, colour) >= wide:
        return True
    for up in range(high):  # Numba compiles no generators
        if _run(s, key - EAST + up * NORTH, colour) == 0:
            return False
    return True


@jitable
def _tiles_in(s: State, key: int, wide: int, high: int) -> np.uint64:
    """Return the visible tiles of a rectangle."""
    found = ZERO
    for up in range(high):
        i = find(s, key + up * NORTH)
        for j in range(i, i + wide):
            found |= bit(top_at(np.int64(s.place[j])) - 1)
    return found
