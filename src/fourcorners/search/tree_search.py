"""The search driven from Python, in slices: time, stopping, progress and growing memory live here."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from fourcorners.core import compiled_api
from fourcorners.core.bits import new_rng
from fourcorners.core.dispatch import Actions, Priors, Weights
from fourcorners.core.position import View
from fourcorners.search import backpropagation, mcts, tree

SLICE_SECONDS = 0.01
"""What a slice aims at; compiled code can be neither timed nor stopped within one."""
MOST_NODES = 1 << 19
"""The most nodes a tree may have, 50 to 75 MB; then it grows no more, and its simulations go on."""
_FIRST_NODES = 1 << 10
_LONGEST_SLICE = 1 << 16
_SALT_BITS = 40


class SearchProgress(NamedTuple):
    """How far a search is: simulations and seconds so far, and the part of its budget that is used, 0 to 1."""

    nodes: int
    seconds: float
    share: float


class ActionStats(NamedTuple):
    """What a search found for one action: margin, share of the win and reward of the seat to move, means or sure.

    A move is `beaten` if it was given up: another is known to be no worse.
    """

    action: int
    visits: int
    margin: float
    win: float
    reward: float
    solved: bool
    beaten: bool = False


class TreeSearch:
    """A tree search of what a view shows, for the seat to move. It uses nothing but the view's record and the seed."""

    def __init__(self, view: View, seed: int, weights: Sequence[float] = (), most_nodes: int = MOST_NODES) -> None:
        """Set up a tree with its root alone; without weights for what the game knows it knows the rules alone."""
        game = view.game
        rules = game.spec.rules
        self.simulations = 0
        self._hidden = game.spec.hidden
        self._roots = np.array(view.states)
        self._work = np.zeros(2, rules.DTYPE)
        self._most = most_nodes
        self._tree = tree.new_tree(min(_FIRST_NODES, most_nodes), game.seats)
        self._heap = tree.new_heap()
        self._path = np.zeros(rules.MAX_PLIES + 1, np.int64)
        self._points = np.zeros(rules.MAX_SEATS, np.int64)
        self._rewards = np.zeros((4, game.seats), np.float64)
        self._parties = np.zeros(game.seats, np.int64)
        for party, seats in enumerate(game.options.parties):
            self._parties[list(seats)] = party
        self._weights: Weights = np.array(weights, np.float64)
        self._rng = new_rng(seed)
        self._salt = int(self._rng[0]) >> (64 - _SALT_BITS)
        self._grows = True
        self._make_buffers(int(compiled_api.bound(self._roots, 0)))
        self.choices = int(compiled_api.legal(self._roots, 0, self._actions))

    def _make_buffers(self, length: int) -> None:
        self._actions: Actions = np.zeros(length, np.int64)
        self._priors: Priors = np.zeros(length)
        self._places: Actions = np.zeros(length if self._hidden else 0, np.int64)
        self._table: Actions = np.full(2 << length.bit_length() if self._hidden else 0, -1, np.int64)

    @property
    def used_nodes(self) -> int:
        """How many nodes of memory are in use."""
        return int(self._heap[tree.USED])

    @property
    def is_solved(self) -> bool:
        """Whether the outcome is certain, so that searching on is of no use."""
        return bool(self._tree.nodes[0]["solved"])

    @property
    def longest_list(self) -> int:
        """How many legal actions the buffers hold."""
        return len(self._actions)

    def advance(self, simulations: int) -> None:
        """Run so many simulations; memory grows as they need it."""
        left = simulations
        while left > 0 and not self.is_solved:
            done = self._slice(left)
            self.simulations += done
            left -= done
            if left > 0 and not self.is_solved:
                self._make_room()

    def _slice(self, simulations: int) -> int:
        memory = (
            self._roots,
            self._work,
            *self._tree,
            self._heap,
            self._path,
            self._actions,
            self._priors,
            self._weights,
        )
        ends = (self._points, self._rewards, self._parties, self._rng, simulations)
        if self._hidden:
            return int(mcts.advance_hidden(*memory, self._places, self._table, *ends, int(self._grows)))
        return int(mcts.advance(*memory, *ends, self._salt, int(self._grows)))

    def _make_room(self) -> None:
        wanted = int(self._heap[tree.WANTED])
        if wanted > len(self._actions):
            self._make_buffers(wanted + wanted // 2)
        elif len(self._tree.nodes) < self._most:
            self._tree = self._tree.grown(min(4 * len(self._tree.nodes), self._most))
        else:
            self._grows = False

    def run(
        self,
        nodes: int | None,
        seconds: float | None,
        stop: threading.Event | None = None,
        progress: Callable[[SearchProgress], None] | None = None,
    ) -> None:
        """Run until a budget is used up or the event is set, and at least one simulation.

        The clock starts after that one: compiling does not count.
        """
        begun = time.perf_counter()
        self.advance(1)
        clock = time.perf_counter()
        size = 1
        while True:
            now = time.perf_counter()
            share = max(self.simulations / nodes if nodes else 0.0, (now - clock) / seconds if seconds else 0.0)
            if progress is not None:
                progress(SearchProgress(self.simulations, now - begun, min(1.0, share)))
            if share >= 1.0 or self.is_solved or (stop is not None and stop.is_set()):
                return
            left = nodes - self.simulations if nodes else _LONGEST_SLICE
            count = min(size, left)
            aim = SLICE_SECONDS
            if seconds:
                aim = min(aim, max(seconds - (now - clock), 0.0))
            before = time.perf_counter()
            self.advance(count)
            took = max(time.perf_counter() - before, 1e-7)
            size = max(1, min(4 * count, math.floor(count * aim / took), _LONGEST_SLICE))

    def follow(self, actions: Sequence[int], view: View) -> bool:
        """Go on from the position after some actions, with what was found of it; tell whether that can be.

        Where something is hidden nothing is kept: what was found holds for the worlds that were possible before.
        """
        node = 0
        for action in actions:
            first = int(self._tree.nodes[node]["first"])
            tried = [int(code) for code in tree.children(self._tree.nodes, node)["action"]]
            if self._hidden or action not in tried:
                return False
            node = first + tried.index(action)
        if self._tree.nodes[node]["solved"] and self._tree.nodes[node]["filled"] == 0:
            return False
        self._roots = np.array(view.states)
        if node != 0:
            self._tree = self._tree.below(node, self._heap)
        self._grows = True
        self.simulations = 0
        self.choices = len(compiled_api.list_legal(self._roots, 0))
        return True

    def findings(self) -> list[ActionStats]:
        """Return what was found for every action tried, the best first."""
        first, lost = int(self._tree.nodes[0]["first"]), tree.beaten(self._tree, 0)
        return [self._finding(child, beaten=bool(lost[child - first])) for child in tree.ranked(self._tree, 0)]

    def _finding(self, child: int, *, beaten: bool) -> ActionStats:
        node = self._tree.nodes[child]
        action, visits, reward = int(node["action"]), int(node["visits"]), float(self._tree.rates[child, 0])
        if not node["solved"]:
            margin, won = float(node["margin"]) / visits, float(node["won"]) / visits
            return ActionStats(action, visits, margin, won, reward, solved=False, beaten=beaten)
        rewards = np.zeros_like(self._rewards)
        backpropagation.reward(self._tree.proofs[child], self._parties, rewards)
        seat = int(node["seat"])
        margin, won = float(rewards[backpropagation.MARGIN, seat]), float(rewards[backpropagation.WON, seat])
        return ActionStats(action, visits, margin, won, reward, solved=True)

    def line(self, longest: int) -> list[int]:
        """Return the actions that the best play is expected to be, from the root down."""
        return tree.principal_line(self._tree, longest)
