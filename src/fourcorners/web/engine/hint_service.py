"""Hints and estimates for who asks: thought about in threads of their own, a few at once and within small limits."""

from __future__ import annotations

import asyncio
import threading
from collections import OrderedDict
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple, TypeVar

from fourcorners.core.game import Game
from fourcorners.core.position import View
from fourcorners.players.computer import Computer
from fourcorners.players.hints import Advice, hint
from fourcorners.web.engine.cancellable_query import BusyError

T = TypeVar("T")
HINT_SECONDS = 1.0
ESTIMATE_NODES = 2000
THREADS = 2
MAX_WAITING = 32
MAX_PER_PLAYER = 4
_KEPT = 512


class Estimate(NamedTuple):
    """How a game is expected to end for the seat to move: its margin, its chance to win, whether both are proven."""

    value: float
    win: float
    solved: bool


class _Job(NamedTuple):
    owner: str
    stop: threading.Event


class HintService:
    """The threads that advise, those who wait for them, and the estimates of late."""

    def __init__(self) -> None:
        self._threads = ThreadPoolExecutor(THREADS, "advice")
        self._jobs: set[_Job] = set()
        self._estimates: OrderedDict[tuple[Game, bytes], Estimate] = OrderedDict()

    async def hint(self, owner: str, view: View, stop: threading.Event) -> Advice:
        """Find a good move from what the seat to move knows, and say why; or raise BusyError."""
        return await self._do(_Job(owner, stop), lambda: hint(view, seconds=HINT_SECONDS, stop=stop))

    async def estimate(self, owner: str, view: View, stop: threading.Event) -> Estimate:
        """Expect an end from what the seat to move knows, or raise BusyError."""
        # Two views with the same record know the same.
        key = (view.game, view.states.tobytes())
        known = self._estimates.get(key)
        if known is None:
            # Many who look on ask at once: the first of them asks for all.
            known = await self._do(_Job(owner, stop), lambda: self._estimates.get(key) or _estimate(view, stop))
            self._estimates[key] = known
            while len(self._estimates) > _KEPT:
                self._estimates.popitem(last=False)
        self._estimates.move_to_end(key)
        return known

    async def _do(self, job: _Job, work: Callable[[], T]) -> T:
        own = sum(1 for other in self._jobs if other.owner == job.owner and not other.stop.is_set())
        if own >= MAX_PER_PLAYER or len(self._jobs) >= THREADS + MAX_WAITING:
            raise BusyError("Too much is asked of this server just now; ask again in a while.")
        self._jobs.add(job)
        loop = asyncio.get_running_loop()
        future = self._threads.submit(work)
        # Counted until its thread is free again, whether or not anybody still waits for it.
        future.add_done_callback(lambda _: loop.call_soon_threadsafe(self._jobs.discard, job))
        found = await asyncio.wrap_future(future)
        if job.stop.is_set():
            # Cut short by the end of the server: that is no advice.
            raise BusyError("This server is being stopped; ask again in a while.")
        return found

    def forget(self) -> None:
        """Forget the estimates."""
        self._estimates.clear()

    def close(self) -> None:
        """Stop everything."""
        for job in self._jobs:
            job.stop.set()
        self._threads.shutdown(cancel_futures=True)


def _estimate(view: View, stop: threading.Event) -> Estimate:
    if view.is_over:
        return Estimate(*_end(view), solved=True)
    choice = Computer(nodes=ESTIMATE_NODES).choose(view, stop)
    return Estimate(choice.value, choice.win, choice.solved)


def _end(view: View) -> tuple[float, float]:
    """Return the margin and the share of the win of the first seat, at the end."""
    best = max(view.scores)
    winners = [party for party in view.game.options.parties if view.scores[party[0]] == best]
    rivals = max(view.scores[party[0]] for party in view.game.options.parties if 0 not in party)
    return float(view.scores[0] - rivals), sum(0 in party for party in winners) / len(winners)
