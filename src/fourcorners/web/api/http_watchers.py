"""Programs that ask over HTTP, as a room knows them: somebody who asked lately is still at the table."""

from __future__ import annotations

import asyncio
import contextlib
from collections import Counter
from collections.abc import AsyncIterator

from fourcorners.web.protocol.snapshots import Frame
from fourcorners.web.realtime.room import Room
from fourcorners.web.realtime.room_registry import CapacityError, admits

LINGERS = 60.0
"""So many seconds after its last request a program that sits at a table has not left it."""
MOST_OF_ONE = 64
MOST_WAITING = 8
_TOO_MANY = "too many tables are asked about at once; wait a minute"

_Key = tuple[str, str, int | None]


class Errand:
    """A watcher for one command: it keeps what it is told first, which is the answer."""

    def __init__(self, owner: str) -> None:
        self.owner = owner
        self.wish: int | None = None
        self.frame: Frame | None = None
        self.answer = ""

    def send(self, text: str) -> None:
        """Keep the first message."""
        self.answer = self.answer or text

    def leave_off(self) -> None:
        """Nothing was asked that takes a while."""

    def let_go(self, code: int, reason: str) -> None:
        """Do nothing: an answer comes all the same."""


class Caller:
    """A watcher for all requests of one player about one table: it keeps the newest frame, and wakes who waits."""

    def __init__(self, room: Room, owner: str, wish: int | None) -> None:
        self.room = room
        self.owner = owner
        self.wish = wish
        self.frame: Frame | None = None
        self.visits = 0
        self.leaving: asyncio.TimerHandle | None = None
        self.entered = asyncio.Lock()
        self._news = asyncio.Event()
        self._dismissed = False

    def send(self, text: str) -> None:
        """Wake who waits; the frame follows at once, and the text itself is for pages."""
        del text
        self._news.set()
        self._news = asyncio.Event()

    def leave_off(self) -> None:
        """Nothing was asked that takes a while."""

    def let_go(self, code: int, reason: str) -> None:
        """Answer who waits: the table is gone."""
        del code, reason
        self.dismiss()

    async def later_than(self, version: int, seconds: float) -> None:
        """Wait until the table has a larger version, or so many seconds."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                while not self._dismissed and self.frame is not None and self.frame.version <= version:
                    await self._news.wait()

    def dismiss(self) -> None:
        """Answer who waits as things are, now and from now on."""
        self._dismissed = True
        self._news.set()


class Callers:
    """All programs that are at tables."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._callers: dict[_Key, Caller] = {}
        self._of: Counter[str] = Counter()
        self._closing = False

    def __len__(self) -> int:
        """Count them."""
        return len(self._callers)

    @contextlib.asynccontextmanager
    async def visit(self, room: Room, owner: str, wish: int | None = None) -> AsyncIterator[Caller]:
        """Be at a table, and know how it stands; raise TooMuchError where too many are."""
        key = (room.id, owner, wish)
        if key not in self._callers and not await admits(room, owner):
            raise CapacityError(_TOO_MANY)
        # Meanwhile another request of the same program may have come.
        caller = self._callers.get(key) or self._add(key, room)
        if caller.visits >= MOST_WAITING:
            message = "this program asks about this table in too many requests at once"
            raise CapacityError(message)
        caller.visits += 1
        if caller.leaving is not None:
            caller.leaving.cancel()
        try:
            async with caller.entered:
                if caller.frame is None:
                    await room.greet(caller, None)
            yield caller
        finally:
            caller.visits -= 1
            if not caller.visits:
                self._linger(key, caller)

    def _add(self, key: _Key, room: Room) -> Caller:
        _, owner, wish = key
        if len(self._callers) >= self._most or self._of[owner] >= MOST_OF_ONE:
            raise CapacityError(_TOO_MANY)
        caller = self._callers[key] = Caller(room, owner, wish)
        self._of[owner] += 1
        if self._closing:
            caller.dismiss()
        room.enter()
        return caller

    def _linger(self, key: _Key, caller: Caller) -> None:
        seated = caller.frame is not None and bool(caller.frame.data["seats"])
        if seated and not self._closing:
            # Between two requests nobody has left, and the computer goes on thinking.
            caller.leaving = asyncio.get_running_loop().call_later(LINGERS, self._leave, key)
        else:
            self._leave(key)

    def _leave(self, key: _Key) -> None:
        caller = self._callers.pop(key)
        self._of[caller.owner] -= 1
        if not self._of[caller.owner]:
            del self._of[caller.owner]
        caller.room.leave(caller)

    def part(self) -> None:
        """Let nobody wait any longer: the server stops."""
        self._closing = True
        for caller in self._callers.values():
            caller.dismiss()
