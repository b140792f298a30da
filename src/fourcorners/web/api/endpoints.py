"""The API for programs: JSON over HTTP, by the same doors as the pages, from one table of endpoints."""

from __future__ import annotations

import asyncio
import contextlib
import functools
import json
import random
import re
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any, NamedTuple, get_args

from pydantic import BaseModel, ValidationError
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from fourcorners.core import catalogue
from fourcorners.core.errors import GameError, OptionError, quote
from fourcorners.core.game import Game
from fourcorners.web.api import models
from fourcorners.web.api.errors import ApiError
from fourcorners.web.api.http_watchers import Callers, Errand
from fourcorners.web.application.setup import new_table
from fourcorners.web.auth.identity import generate_secret, hash_secret
from fourcorners.web.auth.limits import enforce_rate_limit
from fourcorners.web.domain.clocks import TimeControl
from fourcorners.web.domain.names import clean_name
from fourcorners.web.domain.seats import COMPUTER, OPEN, PERSON, is_strength, parse_strength, rotate_seats
from fourcorners.web.domain.table import LIVE
from fourcorners.web.pages import games
from fourcorners.web.protocol import client_messages
from fourcorners.web.protocol.client_messages import BadMessageError
from fourcorners.web.protocol.server_messages import TableTold
from fourcorners.web.protocol.snapshots import Frame, as_text
from fourcorners.web.realtime.room import Room
from fourcorners.web.realtime.room_registry import CapacityError, RoomRegistry
from fourcorners.web.store import Store, StoredTable

ME = "me"
VERBS = ("move", *get_args(client_messages.Deed.model_fields["type"].annotation), "again")
_LISTED = 100
_ID = re.compile(r"[A-Za-z0-9_-]{1,32}", re.ASCII)
_NO_TABLE = "There is no such table here."
_READ_WITHIN = 10.0
_USUAL_NAME = "Guest"
_STATUS = {"unreadable": 400, "not-yours": 403, "stale": 409}

Work = Callable[[Request, Any], Awaitable[dict[str, Any] | Response]]


class Endpoint(NamedTuple):
    """One thing that may be asked: `takes` reads the body, or where there is none to come the query.

    `errors` are the statuses, besides those that any request may get, with which it may be refused; `known` says
    that whoever asks must name itself.
    """

    method: str
    path: str
    title: str
    work: Work
    takes: type[BaseModel] | None = None
    gives: type[BaseModel] | None = None
    status: int = 200
    errors: tuple[int, ...] = ()
    known: bool = True


def _hub(request: Request) -> RoomRegistry:
    registry: RoomRegistry = request.app.state.registry
    return registry


def _store(request: Request) -> Store:
    return _hub(request).store


async def _player(request: Request, given: models.NewPlayer) -> dict[str, Any]:
    """Be a guest from now on."""
    await enforce_rate_limit(request, "guests")
    secret, name = generate_secret(), clean_name(given.name)
    if name:
        await run_in_threadpool(_store(request).save_guest_name, hash_secret(secret), name, time.time())
    return {"id": hash_secret(secret), "name": name, "account": None, "secret": secret}


async def _me(request: Request, _: None) -> dict[str, Any]:
    profile = await run_in_threadpool(_store(request).read_profile, request.state.owner)
    return {"id": profile.id, "name": profile.name, "account": profile.account}


async def _games(_: Request, __: None) -> dict[str, Any]:
    return {"games": [_offered(game_id) for game_id in catalogue.games()]}


@functools.lru_cache(maxsize=64)
def _offered(game_id: str) -> dict[str, Any]:
    plain = catalogue.game(game_id)
    spec, preset = plain.spec, plain.preset
    levels = [
        {"level": number, "name": level.name, "blind": level.blind} for number, level in enumerate(spec.levels, 1)
    ]
    schema = spec.options.model_json_schema()
    fixed, usual = (preset.options, preset.defaults) if preset else ({}, {})
    properties = {
        name: {**of, **({"default": usual[name]} if name in usual else {})}
        for name, of in schema.get("properties", {}).items()
        if name not in fixed
    }
    return {
        "id": game_id,
        "title": plain.title,
        "summary": (preset.summary if preset else "") or spec.summary,
        "hidden": spec.hidden,
        "seats": plain.seats,
        "options": {**schema, "properties": properties},
        "levels": levels,
    }


async def _new_table(request: Request, given: models.NewTable) -> dict[str, Any]:
    name = await _hub(request).name_for(request.state.owner, given.name) or _USUAL_NAME
    saved = await run_in_threadpool(_set_up, given, request.state.owner, name, _hub(request).time.now())
    await games.keep(request, saved)
    return {"id": saved.id, "link": f"/play/{saved.id}"}


def _set_up(given: models.NewTable, owner: str, name: str, now: float) -> StoredTable:
    game = catalogue.game(given.game, **given.options)
    kinds = _kinds(game, given.seats)
    mine = [seat for seat, kind in enumerate(kinds) if kind == PERSON]
    names = [
        "" if kind == OPEN else _numbered(name, mine.index(seat)) if seat in mine else parse_strength(kind, game.spec).name
        for seat, kind in enumerate(kinds)
    ]
    clock = TimeControl.of(given.clock and given.clock.model_dump()).as_json()
    settings: dict[str, Any] = {"confirm": False, "clock": clock}
    if OPEN in kinds:
        settings |= {"visibility": given.visibility, "chat": given.chat, "rated": given.rated}
    first = random.SystemRandom().randrange(game.seats) if given.order == "random" else 0
    return new_table(game, rotate_seats(names, first), rotate_seats(kinds, first), owner, settings, now)


def _kinds(game: Game, seats: list[str] | None) -> list[str]:
    told = [ME, *[OPEN] * (game.seats - 1)] if seats is None else seats
    if len(told) != game.seats:
        raise OptionError("seats", f"{len(told)} are named, but this game has {game.seats}")
    for kind in told:
        if kind not in {ME, OPEN} and not is_strength(kind, game.spec):
            levels = f"{COMPUTER}1 to {COMPUTER}{len(game.spec.levels)}, or seconds a move such as {COMPUTER}3s"
            raise OptionError("seats", f"{quote(kind)} is not allowed; it may be {ME}, {OPEN}, {levels}")
    return [PERSON if kind == ME else kind for kind in told]


def _numbered(name: str, before: int) -> str:
    return f"{name} {before + 1}" if before else name


async def _tables(request: Request, given: models.TablesQuery) -> dict[str, Any]:
    store, owner = _store(request), request.state.owner
    if given.mine:
        listed = await run_in_threadpool(store.list_player_tables, owner, _LISTED)
    else:
        # Who can be played with comes first.
        waiting = await run_in_threadpool(store.list_lobby_tables, _LISTED, started=False)
        listed = waiting + await run_in_threadpool(store.list_lobby_tables, _LISTED, started=True)
    return {"tables": [_listed(saved, owner) for saved in listed if saved.kind == LIVE]}


def _listed(saved: StoredTable, owner: str) -> dict[str, Any]:
    mine = [chair for chair in saved.chairs if chair.player == owner]
    open_ = [chair for chair in saved.chairs if chair.kind == PERSON and not chair.taken]
    return {
        "id": saved.id,
        "game": saved.game,
        "options": saved.options,
        "names": saved.names,
        "kinds": saved.kinds,
        "free": [chair.seat for chair in open_ if chair.player in {None, owner}],
        "seats": [chair.seat for chair in mine if chair.taken],
        "version": saved.version,
        "turn": saved.turn,
        "result": saved.result,
        "settings": saved.settings,
        "created": saved.created,
        "started": saved.started,
        "changed": saved.changed,
    }


@contextlib.asynccontextmanager
async def _room(request: Request) -> AsyncIterator[Room]:
    """Find a table's room, and say what is wrong with it or with being there."""
    try:
        room = await _hub(request).open(request.path_params["table"])
    except GameError:
        raise ApiError(409, "other-rules", "This game was stored by other rules and cannot be shown.") from None
    except CapacityError as error:
        raise ApiError(429, "too-much", f"{error}.") from None
    if room is None:
        raise ApiError(404, "not-found", _NO_TABLE)
    try:
        yield room
    except CapacityError as error:
        raise ApiError(429, "too-much", f"{error}.") from None


async def _table(request: Request, given: models.TableQuery) -> dict[str, Any]:
    """Tell how a table stands, at once or when something has happened there."""
    registry, callers = _hub(request), _callers(request)
    async with _room(request) as room, callers.visit(room, request.state.owner, given.viewer) as caller:
        if given.since is not None:
            await caller.later_than(given.since, given.wait)
        frame = caller.frame
        if frame is None:
            raise ApiError(404, "not-found", _NO_TABLE)
        return await room.on_board(_told, room.id, frame, registry.time.now())


def _told(table_id: str, frame: Frame, now: float) -> dict[str, Any]:
    data = frame.data
    return {
        "id": table_id,
        **{name: data[name] for name in (*TableTold.model_fields, "game", "plies", "settings", "host")},
        "moves": list(frame.offered),
        "view": {"seat": frame.sight.viewer, "text": frame.picture.view.text},
        "now": now,
    }


def _callers(request: Request) -> Callers:
    callers: Callers = request.app.state.callers
    return callers


async def _command(request: Request, _: None) -> dict[str, Any]:
    """Do what a program wants, as the socket does it."""
    registry, verb = _hub(request), request.path_params["verb"]
    received = registry.time.now()
    if verb not in VERBS:
        raise ApiError(404, "not-found", f"There is no command {quote(verb)}; they are {', '.join(VERBS)}.")
    message = client_messages.read_command(verb, await _body(request))
    if registry.closing:
        raise ApiError(503, "unavailable", "The server restarts; send this again in a moment.", retry_after=5)
    if isinstance(message, client_messages.Again):
        await enforce_rate_limit(request, "tables")
    errand = Errand(request.state.owner)
    async with _room(request) as room, _callers(request).visit(room, request.state.owner):
        # What is being stored is stored, whether or not the program waits for it.
        await asyncio.shield(registry.obey(room, errand, message, received))
    answer: dict[str, Any] = json.loads(errand.answer)
    if answer["type"] == "done":
        return answer
    usual = "The board has changed since; look at it again." if answer["type"] == "stale" else ""
    code = answer.get("code", answer["type"])
    raise ApiError(_STATUS.get(code, 422), code, answer.get("sentence") or usual)


async def _record(request: Request, _: None) -> Response:
    return await run_in_threadpool(games.record_of, request)


async def _body(request: Request) -> bytes:
    chunks, total = [], 0
    try:
        async with asyncio.timeout(_READ_WITHIN):
            async for chunk in request.stream():
                total += len(chunk)
                if total > client_messages.LONGEST_MESSAGE:
                    raise ApiError(413, "too-large", f"At most {client_messages.LONGEST_MESSAGE // 1024} KB are taken.")
                chunks.append(chunk)
    except TimeoutError:
        raise ApiError(408, "too-slow", f"This did not come within {_READ_WITHIN:g} seconds.") from None
    return b"".join(chunks)


ENDPOINTS = (
    Endpoint(
        "POST",
        "/api/players",
        "Become a guest, and be told the secret that names you from then on",
        _player,
        models.NewPlayer,
        models.Guest,
        status=201,
        known=False,
    ),
    Endpoint("GET", "/api/me", "Who you are", _me, None, models.PlayerTold),
    Endpoint("GET", "/api/games", "All games, with their options and levels", _games, None, models.Games, known=False),
    Endpoint(
        "GET",
        "/api/tables",
        "The lobby, or your tables",
        _tables,
        models.TablesQuery,
        models.Tables,
        known=False,
    ),
    Endpoint(
        "POST",
        "/api/tables",
        "Set up a table",
        _new_table,
        models.NewTable,
        models.NewTableTold,
        status=201,
        errors=(422,),
    ),
    Endpoint(
        "GET",
        "/api/tables/{table}",
        "How a table stands, at once or as soon as something happens there",
        _table,
        models.TableQuery,
        models.TableAnswer,
        errors=(404,),
        known=False,
    ),
    Endpoint(
        "GET",
        "/api/tables/{table}/record",
        "The record as text, as far as you may know it",
        _record,
        errors=(404,),
        known=False,
    ),
    Endpoint(
        "POST",
        "/api/tables/{table}/{verb}",
        "Move, or do something else at a table",
        _command,
        None,
        models.CommandDone,
        errors=(403, 404, 409, 422),
    ),
)


def _served(endpoint: Endpoint) -> Callable[[Request], Awaitable[Response]]:
    async def serve(request: Request) -> Response:
        if endpoint.known and not request.state.known:
            sentence = "Name yourself: send the secret of POST /api/players as Authorization: Bearer SECRET."
            raise ApiError(401, "secret", sentence)
        await enforce_rate_limit(request, "api")
        if not _ID.fullmatch(request.path_params.get("table", "x")):
            raise ApiError(404, "not-found", _NO_TABLE)
        try:
            answer = await endpoint.work(request, await _given(endpoint, request))
        except BadMessageError as error:
            raise ApiError(400, "unreadable", f"{error}.") from None
        except OptionError as error:
            raise ApiError(422, error.code, f"{error.message}.") from None
        if isinstance(answer, Response):
            return answer
        return Response(as_text(answer), endpoint.status, media_type="application/json")

    return serve


async def _given(endpoint: Endpoint, request: Request) -> BaseModel | None:
    if endpoint.takes is None:
        return None
    if endpoint.method == "POST":
        return client_messages.read_as(endpoint.takes, await _body(request))
    try:
        return endpoint.takes.model_validate(dict(request.query_params))
    except ValidationError as error:
        raise BadMessageError(f"this query cannot be read{client_messages.reason(error, 0)}") from None


ROUTES = [Route(one.path, _served(one), methods=[one.method]) for one in ENDPOINTS]
