"""The endpoints of the HTTP API, declared in one table that routes and documentation are built from."""

import asyncio
import contextlib
import functools
import re
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, get_type_hints

import msgspec
from msgspec import Struct
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from fourcorners.core import catalogue
from fourcorners.core.errors import OptionError, quote
from fourcorners.core.game import Game
from fourcorners.players.computer_play import ComputerPlay
from fourcorners.study.game_words import find_summary
from fourcorners.study.stills import KINDS, Colours
from fourcorners.web.api import analysis, notifications, study
from fourcorners.web.api.files import build_file, check_kind
from fourcorners.web.api.http_watchers import HttpWatcher, HttpWatchers
from fourcorners.web.api.models import tables as models
from fourcorners.web.api.models.pictures import PictureQuery, SheetQuery
from fourcorners.web.application.analysis_pictures import LINE_MEDIA_TYPES
from fourcorners.web.application.commands import look_up_name
from fourcorners.web.application.context import get_context
from fourcorners.web.application.pictures import MEDIA_TYPES, PictureOrder, draw_table, print_table
from fourcorners.web.application.refusals import Refusal
from fourcorners.web.application.table_session import load_row
from fourcorners.web.application.table_setup import Sharing, TableSetup, build_table, store_table
from fourcorners.web.auth.identity import NO_COOKIE, blocks_cookies, generate_secret, hash_secret
from fourcorners.web.auth.limits import enforce_rate_limit
from fourcorners.web.domain.clocks import TimeControl
from fourcorners.web.domain.commands import COMMANDS, Command, Rematch
from fourcorners.web.domain.names import clean_name
from fourcorners.web.domain.results import name_leaver
from fourcorners.web.domain.rows import NoTableError, StoredTable
from fourcorners.web.domain.seats import OPEN, PERSON, describe_kinds, is_strength
from fourcorners.web.domain.table import GUEST, LIVE, seat_labels
from fourcorners.web.protocol import codec
from fourcorners.web.protocol.client_messages import LONGEST_MESSAGE, OLD_TYPES, parse_command
from fourcorners.web.protocol.codec import UnreadableMessageError, encode_json, find_tag
from fourcorners.web.protocol.server_messages import Done, Refused
from fourcorners.web.protocol.snapshots import Snapshot
from fourcorners.web.protocol.table_fields import TableFields
from fourcorners.web.realtime.request_work import (
    await_unless_gone,
    draw_in_turn,
    read_body,
    send_record,
)
from fourcorners.web.realtime.room import Room
from fourcorners.web.realtime.rooms import get_rooms
from fourcorners.web.store import Profile

VERBS = tuple(find_tag(command) for command in COMMANDS)
LONGEST_ANALYSIS, LONGEST_ENTRY = 2**20, 2**19
_MAX_LISTED = 100
_TABLE_ID = re.compile(r"[A-Za-z0-9_-]{1,32}", re.ASCII)
_TABLE = "/api/tables/{table}"
_REVIEW = f"{_TABLE}/review"
_SET = "/api/sets/{set}"
_NO_KEY = "An API key is required: get one from POST /api/players and send it as Authorization: Bearer KEY."
_REFUSAL_STATUS = {"unreadable": 400, "not-yours": 403, "id-used": 409}

Handle = Callable[[Request, Any], Awaitable[Struct | Response]]


@dataclass(frozen=True)
class Endpoint:
    """One request that programs can make.

    The handler's second parameter is the body, or the query for GET. `errors` are the statuses of refusals besides
    those that any request for such a path can get. `media` are the types of an answer that is not JSON. With `known`
    the program must send its secret. An endpoint for a `command` has its verb as the last part of the path.
    """

    method: str
    path: str
    title: str
    handle: Handle
    status: int = 200
    errors: tuple[int, ...] = ()
    known: bool = False
    media: tuple[str, ...] = ()
    command: type[Command] | None = None
    longest_body: int = LONGEST_MESSAGE

    @cached_property
    def request_type(self) -> type[Struct] | None:
        """The type of the body or of the query, by the handler's annotation; None without parameters."""
        return self._types[1]

    @cached_property
    def answer_type(self) -> type[Struct] | None:
        """The type of the answer, by the handler's annotation; None for plain text."""
        return self._types[2]

    @property
    def _types(self) -> list[type[Struct] | None]:
        # The hints come in the order of the signature: the request, its body or query, the answer.
        return [hint if issubclass(hint, Struct) else None for hint in get_type_hints(self.handle).values()]


async def _create_guest(request: Request, body: models.NewPlayer) -> models.Guest:
    """Create a guest and store its name, unless blank, for other servers."""
    await enforce_rate_limit(request, "guests")
    secret, name = generate_secret(), clean_name(body.name)
    if name:
        context = get_context(request)
        await run_in_threadpool(context.store.save_guest_name, hash_secret(secret), name, context.time.now())
    return models.Guest(id=hash_secret(secret), name=name, account=None, secret=secret)


async def _show_player(request: Request, _: None) -> models.Player:
    profile = await run_in_threadpool(get_context(request).store.read_profile, request.state.owner)
    return models.Player(id=profile.id, name=profile.name, account=profile.account)


async def _list_games(_: Request, __: None) -> models.Games:
    return models.Games(games=[_describe_game(game_id) for game_id in catalogue.games()])


@functools.lru_cache(maxsize=64)
def _describe_game(game_id: str) -> models.OfferedGame:
    """Return a game or preset for programs: a preset's own defaults, without the options that it fixes. The
    result is cached, so do not change it. Raise OptionError for an unknown id.
    """
    game = catalogue.game(game_id)
    spec, preset = game.spec, game.preset
    schema = spec.options.model_json_schema()
    fixed, defaults = (preset.options, preset.defaults) if preset else ({}, {})
    properties = {
        name: {**field, **({"default": defaults[name]} if name in defaults else {})}
        for name, field in schema.get("properties", {}).items()
        if name not in fixed
    }
    return models.OfferedGame(
        id=game_id,
        title=game.title,
        summary=find_summary(game),
        hidden=spec.hidden,
        seats=game.seats,
        options={**schema, "properties": properties},
        levels=[
            models.Level(level=i, name=level.name, blind=level.blind)
            for i, level in enumerate(spec.part(ComputerPlay).levels, 1)
        ],
    )


async def _create_table(request: Request, body: models.NewTable) -> models.CreatedTable:
    """Set up a table."""
    context, player = get_context(request), request.state.owner
    name = await look_up_name(context, player, body.name) or GUEST
    setup = await context.run_in_board_thread(_read_setup, body, name)
    row = await context.run_in_board_thread(build_table, setup, player, context.time.now())
    await enforce_rate_limit(request, "tables")
    await store_table(context.store, row)
    return models.CreatedTable(id=row.id, link=f"/play/{row.id}")


def _read_setup(body: models.NewTable, name: str) -> TableSetup:
    """Return the table of a request; the caller's seats are called `name`, "`name` 2" and so on. Raise OptionError."""
    game = catalogue.game(body.game, **body.options)
    kinds = _read_kinds(game, body.seats)
    own = [seat for seat, kind in enumerate(kinds) if kind == PERSON]
    return TableSetup(
        game,
        kinds,
        {seat: f"{name} {number}" if number > 1 else name for number, seat in enumerate(own, 1)},
        TimeControl.from_stored(body.clock and msgspec.to_builtins(body.clock)),
        sharing=Sharing(body.visibility, body.chat),
        rated=body.rated,
        shuffle=body.order == "random",
        hide_points=body.hide_points,
        hash=body.hash,
    )


def _read_kinds(game: Game, seats: list[str] | None) -> list[str]:
    """Return the kind of player at each seat: "person" for the caller, "open" or a computer's such as "computer:3".
    By default the caller has the first seat and the others are open. Raise OptionError for a wrong number or kind.
    """
    given = [models.ME, *[OPEN] * (game.seats - 1)] if seats is None else seats
    if len(given) != game.seats:
        raise OptionError("seats", f"{len(given)} seats were given, but this game has {game.seats}")
    for kind in given:
        if kind not in {models.ME, OPEN} and not is_strength(kind, game.spec):
            allowed = f"{models.ME}, {OPEN}, {describe_kinds(game.spec)}"
            raise OptionError("seats", f"{quote(kind)} is not allowed; it must be {allowed}")
    return [PERSON if kind == models.ME else kind for kind in given]


async def _list_tables(request: Request, query: models.TablesQuery) -> models.Tables:
    """List the caller's last 100 tables without studies, or up to 100 open, then 100 running ones."""
    store, player = get_context(request).store, request.state.owner
    if query.mine:
        rows = await run_in_threadpool(store.list_player_tables, player, _MAX_LISTED)
    else:
        rows = await run_in_threadpool(store.list_lobby_tables, _MAX_LISTED, started=False)
        rows += await run_in_threadpool(store.list_lobby_tables, _MAX_LISTED, started=True)
    profile = await run_in_threadpool(store.read_profile, player)
    return models.Tables(tables=[_describe_row(row, profile) for row in rows if row.kind == LIVE])


def _describe_row(row: StoredTable, profile: Profile) -> models.ListedTable:
    """Return a stored table as a player sees it in a list; `free` are the seats that this player can take."""
    can_sit = profile.account is not None or not row.needs_account
    open_chairs = [chair for chair in row.chairs if can_sit and chair.kind == PERSON and not chair.taken]
    return models.ListedTable(
        id=row.id,
        game=row.game,
        options=row.options,
        names=row.names,
        kinds=row.kinds,
        free=[chair.seat for chair in open_chairs if chair.player in {None, profile.id}],
        seats=row.list_seats(profile.id),
        version=row.version,
        turn=row.turn,
        result=name_leaver(row.result, seat_labels(row.chairs)),
        settings=row.settings,
        created=row.created,
        started=row.started,
        changed=row.changed,
    )


@contextlib.asynccontextmanager
async def _watch_room(
    request: Request, viewer: int | None = None, *, fresh: bool = True
) -> AsyncIterator[tuple[Room, HttpWatcher]]:
    """Yield the room of the request's table and the caller's watcher there, for the caller's seat `viewer` if given;
    with `fresh` it shows all that was stored before.

    Raise NoTableError if there is no such table, or if it is deleted meanwhile, CapacityError, ReplayError, StoreError.
    """
    watchers: HttpWatchers = request.app.state.http_watchers
    room = await get_rooms(request).open(request.path_params["table"])
    if room is None:
        raise NoTableError
    async with watchers.hold_watcher(room, request.state.owner, viewer, fresh=fresh) as watcher:
        yield room, watcher


async def _show_table(request: Request, query: models.TableQuery) -> models.TableAnswer:
    """Return a table at once or, given `since`, at a newer version or after `wait` seconds."""
    context = get_context(request)
    async with _watch_room(request, query.viewer) as (room, watcher):
        if query.since is not None:
            await await_unless_gone(request, watcher.wait_for_newer(query.since, query.wait))
        snapshot = watcher.snapshot
        if snapshot is None:
            raise NoTableError
        return await context.run_in_board_thread(_describe_table, room.id, snapshot, context.time.now())


def _describe_table(table_id: str, snapshot: Snapshot, now: float) -> models.TableAnswer:
    """Return a snapshot as the answer to a program at server time `now`, in seconds."""
    fields = {name: getattr(snapshot.board, name) for name in TableFields.__struct_fields__}
    view = snapshot.picture.view
    return models.TableAnswer(
        # Unlike a page, a program gets all moves, however many there are.
        **{**fields, "moves": snapshot.offered},
        id=table_id,
        plies=view.plies,
        words=snapshot.picture.list_words(),
        game=snapshot.game,
        settings=snapshot.settings,
        host=snapshot.host,
        shuffle=snapshot.shuffle,
        view=models.ViewText(seat=snapshot.perspective.viewer, text=view.text),
        now=now,
    )


async def _execute_command(request: Request, _: None) -> Done:
    """Do what a command asks, as over the socket."""
    verb, player = request.path_params["verb"], request.state.owner
    verb = OLD_TYPES.get(verb, verb)
    received = get_context(request).time.now()
    if verb not in VERBS:
        raise Refusal(404, f"There is no command {quote(verb)}; the commands are {', '.join(VERBS)}.")
    message = parse_command(verb, await read_body(request, LONGEST_MESSAGE))
    if get_rooms(request).closing:
        raise Refusal(503, "The server is restarting; send this again in a moment.", retry_after=5)
    if isinstance(message, Rematch):
        await enforce_rate_limit(request, "tables")
    # A command names the version it is for, which shows whether this server has missed something.
    async with _watch_room(request, fresh=False) as (room, _watcher):
        # A command that is being stored is stored, whether or not the program waits for it.
        answer = await asyncio.shield(room.execute(player, message, received))
    if isinstance(answer, Done):
        return answer
    if isinstance(answer, Refused):
        raise Refusal(_REFUSAL_STATUS.get(answer.code, 422), answer.sentence, answer.code)
    if answer.sentence:
        raise Refusal(503, "This could not be stored; try again later.", retry_after=5)
    raise Refusal(409, "The board has changed; load it again.")


async def _show_record(request: Request, _: None) -> Response:
    """Return a table's record as a text file."""
    return await send_record(request)


async def _draw_picture(request: Request, query: PictureQuery) -> Response:
    """Draw what the caller may know."""
    await enforce_rate_limit(request, "pictures")
    row, kind = await _load_row(request), request.path_params["kind"]
    check_kind(kind, MEDIA_TYPES)
    colours = Colours(query.theme, query.palette, query.look)
    order = PictureOrder(kind, query.ply, query.viewer, colours, query.width, query.pause, query.last)
    drawn = await draw_in_turn(request, draw_table, row, request.state.owner, order)
    return build_file(drawn, f"{row.game}-{row.id[:6]}.{kind}", MEDIA_TYPES[kind])


async def _print_game(request: Request, query: SheetQuery) -> Response:
    """Print what the caller may know."""
    await enforce_rate_limit(request, "pictures")
    row = await _load_row(request)
    owner = request.state.owner
    name = await look_up_name(get_context(request), owner, "") or GUEST
    drawn = await draw_in_turn(request, print_table, row, owner, name, query.viewer, query.paper)
    return build_file(drawn, f"{row.game}-{row.id[:6]}.pdf", "application/pdf")


async def _load_row(request: Request) -> StoredTable:
    """Return the stored table of a request; raise as `load_row`."""
    return await run_in_threadpool(load_row, get_context(request), request.path_params["table"])


ENDPOINTS = (
    Endpoint("POST", "/api/players", "Create a guest and get its API key", _create_guest, status=201),
    Endpoint("GET", "/api/me", "Get your own profile", _show_player, known=True),
    Endpoint("GET", "/api/turns", "Count the games in which it is your turn", notifications.show_turns, known=True),
    Endpoint(
        "GET", "/api/notifications", "Get whether this device receives notifications", notifications.show, known=True
    ),
    Endpoint(
        "POST",
        "/api/notifications",
        "Turn on notifications for this device through a push service",
        notifications.subscribe,
        known=True,
    ),
    Endpoint(
        "POST",
        "/api/notifications/removal",
        "Turn off notifications for this device",
        notifications.unsubscribe,
        known=True,
    ),
    Endpoint("GET", "/api/games", "List all games with their options and levels", _list_games),
    Endpoint("GET", "/api/tables", "List the lobby, or your own tables", _list_tables),
    Endpoint("POST", "/api/tables", "Create a table", _create_table, status=201, known=True),
    Endpoint("GET", _TABLE, "Get a table, immediately or as soon as something changes", _show_table),
    Endpoint("GET", f"{_TABLE}/record", "Get the game record as text, limited to what you may know", _show_record),
    Endpoint(
        "GET",
        f"{_TABLE}/picture.{{kind}}",
        "Draw a position (svg, png) or the game (gif, webp), limited to what you may know",
        _draw_picture,
        media=tuple(MEDIA_TYPES[kind] for kind in KINDS),
    ),
    Endpoint(
        "GET",
        f"{_TABLE}/game.pdf",
        "Print the game with its moves and diagrams, limited to what you may know",
        _print_game,
        media=("application/pdf",),
    ),
    Endpoint("POST", "/api/lessons", "Judge the moves in a step of a lesson", study.judge_lesson, errors=(404,)),
    Endpoint("POST", "/api/lessons/progress", "Save your progress in lessons", study.save_progress),
    Endpoint("POST", "/api/puzzles", "Judge a move in a puzzle", study.judge_puzzle, errors=(404,)),
    Endpoint("POST", _SET, "Judge a pupil's move in a set of puzzles", study.judge_set),
    Endpoint("GET", _SET, "Get a set of puzzles that you made", study.show_set),
    Endpoint(
        "POST",
        f"{_SET}/admission",
        "Choose whose answers your set of puzzles counts; close it, or open it again",
        study.admit_to_set,
    ),
    Endpoint(
        "POST", f"{_SET}/removal", "Remove names from your set of puzzles, with their results", study.remove_from_set
    ),
    Endpoint(
        "POST", "/api/analysis/board", "Get any position of a game, with its picture and moves", analysis.show_board
    ),
    Endpoint("POST", "/api/analysis/complete", "Get the tokens that can continue a move", analysis.complete),
    Endpoint("POST", "/api/analysis/edit", "Edit a position", analysis.edit),
    Endpoint(
        "POST", "/api/analysis/edit/complete", "Get the tokens that can continue a change", analysis.complete_change
    ),
    Endpoint(
        "POST",
        "/api/analysis/lines",
        "Get the best moves that the engine finds in a position",
        analysis.search_lines,
        media=(analysis.LINES_TYPE,),
    ),
    Endpoint("POST", "/api/analysis/values", "Get the exact value of every move", analysis.solve_moves),
    Endpoint(
        "POST",
        "/api/analysis/picture.{kind}",
        "Draw a position of an analysis (svg, png, pdf) or the moves that lead there (gif, webp)",
        analysis.draw_analysis_picture,
        media=tuple(LINE_MEDIA_TYPES.values()),
        longest_body=LONGEST_ANALYSIS,
    ),
    Endpoint(
        "POST",
        "/api/analysis/record",
        "Get an analysis as a record",
        analysis.write_record,
        longest_body=LONGEST_ANALYSIS,
    ),
    Endpoint(
        "POST",
        "/api/analyses",
        "Share an analysis by a link",
        analysis.share_analysis,
        status=201,
        longest_body=LONGEST_ANALYSIS,
    ),
    Endpoint("GET", "/api/analyses/{analysis}", "Get a shared analysis", analysis.show_shared),
    Endpoint(
        "POST",
        "/api/entries",
        "Check the moves of a game played on paper",
        study.judge_entry,
        longest_body=LONGEST_ENTRY,
    ),
    Endpoint("GET", _REVIEW, "Get the review of a finished game, or its progress", study.show_review),
    Endpoint("POST", _REVIEW, "Request the review of a finished game", study.start_review),
    Endpoint(
        "POST",
        f"{_REVIEW}/attempts",
        "Judge an alternative to a move of a reviewed game",
        study.judge_attempt,
    ),
    Endpoint(
        "POST",
        f"{_REVIEW}/alternatives",
        "Explain why another move was not better in a reviewed game",
        study.explain_other_move,
    ),
    *(
        Endpoint(
            "POST",
            f"{_TABLE}/{find_tag(command)}",
            (command.__doc__ or "").rstrip("."),
            _execute_command,
            known=True,
            command=command,
        )
        for command in COMMANDS
    ),
)


def _build_handler(endpoint: Endpoint) -> Callable[[Request], Awaitable[Response]]:
    """Return the Starlette handler of an endpoint, with the checks that all endpoints share."""

    async def handle(request: Request) -> Response:
        """Check caller and table id, parse, call the endpoint, encode."""
        if endpoint.known and blocks_cookies(request):
            raise Refusal(403, NO_COOKIE, "cookies")
        if endpoint.known and not request.state.known:
            raise Refusal(401, _NO_KEY, headers={"www-authenticate": "Bearer"})
        await enforce_rate_limit(request, "api")
        # "x" stands for no table, which is valid.
        if not _TABLE_ID.fullmatch(request.path_params.get("table", "x")):
            raise NoTableError
        answer = await endpoint.handle(request, await _parse_request(endpoint, request))
        if isinstance(answer, Response):
            return answer
        return Response(encode_json(answer), endpoint.status, media_type="application/json")

    return handle


async def _parse_request(endpoint: Endpoint, request: Request) -> Struct | None:
    """Return the body or the query as the endpoint's type, None without one; raise UnreadableMessageError, Refusal."""
    request_type = endpoint.request_type
    if request_type is None:
        return None
    if endpoint.method == "POST":
        body = (await read_body(request, endpoint.longest_body)).strip() or b"{}"
        return codec.decode(lambda text: msgspec.convert(codec.decode_json(text), request_type), body, "this")
    names = [name for name, _ in request.query_params.multi_items()]
    if len(names) > len(set(names)):
        raise UnreadableMessageError("this query cannot be read (each name may be given only once)")
    if "null" in (value.lower() for value in request.query_params.values()):
        # The lax mode below would read it as None.
        raise UnreadableMessageError("this query cannot be read (omit parameters without a value)")
    if re.search(r"=[0-9.]+e", str(request.query_params), re.IGNORECASE):
        raise UnreadableMessageError("this query cannot be read (numbers must not have an exponent)")
    try:
        # Values in a query are texts, which only the lax mode reads as numbers; it would read 1e3 as an integer too.
        query: Struct = msgspec.convert(dict(request.query_params), request_type, strict=False)
    except (msgspec.ValidationError, ValueError) as error:
        raise codec.build_unreadable_error("this query", error) from None
    return query


def _list_routes() -> Iterator[Route]:
    """Yield a route for every endpoint; one for all commands, which also explains unknown verbs."""
    for endpoint in ENDPOINTS:
        if endpoint.command is None:
            yield Route(endpoint.path, _build_handler(endpoint), methods=[endpoint.method])
    yield Route(f"{_TABLE}/{{verb}}", _build_handler(ENDPOINTS[-1]), methods=["POST"])


ROUTES = list(_list_routes())
