"""A fair queue for slow work: a few jobs run at once in threads, each within a budget of processor time."""

import asyncio
import itertools
import threading
import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any, NamedTuple, TypeVar

from fourcorners.web.engine.cancellable_query import BusyError

T = TypeVar("T")
_HALF_LIFE = 60.0
"""After so many seconds half of the processor time that a network has used is forgotten."""
_LEAST_CHARGE, _FORGOTTEN = 0.01, 0.005
"""What a job counts for at least, so that networks take turns with short jobs too, and what is not worth keeping."""


class Client(NamedTuple):
    """Who asks for work: a player's id ("" for the server itself), and the network of the address, "" for this machine.

    The network should be a wide one, since somebody who has many narrow ones is still one client.
    """

    player: str
    network: str = ""

    @property
    def group(self) -> str:
        """Those who share a turn in the queue: everybody in one network; at this machine each player alone."""
        return self.network or self.player


class QueueLimits(NamedTuple):
    """How many jobs may wait, how many one player and one network may have, and the seconds of processor time of one
    job.
    """

    waiting: int
    per_player: int
    per_network: int
    cpu_seconds: float


class BudgetError(Exception):
    """Some work has used up its processor time, or nobody waits for it any more."""


class CpuBudget(threading.Event):
    """A signal to stop that is set by another one, or once its thread has used some seconds of processor time.

    Searches look at it between slices of about ten milliseconds. It belongs to the thread that creates it; in other
    threads only the other signal counts. It can only be looked at: `set` and `wait` do not know of the two.
    """

    def __init__(self, stop: threading.Event, seconds: float, clock: Callable[[], float] = time.thread_time) -> None:
        """Start the budget; `clock` returns the processor time of the calling thread in seconds."""
        super().__init__()
        self._stop = stop
        self._clock = clock
        self._thread = threading.get_ident()
        self._start = clock()
        self._seconds = seconds

    @property
    def processor_seconds(self) -> float:
        """The processor time since the start; only in its own thread."""
        return self._clock() - self._start

    def is_set(self) -> bool:
        """Return whether the other signal is set or the budget is used up."""
        return self._stop.is_set() or (
            threading.get_ident() == self._thread and self.processor_seconds >= self._seconds
        )

    def check(self) -> None:
        """Raise BudgetError if the other signal is set or the budget is used up."""
        if self.is_set():
            raise BudgetError


class _Job(NamedTuple):
    """Some work of a client; `number` counts the jobs in the order of their arrival, `answer` gets the result."""

    number: int
    client: Client
    stop: threading.Event
    limits: QueueLimits
    work: Callable[[CpuBudget], Any]
    answer: asyncio.Future[Any]


class WorkQueue:
    """Jobs that wait for one of a few threads. All methods belong to the event loop.

    The network that has used the least processor time lately comes first. If too many jobs wait, the network with the
    most of them loses its last one. So nobody can keep a newcomer from another network waiting for long, or out.
    """

    def __init__(
        self,
        name: str,
        threads: int,
        busy: str,
        monotonic: Callable[[], float] = time.monotonic,
        clock: Callable[[], float] = time.thread_time,
    ) -> None:
        """Start without jobs; `busy` is the sentence for whoever is refused, `monotonic` returns seconds, and `clock`
        the processor time that the calling thread has used, with that of its processes if it has any.
        """
        self._clock = clock
        self._pool = ThreadPoolExecutor(threads, name)
        self._threads = threads
        self._busy = busy
        self._monotonic = monotonic
        self._numbers = itertools.count()
        self._waiting: list[_Job] = []
        self._running: set[_Job] = set()
        self._used: dict[str, tuple[float, float]] = {}
        """By group the processor time used, in seconds, and the time at which it was that much."""
        self._is_closed = False

    async def run(
        self, client: Client, work: Callable[[CpuBudget], T], stop: threading.Event, limits: QueueLimits
    ) -> T:
        """Return or raise what `work` does in a thread with a budget that `stop`, or `limits`, sets.

        Before this is cancelled, `stop` must be set, so that the work ends as well. Raise BusyError if the queue is
        full or the client has too many jobs in it, perhaps only once somebody else needs its place, or when the queue
        is closed, and RuntimeError after that.
        """
        if self._is_closed:
            raise RuntimeError("the queue is closed")
        answer: asyncio.Future[T] = asyncio.get_running_loop().create_future()
        job = _Job(next(self._numbers), client, stop, limits, work, answer)
        jobs = [*self._waiting, *self._running]
        # A running job counts until its thread is free again, even if nobody waits for it any more.
        same_player = sum(other.client.player == client.player and not other.stop.is_set() for other in jobs)
        same_network = sum(other.client.group == client.group and not other.stop.is_set() for other in jobs)
        if same_player >= limits.per_player or same_network >= limits.per_network:
            raise BusyError(self._busy)
        self._waiting.append(job)
        self._start_next()
        self._drop_excess(limits.waiting)
        try:
            return await answer
        finally:
            if job in self._waiting:
                self._waiting.remove(job)

    def close(self) -> None:
        """Stop for good, blocking until running jobs have ended; they and waiting ones raise BusyError."""
        self._is_closed = True
        for job in [*self._waiting, *self._running]:
            job.stop.set()
            self._refuse(job, "This server is stopping. Try again in a minute.")
        self._waiting.clear()
        self._pool.shutdown(cancel_futures=True)

    def _start_next(self) -> None:
        """Start jobs while threads are free, those of the network that has used the least first."""
        loop = asyncio.get_running_loop()
        while self._waiting and len(self._running) < self._threads:
            running = Counter(job.client.group for job in self._running)
            job = min(
                self._waiting,
                key=lambda job: (running[job.client.group], self._read_used(job.client.group), job.number),
            )
            self._waiting.remove(job)
            self._running.add(job)
            self._pool.submit(_do, job, partial(_call_in_loop, loop, self._finish), self._clock)

    def _drop_excess(self, limit: int) -> None:
        """Refuse waiting jobs while they are too many: the last ones of the networks that have the most."""
        while len(self._waiting) > limit:
            waiting = Counter(job.client.group for job in self._waiting)
            job = max(
                self._waiting,
                key=lambda job: (waiting[job.client.group], self._read_used(job.client.group), job.number),
            )
            self._waiting.remove(job)
            self._refuse(job, self._busy)

    def _finish(self, job: _Job, result: Any, error: BaseException | None, used: float) -> None:
        """Answer a job with its result or error, and start the next one."""
        self._running.discard(job)
        now = self._monotonic()
        self._used[job.client.group] = (self._read_used(job.client.group) + max(used, _LEAST_CHARGE), now)
        for group in [group for group in self._used if self._read_used(group) < _FORGOTTEN]:
            del self._used[group]
        if not job.answer.done():
            if error is None:
                job.answer.set_result(result)
            else:
                job.answer.set_exception(error)
        if not self._is_closed:
            self._start_next()

    def _read_used(self, group: str) -> float:
        """Return the processor time that a group has used lately, in seconds."""
        used, at = self._used.get(group, (0.0, 0.0))
        return used * 0.5 ** ((self._monotonic() - at) / _HALF_LIFE) if used else 0.0

    @staticmethod
    def _refuse(job: _Job, sentence: str) -> None:
        if not job.answer.done():
            job.answer.set_exception(BusyError(sentence))


def _call_in_loop(loop: asyncio.AbstractEventLoop, call: Callable[..., None], *arguments: Any) -> None:
    """Have a loop call something from another thread."""
    loop.call_soon_threadsafe(call, *arguments)


def _do(
    job: _Job, finish: Callable[[_Job, Any, BaseException | None, float], object], clock: Callable[[], float]
) -> None:
    """Do a job's work in a thread and call `finish` with its result, its error, and the processor time it took."""
    budget = CpuBudget(job.stop, job.limits.cpu_seconds, clock)
    result, error = None, None
    try:
        # Nobody waits any more for what was cancelled before it began.
        result = None if job.stop.is_set() else job.work(budget)
    except BaseException as caught:  # noqa: BLE001  # raised again where the job was asked for
        error = caught
    finish(job, result, error, budget.processor_seconds)
