"""HTTP connections between the network and uvicorn, which gets complete heads and bodies of announced length."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable
from http import HTTPStatus
from typing import Any, cast

from fourcorners.web.auth.limits import normalise_address
from fourcorners.web.realtime.connection import HANDOVER, Connection
from fourcorners.web.wire.guard import Guard, QueuedProtocol
from fourcorners.web.wire.socket_protocol import SocketProtocol

HEAD_SECONDS, BODY_SECONDS = 10.0, 120.0
"""How long the head of a request may take, from the beginning of the connection or its first byte, and its body."""
MAX_HEAD_BYTES, MAX_HEAD_LINES = 16 * 1024, 100
"""The size of a request's first line and headers. Browsers send about twenty lines."""
_BODY_PIECE = 16 * 1024
_LEAST_TAKEN = 64 * 1024
"""Bytes of a long answer that a client must take in `BODY_SECONDS` to get as much time again."""
_HEAD_END = re.compile(rb"\n\r?\n")
_ENCODING = re.compile(rb"\ntransfer-encoding[ \t]*:", re.IGNORECASE)
_LENGTH = re.compile(rb"\ncontent-length[ \t]*:(?:[ \t]*([0-9]{1,18})[ \t]*\r?\n)?", re.IGNORECASE)


class HttpConnection(QueuedProtocol):
    """Stands between a transport and uvicorn's protocol, for which it is the transport, until it is a WebSocket."""

    def __init__(self, guard: Guard, protocol: Callable[..., Any], app_state: dict[str, Any], **rest: Any) -> None:
        """Prepare a connection; `app_state` and the rest are the arguments of `protocol`, uvicorn's class."""
        super().__init__(guard)
        # None once the connection is closed, handed over, or only waits until the client has read an answer.
        self._protocol: Any = protocol(app_state={**app_state, HANDOVER: self}, **rest)
        self._body_left = 0  # bytes that the body still has
        self._is_answering = self._has_written = False  # the current request
        self._is_websocket = False
        self._unread = 0  # bytes that waited when the client had to take more in time; 0 if it need not

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Start the time for the head, or answer 503 if there are too many connections."""
        self._transport = cast("asyncio.Transport", transport)
        peer, connection = transport.get_extra_info("peername"), transport.get_extra_info("socket")
        self.address = normalise_address(peer[0]) or peer[0] if peer else ""
        self._protocol.connection_made(self)
        if not self._guard.admit(self, connection.fileno() if connection is not None else 0, HEAD_SECONDS):
            self._refuse(HTTPStatus.SERVICE_UNAVAILABLE, "The server has too many connections. Try again later.")
            # Descriptors are what is missing, so this one is not kept until the client has read that.
            transport.close()

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the connection."""
        self._detach(exc)
        super().connection_lost(exc)

    def pause_writing(self) -> None:
        """Tell uvicorn that the client takes no more for now; it has to go on reading the answer in time."""
        if self._protocol is not None:
            self._protocol.pause_writing()
            self._expect_reading()

    def resume_writing(self) -> None:
        """Tell uvicorn that the client takes more."""
        if self._protocol is not None:
            self._unread = 0
            self._protocol.resume_writing()
            if not self._is_answering:
                # The rest of the last answer has to be taken as well.
                self._guard.expect(self, BODY_SECONDS)
            elif not self._body_left:
                self._guard.forget(self)

    def begin_handshake(self) -> None:
        """Note that the application has a handshake: its client owes nothing any more."""
        self._guard.forget(self)

    def end_request(self) -> None:
        """Note that the application has answered a request, and go on with the next."""
        self._is_answering = False
        if self._protocol is not None and not self._is_websocket:
            if not self._body_left:
                self._guard.expect(self, BODY_SECONDS if self._transport.get_write_buffer_size() else HEAD_SECONDS)
            self._guard.enqueue(self)

    def time_out(self) -> None:
        """Close the connection, unless its client takes a long answer fast enough; answer 408 if part of a request has
        arrived.
        """
        if self._unread - self._transport.get_write_buffer_size() >= _LEAST_TAKEN and not self._body_left:
            self._expect_reading()
        elif self._protocol is not None and (self._backlog or self._body_left):
            self._refuse(HTTPStatus.REQUEST_TIMEOUT, "The request did not arrive in time.")
        else:
            self._transport.abort()

    def _expect_reading(self) -> None:
        """Give the client time to take what waits, or at least `_LEAST_TAKEN` bytes of it."""
        self._unread = self._transport.get_write_buffer_size()
        self._guard.expect(self, BODY_SECONDS)

    def hand_over(self, connection: Connection) -> SocketProtocol:
        """Give an accepted WebSocket to a connection and return its channel; uvicorn is done with it."""
        is_open = self._protocol is not None
        self._detach(None)
        socket = SocketProtocol(self._transport, connection, self._guard, self.address)
        if is_open:
            self._transport.set_protocol(socket)
            self._transport.resume_reading()
            if self._backlog:
                socket.data_received(bytes(self._backlog))
        else:
            socket.connection_lost(None)
        return socket

    @property
    def is_lost(self) -> bool:
        """Whether uvicorn knows that nothing can be answered any more."""
        return self._protocol is None

    def get_extra_info(self, name: str, default: Any = None) -> Any:
        """Return what is known about the connection."""
        return self._transport.get_extra_info(name, default)

    def set_protocol(self, protocol: asyncio.BaseProtocol) -> None:
        """Let uvicorn answer the handshake of a WebSocket; what follows waits until that is handed over."""
        self._protocol, self._is_websocket = protocol, True

    def write(self, data: bytes | bytearray | memoryview) -> None:
        """Send part of an answer, unless the connection was refused meanwhile."""
        if self._protocol is not None:
            self._has_written = True
            self._transport.write(data)

    def is_closing(self) -> bool:
        """Return whether nothing can be sent any more."""
        return self._protocol is None or self._transport.is_closing()

    def close(self) -> None:
        """Close the connection once the answer is sent, unless it was refused or handed over meanwhile."""
        if self._protocol is not None:
            self._transport.close()

    def _measure(self) -> int:
        """Return the length of the head of a request, if it is complete, or of a piece of its body."""
        if self.is_closing() or self._is_websocket or (self._is_answering and not self._body_left):
            return 0
        return min(len(self._backlog), self._body_left, _BODY_PIECE) if self._body_left else self._measure_head()

    def _parse(self, piece: bytes) -> None:
        """Pass on the head of a request or a piece of its body. uvicorn ignores a handshake with too long lines."""
        if self._body_left:
            self._body_left -= len(piece)
        else:
            length = _LENGTH.search(piece)
            self._body_left = int(length[1]) if length else 0
            self._is_answering, self._has_written = True, False
            self._guard.expect(self, BODY_SECONDS)
        self._protocol.data_received(piece)
        is_complete = not self._body_left and self._protocol is not None
        if is_complete and not self._is_answering:
            self._guard.expect(self, HEAD_SECONDS)
        elif is_complete and not self._is_websocket and not self._unread:
            self._guard.forget(self)

    def _measure_head(self) -> int:
        """Return the length of the request's head, or 0 if it is refused or not complete."""
        # Empty lines before a request are ignored (RFC 9112, section 2.2), however many a client sends.
        del self._backlog[: len(self._backlog) - len(self._backlog.lstrip(b"\r\n"))]
        match = _HEAD_END.search(self._backlog)
        head = self._backlog[: match.end() if match else None]
        if len(head) > MAX_HEAD_BYTES or head.count(b"\n") > MAX_HEAD_LINES:
            limit = f"{MAX_HEAD_BYTES // 1024} KB and {MAX_HEAD_LINES} lines"
            self._refuse(
                HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE, f"The headers of a request are limited to {limit}."
            )
        elif head and head[0] <= ord(" "):  # perhaps it is TLS
            self._refuse(HTTPStatus.BAD_REQUEST, "This is not an HTTP request.")
        elif match is not None and _ENCODING.search(head):
            # A chunk of one byte costs as much as a long one, and a request with two lengths could hide another one.
            self._refuse(HTTPStatus.LENGTH_REQUIRED, "A request with a body must have a Content-Length.")
        elif match is not None and (length := _LENGTH.search(head)) and length[1] is None:
            # uvicorn reads "5, 5", or a number on a second line, as 5, and would wait for that body without end.
            self._refuse(HTTPStatus.BAD_REQUEST, "The Content-Length must be one number.")
        elif match is not None:
            return len(head)
        return 0

    def _refuse(self, status: HTTPStatus, sentence: str) -> None:
        """Answer with a sentence, unless another answer has begun; drop what still arrives, and close after a while."""
        answer = (
            f"HTTP/1.1 {status.value} {status.phrase}\r\ncontent-type: text/plain; charset=utf-8\r\n"
            f"x-content-type-options: nosniff\r\nconnection: close\r\n\r\n{sentence}\n"
        )
        self._detach(None)
        self._end(b"" if self._is_answering and self._has_written else answer.encode())

    def _detach(self, exc: Exception | None) -> None:
        """Let uvicorn and the guard forget the connection."""
        protocol, self._protocol, self._unread = self._protocol, None, 0
        self._guard.forget(self)
        if protocol is not None:
            protocol.connection_lost(exc)
