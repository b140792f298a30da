"""Inference from moves about the tiles that a seat kept: a tile with a better place was probably not in the hand.

Only information that a viewer may have is used: the public moves since the start, and the public slots of the hands. A
seat that chooses among the tiles x and y, worth v and w points where they fit best, is assumed to lay x with a
probability of 1 / (1 + exp((w - v) / `_SPREAD`)); for each tile that the seat may have kept, this is the weight of that
world.
"""

import re
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fourcorners.builtin.squendo import evaluate, rules
from fourcorners.builtin.squendo.hands import SLOTS
from fourcorners.builtin.squendo.options import HAND_SIZE
from fourcorners.builtin.squendo.placements import (
    MAX_PLACES,
    encode_key,
    find_or_add_place,
    find_place,
    set_stack,
    unpack_key,
    unpack_top,
)
from fourcorners.core.arrays import Actions, Priors, States, Weights
from fourcorners.core.bits import ZERO, bit
from fourcorners.core.dispatch import view_record
from fourcorners.core.game import View
from fourcorners.core.jit import deferrable, kernel

_TILES = 48
_MOST_ACTIONS = 36 * MAX_PLACES + 1  # of one tile
_SPREAD = 2.0  # points
_STEEPEST = 50.0  # prevents overflow
_LEAST = 0.05  # the least weight: a player may overlook a move, so no world is ruled out
_EXPONENTS = (1.0, 0.67, 0.33)  # of the last move of a seat, and of those before it


class Plies(NamedTuple):
    """The n plies of a game, and findings about the relevant ones.

    - `moves`, `seats`: (n,) int64, what each did to the table, as an action, and whose it was.
    - `shown`: (n,) bool, whether the ply matters.
    - `worth`: (n, 48) float64, before a ply that matters the value to its seat of each unlaid tile where it fits best,
      minus infinity if it fits nowhere; `laid`: (n,) float64, that of the tile it laid.
    """

    moves: Actions
    seats: Actions
    shown: NDArray[np.bool_]
    worth: NDArray[np.float64]
    laid: NDArray[np.float64]


def weigh_worlds(view: View, weights: Weights) -> NDArray[np.float64]:
    """Return the relative likelihood of each tile in each slot of a hand, (16, 48); (0, 0) for no opinion.

    There is none without the weight BELIEF, or unless the moves of the view lead from the start to its table. The last
    three moves of every seat count, older ones less, because the tile may have been drawn since.
    """
    nothing = np.zeros((0, 0))
    plies = view.plies
    if len(weights) == 0 or weights[evaluate.BELIEF] == 0.0 or not plies:
        return nothing
    moves = _read_table_moves(view, [ply.move for ply in plies])
    others = [seat for seat in range(int(view.record.players)) if seat != view.viewer]
    laid_by = {seat: [i for i, ply in enumerate(plies) if ply.seat == seat and ply.move != "pass"] for seat in others}
    shown = np.zeros(len(plies), np.bool_)
    for indices in laid_by.values():
        shown[indices[-len(_EXPONENTS) :]] = True
    found = Plies(
        moves, np.array([ply.seat for ply in plies]), shown, np.zeros((len(plies), _TILES)), np.zeros(len(plies))
    )
    states = np.zeros(1, rules.DTYPE)
    s = view_record(states)
    s.players, s.take_any = view.record.players, view.record.take_any
    s.maximal, s.lines = view.record.maximal, view.record.lines
    s.unlaid = view.record.unlaid
    find_or_add_place(s, encode_key(0, 0))
    actions = np.zeros(_MOST_ACTIONS, np.int64)
    scaled = np.array(weights)
    scaled[evaluate.PRIOR_SCALE] = 1.0
    is_whole = replay(states, scaled, found, actions, np.zeros(_MOST_ACTIONS))
    count = int(view.record.place_count)
    if not is_whole or int(s.place_count) != count or not np.array_equal(s.place[:count], view.record.place[:count]):
        return nothing  # the position was set up
    beliefs = np.ones((SLOTS, _TILES))
    for seat, indices in laid_by.items():
        kept = np.ones(_TILES)
        for i, exponent in zip(reversed(indices), _EXPONENTS, strict=False):
            better = np.clip((found.worth[i] - found.laid[i]) / _SPREAD, -_STEEPEST, _STEEPEST)
            kept *= np.maximum(1.0 / (1.0 + np.exp(better)), _LEAST) ** exponent
        first = HAND_SIZE * seat
        is_full = int(view.record.hand_size[seat]) == HAND_SIZE
        has_drawn = is_full and bool(indices) and " take:" not in plies[indices[-1]].move
        # A slot is a subset of the slots of tiles drawn later, so the tile drawn last has the last slot.
        beliefs[first : first + HAND_SIZE - has_drawn] = kept
    return beliefs


def _read_table_moves(view: View, moves: list[str]) -> Actions:
    """Return the effects of moves on the table as actions, (n,): without tiles that are taken back, PASS for a pass."""
    parse = view.game.spec.notation.parse
    return np.array([parse(view.record, re.sub(" take:.*", "", move)) for move in moves], np.int64)


@deferrable
@kernel
def replay(states: States, weights: Weights, plies: Plies, actions: Actions, priors: Priors) -> bool:
    """Make the table of `states[0]`, in place, by the moves of `plies`, and write their `worth` and `laid`.

    Return False, with all half done, if a tile is laid where no tile is near: then these are not all moves of the game.
    `actions` and `priors` are scratch, long enough for all moves of a tile.
    """
    moves, seats, worth = plies.moves, plies.seats, plies.worth
    s = states[0]
    unlaid = s.unlaid
    for i in range(len(moves)):
        if moves[i] == rules.PASS:
            continue
        tile, key, rotation, leave, _ = rules.decode_action(moves[i])
        count, index = np.int64(s.place_count), find_place(s, key)
        # A stack adds up to four places.
        if index == count or unpack_key(np.int64(s.place[index])) != key or count + 4 > MAX_PLACES:
            return False
        if plies.shown[i]:
            seat = seats[i]
            s.seat = seat
            for other in range(_TILES):
                if other != tile and unlaid & bit(other) == ZERO:
                    continue
                s.hand[seat] = bit(other)
                n = rules.legal(s, actions)
                best = -np.inf
                if actions[0] != rules.PASS:
                    evaluate.prior(s, actions, n, weights, priors)
                    for k in range(n):
                        best = max(best, priors[k])
                worth[i, other] = best
            plies.laid[i] = worth[i, tile]
            s.hand[seat] = ZERO
        if leave == 0:
            set_stack(s, key, tile, rotation, unpack_top(np.int64(s.place[index])))
        else:
            set_stack(s, key, leave - 1, rotation, 0)
    return True
