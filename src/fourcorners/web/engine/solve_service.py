"""Solve positions for people who study them: a few at once in threads, each within a budget of time and memory."""

import asyncio
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping
from typing import NamedTuple

from fourcorners.core.errors import GameError, SolverLimit
from fourcorners.core.game import Game
from fourcorners.core.position import Position
from fourcorners.solve import solver
from fourcorners.web.engine.warmup import Feature, Warmup
from fourcorners.web.engine.work_queue import Client, QueueLimits, WorkQueue

TIME_LIMIT, MEMORY_LIMIT = 2.0, 64 * 2**20
"""The limits for one position, in seconds of processor time and bytes."""
LONGEST_WAIT = 6.0
"""The seconds after which a search ends on a machine that is too busy to give it its processor time."""
THREADS, MAX_WAITING, MAX_PER_PLAYER, MAX_PER_NETWORK = 2, 16, 4, 8
"""How many positions are solved at once and how many may wait, and how many of these one player or network may have."""
_CACHE_CAPACITY = 256
_PROGRESS_INTERVAL = 0.25

BoundsCallback = Callable[[int, int, int], None]
"""Receives the lower and upper bound of the margin, as in a `SolveResult`, and the number of nodes so far."""


class SolveResult(NamedTuple):
    """What the solver found out about a position, in margins of the seat to move from here to the end.

    `lower` and `upper` are equal if the value is proven; `values` then has every move's value, or is empty if the
    limits were reached before. `nimber` is set for games where only the last move counts, `margins` for three or more
    parties: by how much each seat's margin changes. `refusal` says why a position cannot be solved at all, else "".
    """

    lower: int = 0
    upper: int = 0
    values: Mapping[str, int] = {}
    nodes: int = 0
    nimber: int | None = None
    margins: tuple[int, ...] | None = None
    open_hands: bool = False
    refusal: str = ""


class SolveService:
    """A queue of positions to solve and a cache of the latest results. All methods belong to the event loop."""

    def __init__(self, warmup: Warmup) -> None:
        """Start with an empty queue and an empty cache; `warmup` says what is compiled."""
        self._warmup = warmup
        busy = "Too many positions are being solved on this server. Try again in a minute."
        self._queue = WorkQueue("solve", THREADS, busy)
        self._results: OrderedDict[tuple[Game, bytes], SolveResult] = OrderedDict()

    async def solve(
        self, client: Client, position: Position, stop: threading.Event, on_bounds: BoundsCallback
    ) -> SolveResult:
        """Return the result for a position, from the cache if possible; limits and refusals are results too.

        `on_bounds` is called in the event loop, every `_PROGRESS_INTERVAL` seconds at most. Before this is cancelled,
        `stop` must be set, so that the search in the thread ends as well. Raise BusyError as `WorkQueue.run` does;
        errors of the solver other than GameError pass through. After `close` raise as that says.
        """
        key = (position.game, position.states.tobytes())
        cached = self._results.get(key)
        if cached is not None:
            self._results.move_to_end(key)
            return cached
        await self._warmup.wait_for(position.game.spec.id, Feature.SOLVE, stop)
        loop, last = asyncio.get_running_loop(), 0.0

        def on_progress(lower: int, upper: int, nodes: int, seconds: float, fill: float) -> None:
            """Pass the bounds on to the event loop now and then until `stop` is set; runs in the solving thread."""
            nonlocal last
            now = time.monotonic()
            if now - last >= _PROGRESS_INTERVAL and not stop.is_set():
                last = now
                loop.call_soon_threadsafe(on_bounds, lower, upper, nodes)

        limits = QueueLimits(MAX_WAITING, MAX_PER_PLAYER, MAX_PER_NETWORK, TIME_LIMIT)
        result = await self._queue.run(client, lambda budget: _solve(position, budget, on_progress), stop, limits)
        self._results[key] = result
        while len(self._results) > _CACHE_CAPACITY:
            self._results.popitem(last=False)
        return result

    def close(self) -> None:
        """Stop for good, blocking: running and waiting searches raise BusyError, new ones RuntimeError."""
        self._queue.close()


def _solve(
    position: Position, stop: threading.Event, on_progress: Callable[[int, int, int, float, float], None]
) -> SolveResult:
    """Solve a position in a thread; a limit reached (`stop` counts as one) gives bounds, a GameError a refusal."""
    try:
        solution = solver.solve(
            position,
            seconds=LONGEST_WAIT,
            memory=MEMORY_LIMIT,
            threads=1,  # the budget measures the processor time of one
            progress=on_progress,
            stop=stop,
            every_move=True,
        )
    except SolverLimit as error:
        return SolveResult(error.lower, error.upper, nodes=error.nodes)
    except GameError as error:
        return SolveResult(refusal=error.message)
    value, details = solution.value, (solution.nodes, solution.nimber, solution.margins, solution.open_hands)
    return SolveResult(value, value, dict(solution.values), *details)
