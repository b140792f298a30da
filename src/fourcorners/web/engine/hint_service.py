"""Find hints and evaluations for people at tables: a few at once in threads, within small limits."""

import asyncio
import secrets
import threading
from collections import OrderedDict
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple, TypeVar

import numpy as np

from fourcorners.core import compiled_api
from fourcorners.core.bits import new_rng
from fourcorners.core.game import Game
from fourcorners.core.position import View
from fourcorners.players.computer import Computer
from fourcorners.players.hints import Advice, hint
from fourcorners.web.engine.cancellable_query import BusyError
from fourcorners.web.engine.warmup import Feature, Warmup

T = TypeVar("T")
HINT_SECONDS, ESTIMATE_NODES = 1.0, 2000
THREADS = 2
MAX_WAITING, MAX_PER_PLAYER = 32, 4
"""How many searches may wait for a thread, and how many one player may have, waiting and running."""
_CACHE_CAPACITY = 512
_PLAYOUTS = 24
"""How many random games from a position show how much of it is still open."""


class Estimate(NamedTuple):
    """How a game will probably end for the seat to move: its final margin `value` and its chance to win (0 to 1).

    `solved` means that the winner is proven, as in a `Choice`. Once the game is over, the seat is seat 0. Both numbers
    are means of `nodes` simulations. `spread` is the standard deviation of the final margin in random games from here,
    and `left` the share of the game that is still to be played, 0 to 1.
    """

    value: float
    win: float
    solved: bool
    nodes: int = ESTIMATE_NODES
    spread: float = 0.0
    left: float = 0.0


class _Job(NamedTuple):
    player: str
    stop: threading.Event


class HintService:
    """A queue of searches and a cache of the latest estimates. All methods belong to the event loop."""

    def __init__(self, warmup: Warmup) -> None:
        """Start with an empty queue and an empty cache; `warmup` says what is compiled."""
        self._warmup = warmup
        self._threads = ThreadPoolExecutor(THREADS, "hint")
        self._jobs: set[_Job] = set()
        self._estimates: OrderedDict[tuple[Game, bytes], Estimate] = OrderedDict()

    async def hint(self, player: str, view: View, stop: threading.Event) -> Advice:
        """Return a good move with a reason, from the view of the seat to move; a thread searches up to `HINT_SECONDS`
        once hints are compiled.

        Before this is cancelled, `stop` must be set, so that the search ends as well. Raise BusyError if the queue is
        full or `player`, who asks, has too many searches in it, GameError if the game is over or the view another's.
        """
        await self._warmup.wait_for(view.game.spec.id, Feature.HINT, stop)
        return await self._run(_Job(player, stop), lambda: hint(view, seconds=HINT_SECONDS, stop=stop))

    async def estimate(self, player: str, view: View, stop: threading.Event) -> Estimate:
        """Estimate how the game will end from what the view shows, from the cache if possible, once that is compiled.

        Before this is cancelled, `stop` must be set, so that the search ends as well. Raise BusyError if the queue is
        full or `player`, who asks, has too many searches in it, and GameError if the view is of another seat than that
        to move (of a finished game it may be any view).
        """
        # Views with equal records hold the same knowledge.
        key = (view.game, view.states.tobytes())
        estimate = self._estimates.get(key)
        if estimate is None:
            if not view.is_over:
                await self._warmup.wait_for(view.game.spec.id, Feature.EVALUATE, stop)
            # Spectators ask at the same moment: the job looks into the cache again when its turn comes.
            estimate = await self._run(_Job(player, stop), lambda: self._estimates.get(key) or _estimate(view, stop))
            self._estimates[key] = estimate
            while len(self._estimates) > _CACHE_CAPACITY:
                self._estimates.popitem(last=False)
        self._estimates.move_to_end(key)
        return estimate

    async def _run(self, job: _Job, work: Callable[[], T]) -> T:
        """Return or raise what `work` does in a thread; BusyError if too many wait or `stop` is set. See `close`."""
        same_player = sum(1 for queued in self._jobs if queued.player == job.player and not queued.stop.is_set())
        if same_player >= MAX_PER_PLAYER or len(self._jobs) >= THREADS + MAX_WAITING:
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
        """Stop for good, blocking: running searches raise BusyError, waiting CancelledError, new ones RuntimeError."""
        for job in self._jobs:
            job.stop.set()
        self._threads.shutdown(cancel_futures=True)


def _estimate(view: View, stop: threading.Event) -> Estimate:
    """Estimate the end by `ESTIMATE_NODES` simulations, fewer once `stop` is set; exact if over. Raise GameError."""
    if not view.is_over:
        choice = Computer(nodes=ESTIMATE_NODES).choose(view, stop)
        if choice.solved:
            return Estimate(choice.value, choice.win, solved=True)
        margins, plies = _play_random_games(view)
        left = plies / (plies + len(view.plies))
        return Estimate(choice.value, choice.win, False, max(choice.nodes, 1), float(np.std(margins)), left)
    best = max(view.scores)
    winners = [party for party in view.game.options.parties if view.scores[party[0]] == best]
    rivals = max(view.scores[party[0]] for party in view.game.options.parties if 0 not in party)
    return Estimate(float(view.scores[0] - rivals), sum(0 in party for party in winners) / len(winners), solved=True)


def _play_random_games(view: View) -> tuple[list[int], float]:
    """Play random games from a view that is not over, and return the final margins of the seat to move, each over its
    best rival, and the mean number of plies to the end, 1 or more.
    """
    rng, parties = new_rng(secrets.randbits(32)), view.game.options.parties
    seat = view.seat or 0
    points = np.zeros(view.game.spec.rules.MAX_SEATS, np.int64)
    margins, plies = [], 0
    for _ in range(_PLAYOUTS):
        states = view.states.copy()
        compiled_api.deal(states, 0, rng)
        while compiled_api.status(states, 0, points) >= 0:
            compiled_api.play(states, 0, compiled_api.pick(states, 0, rng))
            plies += 1
        own = int(points[seat])
        margins.append(own - max(int(points[party[0]]) for party in parties if seat not in party))
    return margins, plies / _PLAYOUTS
