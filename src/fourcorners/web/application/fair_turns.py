"""Slow work for requests, in which networks take turns, and which ends when no one waits for it any more."""

from collections.abc import Callable
from typing import TypeVar

from fourcorners.web.auth.identity import current_sender
from fourcorners.web.engine.work_queue import Client, WorkQueue

T = TypeVar("T")


def get_client() -> Client:
    """Return the client of the request in progress, for the queues; the server itself has no network and no player."""
    sender = current_sender.get()
    return Client("") if sender is None else Client(*sender)


async def run_in_turn(queue: WorkQueue, work: Callable[..., T], *arguments: object) -> T:
    """Call `work` with these arguments in a thread when it is the client's turn; return or raise as `WorkQueue.run`.
    It must take a function `check`, which ends it once it takes too long or this is cancelled.
    """
    return await queue.run(get_client(), lambda budget: work(*arguments, check=budget.check))
