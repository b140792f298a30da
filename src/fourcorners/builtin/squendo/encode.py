"""Squendo for learning programs: the indices of its actions, and its planes.

Both show a window of 25 x 25 places, whose middle is the place of the first tile. An action beyond it has no index, and
a tile beyond it no entry in the planes.

The index of a placement is ((slot * 625 + place) * 4 + rotation) * 9 + outcome. A *slot* counts the tiles in the hand
of the seat to move in ascending order of their codes; places count row by row from the lower left. The *outcome* of a
stack of three is 3 * leave + take: `leave` is 0 for the tile just laid, 1 for the top tile and 2 for the covered one;
`take` is 0 for none, else 1 or 2 for one of the other two tiles in the same order. Any other placement has outcome 0. A
pass has the last index.

The plane "my hand" has a row for each slot, from the bottom. Its first columns are 1 for the colour of the tile, in the
order of the planes of colours; then follow a cross, the black edges / 4, and whether just two opposite edges are black.
Numbers of seats, such as sizes of hands, fill their planes.
"""

import numpy as np

from fourcorners.builtin.squendo.options import (
    BLACK_EDGES,
    HAND_SIZE,
    MAX_SEATS,
    NEUTRAL_PART,
    TILES_PER_COLOUR,
    SquendoOptions,
    count_colours,
)
from fourcorners.builtin.squendo.placements import (
    EAST,
    NO_TILE,
    NORTH,
    ROTATED_EDGES,
    count_legal_rotations,
    encode_key,
    find_fitting_rotations,
    find_place,
    get_pattern,
    unpack_key,
    unpack_rotation,
    unpack_top,
    unpack_under,
)
from fourcorners.builtin.squendo.rules import (
    DTYPE,
    PASS,
    bound,
    can_play,
    can_take,
    decode_action,
    encode_action,
    legal,
    list_hand,
)
from fourcorners.builtin.squendo.scoring import points
from fourcorners.core.arrays import Mask, Planes, State
from fourcorners.core.bits import ONE, ZERO, bit, pop_bit, popcount
from fourcorners.core.encoding import clear_mask, clear_planes, fill_plane
from fourcorners.core.jit import jitable, jitable_no_alloc

VERSION = 1

_REACH = 12
_SIDE = 2 * _REACH + 1
_PLACES = _SIDE * _SIDE
_ROTATIONS, _OUTCOMES = 4, 9
_PASS_INDEX = HAND_SIZE * _PLACES * _ROTATIONS * _OUTCOMES
_CORNER = encode_key(-_REACH, -_REACH)  # the key of the lower left place of the window
_BLACK_COUNTS = np.array([black.bit_count() for black in BLACK_EDGES], np.int64)
_OPPOSITE = BLACK_EDGES.index(0b0101)
_DECK = MAX_SEATS * TILES_PER_COLOUR
_MOST_POINTS = 200  # more are shown as this many
_WHOSE = ("my", "the next seat's", "the second next seat's", "the third next seat's")


def count_actions(options: SquendoOptions) -> int:
    """Return the number of placements of four tiles in the window, and one for a pass."""
    return _PASS_INDEX + 1


def describe_action(options: SquendoOptions, index: int) -> str:
    """Describe an index, such as "pass" or "tile 1 of the hand at 0,-3 r1, leave the top tile, take the laid tile"."""
    if index == _PASS_INDEX:
        return "pass"
    rest, outcome = divmod(index, _OUTCOMES)
    rest, rotation = divmod(rest, _ROTATIONS)
    slot, place = divmod(rest, _PLACES)
    row, column = divmod(place, _SIDE)
    text = f"tile {slot + 1} of the hand at {column - _REACH},{row - _REACH} r{rotation}"
    tiles = ["laid", "top", "covered"]
    leave = tiles.pop(outcome // 3)
    if outcome:
        text += f", leave the {leave} tile"
    return f"{text}, take the {tiles[outcome % 3 - 1]} tile" if outcome % 3 else text


def plane_names(options: SquendoOptions) -> tuple[str, ...]:
    """Return the names of the planes; the seats are in turn order, first the viewer."""
    whose = _WHOSE[: options.players]
    colours = [*whose, "neutral"][: count_colours(options.players)]
    return (
        *(f"{colour} tiles" for colour in colours),
        "crosses",
        *(f"black {side} edges" for side in ("north", "east", "south", "west")),
        "stacks of two",
        *(f"{colour} covered tiles" for colour in colours),
        "black edges of covered tiles / 4",
        "covered tiles with two opposite black edges",
        "my hand",
        *(f"{seat} hand size / 4" for seat in whose),
        *(f"{seat} points / {_MOST_POINTS}" for seat in whose),
        *(f"{seat} pass" for seat in whose),
        f"pile size / {_DECK}",
    )


def plane_shape(options: SquendoOptions) -> tuple[int, int]:
    """Return the numbers of places in a column and in a row of the window."""
    return _SIDE, _SIDE


def small_dtype(options: SquendoOptions) -> np.dtype[np.void]:
    """Return the dtype of the rules; only the longest games fill it."""
    return DTYPE


@jitable_no_alloc
def _find_cell(key: int) -> int:
    """Return the number of a place in the window by its key, or -1 if it lies outside."""
    offset = key - _CORNER
    row, column = offset >> 7, offset & 127  # a column to the west of the window has a large number in the row below
    return row * _SIDE + column if 0 <= row < _SIDE and column < _SIDE else -1


@jitable_no_alloc
def _find_stack(s: State, key: int) -> tuple[int, int]:
    """Return the visible and the covered tile of a place, counted from 1, 0 for none; -1 twice if it is no place."""
    i = find_place(s, key)
    if i == np.int64(s.place_count) or unpack_key(np.int64(s.place[i])) != key:
        return -1, -1
    return unpack_top(np.int64(s.place[i])), unpack_under(np.int64(s.place[i]))


@jitable_no_alloc
def _get_other(tile: int, top: int, under: int, left: int, n: int) -> int:
    """Return the first (`n` is 1) or second of the tiles of a stack of three without the one with the index `left`."""
    if n == 1:
        return top if left == 0 else tile
    return top if left == 2 else under


@jitable_no_alloc
def index_action(s: State, action: int) -> int:
    """Return the index of an action, or -1 if its place lies outside the window."""
    if action == PASS:
        return _PASS_INDEX
    tile, key, rotation, leave, take = decode_action(action)
    cell = _find_cell(key)
    if cell < 0:
        return -1
    outcome = 0
    if leave > 0:
        top, under = _find_stack(s, key)
        left = 0 if leave == tile + 1 else 1 if leave == top else 2
        outcome = 3 * left
        if take > 0:
            outcome += 1 if take == _get_other(tile + 1, top, under, left, 1) else 2
    slot = popcount(s.hand[np.int64(s.seat)] & (bit(tile) - ONE))
    return ((slot * _PLACES + cell) * _ROTATIONS + rotation) * _OUTCOMES + outcome


@jitable_no_alloc
def find_action(s: State, index: int) -> int:
    """Return the action of an index, legal or not, or -1 if the position has no such tile or stack."""
    if index == _PASS_INDEX:
        return PASS
    outcome, rest = index % _OUTCOMES, index // _OUTCOMES
    rotation, rest = rest % _ROTATIONS, rest // _ROTATIONS
    cell, slot = rest % _PLACES, rest // _PLACES
    tile = list_hand(s)[slot]
    if tile == NO_TILE:
        return -1
    key = _CORNER + cell // _SIDE * NORTH + cell % _SIDE * EAST
    top, under = _find_stack(s, key)
    if under <= 0:
        return encode_action(tile, key, rotation, 0, 0) if outcome == 0 else -1
    left, taken = outcome // 3, outcome % 3
    leave = (tile + 1, top, under)[left]
    take = _get_other(tile + 1, top, under, left, taken) if taken > 0 else 0
    return encode_action(tile, key, rotation, leave, take)


@jitable_no_alloc
def action_at(s: State, index: int) -> int:
    """Return the action of an index, or -1 if it is not legal."""
    if index < 0 or index > _PASS_INDEX:
        return -1
    action = find_action(s, index)
    if action <= PASS:
        return PASS if action == PASS and can_play(s, PASS) else -1
    tile, key, rotation, leave, take = decode_action(action)
    i = find_place(s, key)
    if i == np.int64(s.place_count) or unpack_key(np.int64(s.place[i])) != key:
        return -1
    place = np.int64(s.place[i])
    stays = leave - 1 if leave > 0 else tile
    if count_legal_rotations(tile, place) == 0 or (find_fitting_rotations(stays, place) >> rotation) & 1 == 0:
        return -1
    return -1 if take > 0 and can_take(s, take - 1) == 0 else action


@jitable
def mask_actions(s: State, out: Mask) -> None:
    """Write whether each index is legal."""
    clear_mask(out)
    actions = np.empty(bound(s), np.int64)
    for k in range(legal(s, actions)):
        index = index_action(s, actions[k])
        if index >= 0:
            out[index] = True


@jitable_no_alloc
def can_index_all(s: State) -> bool:
    """Return whether no tile of the seat to move can be laid outside the window."""
    tiles = list_hand(s)
    for i in range(np.int64(s.place_count)):
        place = np.int64(s.place[i])
        if _find_cell(unpack_key(place)) < 0:
            for tile in tiles:
                if count_legal_rotations(tile, place) > 0:
                    return False
    return True


@jitable_no_alloc
def _find_colour(tile: int, seat: int, players: int) -> int:
    """Return the number of the colour of a tile for a seat: 0 for its own, then in turn order, last the neutral one."""
    part = tile // TILES_PER_COLOUR
    return (part - seat + players) % players if part < players else part


@jitable_no_alloc
def write_planes(s: State, seat: int, out: Planes) -> None:
    """Write the planes that `plane_names` names; of the hands, only that of the seat is read."""
    clear_planes(out)
    players = np.int64(s.players)
    colours = max(players, NEUTRAL_PART + 1)
    edges = colours + 1
    covered = edges + 5
    hand = covered + colours + 2
    for i in range(np.int64(s.place_count)):
        place = np.int64(s.place[i])
        cell, top, under = _find_cell(unpack_key(place)), unpack_top(place) - 1, unpack_under(place) - 1
        if cell < 0 or top < 0:
            continue
        out[_find_colour(top, seat, players), cell] = 1.0
        out[colours, cell] = top & 1
        black = np.int64(ROTATED_EDGES[get_pattern(top) * 4 + unpack_rotation(place)])
        for side in range(4):
            out[edges + side, cell] = (black >> side) & 1
        if under >= 0:
            out[edges + 4, cell] = 1.0
            out[covered + _find_colour(under, seat, players), cell] = 1.0
            out[covered + colours, cell] = np.float32(_BLACK_COUNTS[get_pattern(under)]) / np.float32(4)
            out[covered + colours + 1, cell] = get_pattern(under) == _OPPOSITE
    tiles, row = s.hand[seat], 0
    while tiles != ZERO:
        tile, tiles = pop_bit(tiles)
        out[hand, row + _find_colour(tile, seat, players)] = 1.0
        out[hand, row + colours] = tile & 1
        out[hand, row + colours + 1] = np.float32(_BLACK_COUNTS[get_pattern(tile)]) / np.float32(4)
        out[hand, row + colours + 2] = get_pattern(tile) == _OPPOSITE
        row += _SIDE
    _write_numbers(s, seat, players, out[hand + 1 :])


@jitable
def _write_numbers(s: State, seat: int, players: int, out: Planes) -> None:
    """Fill the planes from the sizes of hands on, each with one number."""
    totals = np.zeros(MAX_SEATS, np.int64)
    points(s, totals)
    for k in range(players):
        other = (seat + k) % players
        fill_plane(out, k, np.float32(np.int64(s.hand_size[other])) / np.float32(HAND_SIZE))
        fill_plane(out, players + k, np.float32(min(totals[other], _MOST_POINTS)) / np.float32(_MOST_POINTS))
        fill_plane(out, 2 * players + k, (np.int64(s.passed) >> other) & 1)
    fill_plane(out, 3 * players, np.float32(np.int64(s.pile_size)) / np.float32(_DECK))
