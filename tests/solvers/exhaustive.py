"""Exact values by exhaustive search: max^n over the slow reference games, and minimax over the nodes of exact play."""

import pickle
from typing import Any

import numpy as np

import fourcorners as fc
from fourcorners.core.arrays import Actions, States
from fourcorners.core.jit import kernel, rare
from fourcorners.solvers import margin_protocol
from tests.reference import Game

Parties = tuple[tuple[int, ...], ...]
Payoffs = tuple[int, ...]
# Fields of the references that do not change during a game, or say nothing about the position.
_STATIC = {"used", "reasons", "edges", "place", "squares", "squares_of", "cells"}


def freeze(value: Any) -> Any:
    """Return a value that can be hashed, equal for equal values, of dicts, lists and sets in dicts and lists."""
    if isinstance(value, dict):
        return frozenset((key, freeze(inner)) for key, inner in value.items())
    if isinstance(value, set):
        return frozenset(value)
    return tuple(map(freeze, value)) if isinstance(value, list) else value


def play_copy(reference: Game, move: str) -> Game:
    """Return a copy of the position after a move that the reference accepts; `reference` stays as it is."""
    copy: Game = pickle.loads(pickle.dumps(reference))
    copy.play(move)
    return copy


def compute_payoffs(points: tuple[int, ...], parties: Parties) -> Payoffs:
    """Return each party's points minus those of the best other party, in the order of `parties`; `points` by seat."""
    own = [points[seats[0]] for seats in parties]
    return tuple(value - max(own[:i] + own[i + 1 :]) for i, value in enumerate(own))


class TooManyPositionsError(Exception):
    """A search has met more positions than it may."""


class ExhaustiveSearch:
    """Max^n without pruning over reference games; it remembers the payoffs of every position it has met."""

    def __init__(self, parties: Parties, max_positions: int = 1 << 20) -> None:
        """Set up an empty memory; `parties` has the seats of every party.

        `solve` raises at about `max_positions`, in all calls together.
        """
        self.max_positions = max_positions
        self.parties = parties
        self.seats = {seat: party for party, seats in enumerate(parties) for seat in seats}
        self.known: dict[Any, Payoffs] = {}

    def list_parties_from(self, seat: int) -> list[int]:
        """Return the parties in the order of play, beginning with that of a seat."""
        order = [(seat + step) % len(self.seats) for step in range(len(self.seats))]
        return list(dict.fromkeys(self.seats[number] for number in order))

    def solve(self, reference: Game) -> Payoffs:
        """Return every party's payoff at the end, and remember it for the positions met.

        All calls must be for one game, its options and one deck. Raise TooManyPositionsError if there are too many;
        what was found until then is kept.
        """
        key = freeze({name: value for name, value in vars(reference).items() if name not in _STATIC})
        if key not in self.known:
            if len(self.known) >= self.max_positions:
                raise TooManyPositionsError
            self.known[key] = self._search(reference)
        return self.known[key]

    def _search(self, reference: Game) -> Payoffs:
        """Return the payoffs of the best move for the seat to move, or of a game that is over; raise as `solve` does.

        Among moves equal for its party the next party in the order of play decides, and so on.
        """
        seat = reference.seat
        if seat is None:
            return compute_payoffs(reference.scores, self.parties)
        order = self.list_parties_from(seat)
        found = [self.solve(play_copy(reference, move)) for move in reference.moves()]
        return max(found, key=lambda payoffs: [payoffs[party] for party in order])


@rare
@kernel
def _limits(boards: States, nodes: States, i: int) -> tuple[int, int]:
    return margin_protocol.limits(boards[0], nodes[i])


@rare
@kernel
def _key(boards: States, nodes: States, i: int) -> tuple[np.uint64, np.uint64]:
    return margin_protocol.key(boards[0], nodes[i])


@rare
@kernel
def _expand(
    boards: States, nodes: States, i: int, moves: Actions, children: States, links: margin_protocol.Links
) -> int:
    """Write the moves, children and links of node i, each from index 0 on; return how many, -1 if `moves` is short.

    `children` and `links` must be as long as `moves`.
    """
    n = margin_protocol.moves(boards[0], nodes[i], moves)
    for k in range(n):
        children[k] = nodes[i]
        margin_protocol.follow(boards[0], nodes[i], moves[k], children[k], links[k])
    return n


class NodeTree:
    """The nodes of a position as a game's exact play defines them; every node is an array of one record."""

    def __init__(self, module: Any, position: fc.Position) -> None:
        """Set up the root; `module` has `NODE` and an `enter` (see `margin_protocol`) that may raise SolverLimit."""
        self.module = module
        self.boards, self.root = module.enter(position.game.options, position.record)
        self.known: dict[tuple[int, int], int] = {}

    def limits(self, node: States) -> tuple[int, int]:
        """Return the lower and the upper bound of a node, (1,), that are known without search."""
        low, high = _limits(self.boards, node, 0)
        return int(low), int(high)

    def key(self, node: States) -> tuple[int, int]:
        """Return the two words of a node's key."""
        first, second = _key(self.boards, node, 0)
        return int(first), int(second)

    def expand(self, node: States) -> tuple[States, margin_protocol.Links]:
        """Return the children of a node, (n,), and the links to them, (n, 2), in the same order; assert that n > 0."""
        limit = int(self.boards[0]["most_links"])
        children, links = np.zeros(limit, self.module.NODE), np.zeros((limit, margin_protocol.LINK_COLUMNS), np.int64)
        n = _expand(self.boards, node, 0, np.zeros(limit, np.int64), children, links)
        assert 0 < n <= limit
        return children[:n], links[:n]

    def solve(self, node: States) -> int:
        """Return the value of a node, (1,), by minimax, and assert that it lies within the node's limits.

        The same holds below it, except that equal limits are believed. TURN of every link must be SAME or OTHER.
        """
        low, high = self.limits(node)
        if low == high:
            return low
        key = self.key(node)
        if key not in self.known:
            children, links = self.expand(node)
            values = [
                int(gain) + (self.solve(children[i : i + 1]) * (1 if turn == margin_protocol.SAME else -1))
                for i, (gain, turn) in enumerate(links)
            ]
            self.known[key] = max(values)
        assert low <= self.known[key] <= high
        return self.known[key]
