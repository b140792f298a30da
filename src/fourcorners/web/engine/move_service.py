"""Find moves for the computers at the tables, and keep their search trees between moves."""

import asyncio
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple, Protocol

from cachetools import LRUCache

from fourcorners.core.game import View
from fourcorners.core.spec import Spec
from fourcorners.players.computer import Computer
from fourcorners.players.computer_play import ComputerPlay
from fourcorners.players.levels import Level
from fourcorners.search.tree_search import SearchProgress
from fourcorners.web.domain.seats import Strength
from fourcorners.web.engine.warmup import Warmup, find_level_feature

THREADS = 4
"""More than most machines have cores: a seat that thinks for a minute slows others down but does not block them."""
CACHE_CAPACITY, _HEAVY_WEIGHT, _LIGHT_NODES = 32, 8, 20_000
"""Light computers per cache, what a heavy one weighs, and the simulations a move up to which one is light."""


class MoveRequest(NamedTuple):
    """A request for the move of a computer at `seat`, which is to move; `view` is what this seat may know."""

    table_id: str
    seat: int
    strength: Strength
    view: View


class Preparation(NamedTuple):
    """How much of what a computer's level needs is compiled, from 0 to 1: it cannot think yet."""

    share: float


ProgressCallback = Callable[[SearchProgress | Preparation], None]
"""Receives the progress of a search, or of what has to happen before it; may be called from any thread."""


class MoveService(Protocol):
    """Finds moves, in this process or on a cluster."""

    async def find_move(self, request: MoveRequest, stop: threading.Event, on_progress: ProgressCallback) -> str:
        """Return a move; once `stop` is set, return soon with any text, which the caller must discard. Errors of the
        search, such as GameError for the view of a seat that is not to move, pass through.
        """

    def forget_table(self, table_id: str) -> None:
        """Drop what is kept for the computers of a table."""

    def close(self) -> None:
        """Release all resources and block until searches have ended; the caller has set the `stop` of every one."""


class LocalMoveService:
    """Finds moves in threads of this process. All methods belong to the event loop."""

    def __init__(self, warmup: Warmup) -> None:
        """Start with an empty cache; `warmup` says what is compiled."""
        self._threads = ThreadPoolExecutor(THREADS, "search")
        self._warmup = warmup
        self.computers = ComputerCache()

    async def find_move(self, request: MoveRequest, stop: threading.Event, on_progress: ProgressCallback) -> str:
        """Return a move of this seat's computer, cached or new; soon once `stop` is set. First wait until its level is
        compiled. A computer that was stopped or that raises, which passes through, is dropped.
        """
        table_id, seat, strength, view = request
        feature = find_level_feature(find_level(strength, view.game.spec))
        await self._warmup.wait_for(view.game.spec.id, feature, stop, lambda share: on_progress(Preparation(share)))
        if stop.is_set():
            return ""
        computer = self.computers.borrow(table_id, seat, strength)

        def search() -> str:
            """Run the search in its thread and return the move."""
            # This starts the clock of a `ProgressMeter`: until now the search may have waited for a thread.
            on_progress(SearchProgress(0, 0.0, 0.0))
            return choose_move(computer, view, stop, on_progress)

        move = await asyncio.get_running_loop().run_in_executor(self._threads, search)
        if not stop.is_set():
            # A computer whose search was stopped is dropped: its table has gone another way.
            self.computers.give_back(table_id, seat, strength, computer, view.game.spec)
        return move

    def forget_table(self, table_id: str) -> None:
        """Drop the cached computers of a table; one that is thinking is not cached."""
        self.computers.forget_table(table_id)

    def close(self) -> None:
        """Cancel waiting searches and block until running ones, which the caller has stopped, end; later ones fail."""
        self._threads.shutdown(cancel_futures=True)


def choose_move(computer: Computer, view: View, stop: threading.Event, on_progress: ProgressCallback) -> str:
    """Return the computer's move for the seat to move; blocks, and calls `on_progress` in this thread. Once `stop` is
    set, return the best move so far. Raise GameError unless the view is that of the seat to move.
    """
    return computer.choose_move(view, stop, on_progress)


class ProgressMeter:
    """How many simulations a search has made, and which share of its budget it has used.

    The budget is time or a number of simulations. If it is time, the share is read off the clock, because solvers,
    which run before the search, do not report progress.
    """

    def __init__(self, strength: Strength, spec: Spec) -> None:
        """Show nothing used yet, for a computer of this strength in `spec`'s game; raise IndexError (unknown level)."""
        level = find_level(strength, spec)
        # The budget of a level with solvers is its seconds, that of any other level its simulations.
        self._seconds = level.seconds if strength.seconds is None and level.solves else strength.seconds
        self._began: float | None = None
        self.is_preparing = False
        self._progress = SearchProgress(0, 0.0, 0.0)

    def update(self, progress: SearchProgress | Preparation) -> None:
        """Take over the progress, in any thread; the first call with that of a search starts the clock."""
        self.is_preparing = isinstance(progress, Preparation)
        if isinstance(progress, Preparation):
            self._progress = SearchProgress(0, progress.share, 0.0)
            return
        if self._began is None:
            self._began = time.monotonic()
        self._progress = progress

    def read(self) -> tuple[int, float]:
        """Return the number of simulations and the used share, 0 to 1 (while preparing, the share that is compiled)."""
        if self._seconds is None or self._began is None:
            return self._progress.nodes, self._progress.share
        return self._progress.nodes, min(1.0, (time.monotonic() - self._began) / self._seconds)


class _CachedComputer(NamedTuple):
    strength: Strength
    computer: Computer
    weight: int


class ComputerCache:
    """Least-recently-used cache of computers with their search trees, by table and seat. Not thread-safe.

    A borrowed computer is not in the cache until it is given back. One without a limit of simulations, whose tree may
    take hundreds of megabytes, weighs as much as `_HEAVY_WEIGHT` others.
    """

    def __init__(self, capacity: int = CACHE_CAPACITY) -> None:
        """Start empty, with room for `capacity` light computers."""
        self._cached: LRUCache[tuple[str, int], _CachedComputer] = LRUCache(capacity, lambda cached: cached.weight)

    def __len__(self) -> int:
        return len(self._cached)

    def borrow(self, table_id: str, seat: int, strength: Strength) -> Computer:
        """Take the seat's computer out of the cache, or return a new one; one of another strength is dropped."""
        cached = self._cached.pop((table_id, seat), None)
        if cached is not None and cached.strength == strength:
            return cached.computer
        return Computer(strength.level, strength.seconds)

    def give_back(self, table_id: str, seat: int, strength: Strength, computer: Computer, spec: Spec) -> None:
        """Put a computer back for its seat's next move; drop those unused for longest while all weigh too much."""
        self._cached[table_id, seat] = _CachedComputer(strength, computer, _weigh(strength, spec))

    def forget_table(self, table_id: str) -> None:
        """Drop the computers of a table."""
        for key in [key for key in self._cached if key[0] == table_id]:
            del self._cached[key]


def find_level(strength: Strength, spec: Spec) -> Level:
    """Return the level that a computer plays at: the highest if it plays by time. The game must have the level."""
    return spec.part(ComputerPlay).levels[-1 if strength.level is None else strength.level - 1]


def _weigh(strength: Strength, spec: Spec) -> int:
    """Return 1, or `_HEAVY_WEIGHT` if a computer plays by time, makes many simulations, or uses the solvers."""
    level = find_level(strength, spec)
    is_light = strength.seconds is None and level.nodes <= _LIGHT_NODES and not level.solves
    return 1 if is_light else _HEAVY_WEIGHT
