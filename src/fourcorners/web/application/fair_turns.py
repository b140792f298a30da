"""Slow work for requests, in which networks take turns, and which ends when nobody waits for it any more."""

import threading
import time
from collections.abc import Callable
from typing import TypeVar

from fourcorners.web.auth.identity import current_sender
from fourcorners.web.engine.work_queue import BudgetError, Client, QueueLimits, WorkQueue

T = TypeVar("T")


def get_client() -> Client:
    """Return the client of the request in progress, for the queues; the server itself has no network and no player."""
    sender = current_sender.get()
    return Client("") if sender is None else Client(*sender)


class FairTurns:
    """A queue for one kind of work of requests, with its limits, which tests may change."""

    def __init__(
        self,
        name: str,
        threads: int,
        limits: QueueLimits,
        busy: str,
        too_long: str,
        clock: Callable[[], float] = time.thread_time,
    ) -> None:
        """Start without work. `busy` and `too_long` are sentences: too much is waiting, and this takes too long.
        `clock` returns the processor time that the calling thread has used, in seconds.
        """
        self._queue = WorkQueue(name, threads, busy, clock=clock)
        self._too_long = too_long
        self.limits = limits

    async def run(self, work: Callable[..., T], *arguments: object) -> T:
        """Call `work` with these arguments in a thread when it is the client's turn; return its result or raise its
        error. It must take a function `check`, which ends it once it takes too long or this is cancelled. Raise
        BusyError if too much waits, and BudgetError if this takes too long; their messages are sentences.
        """
        stop = threading.Event()
        try:
            return await self._queue.run(
                get_client(), lambda budget: work(*arguments, check=budget.check), stop, self.limits
            )
        except BudgetError:
            raise BudgetError(self._too_long) from None
        finally:
            stop.set()

    def close(self) -> None:
        """Stop for good, blocking until running work has ended."""
        self._queue.close()
