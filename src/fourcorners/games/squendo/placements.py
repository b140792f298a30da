"""The tiles on the table: places in order, what each must agree with, and what fits there."""

from __future__ import annotations

import numpy as np

from fourcorners.core.dispatch import State
from fourcorners.core.jit import jitable
from fourcorners.games.squendo.options import BLACK

# Of 48 connected places at most 98 empty ones are beside; all are kept, sorted, as one integer each:
# key << 22 | care << 18 | need << 14 | under << 8 | top << 2 | turn, with tiles counted from 1 and 0 for none.
# `care` has a bit for each side where a tile lies beside, `need` for each of those whose edge there is black.
MAX_PLACES = 148
REACH = 47
_CENTRE = 48
STEPS = (128, 1, -128, -1)
"""What to add to a key to go north, east, south and west."""


def _turned(black: int, turn: int) -> int:
    return (black << turn | black >> (4 - turn)) & 15


EDGES = np.array([_turned(black, turn) for black in BLACK for turn in range(4)], np.int64)
"""The black edges by pattern * 4 + turn."""


def _fitting(pattern: int, agree: int) -> int:
    care, need = agree >> 4, agree & 15
    looks = [_turned(BLACK[pattern], turn) for turn in range(4)]
    first = [turn for turn in range(4) if looks[turn] not in looks[:turn]]
    return sum(1 << turn for turn in first if looks[turn] & care == need)


FITS = np.array([_fitting(pattern, agree) for pattern in range(6) for agree in range(256)], np.uint8)
"""The turns, as a mask, in which a pattern fits, by pattern * 256 + (care * 16 + need)."""
ABSENT = 48
"""A tile that fits nowhere: it fills up small hands, so that loops over a hand need no branches."""
COUNTS = np.array([*(int(mask).bit_count() for mask in FITS), *[0] * 256], np.uint8)
ROWS = np.array([*(256 * (tile % 12 >> 1) for tile in range(ABSENT)), 6 * 256], np.int64)
"""Where a tile's turns are counted in `COUNTS`."""
SYMBOLS = np.array([3] + [1 << (tile & 1) for tile in range(63)], np.uint8)
"""The symbols, as a mask, that may come on top, by the visible tile counted from 1."""
NTH_TURN = np.array([([t for t in range(4) if mask >> t & 1] + [0] * 4)[n] for mask in range(16) for n in range(4)])
"""The n-th turn of a mask, by mask * 4 + n."""


@jitable
def key_of(col: int, row: int) -> int:
    """Return the key of a place; keys go up row by row."""
    return (row + _CENTRE) * 128 + col + _CENTRE


@jitable
def col_of(key: int) -> int:
    """Return the column of a key."""
    return (key & 127) - _CENTRE


@jitable
def row_of(key: int) -> int:
    """Return the row of a key."""
    return (key >> 7) - _CENTRE


@jitable
def key_at(place: int) -> int:
    """Return the key of a place's integer."""
    return place >> 22


@jitable
def top_at(place: int) -> int:
    """Return the visible tile, counted from 1; 0 for none."""
    return (place >> 2) & 63


@jitable
def under_at(place: int) -> int:
    """Return the covered tile, counted from 1; 0 for none."""
    return (place >> 8) & 63


@jitable
def turn_at(place: int) -> int:
    """Return the turn of the visible tile."""
    return place & 3


@jitable
def agree_at(place: int) -> int:
    """Return care * 16 + need."""
    return (place >> 14) & 255


@jitable
def pattern_of(tile: int) -> int:
    """Return the pattern of a tile, counted from 0."""
    return (tile % 12) >> 1


@jitable
def fitting(tile: int, place: int) -> int:
    """Return the turns, as a mask, in which a tile's edges agree with the tiles beside a place."""
    return np.int64(FITS[pattern_of(tile) * 256 + agree_at(place)])


@jitable
def fitting_count(tile: int, place: int) -> int:
    """Count the turns in which a tile fits beside its neighbours."""
    return np.int64(COUNTS[ROWS[tile] + agree_at(place)])


@jitable
def laying_count(tile: int, place: int) -> int:
    """Count the turns in which a tile may be laid; no branches, for they would be mispredicted."""
    on_symbol = (np.int64(SYMBOLS[top_at(place)]) >> (tile & 1)) & 1
    return np.int64(COUNTS[ROWS[tile] + agree_at(place)]) * on_symbol


@jitable
def find(s: State, key: int) -> int:
    """Return the index of the first place whose key is not lower."""
    low = 0
    high = np.int64(s.places)
    while low < high:
        middle = (low + high) >> 1
        if key_at(np.int64(s.place[middle])) < key:
            low = middle + 1
        else:
            high = middle
    return low


@jitable
def open_place(s: State, key: int) -> int:
    """Return the index of a place, added if it is new."""
    at = find(s, key)
    n = np.int64(s.places)
    if at < n and key_at(np.int64(s.place[at])) == key:
        return at
    for i in range(n, at, -1):
        s.place[i] = s.place[i - 1]
    s.place[at] = key << 22
    s.places = n + 1
    return at


@jitable
def put(s: State, key: int, top: int, turn: int, under: int) -> None:
    """Let a place show a tile (from 0) with another (from 1, or 0 for none) under it, and tell the places beside."""
    at = open_place(s, key)
    s.place[at] = (np.int64(s.place[at]) >> 14) << 14 | under << 8 | (top + 1) << 2 | turn
    black = np.int64(EDGES[pattern_of(top) * 4 + turn])
    for side in range(4):
        beside = open_place(s, key + STEPS[side])
        place = np.int64(s.place[beside])
        bit = 1 << ((side + 2) & 3)
        place = place & ~(bit << 14) | bit << 18
        if (black >> side) & 1:
            place |= bit << 14
        s.place[beside] = place


@jitable
def fits_somewhere(s: State, tile: int) -> bool:
    """Tell whether a tile has a legal placement."""
    for i in range(np.int64(s.places)):  # Numba compiles no generators
        if laying_count(tile, np.int64(s.place[i])) > 0:
            return True
    return False
