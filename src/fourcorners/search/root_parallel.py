"""Root parallelisation: several trees grow in parallel threads and are read as one."""

from collections.abc import Sequence
from threading import Event, Thread

import numpy as np

from fourcorners.core.game import View
from fourcorners.search import tree
from fourcorners.search.tree_search import ActionStats, Reporter, SearchProgress, TreeSearch

_STRIDE, _SEEDS = 0x9E3779B97F4A7C15, 1 << 64  # the golden ratio of 64 bits: seeds that lie far apart
_POLL_SECONDS = 0.02  # the interval between checks of the event while the last threads finish


class RootParallelSearch:
    """Tree searches of one view, each with its own seed; it offers the part of `TreeSearch` that a Computer uses."""

    def __init__(self, view: View, seed: int, weights: Sequence[float] = (), threads: int = 1) -> None:
        """Set up `threads` (1 or more) trees; one tree searches like a `TreeSearch` with this seed."""
        self._searches = [TreeSearch(view, (seed + number * _STRIDE) % _SEEDS, weights) for number in range(threads)]

    @property
    def choices(self) -> int:
        """The number of legal actions at the root."""
        return self._searches[0].choices

    @property
    def simulations(self) -> int:
        """The number of simulations in all trees together."""
        return sum(search.simulations for search in self._searches)

    @property
    def is_solved(self) -> bool:
        """Whether some tree has proven the outcome."""
        return any(search.is_solved for search in self._searches)

    def advance(self, simulations: int) -> None:
        """Run `simulations` more, fewer if the outcome is proven, in this thread and in the first tree alone."""
        self._searches[0].advance(simulations)

    def follow(self, actions: Sequence[int], view: View) -> bool:
        """Move the root of every tree as `TreeSearch.follow` does; if that returns False the search is unusable."""
        return all(search.follow(actions, view) for search in self._searches)

    def run(
        self, nodes: int | None, seconds: float | None, stop: Event | None = None, progress: Reporter | None = None
    ) -> None:
        """Run until all trees together have used up a budget, one is solved, or the event is set; see `TreeSearch.run`.

        Each tree gets an equal share of `nodes`, or one less; a tree without nodes does not run. `progress` is called
        in this thread, with the simulations of all trees. The first error of `progress` or a thread passes through
        after all threads have ended.
        """
        count = len(self._searches)
        if count == 1:
            self._searches[0].run(nodes, seconds, stop, progress)
            return
        shares = [None if nodes is None else (nodes + count - 1 - number) // count for number in range(count)]
        halt = Event()
        failures: list[BaseException] = []

        def run_tree(search: TreeSearch, share: int | None, reporter: Reporter | None = None) -> None:
            """Run one tree; set `halt` if it is solved or fails, and keep its errors in `failures`."""
            try:
                search.run(share, seconds, halt, reporter)
            except BaseException as error:  # noqa: BLE001  # raised again in the caller's thread
                failures.append(error)
            if search.is_solved or failures:
                halt.set()

        def report(state: SearchProgress) -> None:
            """Report progress with the simulations of all trees, and pass a stop on to them."""
            if progress is not None:
                progress(state._replace(nodes=self.simulations))
            if stop is not None and stop.is_set():
                halt.set()

        helpers = zip(self._searches[1:], shares[1:], strict=True)
        threads = [Thread(target=run_tree, args=helper, daemon=True) for helper in helpers if helper[1] != 0]
        for thread in threads:
            thread.start()
        run_tree(self._searches[0], shares[0], report)
        if nodes is None:
            halt.set()
        for thread in threads:
            while thread.is_alive():
                if stop is not None and stop.is_set():
                    halt.set()
                thread.join(_POLL_SECONDS)
        if failures:
            raise failures[0]

    def rank_actions(self) -> list[ActionStats]:
        """Return the merged statistics of every action that a tree tried, in the order of `tree.order_actions`."""
        if len(self._searches) == 1:
            return self._searches[0].rank_actions()
        by_action: dict[int, list[ActionStats]] = {}
        for search in self._searches:
            for stats in search.rank_actions():
                by_action.setdefault(stats.action, []).append(stats)
        merged = [_merge(stats) for stats in by_action.values()]
        names = ("action", "visits", "reward", "solved", "pruned")
        columns = (np.array([getattr(stats, name) for stats in merged]) for name in names)
        return [merged[i] for i in tree.order_actions(*columns)]

    def principal_variation(self, limit: int) -> list[int]:
        """Return the longest line of any tree, 1 to `limit` actions, from the best on; IndexError if none was tried."""
        best = self.rank_actions()[0].action
        lines = [search.principal_variation(limit) for search in self._searches]
        return max((line for line in lines if line and line[0] == best), key=len, default=[best])


def _merge(found: list[ActionStats]) -> ActionStats:
    """Merge the statistics of one action: the first proof or the means, all visits, pruned if in any tree."""
    if len(found) == 1:
        return found[0]
    visits = sum(stats.visits for stats in found)
    for stats in found:
        if stats.solved:
            return stats._replace(visits=visits)

    def mean(values: Sequence[float]) -> float:
        return sum(value * stats.visits for value, stats in zip(values, found, strict=True)) / visits

    return found[0]._replace(
        visits=visits,
        margins=tuple(map(mean, zip(*(stats.margins for stats in found), strict=True))),
        wins=tuple(map(mean, zip(*(stats.wins for stats in found), strict=True))),
        reward=mean([stats.reward for stats in found]),
        pruned=any(stats.pruned for stats in found),
    )
