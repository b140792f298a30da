"""A plain alpha-beta search over the nodes of Square Off, which checks what the nodes promise."""

from typing import Any, NamedTuple

import numpy as np

import fourcorners as fc
from fourcorners.builtin.square_off.exact import margin
from fourcorners.core.arrays import Actions, States
from fourcorners.core.jit import kernel
from fourcorners.solvers.margin_protocol import GAIN, LINK_COLUMNS, OTHER, TURN, Links

Key = tuple[int, int]
HUGE = 99
"""More than any margin on the boards of these tests, and a value that unset memory is filled with."""


@kernel
def expand_node(boards: States, nodes: States, codes: Actions, children: States, links: Links, keys: Any) -> int:
    """Write codes, children, links and children's keys of all moves of `nodes[0]`, by row; return the number of moves.
    `boards` and `nodes` have one element; the other arrays have `most_links` rows or more.
    """
    n = margin.moves(boards[0], nodes[0], codes)
    for i in range(n):
        margin.follow(boards[0], nodes[0], codes[i], children[i], links[i])
        keys[i, 0], keys[i, 1] = margin.key(boards[0], children[i])
    return n


def enter(position: fc.Position) -> tuple[States, States]:
    """Return arrays of one board and one root node for a position; raise SolverLimit if it does not fit."""
    options: Any = position.game.options
    return margin.enter(options, position.record)


def get_bounds(node: States) -> tuple[int, int]:
    return int(node[0]["low"]), int(node[0]["high"])


class Link(NamedTuple):
    """What a move gains, and the node that it leads to."""

    gain: int
    child: States
    key: Key


class Search:
    """An alpha-beta search from one position; `nodes` counts the nodes that it expands."""

    def __init__(self, position: fc.Position) -> None:
        """Enter a position, which does not change, and allocate memory; raise SolverLimit if it does not fit."""
        self.boards, self.root = enter(position)
        self.table: dict[Key, tuple[int, int]] = {}
        self.nodes = 0
        self.max_links = int(self.boards[0]["most_links"])
        self.max_plies = int(self.boards[0]["most_plies"])
        self.codes = np.zeros(self.max_links, np.int64)
        self.children = np.zeros(self.max_links, margin.NODE)
        self.links = np.zeros((self.max_links, LINK_COLUMNS), np.int64)
        self.keys = np.zeros((self.max_links, 2), np.uint64)

    def solve(self) -> int:
        """Return the root's value, the margin of all marks to come for the seat to move.
        Assert that it lies within the root's bounds. `table` keeps its entries for later calls.
        """
        low, high = get_bounds(self.root)
        value = self.search(self.root, (0, 0), low, high, 0)
        assert low <= value <= high
        return value

    def expand(self, node: States) -> list[Link]:
        """Return all links of a node, an array of one; assert that each passes the turn and that no code occurs twice.
        The node is counted in `nodes`. The children are copies, which later calls leave alone.
        """
        self.nodes += 1
        # Moves must write everything, so that nothing depends on what the memory held before.
        self.links[:] = HUGE
        self.children.view(np.uint8)[:] = HUGE
        n = expand_node(self.boards, node, self.codes, self.children, self.links, self.keys)
        assert n <= self.max_links
        assert set(self.links[:n, TURN].tolist()) <= {OTHER}
        assert len(set(self.codes[:n].tolist())) == n
        keys = [(int(first), int(second)) for first, second in self.keys[:n]]
        return [Link(int(self.links[i, GAIN]), self.children[i : i + 1].copy(), keys[i]) for i in range(n)]

    def search(self, node: States, key: Key, alpha: int, beta: int, ply: int) -> int:
        """Return the value of a node, an array of one, if it is between alpha and beta, otherwise a bound beyond them.
        Bounds are kept in `table` by key. `ply` is the distance from the root, whose key does not matter.
        """
        low, high = get_bounds(node)
        assert low <= high
        if low == high or low >= beta:
            return low
        if high <= alpha:
            return high
        lower, upper = self.table.get(key, (low, high)) if ply else (low, high)
        if lower >= beta or lower == upper:
            return lower
        if upper <= alpha:
            return upper
        assert ply < self.max_plies
        best = -HUGE
        for gain, child, child_key in self.expand(node):
            floor = max(alpha, best)
            best = max(best, gain - self.search(child, child_key, gain - beta, gain - floor, ply + 1))
            if best >= beta:
                break
        # Whether `best` is the value, a lower bound from beta on or an upper bound up to alpha: the node's bounds hold.
        assert low <= best <= high
        self.table[key] = (lower if best <= alpha else best, upper if best >= beta else best)
        return best
