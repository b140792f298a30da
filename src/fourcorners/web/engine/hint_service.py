"""Find hints and evaluations for people at tables: a few at once in threads, within small limits."""

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
_CACHE_CAPACITY = 512


class Estimate(NamedTuple):
    """How a game will probably end for the seat to move: its margin and its chance to win (0 to 1).

    `solved` says that both are proven. Once the game is over, the seat is seat 0.
    """

    value: float
    win: float
    solved: bool


class _Job(NamedTuple):
    player: str
    stop: threading.Event


class HintService:
    """A queue of searches and a cache of the latest estimates. All methods belong to the event loop."""

    def __init__(self) -> None:
        """Start with an empty queue and an empty cache."""
        self._threads = ThreadPoolExecutor(THREADS, "hint")
        self._jobs: set[_Job] = set()
        self._estimates: OrderedDict[tuple[Game, bytes], Estimate] = OrderedDict()

    async def hint(self, player: str, view: View, stop: threading.Event) -> Advice:
        """Return a good move for the seat to move, with a reason, from what this seat knows; raise BusyError.

        Before this is cancelled, `stop` must be set, so that the search in the thread ends as well.
        """
        return await self._run(_Job(player, stop), lambda: hint(view, seconds=HINT_SECONDS, stop=stop))

    async def estimate(self, player: str, view: View, stop: threading.Event) -> Estimate:
        """Estimate how the game will end from what the view shows, from the cache if possible; raise BusyError.

        Before this is cancelled, `stop` must be set, so that the search in the thread ends as well.
        """
        # Views with equal records hold the same knowledge.
        key = (view.game, view.states.tobytes())
        estimate = self._estimates.get(key)
        if estimate is None:
            # Spectators ask at the same moment: the job looks into the cache again when its turn comes.
            estimate = await self._run(_Job(player, stop), lambda: self._estimates.get(key) or _estimate(view, stop))
            self._estimates[key] = estimate
            while len(self._estimates) > _CACHE_CAPACITY:
                self._estimates.popitem(last=False)
        self._estimates.move_to_end(key)
        return estimate

    async def _run(self, job: _Job, work: Callable[[], T]) -> T:
        """Run `work` in a thread; raise BusyError if the queue is full or the player has too many jobs in it."""
        own = sum(1 for queued in self._jobs if queued.player == job.player and not queued.stop.is_set())
        if own >= MAX_PER_PLAYER or len(self._jobs) >= THREADS + MAX_WAITING:
            raise BusyError("This server is busy. Try again in a minute.")
        self._jobs.add(job)
        loop = asyncio.get_running_loop()
        future = self._threads.submit(work)
        # The job counts until its thread is free again, even if nobody waits for it any more.
        future.add_done_callback(lambda _: loop.call_soon_threadsafe(self._jobs.discard, job))
        result = await asyncio.wrap_future(future)
        if job.stop.is_set():
            # `close` cut the search short, so the result is worthless.
            raise BusyError("This server is stopping. Try again in a minute.")
        return result

    def close(self) -> None:
        """Stop all searches and refuse further ones."""
        for job in self._jobs:
            job.stop.set()
        self._threads.shutdown(cancel_futures=True)


def _estimate(view: View, stop: threading.Event) -> Estimate:
    """Estimate the end of a game by a search of `ESTIMATE_NODES`, or read it off a finished game."""
    if view.is_over:
        return Estimate(*_evaluate_end(view), solved=True)
    choice = Computer(nodes=ESTIMATE_NODES).choose(view, stop)
    return Estimate(choice.value, choice.win, choice.solved)


def _evaluate_end(view: View) -> tuple[float, float]:
    """Return seat 0's margin and its share of the win in a finished game."""
    best = max(view.scores)
    winners = [party for party in view.game.options.parties if view.scores[party[0]] == best]
    rivals = max(view.scores[party[0]] for party in view.game.options.parties if 0 not in party)
    return float(view.scores[0] - rivals), sum(0 in party for party in winners) / len(winners)
