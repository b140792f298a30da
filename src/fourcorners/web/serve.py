"""Run the application with uvicorn."""

import asyncio
import contextlib
import functools
import gc
import os
import socket
import sys
import threading
import time
from collections.abc import Callable, Iterator
from types import FrameType
from typing import cast

import uvicorn
from starlette.applications import Starlette

from fourcorners.web.app import make_app
from fourcorners.web.domain.clocks import ServerTime
from fourcorners.web.protocol.client_messages import LONGEST_MESSAGE
from fourcorners.web.protocol.server_messages import RESTARTING
from fourcorners.web.settings import Settings
from fourcorners.web.wire.guard import Guard, raise_descriptor_limit
from fourcorners.web.wire.hosts import HostMiddleware
from fourcorners.web.wire.http_connection import BODY_SECONDS, HttpConnection
from fourcorners.web.wire.turns import TurnMiddleware

_GRACE = 1
"""Seconds that requests have to finish when the server stops; then they are cancelled."""
_EXIT_TIMEOUT = 4.0
_DESCRIPTORS = 65_536
"""File descriptors that a server asks for: each open page needs one, and many systems give a process only 1024."""
_THRESHOLDS = (1_000, 2, 5_000)
"""The new objects, and the collections of the younger generation, after which Python collects a generation. The second
generation has a few thousand objects then, which takes some milliseconds. All objects are looked at only after fifteen
million new ones, because with 1,000 sockets that takes a tenth of a second, and hardly any old object is garbage.
"""


class Server(uvicorn.Server):
    """A uvicorn server that says goodbye to its WebSockets and is certain to exit within `_EXIT_TIMEOUT` seconds."""

    app: Starlette
    """The application that this server runs."""
    guard: Guard
    """What limits the connections of this server."""
    on_started: Callable[[], None] = staticmethod(lambda: None)
    """Called once the application has started and connections are accepted."""
    closed = False
    """Whether `shutdown` is done: everything is stored and closed, unless a second Ctrl-C or an error cut it short."""

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start the application, accept connections and report that."""
        await super().startup(sockets)
        if self.started:
            self.on_started()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Accept nothing more, close all WebSockets with a reason and requests after `_GRACE`, then the application."""
        for server in self.servers:
            server.close()
        self.app.state.rooms.closing = True
        self.app.state.http_watchers.dismiss_all()
        await self.app.state.sockets.say_goodbye(RESTARTING)
        # A browser that has not taken the close frame by now would hold up the exit. HTTP requests may finish.
        self.guard.abort_all()
        # The aborted connections report their end in the next turn of the event loop.
        await asyncio.sleep(0)
        await super().shutdown(sockets)
        self.closed = True

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Stop at a signal; the first starts a thread that ends the process in time, a second SIGINT skips closing."""
        if not self.should_exit:
            threading.Thread(target=self._exit_in_time, name="exit", daemon=True).start()
        super().handle_exit(sig, frame)

    def _exit_in_time(self) -> None:
        """End the process after `_EXIT_TIMEOUT` seconds, with status 0 if it is closed, else 1; runs in a thread."""
        time.sleep(_EXIT_TIMEOUT)
        if not self.closed:
            sys.stderr.write("fourcorners: closing took too long; everything that was acknowledged is stored\n")
            sys.stderr.flush()
        os._exit(0 if self.closed else 1)

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Handle signals while the server runs in the main thread, without raising them again later as uvicorn does."""
        with super().capture_signals():
            yield
            self._captured_signals.clear()


def make_server(settings: Settings, server_time: ServerTime | None = None) -> Server:
    """Create a server with its database open, ready to run; arguments and errors are those of `make_app`."""
    app, guard = make_app(settings, server_time), Guard()
    config = uvicorn.Config(
        TurnMiddleware(HostMiddleware(app, settings.host, settings.allowed_hosts)),
        # The program that serves has configured logging.
        log_config=None,
        access_log=False,
        server_header=False,
        forwarded_allow_ips=settings.proxies,
        http="h11",
        ws="websockets-sansio",
        ws_max_size=LONGEST_MESSAGE,
        # A few compressed bytes could expand to many long messages before any of them is rate-limited.
        ws_per_message_deflate=False,
        # The application's own heartbeat detects lost connections, and measures latency as well.
        ws_ping_interval=None,
        timeout_graceful_shutdown=_GRACE,
        # The guard closes kept connections before, after `HEAD_SECONDS`.
        timeout_keep_alive=2 * int(BODY_SECONDS),
        lifespan="on",
    )
    config.load()
    guarded = functools.partial(HttpConnection, guard, config.http_protocol_class)
    config.http_protocol_class = cast("type[asyncio.Protocol]", guarded)
    server = Server(config)
    server.app, server.guard = app, guard
    return server


def run_server(server: Server, listener: socket.socket) -> None:
    """Serve at a listening socket until a signal, and close the socket; block.

    If the application fails to start, the reason is logged and `server.started` stays False. After a signal the caller
    has less than `_EXIT_TIMEOUT` seconds before the process ends. Garbage is collected less often from now on.
    """
    # uvicorn would exit with another status if the application fails to start.
    with listener, contextlib.suppress(SystemExit):
        raise_descriptor_limit(_DESCRIPTORS)
        # What exists now is needed until the end.
        gc.collect()
        gc.freeze()
        gc.set_threshold(*_THRESHOLDS)
        gc.enable()
        server.run([listener])
