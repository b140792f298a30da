"""Endpoints for the operator's programs: health check and metrics."""

import asyncio
import hmac
import ipaddress

from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response

from fourcorners.web.realtime.room_registry import RoomRegistry
from fourcorners.web.store import Store, StoreError

_PING_TIMEOUT = 3.0
_FORWARDED = ("forwarded", "x-forwarded-for", "x-forwarded-proto", "x-real-ip")


class DatabaseProbe:
    """Asks whether the database answers, once for all health checks that wait at the same time."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._task: asyncio.Task[None] | None = None

    async def is_alive(self) -> bool:
        """Return whether the database answers, without an error, within `_PING_TIMEOUT` seconds."""
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(asyncio.to_thread(self._store.ping))
        try:
            # The shield keeps one caller's timeout from cancelling the others' task.
            await asyncio.wait_for(asyncio.shield(self._task), _PING_TIMEOUT)
        except (StoreError, TimeoutError):
            return False
        return True


async def show_health(request: Request) -> Response:
    """Return JSON: `ready` (all is compiled), `database` (it answers) and `status` (ok, or failing with HTTP 503). The
    status is failing if the database does not answer or the server is closing.
    """
    state = request.app.state
    database = await state.database_probe.is_alive()
    registry: RoomRegistry = state.registry
    is_healthy = database and not registry.closing
    report = {"status": "ok" if is_healthy else "failing", "ready": state.warmup.ready, "database": database}
    return JSONResponse(report, 200 if is_healthy else 503)


def show_metrics(request: Request) -> Response:
    """Return the metrics in Prometheus text format; 403 unless `_is_operator` allows the request."""
    registry: RoomRegistry = request.app.state.registry
    if not _is_operator(request, registry.metrics_token):
        return PlainTextResponse("Metrics are for the operator of this server only.\n", 403)
    return Response(registry.metrics.render(), media_type="text/plain; version=0.0.4; charset=utf-8")


def _is_operator(request: Request, token: str) -> bool:
    """Return whether a request bears the token.

    Without bearer credentials, or if `token` is empty (none is configured), return whether it comes from this machine
    and has no header of a proxy. A local proxy that sets none of `_FORWARDED` is not noticed.
    """
    scheme, _, credentials = request.headers.get("authorization", "").partition(" ")
    if token and scheme.lower() == "bearer":
        return hmac.compare_digest(credentials.strip().encode(), token.encode())
    if any(name in request.headers for name in _FORWARDED):
        return False
    try:
        return request.client is not None and ipaddress.ip_address(request.client.host).is_loopback
    except ValueError:
        return False
