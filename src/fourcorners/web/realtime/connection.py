"""An open socket: what is queued for it, how a dead one is noticed, and how it is closed."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Callable, Coroutine
from enum import Enum
from typing import Any, Protocol

from starlette.websockets import WebSocket

from fourcorners.web.auth.allowance import Allowance
from fourcorners.web.auth.identity import get_client_address
from fourcorners.web.auth.limits import RateLimiter, find_guest, find_wide_network, normalise_address
from fourcorners.web.engine.cancellable_query import CancellableQuery
from fourcorners.web.protocol.close_codes import TOO_SLOW, VIOLATION
from fourcorners.web.protocol.codec import EncodedMessage
from fourcorners.web.protocol.server_messages import Beat, ServerMessage, encode
from fourcorners.web.protocol.snapshots import Snapshot

_TOO_SLOW = (TOO_SLOW, "Your connection was too slow.")
MAX_UNREADABLE = 100
"""Messages of one socket that cannot be read, after which it is closed; our page sends none."""
BEAT_EVERY = 4
"""Seconds between two beats of a socket that is in use."""
QUIET_ROUNDS, QUIET_BEAT_EVERY = 8, 16
"""After this many visits without any message but beats a socket is quiet; the seconds between two of its beats."""
_LATENESS = 0.5
"""The seconds by which a quiet beat may come later than the one before it has promised. Pages allow for six."""
_MAX_UNANSWERED = 2
"""A socket that has answered none of this many beats when the next is due is dead: after 12 seconds at most, and 24 if
it is quiet, as the beats after an unanswered one are not left out.
"""
_HELLO_ROUNDS = 8
"""The visits, half a minute, within which a client must have said hello; while a message is handled they do not count.
"""
_MAX_QUEUED, _SEND_WITHIN = 64, 10.0
"""A socket for which more messages wait, or that takes none for this many seconds, is too slow."""
_MAX_RECEIVED = 32
"""Messages of a socket that wait to be handled; while there are more, nothing is read from it."""
_CLOSE_WITHIN = 1.0
"""The seconds in which a socket that is closed must take what waits."""
_BURST, _MESSAGES_PER_SECOND = 60, 30.0
"""Messages that a client may send at once and in the long run without being slowed down."""


class Channel(Protocol):
    """An open socket, which tells its connection at once what happens: see the connection's method `receive_text` and
    those after it.

    It is below ASGI, where a message costs two visits to the event loop, two system calls that pause and resume
    reading, and memory for a task that waits inside all middleware.
    """

    def send_text(self, text: bytes) -> None:
        """Send a message, text in UTF-8, unless the socket is closed."""

    def close(self, code: int, reason: str) -> None:
        """Close the socket with a code and a reason, unless it is closed."""

    def pause_reading(self) -> None:
        """Read nothing more until `resume_reading`."""

    def resume_reading(self) -> None:
        """Read again."""

    def abort(self) -> None:
        """Close the socket at once, without sending what waits."""


HANDOVER = "fourcorners.handover"
"""The entry of the ASGI scope's state whose method `hand_over` takes a `Connection`, gives it the accepted socket and
returns the `Channel`. Afterwards the application returns.
"""


class Conversation(Protocol):
    """What a connection does with the messages of its client."""

    def handle(self, text: str | bytes, received: float) -> Coroutine[Any, Any, None] | None:
        """Handle a message, b"" for one that is not text, that arrived at server time `received`; return what remains
        to be awaited before the next one, None for nothing. Neither raises.
        """

    def end(self) -> None:
        """Forget the connection, which has been closed."""


class ConnectionState(Enum):
    """The life of a connection.

    AWAITING_HELLO: open, but it shows no table yet. ACTIVE: it watches a table. LEAVING: it closes once everything
    queued is sent. BROKEN: it closes at once, because it is too slow.
    """

    AWAITING_HELLO = "awaiting hello"
    ACTIVE = "active"
    LEAVING = "leaving"
    BROKEN = "broken"


def encode_beats(now: float) -> tuple[EncodedMessage, EncodedMessage]:
    """Return the beats at server time `now` for sockets that are in use, and for quiet ones."""
    return encode(Beat(now=now, interval=BEAT_EVERY)), encode(Beat(now=now, interval=QUIET_BEAT_EVERY))


class Connection:
    """One socket, with messages that wait in both directions, so that no one waits for a slow client.

    While nothing happens there is no task. `lag` is the last measured round trip in seconds, `allowance` that of the
    client's messages, `address` the client's and `wide_network` a network around it, both "" for this machine.
    """

    # Thousands of connections are open, most of them idle.
    __slots__ = (
        "__weakref__",
        "_channel",
        "_client_address",
        "_closing",
        "_conversation",
        "_is_lost",
        "_is_reading",
        "_is_writable",
        "_next_beat",
        "_now",
        "_queue",
        "_received",
        "_rounds",
        "_rounds_without_hello",
        "_task",
        "_unanswered",
        "_unreadable",
        "_writable",
        "_write_timer",
        "address",
        "allowance",
        "evaluate_query",
        "game",
        "hint_query",
        "is_visible",
        "lag",
        "player",
        "session",
        "snapshot",
        "solve_query",
        "state",
        "wanted_seat",
        "wide_network",
    )

    def __init__(
        self, socket: WebSocket, player: str, session: str = "", now: Callable[[], float] = time.monotonic
    ) -> None:
        """Prepare a connection for a socket; `player` and `session` are ids, and `now` returns the server time.
        Messages wait until `attach`.
        """
        self._now = now
        self.player = player
        self.session = session
        self._client_address = get_client_address(socket)
        self.address = normalise_address(self._client_address)
        self.wide_network = find_wide_network(self._client_address)
        self.state = ConnectionState.AWAITING_HELLO
        self.solve_query = CancellableQuery("solve")
        self.hint_query = CancellableQuery("hint")
        self.evaluate_query = CancellableQuery("evaluate")
        self.game = ""  # the id of the game at the table, once the room is open
        self.wanted_seat: int | None = None
        self.is_visible = True
        self.snapshot: Snapshot | None = None
        self.lag = 0.0
        self.allowance = Allowance(_BURST, _MESSAGES_PER_SECOND)
        self._channel: Channel | None = None
        self._conversation: Conversation | None = None
        self._task: asyncio.Task[None] | None = None  # that handles a message, or closes the socket
        self._received: list[tuple[str | bytes, float]] = []  # messages, and when they arrived
        self._is_reading = True
        self._is_lost = False
        self._queue: list[EncodedMessage] = []  # what the socket does not take yet
        self._is_writable = False
        self._write_timer: asyncio.TimerHandle | None = None
        self._writable: asyncio.Future[None] | None = None  # of `_close`
        self._rounds = 0  # visits of `send_beat` since the last message that was not a beat
        self._rounds_without_hello = 0
        self._next_beat = 0.0  # when the last beat has promised the next one, by the clock of `send_beat`
        # Only beats that were sent count: the client must not suffer for a slow server.
        self._unanswered = 0
        self._unreadable = 0
        self._closing: tuple[int, str] = _TOO_SLOW

    @property
    def is_ending(self) -> bool:
        """Whether the connection closes."""
        return self.state in {ConnectionState.LEAVING, ConnectionState.BROKEN}

    def send(self, text: EncodedMessage) -> None:
        """Send a message, or let it wait if the client takes none; never blocks or raises.
        If `_MAX_QUEUED` messages wait already, have the socket closed.
        """
        self._rounds = 0
        self._write(text)

    def _write(self, text: EncodedMessage) -> None:
        if self._is_writable and self._channel is not None:
            self._channel.send_text(text)
        elif len(self._queue) < _MAX_QUEUED:
            self._queue.append(text)
        else:
            self.break_off()

    def send_message(self, message: ServerMessage) -> None:
        """Encode a message and send it, as `send` does."""
        self.send(encode(message))

    def send_beat(self, beat: EncodedMessage, quiet_beat: EncodedMessage, now: float, pause: float) -> None:
        """Send the beat that is due, if any: `quiet_beat`, which promises the next one in `QUIET_BEAT_EVERY` seconds,
        or `beat`. `now` is a time in seconds of any clock, and `pause` how long the next visit is expected to take.

        A visit comes every `BEAT_EVERY` seconds, or later if the server is busy. It closes the socket if its client has
        left `_MAX_UNANSWERED` beats unanswered; only those that are sent while nothing is being handled count. Before
        the hello no beats are sent, but after `_HELLO_ROUNDS` the socket is closed.
        """
        is_listening = self._task is None
        if self.state is ConnectionState.AWAITING_HELLO:
            # Neither other messages nor what is sent to all sockets may keep it open; a hello may take long to answer.
            self._rounds_without_hello += is_listening and not self._received
            if self._rounds_without_hello >= _HELLO_ROUNDS:
                self.break_off()
            return
        self._rounds += 1
        if is_listening and self._unanswered == _MAX_UNANSWERED:
            self.break_off()
            return
        is_quiet = self._rounds >= QUIET_ROUNDS and not self._is_timed()
        if is_quiet and not self._unanswered and now + pause <= self._next_beat + _LATENESS:
            return
        self._next_beat = now + (QUIET_BEAT_EVERY if is_quiet else BEAT_EVERY)
        self._unanswered += is_listening
        self._write(quiet_beat if is_quiet else beat)

    def _is_timed(self) -> bool:
        """Whether the client plays against a running clock, for which its lag must be measured often."""
        board = None if self.snapshot is None else self.snapshot.board
        clock = None if board is None or not board.seats else board.clock
        return clock is not None and clock.running is not None and clock.kind != "days"

    def measure_lag(self, sent: float, now: float) -> None:
        """Set `lag` to the round trip of a beat, from `sent` to `now` in server time; ignore a beat from the future."""
        if sent <= now:
            self.lag = now - sent

    def count_unreadable(self) -> None:
        """Count a message that cannot be read; have the socket closed after `MAX_UNREADABLE` of them."""
        self._unreadable += 1
        if self._unreadable == MAX_UNREADABLE:
            self.disconnect(VIOLATION, "Too many messages could not be read.")

    def mark_used(self) -> None:
        """Note a message of the client that is not a beat: the socket is not quiet."""
        self._rounds = 0

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
        if not self._is_lost:
            self.resume_writing()

    def begin(self, conversation: Conversation) -> None:
        """Let a conversation handle the messages, including those that wait, and end once the socket is closed."""
        self._conversation = conversation
        self._advance()

    def receive_text(self, text: str | None) -> None:
        """Take a message of the client; None if it is not text."""
        self._unanswered = 0
        # No player is charged for the time in which a message waits for those before it, nor does it count as lag.
        self._received.append((b"" if text is None else text, self._now()))
        if len(self._received) > _MAX_RECEIVED and self._channel is not None and self._is_reading:
            self._is_reading = False
            self._channel.pause_reading()
        self._advance()

    def notice_loss(self) -> None:
        """Note that nothing more comes, because the socket is closed; may be called more than once."""
        self._is_lost = True
        self._is_writable = False
        self._channel = None  # which refers to this
        self._stop_write_timer()
        self._wake_closing()
        self._advance()

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
            self._channel.send_text(self._queue.pop(0))
        if self._is_writable:
            self._wake_closing()

    def _stop_write_timer(self) -> None:
        if self._write_timer is not None:
            self._write_timer.cancel()
            self._write_timer = None

    def _advance(self) -> None:
        """Handle what has been received, at once or in a task, and close the socket if the connection ends.

        A connection ends only here, between two messages: whatever is being answered is answered.
        """
        conversation = self._conversation
        if self._task is not None or conversation is None:
            return
        while self._received and not self.is_ending:
            rest = conversation.handle(*self._received.pop(0))
            if rest is not None:
                self._start_task(rest)
                return
        if self._task is not None or self._conversation is None:
            return  # the connection has ended while a message was handled
        if self.is_ending or self._is_lost:
            self._conversation = None
            self._start_task(self._close(conversation))
        elif not self._is_reading and self._channel is not None:
            self._is_reading = True
            self._channel.resume_reading()

    def _start_task(self, work: Coroutine[Any, Any, None]) -> None:
        self._task = asyncio.get_running_loop().create_task(work)
        self._task.add_done_callback(self._end_task)

    def _end_task(self, _: asyncio.Task[None]) -> None:
        self._task = None
        self._advance()

    def disconnect(self, code: int, reason: str) -> None:
        """Have the socket closed with a code and a reason, once what waits is sent; return at once."""
        self._closing = (code, reason)
        self.state = ConnectionState.LEAVING
        self._advance()

    def break_off(self) -> None:
        """Have the socket closed as too slow, unless `disconnect` closes it already."""
        if self.state is not ConnectionState.LEAVING:
            self.state = ConnectionState.BROKEN
        self._advance()

    async def _close(self, conversation: Conversation) -> None:
        """Close the socket within `_CLOSE_WITHIN` seconds, unless the client has closed it, and end the conversation.
        If the client takes nothing of what waits until then, abort it.
        """
        channel = self._channel
        if channel is not None and not self._is_lost:
            if not self._is_writable:
                self._writable = asyncio.get_running_loop().create_future()
                with contextlib.suppress(TimeoutError):
                    await asyncio.wait_for(self._writable, _CLOSE_WITHIN)
            if self._is_writable:
                channel.close(*self._closing)
            else:
                channel.abort()
        conversation.end()

    def _wake_closing(self) -> None:
        if self._writable is not None and not self._writable.done():
            self._writable.set_result(None)

    async def enforce_rate_limit(self, limiter: RateLimiter, action: str) -> None:
        """Count an action, named by a key of `RATE_LIMITS`; raise RateLimitError if the client does it too often."""
        guest = find_guest(self.player, self.session)
        await limiter.count(action, self._client_address, self.player, guest=guest)
