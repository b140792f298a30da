"""The memory of a tree search: nodes in one array, the children of a node side by side.

A simulation adds at most one node. The children of a node lie in a block that doubles when it is full; what it leaves
is kept in lists of free blocks by size. So a simulation costs about one node of memory, however many moves there are,
and looking for the best child reads memory in order. What that reading needs stands apart from the rest, in `rates`.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fourcorners.core.jit import jitable, kernel

NODE = np.dtype(
    [
        ("action", np.int64),
        ("won", np.float64),  # summed shares of the win of the seat that chose the action
        ("margin", np.float64),  # summed margins of that seat
        ("total", np.float64),  # summed rewards of the seat that chose among the children
        ("visits", np.int32),
        ("tries", np.int32),  # how often a child was chosen
        ("available", np.int32),  # in how many simulations the action was there to choose
        ("seat", np.int16),  # that chose the action
        ("solved", np.int16),  # whether the outcome is known for certain
        ("first", np.int32),  # where the block of children begins
        ("filled", np.int32),  # how many there are ("size" would be numpy's own)
        ("room", np.int32),  # how many the block holds, a power of two; 0: no block
        ("fan", np.int32),  # how many legal actions there are; -1: not counted yet
        ("hope", np.float64),  # the prior of the action to be tried next
        ("salt", np.int64),  # varies the order in which actions are tried; stays when the node is moved
    ],
    align=True,
)
Nodes = NDArray[np.void]
Rates = NDArray[np.float64]
"""For every node the mean reward of the seat that chose its action, 1 over the square root of its visits, its prior."""
Proofs = NDArray[np.int64]
"""For every solved node the points that every seat will have; after those bounds of the margin of seat 0's party."""
LOW, HIGH = 0, 1
"""The columns of the bounds, counted from the number of seats."""
UNBOUNDED = 1 << 40
GIVEN_UP = -1e9
"""The prior of a child that cannot be better than the best of its siblings, and is not to be chosen again."""
Heap = NDArray[np.int64]
"""Word 0: the number of nodes used; word 1: the buffer length that was missing; word 2 + k: a free block of 2**k."""

USED, WANTED, _BLOCKS = 0, 1, 2
_SIZES = 32


def new_heap() -> Heap:
    """Return the book-keeping of an array in which only the root, node 0, is used."""
    heap = np.full(_BLOCKS + _SIZES, -1, np.int64)
    heap[USED] = 1
    heap[WANTED] = 0
    return heap


class Tree(NamedTuple):
    """The arrays of a tree, side by side."""

    nodes: Nodes
    rates: Rates
    proofs: Proofs

    def grown(self, size: int) -> Tree:
        """Return larger arrays with the same tree."""
        more = new_tree(size, self.proofs.shape[1] - 2)
        for array, larger in zip(self, more, strict=True):
            larger[: len(array)] = array
        return more

    def below(self, node: int, heap: Heap) -> Tree:
        """Return the tree that hangs from a node, its root first, in arrays as large; `heap` is made to fit it."""
        fresh = new_tree(len(self.nodes), self.proofs.shape[1] - 2)
        heap[:] = new_heap()
        _copy_below(*self, node, *fresh, heap)
        return fresh


def new_tree(size: int, seats: int) -> Tree:
    """Return arrays with a fresh root."""
    nodes = np.zeros(size, NODE)
    nodes[0]["fan"] = -1
    nodes[0]["seat"] = -1
    proofs = np.zeros((size, seats + 2), np.int64)
    proofs[0, seats + LOW], proofs[0, seats + HIGH] = -UNBOUNDED, UNBOUNDED
    return Tree(nodes, np.zeros((size, 3), np.float64), proofs)


@jitable
def add_child(
    nodes: Nodes, rates: Rates, proofs: Proofs, heap: Heap, parent: int, action: int, seat: int, prior: float
) -> int:
    """Append a child without visits; return its index, or -1 if the array is too small."""
    node: Any = nodes[parent]
    size = np.int64(node.filled)
    if size == np.int64(node.room):
        room = max(1, 2 * size)
        block = _take_block(nodes, heap, room)
        if block < 0:
            return -1
        old = np.int64(node.first)
        for i in range(size):
            nodes[block + i] = nodes[old + i]
            rates[block + i, 0] = rates[old + i, 0]
            rates[block + i, 1] = rates[old + i, 1]
            rates[block + i, 2] = rates[old + i, 2]
            proofs[block + i] = proofs[old + i]
        if size > 0:
            _give_block(nodes, heap, old, size)
        node.first = block
        node.room = room
    index = np.int64(node.first) + size
    child: Any = nodes[index]
    child.action = action
    child.won = 0.0
    child.margin = 0.0
    child.total = 0.0
    child.visits = 0
    child.tries = 0
    child.available = 0
    child.seat = seat
    child.solved = 0
    child.first = 0
    child.filled = 0
    child.room = 0
    child.fan = -1
    child.hope = 0.0
    child.salt = index
    rates[index, 0] = 0.0
    rates[index, 1] = 0.0
    rates[index, 2] = prior
    last = proofs.shape[1]
    proofs[index, last - 2], proofs[index, last - 1] = -UNBOUNDED, UNBOUNDED
    node.filled = size + 1
    return index


@jitable
def _log2(size: int) -> int:
    k = 0
    while size > 1:
        size >>= 1
        k += 1
    return k


@jitable
def _take_block(nodes: Nodes, heap: Heap, room: int) -> int:
    k = _BLOCKS + _log2(room)
    block = np.int64(heap[k])
    if block >= 0:
        # A free block keeps the index of the next one in the action of its first node.
        heap[k] = nodes[block].action
        return block
    block = np.int64(heap[USED])
    if block + room > len(nodes):
        return -1
    heap[USED] = block + room
    return block


@jitable
def _give_block(nodes: Nodes, heap: Heap, block: int, room: int) -> None:
    k = _BLOCKS + _log2(room)
    freed: Any = nodes[block]
    freed.action = heap[k]
    heap[k] = block


@kernel
def _copy_below(
    nodes: Nodes,
    rates: Rates,
    proofs: Proofs,
    node: int,
    to_nodes: Nodes,
    to_rates: Rates,
    to_proofs: Proofs,
    heap: Heap,
) -> None:
    to_nodes[0] = nodes[node]
    to_rates[0] = rates[node]
    to_proofs[0] = proofs[node]
    done, used = 0, 1
    while done < used:
        parent: Any = to_nodes[done]
        room = np.int64(parent.room)
        # What lies between the children and the end of their block has no children itself.
        if room > 0:
            first = np.int64(parent.first)
            for i in range(np.int64(parent.filled)):
                to_nodes[used + i] = nodes[first + i]
                to_rates[used + i] = rates[first + i]
                to_proofs[used + i] = proofs[first + i]
            parent.first = used
            used += room
        done += 1
    heap[USED] = used


def children(nodes: Nodes, node: int) -> Nodes:
    """Return the children of a node, in the order in which they were added."""
    first, size = int(nodes[node]["first"]), int(nodes[node]["filled"])
    return nodes[first : first + size]


def ranked(tree: Tree, node: int) -> list[int]:
    """Return the children of a node, best first: see `best_first`."""
    first = int(tree.nodes[node]["first"])
    some = children(tree.nodes, node)
    means = tree.rates[first : first + len(some), 0]
    given = some["action"], some["visits"], means, some["solved"] != 0, beaten(tree, node)
    return [first + i for i in best_first(*given)]


def beaten(tree: Tree, node: int) -> NDArray[np.bool_]:
    """Tell which children of a node were given up: they may have been visited most, before it was known."""
    first = int(tree.nodes[node]["first"])
    unsolved = children(tree.nodes, node)["solved"] == 0
    given_up = tree.rates[first : first + len(unsolved), 2] <= GIVEN_UP
    return np.asarray(unsolved & (given_up | (tree.nodes[node]["solved"] != 0)))


def best_first(
    actions: NDArray[np.int64],
    visits: NDArray[Any],
    means: NDArray[np.float64],
    solved: NDArray[np.bool_],
    lost: NDArray[np.bool_],
) -> list[int]:
    """Order moves: by visits, then mean, then action; solved ones by worth, then visits; lost ones, given up, last.

    A solved move that is no worse than the most visited of the others comes before them, any other after them.
    """
    whole = [int(i) for i in np.lexsort((actions, -means, -visits))]
    order = [i for i in whole if not lost[i]]
    by_worth = [int(i) for i in np.lexsort((actions, -visits, -means)) if solved[i]]
    others = [i for i in order if not solved[i]]
    expected = means[others[0]] if others else -np.inf
    best = [i for i in by_worth if means[i] >= expected]
    return [*best, *others, *by_worth[len(best) :], *(i for i in whole if lost[i])]


def principal_line(tree: Tree, longest: int) -> list[int]:
    """Return the actions of the best children, from the root down."""
    line: list[int] = []
    node = 0
    while len(line) < longest and tree.nodes[node]["filled"] > 0:
        node = ranked(tree, node)[0]
        line.append(int(tree.nodes[node]["action"]))
    return line
