"""Open WebSockets: frames and bytes are counted in small pieces, and who sends too many is closed."""

from __future__ import annotations

import asyncio
import logging
import time

from uvicorn.server import ServerState
from websockets.exceptions import InvalidState
from websockets.frames import CloseCode, Frame, Opcode
from websockets.protocol import Protocol, Side

from fourcorners.web.realtime.connection import Connection
from fourcorners.web.wire import allowance, lingering
from fourcorners.web.wire.allowance import Allowance
from fourcorners.web.wire.guard import MAX_BACKLOG, Guard

TOO_MUCH = 4429
"""The code that closes a socket that sends too many frames or bytes."""
_PIECE = 256
"""Bytes that are parsed at once: at most 42 frames, about half a millisecond. Most messages are shorter."""
_COUNTED_FRAMES, _COUNTED_BYTES = 8, 4096
"""How much a socket sends before it is charged to the player and the address: that takes as long as for the socket."""
_CLOSE_TIMEOUT = 10.0
"""Seconds that a client has to answer a close frame."""
_logger = logging.getLogger("uvicorn.error")


class SocketProtocol(asyncio.Protocol):
    """A WebSocket after its handshake, and the `Channel` of its connection; nothing of the handshake stays in memory.

    Small pieces of what arrives are parsed at once, the others in turn with those of other sockets.
    """

    __slots__ = (
        "__weakref__",
        "_allowance",
        "_backlog",
        "_close_sent",
        "_close_timer",
        "_conn",
        "_connection",
        "_dropped_bytes",
        "_fragments",
        "_guard",
        "_has_spoken",
        "_is_refused",
        "_is_text",
        "_read_paused",
        "_server_state",
        "_shared",
        "_uncounted_bytes",
        "_uncounted_frames",
        "address",
        "is_queued",
        "transport",
    )

    def __init__(
        self,
        transport: asyncio.Transport,
        connection: Connection,
        guard: Guard,
        server_state: ServerState,
        address: str,
        max_size: int,
    ) -> None:
        """Take over a transport after the handshake, which has been answered.

        `address` is the network of the peer, which may be a proxy. Messages have at most `max_size` bytes.
        """
        self.transport = transport
        self.address = address
        self.is_queued = False
        self._conn = Protocol(Side.SERVER, max_size=max_size, logger=_logger)
        self._connection: Connection | None = connection
        self._guard = guard
        self._server_state = server_state
        self._allowance = Allowance(allowance.PER_SOCKET)
        self._shared: tuple[Allowance, ...] = ()  # of the player and of the address, once something is charged to them
        self._uncounted_frames = self._uncounted_bytes = 0  # not yet charged to the shared allowances
        self._has_spoken = False
        self._read_paused = False
        self._backlog: bytearray | None = None
        self._fragments: list[bytes] | None = None  # of an incomplete message
        self._is_text = False
        self._is_refused = False  # whatever arrives is dropped
        self._dropped_bytes = 0
        self._close_sent = False
        self._close_timer: asyncio.TimerHandle | None = None
        server_state.connections.add(self)  # type: ignore[arg-type]  # it calls `shutdown` only

    @property
    def is_light(self) -> bool:
        """Whether most of the socket's allowance is left."""
        return self._allowance.is_light

    def send_text(self, text: bytes) -> None:
        """Send a message, text in UTF-8, unless the socket is closed."""
        if not self._close_sent and not self.transport.is_closing():
            self.transport.write(Frame(Opcode.TEXT, text).serialize(mask=False))

    def close(self, code: int, reason: str) -> None:
        """Send a close frame, unless the socket is closed; the client has `_CLOSE_TIMEOUT` seconds to answer it, unless
        the connection must make room for another before.
        """
        if self._close_sent or self.transport.is_closing():
            return
        try:
            self._conn.send_close(code, reason)
        except InvalidState:  # the client closes it
            return
        self._write_replies()
        self._close_sent = True
        self._await_end()
        self.resume_reading()
        self._close_timer = asyncio.get_running_loop().call_later(_CLOSE_TIMEOUT, self.transport.close)

    def pause_reading(self) -> None:
        """Parse nothing more until `resume_reading`."""
        if not self._read_paused:
            self._read_paused = True
            self.transport.pause_reading()

    def resume_reading(self) -> None:
        """Go on parsing, also what has arrived meanwhile."""
        if self._read_paused:
            self._read_paused = False
            self.transport.resume_reading()
            if self._backlog:
                self._limit_backlog()
                self._guard.queue.add(self)

    def abort(self) -> None:
        """Close the connection without sending what waits."""
        self.transport.abort()

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the connection."""
        self._backlog = None
        self._guard.remove(self)
        self._server_state.connections.discard(self)
        if self._close_timer is not None:
            self._close_timer.cancel()
            self._close_timer = None
        if exc is None:
            self.transport.close()
        # The parser refers to itself. A flood of connections must not leave that to the garbage collector.
        self._conn.parser.close()
        self._notify_loss()
        # Without this cycle the memory is free at once, not only when garbage is collected.
        self._connection = None

    def eof_received(self) -> None:
        """Let the transport close: nothing is half open."""

    def pause_writing(self) -> None:
        """Tell the connection that the client takes no more for now."""
        if self._connection is not None:
            self._connection.pause_writing()

    def resume_writing(self) -> None:
        """Tell the connection that the client takes messages again."""
        if self._connection is not None:
            self._connection.resume_writing()

    def shutdown(self) -> None:
        """Close the socket because the server stops."""
        self.close(CloseCode.SERVICE_RESTART, "")
        self.transport.close()
        self._notify_loss()

    def drop(self) -> None:
        """Close the connection at once, to make room for another."""
        self.transport.abort()

    def time_out(self) -> None:
        """Close the connection at once; the application has its own limits for the time of sockets."""
        self.transport.abort()

    def data_received(self, data: bytes) -> None:
        """Parse a small piece at once, if the others leave time for that; everything else waits for its turn."""
        if self._is_refused:
            self._dropped_bytes += len(data)
            if self._dropped_bytes > lingering.MAX_BYTES:
                self.transport.abort()
            return
        queue = self._guard.queue
        is_small = len(data) <= _PIECE and not self._backlog and not self._read_paused
        if is_small and (began := queue.enter()):
            self._parse(data, began)
            queue.leave(began)
            return
        if self._backlog is None:
            self._backlog = bytearray()
        self._backlog += data
        self._limit_backlog()
        queue.add(self)

    def advance(self) -> bool:
        """Parse a piece of the backlog, unless the application has not taken the last message yet."""
        if not self._backlog or self._read_paused or self.transport.is_closing():
            return False
        piece = bytes(self._backlog[:_PIECE])
        del self._backlog[:_PIECE]
        self._parse(piece, time.perf_counter())
        if self._backlog:
            return not self._read_paused
        self._backlog = None
        if not self._read_paused:
            self.transport.resume_reading()
        return False

    def _limit_backlog(self) -> None:
        if self._backlog is not None and len(self._backlog) > MAX_BACKLOG:
            self.transport.pause_reading()

    def _parse(self, piece: bytes, now: float) -> None:
        """Parse a piece at a time of `time.perf_counter`, count its frames, and pass them on or close the socket."""
        conn = self._conn
        conn.receive_data(piece)
        if not self._has_spoken and conn.events:
            self._has_spoken = True
            self._guard.idle.pop(self, None)
        frames = 0
        for event in conn.events:
            is_usual = isinstance(event, Frame) and event.opcode is Opcode.TEXT and event.fin
            frames += 1 if is_usual else allowance.UNUSUAL_FRAMES
        if not self._spend(frames, len(piece), now):
            conn.fail(TOO_MUCH, "this page sends too much")
            self._refuse()
        elif conn.parser_exc is not None:
            self._refuse()
        else:
            for event in conn.events_received():
                if isinstance(event, Frame):
                    self._handle_frame(event)

    def _spend(self, frames: int, size: int, now: float) -> bool:
        """Count frames and bytes for the socket and, some at a time, for its player and its address; return whether all
        were allowed.
        """
        is_allowed = self._allowance.spend(frames, size, now)
        self._uncounted_frames += frames
        self._uncounted_bytes += size
        if self._uncounted_frames >= _COUNTED_FRAMES or self._uncounted_bytes >= _COUNTED_BYTES:
            if not self._shared and self._connection is not None:
                # Loopback addresses belong to the operator, or to a proxy that does not tell whom it serves.
                address = self._connection.address
                player = self._guard.players.find(self._connection.player)
                self._shared = (player, self._guard.addresses.find(address)) if address else (player,)
            for shared in self._shared:
                is_allowed &= shared.spend(self._uncounted_frames, self._uncounted_bytes, now)
            self._uncounted_frames = self._uncounted_bytes = 0
        return is_allowed

    def _handle_frame(self, frame: Frame) -> None:
        """Pass a message on once it is complete; answer pings and the client's close frame."""
        match frame.opcode:
            case Opcode.TEXT | Opcode.BINARY:
                self._is_text = frame.opcode is Opcode.TEXT
                if frame.fin:
                    self._handle_message(bytes(frame.data))
                else:
                    self._fragments = [bytes(frame.data)]
            case Opcode.CONT:
                fragments = self._fragments or []
                fragments.append(bytes(frame.data))
                if frame.fin:
                    self._fragments = None
                    self._handle_message(b"".join(fragments))
            case Opcode.PING:
                self._write_replies()
            case Opcode.CLOSE:
                self._handle_close()

    def _handle_message(self, data: bytes) -> None:
        """Pass a complete message on, or close the socket if it claims to be text and is not UTF-8."""
        if self._close_sent or self._connection is None or self._is_refused:
            return
        text = None
        if self._is_text:
            try:
                text = data.decode()
            except UnicodeDecodeError:
                self._conn.fail(CloseCode.INVALID_DATA)
                self._refuse()
                return
        self._connection.receive_text(text)

    def _handle_close(self) -> None:
        """Answer the client's close frame, or close the connection if it is an answer itself."""
        if self._close_sent:
            if self._close_timer is not None:
                self._close_timer.cancel()
                self._close_timer = None
        elif not self.transport.is_closing():
            self._write_replies()
        self.transport.close()
        self._notify_loss()

    def _refuse(self) -> None:
        """Close the socket with the code that the parser has chosen, so that the client hears it."""
        self._is_refused = True
        self._backlog = None
        self._await_end()
        self._write_replies()
        self._close_sent = True
        if self._close_timer is not None:
            self._close_timer.cancel()
        self._close_timer = lingering.finish_writing(self.transport)
        self._notify_loss()

    def _await_end(self) -> None:
        """Note that the connection only stays open until the client has read why it is closed."""
        self._guard.forget(self)
        self._guard.refused[self] = None

    def _write_replies(self) -> None:
        """Write what the parser has to send."""
        if replies := b"".join(self._conn.data_to_send()):
            self.transport.write(replies)

    def _notify_loss(self) -> None:
        if self._connection is not None:
            self._connection.notice_loss()
