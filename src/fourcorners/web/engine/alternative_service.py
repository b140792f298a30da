"""Judge single moves of reviewed games: a few at once in threads, within a budget; the latest results are kept."""

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Any, TypeVar

from fourcorners.web.engine.cancellable_query import BusyError
from fourcorners.web.engine.warmup import Feature, Warmup
from fourcorners.web.engine.work_queue import BudgetError, Client, CpuBudget, QueueLimits, WorkQueue

T = TypeVar("T")
SECONDS, NODES = 3.0, 20_000
"""The limits of one move: about so many seconds of processor time, and simulations of each estimate. With both it takes
one thread.
"""
CPU_LIMIT = 8.0
"""The seconds of processor time after which the work ends in any case."""
THREADS, MAX_WAITING, MAX_PER_PLAYER, MAX_PER_NETWORK = 1, 16, 3, 6
"""How many moves are judged at once and how many may wait, and how many of these one player or network may have."""
_CAPACITY = 512
_BUSY = "Too many moves are being judged on this server. Try again in a minute."
_TOO_LONG = "This move takes too long to judge on this server."


class AlternativeService:
    """A queue of moves to judge, and the latest results by key. All methods belong to the event loop."""

    def __init__(self, warmup: Warmup) -> None:
        """Start with an empty queue; `warmup` says what is compiled."""
        self._warmup = warmup
        self._queue = WorkQueue("alternative", THREADS, _BUSY)
        self._results: OrderedDict[Hashable, Any] = OrderedDict()

    async def judge(self, client: Client, key: Hashable, game: str, work: Callable[[CpuBudget], T]) -> T:
        """Return what `work` finds out about a move, or what it has found before for the same key; `game` is the id of
        the game, which is compiled before. Raise BusyError if there is too much to do, or if it takes too long.
        """
        if key in self._results:
            self._results.move_to_end(key)
            found: T = self._results[key]
            return found
        stop = threading.Event()
        await self._warmup.wait_for(game, Feature.REVIEW, stop)
        limits = QueueLimits(MAX_WAITING, MAX_PER_PLAYER, MAX_PER_NETWORK, CPU_LIMIT)

        def work_within_budget(budget: CpuBudget) -> T:
            """Do the work; what a budget has cut short is not kept."""
            result = work(budget)
            budget.check()
            return result

        try:
            found = await self._queue.run(client, work_within_budget, stop, limits)
        except BudgetError:
            raise BusyError(_TOO_LONG) from None
        finally:
            stop.set()
        self._results[key] = found
        while len(self._results) > _CAPACITY:
            self._results.popitem(last=False)
        return found

    def close(self) -> None:
        """Stop for good, blocking: running and waiting work raises BusyError."""
        self._queue.close()
