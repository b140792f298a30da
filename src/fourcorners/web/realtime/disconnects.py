"""Work for an HTTP request that ends when the client leaves."""

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

from starlette.requests import ClientDisconnect, Request

T = TypeVar("T")


async def await_unless_gone(request: Request, work: Coroutine[Any, Any, T]) -> T:
    """Return or raise what some work does, but cancel it and raise ClientDisconnect if the client leaves meanwhile.

    The request's body must have been read: what arrives of it is dropped.
    """
    working, leaving = asyncio.ensure_future(work), asyncio.ensure_future(_await_disconnect(request))
    try:
        await asyncio.wait((working, leaving), return_when=asyncio.FIRST_COMPLETED)
        if not working.done():
            raise ClientDisconnect
        return await working
    finally:
        working.cancel()
        leaving.cancel()


async def _await_disconnect(request: Request) -> None:
    """Return once the client has left; what it sends is dropped."""
    while (await request.receive())["type"] != "http.disconnect":
        pass
