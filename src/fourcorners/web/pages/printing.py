"""Empty boards to print: a form for each game, and the document."""

import re
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from fourcorners.core import catalogue
from fourcorners.core.errors import OptionError, quote
from fourcorners.study.paper import BOARD_COUNTS, MAX_PAGES, PAPERS, Document, print_boards
from fourcorners.study.rendering import Check, RenderingError
from fourcorners.web.application.pictures import CPU_SECONDS
from fourcorners.web.auth.limits import enforce_rate_limit
from fourcorners.web.pages.option_fields import list_fields
from fourcorners.web.pages.render import render_page
from fourcorners.web.realtime.room_registry import draw_in_turn

_NUMBER = re.compile(r"[0-9]{1,3}", re.ASCII)
_TITLES = {"a4": "A4", "letter": "Letter"}


def show_form(request: Request) -> Response:
    """Show the form of a game; raise HTTPException 404 if there is no such game."""
    return _show(request, _get_game_id(request), {}, None)


def _show(request: Request, game_id: str, typed: dict[str, str], error: OptionError | None) -> Response:
    game = catalogue.game(game_id)
    wrong, reason = ("", "") if error is None else (error.option, f"{error.message.removeprefix(f'{error.option}: ')}.")
    context: dict[str, Any] = {
        "game": {"id": game.id, "title": game.title},
        "fields": [field for field in list_fields(game, typed, wrong, reason) if field["kind"] in {"number", "choice"}],
        "papers": [(name, _TITLES[name]) for name in PAPERS],
        "counts": BOARD_COUNTS,
        "most_pages": MAX_PAGES,
        "error": "" if error is None else f"{error.message}.",
    }
    return render_page(request, "print.html", context, 200 if error is None else 422)


def _get_game_id(request: Request) -> str:
    """Return the id of the game in a request's path; raise HTTPException 404 if there is no such game."""
    game_id: str = request.path_params["game"]
    if game_id not in catalogue.games():
        raise HTTPException(404, f"There is no game named {quote(game_id)} here.")
    return game_id


async def serve_boards(request: Request) -> Response:
    """Answer with the boards as PDF, or with the form and its error (422); raise HTTPException 404, 429 or 503."""
    await enforce_rate_limit(request, "pictures")
    game_id, query = _get_game_id(request), dict(request.query_params)
    try:
        document = await run_in_threadpool(_build, game_id, dict(query))
    except OptionError as error:
        return await run_in_threadpool(_show, request, game_id, query, error)

    def render(check: Check) -> bytes:
        return document.render(cpu_seconds=CPU_SECONDS, check=check)

    try:
        drawn = await draw_in_turn(request, render)
    except RenderingError as error:
        raise HTTPException(422, f"{error.message[:1].upper()}{error.message[1:]}.") from None
    headers = {"content-disposition": f'inline; filename="{game_id}-boards.pdf"', "cache-control": "no-cache"}
    return Response(drawn, media_type="application/pdf", headers=headers)


def _build(game_id: str, query: dict[str, str]) -> Document:
    """Return the document that a query describes; raise OptionError."""
    paper = query.pop("paper", "a4")
    numbers = {name: query.pop(name, default) for name, default in (("pages", "1"), ("boards", "2"))}
    for name, text in numbers.items():
        if not _NUMBER.fullmatch(text):
            raise OptionError(name, f"{quote(text)} is not allowed; it must be a whole number")
    game = catalogue.parse_game(game_id, query)
    return print_boards(game, int(numbers["pages"]), int(numbers["boards"]), paper)
