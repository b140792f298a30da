"""WebSockets: frames and bytes are counted in small pieces, and who sends too many is closed."""

from __future__ import annotations

import asyncio
import time
from typing import Any

from uvicorn._types import ASGIReceiveEvent
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from websockets.frames import Frame, Opcode

from fourcorners.web.auth.limits import normalise_address
from fourcorners.web.wire import allowance, lingering
from fourcorners.web.wire.allowance import Allowance
from fourcorners.web.wire.guard import Guard, RequestSlot

TOO_MUCH = 4429
"""The code that closes a socket that sends too many frames or bytes."""
_PIECE = 256
"""Bytes that are parsed at once: at most 42 frames, about half a millisecond. Most messages are shorter."""
_MAX_BACKLOG = 64 * 1024
_COUNTED_FRAMES, _COUNTED_BYTES = 8, 4096
"""How much a socket sends before it is charged to the player and the address: that takes as long as for the socket."""


class WebSocketProtocol(WebSocketsSansIOProtocol):
    """uvicorn's WebSocket, which gets small pieces: the first ones at once, the others in its turn."""

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

    @property
    def is_light(self) -> bool:
        """Whether most of the socket's allowance is left."""
        return self._allowance.is_light

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Note the peer's address."""
        super().connection_made(transport)
        self.address = self.client[0] if self.client else ""

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the connection."""
        self._backlog = None
        self._guard.remove(self)
        self._release_slot()
        super().connection_lost(exc)

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
        if self.read_paused and self.queue.empty():
            self.read_paused = False
            self.transport.resume_reading()
            if self._backlog:
                self._limit_backlog()
                self._guard.queue.add(self)
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
