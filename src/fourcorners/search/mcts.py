"""UCT for any number of seats; with hidden information one tree for all worlds that a seat deems possible.

Every seat maximises its own reward (Luckhardt and Irani 1986); the same seat may move again. With hidden information
each simulation starts from another world that fits what the seat knows, and an action counts as passed over only where
it was there to choose (single-observer information-set search, Cowling, Powley and Whitehouse 2012).
An action never tried competes as if it had been as good as the average, a few times (first-play urgency, Gelly and
Wang 2006): so a promising move is looked into before all of several hundred have been tried.
What a game knows takes part where the search is given weights for it: its `prior` favours a child, less and less the
more often it was visited (progressive bias, Chaslot and others 2008), its `rollout` plays to the end of the game, and
a playout stops where the game can `foresee` how it ends.
Where nothing is hidden, ends of the game that the tree reaches are proofs, and go up it (Winands, Björnsson and Saito
2008): see `prove`.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from fourcorners.core import dispatch
from fourcorners.core.bits import ZERO, Rng, mix, random_below
from fourcorners.core.dispatch import Actions, Points, Priors, State, States, Weights
from fourcorners.core.jit import jitable_no_alloc, kernel_no_alloc
from fourcorners.search.backpropagation import Parties, Rewards, back_up, prove, solve, wins_at_once
from fourcorners.search.tree import WANTED, Heap, Nodes, Proofs, Rates, add_child

EXPLORATION = 0.4
"""How much a seldom visited child is favoured, in units of the reward, which goes from 0 to 1."""
BIAS = 0.1
"""How much a prior of 1 favours a child, in units of the reward, before it has been visited often."""
URGENCY = 0.4
"""1 over the square root of the visits that an action never tried is taken to have had."""
_EMPTY = -1
_TRIED = 1 << 62
_STOP, _NO_ROOM = -1, -2
_SOON = 3  # plies
_FORESEEN = 1 << 20


@kernel_no_alloc
def advance(
    roots: States,
    work: States,
    nodes: Nodes,
    rates: Rates,
    proofs: Proofs,
    heap: Heap,
    path: Actions,
    actions: Actions,
    priors: Priors,
    weights: Weights,
    points: Points,
    rewards: Rewards,
    parties: Parties,
    rng: Rng,
    simulations: int,
    salt: int,
    grow: int,
) -> int:
    """Run simulations from `roots[0]`; return how many were run before the root was solved or some array had to grow.

    `work` holds two records of scratch, `path` MAX_PLIES + 1 indices, `actions` the legal actions of a position and
    `priors` how promising they look. If these are too short `heap[WANTED]` says what is needed; else there was no room
    for a node. `salt` varies the order in which equally promising actions are first tried; with `grow` 0 the tree
    stays as it is.
    """
    s = work[0]
    for done in range(simulations):
        if nodes[0].solved != 0:
            return done
        work[0] = roots[0]
        node = 0
        depth = 0
        path[0] = 0
        while not dispatch.is_over(s):
            child = _select(s, nodes, rates, proofs, heap, node, actions, priors, weights, salt, grow)
            if child < 0:
                if child == _NO_ROOM:
                    return done
                break
            node = child
            depth += 1
            path[depth] = node
            if nodes[node].solved != 0:
                break
            dispatch.play(s, nodes[node].action)
            if nodes[node].visits == 0:
                break
        if nodes[node].solved != 0:
            for seat in range(len(parties)):
                points[seat] = proofs[node, seat]
            back_up(nodes, rates, path, depth, points, rewards, parties)
            continue
        plies = _play_out(s, weights, points, rng)
        back_up(nodes, rates, path, depth, points, rewards, parties)
        # Where a random game ends soon the seat to move may be able to end and win it at once.
        if plies == 0 or (
            node > 0
            and plies <= _SOON
            and wins_at_once(roots, work, nodes, path, depth, actions, points, rewards, parties)
        ):
            solve(nodes, rates, proofs, node, points, rewards, parties)
            prove(nodes, rates, proofs, path, depth, points, rewards, parties)
    return simulations


@kernel_no_alloc
def advance_hidden(
    roots: States,
    work: States,
    nodes: Nodes,
    rates: Rates,
    proofs: Proofs,
    heap: Heap,
    path: Actions,
    actions: Actions,
    priors: Priors,
    weights: Weights,
    places: Actions,
    table: Actions,
    points: Points,
    rewards: Rewards,
    parties: Parties,
    rng: Rng,
    simulations: int,
    grow: int,
) -> int:
    """Do as `advance` does, each time in a world dealt from the hidden record `roots[0]`.

    `places` is as long as `actions`, `table` a power of two at least twice as long, all -1.
    """
    s = work[0]
    for done in range(simulations):
        start = rng[0]
        work[0] = roots[0]
        dispatch.deal(s, rng)
        node = 0
        depth = 0
        path[0] = 0
        while not dispatch.is_over(s):
            child = _select_possible(
                s, nodes, rates, proofs, heap, node, actions, priors, weights, places, table, rng, grow
            )
            if child < 0:
                if child == _NO_ROOM:
                    # The same world again when there is room.
                    rng[0] = start
                    return done
                break
            node = child
            depth += 1
            path[depth] = node
            dispatch.play(s, nodes[node].action)
            if nodes[node].visits == 0:
                break
        _play_out(s, weights, points, rng)
        back_up(nodes, rates, path, depth, points, rewards, parties)
    return simulations


@jitable_no_alloc
def _play_out(s: State, weights: Weights, points: Points, rng: Rng) -> int:
    """Play on as well as the weights tell, at random without any; return the number of plies to the end."""
    plies = 0
    knows = len(weights) > 0
    while not dispatch.is_over(s):
        if knows and dispatch.foresee(s, weights, rng, points):
            return _FORESEEN
        dispatch.play(s, dispatch.rollout(s, weights, rng) if knows else dispatch.pick(s, rng))
        plies += 1
    dispatch.points(s, points)
    return plies


@jitable_no_alloc
def _select(
    s: State,
    nodes: Nodes,
    rates: Rates,
    proofs: Proofs,
    heap: Heap,
    node: int,
    actions: Actions,
    priors: Priors,
    weights: Weights,
    salt: int,
    grow: int,
) -> int:
    """Return the child to go to, perhaps a new one; _STOP for none, _NO_ROOM if an array is too short."""
    parent: Any = nodes[node]
    size = np.int64(parent.filled)
    first = np.int64(parent.first)
    log = EXPLORATION * math.sqrt(math.log(parent.tries + 1.0))
    best, best_worth = _STOP, -1.0
    for child in range(first, first + size):
        worth = rates[child, 0] + (log + BIAS * rates[child, 2]) * rates[child, 1]
        if worth > best_worth:
            best, best_worth = child, worth
    if grow == 0 or size == np.int64(parent.fan) or (size > 0 and best_worth > _unseen_worth(parent, log)):
        return best
    wanted = dispatch.bound(s)
    if wanted > len(actions):
        heap[WANTED] = wanted
        return _NO_ROOM
    fan = dispatch.legal(s, actions)
    parent.fan = fan
    _judge(s, actions, fan, weights, priors)
    last = nodes[first + size - 1].action if size > 0 else _EMPTY
    chosen = _next_tried(actions, fan, priors, np.uint64(salt + parent.salt), last)
    child = add_child(nodes, rates, proofs, heap, node, actions[chosen], dispatch.to_move(s), priors[chosen])
    if child < 0:
        return _NO_ROOM
    following = _next_tried(actions, fan, priors, np.uint64(salt + parent.salt), actions[chosen])
    parent.hope = priors[following]
    return child


@jitable_no_alloc
def _judge(s: State, actions: Actions, n: int, weights: Weights, priors: Priors) -> None:
    """Write how promising actions look to who knows so much."""
    if len(weights) > 0:
        dispatch.prior(s, actions, n, weights, priors)
    else:
        for i in range(n):
            priors[i] = 0.0


@jitable_no_alloc
def _next_tried(actions: Actions, n: int, priors: Priors, salt: np.uint64, last: int) -> int:
    """Return the number of the action to try after `last`: the most promising come first, equal ones as if at random.

    The order is one for the node: by prior, then by a hash, which is another for every action.
    """
    own = mix(salt)
    last_prior, last_hash = np.inf, ZERO
    for i in range(n):
        if actions[i] == last:
            last_prior, last_hash = priors[i], mix(own ^ np.uint64(last))
    best, best_prior, best_hash = 0, -np.inf, ZERO
    for i in range(n):
        if priors[i] < best_prior or priors[i] > last_prior:
            continue
        hashed = mix(own ^ np.uint64(actions[i]))
        if (priors[i] < last_prior or hashed < last_hash) and (priors[i] > best_prior or hashed > best_hash):
            best, best_prior, best_hash = i, priors[i], hashed
    return best


@jitable_no_alloc
def _unseen_worth(parent: Any, log: float) -> float:
    """Return what an action never tried is worth."""
    return parent.total / max(1, parent.tries) + (log + BIAS * parent.hope) * URGENCY


@jitable_no_alloc
def _place(table: Actions, action: int) -> int:
    """Return where an action stands in the table, or the empty place where it would."""
    mask = len(table) - 1
    place = np.int64(mix(np.uint64(action)) >> np.uint64(20)) & mask
    while table[place] != _EMPTY and table[place] & ~_TRIED != action:
        place = (place + 1) & mask
    return place


@jitable_no_alloc
def _select_possible(
    s: State,
    nodes: Nodes,
    rates: Rates,
    proofs: Proofs,
    heap: Heap,
    node: int,
    actions: Actions,
    priors: Priors,
    weights: Weights,
    places: Actions,
    table: Actions,
    rng: Rng,
    grow: int,
) -> int:
    """Return the child to go to among the actions that are legal in this world, as `_select` does."""
    wanted = dispatch.bound(s)
    if wanted > len(actions):
        heap[WANTED] = wanted
        return _NO_ROOM
    n = dispatch.legal(s, actions)
    for i in range(n):
        places[i] = _place(table, actions[i])
        table[places[i]] = actions[i]
    parent: Any = nodes[node]
    first, size = np.int64(parent.first), np.int64(parent.filled)
    best, best_worth = _STOP, -1.0
    tried = 0
    for child in range(first, first + size):
        candidate: Any = nodes[child]
        place = _place(table, candidate.action)
        if table[place] == _EMPTY:
            continue
        table[place] |= _TRIED
        tried += 1
        available = np.int64(candidate.available) + 1
        candidate.available = available
        explored = EXPLORATION * math.sqrt(math.log(available + 1.0)) + BIAS * rates[child, 2]
        worth = rates[child, 0] + explored * rates[child, 1]
        if worth > best_worth:
            best, best_worth = child, worth
    log = EXPLORATION * math.sqrt(math.log(parent.tries + 1.0))
    if tried < n and grow != 0 and (tried == 0 or best_worth <= _unseen_worth(parent, log)):
        best = _NO_ROOM
        _judge(s, actions, n, weights, priors)
        chosen = _untried(actions, priors, places, table, n, rng)
        child = add_child(nodes, rates, proofs, heap, node, actions[chosen], dispatch.to_move(s), priors[chosen])
        parent.hope = priors[chosen]
        if child >= 0:
            nodes[child].available = 1
            best = child
    for i in range(n):
        table[places[i]] = _EMPTY
    return best


@jitable_no_alloc
def _untried(actions: Actions, priors: Priors, places: Actions, table: Actions, n: int, rng: Rng) -> int:
    """Draw the number of one of the most promising legal actions that are not marked as tried."""
    best, equal = 0, 0
    for i in range(n):
        if table[places[i]] & _TRIED != 0:
            continue
        if equal == 0 or priors[i] > priors[best]:
            best, equal = i, 1
        elif priors[i] == priors[best]:
            equal += 1
    k = random_below(rng, equal)
    for i in range(best, n):
        if table[places[i]] & _TRIED == 0 and priors[i] == priors[best]:
            if k == 0:
                return i
            k -= 1
    return best  # never reached: k is below the count
