"""Open lines: what is queued for each, how it is known to be alive, and how it is let go."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections import Counter
from collections.abc import Callable
from typing import Any

from starlette.websockets import WebSocket, WebSocketDisconnect

from fourcorners.web.auth.identity import get_client_address
from fourcorners.web.auth.limits import RateLimiter, normalise_address
from fourcorners.web.engine.cancellable_query import CancellableQuery
from fourcorners.web.protocol.snapshots import Frame, as_text

MOST_OF_A_BROWSER = 24
MOST_OF_AN_ADDRESS = 200
"""A school sits behind one address; who is a new guest with every socket does, too."""
_WAITING_SENDS = 64
_SEND_WITHIN = 10.0
_CLOSE_WITHIN = 1.0
_FLUSHED_WITHIN = 0.8
_PARTED_WITHIN = 1.2
_BEATS_AT_ONCE = 25
_TOOK_IN_A_ROW = 60
_TOOK_A_SECOND = 30.0
TOO_SLOW, RESTART = 4408, 1012
BEAT_EVERY = 4.0
_UNANSWERED = 2
"""A browser that has answered none of so many beats when the next is due is gone: 12 seconds at most after its line."""


class ConnectionPool:
    """All open sockets, counted."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._open: set[Connection] = set()
        self._of: Counter[str] = Counter()
        self._from: Counter[str] = Counter()
        self._none = asyncio.Event()
        self._none.set()

    def __len__(self) -> int:
        """Count them."""
        return len(self._open)

    def room_for(self, connection: Connection) -> bool:
        """Tell whether a browser may open one more; this machine's own are not counted by their address."""
        if connection.network and self._from[connection.network] >= MOST_OF_AN_ADDRESS:
            return False
        return len(self._open) < self._most and self._of[connection.owner] < MOST_OF_A_BROWSER

    def add(self, connection: Connection) -> None:
        """Count a socket."""
        self._open.add(connection)
        self._none.clear()
        self._of[connection.owner] += 1
        self._from[connection.network] += 1

    def remove(self, connection: Connection) -> None:
        """Count it no more."""
        self._open.remove(connection)
        for counted, key in ((self._of, connection.owner), (self._from, connection.network)):
            counted[key] -= 1
            if not counted[key]:
                del counted[key]
        if not self._open:
            self._none.set()

    def tell(self, text: str) -> None:
        """Send everybody the same."""
        for connection in list(self._open):
            connection.send(text)

    async def beat(self, now: Callable[[], float]) -> None:
        """Let every browser know that the line is alive, for ever; one that answers no more is let go.

        They take turns, a slice of them at a time, so that no move waits for all beats at once.
        """
        while True:
            waiting = list(self._open)
            slices = max(1, -(-len(waiting) // _BEATS_AT_ONCE))
            for first in range(0, max(1, len(waiting)), _BEATS_AT_ONCE):
                text = as_text({"type": "beat", "now": now()})
                for connection in waiting[first : first + _BEATS_AT_ONCE]:
                    connection.beat(text)
                await asyncio.sleep(BEAT_EVERY / slices)

    def part_with(self, player: str, but: str = "") -> None:
        """Let a player's browsers go, but those of one session: whoever comes back is who its cookie says."""
        for connection in list(self._open):
            if connection.owner == player and connection.session != but:
                connection.let_go(RESTART, "come back")

    async def part(self, sentence: str) -> None:
        """Ask all browsers to come back soon, and let them go; those that do not listen are not waited for."""
        self.tell(as_text({"type": "bye", "sentence": sentence}))
        for connection in list(self._open):
            connection.let_go(RESTART, "the server restarts")
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._none.wait(), _PARTED_WITHIN)


class Connection:
    """One socket, with a queue of what is to be sent, so that nobody waits for a slow browser."""

    def __init__(self, socket: WebSocket, owner: str, session: str = "") -> None:
        self.owner = owner
        self.session = session
        self.network = normalise_address(get_client_address(socket))
        self.solving = CancellableQuery(self.reply)
        self.hinting = CancellableQuery(self.reply)
        self.evaluating = CancellableQuery(self.reply)
        self.wish: int | None = None
        self.frame: Frame | None = None
        self._socket = socket
        self._queue: asyncio.Queue[str] = asyncio.Queue(_WAITING_SENDS)
        self._allowance = float(_TOOK_IN_A_ROW)
        self._counted = time.monotonic()
        # Beats that were sent: a server that is slow to send one has nobody but itself to blame.
        self._unanswered = 0
        self.lag = 0.0
        self.broken = False
        self._patience: asyncio.Timeout | None = None
        self._farewell: tuple[int, str] | None = None

    def send(self, text: str) -> None:
        """Queue a message; a browser that takes none for too long is let go."""
        try:
            self._queue.put_nowait(text)
        except asyncio.QueueFull:
            self.break_off()

    def reply(self, message: dict[str, Any]) -> None:
        """Queue a message given as data."""
        self.send(as_text(message))

    def beat(self, text: str) -> None:
        """Send a beat, unless none of the last ones was answered while somebody listened."""
        if self.frame is None:
            return
        if self._patience is not None:
            if self._unanswered == _UNANSWERED:
                self.break_off()
                return
            self._unanswered += 1
        self.send(text)

    def answered(self, sent: float, now: float) -> None:
        """Note that a beat was answered: what it took there and back is what a move takes."""
        if sent <= now:
            self.lag = now - sent

    def alive(self) -> None:
        """Note that the browser said something."""
        self._unanswered = 0

    def leave_off(self) -> None:
        """Ask no longer about the position that was shown."""
        for asking in (self.solving, self.hinting, self.evaluating):
            asking.cancel()

    async def send_all(self) -> None:
        """Send what is queued, for ever."""
        try:
            while True:
                text = await self._queue.get()
                async with asyncio.timeout(_SEND_WITHIN):
                    await self._socket.send_text(text)
                self._queue.task_done()
        except (TimeoutError, WebSocketDisconnect, RuntimeError, OSError):
            self.break_off()

    def let_go(self, code: int, reason: str) -> None:
        """Close the socket once all that is queued is sent."""
        self._farewell = (code, reason)
        self.break_off()

    def listening(self, patience: asyncio.Timeout | None) -> None:
        """Note what ends the wait for what the browser says; None while nobody listens."""
        self._patience = patience
        if self.broken and patience is not None:
            self.break_off()

    def break_off(self) -> None:
        """Listen no longer: the line is too slow, or no longer wanted."""
        self.broken = True
        if self._patience is not None and not self._patience.expired():
            self._patience.reschedule(asyncio.get_running_loop().time())

    async def close(self) -> None:
        """Close the socket, in a moment at most; one that is let go gets first what is queued."""
        code, reason = self._farewell or (TOO_SLOW, "this line was too slow")
        with contextlib.suppress(RuntimeError, TimeoutError):
            async with asyncio.timeout(_CLOSE_WITHIN):
                if self._farewell is not None:
                    with contextlib.suppress(TimeoutError):
                        async with asyncio.timeout(_FLUSHED_WITHIN):
                            await self._queue.join()
                await self._socket.close(code, reason)

    async def count(self, what: str) -> None:
        """Count what is limited; raise TooOftenError if it is too much."""
        limits: RateLimiter = self._socket.app.state.limits
        await limits.count(what, get_client_address(self._socket), self.owner)

    async def slow_down(self) -> None:
        """Wait if the browser talks faster than anybody plays."""
        now = time.monotonic()
        self._allowance = min(_TOOK_IN_A_ROW, self._allowance + (now - self._counted) * _TOOK_A_SECOND) - 1
        self._counted = now
        if self._allowance < 0:
            await asyncio.sleep(-self._allowance / _TOOK_A_SECOND)
