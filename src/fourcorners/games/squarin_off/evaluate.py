"""What a player of Squarin' Off knows at first sight, and what it can foresee without search."""

from __future__ import annotations

import numpy as np

from fourcorners.core.bits import Rng
from fourcorners.core.jit import borrowing
from fourcorners.core.kernel import Actions, Points, Priors, State, Weights
from fourcorners.games.squarin_off import choosing, counting, ending
from fourcorners.games.squarin_off.ending import ALL
from fourcorners.games.squarin_off.judging import judge
from fourcorners.games.squarin_off.rules import MAX_SEATS

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


@borrowing
def prior(s: State, actions: Actions, n: int, weights: Weights, out: Priors) -> None:
    """Rank taking before all, then what hands over; safe edges; where there are none, the cheapest chain first."""
    ending.lay_ground(s)
    judge(s, actions, n, weights[CUTS], out)
    ending.lift_ground(s)


@borrowing
def rollout(s: State, weights: Weights, rng: Rng) -> int:
    """Take what is free, or hand it out; else draw a safe edge; else lay a blocker or open a chain."""
    ending.lay_ground(s)
    edge = choosing.capturing(s, weights[HANDS] != 0.0, weights[CUTS])
    if edge < 0 and weights[SAFE] != 0.0:
        edge = ending.safe_edge(s, rng)
    if edge < 0 and weights[CUTS] != 0.0:
        edge = choosing.blocker(s, rng)
    if edge < 0 and weights[CHEAP] != 0.0:
        edge = choosing.cheapest(s, rng)
    ending.lift_ground(s)
    return choosing.any_edge(s, rng) if edge < 0 else edge


@borrowing
def foresee(s: State, weights: Weights, rng: Rng, out: Points) -> bool:
    """Play safe edges at random as long as there are any, then count out the chains and loops."""
    if weights[COUNTS] == 0.0:
        return False
    ending.lay_ground(s)
    for seat in range(MAX_SEATS):
        out[seat] = 0
    taken, back = ending.capture_all(s)
    safe = ending.draw_safe(s, rng)
    gifts = ending.list_gifts(s)
    if np.int64(s.players) == 2 or np.int64(s.purses) == 1:
        _share(s, weights, taken, back if safe == 0 else ALL, safe, gifts, out)
    else:
        _hand_round(s, taken, safe, gifts, out)
    purses = np.int64(s.purses)
    for seat in range(MAX_SEATS - 1, -1, -1):
        out[seat] = out[seat & purses] + s.points[seat & purses]
    return True


@borrowing
def _share(s: State, weights: Weights, taken: int, back: int, safe: int, gifts: int, out: Points) -> None:
    """Write what each of two parties gains."""
    mover = np.int64(s.turn) & 1
    opener = (mover + safe) & 1
    if weights[HANDS] == 0.0:
        back = ALL
        for i in range(gifts):
            s.back[i] = ALL
    margin = counting.margin_of_opener(s, gifts, opener, weights[CUTS])
    total = 0
    for i in range(gifts):
        total += np.int64(s.gift[i])
    if opener != mover:
        margin = -margin
    margin = taken + margin if back == ALL else taken - back + abs(back + margin)
    total += taken
    out[mover] = (total + margin) // 2
    out[1 - mover] = total - out[mover]


@borrowing
def _hand_round(s: State, taken: int, safe: int, gifts: int, out: Points) -> None:
    """Write what each seat gains when every one takes what the one before it must open."""
    seat = np.int64(s.turn)
    out[seat] = taken
    seat += safe
    for i in range(gifts):
        seat += 1
        out[seat % np.int64(s.players)] += np.int64(s.gift[i])
