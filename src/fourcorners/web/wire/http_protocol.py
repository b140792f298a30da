"""HTTP connections: requests are limited, timed and served in turn, before anything is parsed."""

from __future__ import annotations

import asyncio
import re
import weakref
from http import HTTPStatus
from typing import Any, cast

import h11
from uvicorn.protocols.http.flow_control import FlowControl
from uvicorn.protocols.http.h11_impl import H11Protocol

from fourcorners.web.wire import guard as limits
from fourcorners.web.wire import lingering
from fourcorners.web.wire.guard import Guard, RequestSlot, name_network
from fourcorners.web.wire.websocket_protocol import WebSocketProtocol

MAX_HEAD_BYTES, MAX_HEAD_LINES = 16 * 1024, 100
"""The size of a request's first line and headers. Browsers send about twenty lines."""
_BODY_PIECE, _CHUNKED_PIECE = 16 * 1024, 512
"""Bytes of a body that are parsed at once. A chunk of one byte takes as long as a large one."""
_HEAD_END = re.compile(rb"\n\r?\n")
_LENGTH, _ENCODING = re.compile(rb"\ncontent-length[ \t]*:"), re.compile(rb"\ntransfer-encoding[ \t]*:")
_HOST = re.compile(rb"\nhost[ \t]*:[ \t]*([^\r\n]*?)[ \t]*\r?\n")
_ABSOLUTE_TARGET = re.compile(rb"(\S+) +https?://([^/?#@\s]+)((?:[/?]\S*)?)(?=\s)", re.IGNORECASE)
_HOST_LINE = re.compile(rb"\r?\nhost[ \t]*:[^\r\n]*", re.IGNORECASE)
_FIRST_LETTER = 0x21  # a smaller byte is no beginning of a request, but perhaps one of TLS


class HttpProtocol(H11Protocol):
    """uvicorn's HTTP connection, which gets complete headers and small pieces of bodies, each in its turn.

    Bytes wait in a backlog until the request before them is answered; while it is long, the connection is not read.
    """

    def __init__(self, guard: Guard, **arguments: Any) -> None:
        """Prepare a connection; `arguments` are those of uvicorn's protocols."""
        super().__init__(**arguments)
        self.address = ""
        self.is_queued = False
        self._guard = guard
        self._backlog = bytearray()
        self._searched = 0  # bytes of the backlog in which the end of the headers has been looked for
        self._body_left: int | None = 0  # bytes that the body still has; None if it comes in chunks
        self._slot: RequestSlot | None = None
        self._is_finished = False  # whatever arrives is dropped
        self._dropped_bytes = 0

    @property
    def is_light(self) -> bool:
        """Always False: sockets that have sent little go before requests."""
        return False

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Start the time for the headers, or answer 503 if there are too many connections."""
        super().connection_made(transport)
        # The parent pauses and resumes reading through this object, which knows the backlog as well. By a weak
        # reference: a flood of connections must not leave cycles, which wait for the garbage collector.
        self.flow = FlowControl(cast("asyncio.Transport", weakref.proxy(self)))
        self.address = name_network(self.client)
        connection = transport.get_extra_info("socket")
        if not self._guard.admit(self, connection.fileno() if connection is not None else 0):
            self._finish()
            self._write_refusal(HTTPStatus.SERVICE_UNAVAILABLE, "The server has too many connections. Try again later.")
            # Descriptors are what is missing, so this one is not kept until the client has heard why.
            transport.close()

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the connection."""
        self._finish()
        self._guard.remove(self)
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Keep bytes until it is this connection's turn."""
        if self._is_finished:
            self._dropped_bytes += len(data)
            if self._dropped_bytes > lingering.MAX_BYTES:
                self.transport.abort()
            return
        self._unset_keepalive_if_required()
        self._backlog += data
        if len(self._backlog) > limits.MAX_BACKLOG:
            self.transport.pause_reading()
        self._guard.queue.add(self)

    def pause_reading(self) -> None:
        """Pause reading for `FlowControl`, and the time of the body with it."""
        self._guard.pause_body(self)
        self.transport.pause_reading()

    def resume_reading(self) -> None:
        """Resume reading for `FlowControl`, once the backlog has been worked off."""
        self._guard.resume_body(self)
        if self._backlog:
            self._guard.queue.add(self)
        else:
            self.transport.resume_reading()

    def advance(self) -> bool:
        """Parse the headers of a request, if they are complete, or a piece of its body; see `Member.advance`."""
        if self._is_finished or self.transport.is_closing():
            self._guard.wake_waiting()  # this connection may have been woken to begin a request
            return False
        before = self.conn.their_state
        if before is h11.IDLE:
            self._start_request()
        elif before is h11.SEND_BODY and self._backlog and not self.flow.read_paused:
            self._parse_body()
        if len(self._backlog) <= limits.MAX_BACKLOG and not self.flow.read_paused and not self._is_finished:
            self.transport.resume_reading()
        after = self.conn.their_state
        # If the answer was complete before the body was, the next request may have arrived with its end.
        has_more = after is h11.SEND_BODY or (before is h11.SEND_BODY and after is h11.IDLE)
        return bool(self._backlog) and has_more and not self.flow.read_paused

    def _start_request(self) -> None:
        """Start a request whose headers are complete, unless they are refused or too many requests are in progress."""
        while self._backlog[:2] == b"\r\n":  # empty lines before a request are ignored (RFC 9112, section 2.2)
            del self._backlog[:2]
        match = _HEAD_END.search(self._backlog, max(0, self._searched - 2))
        head = bytes(self._backlog[: match.end()]) if match else bytes(self._backlog)
        if len(head) > MAX_HEAD_BYTES or head.count(b"\n") > MAX_HEAD_LINES:
            limit = f"{MAX_HEAD_BYTES // 1024} KB and {MAX_HEAD_LINES} lines"
            self._refuse(HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE, f"A request may have headers of {limit}.")
        elif head and head[0] < _FIRST_LETTER:
            self._refuse(HTTPStatus.BAD_REQUEST, "This is not an HTTP request.")
        elif match is None:
            self._searched = len(head)
            if head and self not in self._guard.silent:
                self._guard.begin(self._guard.silent, self, limits.HEAD_SECONDS)
        elif _LENGTH.search(lower := (request := _shorten_target(head)).lower()) and _ENCODING.search(lower):
            # Proxies and servers disagree about where such a request ends, so it could hide another one.
            sentence = "A request may have Content-Length or Transfer-Encoding, but not both."
            self._refuse(HTTPStatus.BAD_REQUEST, sentence)
        elif (host := _HOST.search(lower)) and not self._guard.hosts.is_allowed(name := host[1].decode("latin-1")):
            sentence = (
                f"This server does not answer for {name[:100]!a}. Who runs it can allow the name: --allowed-hosts."
            )
            self._refuse(HTTPStatus.MISDIRECTED_REQUEST, sentence)
        elif self._guard.try_to_start_request(self):
            self._slot = RequestSlot(self._guard)
            self._guard.forget(self)
            self._searched = 0
            del self._backlog[: len(head)]
            self.conn.receive_data(request)
            self.handle_events()
            if self.conn.their_state is h11.SEND_BODY and not self._is_finished:
                self._expect_body()
        else:
            # The client has done its part; the connection is closed only if descriptors run out.
            self._guard.forget(self)
            self._guard.idle[self] = None

    def _expect_body(self) -> None:
        """Note the length of a body and start its time."""
        length = next((value for name, value in self.headers if name == b"content-length"), None)
        self._body_left = None if length is None else int(length)
        if length is None:
            # Only the parser knows where it ends; what follows it must not be parsed without our checks.
            self.headers.append((b"connection", b"close"))
        self._guard.begin(self._guard.bodies, self, limits.BODY_SECONDS)
        self._guard.begin(self._guard.idle_bodies, self, limits.BODY_IDLE_SECONDS)

    def _parse_body(self) -> None:
        """Parse the next piece of a body."""
        size = _CHUNKED_PIECE if self._body_left is None else min(_BODY_PIECE, self._body_left)
        piece = bytes(self._backlog[:size])
        del self._backlog[:size]
        if self._body_left is not None:
            self._body_left -= len(piece)
        self.conn.receive_data(piece)
        # Before the events, because one of them may pause the time.
        self._guard.begin(self._guard.idle_bodies, self, limits.BODY_IDLE_SECONDS)
        self.handle_events()
        if self.conn.their_state is not h11.SEND_BODY or self._is_finished:
            self._guard.forget(self)
            if self.conn.their_state is h11.IDLE:
                # It was answered before, so nothing else ends a connection that sends no next request.
                self._guard.begin(self._guard.silent, self, limits.HEAD_SECONDS)

    def on_response_complete(self) -> None:
        """Give back the request's slot, and continue with what has arrived meanwhile."""
        self._release_slot()
        super().on_response_complete()
        if self._is_finished or self.transport.is_closing():
            return
        if self._backlog:
            self._guard.queue.add(self)
        elif self.conn.their_state is h11.IDLE:
            self._guard.idle[self] = None

    def handle_websocket_upgrade(self, event: h11.Request) -> None:
        """Hand the connection over to a WebSocket protocol, which gives back the request's slot."""
        slot, self._slot = self._slot, None
        self._finish()
        super().handle_websocket_upgrade(event)
        self.transport.resume_reading()
        protocol = self.transport.get_protocol()
        if isinstance(protocol, WebSocketProtocol):
            protocol.handshake_slot = slot
            self._guard.replace(self, protocol)

    def send_400_response(self, msg: str) -> None:
        """Answer 400 to what the parser refused."""
        self._refuse(HTTPStatus.BAD_REQUEST, msg)

    def shutdown(self) -> None:
        """Close the connection because the server stops, after the current answer."""
        if self._is_finished:
            self.transport.close()
        else:
            super().shutdown()

    def drop(self) -> None:
        """Close the connection without an answer."""
        self._finish()
        self.transport.abort()

    def time_out(self) -> None:
        """Close the connection; answer 408 if part of a request has arrived."""
        if self._backlog or (self.cycle is not None and not self.cycle.response_complete):
            self._refuse(HTTPStatus.REQUEST_TIMEOUT, "The request did not arrive in time.")
        else:
            self._finish()
            self.transport.close()

    def _refuse(self, status: HTTPStatus, sentence: str) -> None:
        """Answer the current request with a sentence, unless its answer has begun, and close the connection."""
        self._finish()
        if (cycle := self.cycle) is not None and not cycle.response_complete:
            cycle.disconnected = True
            cycle.message_event.set()
            if cycle.response_started:
                self.transport.close()
                return
        self._write_refusal(status, sentence)
        lingering.finish_writing(self.transport)
        self._guard.refused[self] = None

    def _write_refusal(self, status: HTTPStatus, sentence: str) -> None:
        """Write an answer that is a sentence, and the last one."""
        body = f"{sentence}\n".encode()
        head = (
            f"HTTP/1.1 {status.value} {status.phrase}\r\ncontent-type: text/plain; charset=utf-8\r\n"
            f"x-content-type-options: nosniff\r\ncontent-length: {len(body)}\r\nconnection: close\r\n\r\n"
        )
        self.transport.write(head.encode() + body)

    def _finish(self) -> None:
        """Drop everything that waits and whatever still arrives."""
        self._is_finished = True
        self._backlog.clear()
        self._unset_keepalive_if_required()
        self._guard.forget(self)
        self._release_slot()

    def _release_slot(self) -> None:
        if self._slot is not None:
            self._slot.release()
            self._slot = None


def _shorten_target(head: bytes) -> bytes:
    """Return the headers of a request with a path as its target. The authority of a whole address takes the place of
    the Host header, which is ignored then (RFC 9112, section 3.2.2), so it is checked as that.
    """
    match = _ABSOLUTE_TARGET.match(head)
    if match is None:
        return head
    method, host, path = match.groups()
    # A second Host header stays, and is refused.
    line, newline, fields = _HOST_LINE.sub(b"", head[match.end() :], count=1).partition(b"\n")
    slash = b"" if path.startswith(b"/") else b"/"
    return b"".join((method, b" ", slash, path, line, newline, b"Host: ", host, b"\r\n", fields))
