"""What a player of Squarin' Off knows at first sight, and what it can foresee without search."""

from __future__ import annotations

import numpy as np

from fourcorners.core.bits import Rng
from fourcorners.core.dispatch import Actions, Points, Priors, State, Weights
from fourcorners.core.jit import jitable_no_alloc
from fourcorners.games.squarin_off.rules import MAX_SEATS
from fourcorners.games.squarin_off.strategy import chain_values, endgame_playout, greedy_moves
from fourcorners.games.squarin_off.strategy.endgame_playout import ALL
from fourcorners.games.squarin_off.strategy.priors import judge

# What each weight stands for; 0 is not to see it.
SAFE = 0
"""Keeps to edges that give nothing away."""
CHEAP = 1
"""Opens the cheapest chain or loop first."""
HANDS = 2
"""Leaves two boxes of a chain, four of a loop, where it gains by not having to open the next."""
COUNTS = 3
"""Foresees how a game ends, counting chains and loops when there is no safe edge left."""
CUTS = 4
"""Lays blockers, and counts them, when there is no safe edge left."""
WEIGHTS = 5


@jitable_no_alloc
def prior(s: State, actions: Actions, n: int, weights: Weights, out: Priors) -> None:
    """Rank taking before all, then what hands over; safe edges; where there are none, the cheapest chain first."""
    endgame_playout.lay_ground(s)
    judge(s, actions, n, weights[CUTS], out)
    endgame_playout.lift_ground(s)


@jitable_no_alloc
def rollout(s: State, weights: Weights, rng: Rng) -> int:
    """Take what is free, or hand it out; else draw a safe edge; else lay a blocker or open a chain."""
    endgame_playout.lay_ground(s)
    edge = greedy_moves.capturing(s, weights[HANDS] != 0.0, weights[CUTS])
    if edge < 0 and weights[SAFE] != 0.0:
        edge = endgame_playout.safe_edge(s, rng)
    if edge < 0 and weights[CUTS] != 0.0:
        edge = greedy_moves.blocker(s, rng)
    if edge < 0 and weights[CHEAP] != 0.0:
        edge = greedy_moves.cheapest(s, rng)
    endgame_playout.lift_ground(s)
    return greedy_moves.any_edge(s, rng) if edge < 0 else edge


@jitable_no_alloc
def foresee(s: State, weights: Weights, rng: Rng, out: Points) -> bool:
    """Play safe edges at random as long as there are any, then count out the chains and loops."""
    if weights[COUNTS] == 0.0:
        return False
    endgame_playout.lay_ground(s)
    for seat in range(MAX_SEATS):
        out[seat] = 0
    taken, back = endgame_playout.capture_all(s)
    safe = endgame_playout.draw_safe(s, rng)
    gifts = endgame_playout.list_gifts(s)
    if np.int64(s.players) == 2 or np.int64(s.purses) == 1:
        _share(s, weights, taken, back if safe == 0 else ALL, safe, gifts, out)
    else:
        _hand_round(s, taken, safe, gifts, out)
    purses = np.int64(s.purses)
    for seat in range(MAX_SEATS - 1, -1, -1):
        out[seat] = out[seat & purses] + s.points[seat & purses]
    return True


@jitable_no_alloc
def _share(s: State, weights: Weights, taken: int, back: int, safe: int, gifts: int, out: Points) -> None:
    """Write what each of two parties gains."""
    mover = np.int64(s.turn) & 1
    opener = (mover + safe) & 1
    if weights[HANDS] == 0.0:
        back = ALL
        for i in range(gifts):
            s.back[i] = ALL
    margin = chain_values.margin_of_opener(s, gifts, opener, weights[CUTS])
    total = 0
    for i in range(gifts):
        total += np.int64(s.gift[i])
    if opener != mover:
        margin = -margin
    margin = taken + margin if back == ALL else taken - back + abs(back + margin)
    total += taken
    out[mover] = (total + margin) // 2
    out[1 - mover] = total - out[mover]


@jitable_no_alloc
def _hand_round(s: State, taken: int, safe: int, gifts: int, out: Points) -> None:
    """Write what each seat gains when every one takes what the one before it must open."""
    seat = np.int64(s.turn)
    out[seat] = taken
    seat += safe
    for i in range(gifts):
        seat += 1
        out[seat % np.int64(s.players)] += np.int64(s.gift[i])
