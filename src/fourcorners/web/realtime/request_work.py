"""The body of an HTTP request within limits, and slow work for it, which ends when the client leaves; records."""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

from starlette.concurrency import run_in_threadpool
from starlette.requests import ClientDisconnect, Request
from starlette.responses import PlainTextResponse, Response

from fourcorners.web.application.commands import look_up_name
from fourcorners.web.application.context import get_context
from fourcorners.web.application.fair_turns import run_in_turn
from fourcorners.web.application.refusals import Refusal
from fourcorners.web.application.table_session import load_row
from fourcorners.web.application.table_setup import export_record
from fourcorners.web.domain.table import GUEST

T = TypeVar("T")
_MAX_DRAINED = 16_000_000
"""The bytes of a body that are read at all: a browser shows an answer only after it has sent everything."""
_READ_SECONDS = 30.0


async def read_body(request: Request, longest: int) -> bytes:
    """Return the body; raise Refusal 413 beyond `longest` bytes, and 408 if it takes more than `_READ_SECONDS`, and
    ClientDisconnect.
    """
    chunks, total = [], 0
    try:
        async with asyncio.timeout(_READ_SECONDS):
            async for chunk in request.stream():
                total += len(chunk)
                if total <= longest:
                    chunks.append(chunk)
                elif total > _MAX_DRAINED:
                    break
    except TimeoutError:
        raise Refusal(408, f"The body did not arrive within {_READ_SECONDS:g} seconds.") from None
    if total > longest:
        raise Refusal(413, f"The upload is too large: the limit is {longest // 1024:,} KB.")
    return b"".join(chunks)


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
    """Call something that replays a record as `run_in_turn` does, unless the client leaves, which raises
    ClientDisconnect; the request's body must have been read.
    """
    return await await_unless_gone(request, run_in_turn(get_context(request).replaying, work, *arguments))


async def draw_in_turn(request: Request, work: Callable[..., T], *arguments: object) -> T:
    """Call something that draws a picture or a document as `replay_in_turn` calls what replays a record."""
    return await await_unless_gone(request, run_in_turn(get_context(request).drawing, work, *arguments))


async def send_record(request: Request) -> Response:
    """Answer with the record of the request's table as a text file, as far as its player may know it. Raise as
    `load_row` and `replay_in_turn`, and GameError if the table does not replay.
    """
    context, player = get_context(request), request.state.owner
    row = await run_in_threadpool(load_row, context, request.path_params["table"])
    name, text = await replay_in_turn(
        request, export_record, row, player, await look_up_name(context, player, "") or GUEST
    )
    return PlainTextResponse(text, headers={"content-disposition": f'attachment; filename="{name}"'})
