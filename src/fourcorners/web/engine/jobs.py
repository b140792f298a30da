"""Jobs: slow work that is done once for all who ask for the same, and whose results are kept for a while."""

import asyncio
import logging
import threading
import time
from collections.abc import Awaitable, Callable, Hashable
from functools import partial
from typing import Generic, TypeVar

from cachetools import LRUCache, TTLCache

from fourcorners.core.errors import GameError
from fourcorners.web.engine.warmup import Feature, Warmup
from fourcorners.web.engine.work_queue import BusyError, Client, CpuBudget, WorkQueue

Key = TypeVar("Key", bound=Hashable)
Result = TypeVar("Result")
Report = Callable[[Result], None]
"""Receives what was found so far."""
Work = Callable[[CpuBudget, Report[Result]], Result]
"""Finds a result in a thread; it may report what it has found so far as often as it likes."""
STOPPED = "No one was waiting any more, so this was stopped."
_REPORT_INTERVAL = 0.25
_MAX_FAILED = 64
_logger = logging.getLogger(__name__)


class Job(Generic[Result]):
    """A job that waits, runs or has failed with `error`; `partial` is what it has found so far. `compiled` is the share
    of what it needs that is compiled, 0 to 1; it begins at 1.
    """

    task: asyncio.Task[Result]

    def __init__(self) -> None:
        self.partial: Result | None = None
        self.error: BaseException | None = None
        self.compiled = 1.0
        self.stop = threading.Event()
        self.listeners: list[Report[Result]] = []
        """The functions to call with `partial` in the event loop."""
        self.timer: asyncio.TimerHandle | None = None

    def note_compiled(self, share: float) -> None:
        """Note how much is compiled."""
        self.compiled = share

    def tell(self) -> None:
        """Call all listeners with what was found so far."""
        for listener in tuple(self.listeners):
            if self.partial is not None and not self.stop.is_set():
                listener(self.partial)

    def cancel(self, error: Exception | None = None) -> None:
        """End the job, which has failed with `error` then."""
        self.error = error
        self.stop.set()
        self.task.cancel()


class Jobs(Generic[Key, Result]):
    """The jobs of one kind, which share a queue and a cache of the latest `results`.

    A job ends when no one waits for it any more, or `linger` seconds after someone has last looked at it. For as long
    a job that has failed can be looked at. All methods belong to the event loop.
    """

    def __init__(self, warmup: Warmup, feature: Feature, queue: WorkQueue, capacity: int, linger: float = 0.0) -> None:
        """Start without jobs; `feature` is what must be compiled before one begins, `capacity` that of the cache."""
        self.queue = queue
        self.results: LRUCache[Key, Result] = LRUCache(capacity)
        self._warmup = warmup
        self._feature = feature
        self._linger = linger
        self._running: dict[Key, Job[Result]] = {}
        self._failed: TTLCache[Key, Job[Result]] = TTLCache(_MAX_FAILED, linger)

    async def ask(
        self, client: Client, key: Key, game: str, work: Work[Result], report: Report[Result] = lambda _: None
    ) -> Result:
        """Return the result of a key: from the cache, from the job that is running, or from a new one that does `work`.

        `game` is the id of the game that must be compiled; `report` is called with what was found so far. Raise what
        the work raises, and BusyError if the queue is full or closed, or the client has too many jobs in it.
        """
        if key in self.results:
            return self.results[key]
        job = self.start(client, key, game, work)
        job.listeners.append(report)
        try:
            return await asyncio.shield(job.task)
        finally:
            job.listeners.remove(report)
            self._touch(key, job)

    def find(self, key: Key) -> Job[Result] | None:
        """Return the job of a key that runs or has failed lately, and note that someone looks at it; None if none."""
        job = self._running.get(key)
        if job is None:
            return self._failed.get(key)
        self._touch(key, job)
        return job

    def start(
        self,
        client: Client,
        key: Key,
        game: str,
        work: Work[Result],
        finish: Callable[[Result], Awaitable[Result]] | None = None,
    ) -> Job[Result]:
        """Return the running job of a key, or a new one, whatever results there are. `finish` takes what the work has
        found and returns what is kept. Raise BusyError if the client has too many jobs.
        """
        job = self._running.get(key)
        if job is None:
            self.queue.admit(client)
            self._failed.pop(key, None)
            job = self._running[key] = Job()
            job.task = asyncio.create_task(self._run(job, client, game, work, finish))
            job.task.add_done_callback(partial(self._end, client, key, job))
        if self._linger:
            self._touch(key, job)
        return job

    def close(self) -> None:
        """Stop for good, blocking: jobs raise BusyError."""
        for job in self._running.values():
            job.stop.set()
        self.queue.close()

    async def _run(
        self,
        job: Job[Result],
        client: Client,
        game: str,
        work: Work[Result],
        finish: Callable[[Result], Awaitable[Result]] | None,
    ) -> Result:
        await self._warmup.wait_for(game, self._feature, job.stop, job.note_compiled)
        job.compiled = 1.0
        loop, last = asyncio.get_running_loop(), 0.0

        def report(result: Result) -> None:
            """Note what was found, and tell those who wait for it now and then; runs in the thread of the work."""
            nonlocal last
            job.partial = result
            if job.listeners and time.monotonic() - last >= _REPORT_INTERVAL and not job.stop.is_set():
                last = time.monotonic()
                loop.call_soon_threadsafe(job.tell)

        result = await self.queue.perform(client, lambda budget: work(budget, report), job.stop)
        return result if finish is None else await finish(result)

    def _touch(self, key: Key, job: Job[Result]) -> None:
        """End a job for which no one waits: at once, or `linger` seconds later, unless it is touched again."""
        if job.timer is not None:
            job.timer.cancel()
        if job.listeners or self._running.get(key) is not job:
            return
        if self._linger:
            job.timer = asyncio.get_running_loop().call_later(self._linger, self._stop, key, job)
        else:
            self._stop(key, job)

    def _stop(self, key: Key, job: Job[Result]) -> None:
        # Those who ask from now on get another job.
        del self._running[key]
        job.cancel(BusyError(STOPPED))
        self._failed[key] = job

    def _end(self, client: Client, key: Key, job: Job[Result], task: asyncio.Task[Result]) -> None:
        """Take the result or the error of a job that has ended by itself."""
        self.queue.release(client)
        if job.timer is not None:
            job.timer.cancel()
        error = None if task.cancelled() else task.exception()
        if self._running.get(key) is not job:
            return
        del self._running[key]
        if task.cancelled():
            return
        job.error = error
        if error is None:
            self.results[key] = task.result()
            return
        self._failed[key] = job
        if self._linger and not isinstance(error, (BusyError, GameError)):
            _logger.error("a job failed", exc_info=error)
