"""The rules of Squendo, as functions over one record.

An action is `(((tile << 14 | key) << 2 | rotation) << 6 | leave) << 6 | take`. `key` is that of the place. `leave` and
`take` are the tile left on the table and the tile taken back when a stack of three is resolved, counted from 1, 0 for
none. `PASS` is 0, which no placement can be because keys are positive.
"""

import numpy as np

from fourcorners.builtin.squendo.hands import (
    add_to_hand,
    deal,
    deal_likely,
    fill_hand,
    hide,
    narrow_slots_by_pass,
    remove_from_hand,
)
from fourcorners.builtin.squendo.options import HAND_SIZE, MAX_SEATS, SquendoOptions, find_colour_order, list_tiles
from fourcorners.builtin.squendo.placements import (
    MAX_PLACES,
    NO_TILE,
    NTH_ROTATION,
    count_fitting_rotations,
    count_legal_rotations,
    encode_key,
    find_fitting_rotations,
    find_or_add_place,
    find_place,
    set_stack,
    unpack_key,
    unpack_top,
    unpack_under,
)
from fourcorners.builtin.squendo.scoring import points
from fourcorners.core.arrays import Actions, Rng, State
from fourcorners.core.bits import ONE, ZERO, bit, lowest_bit, random_below
from fourcorners.core.jit import jitable

__all__ = [
    "DTYPE",
    "MAX_PLIES",
    "MAX_SEATS",
    "bound",
    "can_play",
    "deal",
    "deal_likely",
    "hide",
    "is_over",
    "legal",
    "pick",
    "play",
    "points",
    "start",
    "to_move",
]

DTYPE = np.dtype(
    [
        ("place", np.int64, MAX_PLACES),  # see placements.py
        ("hand", np.uint64, MAX_SEATS),  # sets of tiles, by seat
        ("slot", np.uint64, HAND_SIZE * MAX_SEATS),  # public knowledge about each tile of a hand: see hands.py
        ("unlaid", np.uint64),  # the set of tiles that were never laid
        ("pile", np.uint8, 48),  # tiles counted from 1; the last one is drawn next
        ("hand_size", np.uint8, MAX_SEATS),  # the number of tiles in each hand
        ("pile_size", np.uint8),
        ("place_count", np.uint8),
        ("seat", np.uint8),  # the seat to move; 0 if the game is over
        ("passed", np.uint8),  # mask of the seats that have passed since a tile was laid
        ("seen_by", np.uint8),  # 0: nothing is hidden; else the viewer, counted from 1, or 5 for a spectator
        ("players", np.uint8),
        ("take_any", np.bool_),
        ("maximal", np.bool_),
        ("lines", np.bool_),
        ("colours", np.uint8),  # index in COLOUR_ORDERS: only names and pictures depend on it
        ("squendo_pad", np.uint8, 2),
    ]
)
# Each placement removes one of 48 tiles from hands and pile, or discards one and takes one back: at most 96 placements.
# Before each of them three seats may pass, and all four at the end: 388 plies.
MAX_PLIES = 400
PASS = 0
_MAX_TRIPLE_ACTIONS = 36  # three tiles to leave, four rotations, and three ways: take one of the others or none


def start(s: State, options: SquendoOptions, deck: tuple[str, ...]) -> None:
    """Fill a zeroed record in place with the start: seat 0 draws four tiles, then seat 1, and so on.
    `deck` is in drawing order; `options.check_deck` must have accepted it.
    """
    write_options(s, options)
    codes = {tile: code for code, tile in enumerate(list_tiles(options))}
    for i, tile in enumerate(reversed(deck)):
        s.pile[i] = codes[tile] + 1
        s.unlaid |= bit(codes[tile])
    s.pile_size = len(deck)
    for seat in range(options.players):
        fill_hand(s, seat)
    find_or_add_place(s, encode_key(0, 0))  # where the first tile goes


def write_options(s: State, options: SquendoOptions) -> None:
    """Write the options into a record, in place; nothing else changes."""
    s.players, s.take_any = options.players, options.take == "any"
    s.colours = find_colour_order(options)
    s.maximal, s.lines = options.rectangles == "maximal", options.lines


@jitable
def to_move(s: State) -> int:
    """Return the seat to move."""
    return np.int64(s.seat)


@jitable
def is_over(s: State) -> bool:
    """Return whether every seat that holds tiles has passed in a row, or no seat holds any (R18)."""
    for seat in range(np.int64(s.players)):
        if np.int64(s.hand_size[seat]) > 0 and not (np.int64(s.passed) >> seat) & 1:
            return False
    return True


@jitable
def bound(s: State) -> int:
    """Return an upper bound, at least 1, of the number of legal actions; it holds even if the game is over."""
    limit = 0
    for i in range(np.int64(s.place_count)):
        limit += _MAX_TRIPLE_ACTIONS if unpack_under(np.int64(s.place[i])) > 0 else 4
    return limit * HAND_SIZE + 1


@jitable
def legal(s: State, out: Actions) -> int:
    """Write the legal actions into `out`, of length `bound(s)` or more, PASS alone if no tile fits; return how many.
    They are ordered by place, row by row from the bottom, then by tile.
    """
    n = 0
    tiles = list_hand(s)
    for i in range(np.int64(s.place_count)):
        place = np.int64(s.place[i])
        if _count_place_rotations(tiles, place) == 0:
            continue
        if unpack_under(place) == 0:
            for tile in tiles:
                fitting = find_fitting_rotations(tile, place) * 4 if tile != NO_TILE else 0
                for k in range(count_legal_rotations(tile, place)):
                    out[n] = encode_action(tile, unpack_key(place), NTH_ROTATION[fitting + k], 0, 0)
                    n += 1
            continue
        for tile in tiles:
            for k in range(_count_tile_actions(s, tile, place)):
                out[n] = _get_nth_action(s, tile, place, k)
                n += 1
    if n == 0:
        out[0] = PASS
        n = 1
    return n


@jitable
def can_play(s: State, action: int) -> bool:
    """Return whether the seat to move may play an action that would be legal on this table with some other hand."""
    if action != PASS:
        return s.hand[np.int64(s.seat)] & bit(action >> 28) != ZERO
    tiles = list_hand(s)
    for i in range(np.int64(s.place_count)):
        if _count_place_actions(s, tiles, np.int64(s.place[i])) > 0:
            return False
    return True


@jitable
def pick(s: State, rng: Rng) -> int:
    """Return one legal action, uniformly at random, without listing them all; PASS if no tile fits."""
    tiles, total = list_hand(s), 0
    for i in range(np.int64(s.place_count)):
        total += _count_place_actions(s, tiles, np.int64(s.place[i]))
    if total == 0:
        return PASS
    n, i = random_below(rng, total), 0
    count = _count_place_actions(s, tiles, np.int64(s.place[i]))
    while n >= count:
        n -= count
        i += 1
        count = _count_place_actions(s, tiles, np.int64(s.place[i]))
    place = np.int64(s.place[i])
    chosen = tiles[0]
    for tile in tiles:
        count = _count_tile_actions(s, tile, place)
        if n < count:
            chosen = tile
            break
        n -= count
    return _get_nth_action(s, chosen, place, n)


@jitable
def list_hand(s: State) -> tuple[int, int, int, int]:
    """Return the tiles of the seat to move, counted from 0, in ascending order, padded to four with NO_TILE."""
    hand = s.hand[np.int64(s.seat)]
    first, hand = _pop_tile(hand)
    second, hand = _pop_tile(hand)
    third, hand = _pop_tile(hand)
    return first, second, third, _pop_tile(hand)[0]


@jitable
def _pop_tile(hand: np.uint64) -> tuple[int, np.uint64]:
    """Return the lowest tile of a set, counted from 0, and the rest of the set; NO_TILE and 0 for an empty one."""
    if hand == ZERO:
        return NO_TILE, ZERO
    return lowest_bit(hand), hand & (hand - ONE)


@jitable
def _count_place_rotations(tiles: tuple[int, int, int, int], place: int) -> int:
    """Return the number of ways to lay the tiles of a hand at a packed place, without the choices for a triple."""
    count = 0
    for tile in tiles:
        count += count_legal_rotations(tile, place)
    return count


@jitable
def _count_place_actions(s: State, tiles: tuple[int, int, int, int], place: int) -> int:
    """Count the legal actions of a hand, as `list_hand` returns it, at a packed place."""
    count = 0
    for tile in tiles:
        count += count_legal_rotations(tile, place)
    if count == 0 or unpack_under(place) == 0:
        return count
    count = 0
    for tile in tiles:
        count += _count_tile_actions(s, tile, place)
    return count


@jitable
def _count_tile_actions(s: State, tile: int, place: int) -> int:
    """Count the legal actions that lay a tile (counted from 0, or NO_TILE) at a packed place."""
    count = count_legal_rotations(tile, place)
    if count == 0 or unpack_under(place) == 0:
        return count
    count = 0
    top, under = unpack_top(place) - 1, unpack_under(place) - 1
    for leave in (tile, top, under):
        # Either none is taken back or one of those that are not left.
        count += count_fitting_rotations(leave, place) * (1 + count_takeable(s, tile, top, under) - can_take(s, leave))
    return count


@jitable
def _get_nth_action(s: State, tile: int, place: int, n: int) -> int:
    """Return the legal action at index `n`, from 0, of those that lay a tile (counted from 0) at a packed place.
    `n` must be below what `_count_tile_actions` returns for them; the order is that of `legal`.
    """
    top, under = unpack_top(place) - 1, unpack_under(place) - 1
    if under < 0:
        return encode_action(tile, unpack_key(place), NTH_ROTATION[find_fitting_rotations(tile, place) * 4 + n], 0, 0)
    for leave in (tile, top, under):
        ways = 1 + count_takeable(s, tile, top, under) - can_take(s, leave)
        count = count_fitting_rotations(leave, place) * ways
        if n < count:
            rotation = NTH_ROTATION[find_fitting_rotations(leave, place) * 4 + n // ways]
            n %= ways
            break
        n -= count
    else:
        return PASS  # cannot be reached, but shows Numba that `leave` and `rotation` are always set
    take = 0
    # None for n = 0, then the n-th of the other two that may be taken, counted from 1: the last one assigned.
    for candidate in (tile, top, under):
        if candidate != leave and can_take(s, candidate) and n > 0:
            n -= 1
            take = candidate + 1
    return encode_action(tile, unpack_key(place), rotation, leave + 1, take)


@jitable
def can_take(s: State, tile: int) -> int:
    """Return 1 if the seat to move may take this tile back, otherwise 0: callers add the results up (R16)."""
    return 1 if s.take_any or tile // 12 == np.int64(s.seat) else 0


@jitable
def count_takeable(s: State, tile: int, top: int, under: int) -> int:
    """Count the tiles of a stack of three that the seat to move may take back."""
    return can_take(s, tile) + can_take(s, top) + can_take(s, under)


@jitable
def encode_action(tile: int, key: int, rotation: int, leave: int, take: int) -> int:
    """Return the code of an action; `tile` counts from 0, `leave` and `take` count from 1."""
    return (((tile << 14 | key) << 2 | rotation) << 6 | leave) << 6 | take


@jitable
def decode_action(action: int) -> tuple[int, int, int, int, int]:
    """Return tile, key, rotation, leave and take of an action that is not a pass."""
    return action >> 28, (action >> 14) & 16383, (action >> 12) & 3, (action >> 6) & 63, action & 63


@jitable
def play(s: State, action: int) -> None:
    """Play a legal action (not checked) in place: hands, slots, table, pile, `passed` and turn change."""
    seat = np.int64(s.seat)
    if action == PASS:
        narrow_slots_by_pass(s, seat)
        s.passed |= np.uint8(1 << seat)
    else:
        tile, key, rotation, leave, take = decode_action(action)
        remove_from_hand(s, seat, tile)
        place = np.int64(s.place[find_place(s, key)])
        if leave == 0:
            set_stack(s, key, tile, rotation, unpack_top(place))
        else:
            set_stack(s, key, leave - 1, rotation, 0)
            if take > 0:
                known = _find_possible_takes(s, tile, unpack_top(place) - 1, unpack_under(place) - 1, leave - 1)
                add_to_hand(s, seat, take - 1, known)
        fill_hand(s, seat)
        s.passed = 0
    advance_seat(s, seat)


@jitable
def _find_possible_takes(s: State, tile: int, top: int, under: int, leave: int) -> np.uint64:
    """Return the tiles among `tile`, `top`, `under` (from 0), except `leave`, that others must consider taken back."""
    found = ZERO
    for candidate in (tile, top, under):
        if candidate != leave and can_take(s, candidate):
            found |= bit(candidate)
    return found


@jitable
def advance_seat(s: State, seat: int) -> None:
    """Give the turn to the next seat after `seat` that holds tiles; to seat 0 if the game is over."""
    next_seat = 0
    if not is_over(s):
        next_seat = (seat + 1) % np.int64(s.players)
        while np.int64(s.hand_size[next_seat]) == 0:
            next_seat = (next_seat + 1) % np.int64(s.players)
    s.seat = next_seat
