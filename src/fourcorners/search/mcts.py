"""UCT for any number of seats; with hidden information, one tree for all worlds that a seat considers possible.

Every seat maximises its own reward (Luckhardt and Irani 1986); the same seat may move again. With hidden information,
each simulation starts from another world that fits the seat's knowledge, and an action counts as passed over only where
it was legal (single-observer information-set search, Cowling, Powley and Whitehouse 2012). An untried action competes
as if it had the average reward in a few visits (first-play urgency, Gelly and Wang 2006), so promising moves are
searched before all of several hundred have been tried. If the search has weights for the game's knowledge, the game's
`prior` favours a child, less and less the more often it is visited (progressive bias, Chaslot and others 2008), its
`rollout` plays to the end of the game, and a playout stops where the game's `foresee` says so. Where nothing is hidden,
ends of the game that the tree reaches are proofs and go up the tree: see `backpropagation.propagate_proof` (Winands,
Björnsson and Saito 2008).
"""

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fourcorners.core import dispatch
from fourcorners.core.arrays import Actions, Estimates, Priors, Rng, State, States, Weights
from fourcorners.core.bits import ZERO, mix, random_below
from fourcorners.core.jit import jitable_no_alloc, kernel_no_alloc
from fourcorners.search import backpropagation
from fourcorners.search.backpropagation import Payoffs, back_up_outcome, write_rewards
from fourcorners.search.tree import MEAN, NEEDED_LENGTH, PRIOR, WIDTH, Tree, add_child

BIAS = 0.1  # how much a prior of 1 favours an unvisited child, in units of the reward
URGENCY = 0.4  # 1 over the square root of an untried action's assumed visits
_NO_ACTION = -1
_STOP, _NO_ROOM = -1, -2  # selection finds no child; `Buffers.actions` or the tree has no room for a new one
_RECOUNT = 8  # 1 in 8 visits to a node without untried actions looks for others, which this world may allow
_SHORT_PLAYOUT = 3  # plies
_FORESEEN = 1 << 20  # the plies of a playout that the game's `foresee` ends: never short

_GROWTH = np.sqrt(np.log(np.arange(1 << 10) + 1.0))  # results of `_compute_growth` for few visits


class Root(NamedTuple):
    """The subject of a search.

    - `states`: (1,) of the game's dtype, the root position; with hidden information the seat's view of it.
    - `weights`: (k,) float64, the game's knowledge as its `evaluate.py` defines it; k = 0 for a search by rules alone.
    - `beliefs`: (n, m) float64, what the game's `weigh_worlds` returns; n = 0 if all worlds are equally likely.
    """

    states: States
    weights: Weights
    beliefs: NDArray[np.float64]


class Buffers(NamedTuple):
    """Work space of a search, for positions with up to A legal actions.

    - `work`: (2,) of the game's dtype; `path`: (MAX_PLIES + 1,) int64, the current simulation's nodes, from the root.
    - `actions`, `priors`: (A,) int64 and float64, the legal actions of a position and their priors.
    """

    work: States
    path: Actions
    actions: Actions
    priors: Priors


@kernel_no_alloc
def advance(
    root: Root, tree: Tree, buffers: Buffers, payoffs: Payoffs, rng: Rng, simulations: int, salt: int, grow: int
) -> int:
    """Run `simulations` from the root; return the number that ran: fewer if it was solved or an array was too short.

    If `tree.allocator[NEEDED_LENGTH]` is then larger than the length of `buffers.actions`, this needs that length; else
    the tree had no room for a node. `salt` varies the order in which equally promising actions are first tried. With
    `grow` 0, not 1, no node is added. `payoffs` and `buffers` are overwritten; `rng` advances.
    """
    nodes, path, work = tree.nodes, buffers.path, buffers.work
    s = work[0]
    for done in range(simulations):
        if nodes[0].solved != 0:
            return done
        work[0] = root.states[0]
        node, depth, path[0] = 0, 0, 0
        while not dispatch.is_over(s):
            child = _select_child(s, node, root.weights, tree, buffers, salt, grow)
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
            for seat in range(len(payoffs.parties)):
                payoffs.points[seat] = tree.proofs[node, seat]
            back_up_outcome(tree, path, depth, payoffs, 0.0)
            continue
        plies, spread = _play_out(s, root.weights, payoffs.points, rng)
        back_up_outcome(tree, path, depth, payoffs, spread)
        # Where a random game ends soon, the seat to move may have a last move with the best possible result.
        is_short = node > 0 and plies <= _SHORT_PLAYOUT
        if plies == 0 or (is_short and _has_winning_end(root, tree, buffers, depth, payoffs)):
            backpropagation.mark_solved(tree, node, payoffs)
            backpropagation.propagate_proof(tree, path, depth, payoffs)
    return simulations


@kernel_no_alloc
def advance_hidden(
    root: Root, tree: Tree, buffers: Buffers, payoffs: Payoffs, rng: Rng, simulations: int, grow: int
) -> int:
    """Run simulations as `advance` does, but deal each a world that fits the seat's knowledge; prove nothing.

    All `simulations` run unless an array is too short. Equally promising untried actions are drawn with `rng`.
    """
    nodes, path, work = tree.nodes, buffers.path, buffers.work
    s = work[0]
    for done in range(simulations):
        start = rng[0]
        work[0] = root.states[0]
        dispatch.deal_likely(s, root.beliefs, rng)
        node, depth, path[0] = 0, 0, 0
        while not dispatch.is_over(s):
            child = _select_in_world(s, node, root.weights, tree, buffers, rng, grow)
            if child < 0:
                if child == _NO_ROOM:
                    rng[0] = start  # deal the same world again once there is room
                    return done
                break
            node = child
            depth += 1
            path[depth] = node
            dispatch.play(s, nodes[node].action)
            if nodes[node].visits == 0:
                break
        _, spread = _play_out(s, root.weights, payoffs.points, rng)
        back_up_outcome(tree, path, depth, payoffs, spread)
    return simulations


@jitable_no_alloc
def _play_out(s: State, weights: Weights, points: Estimates, rng: Rng) -> tuple[int, float]:
    """Play on in place to the end, by the game's `rollout`, or at random without weights.

    Write the final points; return the plies played and 0. If `foresee` writes points earlier, stop there and return
    _FORESEEN and their spread.
    """
    plies, has_knowledge = 0, len(weights) > 0
    while not dispatch.is_over(s):
        if has_knowledge:
            spread = dispatch.foresee(s, weights, rng, points)
            if spread >= 0.0:
                return _FORESEEN, spread
        dispatch.play(s, dispatch.rollout(s, weights, rng) if has_knowledge else dispatch.pick(s, rng))
        plies += 1
    dispatch.points(s, points)
    return plies, 0.0


@jitable_no_alloc
def _select_child(s: State, node: int, weights: Weights, tree: Tree, buffers: Buffers, salt: int, grow: int) -> int:
    """Return the index of the child of `node`, whose position is `s`, to descend to, or _STOP or _NO_ROOM.

    If `grow` is 1 and the next untried action scores at least as well as all children, the child is a new one. Set the
    node's `legal_count` and `next_prior`, or NEEDED_LENGTH if `buffers.actions` is too short; overwrite `buffers`.
    """
    nodes, stats, actions, priors = tree.nodes, tree.stats, buffers.actions, buffers.priors
    parent: Any = nodes[node]
    first, size = np.int64(parent.first_child), np.int64(parent.child_count)
    exploration = dispatch.explore(s, weights) * _compute_growth(np.int64(parent.child_visits))
    best, best_score = _STOP, -1.0
    for child in range(first, first + size):
        score = stats[child, MEAN] + (exploration + BIAS * stats[child, PRIOR]) * stats[child, WIDTH]
        if score > best_score:
            best, best_score = child, score
    if grow == 0 or size == np.int64(parent.legal_count):
        return best
    if size > 0 and best_score > _score_untried(parent, exploration):
        return best
    needed = dispatch.bound(s)
    if needed > len(actions):
        tree.allocator[NEEDED_LENGTH] = needed
        return _NO_ROOM
    n = dispatch.legal(s, actions)
    parent.legal_count = n
    write_priors(s, actions, n, weights, priors)
    last = nodes[first + size - 1].action if size > 0 else _NO_ACTION
    salt_here = np.uint64(salt + parent.salt)
    chosen = _find_next_untried(actions, n, priors, salt_here, last)
    child = add_child(tree, node, actions[chosen], dispatch.to_move(s), priors[chosen])
    if child < 0:
        return _NO_ROOM
    parent.next_prior = priors[_find_next_untried(actions, n, priors, salt_here, actions[chosen])]
    return child


@jitable_no_alloc
def write_priors(s: State, actions: Actions, n: int, weights: Weights, priors: Priors) -> None:
    """Write the game's priors of the first n actions into `priors`, at least n long; zeros if `weights` is empty."""
    if len(weights) > 0:
        dispatch.prior(s, actions, n, weights, priors)
    else:
        priors[:n] = 0.0


@jitable_no_alloc
def _find_next_untried(actions: Actions, n: int, priors: Priors, salt: np.uint64, last: int) -> int:
    """Return the index, among the first n actions, of the one to try after the action `last` (-1: the first to try).

    The order is by prior, then by a hash of `salt` and the action, both highest first. After the last action, return 0.
    """
    key = mix(salt)
    last_prior, last_hash = np.inf, ZERO
    for i in range(n):
        if actions[i] == last:
            last_prior, last_hash = priors[i], mix(key ^ np.uint64(last))
    best, best_prior, best_hash = 0, -np.inf, ZERO
    for i in range(n):
        if priors[i] < best_prior or priors[i] > last_prior:
            continue
        hashed = mix(key ^ np.uint64(actions[i]))
        if (priors[i] < last_prior or hashed < last_hash) and (priors[i] > best_prior or hashed > best_hash):
            best, best_prior, best_hash = i, priors[i], hashed
    return best


@jitable_no_alloc
def _compute_growth(visits: int) -> float:
    """Return the growth of exploration with the visits: the square root of the logarithm of visits + 1."""
    return _GROWTH[visits] if visits < len(_GROWTH) else math.sqrt(math.log(visits + 1.0))


@jitable_no_alloc
def _score_untried(parent: Any, exploration: float) -> float:
    """Return the score of a node's next untried action: the mean reward, and by URGENCY `exploration` and its prior."""
    mean = parent.child_rewards / max(1, parent.child_visits)
    return mean + (exploration + BIAS * parent.next_prior) * URGENCY


@jitable_no_alloc
def _has_winning_end(root: Root, tree: Tree, buffers: Buffers, depth: int, payoffs: Payoffs) -> bool:
    """Return whether the seat to move at `path[depth]` can end the game with the best possible result for itself.

    If so, `payoffs` has that outcome. Return False, too, if `buffers.actions` is too short. Overwrite `work`, `actions`
    and `payoffs` except the row BEST. The game must not be over there.
    """
    work, actions = buffers.work, buffers.actions
    s, after = work[0], work[1]
    work[0] = root.states[0]
    for i in range(1, depth + 1):
        dispatch.play(s, tree.nodes[buffers.path[i]].action)
    if dispatch.bound(s) > len(actions):
        return False
    seat = dispatch.to_move(s)
    for k in range(dispatch.legal(s, actions)):
        work[1] = work[0]
        dispatch.play(after, actions[k])
        if dispatch.is_over(after):
            dispatch.points(after, payoffs.points)
            write_rewards(payoffs, 0.0)
            if backpropagation.is_best_possible(payoffs, seat):
                return True
    return False


@jitable_no_alloc
def _select_in_world(s: State, node: int, weights: Weights, tree: Tree, buffers: Buffers, rng: Rng, grow: int) -> int:
    """Select a child as `_select_child` does, but only among actions legal in the world `s`; draw among equal priors.

    The children's `available` count the worlds in which their actions were legal. `legal_count` is the number of legal
    actions in the last world in which all had been tried, and `next_prior` the prior of the last new child, an estimate
    of the next one's.
    """
    nodes, stats, actions, priors = tree.nodes, tree.stats, buffers.actions, buffers.priors
    explore = dispatch.explore(s, weights)
    parent: Any = nodes[node]
    first, size = np.int64(parent.first_child), np.int64(parent.child_count)
    best, best_score, tried = _STOP, -1.0, 0
    for child in range(first, first + size):
        candidate: Any = nodes[child]
        if not dispatch.can_play(s, candidate.action):
            continue
        tried += 1
        available = np.int64(candidate.available) + 1
        candidate.available = available
        exploration = explore * _compute_growth(available)
        score = stats[child, MEAN] + (exploration + BIAS * stats[child, PRIOR]) * stats[child, WIDTH]
        if score > best_score:
            best, best_score = child, score
    if grow == 0:
        return best
    exploration = explore * _compute_growth(np.int64(parent.child_visits))
    if tried > 0 and best_score > _score_untried(parent, exploration):
        return best
    # At the root the same actions are legal in all worlds. At other nodes this world may allow untried ones.
    if tried == np.int64(parent.legal_count) and (node == 0 or random_below(rng, _RECOUNT) > 0):
        return best
    needed = dispatch.bound(s)
    if needed > len(actions):
        tree.allocator[NEEDED_LENGTH] = needed
        return _NO_ROOM
    n = dispatch.legal(s, actions)
    if tried == n:
        parent.legal_count = n
        return best
    write_priors(s, actions, n, weights, priors)
    for child in range(first, first + size):
        action = np.int64(nodes[child].action)
        for i in range(n):
            if actions[i] == action:
                priors[i] = -np.inf  # tried
                break
    chosen = _draw_best(priors, n, rng)
    child = add_child(tree, node, actions[chosen], dispatch.to_move(s), priors[chosen])
    parent.next_prior = priors[chosen]
    if child < 0:
        return _NO_ROOM
    nodes[child].available = 1
    return child


@jitable_no_alloc
def _draw_best(priors: Priors, n: int, rng: Rng) -> int:
    """Return the index of the highest of the first n priors, a random one if several are equal; n is at least 1."""
    best, equal = 0, 0
    for i in range(n):
        if equal == 0 or priors[i] > priors[best]:
            best, equal = i, 1
        elif priors[i] == priors[best]:
            equal += 1
    k = random_below(rng, equal)
    for i in range(best, n):
        if priors[i] == priors[best]:
            if k == 0:
                return i
            k -= 1
    return best  # not reachable: k is below the count
