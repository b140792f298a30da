"""Compiled parts of a search of many trees, whose leaves a program evaluates.

A tree is a row of the arrays of `Forest`. Its nodes are numbered from 0, the root, in the order in which they were
added, and the edges of a node, one for each action that it knows, lie side by side. With hidden information each
simulation deals another world, so a node stands for all worlds in which the actions that lead to it were legal.
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fourcorners.core import dispatch, encoding
from fourcorners.core.arrays import Actions, State, States
from fourcorners.core.bits import ZERO, random_below
from fourcorners.core.jit import jitable_no_alloc, kernel_no_alloc
from fourcorners.envs.rewards import WIN, write_rewards

_ANEW = 8  # with hidden information, 1 in 8 visits evaluates a node anew: other worlds have other actions and values


class Forest(NamedTuple):
    """T trees with room for N nodes and E edges each; a path has room for P nodes."""

    roots: States
    """(T,): the root of each tree, without what the seat to move there may not know."""
    leaves: States
    """(T,): the position that the last simulation has reached."""
    rngs: NDArray[np.uint64]
    parties: NDArray[np.int64]
    """(seats,): the party of each seat."""
    left: NDArray[np.int64]
    """(T,): the simulations that are still to run; of a tree without its root's edges, one more."""
    sizes: NDArray[np.int64]
    """(T, 2): the number of nodes and edges."""
    visits: NDArray[np.int32]
    """(T, N)"""
    totals: NDArray[np.float64]
    """(T, N, seats): the sums of the values of all visits."""
    edges: NDArray[np.int64]
    """(T, N, 2): the first edge of each node, and how many there are."""
    actions: Actions
    """(T, E)"""
    priors: NDArray[np.float32]
    """(T, E)"""
    children: NDArray[np.int32]
    """(T, E): the node behind each edge, 0 if there is none yet."""
    paths: NDArray[np.int32]
    """(T, P): the nodes of the last simulation."""
    depths: NDArray[np.int64]
    """(T,): the index of the last node in each path."""
    points: NDArray[np.int64]
    """(MAX_SEATS,): work space."""
    values: NDArray[np.float32]
    """(seats,): work space."""


@kernel_no_alloc
def descend(forest: Forest, exploration: float, hides: int, rows: NDArray[np.int64]) -> int:
    """Run simulations in each tree until one reaches a leaf to evaluate, or none is left.

    Write the trees that wait for an evaluation into `rows`, (T,), and return their number. `hides` is 1 for a game with
    hidden information, else 0.
    """
    count = 0
    for i in range(len(forest.roots)):
        while forest.left[i] > 0:
            forest.left[i] -= 1
            if _descend(forest, i, exploration, hides):
                rows[count] = i
                count += 1
                break
            s = forest.leaves[i]
            dispatch.points(s, forest.points)
            parties = 1
            for party in forest.parties:
                parties = max(parties, party + 1)
            write_rewards(forest.points, forest.parties, parties, WIN, forest.values)
            _back_up(forest, i, forest.values)
    return count


@jitable_no_alloc
def _descend(forest: Forest, i: int, exploration: float, hides: int) -> bool:
    """Go down tree i from the root; return whether that ends at a leaf to evaluate, and not with the game."""
    forest.leaves[i] = forest.roots[i]
    s = forest.leaves[i]
    if hides != 0:
        dispatch.deal(s, forest.rngs[i : i + 1])
    node, depth = 0, 0
    forest.paths[i, 0] = 0
    while not dispatch.is_over(s):
        forest.depths[i] = depth
        edge = _select(forest, i, node, s, exploration, hides)
        if edge < 0:
            return True
        dispatch.play(s, forest.actions[i, edge])
        if forest.children[i, edge] == 0:
            forest.children[i, edge] = forest.sizes[i, 0]
            forest.sizes[i, 0] += 1
        node, depth = np.int64(forest.children[i, edge]), depth + 1
        forest.paths[i, depth] = node
    forest.depths[i] = depth
    return False


@jitable_no_alloc
def _select(forest: Forest, i: int, node: int, s: State, exploration: float, hides: int) -> int:
    """Return the most promising edge of a node, or -1 if the node must be evaluated first.

    A child's score is its mean value for the seat to move and, the fewer its visits, a bonus for its prior (PUCT,
    Rosin 2011); an edge without a child counts as if it had the value of the node.
    """
    first, size = forest.edges[i, node, 0], forest.edges[i, node, 1]
    seat = dispatch.to_move(s)
    mean = forest.totals[i, node, seat] / max(1, forest.visits[i, node])
    bonus = exploration * math.sqrt(float(max(1, forest.visits[i, node])))
    if hides != 0 and node > 0 and random_below(forest.rngs[i : i + 1], _ANEW) == 0:
        return -1
    best, best_score = -1, -np.inf
    # A loop over slices from 0 is faster: see `kernels`.
    children, priors = forest.children[i, first : first + size], forest.priors[i, first : first + size]
    for k in range(size):
        if hides != 0 and not dispatch.can_play(s, forest.actions[i, first + k]):
            continue
        child = np.uint64(children[k])
        visits = 0 if child == ZERO else np.int64(forest.visits[i, child])
        value = mean if visits == 0 else forest.totals[i, child, seat] / visits
        score = value + bonus * priors[k] / (1 + visits)
        if score > best_score:
            best, best_score = first + k, score
    return best


@jitable_no_alloc
def _back_up(forest: Forest, i: int, values: NDArray[np.float32]) -> None:
    """Add the values of the last simulation, by seat, to all nodes of its path."""
    for depth in range(forest.depths[i] + 1):
        node = np.int64(forest.paths[i, depth])
        forest.visits[i, node] += 1
        for seat in range(len(values)):
            forest.totals[i, node, seat] += values[seat]


@kernel_no_alloc
def find_most_legal(forest: Forest, rows: NDArray[np.int64]) -> int:
    """Return a number that the legal actions of all leaves of these trees together do not exceed."""
    total = 0
    for i in rows:
        total += dispatch.bound(forest.leaves[i])
    return total


@kernel_no_alloc
def list_legal(
    forest: Forest, rows: NDArray[np.int64], actions: Actions, indices: Actions, offsets: NDArray[np.int64]
) -> None:
    """Write the legal actions of the leaves of these trees that have an index, and the indices, one list after another.

    `offsets`, (rows + 1,), gets where each list begins, and where the last one ends.
    """
    n = 0
    for row in range(len(rows)):
        offsets[row] = n
        s = forest.leaves[rows[row]]
        for k in range(n, n + dispatch.legal(s, actions[n:])):
            index = encoding.index_action(s, actions[k])
            if index >= 0:
                actions[n], indices[n] = actions[k], index
                n += 1
    offsets[len(rows)] = n


@kernel_no_alloc
def observe(
    forest: Forest, rows: NDArray[np.int64], planes: NDArray[np.float32], masks: NDArray[np.bool_], seats: Actions
) -> None:
    """Write what the seats to move at the leaves of these trees know, and who they are.

    `planes` are (rows, planes, cells), `masks` (rows, count), or (rows, 0) for none, and `seats` (rows,).
    """
    for row in range(len(rows)):
        s = forest.leaves[rows[row]]
        seats[row] = dispatch.to_move(s)
        encoding.write_planes(s, seats[row], planes[row])
        encoding.fill_plane(planes[row], planes.shape[1] - 1, 1.0)
        if masks.shape[1] > 0:
            encoding.mask_actions(s, masks[row])


@kernel_no_alloc
def expand(
    forest: Forest,
    rows: NDArray[np.int64],
    actions: Actions,
    offsets: NDArray[np.int64],
    logits: NDArray[np.float32],
    values: NDArray[np.float32],
) -> None:
    """Give the leaves of these trees an edge for each legal action that they lack, and back up their values.

    `actions` and `logits` are as `list_legal` writes them, `values` (rows, seats). There must be room for the edges.
    """
    for row in range(len(rows)):
        i, low, high = rows[row], offsets[row], offsets[row + 1]
        node = np.int64(forest.paths[i, forest.depths[i]])
        _back_up(forest, i, values[row])
        greatest, total = np.float32(-np.inf), 0.0
        for k in range(low, high):
            greatest = max(greatest, logits[k])
        for k in range(low, high):
            total += math.exp(logits[k] - greatest)
        old, size, first = forest.edges[i, node, 0], forest.edges[i, node, 1], forest.sizes[i, 1]
        end = first
        for edge in range(old, old + size):
            forest.actions[i, end], forest.priors[i, end] = forest.actions[i, edge], forest.priors[i, edge]
            forest.children[i, end] = forest.children[i, edge]
            end += 1
        for k in range(low, high):
            is_known = False
            for edge in range(first, first + size):
                is_known = is_known or forest.actions[i, edge] == actions[k]
            if not is_known:
                forest.actions[i, end], forest.children[i, end] = actions[k], 0
                forest.priors[i, end] = math.exp(logits[k] - greatest) / total
                end += 1
        if end > first + size:
            forest.edges[i, node, 0], forest.edges[i, node, 1] = first, end - first
            forest.sizes[i, 1] = end
