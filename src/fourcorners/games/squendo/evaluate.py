"""What a player of Squendo knows at sight: what a tile scores, breaks and prepares where it is laid.

A laying changes points only around its place, so all of them are weighed in one walk over the table, with one finger
in the row below and one in the row above.
"""

from __future__ import annotations

import numpy as np

from fourcorners.core.bits import Rng, random_below, random_word
from fourcorners.core.dispatch import Actions, Points, Priors, State, Weights
from fourcorners.core.jit import jitable
from fourcorners.games.squendo.placements import (
    EAST,
    NORTH,
    NTH_ROTATION,
    count_fitting_rotations,
    count_legal_rotations,
    find_fitting_rotations,
    find_place,
    unpack_key,
    unpack_top,
    unpack_under,
)
from fourcorners.games.squendo.rules import PASS, can_take, decode_action, encode_action, list_hand
from fourcorners.games.squendo.scoring import count_colour_points, points
from fourcorners.games.squendo.strategy.local_value import (
    COMPLETED,
    LACKING_ONE,
    LACKING_TWO,
    count_gain,
    read_neighbourhood,
    select_colour,
)

OWN = 0
"""What a point of one's own is worth."""
RIVAL = 1
"""What a point of a rival is worth, shared by all of them."""
BEST_RIVAL = 2
"""What a point of the rival that would then have most is worth, besides."""
SEE_RECTANGLES = 3
"""1: sees rectangles; 0: counts tiles alone."""
SEE_COVERED = 4
"""1: sees what it covers; 0: only what it lays."""
OWN_LACKING_ONE = 5
"""What a square of one's own is worth that lacks one tile."""
RIVAL_LACKING_ONE = 6
"""What taking such a square from a rival is worth."""
OWN_LACKING_TWO = 7
"""What a square of one's own is worth that lacks two tiles."""
BLOCK = 8
"""What a tile in the free place is worth where a rival would complete a square."""
TAKE_BACK = 9
"""What a tile is worth that comes back to the hand."""
DISCARD = 10
"""What it is worth that a rival's tile leaves the game; one's own costs as much."""
NOISE = 11
"""How many points it may think a move better than it is."""
STOP_PROBABILITY = 12
"""How likely a playout stops before a ply, with the points as they stand."""
ENDGAME_TILES = 13
"""With so few tiles in pile and hands a playout goes on to the end."""
PRIOR_SCALE = 14
"""How much a point counts before any search."""
RIVAL_LACKING_TWO = 15
"""What taking a square from a rival is worth that lacks two tiles."""
WEIGHT_COUNT = 16

Four = tuple[float, float, float, float]
_UNIT = 1.0 / (1 << 32)


@jitable
def _spread_over_colours(s: State, own: float, rival: float) -> Four:
    """Return a number for every colour: one for the seat to move, one for its rivals, 0 for the neutral colour."""
    return (
        _choose_for_colour(s, 0, own, rival),
        _choose_for_colour(s, 1, own, rival),
        _choose_for_colour(s, 2, own, rival),
        _choose_for_colour(s, 3, own, rival),
    )


@jitable
def _choose_for_colour(s: State, colour: int, own: float, rival: float) -> float:
    if colour >= np.int64(s.players):
        return 0.0
    return own if colour == np.int64(s.seat) else rival


@jitable
def _compute_point_values(s: State, weights: Weights) -> Four:
    """Return what a point of each colour is worth to the seat to move; a rival that is alone is the best one, too."""
    rivals = np.int64(s.players) - 1
    shared = weights[RIVAL] / rivals
    return _spread_over_colours(s, weights[OWN], -shared if rivals > 1 else -shared - weights[BEST_RIVAL])


@jitable
def _weighs_best_rival(s: State, weights: Weights) -> bool:
    return np.int64(s.players) > 2 and weights[BEST_RIVAL] != 0.0


@jitable
def _count_rival_points(s: State, weights: Weights) -> Four:
    """Return the rivals' points, where they are asked for.

    They are not taken as differences: so the search tries the less, the more points there are, and with several seats
    that is better (see docs/decisions.md).
    """
    if not _weighs_best_rival(s, weights):
        return 0.0, 0.0, 0.0, 0.0
    return (
        _count_points_of_rival(s, 0),
        _count_points_of_rival(s, 1),
        _count_points_of_rival(s, 2),
        _count_points_of_rival(s, 3),
    )


@jitable
def _count_points_of_rival(s: State, colour: int) -> float:
    rival = colour != np.int64(s.seat) and colour < np.int64(s.players)
    return float(count_colour_points(s, colour)) if rival else -np.inf


@jitable
def _predict_best_rival(s: State, scores: Four, gained: int, gain: float, lost: int, loss: float) -> float:
    """Return the points of the best rival when one colour has gained and one has lost."""
    best = -np.inf
    for colour in range(np.int64(s.players)):
        if colour != np.int64(s.seat):
            score = scores[colour]
            if colour == gained:
                score += gain
            if colour == lost:
                score -= loss
            best = max(best, score)
    return best


@jitable
def _count_gain(s: State, key: int, near: int, colour: int, double: int, weights: Weights) -> float:
    """Return the points that a colour has by showing at a place, as far as they are seen."""
    if weights[SEE_RECTANGLES] == 0.0:
        return 1.0 + double
    return float(count_gain(s, key, near, colour, double))


@jitable
def _value_open_squares(s: State, near: int, colour: int, weights: Weights) -> float:
    """Return what squares not yet full are worth to the seat to move if a place shows a colour."""
    bits = select_colour(near, colour)
    if colour == np.int64(s.seat):
        return weights[OWN_LACKING_ONE] * LACKING_ONE[bits] + weights[OWN_LACKING_TWO] * LACKING_TWO[bits]
    if colour < np.int64(s.players):
        return -weights[RIVAL_LACKING_ONE] * LACKING_ONE[bits] - weights[RIVAL_LACKING_TWO] * LACKING_TWO[bits]
    return 0.0


@jitable
def _value_blocking(s: State, near: int, shown: int, weights: Weights) -> float:
    """Return what it is worth to fill a free place in which other colours could complete squares."""
    total = 0.0
    for colour in range(np.int64(s.players)):
        if colour != shown:
            full = COMPLETED[select_colour(near, colour)]
            total += -full if colour == np.int64(s.seat) else full
    return weights[BLOCK] * total


@jitable
def _value_shown_tile(
    s: State, place: int, near: int, shown: int, double: int, values: Four, scores: Four, weights: Weights
) -> float:
    """Return what it is worth to the seat to move that a place shows a colour, on another tile or alone."""
    key = unpack_key(place)
    gain = _count_gain(s, key, near, shown, double, weights)
    value = values[shown] * gain + _value_open_squares(s, near, shown, weights)
    loss, covered = 0.0, -1
    if unpack_top(place) == 0:
        if weights[BLOCK] != 0.0:
            value += _value_blocking(s, near, shown, weights)
    elif weights[SEE_COVERED] != 0.0:
        covered = (unpack_top(place) - 1) // 12
        loss = _count_gain(s, key, near, covered, min(1, unpack_under(place)), weights)
        value -= values[covered] * loss + _value_open_squares(s, near, covered, weights)
    if _weighs_best_rival(s, weights):
        value -= weights[BEST_RIVAL] * _predict_best_rival(s, scores, shown, gain, covered, loss)
    return value


@jitable
def _value_discard(s: State, tile: int, weights: Weights) -> float:
    """Return what it is worth that a tile leaves the game."""
    colour = tile // 12
    if colour >= np.int64(s.players):
        return 0.0
    return -weights[DISCARD] if colour == np.int64(s.seat) else weights[DISCARD]


@jitable
def _value_removed_tiles(s: State, tile: int, place: int, leave: int, take: int, weights: Weights) -> float:
    """Return what it is worth what becomes of the two tiles of a triple that do not stay; -1: none is taken."""
    top, under = unpack_top(place) - 1, unpack_under(place) - 1
    value = 0.0
    for candidate in (tile, top, under):
        if candidate == take:
            value += weights[TAKE_BACK]
        elif candidate != leave:
            value += _value_discard(s, candidate, weights)
    return value


@jitable
def _draw_noise(rng: Rng, weights: Weights) -> float:
    return weights[NOISE] * _UNIT * np.float64(random_word(rng) >> np.uint64(32))


@jitable
def rollout(s: State, weights: Weights, rng: Rng) -> int:
    """Return the action that looks best at once; what looks equal is chosen by chance."""
    values = _compute_point_values(s, weights)
    scores = _count_rival_points(s, weights)
    tiles = list_hand(s)
    n = np.int64(s.place_count)
    low, high = 0, 0
    best, action = -np.inf, PASS
    for at in range(n):
        place = np.int64(s.place[at])
        if not _has_legal_tile(tiles, place):
            continue
        low, high = _advance_row_starts(s, low, high, unpack_key(place))
        near = read_neighbourhood(s, at, low, high)
        colour, shown = -1, 0.0
        for tile in tiles:
            rotations = count_legal_rotations(tile, place)
            if rotations == 0:
                continue
            if unpack_under(place) > 0:
                value, found = _choose_triple(s, tile, place, near, values, scores, weights, rng)
                if value > best:
                    best, action = value, found
                continue
            if tile // 12 != colour:
                # The tiles of a hand stand by colour, and points do not depend on anything else.
                colour = tile // 12
                shown = _value_shown_tile(s, place, near, colour, min(1, unpack_top(place)), values, scores, weights)
            value = shown + _draw_noise(rng, weights)
            if value > best:
                rotation = NTH_ROTATION[find_fitting_rotations(tile, place) * 4 + random_below(rng, rotations)]
                best, action = value, encode_action(tile, unpack_key(place), rotation, 0, 0)
    return action


@jitable
def _has_legal_tile(tiles: tuple[int, int, int, int], place: int) -> bool:
    """Tell whether any tile can be laid at a place."""
    count = 0
    for tile in tiles:
        count += count_legal_rotations(tile, place)
    return count > 0


@jitable
def _advance_row_starts(s: State, low: int, high: int, key: int) -> tuple[int, int]:
    """Move the fingers to where the rows below and above a place begin beside it."""
    n = np.int64(s.place_count)
    while low < n and unpack_key(np.int64(s.place[low])) < key - NORTH - EAST:
        low += 1
    high = max(low, high)
    while high < n and unpack_key(np.int64(s.place[high])) < key + NORTH - EAST:
        high += 1
    return low, high


@jitable
def _choose_triple(
    s: State, tile: int, place: int, near: int, values: Four, scores: Four, weights: Weights, rng: Rng
) -> tuple[float, int]:
    """Return the best that can become of a stack of three with a tile on top, and what it is worth."""
    best, action = -np.inf, PASS
    top, under = unpack_top(place) - 1, unpack_under(place) - 1
    for leave in (tile, top, under):
        rotations = count_fitting_rotations(leave, place)
        if rotations == 0:
            continue
        shown = _value_shown_tile(s, place, near, leave // 12, 0, values, scores, weights)
        for candidate in (leave, tile, top, under):
            # That of the tile itself stands for taking none.
            take = -1 if candidate == leave else candidate
            if take >= 0 and not can_take(s, take):
                continue
            value = shown + _value_removed_tiles(s, tile, place, leave, take, weights) + _draw_noise(rng, weights)
            if value > best:
                rotation = NTH_ROTATION[find_fitting_rotations(leave, place) * 4 + random_below(rng, rotations)]
                best, action = value, encode_action(tile, unpack_key(place), rotation, leave + 1, take + 1)
    return best, action


@jitable
def prior(s: State, actions: Actions, n: int, weights: Weights, out: Priors) -> None:
    """Weigh every action at sight."""
    values = _compute_point_values(s, weights)
    scores = _count_rival_points(s, weights)
    low, high, near = 0, 0, 0
    place, shown = np.int64(0), 0.0
    last_key, last_shown, last_double = -1, -1, -1
    for i in range(n):
        if actions[i] == PASS:
            out[i] = 0.0
            continue
        tile, key, _, leave, take = decode_action(actions[i])
        if key != last_key:
            low, high = _advance_row_starts(s, low, high, key)
            at = find_place(s, key)
            place = np.int64(s.place[at])
            near = read_neighbourhood(s, at, low, high)
            last_shown = -1
        colour = (tile if leave == 0 else leave - 1) // 12
        double = 1 if leave == 0 and unpack_top(place) > 0 else 0
        if colour != last_shown or double != last_double:
            shown = _value_shown_tile(s, place, near, colour, double, values, scores, weights)
        last_key, last_shown, last_double = key, colour, double
        rest = 0.0 if leave == 0 else _value_removed_tiles(s, tile, place, leave - 1, take - 1, weights)
        out[i] = weights[PRIOR_SCALE] * (shown + rest)


@jitable
def foresee(s: State, weights: Weights, rng: Rng, out: Points) -> bool:
    """Tell whether to stop here: now and then, with the points as they stand, but not close to the end."""
    if np.float64(random_word(rng) >> np.uint64(32)) * _UNIT >= weights[STOP_PROBABILITY]:
        return False
    left = np.int64(s.pile_size)
    for seat in range(np.int64(s.players)):
        left += np.int64(s.hand_size[seat])
    if left <= weights[ENDGAME_TILES]:
        return False
    points(s, out)
    return True
