"""Several trees that grow at the same time, one for each processor, and are read as one (root parallelisation)."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence

import numpy as np

from fourcorners.core.position import View
from fourcorners.search import tree
from fourcorners.search.tree_search import ActionStats, SearchProgress, TreeSearch

_STRIDE = 0x9E3779B97F4A7C15
_SEEDS = 1 << 64
_LOOK_EVERY = 0.02
"""Seconds after which it is seen that the rest is to stop."""


class RootParallelSearch:
    """Searches of what a view shows, each from a seed of its own; it is used as one Search is."""

    def __init__(self, view: View, seed: int, weights: Sequence[float] = (), threads: int = 1) -> None:
        """Set up the roots; with one thread it searches exactly as a Search with this seed does."""
        self._searches = [TreeSearch(view, (seed + number * _STRIDE) % _SEEDS, weights) for number in range(threads)]

    @property
    def choices(self) -> int:
        """How many legal actions there are."""
        return self._searches[0].choices

    @property
    def simulations(self) -> int:
        """How many simulations were run, of all trees together."""
        return sum(search.simulations for search in self._searches)

    @property
    def is_solved(self) -> bool:
        """Whether some tree knows the outcome for certain."""
        return any(search.is_solved for search in self._searches)

    def advance(self, simulations: int) -> None:
        """Run so many simulations in the first tree."""
        self._searches[0].advance(simulations)

    def follow(self, actions: Sequence[int], view: View) -> bool:
        """Go on from the position after some actions in every tree; tell whether all can: if not, begin anew."""
        return all(search.follow(actions, view) for search in self._searches)

    def run(
        self,
        nodes: int | None,
        seconds: float | None,
        stop: threading.Event | None = None,
        progress: Callable[[SearchProgress], None] | None = None,
    ) -> None:
        """Run until a budget is used up, all trees together, or one is solved, or the event is set."""
        count = len(self._searches)
        if count == 1:
            self._searches[0].run(nodes, seconds, stop, progress)
            return
        each = None if nodes is None else -(-nodes // count)
        halt = threading.Event()
        failures: list[BaseException] = []

        def grow(search: TreeSearch) -> None:
            try:
                search.run(each, seconds, halt)
            except BaseException as error:  # noqa: BLE001  # raised again in the caller's thread
                failures.append(error)
            if search.is_solved or failures:
                halt.set()

        def watch(state: SearchProgress) -> None:
            if progress is not None:
                progress(state._replace(nodes=self.simulations))
            if stop is not None and stop.is_set():
                halt.set()

        others = [threading.Thread(target=grow, args=(search,), daemon=True) for search in self._searches[1:]]
        for other in others:
            other.start()
        try:
            self._searches[0].run(each, seconds, halt, watch)
        except BaseException:
            halt.set()
            raise
        finally:
            if self._searches[0].is_solved or each is None:
                halt.set()
            for other in others:
                while other.is_alive():
                    if stop is not None and stop.is_set():
                        halt.set()
                    other.join(_LOOK_EVERY)
        if failures:
            raise failures[0]

    def findings(self) -> list[ActionStats]:
        """Return what was found for every action tried, the best first: means over all trees, proofs of any."""
        by_action: dict[int, list[ActionStats]] = {}
        for search in self._searches:
            for finding in search.findings():
                by_action.setdefault(finding.action, []).append(finding)
        merged = [_merged(found) for found in by_action.values()]
        order = tree.best_first(
            np.array([finding.action for finding in merged]),
            np.array([finding.visits for finding in merged]),
            np.array([finding.reward for finding in merged]),
            np.array([finding.solved for finding in merged]),
            np.array([finding.beaten for finding in merged]),
        )
        return [merged[i] for i in order]

    def line(self, longest: int) -> list[int]:
        """Return the actions that the best play is expected to be, as the tree has it that saw most of it."""
        best = self.findings()[0].action
        lines = [search.line(longest) for search in self._searches]
        return max((line for line in lines if line and line[0] == best), key=len, default=[best])


def _merged(found: list[ActionStats]) -> ActionStats:
    """Return what several trees found for one action as one; what is proven needs no mean."""
    if len(found) == 1:
        return found[0]
    visits = sum(finding.visits for finding in found)
    for finding in found:
        if finding.solved:
            return finding._replace(visits=visits)

    def mean(column: str) -> float:
        return sum(float(getattr(finding, column)) * finding.visits for finding in found) / visits

    means = mean("margin"), mean("win"), mean("reward")
    return ActionStats(found[0].action, visits, *means, solved=False, beaten=any(finding.beaten for finding in found))
