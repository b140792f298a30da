"""Exact values for those who study a position: solved in threads of their own, a few at once, within small limits."""

from __future__ import annotations

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

TIME_LIMIT = 5.0
MEMORY_LIMIT = 64 * 2**20
THREADS = 2
MAX_WAITING = 16
_KEPT = 256
_PROGRESS_EVERY = 0.25

BoundsCallback = Callable[[int, int, int], None]
"""Is told the lower and the upper bound and the number of nodes so far."""


class SolveResult(NamedTuple):
    """What solving a position came to: margins are those of the seat to move, from there to the end.

    `lower` and `upper` are equal where the value is proven; `values` are then those of all moves. `refusal` says why a
    position cannot be solved at all. `margins` are by seat, where there are three or more.
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
    """The positions being solved, those that wait, and the verdicts of late."""

    def __init__(self) -> None:
        self._threads = ThreadPoolExecutor(THREADS, "solve")
        self._verdicts: OrderedDict[tuple[Game, bytes], SolveResult] = OrderedDict()
        self._asked: set[threading.Event] = set()

    async def ask(self, position: Position, stop: threading.Event, tell: BoundsCallback) -> SolveResult:
        """Solve a position, or raise BusyError. Who cancels this sets `stop` first, so that the thread ends too."""
        key = (position.game, position.states.tobytes())
        known = self._verdicts.get(key)
        if known is not None:
            self._verdicts.move_to_end(key)
            return known
        if len(self._asked) >= THREADS + MAX_WAITING:
            raise BusyError("Too many positions are being solved on this server just now; ask again in a while.")
        self._asked.add(stop)
        loop, last = asyncio.get_running_loop(), 0.0

        def progress(lower: int, upper: int, nodes: int, seconds: float, fill: float) -> None:
            nonlocal last
            now = time.monotonic()
            if now - last >= _PROGRESS_EVERY and not stop.is_set():
                last = now
                loop.call_soon_threadsafe(tell, lower, upper, nodes)

        work = self._threads.submit(_verdict, position, stop, progress)
        # Counted until its thread is free again, whether or not anybody still waits for it.
        work.add_done_callback(lambda _: loop.call_soon_threadsafe(self._asked.discard, stop))
        verdict = await asyncio.wrap_future(work)
        if stop.is_set():
            # Cut short by the end of the server: no verdict within the limits.
            raise BusyError("This server is being stopped; ask again in a while.")
        self._verdicts[key] = verdict
        while len(self._verdicts) > _KEPT:
            self._verdicts.popitem(last=False)
        return verdict

    def forget(self) -> None:
        """Forget the verdicts."""
        self._verdicts.clear()

    def close(self) -> None:
        """Stop everything."""
        for stop in self._asked:
            stop.set()
        self._threads.shutdown(cancel_futures=True)


def _verdict(
    position: Position, stop: threading.Event, progress: Callable[[int, int, int, float, float], None]
) -> SolveResult:
    try:
        found = solver.solve(
            position, seconds=TIME_LIMIT, memory=MEMORY_LIMIT, progress=progress, stop=stop, every_move=True
        )
    except SolverLimit as error:
        return SolveResult(error.lower, error.upper, nodes=error.nodes)
    except GameError as error:
        return SolveResult(refusal=error.message)
    return SolveResult(
        lower=found.value,
        upper=found.value,
        values=dict(found.values),
        nodes=found.nodes,
        nimber=found.nimber,
        margins=found.margins,
        open_hands=found.open_hands,
    )
