"""The inputs of `value_network`: numbers that describe a position with known hands for each seat.

A *kind* is a tile without its colour: a bit of a mask of twelve. All counts come from one scan over the sorted places.
"""

import numpy as np
from numpy.typing import NDArray

from fourcorners.builtin.squendo import placements
from fourcorners.builtin.squendo.scoring import points
from fourcorners.builtin.squendo.strategy.local_value import (
    COMPLETED,
    LACKING_ONE,
    draw_map,
    find_cell,
    read_neighbourhood,
    select_colour,
)
from fourcorners.core.arrays import Points, State
from fourcorners.core.bits import ONE, ZERO, lowest_bit, popcount
from fourcorners.core.jit import jitable

FITTING_KINDS = np.array(
    [
        sum(1 << kind for kind in range(12) if placements.ROTATION_COUNTS[256 * (kind >> 1) + constraint] > 0)
        for constraint in range(256)
    ],
    np.int64,
)
"""The kinds, as a mask, that fit in at least one rotation, by the constraint of a place."""
_ON_SYMBOL = (0b010101010101, 0b101010101010)
ALLOWED_KINDS = np.array([(1 << 12) - 1] + [_ON_SYMBOL[tile & 1] for tile in range(63)], np.int64)
"""The kinds, as a mask, whose symbol may be laid on a place, by its visible tile counted from 1."""
_ALL_KINDS = np.uint64((1 << 12) - 1)

# The features of a seat, by index.
SINGLES = 0  # visible single tiles of its colour
DOUBLES = 1
OWN_IN_HAND = 2  # tiles of its colour in its hand
OWN_ELSEWHERE = 3  # in other hands
OWN_IN_PILE = 4
HELD = 5  # tiles in its hand
TARGETS = 6  # seven counts of places where a tile of its colour and hand fits: see `_classify_place`
BEST_SQUARES = 13  # the most squares that one such tile completes
COMPLETING = 14  # the number of such places that complete a square
PREPARING = 15  # squares that then lack one tile, over all such places
EXPOSED_SINGLES = 16  # visible singles of its colour that a rival can cover with its own colour
EXPOSED_DOUBLES = 17
OPEN_SQUARES = 18  # squares of its colour that lack one tile, where some tile fits
COVERABLE = 19  # places that show a rival's tile and where a tile of its hand fits
LEAD = 20  # its points minus those of its best rival
WAIT = 21  # turns until it moves
SEAT_FEATURES = 22
# Then come the means of the same features over its rivals, in the same order, and what all seats share.
TILES_LEFT = 2 * SEAT_FEATURES  # in pile and hands
PILE = TILES_LEFT + 1
PLAYERS = TILES_LEFT + 2
PLACES = TILES_LEFT + 3
INPUT_COUNT = TILES_LEFT + 4

Features = NDArray[np.float64]


@jitable
def _classify_place(shown: int, under: int, seat: int, players: int) -> int:
    """Return the class of a place for a seat: 0 if it is free, 1 to 3 for a single tile of the seat's, a rival's or the
    neutral colour, 4 to 6 for a double stack that shows one of these.
    """
    if shown < 0:
        return 0
    owner = 1 if shown == seat else (2 if shown < players else 3)
    return owner + 3 if under > 0 else owner


@jitable
def _find_kinds(tiles: np.uint64, colour: int) -> int:
    """Return the kinds, as a mask, of the tiles of a colour in a set."""
    return np.int64((tiles >> np.uint64(12 * colour)) & _ALL_KINDS)


@jitable
def count_tiles_left(s: State) -> int:
    """Return the number of tiles in the pile and in all hands."""
    left = np.int64(s.pile_size)
    for seat in range(np.int64(s.players)):
        left += np.int64(s.hand_size[seat])
    return left


@jitable
def compute_features(s: State, out: Features, now: Points | Features) -> None:
    """Write the features of each seat that plays into its row of `out`, (MAX_SEATS, INPUT_COUNT), and its points into
    `now`, (MAX_SEATS,). Nothing in the position may be hidden.
    """
    players = np.int64(s.players)
    _compute_seat_features(s, out)
    points(s, now)
    for seat in range(players):
        best = -np.inf
        for rival in range(players):
            if rival != seat:
                best = max(best, now[rival])
        out[seat, LEAD] = now[seat] - best
    for seat in range(players):
        for i in range(SEAT_FEATURES):
            total = 0.0
            for rival in range(players):
                if rival != seat:
                    total += out[rival, i]
            out[seat, SEAT_FEATURES + i] = total / (players - 1)
        out[seat, TILES_LEFT] = count_tiles_left(s)
        out[seat, PILE] = np.int64(s.pile_size)
        out[seat, PLAYERS] = players
        out[seat, PLACES] = np.int64(s.place_count)


@jitable
def _compute_seat_features(s: State, out: Features) -> None:
    """Write the features of every seat that plays into its row of `out`, without LEAD and the means of its rivals."""
    players = np.int64(s.players)
    held = ZERO
    for seat in range(players):
        held |= s.hand[seat]
    for seat in range(players):
        for i in range(SEAT_FEATURES):
            out[seat, i] = 0.0
        own = _ALL_KINDS << np.uint64(12 * seat)
        out[seat, OWN_IN_HAND] = popcount(s.hand[seat] & own)
        out[seat, OWN_ELSEWHERE] = popcount(held & ~s.hand[seat] & own)
        out[seat, OWN_IN_PILE] = popcount(s.unlaid & ~held & own)
        out[seat, HELD] = np.int64(s.hand_size[seat])
        out[seat, WAIT] = (seat - np.int64(s.seat)) % players
    cells, width, shift = draw_map(s)
    for index in range(np.int64(s.place_count)):
        place = np.int64(s.place[index])
        kinds = FITTING_KINDS[placements.unpack_constraint(place)] & ALLOWED_KINDS[placements.unpack_top(place)]
        neighbourhood = read_neighbourhood(cells, width, find_cell(placements.unpack_key(place), width, shift))
        _count_place(s, place, kinds, neighbourhood, out)


@jitable
def _count_place(s: State, place: int, kinds: int, neighbourhood: int, out: Features) -> None:
    """Add one place to the counts of all seats, given the kinds that fit there and its neighbourhood."""
    players, top, under = np.int64(s.players), placements.unpack_top(place), placements.unpack_under(place)
    shown = (top - 1) // 12 if top > 0 else -1
    covered_by = 0
    for seat in range(players):
        bits = select_colour(neighbourhood, seat)
        completed = 0 if shown == seat else COMPLETED[bits]
        if kinds != 0:
            out[seat, OPEN_SQUARES] += completed
        if kinds & _find_kinds(s.hand[seat], seat) != 0:
            covered_by |= 1 << seat
            out[seat, TARGETS + _classify_place(shown, under, seat, players)] += 1.0
            if shown != seat:
                out[seat, PREPARING] += LACKING_ONE[bits]
                if completed > 0:
                    out[seat, COMPLETING] += 1.0
                    out[seat, BEST_SQUARES] = max(out[seat, BEST_SQUARES], completed)
        if 0 <= shown < players and shown != seat:
            hand = s.hand[seat]
            while hand != ZERO:
                if kinds >> (lowest_bit(hand) % 12) & 1:
                    out[seat, COVERABLE] += 1.0
                    break
                hand &= hand - ONE
    if 0 <= shown < players:
        out[shown, DOUBLES if under > 0 else SINGLES] += 1.0
        if covered_by & ~(1 << shown) != 0:
            out[shown, EXPOSED_DOUBLES if under > 0 else EXPOSED_SINGLES] += 1.0
