"""The pages of the analysis board: any game from any position, a game that is over, and what someone shares."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, NamedTuple

import msgspec
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from fourcorners.core import catalogue
from fourcorners.core.errors import GameError, NotationError, OptionError
from fourcorners.core.game import Game
from fourcorners.core.game_import import import_record
from fourcorners.core.match import Record
from fourcorners.core.option_fields import format_value
from fourcorners.core.record_format import STUDY_TITLE, TITLE
from fourcorners.web.application.analysis_board import read_start
from fourcorners.web.application.analysis_tree import OpenedAnalysis, mark_errors, open_record, open_start
from fourcorners.web.application.context import get_context
from fourcorners.web.application.refusals import Refusal
from fourcorners.web.application.reviews import look_up_review
from fourcorners.web.application.running_games import find_shared
from fourcorners.web.application.shared_analyses import (
    SharedPosition,
    SharedText,
    find_position,
    load_shared,
    open_shared,
)
from fourcorners.web.application.site_links import find_site_link
from fourcorners.web.domain.rows import StoredTable
from fourcorners.web.domain.sentences import capitalise, write_sentence
from fourcorners.web.domain.table import STUDY, Table
from fourcorners.web.engine.work_queue import BusyError
from fourcorners.web.pages import forms, pictures
from fourcorners.web.pages.addresses import get_game_id, load_table
from fourcorners.web.pages.option_fields import list_fields
from fourcorners.web.pages.render import render_page
from fourcorners.web.realtime.request_work import replay_in_turn

EMBED_POLICY = (
    "default-src 'self'; img-src 'self' data:; object-src 'none'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors *"
)
"""The policy of the embedded viewer alone: any site may show it in a frame, and nothing else."""
_POSITION = "position"
_RUNNING = "This game is still running: it can be analysed once it is over."


def show_games(request: Request) -> Response:
    """Show all games, and a form for a record, a link, a move list or a position."""
    return _show_games(request, {})


def _show_games(request: Request, form: Mapping[str, str], error: str = "") -> Response:
    context = {
        "games": [(game_id, catalogue.game(game_id).title) for game_id in catalogue.games()],
        "text": form.get("text", ""),
        "chosen": form.get("game", ""),
        "error": error,
    }
    return render_page(request, "analysis_games.html", context, 422 if error else 200)


async def open_text(request: Request) -> Response:
    """Open what the form contains on the analysis board, or show the form again with its error (422); raise
    Refusal or BusyError.
    """
    form = await forms.read_form(request)
    text = form.get("file", "").strip() or form.get("text", "")
    try:
        link = await run_in_threadpool(find_site_link, get_context(request), text, request.url.netloc)
        if link is not None and link.is_running:
            return await run_in_threadpool(_show_games, request, form, _RUNNING)
        if link is not None:
            return RedirectResponse(link.board_address, 303)
        opened = await replay_in_turn(request, _read_text, text, form)
    except GameError as error:
        return await run_in_threadpool(_show_games, request, form, forms.explain_unopened(error))
    return await run_in_threadpool(_show_board, request, opened)


def _read_text(text: str, form: Mapping[str, str], check: Callable[[], None]) -> OpenedAnalysis:
    """Return the analysis of a text: a record, a position of the form's game, or what else can be imported; raise
    GameError.
    """
    if not forms.is_text(text):
        raise NotationError("this is not text")
    source = text.strip("\ufeff \t\r\n")
    if source.startswith((TITLE, STUDY_TITLE)):
        return _read_record(source, check)
    game = forms.parse_game(form["game"], form) if form.get("game") else None
    if game is not None and "\n" not in source:
        try:
            return open_start(game, read_start(game, source))
        except NotationError as error:
            position_error = error
        try:
            return open_record(import_record(text, game, check=check))
        except GameError as error:
            # What looks like a position was meant as one.
            raise (position_error if _looks_like_position(game, source) else error) from None
    return open_record(import_record(text, game, check=check))


def _looks_like_position(game: Game, text: str) -> bool:
    """Return whether a text has the form of a position of a game more than that of moves: the same signs as its start
    has beside letters and digits.
    """
    signs = {sign for sign in game.start(seed=0).text if not sign.isalnum() and not sign.isspace()}
    return bool(signs) and signs <= {sign for sign in text if not sign.isalnum()}


def show_board(request: Request) -> Response:
    """Show the analysis board of a game with the options and the position of the query."""
    game_id, query = get_game_id(request), dict(request.query_params)
    try:
        game = forms.parse_game(game_id, query)
        return _show_board(request, open_start(game, read_start(game, query.get(_POSITION, ""))), query)
    except OptionError as error:
        wrong, sentence = error.option, f"{error.message}."
    except NotationError as error:
        wrong, sentence = _POSITION, write_sentence(error.message)
    # With the options of the query if only its position was wrong, otherwise with the usual ones.
    game = forms.parse_game(game_id, query) if wrong == _POSITION else catalogue.game(game_id)
    return _show_board(request, open_start(game, read_start(game, "")), query, wrong, sentence)


async def analyse_table(request: Request) -> Response:
    """Show a game that is over, or a record, on the analysis board, with the errors that a review has found."""
    row = await run_in_threadpool(load_table, request)
    opened = await replay_in_turn(request, _open_table, row)
    try:
        review = (await look_up_review(get_context(request), row.id)).review
    except (GameError, BusyError):
        review = None  # some records cannot be reviewed
    if review is not None:
        opened = mark_errors(opened, {move.ply: move.label.value for move in review.errors if move.label})
    return await run_in_threadpool(_show_board, request, opened)


def _open_table(row: StoredTable, check: Callable[[], None]) -> OpenedAnalysis:
    """Return the analysis of what was played at a table; raise Refusal 422 unless all of it may be known."""
    table = Table(row, check=check)
    if not table.match.is_over and row.kind != STUDY:
        raise Refusal(422, _RUNNING)
    record = table.build_record("")
    if record.seen_by:
        raise Refusal(422, "Part of this record is hidden, so it cannot be analysed.")
    return open_record(remove_names(record))


def remove_names(record: Record) -> Record:
    """Return a record that calls players by their seats: a shared analysis may outlive their accounts."""
    seats = tuple(f"seat {seat}" for seat in range(len(record.seats)))
    result = record.result
    for name, seat in zip(record.seats, seats, strict=True):
        result = result.replace(f": {name} ", f": {seat} ")
    return replace(record, seats=seats, result=result)


class _Link(NamedTuple):
    """What other sites show beside a link: the path of a picture, and a sentence or two."""

    preview: str
    words: str


async def show_shared(request: Request) -> Response:
    """Show a shared analysis, of which everyone can change a copy."""
    opened, found = await _open_shared(request)
    link = _Link(f"analysis/shared/{request.path_params['analysis']}/preview.png", found.describe())
    return await run_in_threadpool(_show_board, request, opened, link=link)


async def show_embedded(request: Request) -> Response:
    """Show a shared analysis for a frame of any site: to read and step through."""
    opened, _ = await _open_shared(request)
    context = {"link": f"/analysis/shared/{request.path_params['analysis']}"}

    def render() -> Response:
        return render_page(request, "embed.html", context | _describe_page(request, opened))

    response = await run_in_threadpool(render)
    response.headers["content-security-policy"] = EMBED_POLICY
    return response


async def _open_shared(request: Request) -> tuple[OpenedAnalysis, SharedPosition]:
    """Return the shared analysis of a request, and the position that it shows; raise Refusal 404, StoreError, and as
    `replay_in_turn`.
    """
    shared = await run_in_threadpool(load_shared, get_context(request), request.path_params["analysis"])
    opened, found = await replay_in_turn(request, open_shared, shared)
    if shared.shown is not None and await may_show_values(request, shared, found):
        opened = msgspec.structs.replace(opened, values=shared.shown.values)
    return opened, found


async def may_show_values(request: Request, shared: SharedText, found: SharedPosition | None = None) -> bool:
    """Return whether a shared analysis has values to show that are no help in a game that is being played."""
    if shared.shown is None or shared.shown.values is None:
        return False
    if found is None:
        found = await replay_in_turn(request, find_position, shared.text, shared.shown)
    return not any(await find_shared(get_context(request), [found.position]))


def _read_record(text: str, check: Callable[[], None]) -> OpenedAnalysis:
    """Return the analysis of a record; raise RecordError."""
    Record.replay(text, check)
    return open_record(Record.parse(text, check))


def _show_board(
    request: Request,
    opened: OpenedAnalysis,
    form: Mapping[str, str] | None = None,
    wrong: str = "",
    error: str = "",
    link: _Link | None = None,
) -> Response:
    """Show the page of an analysis, with what others say about its link."""
    context = _describe_page(request, opened)
    game = catalogue.game(opened.game, **opened.options)
    typed = form if form is not None else {name: str(value) for name, value in _write_options(game).items()}
    context |= {
        "fields": list_fields(game, typed, wrong, error),
        "wrong": wrong,
        "error": error,
        "reason": error,
        "typed_position": typed.get(_POSITION, ""),
        "link": link,
    }
    return render_page(request, "analysis.html", context, 422 if error else 200)


def _write_options(game: Game) -> Mapping[str, str]:
    """Return the options of a game as its form has them."""
    return {name: format_value(value) for name, value in game.given_options().items()}


def _describe_page(request: Request, opened: OpenedAnalysis) -> dict[str, Any]:
    """Return what every page with an analysis needs; the board shows its start until a script has run."""
    game = catalogue.game(opened.game, **opened.options)
    get_context(request).warmup.prefer(game.spec.id)
    view = get_context(request).positions.find_line(game, opened.position, ()).view
    return pictures.describe_board(game, view.scene()) | {
        "seats": {
            "names": [capitalise(name) for name in game.seat_names],
            "parties": [list(party) for party in game.options.parties],
            "has_points": game.spec.scoring == "points",
        },
        "opened": opened,
    }
