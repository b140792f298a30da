"""Open WebSockets: frames and bytes are counted in small pieces, and a socket that sends too many is closed."""

from __future__ import annotations

import asyncio
import contextlib

from websockets.exceptions import InvalidState
from websockets.frames import CloseCode, Frame, Opcode
from websockets.protocol import SEND_EOF, Protocol, Side

from fourcorners.web.auth.allowance import Allowance
from fourcorners.web.protocol.client_messages import LONGEST_MESSAGE
from fourcorners.web.protocol.close_codes import TOO_MUCH
from fourcorners.web.realtime.connection import Connection
from fourcorners.web.wire.guard import Guard, QueuedProtocol

PER_SOCKET = (256 * 1024, 64 * 1024)
"""The bytes that a socket may send at once, and in each second. The page sends a few messages a second; the longest
message has 64 KB.
"""
FRAME, UNUSUAL_FRAME = 1024, 4096
"""The bytes that a frame costs besides its own, and one that is not a whole text: pages send none, programs few pings.
"""
_PIECE = 256
"""Bytes that are parsed at once: at most 42 frames, about half a millisecond. Most messages are shorter."""
_CLOSE_SECONDS = 10.0
"""Seconds that a client has to answer a close frame."""


class SocketProtocol(QueuedProtocol):
    """A WebSocket after its handshake, and the `Channel` of its connection; nothing of the handshake stays in memory.

    A small piece is parsed at once, everything else in turn with what other connections send.
    """

    __slots__ = ("_allowance", "_connection", "_fragments", "_is_closing", "_is_text", "_parser")

    def __init__(self, transport: asyncio.Transport, connection: Connection, guard: Guard, address: str) -> None:
        """Take over a transport after the handshake, which has been answered; `address` is the network of the peer."""
        super().__init__(guard, address)
        self._transport = transport
        self._parser = Protocol(Side.SERVER, max_size=LONGEST_MESSAGE)
        self._connection = connection
        self._allowance = Allowance(*PER_SOCKET)
        self._is_text = False
        self._is_closing = False  # no message is passed on
        self._fragments: list[bytes] = []  # of an incomplete message
        guard.sockets.add(self)

    def send_text(self, text: bytes) -> None:
        """Send a message, text in UTF-8, unless the socket is closed."""
        with contextlib.suppress(InvalidState):
            self._parser.send_text(text)
            self._write()

    def close(self, code: int, reason: str) -> None:
        """Send a close frame, unless the socket is closed; the client has `_CLOSE_SECONDS` to answer it."""
        with contextlib.suppress(InvalidState):
            self._parser.send_close(code, reason)
            self._is_closing = True
            self._guard.expect(self, _CLOSE_SECONDS)
            self._write()
            self.resume_reading()

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the connection."""
        super().connection_lost(exc)
        self._connection.notice_loss()
        # It refers to itself. Without this, its memory would not be free before the next complete collection.
        vars(self._parser).clear()

    def pause_writing(self) -> None:
        """Tell the connection that the client takes no more for now."""
        self._connection.pause_writing()

    def resume_writing(self) -> None:
        """Tell the connection that the client takes messages again."""
        self._connection.resume_writing()

    def data_received(self, data: bytes) -> None:
        """Parse a small piece at once, and let everything else wait for its turn."""
        if len(data) > _PIECE or self._backlog or self._is_paused or self._is_ended:
            super().data_received(data)
        else:
            self._parse(data)

    def _measure(self) -> int:
        """Return the length of a piece."""
        return min(len(self._backlog), _PIECE)

    def _parse(self, piece: bytes) -> None:
        """Parse a piece, count its frames, and pass its messages on or close the socket."""
        self._parser.receive_data(piece)
        frames = [event for event in self._parser.events_received() if isinstance(event, Frame)]
        cost = len(piece) + sum(FRAME if each.opcode is Opcode.TEXT and each.fin else UNUSUAL_FRAME for each in frames)
        # Loopback addresses belong to the operator, or to a proxy that does not tell whom it serves.
        key = self._connection.address or self._connection.player
        if self._guard.spend(key, cost) and not self._allowance.spend(cost):
            for frame in frames:
                self._take(frame)
        else:
            self._parser.fail(TOO_MUCH, "This page sends too much.")
        self._write()

    def _take(self, frame: Frame) -> None:
        """Pass a message on once it is complete; the parser answers all other frames."""
        if frame.opcode is Opcode.TEXT or frame.opcode is Opcode.BINARY:
            self._is_text = frame.opcode is Opcode.TEXT
            self._fragments = []
        elif frame.opcode is not Opcode.CONT:
            return
        self._fragments.append(bytes(frame.data))
        if frame.fin and not self._is_closing:
            message, self._fragments = b"".join(self._fragments), []
            try:
                text = message.decode() if self._is_text else None
            except UnicodeDecodeError:
                self._is_closing = True
                self._parser.fail(CloseCode.INVALID_DATA)
            else:
                self._connection.receive_text(text)

    def _write(self) -> None:
        """Write what the parser has to send; after its last word the connection ends."""
        parts = self._parser.data_to_send()
        if SEND_EOF in parts and not self._is_ended:
            self._end(b"".join(parts))
            self._connection.notice_loss()
        elif parts and not self._is_ended and not self._transport.is_closing():
            self._transport.write(b"".join(parts))
