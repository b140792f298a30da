"""The tiles on the table, and the places where tiles fit.

A place is a position on the table that holds a stack or is adjacent to one; 48 connected stacks have at most 98
adjacent free places. All places are kept, sorted by key, as one integer each, so that one scan finds every legal
placement:

key << 22 | neighbours << 18 | black << 14 | under << 8 | top << 2 | rotation

`top` and `under` are tiles counted from 1, 0 for none. `neighbours` has a bit for each side (north lowest, then
clockwise) on which a tile lies next to the place; `black` has those bits of it whose adjoining edge is black. These
eight bits are the *constraint* of the place: a tile fits if its black edges on those sides are exactly `black`. A
*rotation* is a number of quarter turns clockwise.
"""

import numpy as np

from fourcorners.builtin.squendo.options import BLACK_EDGES
from fourcorners.core.arrays import State
from fourcorners.core.jit import jitable

MAX_PLACES = 148  # 48 stacks and 98 free places, rounded up
REACH = 47
"""The greatest column or row: that of the last of 48 tiles in a straight line."""
_CENTRE = 48  # the column and row of the first tile in a grid 128 wide, so that no key is negative
EAST, NORTH = 1, 128
SIDE_STEPS = (NORTH, EAST, -NORTH, -EAST)
"""The changes of a key for one step north, east, south and west."""


def _rotate_edges(black: int, rotation: int) -> int:
    """Return a mask of black edges after a number of quarter turns clockwise."""
    return (black << rotation | black >> (4 - rotation)) & 15


ROTATED_EDGES = np.array([_rotate_edges(black, rotation) for black in BLACK_EDGES for rotation in range(4)], np.int64)
"""The black edges as a mask, by pattern * 4 + rotation."""


def _compute_fitting_rotations(pattern: int, constraint: int) -> int:
    """Return as a mask the rotations in which a pattern satisfies a constraint; of equal ones only the smallest."""
    neighbours, black = constraint >> 4, constraint & 15
    looks = [_rotate_edges(BLACK_EDGES[pattern], rotation) for rotation in range(4)]
    distinct = [rotation for rotation in range(4) if looks[rotation] not in looks[:rotation]]
    return sum(1 << rotation for rotation in distinct if looks[rotation] & neighbours == black)


FITTING_ROTATIONS = np.array(
    [_compute_fitting_rotations(pattern, constraint) for pattern in range(6) for constraint in range(256)], np.uint8
)
"""The rotations, as a mask, in which a pattern fits, by pattern * 256 + constraint."""
NO_TILE = 48
"""A tile that fits nowhere: it fills up short hands, so that loops over a hand need no branches."""
ROTATION_COUNTS = np.array([*(int(mask).bit_count() for mask in FITTING_ROTATIONS), *[0] * 256], np.uint8)
"""The number of rotations in which a pattern fits, by pattern * 256 + constraint; the last row is for NO_TILE."""
COUNT_ROWS = np.array([*(256 * (tile % 12 >> 1) for tile in range(NO_TILE)), 6 * 256], np.int64)
"""Where the row of a tile begins in ROTATION_COUNTS."""
ALLOWED_SYMBOLS = np.array([3] + [1 << (tile & 1) for tile in range(63)], np.uint8)
"""The symbols, as a mask, that may be laid on a place, by its visible tile counted from 1."""
NTH_ROTATION = np.array([([t for t in range(4) if mask >> t & 1] + [0] * 4)[n] for mask in range(16) for n in range(4)])
"""The n-th rotation of a mask, by mask * 4 + n."""


@jitable
def encode_key(col: int, row: int) -> int:
    """Return the key of a column and row; keys ascend row by row from the bottom."""
    return (row + _CENTRE) * 128 + col + _CENTRE


def decode_key(key: int) -> tuple[int, int]:
    """Return the column and row of a key."""
    return (key & 127) - _CENTRE, (key >> 7) - _CENTRE


@jitable
def unpack_key(place: int) -> int:
    """Return the key of a place."""
    return place >> 22


@jitable
def unpack_top(place: int) -> int:
    """Return the visible tile of a place, counted from 1; 0 for none."""
    return (place >> 2) & 63


@jitable
def unpack_under(place: int) -> int:
    """Return the covered tile of a place, counted from 1; 0 for none."""
    return (place >> 8) & 63


@jitable
def unpack_rotation(place: int) -> int:
    """Return the rotation of the visible tile of a place."""
    return place & 3


@jitable
def unpack_constraint(place: int) -> int:
    """Return the constraint of a place: neighbours * 16 + black."""
    return (place >> 14) & 255


@jitable
def get_pattern(tile: int) -> int:
    """Return the pattern of a tile as an index into PATTERNS."""
    return (tile % 12) >> 1


@jitable
def find_fitting_rotations(tile: int, place: int) -> int:
    """Return as a mask the rotations in which the edges of a tile (counted from 0) fit the neighbours of a place."""
    return np.int64(FITTING_ROTATIONS[get_pattern(tile) * 256 + unpack_constraint(place)])


@jitable
def count_fitting_rotations(tile: int, place: int) -> int:
    """Count the rotations in which the edges of a tile (counted from 0) fit the neighbours of a place."""
    return np.int64(ROTATION_COUNTS[COUNT_ROWS[tile] + unpack_constraint(place)])


@jitable
def count_legal_rotations(tile: int, place: int) -> int:
    """Count the rotations in which a tile (counted from 0, or NO_TILE) may be laid on a place, symbols included.
    Branches would be mispredicted half the time here, so the symbol is a factor of 0 or 1.
    """
    on_symbol = (np.int64(ALLOWED_SYMBOLS[unpack_top(place)]) >> (tile & 1)) & 1
    return np.int64(ROTATION_COUNTS[COUNT_ROWS[tile] + unpack_constraint(place)]) * on_symbol


@jitable
def find_place(s: State, key: int) -> int:
    """Return the index, by bisection, of the first place whose key is at least `key`; `place_count` if none is."""
    low, high = 0, np.int64(s.place_count)
    while low < high:
        middle = (low + high) >> 1
        if unpack_key(np.int64(s.place[middle])) < key:
            low = middle + 1
        else:
            high = middle
    return low


@jitable
def find_or_add_place(s: State, key: int) -> int:
    """Return the index of the place with this key; if there is none, insert an empty one in order, in the record."""
    index = find_place(s, key)
    n = np.int64(s.place_count)
    if index < n and unpack_key(np.int64(s.place[index])) == key:
        return index
    for i in range(n, index, -1):
        s.place[i] = s.place[i - 1]
    s.place[index] = key << 22
    s.place_count = n + 1
    return index


@jitable
def set_stack(s: State, key: int, top: int, rotation: int, under: int) -> None:
    """Let a place show a tile, in place, and update the constraints of its four neighbours, adding those that are new.
    `top` counts from 0; `under` counts from 1, 0 for none. The place itself is added if it is new. Nothing is checked.
    """
    index = find_or_add_place(s, key)
    s.place[index] = (np.int64(s.place[index]) >> 14) << 14 | under << 8 | (top + 1) << 2 | rotation
    black = np.int64(ROTATED_EDGES[get_pattern(top) * 4 + rotation])
    for side in range(4):
        beside = find_or_add_place(s, key + SIDE_STEPS[side])
        place = np.int64(s.place[beside])
        bit = 1 << ((side + 2) & 3)  # the neighbour's side that faces this place
        place = place & ~(bit << 14) | bit << 18
        if (black >> side) & 1:
            place |= bit << 14
        s.place[beside] = place


@jitable
def has_legal_placement(s: State, tile: int) -> bool:
    """Return whether a tile (counted from 0) can be laid anywhere on the table, by any seat."""
    for i in range(np.int64(s.place_count)):  # Numba compiles no generator expressions, so no `any`
        if count_legal_rotations(tile, np.int64(s.place[i])) > 0:
            return True
    return False
