"""The handshake of WebSockets, in uvicorn's protocol; an open socket gets a smaller protocol of its own."""

from __future__ import annotations

import asyncio
from http import HTTPStatus
from typing import Any

from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from uvicorn.server import ServerState
from websockets.http11 import Request

from fourcorners.web.realtime.connection import HANDOVER, Connection
from fourcorners.web.wire.guard import MAX_BACKLOG, Guard, RequestSlot, name_network
from fourcorners.web.wire.socket_protocol import SocketProtocol


class _NoTransport(asyncio.Transport):
    """What uvicorn closes when the application returns, instead of a socket that has been handed over."""

    def close(self) -> None:
        """Do nothing."""


_NO_TRANSPORT = _NoTransport()


class WebSocketProtocol(WebSocketsSansIOProtocol):
    """uvicorn's WebSocket until the application has accepted it and takes it over."""

    def __init__(self, guard: Guard, server_state: ServerState, **arguments: Any) -> None:
        """Prepare a connection; the other arguments are those of uvicorn's protocols."""
        super().__init__(server_state=server_state, **arguments)
        self.address = ""
        self.handshake_slot: RequestSlot | None = None
        """The place of the handshake among the requests in progress, until it is answered."""
        self._guard = guard
        self._server_state = server_state
        self._backlog = bytearray()  # what arrives before the socket is accepted

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Note the peer's address."""
        super().connection_made(transport)
        self.address = name_network(self.client)

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the connection."""
        self._guard.remove(self)
        self._release_slot()
        super().connection_lost(exc)
        # The parser refers to itself. A flood of connections must not leave that to the garbage collector.
        self.conn.parser.close()
        self._withdraw_handover()

    def handle_connect(self, event: Request) -> None:
        """Start the application, which can take the socket over."""
        super().handle_connect(event)
        if self.response.status_code == HTTPStatus.SWITCHING_PROTOCOLS:
            self.scope["extensions"][HANDOVER] = {"hand_over": self.hand_over}

    def hand_over(self, connection: Connection) -> SocketProtocol:
        """Give an accepted socket to a connection and return its channel; this protocol is not used any more."""
        self._withdraw_handover()
        transport, self.transport = self.transport, _NO_TRANSPORT
        # The parser of the handshake keeps the request. What it has read of later frames is parsed anew.
        self._backlog[:0] = self.conn.reader.buffer
        self.conn.parser.close()
        socket = SocketProtocol(
            transport, connection, self._guard, self._server_state, self.address, self.config.ws_max_size
        )
        self._guard.replace(self, socket)
        self._server_state.connections.discard(self)
        if self.disconnected:
            socket.connection_lost(None)
            return socket
        transport.set_protocol(socket)
        if not transport.is_closing():
            transport.resume_reading()
        if self._backlog:
            socket.data_received(bytes(self._backlog))
        return socket

    def data_received(self, data: bytes) -> None:
        """Parse the handshake; keep what arrives before it is answered."""
        if not self.handshake_initiated:
            super().data_received(data)
            return
        self._backlog += data
        if len(self._backlog) > MAX_BACKLOG:
            self.transport.pause_reading()

    def start_keepalive(self) -> None:
        """Give back the handshake's slot: it has been answered."""
        self._release_slot()
        super().start_keepalive()

    def handle_parser_exception(self) -> None:
        """Close the connection: before the handshake is answered there are no codes."""
        self._guard.forget(self)
        self.transport.abort()

    def drop(self) -> None:
        """Close the connection at once, to make room for another."""
        self.transport.abort()

    def time_out(self) -> None:
        """Close the connection at once; the application has its own limits for the time of sockets."""
        self.transport.abort()

    def _withdraw_handover(self) -> None:
        """Remove the extension from the scope: without this cycle the memory is free at once.

        The application is done with the handshake, also if the client has left before the answer; otherwise uvicorn
        would report an error of the application.
        """
        self.handshake_complete = True
        if self.handshake_initiated and self.response.status_code == HTTPStatus.SWITCHING_PROTOCOLS:
            self.scope["extensions"].pop(HANDOVER, None)

    def _release_slot(self) -> None:
        if self.handshake_slot is not None:
            self.handshake_slot.release()
            self.handshake_slot = None
