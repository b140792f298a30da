"""What the operator's programs ask: whether this server is well, and what it counts."""

from __future__ import annotations

import asyncio
import hmac
import ipaddress

from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response

from fourcorners.web.realtime.room_registry import RoomRegistry
from fourcorners.web.store import Store, StoreError

_ANSWERED_WITHIN = 3.0
_FORWARDED = ("forwarded", "x-forwarded-for", "x-forwarded-proto", "x-real-ip")
_METRICS = "text/plain; version=0.0.4; charset=utf-8"


class DatabaseProbe:
    """Whether the database answers: asked once for all who want to know just now."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._asking: asyncio.Task[bool] | None = None

    async def beats(self) -> bool:
        """Tell whether the database answers, and in time."""
        if self._asking is None or self._asking.done():
            self._asking = asyncio.create_task(asyncio.to_thread(self._answers))
        try:
            return await asyncio.wait_for(asyncio.shield(self._asking), _ANSWERED_WITHIN)
        except TimeoutError:
            return False

    def _answers(self) -> bool:
        try:
            self._store.ask()
        except StoreError:
            return False
        return True


async def show_health(request: Request) -> Response:
    """Tell whether the kernels are compiled and the database answers; 503 if it does not, or if the server stops."""
    state = request.app.state
    database = await state.pulse.beats()
    registry: RoomRegistry = state.registry
    fine = database and not registry.closing
    told = {"status": "ok" if fine else "failing", "ready": state.warmth.ready, "database": database}
    return JSONResponse(told, 200 if fine else 503)


def show_metrics(request: Request) -> Response:
    """Show the counts to programs on this machine that no proxy speaks for, and to who bears the token."""
    registry: RoomRegistry = request.app.state.registry
    if not _is_operator(request, registry.metrics_token):
        return PlainTextResponse("The counts of this server are its operator's.\n", 403)
    return Response(registry.metrics.text(), media_type=_METRICS)


def _is_operator(request: Request, token: str) -> bool:
    scheme, _, given = request.headers.get("authorization", "").partition(" ")
    if token and scheme.lower() == "bearer":
        return hmac.compare_digest(given.strip().encode(), token.encode())
    if any(name in request.headers for name in _FORWARDED):
        return False
    try:
        return request.client is not None and ipaddress.ip_address(request.client.host).is_loopback
    except ValueError:
        return False
