"""UCT for any number of seats, with open and with hidden information (one tree for all worlds that a seat deems possible).

Every seat maximises its own reward (Luckhardt and Irani 1986); the same seat may move again. With hidden information each
simulation starts from another world that fits what the seat knows, and an action counts as passed over only where it was
there to choose (single-observer information-set search, Cowling, Powley and Whitehouse 2012).
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fourcorners.core import kernel
from fourcorners.core.bits import Rng, mix, random_below
from fourcorners.core.jit import compiled, jitable
from fourcorners.core.kernel import Actions, Points, States
from fourcorners.search.tree import Heap, Nodes, add_child

EXPLORATION = 0.6
"""How much a seldom visited child is favoured, in units of the reward, which goes from 0 to 1."""
MARGIN_SHARE = 0.2
"""How much of the reward is the margin; the rest is winning."""
_STEPS = (np.int64(100003), np.int64(200003), np.int64(300007), np.int64(400009))  # primes above any count of moves
_EMPTY = np.int64(-1)

Parties = NDArray[np.int64]
"""For every seat the number of the party with which it wins."""


@compiled
def advance(
    roots: States,
    work: States,
    nodes: Nodes,
    heap: Heap,
    path: Actions,
    actions: Actions,
    table: Actions,
    points: Points,
    rewards: NDArray[np.float64],
    parties: Parties,
    rng: Rng,
    simulations: int,
    hidden: bool,  # noqa: FBT001  # compiled code knows no keyword-only arguments
    full: bool,  # noqa: FBT001
) -> int:
    """Run simulations from `roots[0]`; return how many were run before the array of nodes had to grow.

    `work` holds one record of scratch, `path` MAX_PLIES + 1 indices, `actions` and `table` the legal actions of a
    position (`table` a power of two, at least twice as long, when hidden; all -1). With `full` the tree no longer grows.
    """
    s = work[0]
    for done in range(simulations):
        work[0] = roots[0]
        if hidden:
            kernel.deal(s, rng)
        node = 0
        depth = 0
        path[0] = 0
        while not kernel.is_over(s):
            if hidden:
                child = _select_possible(s, nodes, heap, node, actions, table, rng, full)
            else:
                child = _select(s, nodes, heap, node, actions, full)
            if child == _NO_ROOM:
                return done
            if child < 0:
                break
            node = child
            depth += 1
            path[depth] = node
            kernel.play(s, nodes[node].action)
            if nodes[node].visits == 0:
                break
        while not kernel.is_over(s):
            kernel.play(s, kernel.pick(s, rng))
        kernel.points(s, points)
        _reward(points, parties, rewards)
        for i in range(depth + 1):
            passed: Any = nodes[path[i]]
            passed.visits += 1
            if i > 0:
                passed.value += rewards[passed.seat]
                passed.margin += rewards[len(parties) + passed.seat]
    return simulations


_NO_ROOM = -2


@jitable
def _select(s: Any, nodes: Nodes, heap: Heap, node: int, actions: Actions, full: bool) -> int:  # noqa: FBT001
    """Return the child to go to, a new one while there are untried actions; -1 for none, -2 if there is no room."""
    parent: Any = nodes[node]
    if parent.fan < 0:
        parent.fan = kernel.legal(s, actions)
    elif parent.size < parent.fan and not full:
        kernel.legal(s, actions)
    fan, size = np.int64(parent.fan), np.int64(parent.size)
    if size < fan and not full:
        # Untried actions come in an order that looks random and is fixed for the node: steps of a prime.
        order = np.int64(mix(np.uint64(node)) >> np.uint64(33))
        index = (order + size * _STEPS[order & 3]) % fan
        child = add_child(nodes, heap, node, actions[index], kernel.to_move(s))
        return _NO_ROOM if child < 0 else child
    if size == 0:
        return -1
    log = math.log(parent.visits + 1.0)
    best, best_worth = np.int64(-1), -1.0
    first = np.int64(parent.first)
    for child in range(first, first + size):
        visits = nodes[child].visits
        if visits == 0:
            return child
        worth = nodes[child].value / visits + EXPLORATION * math.sqrt(log / visits)
        if worth > best_worth:
            best, best_worth = child, worth
    return best


@jitable
def _slot(table: Actions, action: int) -> int:
    """Return where an action stands in the table, or the empty place where it would."""
    mask = np.int64(len(table) - 1)
    place = np.int64(mix(np.uint64(action)) >> np.uint64(20)) & mask
    while table[place] != _EMPTY and table[place] != action:
        place = (place + 1) & mask
    return place


@jitable
def _select_possible(
    s: Any, nodes: Nodes, heap: Heap, node: int, actions: Actions, table: Actions, rng: Rng, full: bool  # noqa: FBT001
) -> int:
    """Return the child to go to among the actions that are legal in this world, as `_select` does."""
    n = kernel.legal(s, actions)
    for i in range(n):
        table[_slot(table, actions[i])] = actions[i]
    parent: Any = nodes[node]
    first, size = np.int64(parent.first), np.int64(parent.size)
    best, best_worth = np.int64(-1), -1.0
    tried = 0
    for child in range(first, first + size):
        candidate: Any = nodes[child]
        if table[_slot(table, candidate.action)] == _EMPTY:
            continue
        tried += 1
        candidate.available += 1
        worth = 1e9
        if candidate.visits > 0:
            log = math.log(candidate.available + 1.0)
            worth = candidate.value / candidate.visits + EXPLORATION * math.sqrt(log / candidate.visits)
        if worth > best_worth:
            best, best_worth = child, worth
    chosen = best
    if tried < n and not full:
        chosen = add_child(nodes, heap, node, _untried(nodes, node, actions, n, tried, table, rng), kernel.to_move(s))
        if chosen >= 0:
            nodes[chosen].available = 1
        else:
            chosen = np.int64(_NO_ROOM)
    for i in range(n):
        table[i] = _EMPTY
    for i in range(len(table)):
        table[i] = _EMPTY
    return chosen
