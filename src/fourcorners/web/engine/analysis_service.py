"""Analyse positions for people who study them: a few at once in threads, and tell now and then what was found."""

import asyncio
import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from typing import NamedTuple

from fourcorners.core.game import Game
from fourcorners.core.position import View
from fourcorners.study.analysis import analyse
from fourcorners.study.analysis_run import AnalysisLine, AnalysisProgress
from fourcorners.web.engine.warmup import Feature, Warmup
from fourcorners.web.engine.work_queue import Client, CpuBudget, QueueLimits, WorkQueue

SECONDS, NODES = 10.0, 400_000
"""The limits of one analysis: about so many seconds, and simulations. With both it takes one thread."""
CPU_LIMIT = 8.0
"""The seconds of processor time after which an analysis ends in any case."""
THREADS, MAX_WAITING, MAX_PER_PLAYER, MAX_PER_NETWORK = 1, 16, 2, 4
"""How many analyses run at once and how many may wait, and how many of these one player or network may have."""
MAX_LINES = 5
_CACHE_CAPACITY = 256
_PROGRESS_INTERVAL = 0.3
_BUSY = "Too many positions are being analysed on this server. Try again in a minute."


class Findings(NamedTuple):
    """What an analysis has found so far, the best move first, and the share of its budget that is used, 0 to 1."""

    lines: tuple[AnalysisLine, ...]
    nodes: int
    share: float


class AnalysisService:
    """A queue of positions to analyse and a cache of the latest results. All methods belong to the event loop."""

    def __init__(self, warmup: Warmup) -> None:
        """Start with an empty queue and an empty cache; `warmup` says what is compiled."""
        self._warmup = warmup
        self._queue = WorkQueue("analysis", THREADS, _BUSY)
        self._results: OrderedDict[tuple[Game, bytes, int], Findings] = OrderedDict()

    async def analyse(
        self, client: Client, view: View, lines: int, stop: threading.Event, report: Callable[[Findings], None]
    ) -> Findings:
        """Return the best moves of the seat to move, up to `lines` of them, from the cache if possible.

        `report` is called in the event loop with what was found so far, every `_PROGRESS_INTERVAL` seconds at most,
        until `stop` is set. Before this is cancelled, `stop` must be set, so that the search in the thread ends as
        well; what it has found by then is not kept. Raise BusyError as `WorkQueue.run` does, and GameError if the game
        is over. After `close` raise as that says.
        """
        key = (view.game, view.states.tobytes(), lines)
        cached = self._results.get(key)
        if cached is not None:
            self._results.move_to_end(key)
            return cached
        # Lines need what reviews need: search, solver and the proofs of both.
        await self._warmup.wait_for(view.game.spec.id, Feature.HINT, stop)
        loop, last = asyncio.get_running_loop(), 0.0

        def on_progress(progress: AnalysisProgress) -> None:
            """Pass what was found on to the event loop now and then; runs in the searching thread."""
            nonlocal last
            now = time.monotonic()
            if now - last >= _PROGRESS_INTERVAL and not stop.is_set():
                last = now
                loop.call_soon_threadsafe(report, Findings(progress.lines, progress.nodes, progress.share))

        def search(budget: CpuBudget) -> Findings:
            found = analyse(view, lines, SECONDS, NODES, stop=budget, progress=on_progress)
            return Findings(found.lines, found.nodes, 1.0)

        limits = QueueLimits(MAX_WAITING, MAX_PER_PLAYER, MAX_PER_NETWORK, CPU_LIMIT)
        findings = await self._queue.run(client, search, stop, limits)
        if not stop.is_set():
            self._results[key] = findings
            while len(self._results) > _CACHE_CAPACITY:
                self._results.popitem(last=False)
        return findings

    def close(self) -> None:
        """Stop for good, blocking: running and waiting searches raise BusyError, new ones RuntimeError."""
        self._queue.close()
