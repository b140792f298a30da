"""The web application: its routes, its middleware, and the services that live as long as the server."""

import asyncio
import contextlib
import secrets
from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from time import thread_time

import jinja2
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Match, Mount, Route, WebSocketRoute
from starlette.templating import Jinja2Templates

from fourcorners import __version__
from fourcorners.core import catalogue
from fourcorners.core.plurals import pluralise
from fourcorners.study import html_report
from fourcorners.study.rendering import read_child_seconds
from fourcorners.web import health
from fourcorners.web.api import endpoints, openapi
from fourcorners.web.api.http_watchers import HttpWatchers
from fourcorners.web.api.models.common import Problem
from fourcorners.web.application import refusals
from fourcorners.web.application.analysis_board import PositionCache
from fourcorners.web.application.context import ServerContext
from fourcorners.web.application.web_push import WebPush
from fourcorners.web.auth.limits import RateLimiter, limit_rate
from fourcorners.web.auth.middleware import AuthMiddleware, is_api_request
from fourcorners.web.auth.passwords import PasswordService
from fourcorners.web.domain.clocks import ServerTime
from fourcorners.web.engine.cluster import create_move_service
from fourcorners.web.engine.move_service import LocalMoveService
from fourcorners.web.engine.services import Engine
from fourcorners.web.engine.warmup import Warmup
from fourcorners.web.engine.work_queue import Limits, WorkQueue
from fourcorners.web.metrics import Metrics
from fourcorners.web.pages import (
    about,
    account,
    account_page,
    analysis,
    entry,
    error_pages,
    games,
    home,
    lessons,
    lobby,
    miniatures,
    offline,
    passkeys,
    people,
    previews,
    printing,
    puzzle_sets,
    puzzles,
    qr,
    recovery,
    reviews,
    strength,
)
from fourcorners.web.pages.assets import Assets, VersionedFiles
from fourcorners.web.pages.error_pages import require_cookie
from fourcorners.web.pages.render import render_page
from fourcorners.web.protocol.codec import encode_json
from fourcorners.web.protocol.server_messages import Preparing, Ready
from fourcorners.web.realtime.background_tasks import BackgroundTasks
from fourcorners.web.realtime.connection_pool import ConnectionPool
from fourcorners.web.realtime.pairing import Pairing
from fourcorners.web.realtime.pubsub import EventBus, create_event_bus
from fourcorners.web.realtime.request_work import send_record
from fourcorners.web.realtime.rooms import Rooms
from fourcorners.web.realtime.websocket_endpoint import serve_socket
from fourcorners.web.settings import Settings
from fourcorners.web.store import Store

_HERE = Path(__file__).resolve().parent
_PROGRESS_EVERY = 0.5
_BOARD_THREADS = 4
LOADING_LIMITS = Limits(threads=2, waiting=1000, per_player=100, per_network=500, cpu_seconds=60.0)
"""After a restart many tables are opened at once. They have separate threads, because replaying thousands of events
takes as long as many moves at other tables.
"""
REPLAY_LIMITS = Limits(threads=1, waiting=64, per_player=4, per_network=32, cpu_seconds=20.0)
"""One record at a time is read or written. The longest that is allowed takes some seconds."""
BOARD_LIMITS = Limits(threads=2, waiting=96, per_player=8, per_network=48, cpu_seconds=5.0)
"""Drawing a position of the analysis board takes some milliseconds, and playing a long line to it from its start a
second or two at most.
"""
HASHING_LIMITS = Limits(threads=2, waiting=32, per_player=4, per_network=16, cpu_seconds=5.0)
"""Each hash takes about 30 ms and 19 MiB."""
DRAWING_LIMITS = Limits(threads=1, waiting=32, per_player=4, per_network=16, cpu_seconds=20.0)
"""One picture or document at a time is drawn, by another process with its own limits."""


def show_api_reference(request: Request) -> Response:
    """Return the page that documents the API; it is here because `api` and `pages` do not know each other."""
    return render_page(request, "api.html", openapi.build_page_context())


def answer_error(request: Request, error: Exception) -> Response:
    """Answer an error with a `Problem` to the API, and with a page to browsers."""
    refusal = refusals.build_refusal(error)
    is_server = request.method == "OPTIONS" and request.scope["path"] == "*"
    if is_server or refusal.status_code == 405:
        methods = ["GET", "HEAD", "POST"] if is_server else _list_methods(request)
        if request.method == "OPTIONS":
            # No route has it.
            return Response(status_code=204, headers={"allow": ", ".join([*methods, "OPTIONS"])})
        refusal.headers = {"allow": ", ".join(methods)}
    if is_api_request(request.scope):
        problem = encode_json(Problem(code=refusal.code, sentence=refusal.detail))
        return Response(problem, refusal.status_code, refusal.headers, "application/json")
    return error_pages.show_refusal(request, refusal)


def _list_methods(request: Request) -> list[str]:
    """List the methods of all routes for an address; Starlette names only those of the first one."""
    routes = [route for route in ROUTES if isinstance(route, Route)]
    path = next((route.path for route in routes if route.matches(request.scope)[0] is not Match.NONE), None)
    found = {method for route in routes if route.path == path for method in route.methods or ()}
    return sorted(found or {"GET", "HEAD"})  # static files have no route


ROUTES = [
    Route("/", limit_rate("pages", home.show_home)),
    Route("/lobby", limit_rate("pages", lobby.show_lobby)),
    Route("/lobby/lists", limit_rate("lists", lobby.serve_lists)),
    Route("/lobby/pair/{game}", require_cookie(limit_rate("pairing", lobby.find_opponent)), methods=["POST"]),
    Route("/lobby/cancel/{table}", limit_rate("api", lobby.cancel_game), methods=["POST"]),
    *(Route(f"/lobby/{form}", lobby.redirect_to_lobby) for form in ("pair/{game}", "cancel/{table}")),
    Route("/games/{game}", limit_rate("pages", games.show_game)),
    Route("/games/{game}", require_cookie(games.create_game), methods=["POST"]),
    Route("/games/{game}/check", limit_rate("check", games.check_game), methods=["POST"]),
    Route("/games/{game}/rules", games.serve_rules),
    Route("/games/{game}/style.css", games.serve_style),
    Route("/games/{game}/cover.svg", games.serve_cover),
    Route("/games/{game}/examples/{number}.svg", games.serve_example),
    Route("/boards.css", miniatures.serve_style),
    Route("/analysis", limit_rate("pages", analysis.show_games)),
    Route("/analysis", limit_rate("pages", analysis.open_text), methods=["POST"]),
    Route("/analysis/{game}", limit_rate("pages", analysis.show_board)),
    Route("/analysis/shared/{analysis}", limit_rate("pages", analysis.show_shared)),
    Route("/analysis/shared/{analysis}/preview.png", limit_rate("pictures", previews.serve_analysis_preview)),
    Route("/embed/{analysis}", limit_rate("embeds", analysis.show_embedded)),
    Route("/puzzles", limit_rate("pages", puzzles.show_puzzles)),
    Route("/puzzles/{game}", puzzles.redirect_to_puzzles),
    Route("/puzzles/{game}/daily", limit_rate("pages", puzzles.redirect_to_daily)),
    Route("/puzzles/{game}/next", limit_rate("pages", puzzles.redirect_to_next)),
    Route("/puzzles/{game}/run", limit_rate("pages", puzzles.show_run)),
    Route("/puzzles/{game}/{puzzle}/preview.png", limit_rate("pictures", previews.serve_puzzle_preview)),
    Route("/puzzles/{game}/{puzzle}", limit_rate("pages", puzzles.show_puzzle)),
    Route("/sets", limit_rate("pages", puzzle_sets.show_sets)),
    Route("/sets", limit_rate("sets", puzzle_sets.create), methods=["POST"]),
    Route("/sets/pick", limit_rate("pages", puzzle_sets.pick_puzzles), methods=["POST"]),
    Route("/sets/pick", puzzle_sets.redirect_to_sets),
    Route("/sets/{set}", limit_rate("pages", puzzle_sets.show_set)),
    Route("/sets/{set}/qr.svg", limit_rate("pages", qr.show_set_qr_code)),
    Route("/sets/{set}/results/table", limit_rate("lists", puzzle_sets.serve_results)),
    Route("/sets/{set}/results", limit_rate("pages", puzzle_sets.show_results)),
    Route("/sets/{set}/admission", limit_rate("sets", puzzle_sets.change_admission), methods=["POST"]),
    Route("/sets/{set}/removal", limit_rate("sets", puzzle_sets.remove_pupils), methods=["POST"]),
    Route("/sets/{set}/delete", limit_rate("sets", puzzle_sets.delete), methods=["POST"]),
    Route("/games/{game}/print", limit_rate("pages", printing.show_form)),
    Route("/games/{game}/boards.pdf", limit_rate("pictures", printing.serve_boards)),
    Route("/games/{game}/puzzles.pdf", limit_rate("pictures", printing.serve_puzzles)),
    Route("/enter", limit_rate("pages", entry.show_entry)),
    Route("/learn", limit_rate("pages", lessons.show_lessons)),
    Route("/learn/{game}", lessons.redirect_to_lessons),
    Route("/learn/{game}/{lesson}", limit_rate("pages", lessons.show_lesson)),
    Route("/learn/{game}/{lesson}/preview.png", limit_rate("pictures", previews.serve_lesson_preview)),
    Route("/play/{table}", limit_rate("pages", games.show_table)),
    Route("/play/{table}/qr.svg", qr.show_qr_code),
    Route("/play/{table}/preview.png", limit_rate("pictures", previews.serve_table_preview)),
    Route("/play/{table}/record", limit_rate("api", send_record)),
    Route("/play/{table}/analysis", limit_rate("pages", analysis.analyse_table)),
    Route("/play/{table}/review", limit_rate("pages", reviews.show_review)),
    Route("/play/{table}/review", reviews.start_review, methods=["POST"]),
    Route("/play/{table}/review/preview.png", limit_rate("pictures", previews.serve_review_preview)),
    Route("/play/{table}/review/report", limit_rate("lists", reviews.serve_report)),
    Route("/play/{table}/review/{ply}/board.svg", limit_rate("api", reviews.serve_board)),
    Route("/play/{table}/review/turn", limit_rate("lists", reviews.serve_turn)),
    Route("/play/{table}/review/mistakes", limit_rate("pages", reviews.show_mistakes)),
    Route("/play/{table}/review/moves/{ply}", limit_rate("pages", reviews.show_tries)),
    Route("/play/{table}/review/{ply}", limit_rate("api", reviews.serve_move)),
    Route("/reviews/style.css", reviews.serve_style),
    WebSocketRoute("/play/{table}/live", serve_socket),
    Route("/records", home.upload_record, methods=["POST"]),
    Route("/records", home.redirect_home),
    Route("/account", account_page.show_account),
    Route("/account/name", require_cookie(limit_rate("name", account.change_name)), methods=["POST"]),
    Route("/account/register", require_cookie(account.register), methods=["POST"]),
    Route("/account/sign-in", require_cookie(limit_rate("sign-in", account.sign_in)), methods=["POST"]),
    Route("/account/sign-out", account.sign_out, methods=["POST"]),
    Route("/account/devices", account.sign_out_devices, methods=["POST"]),
    Route("/account/program", require_cookie(limit_rate("program", account.create_api_key)), methods=["POST"]),
    Route("/account/password", account.change_password, methods=["POST"]),
    Route("/account/passkey-options", passkeys.offer_creation, methods=["POST"]),
    Route("/account/passkey", passkeys.create_passkey, methods=["POST"]),
    Route("/account/passkey-delete", passkeys.delete_passkey, methods=["POST"]),
    Route(
        "/account/passkey-sign-in-options",
        require_cookie(limit_rate("sign-in", passkeys.offer_sign_in)),
        methods=["POST"],
    ),
    Route(
        "/account/passkey-sign-in",
        require_cookie(limit_rate("sign-in", passkeys.sign_in_with_passkey)),
        methods=["POST"],
    ),
    Route("/account/recovery-codes", recovery.create_codes, methods=["POST"]),
    Route("/account/recover", require_cookie(limit_rate("sign-in", recovery.recover_account)), methods=["POST"]),
    Route("/account/notifications", limit_rate("settings", account.end_notifications), methods=["POST"]),
    Route("/account/puzzles", limit_rate("settings", account.save_puzzle_consent), methods=["POST"]),
    Route("/account/export", limit_rate("export", account.export_data)),
    # Someone who reloads the answer to a form, or goes back to it, asks for its address.
    *(Route(f"/account/{name}", account_page.redirect_to_account) for name in account_page.FORM_NAMES),
    Route("/account/delete", account.delete_account, methods=["POST"]),
    Route("/players/{name}", limit_rate("pages", people.show_player)),
    Route("/ladder", limit_rate("pages", people.show_ladders)),
    Route("/ladder/{game}", limit_rate("pages", people.show_ladder)),
    Route("/service-worker.js", limit_rate("lists", offline.serve_worker)),
    Route("/offline", limit_rate("pages", offline.show_offline)),
    # Browsers ask for this where no icon is declared: rules without a page around them, records, pictures.
    Route("/favicon.ico", RedirectResponse("/static/icons/192.png", headers={"cache-control": "public, max-age=3600"})),
    *(Route(f"/apple-touch-icon{kind}.png", about.redirect_to_icon) for kind in ("", "-precomposed")),
    Route("/robots.txt", about.serve_robots),
    Route("/.well-known/change-password", about.redirect_to_password),
    Route("/about", limit_rate("pages", about.show_about)),
    Route("/strength", limit_rate("pages", strength.show_strength)),
    Route("/reports/{game}", limit_rate("pages", strength.show_report)),
    Route("/privacy", limit_rate("pages", about.show_privacy)),
    Route("/healthz", health.show_health),
    Route("/readyz", health.show_readiness),
    Route("/metrics", health.show_metrics),
    Route("/api", show_api_reference),
    Route("/api/openapi.json", openapi.serve_document),
    *endpoints.ROUTES,
]


def _build_context(settings: Settings, store: Store, time: ServerTime, process: str, events: EventBus) -> ServerContext:
    """Create the services of a server called `process`; raise SettingsError if the cluster cannot be reached."""
    warmup = Warmup()
    return ServerContext(
        settings=settings,
        store=store,
        time=time,
        process=process,
        shared=events.others,
        publish=events.publish,
        metrics=Metrics(process),
        warmup=warmup,
        passwords=PasswordService(),
        push=WebPush(store, settings.allowed_hosts),
        move_service=create_move_service(settings, LocalMoveService(warmup)),
        engine=Engine(warmup),
        opening=WorkQueue(
            "open",
            LOADING_LIMITS,
            "Too many games are being opened on this server right now. Try again in a minute.",
            "This game takes too long to open on this server.",
        ),
        replaying=WorkQueue(
            "replay",
            REPLAY_LIMITS,
            "Too many records are being read on this server. Try again in a minute.",
            "This record takes too long to replay on this server.",
        ),
        drawing=WorkQueue(
            "draw",
            DRAWING_LIMITS,
            "Too many pictures are being drawn on this server. Try again in a minute.",
            "This takes too long to draw on this server.",
            clock=lambda: thread_time() + read_child_seconds(),
        ),
        boards=WorkQueue(
            "board",
            BOARD_LIMITS,
            "Too many positions are being drawn on this server. Try again in a minute.",
            "This position takes too long to play through on this server.",
        ),
        hashing=WorkQueue(
            "hash", HASHING_LIMITS, "Too many passwords are being checked on this server. Try again in a minute."
        ),
        positions=PositionCache(),
        board_threads=ThreadPoolExecutor(_BOARD_THREADS, "board"),
        outages=[],
    )


def make_app(settings: Settings, time: ServerTime | None = None) -> Starlette:
    """Return the application with its database open; its services start and stop with the server.

    `time` replaces the server's time in tests. Raise StoreError if the database cannot be opened or read, SettingsError
    if the cluster for moves cannot be reached; the database stays open then.
    """
    store = Store(settings.database or settings.data)
    store.erase_remains()
    process = secrets.token_hex(8)
    events = create_event_bus(settings, process)
    context = _build_context(settings, store, time or ServerTime(store.read_latest_time()), process, events)
    warmup, limits = context.warmup, RateLimiter(settings.redis)
    sockets = ConnectionPool(settings.max_sockets)
    rooms = Rooms(context, sockets.disconnect_player)
    # No clock is charged for the time in which no server ran.
    rooms.heartbeat.start()
    for name, description, read in (
        ("rooms", "Tables in memory", lambda: len(rooms.opened)),
        ("searches", "Computers that are thinking", lambda: rooms.search_count),
        ("sockets", "Open sockets", lambda: len(sockets)),
        ("waiting_writes", "Writes waiting to be stored", lambda: store.writer.queue_length),
        ("transactions", "Transactions committed by the writer", lambda: store.writer.commits),
    ):
        context.metrics.add_gauge(name, description, read)

    @contextlib.asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        """Start the services, serve, and stop them; the database closes last. If one fails, the rest stays open."""
        background_tasks = BackgroundTasks(rooms)
        warmup.start()
        tasks = [asyncio.create_task(_announce_progress(warmup, sockets))]
        tasks.append(asyncio.create_task(sockets.send_beats(context.time.now)))
        background_tasks.start()
        await events.start(rooms.handle_event)
        yield
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await events.close()
        await background_tasks.close()
        await rooms.close()
        context.close()
        await limits.close()
        store.close()

    app = Starlette(
        routes=[*ROUTES, Mount("/static", VersionedFiles(directory=_HERE / "static"))],
        middleware=[
            Middleware(AuthMiddleware, store, context.time),
        ],
        exception_handlers={
            **dict.fromkeys((*refusals.ERRORS, 500), answer_error),
            # The client has left before it had sent everything.
            ClientDisconnect: lambda _, __: Response(status_code=400),
        },
        lifespan=lifespan,
    )
    own, parts = (
        jinja2.FileSystemLoader(_HERE / "templates"),
        jinja2.PrefixLoader({"study": html_report.create_loader()}),
    )
    loader = jinja2.ChoiceLoader([own, parts])
    env = jinja2.Environment(loader=loader, autoescape=True)
    # The filter `tojson` also takes the structs of messages.
    env.policies["json.dumps_function"] = lambda value, **_: encode_json(value).decode()
    env.globals["pluralise"] = pluralise
    env.globals["version"] = __version__
    env.globals["asset"] = Assets(_HERE / "static").find_address
    app.state.templates = Jinja2Templates(env=env)
    app.state.lobby = lobby.Lobby(app.state.templates.get_template("lobby_lists.html"))
    app.state.context, app.state.rooms, app.state.sockets = context, rooms, sockets
    app.state.pairing = Pairing(rooms)
    app.state.read_probe = health.Probe(store.ping)
    app.state.write_probe = health.Probe(store.check_writing)
    app.state.http_watchers = HttpWatchers(settings.max_sockets)
    app.state.limits = limits
    return app


async def _announce_progress(warmup: Warmup, sockets: ConnectionPool) -> None:
    """Send the sockets how much of their game is compiled, again and again, and finally that all of it is."""
    games = [game for game in catalogue.specs() if not warmup.is_available(game)]
    while games:
        await asyncio.sleep(_PROGRESS_EVERY)
        for game in list(games):
            if warmup.is_available(game):
                games.remove(game)
                sockets.send_to_game(game, Ready())
            else:
                sockets.send_to_game(game, Preparing(features=warmup.describe(game)))
