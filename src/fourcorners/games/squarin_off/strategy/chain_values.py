"""Who wins the rest of Squarin' Off when only chains and loops are left: counted from the last to the first."""

from __future__ import annotations

import numpy as np

from fourcorners.core.dispatch import State
from fourcorners.core.jit import jitable_no_alloc
from fourcorners.games.squarin_off.strategy.endgame_playout import ALL, MOST


@jitable_no_alloc
def margin_of_gifts(s: State, n: int) -> int:
    """Return the margin of who must open the first of so many gifts, of two who open them in this order.

    Who takes T may leave r of it over, and not have to open the next: T - r + |r + W| (Berlekamp 2000).
    """
    worth = 0
    for i in range(n - 1, -1, -1):
        total, back = np.int64(s.gift[i]), np.int64(s.back[i])
        worth = -(total + worth) if back == ALL else -(total - back + abs(back + worth))
    return worth


@jitable_no_alloc
def margin_with_blockers(s: State, n: int, own: int, others: int) -> int:
    """Do as `margin_of_gifts`, where who must open may lay a blocker instead, as long as there is a spot for it."""
    wide = others + 1 if others > own else own + 1
    spots = 0
    for state in range(wide * wide):
        s.margin[state] = 0
    for i in range(n - 1, -1, -1):
        total, back = np.int64(s.gift[i]), np.int64(s.back[i])
        spots += np.int64(s.spots[i])
        # `margin` holds what those with so many blockers make of the gifts after this one. Of two with a and b, those
        # with fewer together come first, so that what laying one leads to is there.
        for a in range(wide):
            for b in range(a, wide):
                one, two = np.int64(s.margin[a * wide + b]), np.int64(s.margin[b * wide + a])
                # The opponent takes it and goes first in the rest, or leaves some of it over.
                s.margin[a * wide + b] = -max(total + two, -MOST if back == ALL else total - 2 * back - one)
                s.margin[b * wide + a] = -max(total + one, -MOST if back == ALL else total - 2 * back - two)
        if spots == 0:
            continue
        for together in range(1, 2 * wide - 1):
            if own + others - together >= spots:
                continue
            for a in range(max(0, together - wide + 1), min(wide, together + 1)):
                b = together - a
                if a > 0:
                    passing = -np.int64(s.margin[b * wide + a - 1])
                    s.margin[a * wide + b] = max(np.int64(s.margin[a * wide + b]), passing)
    return np.int64(s.margin[own * wide + others])


@jitable_no_alloc
def margin_of_opener(s: State, n: int, opener: int, cuts: float) -> int:
    """Return the margin of one of two parties, who must open the first of so many gifts, with blockers or without."""
    if cuts == 0.0 or np.int64(s.room) == 0:
        return margin_of_gifts(s, n)
    return margin_with_blockers(s, n, blockers_of(s, opener), blockers_of(s, 1 - opener))


@jitable_no_alloc
def blockers_of(s: State, party: int) -> int:
    """Return the blockers of one of two parties."""
    held = 0
    for seat in range(party, np.int64(s.players), 2):
        held += np.int64(s.blockers[seat])
    return held
