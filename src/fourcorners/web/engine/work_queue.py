"""A queue for slow work: a few jobs run at once in threads, each within a budget of processor time."""

import asyncio
import itertools
import threading
import time
from collections import deque
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple, TypeVar

T = TypeVar("T")
_STOPPING = "This server is stopping. Try again in a minute."


class Client(NamedTuple):
    """Who asks for work: a player's id ("" for the server itself), and the network of the address, "" for this machine.

    The network should be a wide one: a client that has many narrow ones is still one client.
    """

    player: str
    network: str = ""

    @property
    def group(self) -> str:
        """Those who share a turn in the queue: everyone in one network; at this machine each player alone."""
        return self.network or self.player


class Limits(NamedTuple):
    """The limits of a queue: how many jobs run at once and how many wait, how many one player and one network may have,
    and the seconds of processor time of one job.

    One network may have only a part of `waiting`, so that it keeps no one else out.
    """

    threads: int
    waiting: int
    per_player: int
    per_network: int
    cpu_seconds: float


class BusyError(Exception):
    """The server has too much to do; the message is a sentence for people."""


class BudgetError(BusyError):
    """Some work has used up its processor time, or no one waits for it any more. Outside its thread the message is a
    sentence.
    """


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
        self._end = clock() + seconds

    def is_set(self) -> bool:
        """Return whether the other signal is set or the budget is used up."""
        return self._stop.is_set() or (threading.get_ident() == self._thread and self._clock() >= self._end)

    def check(self) -> None:
        """Raise BudgetError if the other signal is set or the budget is used up."""
        if self.is_set():
            raise BudgetError


class WorkQueue:
    """Jobs that wait for one of a few threads; networks take turns. All methods belong to the event loop.

    However many jobs a network has, newcomers from others wait for one of them at most.
    """

    def __init__(
        self, name: str, limits: Limits, busy: str, too_long: str = "", clock: Callable[[], float] = time.thread_time
    ) -> None:
        """Start without jobs. `busy` is the sentence for those who are refused, `too_long` for those whose work ends
        unfinished. `clock` returns the processor time that the calling thread has used, with that of its processes.
        """
        self.limits = limits
        self._is_closed = False
        self._busy, self._too_long = busy, too_long
        self._clock = clock
        self._pool = ThreadPoolExecutor(limits.threads, name)
        self._free = limits.threads
        self._admitted: list[Client] = []
        self._stops: set[threading.Event] = set()
        self._waiting: dict[str, deque[asyncio.Future[None]]] = {}
        """The turns that jobs wait for by group; the group whose turn is next comes first."""
        self._turns: dict[threading.Event, asyncio.Future[None]] = {}
        """The same turns by what stops the job."""

    @property
    def waiting_jobs(self) -> int:
        """The number of jobs that wait for a thread."""
        return sum(map(len, self._waiting.values()))

    def count_ahead(self, stop: threading.Event) -> int:
        """Return the maximum number of jobs, with those that run, before the one that `stop` ends; 0 once it runs."""
        turn = self._turns.get(stop)
        own = next((turns for turns in self._waiting.values() if turn in turns), None)
        if turn is None or own is None:
            return 0
        # Each of the other groups has as many turns as this one, up to this one's turn.
        rounds = own.index(turn) + 1
        others = sum(min(len(turns), rounds) for turns in self._waiting.values() if turns is not own)
        return self.limits.threads + rounds - 1 + others

    async def run(self, client: Client, work: Callable[[CpuBudget], T]) -> T:
        """Return or raise what some work does in a thread; if this is cancelled, its budget ends.

        Raise BusyError if the queue is full or closed, or the client has too many jobs, and BudgetError if the work
        does because it takes too long.
        """
        self.admit(client)
        try:
            return await self.perform(client, work, threading.Event())
        finally:
            self.release(client)

    def admit(self, client: Client) -> None:
        """Count a job of a client until `release`; raise BusyError if the client has too many."""
        same_player = sum(other.player == client.player for other in self._admitted)
        same_network = sum(other.group == client.group for other in self._admitted)
        if same_player >= self.limits.per_player or same_network >= self.limits.per_network:
            raise BusyError(self._busy)
        self._admitted.append(client)

    def release(self, client: Client) -> None:
        """Note that a job of a client that was admitted has ended."""
        self._admitted.remove(client)

    async def perform(self, client: Client, work: Callable[[CpuBudget], T], stop: threading.Event) -> T:
        """Do some work of a client that was admitted, and return or raise what it does in a thread, with a budget that
        `stop` ends; if this is cancelled, it is set. Raise BusyError if the queue is full or closed.
        """
        self._stops.add(stop)
        try:
            await self._wait_for_turn(client.group, stop)
            try:
                return await asyncio.get_running_loop().run_in_executor(self._pool, self._work, work, stop)
            finally:
                self._end_turn(client.group)
        except BudgetError:
            raise BusyError(_STOPPING) if self._is_closed else BudgetError(self._too_long) from None
        except asyncio.CancelledError:
            stop.set()
            raise
        finally:
            self._stops.discard(stop)

    def _work(self, work: Callable[[CpuBudget], T], stop: threading.Event) -> T:
        """Do some work in this thread within a budget; raise BudgetError if it was cancelled before it began."""
        if stop.is_set():
            raise BudgetError
        return work(CpuBudget(stop, self.limits.cpu_seconds, self._clock))

    async def _wait_for_turn(self, group: str, stop: threading.Event) -> None:
        """Wait until a thread is free and it is a group's turn; raise BusyError if the queue is full or closed."""
        if self._is_closed:
            raise BusyError(_STOPPING)
        if self._free:
            self._free -= 1
            return
        if self.waiting_jobs >= self.limits.waiting:
            raise BusyError(self._busy)
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.setdefault(group, deque()).append(turn)
        self._turns[stop] = turn
        try:
            await turn
        except asyncio.CancelledError:
            if turn.cancelled():
                self._remove(group, turn)
            else:
                # It was this job's turn in the same moment.
                self._end_turn(group)
            raise
        finally:
            del self._turns[stop]

    def _remove(self, group: str, turn: asyncio.Future[None]) -> None:
        """Remove a turn that was cancelled, unless `_end_turn` has come across it."""
        turns = self._waiting.get(group, deque())
        if turn in turns:
            turns.remove(turn)
            if not turns:
                del self._waiting[group]

    def _end_turn(self, group: str) -> None:
        """Give the thread of a group's job to the next job that waits; the groups of both come last from now on."""
        if group in self._waiting:
            self._waiting[group] = self._waiting.pop(group)
        while self._waiting:
            group = next(iter(self._waiting))
            turns = self._waiting.pop(group)
            turn = turns.popleft()
            if turns:
                self._waiting[group] = turns
            if not turn.done():
                turn.set_result(None)
                return
        self._free += 1

    def close(self) -> None:
        """Stop for good: jobs that wait or run raise BusyError; block until running ones have ended."""
        self._is_closed = True
        for stop in self._stops:
            stop.set()
        for turn in itertools.chain.from_iterable(self._waiting.values()):
            if not turn.done():
                turn.set_exception(BusyError(_STOPPING))
        self._waiting.clear()
        self._pool.shutdown()
