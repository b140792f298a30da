"""Find hints and evaluations for people at tables: a few at once in threads, each within a budget."""

import secrets
import threading
from collections import OrderedDict
from collections.abc import Callable
from typing import NamedTuple, TypeVar

from fourcorners.core.game import Game
from fourcorners.core.position import View
from fourcorners.players.computer import Computer
from fourcorners.players.hints import Advice, hint
from fourcorners.study.random_games import play_random_games
from fourcorners.web.engine.warmup import Feature, Warmup
from fourcorners.web.engine.work_queue import Client, CpuBudget, QueueLimits, WorkQueue

T = TypeVar("T")
HINT_SECONDS, HINT_NODES, ESTIMATE_NODES = 1.0, 200_000, 2000
HINT_CPU, ESTIMATE_CPU = 1.0, 0.4
"""The processor time of one search in seconds; then the best result so far counts."""
THREADS = 2
MAX_WAITING, MAX_PER_PLAYER, MAX_PER_NETWORK = 32, 4, 8
"""How many searches may wait for a thread, and how many one player and one network may have, waiting and running."""
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


class HintService:
    """A queue of searches and a cache of the latest estimates. All methods belong to the event loop."""

    def __init__(self, warmup: Warmup) -> None:
        """Start with an empty queue and an empty cache; `warmup` says what is compiled."""
        self._warmup = warmup
        self._queue = WorkQueue("hint", THREADS, "This server is busy. Try again in a minute.")
        self._estimates: OrderedDict[tuple[Game, bytes], Estimate] = OrderedDict()

    async def hint(self, client: Client, view: View, stop: threading.Event) -> Advice:
        """Return a good move with a reason, from the view of the seat to move; a thread searches up to `HINT_SECONDS`
        once hints are compiled.

        Before this is cancelled, `stop` must be set, so that the search ends as well. Raise BusyError as
        `WorkQueue.run` does, GameError if the game is over or the view another's.
        """
        await self._warmup.wait_for(view.game.spec.id, Feature.HINT, stop)

        def search(budget: CpuBudget) -> Advice:
            # With both limits a single thread searches, whose processor time the budget measures.
            return hint(view, seconds=HINT_SECONDS, nodes=HINT_NODES, stop=budget)

        return await self._run(client, search, stop, HINT_CPU)

    async def estimate(self, client: Client, view: View, stop: threading.Event) -> Estimate:
        """Estimate how the game will end from what the view shows, from the cache if possible, once that is compiled.

        Before this is cancelled, `stop` must be set, so that the search ends as well. Raise BusyError as
        `WorkQueue.run` does, and GameError if the view is of another seat than that to move (of a finished game it may
        be any view).
        """
        # Views with equal records hold the same knowledge.
        key = (view.game, view.states.tobytes())
        estimate = self._estimates.get(key)
        if estimate is None:
            if not view.is_over:
                await self._warmup.wait_for(view.game.spec.id, Feature.EVALUATE, stop)
            # Spectators ask at the same moment: the job looks into the cache again when its turn comes.

            def search(budget: CpuBudget) -> Estimate:
                return self._estimates.get(key) or _estimate(view, budget)

            estimate = await self._run(client, search, stop, ESTIMATE_CPU)
            self._estimates[key] = estimate
            while len(self._estimates) > _CACHE_CAPACITY:
                self._estimates.popitem(last=False)
        self._estimates.move_to_end(key)
        return estimate

    async def _run(
        self, client: Client, work: Callable[[CpuBudget], T], stop: threading.Event, cpu_seconds: float
    ) -> T:
        """Return or raise what `work` does in a thread within a budget; raise BusyError as `WorkQueue.run` does, and if
        `close` has cut it short.
        """
        limits = QueueLimits(MAX_WAITING, MAX_PER_PLAYER, MAX_PER_NETWORK, cpu_seconds)
        return await self._queue.run(client, work, stop, limits)

    def close(self) -> None:
        """Stop for good, blocking: running and waiting searches raise BusyError, new ones RuntimeError."""
        self._queue.close()


def _estimate(view: View, stop: threading.Event) -> Estimate:
    """Estimate the end by `ESTIMATE_NODES` simulations, fewer once `stop` is set; exact if over. Raise GameError."""
    if not view.is_over:
        choice = Computer(nodes=ESTIMATE_NODES).choose(view, stop)
        if choice.solved:
            return Estimate(choice.value, choice.win, solved=True)
        games = play_random_games(view, secrets.randbits(32), _PLAYOUTS, stop.is_set)
        left = games.plies / (games.plies + len(view.plies))
        return Estimate(choice.value, choice.win, False, max(choice.nodes, 1), games.spread, left)
    best = max(view.scores)
    winners = [party for party in view.game.options.parties if view.scores[party[0]] == best]
    rivals = max(view.scores[party[0]] for party in view.game.options.parties if 0 not in party)
    return Estimate(float(view.scores[0] - rivals), sum(0 in party for party in winners) / len(winners), solved=True)
