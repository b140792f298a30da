"""Open sockets: what is queued for each, how a dead one is noticed, and how they are closed."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections import Counter, deque
from collections.abc import Callable
from enum import Enum
from typing import Protocol

from starlette.websockets import WebSocket

from fourcorners.web.auth.identity import get_client_address
from fourcorners.web.auth.limits import RateLimiter, find_guest, find_wide_network, normalise_address
from fourcorners.web.engine.cancellable_query import CancellableQuery
from fourcorners.web.protocol.codec import EncodedMessage
from fourcorners.web.protocol.server_messages import Beat, Goodbye, ServerMessage, encode
from fourcorners.web.protocol.snapshots import Snapshot

MAX_PER_PLAYER = 24
MAX_PER_ADDRESS = 200
"""A school shares one address, but so does an attacker who is a new guest with every socket."""
TOO_SLOW, RESTART, VIOLATION = 4408, 1012, 1008
"""The codes with which a socket is closed: it answers too slowly, must connect again, or sends what is no message."""
MAX_UNREADABLE = 100
"""Messages of one socket that cannot be read, after which it is closed; our page sends none."""
BEAT_EVERY = 4.0
_MAX_UNANSWERED = 2
"""A socket that has answered none of this many beats when the next is due is dead: after 12 seconds at most."""
_MAX_QUEUED, _SEND_WITHIN = 64, 10.0
"""A socket for which more messages wait, or that takes none for this many seconds, is too slow."""
_MAX_RECEIVED = 32
"""Messages of a socket that wait to be handled; while there are more, nothing is read from it."""
_CLOSE_WITHIN, _FLUSH_WITHIN, _GOODBYE_WITHIN = 1.0, 0.8, 1.2
"""The seconds that closing a socket may take, the sending of its queue before, and the closing of all sockets."""
_BEATS_AT_ONCE = 25
_BURST, _MESSAGES_PER_SECOND = 60, 30.0
"""Messages that a client may send at once and in the long run without being slowed down."""


class Channel(Protocol):
    """An accepted socket below ASGI, which has it in the scope's extensions under `CHANNEL`.

    A message through ASGI costs two visits to the event loop, and two system calls that pause and resume reading.
    """

    def attach(self, connection: Connection) -> None:
        """From now on tell a connection at once what happens: see its methods `receive_text` and those after it."""

    def send_text(self, text: bytes) -> None:
        """Send a message, text in UTF-8, unless the socket is closed."""

    def pause_reading(self) -> None:
        """Read nothing more until `resume_reading`."""

    def resume_reading(self) -> None:
        """Read again."""

    def abort(self) -> None:
        """Close the socket at once, without sending what waits."""


CHANNEL = "fourcorners.channel"
"""The extension of the ASGI scope that has the `Channel`, under the key "channel"."""


class ConnectionState(Enum):
    """The life of a connection.

    AWAITING_HELLO: open, but it shows no table yet. ACTIVE: it watches a table. LEAVING: it closes once everything
    queued is sent. BROKEN: it closes at once, because it is too slow.
    """

    AWAITING_HELLO = "awaiting hello"
    ACTIVE = "active"
    LEAVING = "leaving"
    BROKEN = "broken"


class ConnectionPool:
    """All open sockets of this process, counted by player and by address."""

    def __init__(self, limit: int) -> None:
        """Allow at most `limit` sockets in all; the limits by player and by address are constants."""
        self._limit = limit
        self._open: set[Connection] = set()
        self._per_player: Counter[str] = Counter()
        self._per_address: Counter[str] = Counter()
        self._empty = asyncio.Event()
        self._empty.set()

    def __len__(self) -> int:
        """Return the number of open sockets."""
        return len(self._open)

    def has_room_for(self, connection: Connection) -> bool:
        """Return whether a new connection is within the limits by player, by address and in total; do not add it."""
        if connection.address and self._per_address[connection.address] >= MAX_PER_ADDRESS:
            return False
        return len(self._open) < self._limit and self._per_player[connection.player] < MAX_PER_PLAYER

    def add(self, connection: Connection) -> None:
        """Count an open socket; it must be removed once it is closed."""
        self._open.add(connection)
        self._empty.clear()
        self._per_player[connection.player] += 1
        self._per_address[connection.address] += 1

    def remove(self, connection: Connection) -> None:
        """Stop counting a socket that is closed; raise KeyError if it is not counted."""
        self._open.remove(connection)
        for counter, key in ((self._per_player, connection.player), (self._per_address, connection.address)):
            counter[key] -= 1
            if not counter[key]:
                del counter[key]
        if not self._open:
            self._empty.set()

    def send_to_all(self, message: ServerMessage) -> None:
        """Send every socket the same message."""
        text = encode(message)
        for connection in list(self._open):
            connection.send(text)

    def send_to_game(self, game: str, message: ServerMessage) -> None:
        """Send the sockets of all tables where a game, an id without a preset, is played the same message."""
        text = encode(message)
        for connection in list(self._open):
            if connection.game == game:
                connection.send(text)

    async def send_beats(self, now: Callable[[], float]) -> None:
        """Send each socket a beat every `BEAT_EVERY` seconds until cancelled, and close those that answer none.

        The sockets take turns in small slices, so that no move waits until all beats are sent. `now` returns the server
        time, which the beats carry.
        """
        while True:
            waiting = list(self._open)
            slices = max(1, -(-len(waiting) // _BEATS_AT_ONCE))
            # Without sockets there is one empty slice, so that this waits all the same.
            for first in range(0, max(1, len(waiting)), _BEATS_AT_ONCE):
                text = encode(Beat(now=now()))
                for connection in waiting[first : first + _BEATS_AT_ONCE]:
                    connection.send_beat(text)
                await asyncio.sleep(BEAT_EVERY / slices)

    def disconnect_player(self, player: str, but: str = "") -> None:
        """Close a player's sockets, except those of the session `but` if it is not ""; the pages then connect again."""
        for connection in list(self._open):
            if connection.player == player and connection.session != but:
                connection.disconnect(RESTART, "connect again")

    async def say_goodbye(self, sentence: str) -> None:
        """Close all sockets with a sentence, because the server stops; return after `_GOODBYE_WITHIN` at the latest."""
        self.send_to_all(Goodbye(sentence=sentence))
        for connection in list(self._open):
            connection.disconnect(RESTART, "the server is restarting")
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._empty.wait(), _GOODBYE_WITHIN)


class Connection:
    """One socket, with messages that wait in both directions, so that nobody waits for a slow client.

    `lag` is the last measured round trip in seconds, `address` the client's and `wide_network` a network
    around it, both "" for this machine.
    """

    def __init__(self, socket: WebSocket, player: str, session: str = "") -> None:
        """Serve a socket; `player` and `session` are ids. Messages wait until `attach`."""
        self.player = player
        self.session = session
        self.address = normalise_address(get_client_address(socket))
        self.wide_network = find_wide_network(get_client_address(socket))
        self.state = ConnectionState.AWAITING_HELLO
        self.solve_query = CancellableQuery("solve")
        self.hint_query = CancellableQuery("hint")
        self.evaluate_query = CancellableQuery("evaluate")
        self.game = ""  # the id of the game at the table, once the room is open
        self.wanted_seat: int | None = None
        self.snapshot: Snapshot | None = None
        self.lag = 0.0
        self._socket = socket
        self._channel: Channel | None = None
        self._received: deque[str | bytes] = deque()
        self._waiter: asyncio.Future[None] | None = None  # of `receive`
        self._is_reading = True
        self._is_lost = False
        self._queue: deque[EncodedMessage] = deque()  # what the socket does not take yet
        self._is_writable = False
        self._write_timer: asyncio.TimerHandle | None = None
        self._flushed: asyncio.Future[None] | None = None  # of `close`
        self._allowance = float(_BURST)
        self._last_message = time.monotonic()
        # Only beats that were sent count: the client must not suffer for a slow server.
        self._unanswered = 0
        self._unreadable = 0
        self._closing: tuple[int, str] = (TOO_SLOW, "your connection was too slow")

    @property
    def is_ending(self) -> bool:
        """Whether the connection closes."""
        return self.state in {ConnectionState.LEAVING, ConnectionState.BROKEN}

    def send(self, text: EncodedMessage) -> None:
        """Send a message, or let it wait if the client takes none; never blocks or raises.
        If `_MAX_QUEUED` messages wait already, have the socket closed.
        """
        if self._is_writable and self._channel is not None:
            self._channel.send_text(text)
        elif len(self._queue) < _MAX_QUEUED:
            self._queue.append(text)
        else:
            self.break_off()

    def send_message(self, message: ServerMessage) -> None:
        """Encode a message and send it, as `send` does."""
        self.send(encode(message))

    def send_beat(self, text: EncodedMessage) -> None:
        """Send a beat, or close the socket if it has left `_MAX_UNANSWERED` unanswered; do nothing before the hello.
        Only beats sent while the server waits for a message count.
        """
        if self.state is ConnectionState.AWAITING_HELLO:
            return
        if self._waiter is not None:
            if self._unanswered == _MAX_UNANSWERED:
                self.break_off()
                return
            self._unanswered += 1
        self.send(text)

    def measure_lag(self, sent: float, now: float) -> None:
        """Set `lag` to the round trip of a beat, from `sent` to `now` in server time; ignore a beat from the future."""
        if sent <= now:
            self.lag = now - sent

    def count_unreadable(self) -> None:
        """Count a message that cannot be read; have the socket closed after `MAX_UNREADABLE` of them."""
        self._unreadable += 1
        if self._unreadable == MAX_UNREADABLE:
            self.disconnect(VIOLATION, "too many messages cannot be read")

    def mark_active(self) -> None:
        """Note that the client has said hello and watches a table; do nothing if the connection ends."""
        if self.state is ConnectionState.AWAITING_HELLO:
            self.state = ConnectionState.ACTIVE

    def cancel_queries(self) -> None:
        """Cancel the questions about the position that is shown."""
        for query in (self.solve_query, self.hint_query, self.evaluate_query):
            query.cancel()

    def attach(self, channel: Channel) -> None:
        """Send and receive through a channel, whose socket has been accepted."""
        self._channel = channel
        channel.attach(self)
        self.resume_writing()

    def receive_text(self, text: str | None) -> None:
        """Take a message of the client; None if it is not text."""
        self._unanswered = 0
        self._received.append(b"" if text is None else text)
        if len(self._received) > _MAX_RECEIVED and self._channel is not None and self._is_reading:
            self._is_reading = False
            self._channel.pause_reading()
        self._wake_receiver()

    def notice_loss(self) -> None:
        """Note that nothing more comes, because the socket is closed; may be called more than once."""
        self._is_lost = True
        self._is_writable = False
        self._stop_write_timer()
        self._wake_receiver()

    def pause_writing(self) -> None:
        """Note that the client takes no more; it has `_SEND_WITHIN` seconds to take something."""
        self._is_writable = False
        self._stop_write_timer()
        self._write_timer = asyncio.get_running_loop().call_later(_SEND_WITHIN, self.break_off)

    def resume_writing(self) -> None:
        """Note that the client takes messages, and send those that wait."""
        self._stop_write_timer()
        self._is_writable = True
        while self._queue and self._is_writable and self._channel is not None:
            self._channel.send_text(self._queue.popleft())
        if not self._queue and self._flushed is not None and not self._flushed.done():
            self._flushed.set_result(None)

    def _stop_write_timer(self) -> None:
        if self._write_timer is not None:
            self._write_timer.cancel()
            self._write_timer = None

    async def receive(self) -> str | bytes | None:
        """Return the client's next message, b"" for one that is not text, or None once the connection ends or is lost.

        A connection ends only here, between two messages: whatever is being answered is answered.
        """
        while not (self.is_ending or self._received or self._is_lost):
            self._waiter = asyncio.get_running_loop().create_future()
            try:
                await self._waiter
            finally:
                self._waiter = None
        if self.is_ending or not self._received:
            return None
        message = self._received.popleft()
        if not self._received and not self._is_reading and self._channel is not None:
            self._is_reading = True
            self._channel.resume_reading()
        return message

    def _wake_receiver(self) -> None:
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(None)

    def require_hello(self) -> None:
        """Have the socket closed if its client has not said hello by now."""
        if self.state is ConnectionState.AWAITING_HELLO:
            self.break_off()

    def disconnect(self, code: int, reason: str) -> None:
        """Have the socket closed with a code and a reason by `close`, which sends what waits; return at once."""
        self._closing = (code, reason)
        self.state = ConnectionState.LEAVING
        self._wake_receiver()

    def break_off(self) -> None:
        """Have the socket closed as too slow, without sending what waits, unless `disconnect` closes it already."""
        if self.state is not ConnectionState.LEAVING:
            self.state = ConnectionState.BROKEN
        self._wake_receiver()

    async def close(self) -> None:
        """Close the socket within `_CLOSE_WITHIN` seconds, unless the client has closed it; if LEAVING, wait before, up
        to `_FLUSH_WITHIN`, until the client takes what waits. Abort it if this takes longer. RuntimeErrors are ignored;
        raise WebSocketDisconnect if the client closes it meanwhile.
        """
        if self._is_lost:
            return
        try:
            async with asyncio.timeout(_CLOSE_WITHIN):
                if self.state is ConnectionState.LEAVING and self._queue:
                    self._flushed = asyncio.get_running_loop().create_future()
                    with contextlib.suppress(TimeoutError):
                        await asyncio.wait_for(self._flushed, _FLUSH_WITHIN)
                with contextlib.suppress(RuntimeError):
                    await self._socket.close(*self._closing)
        except TimeoutError:
            if self._channel is not None:
                self._channel.abort()

    async def enforce_rate_limit(self, action: str) -> None:
        """Count an action, named by a key of `RATE_LIMITS`; raise RateLimitError if the client does it too often."""
        limiter: RateLimiter = self._socket.app.state.limits
        guest = find_guest(self.player, self.session)
        await limiter.count(action, get_client_address(self._socket), self.player, guest=guest)

    async def throttle(self) -> None:
        """Count a message of the client, and wait if it sends more than `_MESSAGES_PER_SECOND` after a first burst."""
        now = time.monotonic()
        self._allowance = min(_BURST, self._allowance + (now - self._last_message) * _MESSAGES_PER_SECOND) - 1
        self._last_message = now
        if self._allowance < 0:
            await asyncio.sleep(-self._allowance / _MESSAGES_PER_SECOND)
