"""Static knowledge of Squendo: the points that a move scores, breaks, prepares and blocks.

A move changes points only around its place, so all moves are valued in one scan over the sorted places, with one index
that follows in the row below and one in the row above. A *neighbourhood* is what `strategy.local_value` packs from the
eight places around one. The constants are indices of the weights; `levels` sets them.
"""

import numpy as np

from fourcorners.builtin.squendo import placements
from fourcorners.builtin.squendo.rules import PASS, can_take, decode_action, encode_action, list_hand
from fourcorners.builtin.squendo.scoring import count_colour_points, points
from fourcorners.builtin.squendo.strategy.features import count_tiles_left
from fourcorners.builtin.squendo.strategy.local_value import (
    COMPLETED,
    LACKING_ONE,
    LACKING_TWO,
    count_gain,
    draw_map,
    find_cell,
    read_neighbourhood,
    select_colour,
)
from fourcorners.builtin.squendo.strategy.value_network import predict
from fourcorners.core.arrays import Actions, Estimates, Priors, Rng, State, Weights
from fourcorners.core.bits import random_below, random_word
from fourcorners.core.dispatch import EXPLORATION
from fourcorners.core.jit import jitable

OWN = 0  # the value of one of the mover's own points
RIVAL = 1  # the value of taking a point from a rival, divided by the number of rivals
BEST_RIVAL = 2  # the additional value of each point less for the rival that then has the most
SEE_RECTANGLES = 3  # 1 to see rectangles, 0 to count single and double tiles only
SEE_COVERED = 4  # 1 to see what the covered tile loses, 0 to see only what the laid tile gains
OWN_LACKING_ONE = 5  # the value of an own 2 x 2 square that lacks one tile
RIVAL_LACKING_ONE = 6  # the value of spoiling such a square of a rival
OWN_LACKING_TWO = 7  # the value of an own 2 x 2 square that lacks two tiles
BLOCK = 8  # the value of filling a free place where a rival would complete a square
TAKE_BACK = 9  # the value of taking a tile back to the hand
DISCARD = 10  # the value of discarding a rival's tile, and the cost of discarding an own one
NOISE = 11  # the greatest random amount, in points, that is added to the value of a move
STOP_PROBABILITY = 12  # the probability that a playout stops before a ply and takes the points as they stand
ENDGAME_TILES = 13  # with at most this number of tiles in pile and hands, a playout continues to the end
PRIOR_SCALE = 14  # the prior of a move worth one point
RIVAL_LACKING_TWO = 15  # the value of spoiling a 2 x 2 square of a rival that lacks two tiles
BELIEF = 16  # 1 to weigh possible worlds by what the others laid (see `beliefs`)
VALUE_NETWORK = 17  # 1 to predict the end by `strategy.value_network` where a playout stops
WEIGHT_COUNT = 18

_EXPLORATION = 0.15  # with the weight VALUE_NETWORK

ByColour = tuple[float, float, float, float]
"""A number for each of the four colours; a tuple, because Numba keeps it in registers."""
_UNIT = 1.0 / (1 << 32)  # makes a number from 0 to below 1 of 32 random bits


@jitable
def _get_point_value(s: State, colour: int, own: float, rival: float) -> float:
    """Return `own` for the colour of the seat to move, `rival` for those of other seats, 0 for the neutral colour."""
    if colour >= np.int64(s.players):
        return 0.0
    return own if colour == np.int64(s.seat) else rival


@jitable
def _compute_point_values(s: State, weights: Weights) -> ByColour:
    """Return the value to the seat to move of a point of each colour: negative for rivals, 0 for colours of no seat."""
    rivals = np.int64(s.players) - 1
    shared = weights[RIVAL] / rivals
    # A single rival is also the best one.
    own, rival = weights[OWN], -shared if rivals > 1 else -shared - weights[BEST_RIVAL]
    return (
        _get_point_value(s, 0, own, rival),
        _get_point_value(s, 1, own, rival),
        _get_point_value(s, 2, own, rival),
        _get_point_value(s, 3, own, rival),
    )


@jitable
def _has_best_rival_weight(s: State, weights: Weights) -> bool:
    """Return whether the best rival has a separate weight; with one rival, it is part of the point values."""
    return np.int64(s.players) > 2 and weights[BEST_RIVAL] != 0.0


@jitable
def _count_rival_points(s: State, weights: Weights) -> ByColour:
    """Return the points of each rival (minus infinity for other colours), or zeros if the best one has no own weight.

    These are points as they stand, not differences. So the priors fall as the scores rise, and the search tries fewer
    moves; with several seats this plays better.
    """
    if not _has_best_rival_weight(s, weights):
        return 0.0, 0.0, 0.0, 0.0
    return (
        _count_points_if_rival(s, 0),
        _count_points_if_rival(s, 1),
        _count_points_if_rival(s, 2),
        _count_points_if_rival(s, 3),
    )


@jitable
def _count_points_if_rival(s: State, colour: int) -> float:
    """Return the points of a colour if it is a rival's, minus infinity for the mover's own and for neutral ones."""
    rival = colour != np.int64(s.seat) and colour < np.int64(s.players)
    return float(count_colour_points(s, colour)) if rival else -np.inf


@jitable
def _predict_best_rival(s: State, scores: ByColour, gained: int, gain: float, lost: int, loss: float) -> float:
    """Return the best of the rivals' `scores` after colour `gained` gets `gain` and `lost` (-1: none) loses `loss`."""
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
def _count_seen_gain(s: State, key: int, neighbourhood: int, colour: int, double: int, weights: Weights) -> float:
    """Return the points that a colour gains at a place, on a tile (`double` 1) or not (0); rectangles only if seen."""
    if weights[SEE_RECTANGLES] == 0.0:
        return 1.0 + double
    return float(count_gain(s, key, neighbourhood, colour, double))


@jitable
def _value_open_squares(s: State, neighbourhood: int, colour: int, weights: Weights) -> float:
    """Return the value to the seat to move, negative for a rival's colour, of the unfinished squares around a place."""
    bits = select_colour(neighbourhood, colour)
    if colour == np.int64(s.seat):
        return weights[OWN_LACKING_ONE] * LACKING_ONE[bits] + weights[OWN_LACKING_TWO] * LACKING_TWO[bits]
    if colour < np.int64(s.players):
        return -weights[RIVAL_LACKING_ONE] * LACKING_ONE[bits] - weights[RIVAL_LACKING_TWO] * LACKING_TWO[bits]
    return 0.0


@jitable
def _value_blocking(s: State, neighbourhood: int, shown: int, weights: Weights) -> float:
    """Return the value to the seat to move of filling a free place with colour `shown`, where others complete squares.
    The squares of rivals count positive, its own negative.
    """
    total = 0.0
    for colour in range(np.int64(s.players)):
        if colour != shown:
            full = COMPLETED[select_colour(neighbourhood, colour)]
            total += -full if colour == np.int64(s.seat) else full
    return weights[BLOCK] * total


@jitable
def _value_shown_tile(
    s: State,
    place: int,
    neighbourhood: int,
    shown: int,
    double: int,
    values: ByColour,
    scores: ByColour,
    weights: Weights,
) -> float:
    """Return the value to the seat to move of showing a colour at a place instead of what it shows now.

    `place` is a packed place (see `placements.py`), `shown` a colour, `double` 1 if the tile covers another, else 0.
    `values` and `scores` are those of the whole position, by colour: `_compute_point_values` and `_count_rival_points`.
    """
    key = placements.unpack_key(place)
    gain = _count_seen_gain(s, key, neighbourhood, shown, double, weights)
    value = values[shown] * gain + _value_open_squares(s, neighbourhood, shown, weights)
    loss, covered = 0.0, -1
    if placements.unpack_top(place) == 0:
        if weights[BLOCK] != 0.0:
            value += _value_blocking(s, neighbourhood, shown, weights)
    elif weights[SEE_COVERED] != 0.0:
        covered = (placements.unpack_top(place) - 1) // 12
        loss = _count_seen_gain(s, key, neighbourhood, covered, min(1, placements.unpack_under(place)), weights)
        value -= values[covered] * loss + _value_open_squares(s, neighbourhood, covered, weights)
    if _has_best_rival_weight(s, weights):
        value -= weights[BEST_RIVAL] * _predict_best_rival(s, scores, shown, gain, covered, loss)
    return value


@jitable
def _value_removed_tiles(s: State, tile: int, place: int, leave: int, take: int, weights: Weights) -> float:
    """Return the value to the seat to move of the fate of the two tiles of a triple that are not left. `tile` is laid
    on the double stack of the packed `place`, `leave` stays, `take` (-1: none) returns to the hand.
    """
    top, under = placements.unpack_top(place) - 1, placements.unpack_under(place) - 1
    value = 0.0
    for candidate in (tile, top, under):
        if candidate == take:
            value += weights[TAKE_BACK]
        elif candidate != leave:
            value += _get_point_value(s, candidate // 12, -weights[DISCARD], weights[DISCARD])
    return value


@jitable
def _draw_noise(rng: Rng, weights: Weights) -> float:
    """Return a random amount between 0 and the weight NOISE."""
    return weights[NOISE] * _UNIT * np.float64(random_word(rng) >> np.uint64(32))


@jitable
def rollout(s: State, weights: Weights, rng: Rng) -> int:
    """Return the legal action with the highest value without search, random NOISE included; PASS if no tile fits.
    Its rotation is drawn from those that fit.
    """
    values = _compute_point_values(s, weights)
    scores = _count_rival_points(s, weights)
    tiles = list_hand(s)
    cells, width, shift = draw_map(s)
    best, action = -np.inf, PASS
    for index in range(np.int64(s.place_count)):
        place = np.int64(s.place[index])
        if not _has_legal_tile(tiles, place):
            continue
        neighbourhood = read_neighbourhood(cells, width, find_cell(placements.unpack_key(place), width, shift))
        colour, shown_value = -1, 0.0
        for tile in tiles:
            rotations = placements.count_legal_rotations(tile, place)
            if rotations == 0:
                continue
            if placements.unpack_under(place) > 0:
                value, found = _choose_triple_action(s, tile, place, neighbourhood, values, scores, weights, rng)
                if value > best:
                    best, action = value, found
                continue
            if tile // 12 != colour:
                # Points depend on the colour alone, and a hand is sorted by colour.
                colour, double = tile // 12, min(1, placements.unpack_top(place))
                shown_value = _value_shown_tile(s, place, neighbourhood, colour, double, values, scores, weights)
            value = shown_value + _draw_noise(rng, weights)
            if value > best:
                fitting = placements.find_fitting_rotations(tile, place)
                rotation = placements.NTH_ROTATION[fitting * 4 + random_below(rng, rotations)]
                best, action = value, encode_action(tile, placements.unpack_key(place), rotation, 0, 0)
    return action


@jitable
def _has_legal_tile(tiles: tuple[int, int, int, int], place: int) -> bool:
    """Return whether any tile of a hand, as `list_hand` returns it, can be laid at a packed place."""
    count = 0
    for tile in tiles:
        count += placements.count_legal_rotations(tile, place)
    return count > 0


@jitable
def _choose_triple_action(
    s: State, tile: int, place: int, neighbourhood: int, values: ByColour, scores: ByColour, weights: Weights, rng: Rng
) -> tuple[float, int]:
    """Return the value and the code of the best action that lays a tile on the double stack of a packed place.
    `tile` must be legal there. `neighbourhood` is the place's; `values` and `scores` are as in `_value_shown_tile`.
    """
    best, action = -np.inf, PASS
    top, under = placements.unpack_top(place) - 1, placements.unpack_under(place) - 1
    for leave in (tile, top, under):
        rotations = placements.count_fitting_rotations(leave, place)
        if rotations == 0:
            continue
        shown_value = _value_shown_tile(s, place, neighbourhood, leave // 12, 0, values, scores, weights)
        for candidate in (leave, tile, top, under):
            # The tile that is left stands for taking none back.
            take = -1 if candidate == leave else candidate
            if take >= 0 and not can_take(s, take):
                continue
            value = shown_value + _value_removed_tiles(s, tile, place, leave, take, weights) + _draw_noise(rng, weights)
            if value > best:
                fitting = placements.find_fitting_rotations(leave, place)
                rotation = placements.NTH_ROTATION[fitting * 4 + random_below(rng, rotations)]
                best, action = value, encode_action(tile, placements.unpack_key(place), rotation, leave + 1, take + 1)
    return best, action


@jitable
def prior(s: State, actions: Actions, n: int, weights: Weights, out: Priors) -> None:
    """Write the value of each of n legal actions into `out` (n or more), as it looks without search; a pass has 0.
    `actions` must be in the order of `rules.legal`: the keys ascend. The weight PRIOR_SCALE is that of a point.
    """
    values = _compute_point_values(s, weights)
    scores = _count_rival_points(s, weights)
    cells, width, shift = draw_map(s)
    index, neighbourhood = 0, 0
    place, shown_value = np.int64(0), 0.0
    # What the previous action had: as long as it stays the same, place and value need not be computed anew.
    last_key, last_colour, last_double = -1, -1, -1
    for i in range(n):
        if actions[i] == PASS:
            out[i] = 0.0
            continue
        tile, key, _, leave, take = decode_action(actions[i])
        if key != last_key:
            while placements.unpack_key(np.int64(s.place[index])) < key:
                index += 1
            place = np.int64(s.place[index])
            neighbourhood = read_neighbourhood(cells, width, find_cell(key, width, shift))
            last_colour = -1  # at another place the value differs
        colour = (tile if leave == 0 else leave - 1) // 12
        double = 1 if leave == 0 and placements.unpack_top(place) > 0 else 0
        if colour != last_colour or double != last_double:
            shown_value = _value_shown_tile(s, place, neighbourhood, colour, double, values, scores, weights)
        last_key, last_colour, last_double = key, colour, double
        rest = 0.0 if leave == 0 else _value_removed_tiles(s, tile, place, leave - 1, take - 1, weights)
        out[i] = weights[PRIOR_SCALE] * (shown_value + rest)


@jitable
def foresee(s: State, weights: Weights, rng: Rng, out: Estimates) -> float:
    """Stop a playout with the probability STOP_PROBABILITY, as long as hands and pile hold more than ENDGAME_TILES.

    Return -1 if the playout goes on. With the weight VALUE_NETWORK, write the points expected at the end by seat to
    `out`, and return their spread; without it, write the present points and return 0. One random word is always drawn.
    """
    if np.float64(random_word(rng) >> np.uint64(32)) * _UNIT >= weights[STOP_PROBABILITY]:
        return -1.0
    if count_tiles_left(s) <= weights[ENDGAME_TILES]:
        return -1.0
    if weights[VALUE_NETWORK] != 0.0:
        return predict(s, out)
    points(s, out)
    return 0.0


@jitable
def explore(s: State, weights: Weights) -> float:
    """Return the exploration of a search: less with the weight VALUE_NETWORK, because then the rewards vary less."""
    return _EXPLORATION if len(weights) > 0 and weights[VALUE_NETWORK] != 0.0 else EXPLORATION
