"""What the end of a game is worth, and how that goes up a tree: as means, and as proofs where it is certain."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fourcorners.core import dispatch
from fourcorners.core.dispatch import Actions, Points, States
from fourcorners.core.jit import jitable_no_alloc
from fourcorners.search.tree import GIVEN_UP, HIGH, LOW, UNBOUNDED, Nodes, Proofs, Rates

MARGIN_SHARE = 0.2
"""How much of the reward is the margin; the rest is winning."""
MARGIN_KNEE = 0.125
"""The part of all points at which a margin counts half of what it can."""


Parties = NDArray[np.int64]
"""For every seat the number of the party with which it wins."""
Rewards = NDArray[np.float64]
"""For every seat its reward, its share of the win, its margin and the best reward seen so far, one row each."""
REWARD, WON, MARGIN, BEST = 0, 1, 2, 3


@jitable_no_alloc
def back_up(
    nodes: Nodes, rates: Rates, path: Actions, depth: int, points: Points, rewards: Rewards, parties: Parties
) -> None:
    """Tell every node of the path what came of it."""
    reward(points, parties, rewards)
    for seat in range(len(parties)):
        rewards[BEST, seat] = max(rewards[BEST, seat], rewards[REWARD, seat])
    for i in range(depth + 1):
        index = path[i]
        node: Any = nodes[index]
        visits = np.int64(node.visits) + 1
        node.visits = visits
        if i < depth:
            node.tries += 1
            node.total += rewards[REWARD, nodes[path[i + 1]].seat]
        if i > 0:
            seat = np.int64(node.seat)
            node.won += rewards[WON, seat]
            node.margin += rewards[MARGIN, seat]
            if node.solved == 0:
                rates[index, 0] += (rewards[REWARD, seat] - rates[index, 0]) / visits
                rates[index, 1] = 1.0 / math.sqrt(visits)


@jitable_no_alloc
def solve(
    nodes: Nodes, rates: Rates, proofs: Proofs, index: int, points: Points, rewards: Rewards, parties: Parties
) -> None:
    """Note how the game ends from a node: what is certain needs no exploring."""
    node: Any = nodes[index]
    seats = len(parties)
    node.solved = 1
    reward(points, parties, rewards)
    for seat in range(seats):
        proofs[index, seat] = points[seat]
    proofs[index, seats + LOW] = proofs[index, seats + HIGH] = np.int64(rewards[MARGIN, 0])
    if node.seat >= 0:
        rates[index, 0] = rewards[REWARD, node.seat]
        rates[index, 1] = 0.0


@jitable_no_alloc
def prove(
    nodes: Nodes,
    rates: Rates,
    proofs: Proofs,
    path: Actions,
    depth: int,
    points: Points,
    rewards: Rewards,
    parties: Parties,
) -> None:
    """Tell the nodes above the solved end of a path, from the last but one to the root, what follows for them.

    With two parties every node has bounds of the margin (score-bounded search, Cazenave and Saffidine 2010): it is
    solved when they meet, and a child that cannot be better than the best is not looked at any more. With more
    parties a node is solved when it is known which child is best, and with that who wins; and with any where the mover
    can hope for no more.
    """
    two = True
    for party in parties:
        two = two and party < 2
    for i in range(depth - 1, -1, -1):
        child, index = path[i + 1], path[i]
        mover = np.int64(nodes[child].seat)
        best = -1
        if nodes[child].solved != 0:
            for seat in range(len(parties)):
                points[seat] = proofs[child, seat]
            reward(points, parties, rewards)
            if _is_all(rewards, mover):
                best = child
        sign = 1 if parties[mover] == parties[0] else -1
        if best < 0 and two:
            if not _narrow(nodes[index], nodes, rates, proofs, index, sign, len(parties)):
                return
            best = _met(nodes[index], nodes, rates, proofs, index, len(parties))
            if best < 0:
                continue
        elif best < 0:
            best = _known_best(nodes[index], nodes, rates, proofs, parties, mover)
            if best < 0:
                return
        for seat in range(len(parties)):
            points[seat] = proofs[best, seat]
        solve(nodes, rates, proofs, index, points, rewards, parties)


@jitable_no_alloc
def _known_best(parent: Any, nodes: Nodes, rates: Rates, proofs: Proofs, parties: Parties, mover: int) -> int:
    """Return the best child if all are solved and it is certain who wins, else -1.

    A seat that can do no more than lose, or share the win, may do so in any way: these must agree on who wins.
    """
    if parent.filled < parent.fan:
        return -1
    first, end = np.int64(parent.first), np.int64(parent.first) + np.int64(parent.filled)
    best = first
    for child in range(first, end):
        if nodes[child].solved == 0:
            return -1
        if rates[child, 0] > rates[best, 0]:
            best = child
    own = 1 << parties[mover]
    winners = _winners(proofs[best], parties)
    if winners != own:
        for child in range(first, end):
            others = _winners(proofs[child], parties)
            if others != winners and others & own == winners & own:
                return -1
    return best


@jitable_no_alloc
def _narrow(parent: Any, nodes: Nodes, rates: Rates, proofs: Proofs, index: int, sign: int, seats: int) -> bool:
    """Narrow a node's bounds by those of its children, and give up children that cannot be better; tell if it changed.

    `sign` is 1 if the seat to move wants the margin high, else -1.
    """
    rising = sign > 0
    first, end = np.int64(parent.first), np.int64(parent.first) + np.int64(parent.filled)
    whole = parent.filled == parent.fan
    low, high = proofs[index, seats + LOW], proofs[index, seats + HIGH]
    # What the mover has for certain, and what is the most that can become of it.
    sure, most = (low, -UNBOUNDED) if rising else (high, UNBOUNDED)
    for child in range(first, end):
        if rising:
            sure, most = max(sure, proofs[child, seats + LOW]), max(most, proofs[child, seats + HIGH])
        else:
            sure, most = min(sure, proofs[child, seats + HIGH]), min(most, proofs[child, seats + LOW])
    if rising:
        new_low, new_high = sure, min(high, most) if whole else high
    else:
        new_low, new_high = max(low, most) if whole else low, sure
    if new_low == low and new_high == high:
        return False
    proofs[index, seats + LOW], proofs[index, seats + HIGH] = new_low, new_high
    for child in range(first, end):
        if nodes[child].solved == 0:
            beaten = proofs[child, seats + HIGH] <= sure if rising else proofs[child, seats + LOW] >= sure
            if beaten:
                rates[child, 2] = GIVEN_UP
    return True


@jitable_no_alloc
def _met(parent: Any, nodes: Nodes, rates: Rates, proofs: Proofs, index: int, seats: int) -> int:
    """Return a solved child whose margin is that of its parent, the one with most reward, if its bounds have met."""
    value = proofs[index, seats + LOW]
    best = -1
    if value != proofs[index, seats + HIGH]:
        return best
    first = np.int64(parent.first)
    for child in range(first, first + np.int64(parent.filled)):
        fits = nodes[child].solved != 0 and proofs[child, seats + LOW] == value
        if fits and (best < 0 or rates[child, 0] > rates[best, 0]):
            best = child
    return best


@jitable_no_alloc
def reward(points: Points, parties: Parties, rewards: Rewards) -> None:
    """Write for every seat its reward, its party's share of the win, and its margin over the best other party."""
    seats = len(parties)
    total = 0
    for seat in range(seats):
        total += abs(points[seat])
    winners = _winners(points, parties)
    share = 0.0
    for party in range(seats):
        share += (winners >> party) & 1
    for seat in range(seats):
        other = np.int64(0)
        rivals = 0
        for rival in range(seats):
            if parties[rival] != parties[seat]:
                other = points[rival] if rivals == 0 else max(other, points[rival])
                rivals += 1
        margin = np.float64(points[seat] - other)
        part = 0.5
        if margin != 0.0:
            part = 0.5 + 0.5 * margin / (abs(margin) + MARGIN_KNEE * total)
        won = 1.0 / share if (winners >> parties[seat]) & 1 else 0.0
        rewards[REWARD, seat] = (1.0 - MARGIN_SHARE) * won + MARGIN_SHARE * part
        rewards[WON, seat] = won
        rewards[MARGIN, seat] = margin


@jitable_no_alloc
def _winners(points: Points, parties: Parties) -> int:
    """Return the parties with the most points, as a set."""
    best = points[0]
    for seat in range(len(parties)):
        best = max(best, points[seat])
    winners = 0
    for seat in range(len(parties)):
        if points[seat] == best:
            winners |= 1 << parties[seat]
    return winners


@jitable_no_alloc
def _is_all(rewards: Rewards, seat: int) -> bool:
    """Tell whether a seat has won alone, and as much as was ever seen."""
    return rewards[WON, seat] == 1.0 and rewards[REWARD, seat] >= rewards[BEST, seat]


@jitable_no_alloc
def wins_at_once(
    roots: States,
    work: States,
    nodes: Nodes,
    path: Actions,
    depth: int,
    actions: Actions,
    points: Points,
    rewards: Rewards,
    parties: Parties,
) -> bool:
    """Tell whether the seat to move at the end of a path has a last move that gives it all; write the points then."""
    s, after = work[0], work[1]
    work[0] = roots[0]
    for i in range(1, depth + 1):
        dispatch.play(s, nodes[path[i]].action)
    if dispatch.bound(s) > len(actions):
        return False
    seat = dispatch.to_move(s)
    for k in range(dispatch.legal(s, actions)):
        work[1] = work[0]
        dispatch.play(after, actions[k])
        if dispatch.is_over(after):
            dispatch.points(after, points)
            reward(points, parties, rewards)
            if _is_all(rewards, seat):
                return True
    return False
