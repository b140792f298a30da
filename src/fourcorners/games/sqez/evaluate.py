"""What a player of Sqez sees in a position: the last move, an answer that is one, how few rectangles end."""

from __future__ import annotations

import numpy as np

from fourcorners.core.bits import Rng
from fourcorners.core.jit import jitable
from fourcorners.core.kernel import Actions, Points, Priors, State, Weights
from fourcorners.games.sqez.counting import few_left, kills_of, last_mover
from fourcorners.games.sqez.rules import pick, seats_left, unpack
from fourcorners.games.sqez.tries import last_move, safe_move

LAST, ANSWER, COUNT, FORESEE, LARGE = range(5)
WEIGHTS = 5
"""What the weights are: 1 for who sees a last move; with how many rectangles left it looks at the answers, counts them
out, and foresees the end of a playout; how much it favours large rectangles before it has tried them."""


@jitable
def prior(s: State, actions: Actions, n: int, weights: Weights, out: Priors) -> None:
    """Favour large rectangles, as they leave least: what is left can be looked through soonest."""
    whole = np.int64(s.cols) + np.int64(s.rows)
    for i in range(n):
        x1, y1, x2, y2 = unpack(actions[i])
        out[i] = weights[LARGE] * (x2 - x1 + y2 - y1) / whole


@jitable
def rollout(s: State, weights: Weights, rng: Rng) -> int:
    """Draw any rectangle, but a better one where that is seen."""
    if weights[LAST] == 0.0:
        return pick(s, rng)
    if weights[COUNT] > 0.0:
        n, few = few_left(s, np.int64(weights[COUNT]))
        if n > 0:
            return few[last_mover(kills_of(s, few, n), n, seats_left(s))[1]]
    last = last_move(s, rng)
    if last >= 0:
        return last
    if weights[ANSWER] > 0.0:
        safe = safe_move(s, np.int64(weights[ANSWER]), rng)
        if safe >= 0:
            return safe
    return pick(s, rng)


@jitable
def _seat_after(s: State, turns: int) -> int:
    """Return the seat that comes so many turns from now on."""
    seat = np.int64(s.turn)
    while turns > 0:
        seat = (seat + 1) % np.int64(s.players)
        turns -= 1 - (np.int64(s.out) >> seat & 1)
    return seat


@jitable
def foresee(s: State, weights: Weights, rng: Rng, out: Points) -> bool:
    """Count out the last rectangles."""
    if weights[FORESEE] == 0.0:
        return False
    n, few = few_left(s, np.int64(weights[FORESEE]))
    if n <= 0:
        return False
    winner = _seat_after(s, last_mover(kills_of(s, few, n), n, seats_left(s))[0])
    for seat in range(np.int64(s.players)):
        out[seat] = seat == winner
    return True
