"""Endpoints for the operator's programs: liveness, readiness and metrics."""

import asyncio
import hmac
import ipaddress
import time
from collections.abc import Callable
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response

from fourcorners import __version__
from fourcorners.core import catalogue
from fourcorners.web.application.context import get_context
from fourcorners.web.domain.sentences import write_sentence
from fourcorners.web.realtime.rooms import get_rooms
from fourcorners.web.store import StoreError

_PROBE_TIMEOUT = 3.0
_FRESH = 2.0
"""Seconds for which the outcome of a probe counts, so that no one can keep the database busy by asking."""
_FORWARDED = ("forwarded", "x-forwarded-for", "x-forwarded-proto", "x-real-ip")


class Probe:
    """Checks the database in a thread: one check at a time, and one for all requests within `_FRESH` seconds."""

    def __init__(self, check: Callable[[], None]) -> None:
        """Use a function that blocks, and raises StoreError if the check fails."""
        self._check = check
        self._task: asyncio.Task[None] | None = None
        self._began = 0.0  # monotonic time

    async def find_fault(self) -> str:
        """Return why the last check failed, "" if it passed; it fails, too, if it takes `_PROBE_TIMEOUT` seconds."""
        if self._task is None or (self._task.done() and time.monotonic() - self._began >= _FRESH):
            self._began = time.monotonic()
            self._task = asyncio.create_task(run_in_threadpool(self._check))
        try:
            # The shield keeps one caller's timeout from cancelling the others' task.
            await asyncio.wait_for(asyncio.shield(self._task), _PROBE_TIMEOUT)
        except TimeoutError:
            return f"the database has not answered within {_PROBE_TIMEOUT:g} seconds"
        except StoreError as error:
            return str(error)
        return ""


async def show_health(request: Request) -> Response:
    """Answer whether this process works, for programs that restart it: 200, or 503 once it is stopping.

    The JSON has `status` (ok or failing), `ready` (all is compiled), `database` (it answers) and `version` (of this
    program). With `?game=ID` it has `features`, as in the message `preparing`: empty once all of that game is compiled.
    A database that does not answer does not justify a restart, so it does not change the status.
    """
    state, warmup = request.app.state, get_context(request).warmup
    is_answering = not await state.read_probe.find_fault()
    is_closing = state.rooms.closing
    status = "failing" if is_closing else "ok"
    report: dict[str, Any] = {"status": status, "ready": warmup.ready, "database": is_answering, "version": __version__}
    if (name := request.query_params.get("game", "")) in catalogue.games():
        game = catalogue.game(name).spec.id
        report["features"] = {} if warmup.is_available(game) else warmup.describe(game)
    return JSONResponse(report, 503 if is_closing else 200)


async def show_readiness(request: Request) -> Response:
    """Answer whether games can be played here, for programs that distribute requests: 200, or 503 with a sentence.

    They can if the database has all relations and a row can be stored; what is still to be compiled does not matter.
    Only the operator is told what the database says, which may name hosts.
    """
    if get_rooms(request).closing:
        sentence = "The server is stopping."
    elif not (fault := await request.app.state.write_probe.find_fault()):
        return JSONResponse({"status": "ok"})
    else:
        sentence = write_sentence(fault) if _is_operator(request) else "Games cannot be stored at the moment."
    return JSONResponse({"status": "failing", "sentence": sentence}, 503, {"retry-after": "5"})


async def show_metrics(request: Request) -> Response:
    """Return the metrics in Prometheus text format; 403 unless `_is_operator` allows the request."""
    if not _is_operator(request):
        return PlainTextResponse("Metrics are for the operator of this server only.\n", 403)
    return Response(get_context(request).metrics.render(), media_type="text/plain; version=0.0.4; charset=utf-8")


def _is_operator(request: Request) -> bool:
    """Return whether a request bears the token of the settings.

    Without bearer credentials, or if no token is configured, return whether it comes from this machine and has no
    header of a proxy. A local proxy that sets none of `_FORWARDED` is not noticed.
    """
    token = get_context(request).settings.metrics_token
    scheme, _, credentials = request.headers.get("authorization", "").partition(" ")
    if token and scheme.lower() == "bearer":
        return hmac.compare_digest(credentials.strip().encode(), token.encode())
    if any(name in request.headers for name in _FORWARDED):
        return False
    try:
        return request.client is not None and ipaddress.ip_address(request.client.host).is_loopback
    except ValueError:
        return False
