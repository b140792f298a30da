"""The web application: routes, middleware and what lives as long as the server."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from pathlib import Path

import jinja2
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.routing import Mount, Route, WebSocketRoute
from starlette.staticfiles import StaticFiles
from starlette.templating import Jinja2Templates

from fourcorners.core.errors import GameError
from fourcorners.web import account, api, lobby, openapi, operating, pages, people, qr
from fourcorners.web.callers import Callers
from fourcorners.web.clocks import ServerTime
from fourcorners.web.cluster import thinker_of
from fourcorners.web.computer import Here
from fourcorners.web.guard import Guard
from fourcorners.web.hub import Hub
from fourcorners.web.kernels import Warmth
from fourcorners.web.limits import Limits
from fourcorners.web.live import Sockets, live
from fourcorners.web.passwords import Passwords
from fourcorners.web.problems import in_kind
from fourcorners.web.settings import Settings
from fourcorners.web.store import Store, StoreError
from fourcorners.web.sweep import Sweeper

_HERE = Path(__file__).resolve().parent

ROUTES = [
    Route("/", pages.home),
    Route("/lobby", lobby.page),
    Route("/lobby/lists", lobby.part),
    Route("/games/{game}", pages.game),
    Route("/games/{game}", pages.begin, methods=["POST"]),
    Route("/games/{game}/check", pages.check, methods=["POST"]),
    Route("/games/{game}/style.css", pages.style),
    Route("/games/{game}/cover.svg", pages.cover),
    Route("/games/{game}/examples/{number}.svg", pages.example),
    Route("/play/{table}", pages.play),
    Route("/play/{table}/qr.svg", qr.picture),
    Route("/play/{table}/record", pages.record),
    WebSocketRoute("/play/{table}/live", live),
    Route("/records", pages.upload, methods=["POST"]),
    Route("/account", account.show),
    Route("/account/name", account.name, methods=["POST"]),
    Route("/account/register", account.register, methods=["POST"]),
    Route("/account/sign-in", account.sign_in, methods=["POST"]),
    Route("/account/sign-out", account.sign_out, methods=["POST"]),
    Route("/account/devices", account.devices, methods=["POST"]),
    Route("/account/program", account.program, methods=["POST"]),
    Route("/account/password", account.password, methods=["POST"]),
    Route("/account/export", account.export),
    Route("/account/delete", account.delete, methods=["POST"]),
    Route("/players/{name}", people.player),
    Route("/ladder", people.ladders),
    Route("/ladder/{game}", people.ladder),
    Route("/healthz", operating.health),
    Route("/metrics", operating.metrics),
    Route("/api", openapi.page),
    Route("/api/openapi.json", openapi.served),
    *api.ROUTES,
]


def make_app(settings: Settings, time: ServerTime | None = None) -> Starlette:
    """Make the application; its database is opened here, so raise StoreError, or SettingsError."""
    store = Store(settings.database or settings.data)
    warmth = Warmth()
    server_time = time or ServerTime(store.last_time())
    sockets = Sockets(settings.most_sockets)
    here = Here()
    thinker = thinker_of(settings, here)
    passwords, limits = Passwords(), Limits(settings.redis)

    @contextlib.asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        hub = app.state.hub = Hub(store, warmth, settings, server_time, thinker, sockets.part_with)
        hub.metrics.show("sockets", "Open sockets", lambda: len(sockets))
        sweeper = Sweeper(hub)
        warmth.start()
        tasks = [asyncio.create_task(_announce(warmth, sockets)), asyncio.create_task(sockets.beat(server_time.now))]
        await sweeper.start()
        yield
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await sweeper.close()
        await hub.close()
        passwords.close()
        await limits.close()
        store.close()

    app = Starlette(
        routes=[*ROUTES, Mount("/static", StaticFiles(directory=_HERE / "static"))],
        middleware=[Middleware(Guard, store)],
        exception_handlers={
            HTTPException: in_kind(pages.refused),
            GameError: in_kind(pages.unplayable),
            StoreError: in_kind(pages.unavailable),
            500: in_kind(pages.failed),
        },
        lifespan=lifespan,
    )
    loader = jinja2.FileSystemLoader(_HERE / "templates")
    app.state.templates = Jinja2Templates(env=jinja2.Environment(loader=loader, autoescape=True))
    app.state.lobby = lobby.Lobby(app.state.templates.get_template("lobby_lists.html"))
    app.state.warmth, app.state.sockets, app.state.pulse = warmth, sockets, operating.Pulse(store)
    app.state.here = here
    app.state.callers = Callers(settings.most_sockets)
    app.state.store, app.state.passwords, app.state.limits = store, passwords, limits
    return app


async def _announce(warmth: Warmth, sockets: Sockets) -> None:
    await warmth.wait()
    sockets.tell('{"type":"ready"}')
