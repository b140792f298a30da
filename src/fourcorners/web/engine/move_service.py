"""The computers at the tables: what they are asked, and what they keep between their moves."""

from __future__ import annotations

import asyncio
import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple, Protocol

from fourcorners.core.levels import Level
from fourcorners.core.position import View
from fourcorners.core.spec import Spec
from fourcorners.players.computer import Computer
from fourcorners.search.tree_search import Progress
from fourcorners.web.domain.seats import Strength

THREADS = 4
"""More than there are cores: a seat that thinks for a minute slows the others down, but does not stop them."""
CACHE_CAPACITY = 32
_HEAVY = 8
_LIGHT_NODES = 20_000


class MoveRequest(NamedTuple):
    """What a computer is asked: at which table and seat, how strong it is, and what that seat may know."""

    table_id: str
    seat: int
    strength: Strength
    view: View


ProgressCallback = Callable[[Progress], None]
"""Is told how far a search is, from any thread."""


class MoveService(Protocol):
    """Where computers think."""

    async def find(self, question: MoveRequest, stop: threading.Event, progress: ProgressCallback) -> str:
        """Find a move; when `stop` is set that ends soon with any, which nobody wants."""

    def drop(self, table_id: str) -> None:
        """Forget what was thought at a table."""

    def close(self) -> None:
        """Think no more."""


class LocalMoveService:
    """Thinking in threads of this process."""

    def __init__(self) -> None:
        self._threads = ThreadPoolExecutor(THREADS, "search")
        self.computers = ComputerCache()

    async def find(self, question: MoveRequest, stop: threading.Event, progress: ProgressCallback) -> str:
        """Find a move by the computer that played here before, if it is kept."""
        table_id, seat, strength, view = question
        computer = self.computers.borrow(table_id, seat, strength)
        loop = asyncio.get_running_loop()

        def search() -> str:
            # It may have waited for a thread until now.
            progress(Progress(0, 0.0, 0.0))
            return choose_move(computer, view, stop, progress)

        move = await loop.run_in_executor(self._threads, search)
        if not stop.is_set():
            # Of what was cut short nothing is kept.
            self.computers.give_back(table_id, seat, strength, computer, view.game.spec)
        return move

    def drop(self, table_id: str) -> None:
        """Forget the computers of a table."""
        self.computers.drop(table_id)

    def close(self) -> None:
        """Think no more; who thinks has been told to stop."""
        self._threads.shutdown(cancel_futures=True)


def choose_move(computer: Computer, view: View, stop: threading.Event, progress: ProgressCallback) -> str:
    """Find a move from what the seat to move may know; `progress` is told how far the search is."""
    return computer.choose(view, stop=stop, progress=progress).move


class ProgressMeter:
    """How far a computer is with its move: games tried so far, and the share of its time or its games that is used.

    Where time is the limit the clock tells the share, as solvers, which are tried first, do not tell how far they are.
    """

    def __init__(self, strength: Strength, spec: Spec) -> None:
        """Show nothing used yet; the clock stands still."""
        style = _style(strength, spec)
        self._seconds = style.seconds if strength.seconds is None and style.solves else strength.seconds
        self._began: float | None = None
        self._state = Progress(0, 0.0, 0.0)

    def start(self) -> None:
        """Start the clock."""
        self._began = time.monotonic()

    def take(self, state: Progress) -> None:
        """Note what a search tells of itself; the first word of it starts the clock."""
        if self._began is None:
            self.start()
        self._state = state

    def read(self) -> tuple[int, float]:
        """Return the games tried, and the share used, 0 to 1."""
        if self._seconds is None or self._began is None:
            return self._state.nodes, self._state.share
        return self._state.nodes, min(1.0, (time.monotonic() - self._began) / self._seconds)


class _Kept(NamedTuple):
    strength: Strength
    computer: Computer
    weight: int


class ComputerCache:
    """The computers of late, each with what it found out for its next move: as many as fit, those used last.

    One that is borrowed is nobody else's, and forgotten here until it is given back. One that searches without a limit
    of simulations, which may come to hundreds of megabytes, takes the room of several others. Not for several threads.
    """

    def __init__(self, room: int = CACHE_CAPACITY) -> None:
        """Keep nothing yet, and at most so many light ones."""
        self._room = room
        self._kept: OrderedDict[tuple[str, int], _Kept] = OrderedDict()

    def __len__(self) -> int:
        return len(self._kept)

    def borrow(self, table: str, seat: int, strength: Strength) -> Computer:
        """Return the computer that played here before, or a new one."""
        kept = self._kept.pop((table, seat), None)
        if kept is not None and kept.strength == strength:
            return kept.computer
        return Computer(strength.level, strength.seconds)

    def give_back(self, table: str, seat: int, strength: Strength, computer: Computer, spec: Spec) -> None:
        """Keep a computer for its next move."""
        self._kept[table, seat] = _Kept(strength, computer, _weight(strength, spec))
        while sum(kept.weight for kept in self._kept.values()) > self._room:
            self._kept.popitem(last=False)

    def drop(self, table: str) -> None:
        """Forget the computers of a table."""
        for key in [key for key in self._kept if key[0] == table]:
            del self._kept[key]


def _style(strength: Strength, spec: Spec) -> Level:
    return spec.levels[-1 if strength.level is None else strength.level - 1]


def _weight(strength: Strength, spec: Spec) -> int:
    style = _style(strength, spec)
    light = strength.seconds is None and style.nodes <= _LIGHT_NODES and not style.solves
    return 1 if light else _HEAVY
