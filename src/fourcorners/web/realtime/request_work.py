"""Slow work for an HTTP request, which ends when the client leaves."""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request

from fourcorners.web.application.context import get_context
from fourcorners.web.application.fair_turns import FairTurns
from fourcorners.web.engine.work_queue import BudgetError, BusyError

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


async def replay_in_turn(request: Request, work: Callable[..., T], *arguments: object) -> T:
    """Call something that replays a record as `FairTurns.run` does, unless the client leaves, which raises
    ClientDisconnect; the request's body must have been read. Raise HTTPException: 503 if too much waits, 422 if this
    takes too long.
    """
    return await _run_or_refuse(request, get_context(request).replaying, work, *arguments)


async def draw_in_turn(request: Request, work: Callable[..., T], *arguments: object) -> T:
    """Call something that draws a picture or a document as `replay_in_turn` calls what replays a record."""
    return await _run_or_refuse(request, get_context(request).drawing, work, *arguments)


async def _run_or_refuse(request: Request, turns: FairTurns, work: Callable[..., T], *arguments: object) -> T:
    try:
        return await await_unless_gone(request, turns.run(work, *arguments))
    except BusyError as error:
        raise HTTPException(503, str(error), {"retry-after": "60"}) from None
    except BudgetError as error:
        raise HTTPException(422, str(error)) from None
