"""Slow work for requests, in which networks take turns, and which ends when no one waits for it any more."""

import time
from collections.abc import Callable
from typing import TypeVar

from fourcorners.web.auth.identity import current_sender
from fourcorners.web.engine.work_queue import BudgetError, Client, Limits, WorkQueue

T = TypeVar("T")


def get_client() -> Client:
    """Return the client of the request in progress, for the queues; the server itself has no network and no player."""
    sender = current_sender.get()
    return Client("") if sender is None else Client(*sender)


class FairTurns:
    """A queue for one kind of work of requests."""

    def __init__(
        self, name: str, limits: Limits, busy: str, too_long: str, clock: Callable[[], float] = time.thread_time
    ) -> None:
        """Start without work; `busy` and `too_long` are sentences, and the rest is as for a `WorkQueue`."""
        self.queue = WorkQueue(name, limits, busy, clock)
        self._too_long = too_long

    async def run(self, work: Callable[..., T], *arguments: object) -> T:
        """Call `work` with these arguments in a thread when it is the client's turn; return its result or raise its
        error. It must take a function `check`, which ends it once it takes too long or this is cancelled. Raise
        BusyError if too much waits, and BudgetError if this takes too long; their messages are sentences.
        """
        try:
            return await self.queue.run(get_client(), lambda budget: work(*arguments, check=budget.check))
        except BudgetError:
            raise BudgetError(self._too_long) from None

    def close(self) -> None:
        """Stop for good, blocking until running work has ended."""
        self.queue.close()
