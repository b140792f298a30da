"""The memory of a tree search: nodes in one array, the children of a node side by side.

A simulation adds at most one node. The children of a node lie in a block that doubles when it is full; what it leaves
is kept in lists of free blocks by size. So a simulation costs about one node of memory, however many moves there are,
and looking for the best child reads memory in order. What that reading needs stands apart from the rest, in `rates`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from fourcorners.core.jit import jitable
from fourcorners.core.kernel import Actions

NODE = np.dtype(
    [
        ("action", np.int64),
        ("won", np.float64),  # summed shares of the win of the seat that chose the action
        ("margin", np.float64),  # summed margins of that seat
        ("total", np.float64),  # summed rewards of the seat that chose among the children
        ("visits", np.int32),
        ("tries", np.int32),  # how often a child was chosen
        ("available", np.int32),  # in how many simulations the action was there to choose
        ("seat", np.int32),  # that chose the action
        ("first", np.int32),  # where the block of children begins
        ("size", np.int32),  # how many there are
        ("room", np.int32),  # how many the block holds, a power of two; 0: no block
        ("fan", np.int32),  # how many legal actions there are; -1: not counted yet
    ]
)
Nodes = NDArray[np.void]
Rates = NDArray[np.float64]
"""For every node the mean reward of the seat that chose its action, and 1 over the square root of its visits."""
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


def new_nodes(size: int) -> tuple[Nodes, Rates]:
    """Return an array of nodes with a fresh root, and their rates."""
    nodes = np.zeros(size, NODE)
    nodes[0]["fan"] = -1
    nodes[0]["seat"] = -1
    return nodes, np.zeros((size, 2), np.float64)


def grown(nodes: Nodes, rates: Rates, size: int) -> tuple[Nodes, Rates]:
    """Return larger arrays with the same tree."""
    more_nodes, more_rates = new_nodes(size)
    more_nodes[: len(nodes)] = nodes
    more_rates[: len(rates)] = rates
    return more_nodes, more_rates


@jitable
def add_child(nodes: Nodes, rates: Rates, heap: Heap, parent: int, action: int, seat: int) -> int:
    """Append a child without visits; return its index, or -1 if the array is too small."""
    node: Any = nodes[parent]
    size = np.int64(node.size)
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
    child.first = 0
    child.size = 0
    child.room = 0
    child.fan = -1
    node.size = size + 1
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


def children(nodes: Nodes, node: int) -> Nodes:
    """Return the children of a node, in the order in which they were added."""
    first, size = int(nodes[node]["first"]), int(nodes[node]["size"])
    return nodes[first : first + size]


def best_child(nodes: Nodes, rates: Rates, node: int) -> int:
    """Return the child with the most visits (then the highest mean, then the lowest action); -1 without children."""
    first = int(nodes[node]["first"])
    some = children(nodes, node)
    if not len(some):
        return -1
    means = rates[first : first + len(some), 0]
    return first + int(np.lexsort((some["action"], -means, -some["visits"]))[0])


def principal_line(nodes: Nodes, rates: Rates, longest: int) -> list[int]:
    """Return the actions of the most visited children, from the root down."""
    line: list[int] = []
    node = best_child(nodes, rates, 0)
    while node >= 0 and len(line) < longest:
        line.append(int(nodes[node]["action"]))
        node = best_child(nodes, rates, node)
    return line


def root_visits(nodes: Nodes) -> tuple[Actions, Actions]:
    """Return the actions tried at the root and how often each was."""
    some = children(nodes, 0)
    return some["action"].astype(np.int64), some["visits"].astype(np.int64)
