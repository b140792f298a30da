"""Running the application with uvicorn."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import itertools
import os
import socket
import sys
import threading
import time
from collections.abc import Iterator
from types import FrameType
from typing import cast

import uvicorn
from starlette.applications import Starlette
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

from fourcorners.web.app import make_app
from fourcorners.web.domain.clocks import ServerTime
from fourcorners.web.protocol.client_messages import LONGEST_MESSAGE
from fourcorners.web.settings import Settings

_GRACE = 1
_UNREAD_WITHIN = 15_000
"""Milliseconds after which a line is given up whose other end takes nothing that is sent."""
_COLLECT_EVERY = 60.0
_ALL_OF_THEM = 15
"""Every so many times all of memory is looked through."""
_AT_THE_LATEST = (500_000, 5, 100)
_ENDED_WITHIN = 4.0
_FAREWELL = "The server restarts; this page comes back by itself in a moment."


class Server(uvicorn.Server):
    """A server that takes leave of its sockets before it ends, and ends in time."""

    closed = False
    """Whether all is stored and closed."""

    @property
    def app(self) -> Starlette:
        """The application."""
        return cast("Starlette", self.config.app)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Take no more moves, let all browsers go with a word, and close what is left."""
        for server in self.servers:
            server.close()
        self.app.state.registry.closing = True
        self.app.state.callers.part()
        await self.app.state.sockets.part(_FAREWELL)
        for connection in list(self.server_state.connections):
            # Who has not taken the farewell by now would be waited for; requests may be answered still.
            if isinstance(connection, WebSocketsSansIOProtocol):
                connection.transport.abort()
        await asyncio.sleep(0)
        await super().shutdown(sockets)
        self.closed = True

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """End because of a signal, and be gone after a while even if something does not let go."""
        if not self.should_exit:
            threading.Thread(target=self._end_in_time, name="end", daemon=True).start()
        super().handle_exit(sig, frame)

    def _end_in_time(self) -> None:
        time.sleep(_ENDED_WITHIN)
        if not self.closed:
            sys.stderr.write("fourcorners: not all could be closed in time; what was acknowledged is stored\n")
            sys.stderr.flush()
        os._exit(0 if self.closed else 1)

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Take signals while the server runs; one that was obeyed is done with, and no failure."""
        with super().capture_signals():
            yield
            self._captured_signals.clear()


def make_server(settings: Settings, server_time: ServerTime | None = None) -> Server:
    """Make a server that is ready to run; raise StoreError if the games cannot be stored."""
    config = uvicorn.Config(
        make_app(settings, server_time),
        # Logs are set up by the program that serves.
        log_config=None,
        access_log=False,
        server_header=False,
        forwarded_allow_ips=settings.proxies,
        ws="websockets-sansio",
        ws_max_size=LONGEST_MESSAGE,
        # A few compressed bytes could be unpacked to many long messages before any of them is counted.
        ws_per_message_deflate=False,
        # The beats of a table's socket tell who is gone, and measure how far away everybody is.
        ws_ping_interval=None,
        timeout_graceful_shutdown=_GRACE,
        lifespan="on",
    )
    return Server(config)


def run(server: Server, listener: socket.socket) -> None:
    """Serve until a signal, in a process that does nothing else."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(*_AT_THE_LATEST)
    threading.Thread(target=_collect, name="collector", daemon=True).start()
    server.run([listener])


def _collect() -> None:
    """Look for what is unreachable now and then: by Python's own numbers every move would wait for it again and again.

    With thousands of busy tables all that was made lately is alive, so each look takes long and finds nothing.
    """
    for number in itertools.count(1):
        time.sleep(_COLLECT_EVERY)
        gc.collect(1 if number % _ALL_OF_THEM else 2)


def bind(host: str, port: int) -> socket.socket:
    """Take a port; raise OSError if it cannot be had."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.create_server((host, port), family=family, backlog=512)
    # What is taken from it inherits both. A small message must not wait until the one before has been acknowledged.
    listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    if hasattr(socket, "TCP_USER_TIMEOUT"):
        # What is closed here would stay open, with all that was to be sent, as long as its other end reads nothing.
        listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, _UNREAD_WITHIN)
    listener.set_inheritable(True)
    return listener
