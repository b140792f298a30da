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
    NTH_TURN,
    find,
    fitting,
    fitting_count,
    key_at,
    laying_count,
    top_at,
    under_at,
)
from fourcorners.games.squendo.rules import PASS, decode, encode, hand_of, may_take
from fourcorners.games.squendo.scoring import EAST, NORTH, points, points_of
from fourcorners.games.squendo.strategy.local_value import BEGUN, MADE, NEARLY, around, bits_of, worth

OWN = 0
"""What a point of one's own is worth."""
RIVALS = 1
"""What a point of a rival is worth, shared by all of them."""
BEST_RIVAL = 2
"""What a point of the rival that would then have most is worth, besides."""
SQUARES = 3
"""1: sees rectangles; 0: counts tiles alone."""
COVERED = 4
"""1: sees what it covers; 0: only what it lays."""
NEARLY_OWN = 5
"""What a square of one's own is worth that lacks one tile."""
NEARLY_RIVAL = 6
"""What taking such a square from a rival is worth."""
BEGUN_OWN = 7
"""What a square of one's own is worth that lacks two tiles."""
SPOILT = 8
"""What a tile in the free place is worth where a rival would complete a square."""
TAKEN = 9
"""What a tile is worth that comes back to the hand."""
DISCARDED = 10
"""What it is worth that a rival's tile leaves the game; one's own costs as much."""
CHANCE = 11
"""How many points it may think a move better than it is."""
STOP = 12
"""How likely a playout stops before a ply, with the points as they stand."""
LEFT = 13
"""With so few tiles in pile and hands a playout goes on to the end."""
TRUST = 14
"""How much a point counts before any search."""
BEGUN_RIVAL = 15
"""What taking a square from a rival is worth that lacks two tiles."""
WEIGHTS = 16

Four = tuple[float, float, float, float]
_UNIT = 1.0 / (1 << 32)


@jitable
def _of_colours(s: State, own: float, rival: float) -> Four:
    """Return a number for every colour: one for the seat to move, one for its rivals, 0 for the neutral colour."""
    return _of(s, 0, own, rival), _of(s, 1, own, rival), _of(s, 2, own, rival), _of(s, 3, own, rival)


@jitable
def _of(s: State, colour: int, own: float, rival: float) -> float:
    if colour >= np.int64(s.players):
        return 0.0
    return own if colour == np.int64(s.seat) else rival


@jitable
def _values(s: State, weights: Weights) -> Four:
    """Return what a point of each colour is worth to the seat to move; a rival that is alone is the best one, too."""
    rivals = np.int64(s.players) - 1
    shared = weights[RIVALS] / rivals
    return _of_colours(s, weights[OWN], -shared if rivals > 1 else -shared - weights[BEST_RIVAL])


@jitable
def _minds_the_best(s: State, weights: Weights) -> bool:
    return np.int64(s.players) > 2 and weights[BEST_RIVAL] != 0.0


@jitable
def _scores(s: State, weights: Weights) -> Four:
    """Return the rivals' points, where they are asked for.

    They are not taken as differences: so the search tries the less, the more points there are, and with several seats
    that is better (see docs/decisions.md).
    """
    if not _minds_the_best(s, weights):
        return 0.0, 0.0, 0.0, 0.0
    return _score(s, 0), _score(s, 1), _score(s, 2), _score(s, 3)


@jitable
def _score(s: State, colour: int) -> float:
    rival = colour != np.int64(s.seat) and colour < np.int64(s.players)
    return float(points_of(s, colour)) if rival else -np.inf


@jitable
def _best_rival(s: State, scores: Four, gained: int, gain: float, lost: int, loss: float) -> float:
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
def _worth(s: State, key: int, near: int, colour: int, double: int, weights: Weights) -> float:
    """Return the points that a colour has by showing at a place, as far as they are seen."""
    if weights[SQUARES] == 0.0:
        return 1.0 + double
    return float(worth(s, key, near, colour, double))


@jitable
def _prospects(s: State, near: int, colour: int, weights: Weights) -> float:
    """Return what squares not yet full are worth to the seat to move if a place shows a colour."""
    bits = bits_of(near, colour)
    if colour == np.int64(s.seat):
        return weights[NEARLY_OWN] * NEARLY[bits] + weights[BEGUN_OWN] * BEGUN[bits]
    if colour < np.int64(s.players):
        return -weights[NEARLY_RIVAL] * NEARLY[bits] - weights[BEGUN_RIVAL] * BEGUN[bits]
    return 0.0


@jitable
def _spoils(s: State, near: int, shown: int, weights: Weights) -> float:
    """Return what it is worth to fill a free place in which other colours could complete squares."""
    total = 0.0
    for colour in range(np.int64(s.players)):
        if colour != shown:
            full = MADE[bits_of(near, colour)]
            total += -full if colour == np.int64(s.seat) else full
    return weights[SPOILT] * total


@jitable
def _shows(
    s: State, place: int, near: int, shown: int, double: int, values: Four, scores: Four, weights: Weights
) -> float:
    """Return what it is worth to the seat to move that a place shows a colour, on another tile or alone."""
    key = key_at(place)
    gain = _worth(s, key, near, shown, double, weights)
    value = values[shown] * gain + _prospects(s, near, shown, weights)
    loss, covered = 0.0, -1
    if top_at(place) == 0:
        if weights[SPOILT] != 0.0:
            value += _spoils(s, near, shown, weights)
    elif weights[COVERED] != 0.0:
        covered = (top_at(place) - 1) // 12
        loss = _worth(s, key, near, covered, min(1, under_at(place)), weights)
        value -= values[covered] * loss + _prospects(s, near, covered, weights)
    if _minds_the_best(s, weights):
        value -= weights[BEST_RIVAL] * _best_rival(s, scores, shown, gain, covered, loss)
    return value


@jitable
def _parts_with(s: State, tile: int, weights: Weights) -> float:
    """Return what it is worth that a tile leaves the game."""
    colour = tile // 12
    if colour >= np.int64(s.players):
        return 0.0
    return -weights[DISCARDED] if colour == np.int64(s.seat) else weights[DISCARDED]


@jitable
def _rest(s: State, tile: int, place: int, leave: int, take: int, weights: Weights) -> float:
    """Return what it is worth what becomes of the two tiles of a triple that do not stay; -1: none is taken."""
    top, under = top_at(place) - 1, under_at(place) - 1
    value = 0.0
    for candidate in (tile, top, under):
        if candidate == take:
            value += weights[TAKEN]
        elif candidate != leave:
            value += _parts_with(s, candidate, weights)
    return value


@jitable
def _chance(rng: Rng, weights: Weights) -> float:
    return weights[CHANCE] * _UNIT * np.float64(random_word(rng) >> np.uint64(32))


@jitable
def rollout(s: State, weights: Weights, rng: Rng) -> int:
    """Return the action that looks best at once; what looks equal is chosen by chance."""
    values = _values(s, weights)
    scores = _scores(s, weights)
    tiles = hand_of(s)
    n = np.int64(s.places)
    low, high = 0, 0
    best, action = -np.inf, PASS
    for at in range(n):
        place = np.int64(s.place[at])
        if not _takes_any(tiles, place):
            continue
        low, high = _follow(s, low, high, key_at(place))
        near = around(s, at, low, high)
        colour, shown = -1, 0.0
        for tile in tiles:
            turns = laying_count(tile, place)
            if turns == 0:
                continue
            if under_at(place) > 0:
                value, found = _best_triple(s, tile, place, near, values, scores, weights, rng)
                if value > best:
                    best, action = value, found
                continue
            if tile // 12 != colour:
                # The tiles of a hand stand by colour, and points do not depend on anything else.
                colour = tile // 12
                shown = _shows(s, place, near, colour, min(1, top_at(place)), values, scores, weights)
            value = shown + _chance(rng, weights)
            if value > best:
                turn = NTH_TURN[fitting(tile, place) * 4 + random_below(rng, turns)]
                best, action = value, encode(tile, key_at(place), turn, 0, 0)
    return action


@jitable
def _takes_any(tiles: tuple[int, int, int, int], place: int) -> bool:
    """Tell whether any tile can be laid at a place."""
    count = 0
    for tile in tiles:
        count += laying_count(tile, place)
    return count > 0


@jitable
def _follow(s: State, low: int, high: int, key: int) -> tuple[int, int]:
    """Move the fingers to where the rows below and above a place begin beside it."""
    n = np.int64(s.places)
    while low < n and key_at(np.int64(s.place[low])) < key - NORTH - EAST:
        low += 1
    high = max(low, high)
    while high < n and key_at(np.int64(s.place[high])) < key + NORTH - EAST:
        high += 1
    return low, high


@jitable
def _best_triple(
    s: State, tile: int, place: int, near: int, values: Four, scores: Four, weights: Weights, rng: Rng
) -> tuple[float, int]:
    """Return the best that can become of a stack of three with a tile on top, and what it is worth."""
    best, action = -np.inf, PASS
    top, under = top_at(place) - 1, under_at(place) - 1
    for leave in (tile, top, under):
        turns = fitting_count(leave, place)
        if turns == 0:
            continue
        shown = _shows(s, place, near, leave // 12, 0, values, scores, weights)
        for candidate in (leave, tile, top, under):
            # That of the tile itself stands for taking none.
            take = -1 if candidate == leave else candidate
            if take >= 0 and not may_take(s, take):
                continue
            value = shown + _rest(s, tile, place, leave, take, weights) + _chance(rng, weights)
            if value > best:
                turn = NTH_TURN[fitting(leave, place) * 4 + random_below(rng, turns)]
                best, action = value, encode(tile, key_at(place), turn, leave + 1, take + 1)
    return best, action


@jitable
def prior(s: State, actions: Actions, n: int, weights: Weights, out: Priors) -> None:
    """Weigh every action at sight."""
    values = _values(s, weights)
    scores = _scores(s, weights)
    low, high, near = 0, 0, 0
    place, shown = np.int64(0), 0.0
    last_key, last_shown, last_double = -1, -1, -1
    for i in range(n):
        if actions[i] == PASS:
            out[i] = 0.0
            continue
        tile, key, _, leave, take = decode(actions[i])
        if key != last_key:
            low, high = _follow(s, low, high, key)
            at = find(s, key)
            place = np.int64(s.place[at])
            near = around(s, at, low, high)
            last_shown = -1
        colour = (tile if leave == 0 else leave - 1) // 12
        double = 1 if leave == 0 and top_at(place) > 0 else 0
        if colour != last_shown or double != last_double:
            shown = _shows(s, place, near, colour, double, values, scores, weights)
        last_key, last_shown, last_double = key, colour, double
        rest = 0.0 if leave == 0 else _rest(s, tile, place, leave - 1, take - 1, weights)
        out[i] = weights[TRUST] * (shown + rest)


@jitable
def foresee(s: State, weights: Weights, rng: Rng, out: Points) -> bool:
    """Tell whether to stop here: now and then, with the points as they stand, but not close to the end."""
    if np.float64(random_word(rng) >> np.uint64(32)) * _UNIT >= weights[STOP]:
        return False
    left = np.int64(s.pile_n)
    for seat in range(np.int64(s.players)):
        left += np.int64(s.held[seat])
    if left <= weights[LEFT]:
        return False
    points(s, out)
    return True
