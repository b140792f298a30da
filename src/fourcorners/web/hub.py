"""The hub: all rooms in memory, opened from the store when somebody comes, and the threads they share."""

from __future__ import annotations

import asyncio
import logging
import time
from concurrent.futures import ThreadPoolExecutor

from fourcorners.core.errors import GameError
from fourcorners.web.computer import Computers
from fourcorners.web.kernels import Warmth
from fourcorners.web.room import Pools, Room
from fourcorners.web.solving import Desk
from fourcorners.web.store import Store
from fourcorners.web.table import Table
from fourcorners.web.thinking import Advisers

MOST_ROOMS = 2000
_KEPT_IDLE = 64
_BOARD_THREADS = 4
_SEARCH_THREADS = 4
"""More than there are cores: a seat that thinks for a minute slows the others down, but does not stop them."""
_MOST_RESUMED = 200
_logger = logging.getLogger(__name__)


class TooMuchError(Exception):
    """More is going on than this server takes."""


class Hub:
    """All that is going on."""

    def __init__(self, store: Store, warmth: Warmth, pace: float) -> None:
        self.store = store
        self.warmth = warmth
        self.desk = Desk()
        self.advisers = Advisers()
        self.computers = Computers()
        self._pace = pace
        self._board = ThreadPoolExecutor(_BOARD_THREADS, "board")
        self._search = ThreadPoolExecutor(_SEARCH_THREADS, "search")
        self._rooms: dict[str, Room] = {}
        self._opening: dict[str, asyncio.Lock] = {}
        self._resuming: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Take up the computer's turns that a stop left open."""
        self._resuming = asyncio.create_task(self._resume())

    async def _resume(self) -> None:
        await self.warmth.wait()
        loop = asyncio.get_running_loop()
        waiting = self.store.computers_waiting
        for table_id in await loop.run_in_executor(self._board, waiting, time.time(), _MOST_RESUMED):
            try:
                room = await self.open(table_id)
            except (GameError, TooMuchError):
                _logger.exception("table %s cannot be taken up", table_id)
                continue
            if room is not None:
                room.wake()

    async def open(self, table_id: str) -> Room | None:
        """Return the room of a table; None if there is no such table. Raise GameError if it no longer replays."""
        room = self._rooms.get(table_id)
        if room is not None:
            return room
        lock = self._opening.setdefault(table_id, asyncio.Lock())
        try:
            async with lock:
                if table_id not in self._rooms:
                    table = await asyncio.get_running_loop().run_in_executor(self._board, self._load, table_id)
                    if table is None:
                        return None
                    # Who came while the last to hold this lock failed holds another one, and may have been quicker.
                    if table_id not in self._rooms:
                        self._make_place()
                        pools = Pools(self._board, self._search)
                        self._rooms[table_id] = Room(table, self.store, pools, self.computers, self._pace)
                return self._rooms[table_id]
        finally:
            self._opening.pop(table_id, None)

    def _load(self, table_id: str) -> Table | None:
        saved = self.store.load(table_id)
        return None if saved is None else Table(saved)

    def _make_place(self) -> None:
        idle = sorted((room for room in self._rooms.values() if room.idle), key=lambda room: room.left_at)
        for room in idle[: max(0, len(idle) - _KEPT_IDLE)]:
            del self._rooms[room.id]
            self.computers.drop(room.id)
        if len(self._rooms) >= MOST_ROOMS:
            message = "too many games are being played on this server just now; come back in a while"
            raise TooMuchError(message)

    async def close(self) -> None:
        """Stop everything."""
        if self._resuming is not None:
            self._resuming.cancel()
            await asyncio.gather(self._resuming, return_exceptions=True)
        await asyncio.gather(*(room.close() for room in self._rooms.values()), return_exceptions=True)
        self.desk.close()
        self.advisers.close()
        self._search.shutdown(cancel_futures=True)
        self._board.shutdown(cancel_futures=True)
