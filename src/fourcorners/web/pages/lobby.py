"""The lobby: open games to join and running games to watch. The store is read at most once a second."""

import hashlib
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

import jinja2
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response

from fourcorners.core import catalogue
from fourcorners.core.errors import GameError, quote
from fourcorners.core.game import Game
from fourcorners.study.game_words import describe_options, describe_size
from fourcorners.web.application.commands import look_up_name
from fourcorners.web.application.context import get_context
from fourcorners.web.application.refusals import Refusal
from fourcorners.web.auth.limits import enforce_rate_limit
from fourcorners.web.domain.actions import Change
from fourcorners.web.domain.chat_rules import FREE_CHAT
from fourcorners.web.domain.clocks import UNTIMED, TimeControl
from fourcorners.web.domain.rated_rules import GUESTS_PLAY_CASUAL, find_standard_game
from fourcorners.web.domain.ratings import rating_points
from fourcorners.web.domain.rows import PAIRING, NoTableError, StoredTable
from fourcorners.web.domain.seats import PERSON
from fourcorners.web.domain.sentences import write_sentence
from fourcorners.web.domain.table import GUEST, Table
from fourcorners.web.pages.addresses import get_game_id
from fourcorners.web.pages.forms import parse_hash, read_form
from fourcorners.web.pages.render import render_page
from fourcorners.web.realtime.pairing import (
    SPEEDS,
    Pairing,
    Seeker,
    Wish,
    close_before_start,
    is_owner_present,
)
from fourcorners.web.realtime.rooms import Rooms, get_rooms
from fourcorners.web.store import Store

CACHE_SECONDS = 1.0
MAX_ROWS, MAX_OPEN_OF_HOST = 40, 4
"""The rows of a list, and the open games of one host among them, so that no one fills the list alone."""
_MAX_READ = 200
_OPEN_SECONDS, _RUNNING_SECONDS = 1800.0, 3600.0
"""How long after its last change a table without players present stays in the lobby, unless it is played by days."""


class Place(NamedTuple):
    """A seat as the lobby draws it: its colour in the light and in the dark theme, and whether someone has it."""

    light: str
    dark: str
    taken: bool


class LobbyRow(NamedTuple):
    """A table as the lobby shows it; `free` counts open seats, `watching` spectators. An unrated host has rating 0.

    `owner` and `players` are ids: who set it up, and who has a seat.
    """

    id: str
    game: str
    title: str
    options: str
    clock: str
    seats: tuple[str, ...]
    free: int
    rated: bool
    needs_account: bool
    free_chat: bool
    host: str
    host_here: bool
    watching: int
    places: tuple[Place, ...] = ()
    host_rating: int = 0
    owner: str = ""
    players: frozenset[str] = frozenset()

    def is_own(self, player: str) -> bool:
        """Return whether a player set up this table, or has a seat at it."""
        return player == self.owner or player in self.players

    def can_cancel(self, player: str) -> bool:
        """Return whether a player may close this table before the start: while no one else has a seat at it."""
        return player == self.owner and self.players <= {player}


class LobbyLists(NamedTuple):
    """The open and the running games, the HTML that shows them, and its ETag."""

    open: tuple[LobbyRow, ...]
    running: tuple[LobbyRow, ...]
    html: str
    tag: str


class Lobby:
    """The lists, cached for a second, so that any number of browsers costs one read. Safe for several threads.

    The HTML is the same for all visitors, except for those who have a table in it.
    """

    def __init__(self, template: jinja2.Template, monotonic: Callable[[], float] = time.monotonic) -> None:
        """Cache nothing yet; the template renders the lists `waiting` and `running` as the player `me` sees them,
        `monotonic` returns seconds.
        """
        self._template = template
        self._monotonic = monotonic
        self._lock = threading.Lock()
        self._lists: LobbyLists | None = None
        self._read_at = 0.0

    def get_lists(self, rooms: Rooms, player: str = "") -> LobbyLists:
        """Return the lists as a player sees them, at most a second old; raise StoreError if they cannot be read."""
        with self._lock:
            now = self._monotonic()
            if self._lists is None or now - self._read_at >= CACHE_SECONDS:
                self._lists = self._read(rooms)
                self._read_at = now
            lists = self._lists
        if any(row.is_own(player) for row in (*lists.open, *lists.running)):
            return self._render(lists.open, lists.running, player)
        return lists

    def forget(self) -> None:
        """Read the lists again the next time, because someone expects to see a change at once; block while they are
        being read.
        """
        with self._lock:
            self._lists = None

    def _render(self, waiting: Sequence[LobbyRow], running: Sequence[LobbyRow], player: str = "") -> LobbyLists:
        """Return the lists with their HTML as a player sees them."""
        html = self._template.render(waiting=waiting, running=running, me=player)
        tag = f'"{hashlib.sha256(html.encode()).hexdigest()[:32]}"'
        return LobbyLists(tuple(waiting), tuple(running), html, tag)

    def _read(self, rooms: Rooms) -> LobbyLists:
        """Read and render the lists, at most `MAX_ROWS` rows each; raise StoreError. Needs the lock."""
        context, present = rooms.context, find_present_players(rooms)
        store, now = context.store, context.time.now()
        open_tables = store.list_lobby_tables(_MAX_READ, started=False)
        # Anyone who looks for an opponent waits on the page: without its owner such a table would seat someone alone.
        open_tables = [
            table for table in open_tables if not table.settings.get(PAIRING) or is_owner_present(rooms, table)
        ]
        running_tables = store.list_lobby_tables(_MAX_READ, started=True)
        for table in open_tables:
            if table.settings.get(PAIRING):
                # Perhaps through another server.
                present[table.id] = present.get(table.id, frozenset()) | {table.owner}
        colours = _read_chosen_colours([*open_tables, *running_tables], store)
        waiting = _build_rows(open_tables, present, colours, now)
        running = _build_rows(running_tables, present, colours, now)
        # Games that can start at once come first; otherwise the store's order stays, the last changed first.
        waiting.sort(key=lambda row: not row.host_here)
        waiting = _limit_hosts(waiting)
        waiting, running = waiting[:MAX_ROWS], running[:MAX_ROWS]
        waiting = [row._replace(host_rating=_read_rating(store, row.owner, row)) for row in waiting]
        return self._render(waiting, running)


def _limit_hosts(rows: Iterable[LobbyRow]) -> list[LobbyRow]:
    """Return the rows without those that come after the first `MAX_OPEN_OF_HOST` of their host."""
    seen: Counter[str] = Counter()
    kept = []
    for row in rows:
        seen[row.owner] += 1
        if seen[row.owner] <= MAX_OPEN_OF_HOST:
            kept.append(row)
    return kept


def find_present_players(rooms: Rooms) -> dict[str, frozenset[str]]:
    """Return by table id the players who are connected through this server; tables without any are left out."""
    # Lists, because rooms and watchers change in another thread meanwhile.
    present = [(room.id, list(room.audience.watchers)) for room in list(rooms.opened.values())]
    return {table_id: frozenset(watcher.player for watcher in watchers) for table_id, watchers in present if watchers}


ChosenColours = Mapping[str, Sequence[tuple[int, str]]]
"""By table id, the seats and letters of the colours that players have chosen since the table was set up."""


def _read_chosen_colours(tables: Sequence[StoredTable], store: Store) -> ChosenColours:
    """Return the colours that players have chosen at these tables; raise StoreError."""
    specs = [spec for spec in catalogue.specs().values() if spec.seat_colours is not None]
    games = {name for spec in specs for name in (spec.id, *spec.presets)}
    # Before the first event no one has sat down.
    ids = [table.id for table in tables if table.game in games and table.version]
    return store.list_chosen_colours(ids) if ids else {}


def _build_rows(
    tables: Sequence[StoredTable], present: Mapping[str, frozenset[str]], colours: ChosenColours, now: float
) -> list[LobbyRow]:
    rows = (_build_row(table, present.get(table.id, frozenset()), colours.get(table.id, ()), now) for table in tables)
    return [row for row in rows if row is not None]


def _build_row(
    table: StoredTable, present: frozenset[str], colours: Sequence[tuple[int, str]], now: float
) -> LobbyRow | None:
    """Return a table's row, with `present` the connected players and `colours` what players have chosen at which seat;
    None if the table is full, deserted or no longer loads.
    """
    try:
        game = catalogue.game(table.game, **table.options)
        for seat, letter in colours:
            game = game.spec.seat_colours.choose(game, seat, letter) if game.spec.seat_colours else game
        control = TimeControl.from_stored(table.settings.get("clock"))
    except GameError:
        return None
    is_open = table.started is None
    free = sum(chair.kind == PERSON and not chair.taken and chair.player is None for chair in table.chairs)
    seated = {chair.player for chair in table.chairs if chair.player is not None and chair.taken}
    if is_open and not free:
        return None
    is_deserted = not seated & present
    if is_deserted and not control.days and now - table.changed > (_OPEN_SECONDS if is_open else _RUNNING_SECONDS):
        return None
    return LobbyRow(
        id=table.id,
        game=table.game,
        title=game.title,
        options=describe_options(game),
        clock=control.label if control != UNTIMED else "no clock",
        seats=tuple(chair.name for chair in table.chairs if chair.taken),
        free=free,
        rated=bool(table.settings.get("rated")),
        needs_account=table.needs_account,
        free_chat=table.settings.get("chat") == FREE_CHAT,
        host=next((chair.name for chair in table.chairs if chair.player == table.owner), ""),
        host_here=table.owner in present,
        watching=len(present - seated),
        places=_list_places(game, table),
        owner=table.owner,
        players=frozenset(seated),
    )


def _read_rating(store: Store, player: str, row: LobbyRow) -> int:
    """Return a player's rating for the game and the number of seats of a row, 0 if there is none; raise StoreError."""
    seats = len(row.seats) + row.free
    standings = store.list_player_standings(player)
    return next((rating_points(mine) for game, count, mine in standings if (game, count) == (row.game, seats)), 0)


def _list_places(game: Game, table: StoredTable) -> tuple[Place, ...]:
    """Return the seats of a table with their colours; none if the game gives no colour to a seat."""
    style = game.spec.drawing.STYLE
    names = [style.seats.get(name.lower(), "") for name in game.seat_names]
    light, dark = style.themes["light"], style.themes["dark"]
    if not all(name in light for name in names):
        return ()
    return tuple(Place(light[name], dark[name], chair.taken) for name, chair in zip(names, table.chairs, strict=False))


def get_lobby_lists(request: Request) -> LobbyLists:
    """Return the lobby's lists as the visitor sees them; raise StoreError if they cannot be read."""
    lobby: Lobby = request.app.state.lobby
    return lobby.get_lists(get_rooms(request), request.state.owner)


def show_lobby(request: Request) -> Response:
    """Show the lobby."""
    games = [(name, catalogue.game(name).title) for name in catalogue.games()]
    first = [(name, title, find_standard_game(name)) for name, title in games]
    quick = [(name, title, describe_size(game)) for name, title, game in first]
    speeds = [(name, control.label) for name, control in SPEEDS.items()]
    has_account = get_context(request).store.read_profile(request.state.owner).account is not None
    context: dict[str, Any] = {"lists": get_lobby_lists(request), "games": games, "quick": quick, "speeds": speeds}
    context |= {"default_speed": Wish("").speed, "has_account": has_account}
    return render_page(request, "lobby.html", context)


async def find_opponent(request: Request) -> Response:
    """Find an opponent with the same wish for the player, and redirect to the table; with `accept: application/json`
    answer with `{"table": id}`.
    """
    game_id = get_game_id(request)
    form = await read_form(request)
    wish = Wish(game_id, form.get("speed", Wish("").speed), form.get("rated") == "true")
    if wish.speed not in SPEEDS:
        raise Refusal(400, f"{quote(wish.speed)} is not a speed; it must be {' or '.join(SPEEDS)}.")
    player: str = request.state.owner
    profile = await run_in_threadpool(get_context(request).store.read_profile, player)
    if wish.rated and profile.account is None:
        raise Refusal(403, write_sentence(GUESTS_PLAY_CASUAL))
    name = await look_up_name(get_context(request), player, profile.name) or GUEST
    pairing: Pairing = request.app.state.pairing
    seeker = Seeker(player, name, parse_hash(form))
    table = await pairing.find_table(seeker, wish, partial(enforce_rate_limit, request, "tables"))
    if request.headers.get("accept", "") == "application/json":
        return JSONResponse({"table": table})
    return RedirectResponse(f"/play/{table}", 303)


async def cancel_game(request: Request) -> Response:
    """Close the visitor's own open table and return to the lobby; if its game has begun meanwhile, or someone has sat
    down, go there.
    """
    player: str = request.state.owner
    room = await get_rooms(request).open(request.path_params["table"])
    if room is None:
        raise NoTableError
    owner, closed = "", False

    def close(table: Table, at: float) -> Change | None:
        """Close the table if it is the visitor's alone."""
        nonlocal owner, closed
        owner, closed = table.row.owner, table.closed
        is_alone = owner == player and table.players <= {player}
        return close_before_start(table, at) if is_alone else None

    closed = await room.apply_server_action(close) or closed
    if owner != player:
        raise Refusal(404, "This is not your game.")
    # The lock is held while another request reads the lists, and nothing else could be answered meanwhile.
    await run_in_threadpool(request.app.state.lobby.forget)
    return RedirectResponse("/lobby" if closed else f"/play/{room.id}", 303)


def redirect_to_lobby(request: Request) -> Response:
    """Redirect a visitor who opens the address of one of its forms to the lobby."""
    return RedirectResponse("/lobby", 303)


def serve_lists(request: Request) -> Response:
    """Answer with the HTML of the lists alone, or with 304 if `if-none-match` has their ETag."""
    lists = get_lobby_lists(request)
    headers = {"etag": lists.tag}
    if request.headers.get("if-none-match") == lists.tag:
        return Response(status_code=304, headers=headers)
    return HTMLResponse(lists.html, headers=headers)
