"""The pages of the games: the form for a new game, the table, and pictures."""

import re
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from markupsafe import Markup
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response

from fourcorners.core import catalogue
from fourcorners.core.commitment import has_commitment
from fourcorners.core.errors import GameError, OptionError
from fourcorners.core.game import Game, View
from fourcorners.players.computer_play import ComputerPlay
from fourcorners.study.game_words import describe_size, find_summary
from fourcorners.study.lessons.format import list_lessons
from fourcorners.study.puzzles.format import list_puzzles
from fourcorners.web.application.context import get_context
from fourcorners.web.application.pictures import find_headline
from fourcorners.web.application.refusals import Refusal
from fourcorners.web.application.table_setup import build_table, check_setup, store_table
from fourcorners.web.auth.limits import enforce_rate_limit
from fourcorners.web.domain.clocks import TimeControl
from fourcorners.web.domain.results import find_suitable_level
from fourcorners.web.domain.rows import StoredTable
from fourcorners.web.domain.seats import OPEN
from fourcorners.web.domain.sentences import write_sentence
from fourcorners.web.domain.table import GUEST, STUDY
from fourcorners.web.pages import forms, pictures
from fourcorners.web.pages.addresses import get_game_id, get_linked_ply, load_table
from fourcorners.web.pages.lessons import find_first_lesson
from fourcorners.web.pages.option_fields import (
    SIZE_CHOICE,
    arrange_fields,
    describe_seat_colours,
    find_size_choice,
    list_fields,
)
from fourcorners.web.pages.render import build_svg, render_page
from fourcorners.web.realtime.rooms import get_rooms

RECENT_TABLES = 100
"""The suggested level of the computer follows from this many of the player's latest tables."""
_NUMBER = re.compile(r"[0-9]{1,4}", re.ASCII)
_MOST_IN_STRIP = 4
"""With more seats and no clock a phone shows none above the board, as `seats.js` has it."""
_SEAT_FIELD = re.compile(r"(?:seat|name|level|seconds)-([0-9]+)")
_LOBBY_PRESET = {"seat-1": OPEN, "visibility": "public", "clock": str(TimeControl(600, 5))}
_FORM_PRESETS = {
    "friend": {"seat-1": OPEN},
    "lobby": _LOBBY_PRESET,
    "rated": {**_LOBBY_PRESET, "rated": "true"},
}
"""The initial form for links that ask to play with others."""


def find_title(game_id: str) -> str:
    """Return a game's title; its id if this version does not have the game."""
    return catalogue.game(game_id).title if game_id in catalogue.games() else game_id


def show_game(request: Request) -> Response:
    """Show a game's rulebook and the form, preset by `?with=` friend, lobby or rated."""
    return _show_game(request, get_game_id(request), _FORM_PRESETS.get(request.query_params.get("with", ""), {}))


def _show_game(request: Request, game_id: str, form: Mapping[str, str], error: OptionError | None = None) -> Response:
    """Show the form with what was typed; with an error at its field or else at the top, and then with status 422. Raise
    StoreError.
    """
    game = catalogue.game(game_id)
    get_context(request).warmup.prefer(game.spec.id)
    wrong, reason = ("", "") if error is None else (error.option, _format_error(error))
    try:
        typed_game = forms.parse_game(game_id, form)
    except OptionError:
        typed_game = game
    tables = get_context(request).store.list_player_tables(request.state.owner, RECENT_TABLES)
    suitable_level = find_suitable_level(tables, request.state.owner, game_id, len(game.spec.part(ComputerPlay).levels))
    own_fields = {*forms.TABLE_FIELDS, SIZE_CHOICE, *(field["name"] for field in list_fields(game, form))}
    has_own_field = wrong in own_fields or _SEAT_FIELD.fullmatch(wrong)
    context = {
        "game": _describe_game(game),
        "options": arrange_fields(game, form, wrong, reason),
        "size_choice": find_size_choice(game, form),
        "error": "" if error is None or has_own_field else error.message,
        "wrong": wrong,
        "reason": reason,
        "seats": forms.list_seat_rows(
            form, typed_game, suitable_level, *((wrong, reason) if _SEAT_FIELD.fullmatch(wrong) else ())
        ),
        "colours": describe_seat_colours(game, form),
        "style": pictures.build_style_url(game.id),
        "levels": forms.group_level_choices([*forms.list_level_choices(game.id, game.spec), forms.BY_TIME]),
        "terms": forms.list_table_fields(form, wrong, reason),
        "who_begins": "order" if form.get("who-begins") == "order" else "random",
        "confirm": form.get("confirm") == "true",
        "guest": get_context(request).store.read_profile(request.state.owner).account is None,
        "rulebook": _render_rules(game_id),
        "lessons": list_lessons(game_id),
        "has_puzzles": bool(list_puzzles(game_id)),
        "is_new": all(row.game != game_id for row in tables),
        "looks": pictures.list_looks(game_id),
    }
    return render_page(request, "game.html", context, 200 if error is None else 422)


def _render_rules(game_id: str) -> Markup:
    """Return a rulebook as HTML, with a link to the lesson that teaches the same; raise OptionError or GameError."""
    lesson = find_first_lesson(game_id)
    if lesson is None:
        return pictures.render_rulebook(game_id)
    link = Markup('<p class="by-playing">You can also <a href="/learn/{}">learn these rules by playing</a>.</p>\n')
    return link.format(lesson.name) + pictures.render_rulebook(game_id)


def _describe_game(game: Game) -> dict[str, Any]:
    """Return a game's texts, and as `presets` the ids and titles of its presets or, for a preset, of its base game."""
    spec, preset = game.spec, game.preset
    related = [(spec.id, spec.title)] if preset else [(name, other.title) for name, other in spec.presets.items()]
    return {
        "id": game.id,
        "title": game.title,
        "summary": find_summary(game),
        "facts": (preset.facts if preset else ()) or spec.facts,
        "can_hide_points": spec.presentation.points_clause is not None,
        "shuffles": has_commitment(game),
        "presets": [{"id": name, "title": title} for name, title in related],
    }


def _format_error(error: OptionError) -> str:
    """Return an error's reason as a sentence without the name of its field; for a seat's field with its number."""
    reason = error.message.removeprefix(f"{error.option}: ")
    seat = _SEAT_FIELD.fullmatch(error.option)
    return f"Seat {int(seat[1]) + 1}: {reason}." if seat else write_sentence(reason)


async def create_game(request: Request) -> Response:
    """Set up a table from the form and redirect, or show the form again with its error (422)."""
    game_id = get_game_id(request)
    form = await forms.read_form(request)
    return await store_and_redirect(request, await run_in_threadpool(_create_game, request, game_id, form))


def _create_game(request: Request, game_id: str, form: Mapping[str, str]) -> StoredTable | Response:
    """Return the row of the table that the form describes, or the page with its error (422); raise StoreError."""
    try:
        setup = forms.parse_setup(game_id, form, _find_host(request))
        return build_table(setup, request.state.owner, get_context(request).time.now())
    except OptionError as error:
        return _show_game(request, game_id, form, error)


async def store_and_redirect(request: Request, row: StoredTable | Response) -> Response:
    """Store a new table and redirect to it; raise RateLimitError or StoreError. Return an error page unchanged."""
    if isinstance(row, Response):
        return row
    await enforce_rate_limit(request, "tables")
    await store_table(get_context(request).store, row)
    return RedirectResponse(f"/play/{row.id}", 303)


def _find_host(request: Request) -> forms.Host:
    """Return the visitor as host of a table, "Guest" without a name or with another account's; raise StoreError."""
    store = get_context(request).store
    profile = store.read_profile(request.state.owner)

    def is_taken(name: str) -> bool:
        holder = store.find_name_holder(name)
        return holder is not None and holder.id != profile.id

    usable = bool(profile.name) and not is_taken(profile.name)
    return forms.Host(profile.name if usable else GUEST, profile.account is not None, is_taken)


async def check_game(request: Request) -> Response:
    """Answer as JSON whether the form fits, see `check`."""
    game_id = get_game_id(request)
    form = await forms.read_form(request)

    def check() -> dict[str, Any]:
        """Return `ok`, and with it `seats` and `seat_names`, or else the wrong field as `option` and the `reason`."""
        try:
            setup = forms.parse_setup(game_id, form, _find_host(request))
            check_setup(setup)
        except OptionError as error:
            return {"ok": False, "option": error.option, "reason": _format_error(error)}
        return {"ok": True, "seats": setup.game.seats, "seat_names": list(setup.game.seat_names)}

    return JSONResponse(await run_in_threadpool(check))


def show_table(request: Request) -> Response:
    """Show the page of a table, whose board the socket keeps up to date."""
    row = load_table(request)
    view = _find_public_view(request, row)
    game = catalogue.game(row.game)
    store = get_context(request).store
    profile = store.read_profile(request.state.owner)
    tables = store.list_player_tables(request.state.owner, RECENT_TABLES) if row.started is None else []
    context = {
        "table": {"id": row.id, "study": row.kind == STUDY},
        "headline": find_headline(row),
        "linked_ply": get_linked_ply(request),
        "game": {
            "id": game.id,
            "title": game.title,
            "size": _describe_board(row),
            "style": pictures.build_style_url(game.id),
        },
        "defs": pictures.get_defs(game.spec),
        **pictures.draw_markup(
            view.scene() if view else None, has_hand=game.spec.hidden and bool(row.list_seats(request.state.owner))
        ),
        "waits": row.started is None and row.kind != STUDY,
        "waited": max(0, int(get_context(request).time.now() - row.created)),
        "strip": _has_strip(row),
        "confirm": bool(row.settings.get("confirm")),
        "looks": pictures.list_looks(game.id),
        "levels": forms.group_level_choices(forms.list_level_choices(game.id, game.spec)),
        "gentle": str(
            find_suitable_level(tables, request.state.owner, row.game, len(game.spec.part(ComputerPlay).levels))
        ),
        "known_as": profile.account or profile.name,
        "account": bool(profile.account),
    }
    return render_page(request, "play.html", context)


def _find_public_view(request: Request, row: StoredTable) -> View | None:
    """Return what everyone may see of a table that has just begun or is in memory; None if it must be replayed first,
    has ended, or no longer has these options.
    """
    room = get_rooms(request).opened.get(row.id)
    table = None if room is None else room.session.cached_table
    if table is not None:
        # At the end, points that are still to be counted are marked on the board.
        return None if table.match.is_over else table.match.position.view()
    try:
        return None if row.events else catalogue.game(row.game, **row.options).start().view()
    except GameError:
        return None


def _has_strip(row: StoredTable) -> bool:
    """Return whether the page shows the seats above the board of a phone; see `Strip` in `seats.js`."""
    has_room = len(row.chairs) <= _MOST_IN_STRIP or bool(row.settings.get("clock"))
    return (row.started is not None or row.kind == STUDY) and has_room


def _describe_board(row: StoredTable) -> str:
    """Return the size of a table's board, such as "5 × 8"; empty if the game has none, or no longer these options."""
    try:
        return describe_size(catalogue.game(row.game, **row.options))
    except GameError:
        return ""


def serve_rules(request: Request) -> Response:
    """Answer with a game's rulebook as a fragment of HTML, for the page of a table."""
    rulebook = _render_rules(get_game_id(request))
    article = f'<article class="rulebook" aria-label="Rulebook">{rulebook}</article>'
    return HTMLResponse(article, headers={"cache-control": "public, max-age=3600"})


def serve_style(request: Request) -> Response:
    """Answer with a game's style sheet."""
    sheet = pictures.build_style_sheet(get_game_id(request))
    return Response(sheet, media_type="text/css", headers={"cache-control": "public, max-age=3600"})


def serve_cover(request: Request) -> Response:
    """Answer with a game's cover as SVG."""
    return _serve_picture(request, partial(pictures.draw_cover, get_game_id(request)))


def serve_example(request: Request) -> Response:
    """Answer with a step (0 by default) of a figure of a rulebook as SVG."""
    numbers = (request.path_params["number"], request.query_params.get("step", "0"))
    try:
        if not all(_NUMBER.fullmatch(number) for number in numbers):
            raise IndexError(numbers)
        number, step = map(int, numbers)
        return _serve_picture(request, partial(pictures.draw_example, get_game_id(request), number, step))
    except IndexError:
        raise Refusal(404, "There is no such example.") from None


def _serve_picture(request: Request, draw: Callable[[str, str, str], str]) -> Response:
    """Answer with an SVG drawn in theme, palette and look of the query; raise Refusal 400 for an unknown one."""
    try:
        query = request.query_params
        text = draw(query.get("theme", "light"), query.get("palette", ""), query.get("look", ""))
    except GameError as error:
        raise Refusal(400, f"{error.message}.") from None
    return build_svg(text)
