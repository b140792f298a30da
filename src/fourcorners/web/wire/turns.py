"""ASGI middleware: a few requests are worked on at once, and addresses take turns."""

import asyncio
import contextlib
from weakref import WeakValueDictionary

from starlette.types import ASGIApp, Receive, Scope, Send

from fourcorners.web.auth.limits import normalise_address
from fourcorners.web.realtime.connection import HANDOVER
from fourcorners.web.wire.http_connection import HttpConnection

MAX_REQUESTS = 2
"""Requests worked on, or begun less than `_REQUEST_SECONDS` ago; as many of an address wait for that, its others later.
"""
_REQUEST_SECONDS = 0.025
"""After this time a request makes room for others, because it probably waits for something: a move, a password hash."""


class TurnMiddleware:
    """Lets requests and handshakes wait for their turn, and skips those whose clients have left by then."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app
        self._turns = asyncio.Semaphore(MAX_REQUESTS)
        self._by_address: WeakValueDictionary[str, asyncio.Semaphore] = WeakValueDictionary()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on in its turn, and tell its connection once it is answered."""
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        connection: HttpConnection = scope["state"][HANDOVER]
        if scope["type"] == "websocket":
            connection.begin_handshake()
        address = normalise_address(scope["client"][0]) if scope["client"] else ""
        own = self._by_address.setdefault(address, asyncio.Semaphore(MAX_REQUESTS))
        with contextlib.ExitStack() as turn:
            for semaphore in (own, self._turns):
                await semaphore.acquire()
                turn.callback(semaphore.release)
            if not connection.is_lost:
                timer = asyncio.get_running_loop().call_later(_REQUEST_SECONDS, turn.close)
                try:
                    await self.app(scope, receive, send)
                finally:
                    timer.cancel()
                    connection.end_request()
