"""The pages of the games and their files: the home page, a new game, the table, its record, and pictures."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping, Sequence
from typing import Any

from markupsafe import Markup
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, RedirectResponse, Response

from fourcorners.core import catalogue
from fourcorners.core.errors import GameError, OptionError, RecordError, quote
from fourcorners.core.game import Game
from fourcorners.core.match import Record
from fourcorners.web.application.setup import new_table, study_table
from fourcorners.web.auth.limits import enforce_rate_limit
from fourcorners.web.domain.clocks import TimeControl
from fourcorners.web.domain.seats import DEFAULT_LEVEL, OPEN
from fourcorners.web.domain.table import LIVE, STUDY, Table, seat_labels
from fourcorners.web.pages import forms, pictures
from fourcorners.web.pages.lobby import lobby_lists
from fourcorners.web.pages.render import render_page as _page
from fourcorners.web.realtime.room_registry import RoomRegistry
from fourcorners.web.store import Store, StoredTable, StoreError

_SHOWN_TABLES = 30
_SHOWN_OPEN = 4
_LONGEST_STUDY = 5000
_STORED_WITHIN = 30.0
_NUMBER = re.compile(r"[0-9]{1,4}", re.ASCII)
_OF_A_SEAT = re.compile(r"(?:seat|name|level|seconds)-([0-9]+)")
_WON = re.compile(r"seats? (?P<seats>[0-9]+(?: and [0-9]+)*) (?P<verb>wins?) (?P<points>\S+): *(?P<reason>.*)")
_OFF_THE_BOARD = (" resigned", " ran out of time")
_COMPANY = {
    "friend": {"seat-1": OPEN},
    "lobby": {"seat-1": OPEN, "visibility": "public", "clock": str(TimeControl(600, 5))},
}
"""What the form shows at first to who comes to play with others."""
_SVG_HEADERS = {
    "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'",
    "cache-control": "public, max-age=300",
}


def _store(request: Request) -> Store:
    registry: RoomRegistry = request.app.state.registry
    return registry.store


def _now(request: Request) -> float:
    registry: RoomRegistry = request.app.state.registry
    return registry.time.now()


def home(request: Request) -> Response:
    """Show the games, and this browser's tables."""
    return _home(request)


def _home(request: Request, sentence: str = "", status: int = 200) -> Response:
    cards = [
        {
            "id": spec.id,
            "title": spec.title,
            "summary": spec.summary,
            "facts": spec.facts,
            "seats": "",
            "presets": [{"id": name, "title": preset.title} for name, preset in spec.presets.items()],
        }
        for spec in catalogue.specs().values()
    ]
    owner: str = request.state.owner
    tables = [_listed(saved, owner, _now(request)) for saved in _store(request).list_player_tables(owner, _SHOWN_TABLES)]
    waiting = lobby_lists(request).open[:_SHOWN_OPEN]
    context = {"games": cards, "tables": tables, "waiting": waiting, "sentence": sentence}
    return _page(request, "home.html", context, status)


def _listed(saved: StoredTable, owner: str, now: float) -> dict[str, str]:
    try:
        title = catalogue.game(saved.game).title
    except OptionError:
        title = saved.game
    turn = ""
    texts = seat_labels(saved.chairs)
    if saved.kind == LIVE and saved.turn is not None:
        own = [chair.seat for chair in saved.chairs if chair.player == owner]
        turn = "your turn" if own == [saved.turn] else f"{texts[saved.turn]} to move"
    elif saved.kind == LIVE and not saved.result:
        turn = "waits for players"
    names = " – ".join(chair.name or "a free seat" for chair in saved.chairs)
    then = _ago(max(0.0, now - saved.changed)) if saved.kind == LIVE else f"a record of {saved.date}"
    when = f"{then}, {names}"
    result = _with_names(saved.result, texts)
    if not result and saved.kind == STUDY:
        result = "unfinished"
    return {"id": saved.id, "title": title, "when": when, "result": result, "turn": turn}


def _with_names(result: str, names: Sequence[str]) -> str:
    """Say who won by name and how high, or why if not on the board: a record's result counts seats from 0."""
    found = _WON.match(result)
    if found is None:
        return result.partition(":")[0]
    winners = " and ".join(names[int(seat)] for seat in found["seats"].split(" and "))
    if found["reason"].endswith(_OFF_THE_BOARD):
        return f"{winners} {found['verb']}: {found['reason']}"
    return f"{winners} {found['verb']} {found['points']}"


def _ago(seconds: float) -> str:
    for unit, length in (("day", 86_400), ("hour", 3_600), ("minute", 60)):
        count = int(seconds // length)
        if count:
            return f"{count} {unit}{'s' if count > 1 else ''} ago"
    return "just now"


def game(request: Request) -> Response:
    """Show a game's rulebook, and the form that begins one; a link may ask for company."""
    return _game(request, _named(request), _COMPANY.get(request.query_params.get("with", ""), {}))


def _named(request: Request) -> str:
    game_id: str = request.path_params["game"]
    if game_id not in catalogue.games():
        raise HTTPException(404, f"There is no game named {quote(game_id)} here.")
    return game_id


def _game(request: Request, game_id: str, form: Mapping[str, str], error: OptionError | None = None) -> Response:
    plain = catalogue.game(game_id)
    preset = plain.preset
    names = {field.name for field in plain.spec.options.fields()}
    of_field = error is not None and (error.option in names or error.option in forms.TERMS)
    fields = []
    for field in plain.spec.options.fields():
        if preset is not None and (field.name in preset.options or field.name in preset.unused):
            continue
        wrong = error is not None and error.option == field.name
        shown = field._asdict()
        if preset is not None and field.name in preset.defaults:
            shown["default"] = str(preset.defaults[field.name])
        reason = _sentence(error) if wrong and error is not None else ""
        fields.append({**shown, "value": form.get(field.name, ""), "reason": reason})
    try:
        shown_game = forms.game_of(game_id, form)
    except OptionError:
        shown_game = plain
    context = {
        "game": _facts(plain),
        "fields": fields,
        "error": "" if error is None or of_field else _at_top(error),
        "seats": forms.seat_rows(form, shown_game, "" if error is None else error.option),
        "levels": forms.levels_offered(plain.spec),
        "terms": forms.terms(form, *(() if error is None else (error.option, _sentence(error)))),
        "who_begins": "order" if form.get("who-begins") == "order" else "random",
        "confirm": form.get("confirm") == "true",
        "rulebook": pictures.render_rulebook(game_id),
    }
    return _page(request, "game.html", context, 200 if error is None else 422)


def _facts(plain: Game) -> dict[str, Any]:
    spec, preset = plain.spec, plain.preset
    others = (
        [(name, other.title) for name, other in spec.presets.items()] if preset is None else [(spec.id, spec.title)]
    )
    return {
        "id": plain.id,
        "title": plain.title,
        "summary": (preset.summary if preset else "") or spec.summary,
        "facts": (preset.facts if preset else ()) or spec.facts,
        "presets": [{"id": name, "title": title} for name, title in others],
    }


def _sentence(error: OptionError) -> str:
    reason = error.message.removeprefix(f"{error.option}: ")
    seat = _OF_A_SEAT.fullmatch(error.option)
    return f"Seat {int(seat[1]) + 1}: {reason}." if seat else reason


def _at_top(error: OptionError) -> str:
    return _sentence(error) if _OF_A_SEAT.fullmatch(error.option) else error.message


async def begin(request: Request) -> Response:
    """Set up a table from the form, or show the form again with what is wrong."""
    game_id = _named(request)
    form = await forms.read_form(request)
    return await _opened(request, await run_in_threadpool(_begin, request, game_id, form))


def _begin(request: Request, game_id: str, form: Mapping[str, str]) -> StoredTable | Response:
    try:
        setup = forms.setup_of(game_id, form, _host(request))
        return new_table(setup.game, setup.names, setup.kinds, request.state.owner, setup.settings, _now(request))
    except OptionError as error:
        return _game(request, game_id, form, error)


async def _opened(request: Request, saved: StoredTable | Response) -> Response:
    if isinstance(saved, Response):
        return saved
    await keep(request, saved)
    return RedirectResponse(f"/play/{saved.id}", 303)


async def keep(request: Request, saved: StoredTable) -> None:
    """Store a new table, if who asks has not set up too many; raise HTTPException."""
    await enforce_rate_limit(request, "tables")
    try:
        await asyncio.wait_for(asyncio.wrap_future(_store(request).add_table(saved)), _STORED_WITHIN)
    except (StoreError, TimeoutError):
        raise HTTPException(503, "The game could not be stored; try again in a while.") from None


def _host(request: Request) -> forms.Host:
    store = _store(request)
    profile = store.read_profile(request.state.owner)

    def is_others(name: str) -> bool:
        whose = store.find_account(name)
        return whose is not None and whose.id != profile.id

    known = bool(profile.name) and not is_others(profile.name)
    return forms.Host(profile.name if known else "Guest", profile.account is not None, is_others)


async def check(request: Request) -> Response:
    """Tell the form whether its options fit, and how many seats that makes."""
    game_id = _named(request)
    form = await forms.read_form(request)

    def checked() -> dict[str, Any]:
        try:
            setup = forms.setup_of(game_id, form, _host(request))
        except OptionError as error:
            return {"ok": False, "option": error.option, "reason": _sentence(error)}
        return {"ok": True, "seats": setup.game.seats, "seat_names": list(setup.game.seat_names)}

    return JSONResponse(await run_in_threadpool(checked))


def play(request: Request) -> Response:
    """Show the board's page; the board itself comes over the socket."""
    saved = _saved(request)
    plain = catalogue.game(saved.game)
    profile = _store(request).read_profile(request.state.owner)
    context = {
        "table": {"id": saved.id, "study": saved.kind == STUDY},
        "game": {"id": plain.id, "title": plain.title, "style": pictures.build_style_url(plain.id)},
        "defs": Markup(plain.spec.drawing.STYLE.defs),  # noqa: S704  # written by the game, from no input
        "confirm": bool(saved.settings.get("confirm")),
        "levels": [level for level in forms.levels_offered(plain.spec) if level["value"] != forms.BY_TIME],
        "gentle": str(DEFAULT_LEVEL),
        "known_as": profile.account or profile.name,
        "account": bool(profile.account),
    }
    return _page(request, "play.html", context)


def _saved(request: Request) -> StoredTable:
    saved = _store(request).load_table(request.path_params["table"])
    if saved is None or saved.game not in catalogue.games():
        raise HTTPException(404, "There is no such table here.")
    return saved


async def record(request: Request) -> Response:
    """Give the record of a table, as far as this browser may know it."""
    await enforce_rate_limit(request, "api")
    return await run_in_threadpool(record_of, request)


def record_of(request: Request) -> Response:
    """Write the record of a table for who asks."""
    saved = _saved(request)
    text = str(Table(saved).record(request.state.owner))
    name = f"{saved.game}-{saved.date}-{saved.id[:6]}.txt"
    return PlainTextResponse(text, headers={"content-disposition": f'attachment; filename="{name}"'})


async def upload(request: Request) -> Response:
    """Make a table to look at from a record."""
    form = await forms.read_form(request)
    return await _opened(request, await run_in_threadpool(_upload, request, form.get("record", "")))


def _upload(request: Request, text: str) -> StoredTable | Response:
    try:
        if text.count("\n") > _LONGEST_STUDY:
            raise RecordError(0, f"this record has more than {_LONGEST_STUDY} lines")
        return study_table(Record.parse(text), request.state.owner, _now(request))
    except RecordError as error:
        return _home(request, f"This record cannot be opened: {error.message}.", 422)


def style(request: Request) -> Response:
    """Give a game's style sheet."""
    sheet = pictures.build_style_sheet(_named(request))
    return Response(sheet, media_type="text/css", headers={"cache-control": "public, max-age=3600"})


def cover(request: Request) -> Response:
    """Draw a game's cover."""
    theme, palette = _look(request)
    try:
        return _svg(pictures.draw_cover(_named(request), theme, palette))
    except OptionError as error:
        raise HTTPException(400, f"{error.message}.") from None


def example(request: Request) -> Response:
    """Draw an example of a rulebook."""
    theme, palette = _look(request)
    number: str = request.path_params["number"]
    try:
        if not _NUMBER.fullmatch(number):
            raise IndexError(number)
        return _svg(pictures.draw_example(_named(request), int(number), theme, palette))
    except IndexError:
        raise HTTPException(404, "There is no such example.") from None
    except GameError as error:
        raise HTTPException(400, f"{error.message}.") from None


def _look(request: Request) -> tuple[str, str]:
    return request.query_params.get("theme", "light"), request.query_params.get("palette", "")


def _svg(text: str) -> Response:
    return Response(text, media_type="image/svg+xml", headers=_SVG_HEADERS)
