"""The memory of a tree search: nodes in one array, the children of a node side by side.

A simulation adds at most one node. The children of a node lie in a block whose capacity doubles when it is full; the
old block goes to a free list for its size. A simulation thus costs about one node of memory, however many moves there
are, and selection reads memory in order. The fields that selection reads are kept apart, in `Tree.stats`.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fourcorners.core.jit import jitable_no_alloc, kernel

NODE = np.dtype(
    [
        ("action", np.int64),  # the action that leads here
        ("child_rewards", np.float64),  # summed rewards of the seat that chooses among the children
        ("visits", np.int32),
        ("child_visits", np.int32),  # simulations that went on to a child
        ("available", np.int32),  # simulations in which the action was legal (hidden information)
        ("seat", np.int16),  # the seat that chose the action; -1 for the root of a new tree
        ("solved", np.int16),  # 1 if the outcome is proven
        ("first_child", np.int32),  # index where the block of children begins
        ("child_count", np.int32),
        ("capacity", np.int32),  # nodes that the block holds, a power of two; 0: no block
        ("legal_count", np.int32),  # legal actions of the position; -1: not counted yet
        ("next_prior", np.float64),  # the prior of the action that will be tried next
        ("salt", np.int64),  # varies the order in which actions are tried; survives a move to another index
    ],
    align=True,
)
Nodes = NDArray[np.void]
_UNVISITED = np.zeros(1, NODE)
_UNVISITED["legal_count"] = -1
MEAN, WIDTH, PRIOR = 0, 1, 2  # columns of `Tree.stats`
LOW, HIGH = 0, 1  # columns of the margin bounds in `Tree.proofs`, counted from the number of seats
UNBOUNDED = 1 << 40  # the bounds of a node without proofs: -UNBOUNDED and UNBOUNDED
PRUNED = -1e9  # the prior of a child that cannot beat the best of its siblings: selection never chooses it again
USED, NEEDED_LENGTH, _FREE = 0, 1, 2  # words of `Tree.allocator`
_SIZES = 32


class Tree(NamedTuple):
    """A search tree in arrays with room for N nodes; node 0 is the root.

    - `nodes`: (N,) of `NODE`.
    - `stats`: (N, 3) float64, of nodes below the root. MEAN is the mean reward of the seat that chose the node's action
      (the proven one when solved), WIDTH is 1 over the square root of its visits (0 when solved or unvisited), PRIOR is
      the game's prior, or PRUNED.
    - `proofs`: (N, seats + 2) int64. The points that every seat will have if the node is solved, then the lower and
      the upper bound of the margin of seat 0's party.
    - `sums`: (N, 2 * seats) float64, over all visits: the share of the win of each seat, then the margin of each.
    - `allocator`: (34,) int64. USED is the index after the last block. NEEDED_LENGTH is what the search's action buffer
      must hold after it was too short. Word 2 + k is the index of the first free block of 2**k nodes, or -1.
    """

    nodes: Nodes
    stats: NDArray[np.float64]
    proofs: NDArray[np.int64]
    sums: NDArray[np.float64]
    allocator: NDArray[np.int64]

    def grow(self, size: int) -> Tree:
        """Return a copy with room for `size` nodes, at least as many as now."""
        larger = create_tree(size, self.proofs.shape[1] - 2)
        for old, new in zip(self, larger, strict=True):
            new[: len(old)] = old
        return larger

    def extract_subtree(self, node: int) -> Tree:
        """Return a copy of the subtree from the node with index `node`, with as much room; this keeps `seat`."""
        subtree = create_tree(len(self.nodes), self.proofs.shape[1] - 2)
        _copy_subtree(self, node, subtree)
        return subtree


def create_tree(size: int, seats: int) -> Tree:
    """Return a tree with an unvisited root alone, and room for `size` nodes (1 or more), for `seats` seats."""
    nodes = np.zeros(size, NODE)
    nodes[0] = _UNVISITED[0]
    nodes[0]["seat"] = -1
    proofs = np.zeros((size, seats + 2), np.int64)
    proofs[0, seats + LOW], proofs[0, seats + HIGH] = -UNBOUNDED, UNBOUNDED
    allocator = np.full(_FREE + _SIZES, -1, np.int64)
    allocator[USED], allocator[NEEDED_LENGTH] = 1, 0
    return Tree(nodes, np.zeros((size, 3), np.float64), proofs, np.zeros((size, 2 * seats), np.float64), allocator)


@jitable_no_alloc
def add_child(tree: Tree, parent: int, action: int, seat: int, prior: float) -> int:
    """Append an unvisited child, to which `seat` plays `action`; return its index, -1 if the tree has no room.

    If the block of children is full, this moves them to a larger one: their indices change. Without room, nothing does.
    """
    nodes, stats, proofs, sums = tree.nodes, tree.stats, tree.proofs, tree.sums
    node: Any = nodes[parent]
    size = np.int64(node.child_count)
    if size == np.int64(node.capacity):
        capacity = max(1, 2 * size)
        block = _allocate_block(tree, capacity)
        if block < 0:
            return -1
        old = np.int64(node.first_child)
        for i in range(size):
            nodes[block + i] = nodes[old + i]
            stats[block + i, MEAN] = stats[old + i, MEAN]
            stats[block + i, WIDTH] = stats[old + i, WIDTH]
            stats[block + i, PRIOR] = stats[old + i, PRIOR]
            for column in range(proofs.shape[1]):
                proofs[block + i, column] = proofs[old + i, column]
            for column in range(sums.shape[1]):
                sums[block + i, column] = sums[old + i, column]
        if size > 0:
            _free_block(tree, old, size)
        node.first_child, node.capacity = block, capacity
    index = np.int64(node.first_child) + size
    nodes[index] = _UNVISITED[0]
    child: Any = nodes[index]
    child.action, child.seat, child.salt = action, seat, index
    stats[index, MEAN], stats[index, WIDTH], stats[index, PRIOR] = 0.0, 0.0, prior
    for column in range(sums.shape[1]):
        sums[index, column] = 0.0
    last = proofs.shape[1]
    proofs[index, last - 2], proofs[index, last - 1] = -UNBOUNDED, UNBOUNDED
    node.child_count = size + 1
    return index


@jitable_no_alloc
def _find_free_list(capacity: int) -> int:
    """Return the word of `Tree.allocator` for free blocks of this capacity, a power of two."""
    k = _FREE
    while capacity > 1:
        capacity >>= 1
        k += 1
    return k


@jitable_no_alloc
def _allocate_block(tree: Tree, capacity: int) -> int:
    """Take a block for `capacity` nodes, a power of two; return the index of its first node, -1 if there is no room."""
    allocator = tree.allocator
    k = _find_free_list(capacity)
    block = np.int64(allocator[k])
    if block >= 0:
        # A free block keeps the index of the next one of its size in the action of its first node.
        allocator[k] = tree.nodes[block].action
        return block
    block = np.int64(allocator[USED])
    if block + capacity > len(tree.nodes):
        return -1
    allocator[USED] = block + capacity
    return block


@jitable_no_alloc
def _free_block(tree: Tree, block: int, capacity: int) -> None:
    """Put the block of `capacity` nodes, a power of two, at index `block` on its free list, in its first node."""
    k = _find_free_list(capacity)
    freed: Any = tree.nodes[block]
    freed.action = tree.allocator[k]
    tree.allocator[k] = block


@kernel
def _copy_subtree(source: Tree, node: int, target: Tree) -> None:
    """Copy the subtree from `node` down, breadth first and block by block, into `target`, new and with as much room."""
    target.nodes[0] = source.nodes[node]
    target.stats[0] = source.stats[node]
    target.proofs[0] = source.proofs[node]
    target.sums[0] = source.sums[node]
    done, used = 0, 1
    while done < used:
        parent: Any = target.nodes[done]
        capacity = np.int64(parent.capacity)
        # The unused end of a block was zeroed with the target, so it reads as nodes without children.
        if capacity > 0:
            first = np.int64(parent.first_child)
            for i in range(np.int64(parent.child_count)):
                target.nodes[used + i] = source.nodes[first + i]
                target.stats[used + i] = source.stats[first + i]
                target.proofs[used + i] = source.proofs[first + i]
                target.sums[used + i] = source.sums[first + i]
            parent.first_child = used
            used += capacity
        done += 1
    target.allocator[USED] = used


def get_children(tree: Tree, node: int) -> Nodes:
    """Return a view, (children,) of NODE, of a node's children in the order in which they were added."""
    first, size = int(tree.nodes[node]["first_child"]), int(tree.nodes[node]["child_count"])
    return tree.nodes[first : first + size]


def rank_children(tree: Tree, node: int) -> list[int]:
    """Return the indices of a node's children, best first (see `order_actions`); none for a node without children."""
    first = int(tree.nodes[node]["first_child"])
    children = get_children(tree, node)
    means = tree.stats[first : first + len(children), MEAN]
    solved, pruned = children["solved"] != 0, find_pruned(tree, node)
    return [first + i for i in order_actions(children["action"], children["visits"], means, solved, pruned)]


def find_pruned(tree: Tree, node: int) -> NDArray[np.bool_]:
    """Return a mask of the unsolved children that need no search: those PRUNED, or all if the node itself is solved."""
    first = int(tree.nodes[node]["first_child"])
    unsolved = get_children(tree, node)["solved"] == 0
    pruned = tree.stats[first : first + len(unsolved), PRIOR] <= PRUNED
    return np.asarray(unsolved & (pruned | (tree.nodes[node]["solved"] != 0)))


def order_actions(
    actions: NDArray[np.int64],
    visits: NDArray[Any],
    means: NDArray[np.float64],
    solved: NDArray[np.bool_],
    pruned: NDArray[np.bool_],
) -> list[int]:
    """Return the indices of some actions, best first; all arguments have one entry for each action.

    Unsolved actions are ordered by visits, then mean, then code; solved ones by mean, then visits, then code, before
    the unsolved if their mean is at least that of the first unsolved one, else after. Most visits, the highest mean and
    the lowest code come first. Pruned actions, none of which may be solved, come last, ordered like unsolved ones.
    """
    by_visits = [int(i) for i in np.lexsort((actions, -means, -visits))]
    by_mean = [int(i) for i in np.lexsort((actions, -visits, -means)) if solved[i]]
    unsolved = [i for i in by_visits if not pruned[i] and not solved[i]]
    expected = means[unsolved[0]] if unsolved else -np.inf
    best = [i for i in by_mean if means[i] >= expected]
    return [*best, *unsolved, *by_mean[len(best) :], *(i for i in by_visits if pruned[i])]


def find_principal_variation(tree: Tree, limit: int, first: int | None = None) -> list[int]:
    """Return the actions of the best children from the root down, `limit` of them at most; none from an empty tree.

    The line begins with the action `first` of the root instead, if one is given; it must have been tried.
    """
    line: list[int] = []
    node = 0
    if first is not None:
        tried = [int(code) for code in get_children(tree, 0)["action"]]
        node, line = int(tree.nodes[0]["first_child"]) + tried.index(first), [first]
    while len(line) < limit and tree.nodes[node]["child_count"] > 0:
        node = rank_children(tree, node)[0]
        line.append(int(tree.nodes[node]["action"]))
    return line
