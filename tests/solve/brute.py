"""What a position is worth by trying everything: plain max^n over the slow references, and over a game's nodes."""

import pickle
from typing import Any

import numpy as np

import fourcorners as fc
from fourcorners.core import margin_protocol
from fourcorners.core.dispatch import Actions, States
from fourcorners.core.jit import kernel
from tests.reference import Game

Parties = tuple[tuple[int, ...], ...]
Payoffs = tuple[int, ...]
_STATIC = {"used", "reasons", "edges", "place", "squares", "squares_of", "cells"}


def frozen(value: Any) -> Any:
    if isinstance(value, dict):
        return frozenset((key, frozen(inner)) for key, inner in value.items())
    if isinstance(value, set):
        return frozenset(value)
    return tuple(map(frozen, value)) if isinstance(value, list) else value


def after(reference: Game, move: str) -> Game:
    """The position after a move; the one before stays as it is."""
    new: Game = pickle.loads(pickle.dumps(reference))
    new.play(move)
    return new


def payoffs(points: tuple[int, ...], parties: Parties) -> Payoffs:
    """By party, its points less those of the best other party."""
    own = [points[seats[0]] for seats in parties]
    return tuple(value - max(own[:i] + own[i + 1 :]) for i, value in enumerate(own))


class TooLarge(Exception):  # noqa: N818  # not an error: another position is taken
    """A position has more positions after it than are to be looked into."""


class Brute:
    """The payoffs of every position met, by the parties that win together."""

    def __init__(self, parties: Parties, most: int = 1 << 20) -> None:
        self.most = most
        self.parties = parties
        self.seats = {seat: party for party, seats in enumerate(parties) for seat in seats}
        self.known: dict[Any, Payoffs] = {}

    def order(self, seat: int) -> list[int]:
        """The parties, that of the seat first, then as the seats after it play."""
        around = [(seat + step) % len(self.seats) for step in range(len(self.seats))]
        return list(dict.fromkeys(self.seats[other] for other in around))

    def value(self, reference: Game) -> Payoffs:
        key = frozen({name: value for name, value in vars(reference).items() if name not in _STATIC})
        if key not in self.known:
            if len(self.known) >= self.most:
                raise TooLarge
            self.known[key] = self.search(reference)
        return self.known[key]

    def search(self, reference: Game) -> Payoffs:
        seat = reference.seat
        if seat is None:
            return payoffs(reference.scores, self.parties)
        order = self.order(seat)
        found = [self.value(after(reference, move)) for move in reference.moves()]
        return max(found, key=lambda each: [each[party] for party in order])


@kernel
def _limits(boards: States, nodes: States, i: int) -> tuple[int, int]:
    return margin_protocol.limits(boards[0], nodes[i])


@kernel
def _key(boards: States, nodes: States, i: int) -> tuple[np.uint64, np.uint64]:
    return margin_protocol.key(boards[0], nodes[i])


@kernel
def _expand(
    boards: States, nodes: States, i: int, moves: Actions, children: States, links: margin_protocol.Links
) -> int:
    n = margin_protocol.moves(boards[0], nodes[i], moves)
    for k in range(n):
        children[k] = nodes[i]
        margin_protocol.follow(boards[0], nodes[i], moves[k], children[k], links[k])
    return n


class Nodes:
    """The nodes of one position as a game's exact play has them, one door each to its functions."""

    def __init__(self, module: Any, position: fc.Position) -> None:
        self.module = module
        self.boards, self.root = module.enter(position.game.options, position.record)
        self.known: dict[tuple[int, int], int] = {}

    def limits(self, node: States) -> tuple[int, int]:
        low, high = _limits(self.boards, node, 0)
        return int(low), int(high)

    def key(self, node: States) -> tuple[int, int]:
        one, two = _key(self.boards, node, 0)
        return int(one), int(two)

    def expand(self, node: States) -> tuple[States, margin_protocol.Links]:
        """The children of a node, and its links, as many of each."""
        most = int(self.boards[0]["most_links"])
        children, links = np.zeros(most, self.module.NODE), np.zeros((most, margin_protocol.LINK_COLUMNS), np.int64)
        n = _expand(self.boards, node, 0, np.zeros(most, np.int64), children, links)
        assert 0 < n <= most
        return children[:n], links[:n]

    def value(self, node: States) -> int:
        """The value of a node by trying everything; of every node the limits are found to hold."""
        low, high = self.limits(node)
        if low == high:
            return low
        key = self.key(node)
        if key not in self.known:
            children, links = self.expand(node)
            worth = [
                int(gain) + (self.value(children[i : i + 1]) * (1 if turn == margin_protocol.SAME else -1))
                for i, (gain, turn) in enumerate(links)
            ]
            self.known[key] = max(worth)
        assert low <= self.known[key] <= high
        return self.known[key]
