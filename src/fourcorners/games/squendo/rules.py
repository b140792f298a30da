"""The rules of Squendo, over one record.

An action is `(((tile << 14 | key) << 2 | turn) << 6 | leave) << 6 | take`, where `leave` and `take` are tiles counted
from 1, 0 for none, and `PASS` is 0. The order of `legal` is by place, row by row, then by tile.
"""

from __future__ import annotations

import numpy as np

from fourcorners.core.bits import ONE, ZERO, Rng, bit, lowest_bit, random_below
from fourcorners.core.dispatch import Actions, State
from fourcorners.core.jit import jitable
from fourcorners.games.squendo import options as given
from fourcorners.games.squendo.hands import deal, draw, gain, hide, lose, note_pass
from fourcorners.games.squendo.options import HAND, MAX_SEATS
from fourcorners.games.squendo.placements import (
    ABSENT,
    MAX_PLACES,
    NTH_TURN,
    find,
    fitting,
    fitting_count,
    key_at,
    key_of,
    laying_count,
    open_place,
    put,
    top_at,
    under_at,
)
from fourcorners.games.squendo.scoring import points

__all__ = [
    "DTYPE",
    "MAX_PLIES",
    "MAX_SEATS",
    "bound",
    "deal",
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
        ("place", np.int64, MAX_PLACES),  # see table.py
        ("hand", np.uint64, MAX_SEATS),  # the tiles, as sets
        ("slot", np.uint64, HAND * MAX_SEATS),  # what everybody knows of them, see hands.py
        ("fresh", np.uint64),  # the tiles never laid so far
        ("pile", np.uint8, 48),  # tiles counted from 1; the next to be drawn stands last
        ("held", np.uint8, MAX_SEATS),
        ("pile_n", np.uint8),
        ("places", np.uint8),
        ("seat", np.uint8),  # to move; 0 when the game is over
        ("passed", np.uint8),  # the seats that have passed since a tile was laid, as a mask
        ("seen", np.uint8),  # 0: all is true; otherwise whose view it is, counted from 1, 5 for a spectator
        ("players", np.uint8),
        ("take_any", np.bool_),
        ("maximal", np.bool_),
        ("lines", np.bool_),
        ("squendo_pad", np.uint8, 3),
    ]
)
# A tile laid leaves hands and pile for good, or comes back once for each tile discarded: 96 times at most, and
# between two of those every seat passes at most once.
MAX_PLIES = 400
PASS = 0
_MOST_AT_TRIPLE = 36


def start(s: State, options: given.SquendoOptions, deck: tuple[str, ...]) -> None:
    """Fill a zeroed record with the start: seat 0 draws its four, then seat 1, and so on."""
    s.players = options.players
    s.take_any = options.take == "any"
    s.maximal = options.rectangles == "maximal"
    s.lines = options.lines
    for i, tile in enumerate(reversed(deck)):
        s.pile[i] = given.CODES[tile] + 1
        s.fresh |= bit(given.CODES[tile])
    s.pile_n = len(deck)
    for seat in range(options.players):
        draw(s, seat)
    open_place(s, key_of(0, 0))


@jitable
def to_move(s: State) -> int:
    """Return the seat to move."""
    return np.int64(s.seat)


@jitable
def is_over(s: State) -> bool:
    """Tell whether every seat that holds tiles has passed in a row, or none holds any."""
    for seat in range(np.int64(s.players)):
        if np.int64(s.held[seat]) > 0 and not (np.int64(s.passed) >> seat) & 1:
            return False
    return True


@jitable
def bound(s: State) -> int:
    """Return a number that the count of legal actions does not exceed."""
    most = 0
    for i in range(np.int64(s.places)):
        most += _MOST_AT_TRIPLE if under_at(np.int64(s.place[i])) > 0 else 4
    return most * HAND + 1


@jitable
def legal(s: State, out: Actions) -> int:
    """Write the codes of the legal actions; return how many."""
    n = 0
    tiles = hand_of(s)
    for i in range(np.int64(s.places)):
        place = np.int64(s.place[i])
        for tile in tiles:
            for k in range(_count_at(s, tile, place)):
                out[n] = _nth_at(s, tile, place, k)
                n += 1
    if n == 0:
        out[0] = PASS
        n = 1
    return n


@jitable
def pick(s: State, rng: Rng) -> int:
    """Return one legal action uniformly at random."""
    tiles = hand_of(s)
    total = 0
    for i in range(np.int64(s.places)):
        total += _count_here(s, tiles, np.int64(s.place[i]))
    if total == 0:
        return PASS
    n = random_below(rng, total)
    i = 0
    count = _count_here(s, tiles, np.int64(s.place[i]))
    while n >= count:
        n -= count
        i += 1
        count = _count_here(s, tiles, np.int64(s.place[i]))
    place = np.int64(s.place[i])
    chosen = tiles[0]
    for tile in tiles:
        count = _count_at(s, tile, place)
        if n < count:
            chosen = tile
            break
        n -= count
    return _nth_at(s, chosen, place, n)


@jitable
def hand_of(s: State) -> tuple[int, int, int, int]:
    """Return the tiles of the seat to move, filled up to four."""
    hand = s.hand[np.int64(s.seat)]
    first, hand = _split(hand)
    second, hand = _split(hand)
    third, hand = _split(hand)
    return first, second, third, _split(hand)[0]


@jitable
def _split(hand: np.uint64) -> tuple[int, np.uint64]:
    """Return the first tile and the others."""
    if hand == ZERO:
        return ABSENT, ZERO
    return lowest_bit(hand), hand & (hand - ONE)


@jitable
def _count_here(s: State, tiles: tuple[int, int, int, int], place: int) -> int:
    """Count the legal actions at a place."""
    count = 0
    for tile in tiles:
        count += laying_count(tile, place)
    if count == 0 or under_at(place) == 0:
        return count
    count = 0
    for tile in tiles:
        count += _count_at(s, tile, place)
    return count


@jitable
def _count_at(s: State, tile: int, place: int) -> int:
    """Count the legal actions that lay a tile at a place."""
    count = laying_count(tile, place)
    if count == 0 or under_at(place) == 0:
        return count
    count = 0
    top, under = top_at(place) - 1, under_at(place) - 1
    for leave in (tile, top, under):
        count += fitting_count(leave, place) * (1 + _takes(s, tile, top, under) - may_take(s, leave))
    return count


@jitable
def _nth_at(s: State, tile: int, place: int, n: int) -> int:
    """Return the n-th of those actions; n is below their number."""
    top, under = top_at(place) - 1, under_at(place) - 1
    if under < 0:
        return encode(tile, key_at(place), NTH_TURN[fitting(tile, place) * 4 + n], 0, 0)
    leave = tile
    for candidate in (tile, top, under):
        leave = candidate
        ways = 1 + _takes(s, tile, top, under) - may_take(s, leave)
        count = fitting_count(leave, place) * ways
        if n < count:
            turn = NTH_TURN[fitting(leave, place) * 4 + n // ways]
            n %= ways
            break
        n -= count
    else:
        return PASS
    take = 0
    for candidate in (tile, top, under):
        if candidate != leave and may_take(s, candidate) and n > 0:
            n -= 1
            take = candidate + 1
    return encode(tile, key_at(place), turn, leave + 1, take)


@jitable
def may_take(s: State, tile: int) -> int:
    """Return 1 if the seat to move may take a tile back, 0 otherwise."""
    return 1 if s.take_any or tile // 12 == np.int64(s.seat) else 0


@jitable
def _takes(s: State, tile: int, top: int, under: int) -> int:
    return may_take(s, tile) + may_take(s, top) + may_take(s, under)


@jitable
def encode(tile: int, key: int, turn: int, leave: int, take: int) -> int:
    """Return the code of an action; `leave` and `take` count from 1."""
    return (((tile << 14 | key) << 2 | turn) << 6 | leave) << 6 | take


@jitable
def decode(action: int) -> tuple[int, int, int, int, int]:
    """Return tile, key, turn, leave and take of an action."""
    return action >> 28, (action >> 14) & 16383, (action >> 12) & 3, (action >> 6) & 63, action & 63


@jitable
def play(s: State, action: int) -> None:
    """Play an action in place."""
    seat = np.int64(s.seat)
    if action == PASS:
        note_pass(s, seat)
        s.passed |= np.uint8(1 << seat)
    else:
        tile, key, turn, leave, take = decode(action)
        lose(s, seat, tile)
        place = np.int64(s.place[find(s, key)])
        if leave == 0:
            put(s, key, tile, turn, top_at(place))
        else:
            put(s, key, leave - 1, turn, 0)
            if take > 0:
                gain(s, seat, take - 1, _perhaps_taken(s, tile, top_at(place) - 1, under_at(place) - 1, leave - 1))
        draw(s, seat)
        s.passed = 0
    pass_turn(s, seat)


@jitable
def _perhaps_taken(s: State, tile: int, top: int, under: int, leave: int) -> np.uint64:
    """Return which tiles of a triple may have been taken, for all that the others see."""
    found = ZERO
    for candidate in (tile, top, under):
        if candidate != leave and may_take(s, candidate):
            found |= bit(candidate)
    return found


@jitable
def pass_turn(s: State, seat: int) -> None:
    """Let the next seat that holds tiles be to move."""
    s.seat = 0
    if not is_over(s):
        players = np.int64(s.players)
        after = (seat + 1) % players
        while np.int64(s.held[after]) == 0:
            after = (after + 1) % players
        s.seat = after
