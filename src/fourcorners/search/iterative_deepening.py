"""Alpha-beta driven from Python: deeper and deeper, within a window around what was found before."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence

import numpy as np

from fourcorners.core import compiled_api
from fourcorners.core.dispatch import Weights
from fourcorners.core.position import View
from fourcorners.search import alphabeta
from fourcorners.search.alphabeta import DONE, HEADS, NODES, PROVEN, SHORT, UNIT, VALUE, WANTED, WIDEST
from fourcorners.search.tree_search import SLICE_SECONDS, ActionStats, SearchProgress

DEEPEST = 127
_ENTRIES = 1 << 19
_HISTORY = 1 << 12
_FIRST_WINDOW = UNIT
_LONGEST_SLICE = 1 << 16


def can_search(view: View) -> bool:
    """Tell whether alpha-beta can search what a view shows: nothing hidden, and two parties."""
    return not view.game.spec.hidden and len(view.game.options.parties) == 2


class IterativeDeepening:
    """A search of what a view shows, used as a Forest is; its nodes count as simulations."""

    def __init__(self, view: View, weights: Sequence[float] = ()) -> None:
        """Set up an empty table; the view must be one that fits."""
        game = view.game
        rules = game.spec.rules
        self.depth = 0
        self.is_solved = False
        self._weights: Weights = np.array(weights, np.float64)
        self._states = np.zeros(DEEPEST + 1, rules.DTYPE)
        self._frames = np.zeros(DEEPEST + 1, alphabeta.FRAME)
        self._entries = np.zeros(_ENTRIES, alphabeta.ENTRY)
        self._history = np.zeros(_HISTORY)
        self._estimates = np.zeros(rules.MAX_SEATS)
        parties = game.options.parties
        of_seat = [next(i for i, party in enumerate(parties) if seat in party) for seat in range(game.seats)]
        self._parties = np.array([*of_seat, parties[0][0], parties[1][0]], np.int64)
        self._heads = np.zeros(HEADS, np.int64)
        self._actions = np.zeros(0, np.int64)
        self._worths = np.zeros(0)
        self._begin(view)

    def _begin(self, view: View) -> None:
        self._states[0] = view.states[0]
        self.depth, self.is_solved = 0, False
        self._heads[NODES] = 0
        self._value = 0
        self._best: int | None = None
        self._root = np.zeros(compiled_api.bound(self._states, 0), np.int64)
        self.choices = int(compiled_api.legal(self._states, 0, self._root))
        self._make_room(8 * len(self._root))

    def _make_room(self, length: int) -> None:
        if length > len(self._actions):
            # What stands in the buffer is in use.
            more = np.zeros(length, np.int64)
            more[: len(self._actions)] = self._actions
            self._actions, self._worths = more, np.zeros(length)

    @property
    def simulations(self) -> int:
        """How many nodes were searched."""
        return int(self._heads[NODES])

    def follow(self, actions: Sequence[int], view: View) -> bool:
        """Go on from a later position; what was found stays in the table."""
        self._begin(view)
        return True

    def advance(self, nodes: int) -> None:
        """Search so many nodes, or a few more if that is not enough for an answer."""
        self.run(nodes, None)

    def run(
        self,
        nodes: int | None,
        seconds: float | None,
        stop: threading.Event | None = None,
        progress: Callable[[SearchProgress], None] | None = None,
    ) -> None:
        """Search deeper and deeper until a budget is used up, or the event is set, or the value is proven."""
        begun = time.perf_counter()

        def share() -> float:
            used = 0.0 if not nodes else self.simulations / nodes
            return max(used, 0.0 if not seconds else (time.perf_counter() - begun) / seconds)

        def enough() -> bool:
            part = share()
            if progress is not None:
                progress(SearchProgress(self.simulations, time.perf_counter() - begun, min(1.0, part)))
            return part >= 1.0 or (stop is not None and stop.is_set())

        while not self.is_solved and self.depth < DEEPEST:
            if not self._deepen(enough, nodes):
                return

    def _deepen(self, enough: Callable[[], bool], nodes: int | None) -> bool:
        """Search one ply deeper than before; tell whether that was finished."""
        depth, window = self.depth + 1, _FIRST_WINDOW
        low, high = (self._value - window, self._value + window) if self.depth > 0 else (-WIDEST, WIDEST)
        while True:
            alphabeta.ask(self._frames, self._heads, low, high, depth)
            if not self._answer(enough, nodes, depth):
                return False
            value = int(self._heads[VALUE])
            # What fails low says nothing of which move is best.
            if value > low:
                self._best = int(self._frames[0]["action"])
            window *= 4
            if value <= low:
                low = -WIDEST if window > WIDEST else value - window
            elif value >= high:
                high = WIDEST if window > WIDEST else value + window
            else:
                break
        self._value, self.depth = value, depth
        self.is_solved = bool(self._heads[PROVEN])
        return not enough()

    def _answer(self, enough: Callable[[], bool], nodes: int | None, depth: int) -> bool:
        """Work on the question on the stack in slices; tell whether it was answered."""
        size = 256
        while True:
            before = time.perf_counter()
            left = size if nodes is None else max(1, min(size, nodes - self.simulations))
            status = int(
                alphabeta.think(
                    self._states,
                    self._frames,
                    self._entries,
                    self._actions,
                    self._worths,
                    self._history,
                    self._weights,
                    self._estimates,
                    self._parties,
                    self._heads,
                    left,
                )
            )
            if status == DONE:
                return True
            if status == SHORT:
                self._make_room(2 * int(self._heads[WANTED]))
                continue
            # One ply is always finished, so that there is a move.
            if depth > 1 and enough():
                return False
            took = max(time.perf_counter() - before, 1e-7)
            size = max(1, min(4 * size, int(size * SLICE_SECONDS / took), _LONGEST_SLICE))

    def findings(self) -> list[ActionStats]:
        """Return what was found for the best move, and then the others, of which nothing is said."""
        margin = self._value / UNIT
        win = 0.5 if margin == 0 else 0.5 + 0.5 * margin / (abs(margin) + (0 if self.is_solved else 4))
        best = int(self._root[0]) if self._best is None else self._best
        found = ActionStats(best, self.simulations, margin, win, win, self.is_solved)
        rest = [int(action) for action in self._root[: self.choices] if action != best]
        return [found, *(ActionStats(action, 0, 0.0, 0.0, 0.0, solved=False) for action in rest)]

    def line(self, longest: int) -> list[int]:
        """Return the actions of the best play, as far as the table has it."""
        states = self._states[:1].copy()
        line: list[int] = [self.findings()[0].action]
        while True:
            compiled_api.play(states, 0, line[-1])
            points = np.zeros(len(self._estimates), np.int64)
            if len(line) == longest or compiled_api.status(states, 0, points) < 0:
                return line
            action = int(alphabeta.remembered(states, self._entries))
            if action < 0 or action not in compiled_api.list_legal(states, 0):
                return line
            line.append(action)
