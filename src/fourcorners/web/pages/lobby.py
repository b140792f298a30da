"""The lobby: open games that anybody may join, and running ones to watch; read at most once a second, whoever asks."""

from __future__ import annotations

import hashlib
import threading
import time
from collections.abc import Callable, Collection, Sequence
from typing import Any, NamedTuple

import jinja2
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from fourcorners.core import catalogue
from fourcorners.core.errors import GameError
from fourcorners.core.game import Game
from fourcorners.core.options import Field, format_value
from fourcorners.web.domain.clocks import UNTIMED, TimeControl
from fourcorners.web.domain.seats import PERSON
from fourcorners.web.realtime.room_registry import RoomRegistry
from fourcorners.web.store import StoredTable

KEPT_FOR = 1.0
SHOWN = 40
_READ = 200
_WAITS_FOR, _RUNS_FOR = 1800.0, 3600.0
"""An open game without its host, and a running one without a clock, is shown for so long after it changed."""


class Row(NamedTuple):
    """A table as the lobby shows it."""

    id: str
    game: str
    title: str
    options: str
    clock: str
    seats: tuple[str, ...]
    free: int
    rated: bool
    free_chat: bool
    host: str
    host_here: bool
    watching: int


class Lists(NamedTuple):
    """What there is to join and to watch, and the page's part that shows it."""

    open: tuple[Row, ...]
    running: tuple[Row, ...]
    text: str
    tag: str


class Lobby:
    """The lists, kept for a second, so that any number of browsers costs one reading."""

    def __init__(self, template: jinja2.Template, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._template = template
        self._monotonic = monotonic
        self._lock = threading.Lock()
        self._lists: Lists | None = None
        self._read_at = 0.0

    def lists(self, registry: RoomRegistry) -> Lists:
        """Return the lists, at most a second old; raise StoreError where they cannot be read."""
        with self._lock:
            now = self._monotonic()
            if self._lists is None or now - self._read_at >= KEPT_FOR:
                self._lists = self._read(registry)
                self._read_at = now
            return self._lists

    def _read(self, registry: RoomRegistry) -> Lists:
        now, here = registry.time.now(), who_is_where(registry)
        waiting = _rows(registry.store.list_lobby_tables(_READ, started=False), here, now)
        running = _rows(registry.store.list_lobby_tables(_READ, started=True), here, now)
        # Who can be played with at once comes first; both lists come with the last changed first.
        waiting.sort(key=lambda row: not row.host_here)
        shown = waiting[:SHOWN], running[:SHOWN]
        text = self._template.render(waiting=shown[0], running=shown[1])
        tag = f'"{hashlib.sha256(text.encode()).hexdigest()[:32]}"'
        return Lists(tuple(shown[0]), tuple(shown[1]), text, tag)


Present = dict[str, frozenset[str]]


def who_is_where(registry: RoomRegistry) -> Present:
    """Return the browsers that look at each table by way of this server."""
    rooms = list(registry.rooms.values())
    return {room.id: frozenset(watcher.owner for watcher in list(room.watchers)) for room in rooms if room.watchers}


def _rows(listed: Sequence[StoredTable], here: Present, now: float) -> list[Row]:
    rows = (_row(saved, here.get(saved.id, frozenset()), now) for saved in listed)
    return [row for row in rows if row is not None]


def _row(saved: StoredTable, here: Collection[str], now: float) -> Row | None:
    """Return what is shown of a table; None if it is of no use to anybody else."""
    try:
        game, control = catalogue.game(saved.game, **saved.options), TimeControl.of(saved.settings.get("clock"))
    except GameError:
        # Stored by other rules.
        return None
    open_ = saved.started is None
    free = sum(chair.kind == PERSON and not chair.taken and chair.player is None for chair in saved.chairs)
    sitting = {chair.player for chair in saved.chairs if chair.player is not None and chair.taken}
    deserted = not sitting & set(here)
    if open_ and not free:
        return None
    if deserted and not control.days and now - saved.changed > (_WAITS_FOR if open_ else _RUNS_FOR):
        return None
    hosts = [chair.name for chair in saved.chairs if chair.player == saved.owner]
    return Row(
        id=saved.id,
        game=saved.game,
        title=game.title,
        options=describe_options(game),
        clock=control.label if control != UNTIMED else "no clock",
        seats=tuple(chair.name for chair in saved.chairs if chair.taken),
        free=free,
        rated=bool(saved.settings.get("rated")),
        free_chat=saved.settings.get("chat") == "free",
        host=hosts[0] if hosts else "",
        host_here=saved.owner in here,
        watching=len(set(here) - sitting),
    )


def describe_options(game: Game) -> str:
    """Say in words how a game is played: its size, the number of players, and what is not as usual."""
    given, values = game.given_options(), game.options.model_dump(mode="json")
    told = []
    if {"cols", "rows"} <= values.keys():
        told.append(f"{values['cols']} × {values['rows']}")
    elif "size" in values:
        told.append(f"{values['size']} × {values['size']}")
    told.append(f"{game.seats} players")
    told += [
        _told(field, values[field.name])
        for field in game.options.fields()
        if field.name in given and field.name not in {"cols", "rows", "size", "players"}
    ]
    return ", ".join(told)


def _told(field: Field, value: object) -> str:
    label = field.label.lower()
    if isinstance(value, bool):
        return label if value else f"no {label}"
    text = format_value(value)
    return f"{label} {text}" if len(text) <= 24 else f"own {label}"


def lobby_lists(request: Request) -> Lists:
    """Return the lists of the server that a request came to."""
    lobby: Lobby = request.app.state.lobby
    return lobby.lists(request.app.state.registry)


def page(request: Request) -> Response:
    """Show the lobby."""
    state = request.app.state
    games = [(name, catalogue.game(name).title) for name in catalogue.games()]
    context: dict[str, Any] = {"lists": lobby_lists(request), "games": games, "ready": state.warmup.ready}
    answer: Response = state.templates.TemplateResponse(request, "lobby.html", context)
    return answer


def part(request: Request) -> Response:
    """Give the lists alone, for a page that shows them anew; nothing if it has them as they are."""
    lists = lobby_lists(request)
    headers = {"etag": lists.tag}
    if request.headers.get("if-none-match") == lists.tag:
        return Response(status_code=304, headers=headers)
    return HTMLResponse(lists.text, headers=headers)
