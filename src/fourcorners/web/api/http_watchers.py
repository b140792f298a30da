"""Programs that ask over HTTP, as watchers of a room: a program that asked recently still counts as present."""

import asyncio
import contextlib
from collections.abc import AsyncIterator

from fourcorners.web.application.fair_turns import get_client
from fourcorners.web.application.refusals import CapacityError
from fourcorners.web.protocol.codec import EncodedMessage
from fourcorners.web.protocol.snapshots import Snapshot
from fourcorners.web.realtime.room import Room
from fourcorners.web.realtime.rooms import is_admitted

LINGER_SECONDS = 60.0
"""A seated program has not left until this many seconds after its last request."""
MAX_PER_PLAYER = 64  # watchers
MAX_WAITING = 8  # requests of one watcher
_TOO_MANY = "You are requesting too many tables at once. Try again in a minute."

_Key = tuple[str, str, int | None]


class HttpWatcher:
    """The watcher for all requests of one player about one table: it keeps the newest snapshot and wakes requests.

    `requests` counts the current ones, `leave_timer` runs after the last, `entering` is held while the room is greeted.
    """

    def __init__(self, room: Room, player: str, wanted_seat: int | None) -> None:
        """Watch a room for a player, the one whose request is in progress, as seat `wanted_seat`; None leaves the
        choice among the player's seats open.
        """
        self.room = room
        self.player = player
        self.wide_network = get_client().network
        self.wanted_seat = wanted_seat
        self.snapshot: Snapshot | None = None
        self.is_visible = True
        self.requests = 0
        self.leave_timer: asyncio.TimerHandle | None = None
        self.entering = asyncio.Lock()
        self._changed = asyncio.Event()
        self._dismissed = False

    def send(self, text: EncodedMessage) -> None:
        """Wake the requests that wait; the text is for pages, and the snapshot follows at once."""
        del text
        self._changed.set()
        self._changed = asyncio.Event()

    def cancel_queries(self) -> None:
        """Do nothing: HTTP requests have no such questions."""

    def disconnect(self, code: int, reason: str) -> None:
        """Answer the requests that wait, because the table was deleted or cannot be shown."""
        del code, reason
        self.dismiss()

    async def wait_for_newer(self, version: int, seconds: float) -> None:
        """Wait for a larger version or `dismiss`, at most this many seconds; without a snapshot return at once."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                while not self._dismissed and self.snapshot is not None and self.snapshot.version <= version:
                    await self._changed.wait()

    def dismiss(self) -> None:
        """Let no request wait from now on, and wake those that do."""
        self._dismissed = True
        self._changed.set()


class HttpWatchers:
    """All programs that watch tables over HTTP at this process."""

    def __init__(self, limit: int) -> None:
        """Allow at most `limit` watchers."""
        self._limit = limit
        self._watchers: dict[_Key, HttpWatcher] = {}
        self._closing = False

    def __len__(self) -> int:
        """Return the number of watchers."""
        return len(self._watchers)

    @contextlib.asynccontextmanager
    async def hold_watcher(
        self, room: Room, player: str, wanted_seat: int | None = None, *, fresh: bool = True
    ) -> AsyncIterator[HttpWatcher]:
        """Yield a new or shared watcher of a room, with a snapshot that, if `fresh`, has all that was stored before;
        raise CapacityError, StoreError, NoTableError.
        """
        key = (room.id, player, wanted_seat)
        if key not in self._watchers and not await is_admitted(room, player, get_client().network):
            raise CapacityError(_TOO_MANY)
        # Another request of the same program may have come during the wait above.
        watcher = self._watchers.get(key) or self._add(key, room)
        if watcher.requests >= MAX_WAITING:
            raise CapacityError("Too many of your requests are waiting for this table.")
        watcher.requests += 1
        if watcher.leave_timer is not None:
            watcher.leave_timer.cancel()
        try:
            async with watcher.entering:
                if watcher.snapshot is None:
                    await room.greet(watcher, None)
                elif fresh and room.context.shared:
                    # Another server may have stored events that this one has not heard of yet.
                    await room.catch_up(wake=False)
            yield watcher
        finally:
            watcher.requests -= 1
            if not watcher.requests:
                self._schedule_leave(key, watcher)

    def _add(self, key: _Key, room: Room) -> HttpWatcher:
        """Create a watcher, already dismissed if the server stops, and count it in its room; raise CapacityError."""
        _, player, wanted_seat = key
        own = sum(watcher.player == player for watcher in self._watchers.values())
        if len(self._watchers) >= self._limit or own >= MAX_PER_PLAYER:
            raise CapacityError(_TOO_MANY)
        watcher = self._watchers[key] = HttpWatcher(room, player, wanted_seat)
        if self._closing:
            watcher.dismiss()
        room.enter(watcher.wide_network)
        return watcher

    def _schedule_leave(self, key: _Key, watcher: HttpWatcher) -> None:
        """Let a watcher leave: a seated player's after `LINGER_SECONDS`, any other one at once, and all once the server
        stops.
        """
        seated = watcher.snapshot is not None and bool(watcher.snapshot.board.seats)
        if seated and not self._closing:
            # A player between two requests is still present, and the computer goes on thinking.
            watcher.leave_timer = asyncio.get_running_loop().call_later(LINGER_SECONDS, self._leave, key)
        else:
            self._leave(key)

    def _leave(self, key: _Key) -> None:
        """Remove a watcher, which must be there, and take it out of its room."""
        watcher = self._watchers.pop(key)
        watcher.room.leave(watcher)

    def dismiss_all(self) -> None:
        """Answer waiting requests now, and all new ones at once, with their snapshots; final: the server stops."""
        self._closing = True
        for watcher in self._watchers.values():
            watcher.dismiss()
