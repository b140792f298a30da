"""The tiles on the table: places in order, what each must agree with, and what fits there."""

from __future__ import annotations

import numpy as np

from fourcorners.core.dispatch import State
from fourcorners.core.jit import jitable
from fourcorners.games.squendo.options import BLACK_EDGES

# Of 48 connected places at most 98 empty ones are beside; all are kept, sorted, as one integer each:
# key << 22 | care << 18 | need << 14 | under << 8 | top << 2 | turn, with tiles counted from 1 and 0 for none.
# `care` has a bit for each side where a tile lies beside, `need` for each of those whose edge there is black.
MAX_PLACES = 148
REACH = 47
_CENTRE = 48
EAST, NORTH = 1, 128
SIDE_STEPS = (NORTH, EAST, -NORTH, -EAST)
"""What to add to a key to go north, east, south and west."""


def _rotate_edges(black: int, rotation: int) -> int:
    return (black << rotation | black >> (4 - rotation)) & 15


ROTATED_EDGES = np.array([_rotate_edges(black, rotation) for black in BLACK_EDGES for rotation in range(4)], np.int64)
"""The black edges by pattern * 4 + turn."""


def _compute_fitting_rotations(pattern: int, agree: int) -> int:
    care, need = agree >> 4, agree & 15
    looks = [_rotate_edges(BLACK_EDGES[pattern], rotation) for rotation in range(4)]
    first = [rotation for rotation in range(4) if looks[rotation] not in looks[:rotation]]
    return sum(1 << rotation for rotation in first if looks[rotation] & care == need)


FITTING_ROTATIONS = np.array(
    [_compute_fitting_rotations(pattern, agree) for pattern in range(6) for agree in range(256)], np.uint8
)
"""The turns, as a mask, in which a pattern fits, by pattern * 256 + (care * 16 + need)."""
NO_TILE = 48
"""A tile that fits nowhere: it fills up small hands, so that loops over a hand need no branches."""
ROTATION_COUNTS = np.array([*(int(mask).bit_count() for mask in FITTING_ROTATIONS), *[0] * 256], np.uint8)
COUNT_ROWS = np.array([*(256 * (tile % 12 >> 1) for tile in range(NO_TILE)), 6 * 256], np.int64)
"""Where a tile's turns are counted in `COUNTS`."""
ALLOWED_SYMBOLS = np.array([3] + [1 << (tile & 1) for tile in range(63)], np.uint8)
"""The symbols, as a mask, that may come on top, by the visible tile counted from 1."""
NTH_ROTATION = np.array([([t for t in range(4) if mask >> t & 1] + [0] * 4)[n] for mask in range(16) for n in range(4)])
"""The n-th turn of a mask, by mask * 4 + n."""


@jitable
def encode_key(col: int, row: int) -> int:
    """Return the key of a place; keys go up row by row."""
    return (row + _CENTRE) * 128 + col + _CENTRE


@jitable
def decode_col(key: int) -> int:
    """Return the column of a key."""
    return (key & 127) - _CENTRE


@jitable
def decode_row(key: int) -> int:
    """Return the row of a key."""
    return (key >> 7) - _CENTRE


@jitable
def unpack_key(place: int) -> int:
    """Return the key of a place's integer."""
    return place >> 22


@jitable
def unpack_top(place: int) -> int:
    """Return the visible tile, counted from 1; 0 for none."""
    return (place >> 2) & 63


@jitable
def unpack_under(place: int) -> int:
    """Return the covered tile, counted from 1; 0 for none."""
    return (place >> 8) & 63


@jitable
def unpack_rotation(place: int) -> int:
    """Return the turn of the visible tile."""
    return place & 3


@jitable
def unpack_constraint(place: int) -> int:
    """Return care * 16 + need."""
    return (place >> 14) & 255


@jitable
def get_pattern(tile: int) -> int:
    """Return the pattern of a tile, counted from 0."""
    return (tile % 12) >> 1


@jitable
def find_fitting_rotations(tile: int, place: int) -> int:
    """Return the turns, as a mask, in which a tile's edges agree with the tiles beside a place."""
    return np.int64(FITTING_ROTATIONS[get_pattern(tile) * 256 + unpack_constraint(place)])


@jitable
def count_fitting_rotations(tile: int, place: int) -> int:
    """Count the turns in which a tile fits beside its neighbours."""
    return np.int64(ROTATION_COUNTS[COUNT_ROWS[tile] + unpack_constraint(place)])


@jitable
def count_legal_rotations(tile: int, place: int) -> int:
    """Count the turns in which a tile may be laid; no branches, for they would be mispredicted."""
    on_symbol = (np.int64(ALLOWED_SYMBOLS[unpack_top(place)]) >> (tile & 1)) & 1
    return np.int64(ROTATION_COUNTS[COUNT_ROWS[tile] + unpack_constraint(place)]) * on_symbol


@jitable
def find_place(s: State, key: int) -> int:
    """Return the index of the first place whose key is not lower."""
    low = 0
    high = np.int64(s.place_count)
    while low < high:
        middle = (low + high) >> 1
        if unpack_key(np.int64(s.place[middle])) < key:
            low = middle + 1
        else:
            high = middle
    return low


@jitable
def find_or_add_place(s: State, key: int) -> int:
    """Return the index of a place, added if it is new."""
    at = find_place(s, key)
    n = np.int64(s.place_count)
    if at < n and unpack_key(np.int64(s.place[at])) == key:
        return at
    for i in range(n, at, -1):
        s.place[i] = s.place[i - 1]
    s.place[at] = key << 22
    s.place_count = n + 1
    return at


@jitable
def set_stack(s: State, key: int, top: int, rotation: int, under: int) -> None:
    """Let a place show a tile (from 0) with another (from 1, or 0 for none) under it, and tell the places beside."""
    at = find_or_add_place(s, key)
    s.place[at] = (np.int64(s.place[at]) >> 14) << 14 | under << 8 | (top + 1) << 2 | rotation
    black = np.int64(ROTATED_EDGES[get_pattern(top) * 4 + rotation])
    for side in range(4):
        beside = find_or_add_place(s, key + SIDE_STEPS[side])
        place = np.int64(s.place[beside])
        bit = 1 << ((side + 2) & 3)
        place = place & ~(bit << 14) | bit << 18
        if (black >> side) & 1:
            place |= bit << 14
        s.place[beside] = place


@jitable
def has_legal_placement(s: State, tile: int) -> bool:
    """Tell whether a tile has a legal placement."""
    for i in range(np.int64(s.place_count)):  # Numba compiles no generators
        if count_legal_rotations(tile, np.int64(s.place[i])) > 0:
            return True
    return False
