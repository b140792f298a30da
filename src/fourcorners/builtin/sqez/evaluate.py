"""Static knowledge of Sqez: moves that end the game, and replies that would."""

import numpy as np

from fourcorners.builtin.sqez.rules import pick
from fourcorners.builtin.sqez.strategy.last_moves import pick_last_move, pick_safe_move
from fourcorners.core.arrays import Rng, State, Weights
from fourcorners.core.bits import toss_coin
from fourcorners.core.jit import jitable

LAST_MOVES, ANSWERS = 0, 1
"""The weights: the share of moves, from 0 to 1, at which the player sees moves that end the game, and the greatest
number of legal rectangles at which it examines replies.
"""


@jitable
def rollout(s: State, weights: Weights, rng: Rng) -> int:
    """Return a random legal action, of which there must be one, of the best kind that the weights let a player see.

    The kinds are: an action that ends the game (LAST_MOVES), one that leaves no reply that ends it (ANSWERS), and any
    other.
    """
    if toss_coin(rng, weights[LAST_MOVES]):
        last = pick_last_move(s, rng)
        if last >= 0:
            return last
    if weights[ANSWERS] > 0.0:
        safe = pick_safe_move(s, np.int64(weights[ANSWERS]), rng)
        if safe >= 0:
            return safe
    return pick(s, rng)
