"""WebSockets: frames and bytes are counted in small pieces, and who sends too many is closed."""

from __future__ import annotations

import asyncio
import time
from http import HTTPStatus
from typing import Any

from uvicorn._types import ASGIReceiveEvent
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from websockets.frames import Frame, Opcode
from websockets.http11 import Request

from fourcorners.web.auth.limits import normalise_address
from fourcorners.web.realtime.connection import CHANNEL, Connection
from fourcorners.web.wire import allowance, lingering
from fourcorners.web.wire.allowance import Allowance
from fourcorners.web.wire.guard import Guard, RequestSlot, name_network

TOO_MUCH = 4429
"""The code that closes a socket that sends too many frames or bytes."""
_PIECE = 256
"""Bytes that are parsed at once: at most 42 frames, about half a millisecond. Most messages are shorter."""
_MAX_BACKLOG = 64 * 1024
_COUNTED_FRAMES, _COUNTED_BYTES = 8, 4096
"""How much a socket sends before it is charged to the player and the address: that takes as long as for the socket."""


class WebSocketProtocol(WebSocketsSansIOProtocol):
    """uvicorn's WebSocket, which gets small pieces: the first ones at once, the others in its turn.

    It is also the `Channel` of the connection that attaches to it once the socket is accepted.
    """

    def __init__(self, guard: Guard, **arguments: Any) -> None:
        """Prepare a connection; `arguments` are those of uvicorn's protocols."""
        super().__init__(**arguments)
        self.address = ""
        self.is_queued = False
        self.handshake_slot: RequestSlot | None = None
        """The place of the handshake among the requests in progress, until it is answered."""
        self._guard = guard
        self._allowance = Allowance(allowance.PER_SOCKET)
        self._shared: tuple[Allowance, ...] = ()  # of the player and of the address, once these are known
        self._uncounted_frames = self._uncounted_bytes = 0  # not yet charged to the shared allowances
        self._has_spoken = False
        self._backlog: bytearray | None = None
        self._is_refused = False  # whatever arrives is dropped
        self._dropped_bytes = 0
        self._connection: Connection | None = None

    @property
    def is_light(self) -> bool:
        """Whether most of the socket's allowance is left."""
        return self._allowance.is_light

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Note the peer's address."""
        super().connection_made(transport)
        self.address = name_network(self.client)

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the connection."""
        self._backlog = None
        self._guard.remove(self)
        self._release_slot()
        super().connection_lost(exc)
        # The parser refers to itself. A flood of connections must not leave that to the garbage collector.
        self.conn.parser.close()
        self._notify_loss()
        # Without these cycles the memory is free at once, not only when garbage is collected.
        self._connection = None
        if self.handshake_initiated and self.response.status_code == HTTPStatus.SWITCHING_PROTOCOLS:
            self.scope["extensions"].pop(CHANNEL, None)

    def handle_connect(self, event: Request) -> None:
        """Start the application, which can attach to this protocol."""
        super().handle_connect(event)
        if self.response.status_code == HTTPStatus.SWITCHING_PROTOCOLS:
            self.scope["extensions"][CHANNEL] = {"channel": self}

    def attach(self, connection: Connection) -> None:
        """Tell a connection from now on what happens; the socket must be accepted."""
        self._connection = connection

    def send_text(self, text: bytes) -> None:
        """Send a message, text in UTF-8, unless the socket is closed."""
        if not self.close_sent and not self.transport.is_closing():
            self.transport.write(Frame(Opcode.TEXT, text).serialize(mask=False))

    def pause_reading(self) -> None:
        """Parse nothing more until `resume_reading`."""
        if not self.read_paused:
            self.read_paused = True
            self.transport.pause_reading()

    def abort(self) -> None:
        """Close the connection without sending what waits."""
        self.transport.abort()

    def resume_reading(self) -> None:
        """Go on parsing, also what has arrived meanwhile."""
        if self.read_paused:
            self.read_paused = False
            self.transport.resume_reading()
            if self._backlog:
                self._limit_backlog()
                self._guard.queue.add(self)

    def send_receive_event_to_app(self) -> None:
        """Pass a complete message on."""
        if self._connection is None:
            super().send_receive_event_to_app()
            return
        data = self.frames[0] if len(self.frames) == 1 else b"".join(self.frames)
        self.frames = []
        if self.close_sent:
            return
        text = None
        if self.curr_msg_data_type == "text":
            try:
                text = data.decode()
            except UnicodeDecodeError:
                self.conn.fail(1007)
                self.handle_parser_exception()
                return
        self._connection.receive_text(text)

    def handle_close(self, event: Frame) -> None:
        """Answer the client's close frame."""
        super().handle_close(event)
        self._notify_loss()

    def pause_writing(self) -> None:
        """Tell the connection that the client takes no more for now."""
        super().pause_writing()
        if self._connection is not None:
            self._connection.pause_writing()

    def resume_writing(self) -> None:
        """Tell the connection that the client takes messages again."""
        super().resume_writing()
        if self._connection is not None:
            self._connection.resume_writing()

    def shutdown(self) -> None:
        """Close the socket because the server stops."""
        super().shutdown()
        self._notify_loss()

    def _notify_loss(self) -> None:
        if self._connection is not None:
            self._connection.notice_loss()

    def data_received(self, data: bytes) -> None:
        """Parse a small piece at once, if the others leave time for that; everything else waits for its turn."""
        if self._is_refused:
            self._dropped_bytes += len(data)
            if self._dropped_bytes > lingering.MAX_BYTES:
                self.transport.abort()
            return
        if not self.handshake_initiated:
            super().data_received(data)
            return
        queue = self._guard.queue
        is_small = len(data) <= _PIECE and not self._backlog and not self.read_paused
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
        if not self._backlog or self.read_paused or self.transport.is_closing():
            return False
        piece = bytes(self._backlog[:_PIECE])
        del self._backlog[:_PIECE]
        self._parse(piece, time.perf_counter())
        if not self._backlog and not self.read_paused:
            self.transport.resume_reading()
        return bool(self._backlog) and not self.read_paused

    async def receive(self) -> ASGIReceiveEvent:
        """Return the next message; once all are taken, continue with what has arrived meanwhile."""
        message = await self.queue.get()
        if self.queue.empty():
            self.resume_reading()
        return message

    def start_keepalive(self) -> None:
        """Give back the handshake's slot: it has been answered."""
        self._release_slot()
        super().start_keepalive()

    def handle_parser_exception(self) -> None:
        """Close the socket with the code that the parser has chosen, so that the client hears it."""
        close = self.conn.close_sent
        self._is_refused = True
        self._backlog = None
        self._guard.forget(self)
        if close is None:  # before the handshake is answered there are no codes
            self.transport.abort()
            return
        self.queue.put_nowait({"type": "websocket.disconnect", "code": close.code, "reason": close.reason})
        self.transport.write(b"".join(self.conn.data_to_send()))
        self.close_sent = True
        # While this timer runs, the parent does not close the connection.
        self.close_timer = lingering.finish_writing(self.transport)
        self._notify_loss()

    def drop(self) -> None:
        """Close the connection at once, to make room for another."""
        self.transport.abort()

    def time_out(self) -> None:
        """Close the connection at once; the application has its own limits for the time of sockets."""
        self.transport.abort()

    def _parse(self, piece: bytes, now: float) -> None:
        """Parse a piece at a time of `time.perf_counter`, count its frames, and pass them on or close the socket."""
        connection = self.conn
        connection.receive_data(piece)
        if not self._has_spoken and self.handshake_complete and connection.events:
            self._has_spoken = True
            self._guard.idle.pop(self, None)
        frames = 0
        for event in connection.events:
            is_usual = isinstance(event, Frame) and event.opcode is Opcode.TEXT and event.fin
            frames += 1 if is_usual else allowance.UNUSUAL_FRAMES
        if not self._spend(frames, len(piece), now):
            connection.fail(TOO_MUCH, "this page sends too much")
            self.handle_parser_exception()
        elif connection.parser_exc is not None:
            self.handle_parser_exception()
        else:
            self.handle_events()

    def _spend(self, frames: int, size: int, now: float) -> bool:
        """Count frames and bytes for the socket and, some at a time, for its player and its address; return whether all
        were allowed.
        """
        is_allowed = self._allowance.spend(frames, size, now)
        self._uncounted_frames += frames
        self._uncounted_bytes += size
        if self._uncounted_frames >= _COUNTED_FRAMES or self._uncounted_bytes >= _COUNTED_BYTES:
            if not self._shared and self.handshake_complete:
                self._share_allowances()
            for shared in self._shared:
                is_allowed &= shared.spend(self._uncounted_frames, self._uncounted_bytes, now)
            self._uncounted_frames = self._uncounted_bytes = 0
        return is_allowed

    def _share_allowances(self) -> None:
        """Find the allowances of the player and of the address, which the application knows since the handshake."""
        # The middleware for proxies has put the visitor's address there.
        client = self.scope["client"]
        player = self._guard.players.find(self.scope["state"].get("owner", ""))
        # Loopback addresses belong to the operator, or to a proxy that does not tell whom it serves.
        address = normalise_address(client[0]) if client else ""
        self._shared = (player, self._guard.addresses.find(address)) if address else (player,)

    def _limit_backlog(self) -> None:
        if self._backlog is not None and len(self._backlog) > _MAX_BACKLOG:
            self.transport.pause_reading()

    def _release_slot(self) -> None:
        if self.handshake_slot is not None:
            self.handshake_slot.release()
            self.handshake_slot = None
