"""The memory of a tree search: nodes in one array, the children of a node side by side.

A node gets one child a simulation. The children of a node lie in a block that doubles when it is full; what it leaves
is kept in lists of free blocks by size. So a simulation costs about one node of memory, however many moves there are,
and looking for the best child reads memory in order.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from fourcorners.core.jit import jitable

if TYPE_CHECKING:
    from fourcorners.core.kernel import Actions

NODE = np.dtype(
    [
        ("action", np.int64),
        ("value", np.float64),  # summed reward of the seat that chose the action
        ("margin", np.float64),  # summed margin of that seat
        ("visits", np.int32),
        ("available", np.int32),  # in how many simulations the action was there to choose
        ("seat", np.int32),
        ("first", np.int32),  # where the block of children begins
        ("size", np.int32),  # how many there are
        ("room", np.int32),  # how many the block holds, a power of two; 0: no block
        ("fan", np.int32),  # how many legal actions there are; -1: not counted yet
        ("pad", np.int32),
    ]
)
Nodes = NDArray[np.void]
Heap = NDArray[np.int64]
"""Word 0: how many nodes of the array are used; word 1 + k: the first free block of 2**k nodes, or -1."""

_SIZES = 32
_SMALLEST = 1


def new_heap() -> Heap:
    """Return the book-keeping of an array in which only the root, node 0, is used."""
    heap = np.full(1 + _SIZES, -1, np.int64)
    heap[0] = 1
    return heap


def new_nodes(size: int) -> Nodes:
    """Return an array of nodes with a fresh root."""
    nodes = np.zeros(size, NODE)
    nodes[0]["fan"] = -1
    nodes[0]["seat"] = -1
    return nodes


@jitable
def add_child(nodes: Nodes, heap: Heap, parent: int, action: int, seat: int) -> int:
    """Append a child without visits; return its index, or -1 if the array is too small."""
    node: Any = nodes[parent]
    size = np.int64(node.size)
    if size == node.room:
        first = _take_block(nodes, heap, 2 * size if size > 0 else _SMALLEST)
        if first < 0:
            return -1
        for i in range(size):
            nodes[first + i] = nodes[node.first + i]
        if size > 0:
            _give_block(nodes, heap, np.int64(node.first), size)
        node.first = first
        node.room = 2 * size if size > 0 else _SMALLEST
    index = np.int64(node.first) + size
    child: Any = nodes[index]
    child.action = action
    child.value = 0.0
    child.margin = 0.0
    child.visits = 0
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
    k = 1 + _log2(room)
    block = heap[k]
    if block >= 0:
        # A free block keeps the index of the next one in the action of its first node.
        heap[k] = nodes[block].action
        return block  # type: ignore[no-any-return]
    block = heap[0]
    if block + room > len(nodes):
        return -1
    heap[0] = block + room
    return block  # type: ignore[no-any-return]


@jitable
def _give_block(nodes: Nodes, heap: Heap, block: int, room: int) -> None:
    k = 1 + _log2(room)
    freed: Any = nodes[block]
    freed.action = heap[k]
    heap[k] = block


@jitable
def best_visited(nodes: Nodes, parent: int) -> int:
    """Return the child with the most visits (then the highest mean, then the lowest action); -1 without children."""
    node: Any = nodes[parent]
    best = -1
    for child in range(node.first, node.first + node.size):
        if best < 0 or nodes[child].visits > nodes[best].visits:
            best = child
        elif nodes[child].visits == nodes[best].visits and nodes[child].visits > 0:
            mean = nodes[child].value / nodes[child].visits
            other = nodes[best].value / nodes[best].visits
            if mean > other or (mean == other and nodes[child].action < nodes[best].action):
                best = child
    return best


def principal_line(nodes: Nodes, longest: int) -> list[int]:
    """Return the indices of the most visited children, from the root down."""
    line = []
    node = 0
    seen = nodes.view(np.recarray)
    while len(line) < longest:
        node = int(best_visited(seen, node))
        if node < 0 or seen[node].visits == 0:
            break
        line.append(node)
    return line


def actions_of(nodes: Nodes) -> Actions:
    """Return the root's actions in the order in which they were added."""
    first, size = int(nodes[0]["first"]), int(nodes[0]["size"])
    return nodes["action"][first : first + size]
