"""Solve positions for people who study them: a few at once in threads, within small limits of time and memory."""

import asyncio
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

from fourcorners.core.errors import GameError, SolverLimit
from fourcorners.core.game import Game
from fourcorners.core.position import Position
from fourcorners.solve import solver
from fourcorners.web.engine.cancellable_query import BusyError
from fourcorners.web.engine.warmup import Feature, Warmup

TIME_LIMIT, MEMORY_LIMIT = 5.0, 64 * 2**20
"""The limits for one position, in seconds and bytes."""
THREADS, MAX_WAITING = 2, 16
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
        self._threads = ThreadPoolExecutor(THREADS, "solve")
        self._results: OrderedDict[tuple[Game, bytes], SolveResult] = OrderedDict()
        self._jobs: set[threading.Event] = set()

    async def solve(self, position: Position, stop: threading.Event, on_bounds: BoundsCallback) -> SolveResult:
        """Return the result for a position, from the cache if possible; limits and refusals are results too.

        `on_bounds` is called in the event loop, every `_PROGRESS_INTERVAL` seconds at most. Before this is cancelled,
        `stop` must be set, so that the search in the thread ends as well. Raise BusyError if the queue is full; errors
        of the solver other than GameError pass through. After `close` raise as that says.
        """
        key = (position.game, position.states.tobytes())
        cached = self._results.get(key)
        if cached is not None:
            self._results.move_to_end(key)
            return cached
        await self._warmup.wait_for(position.game.spec.id, Feature.SOLVE, stop)
        if len(self._jobs) >= THREADS + MAX_WAITING:
            raise BusyError("Too many positions are being solved on this server. Try again in a minute.")
        self._jobs.add(stop)
        loop, last = asyncio.get_running_loop(), 0.0

        def on_progress(lower: int, upper: int, nodes: int, seconds: float, fill: float) -> None:
            """Pass the bounds on to the event loop now and then until `stop` is set; runs in the solving thread."""
            nonlocal last
            now = time.monotonic()
            if now - last >= _PROGRESS_INTERVAL and not stop.is_set():
                last = now
                loop.call_soon_threadsafe(on_bounds, lower, upper, nodes)

        future = self._threads.submit(_solve, position, stop, on_progress)
        # The job counts until its thread is free again, even if nobody waits for it any more.
        future.add_done_callback(lambda _: loop.call_soon_threadsafe(self._jobs.discard, stop))
        result = await asyncio.wrap_future(future)
        if stop.is_set():
            # `close` cut the search short, so the result says nothing about the limits.
            raise BusyError("This server is stopping. Try again in a minute.")
        self._results[key] = result
        while len(self._results) > _CACHE_CAPACITY:
            self._results.popitem(last=False)
        return result

    def close(self) -> None:
        """Stop for good, blocking: running searches raise BusyError, waiting CancelledError, new ones RuntimeError."""
        for stop in self._jobs:
            stop.set()
        self._threads.shutdown(cancel_futures=True)


def _solve(
    position: Position, stop: threading.Event, on_progress: Callable[[int, int, int, float, float], None]
) -> SolveResult:
    """Solve a position in a thread; a limit reached (`stop` counts as one) gives bounds, a GameError a refusal."""
    try:
        solution = solver.solve(
            position, seconds=TIME_LIMIT, memory=MEMORY_LIMIT, progress=on_progress, stop=stop, every_move=True
        )
    except SolverLimit as error:
        return SolveResult(error.lower, error.upper, nodes=error.nodes)
    except GameError as error:
        return SolveResult(refusal=error.message)
    value, details = solution.value, (solution.nodes, solution.nimber, solution.margins, solution.open_hands)
    return SolveResult(value, value, dict(solution.values), *details)
