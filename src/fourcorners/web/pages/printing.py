"""Empty boards and puzzles to print: forms for each game, and the documents."""

import re
from collections.abc import Callable
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response

from fourcorners.core import catalogue
from fourcorners.core.errors import OptionError, quote
from fourcorners.study.paper import (
    BOARD_COUNTS,
    MAX_PAGES,
    MAX_PUZZLES,
    PAPERS,
    Document,
    print_boards,
    print_puzzle_sheet,
)
from fourcorners.study.puzzles.format import list_puzzles
from fourcorners.study.rendering import Check
from fourcorners.web.application.pictures import CPU_SECONDS
from fourcorners.web.pages.addresses import get_game_id
from fourcorners.web.pages.option_fields import list_fields
from fourcorners.web.pages.render import render_page
from fourcorners.web.realtime.request_work import draw_in_turn

_NUMBER = re.compile(r"[0-9]{1,3}", re.ASCII)
_TITLES = {"a4": "A4", "letter": "Letter"}


def show_form(request: Request) -> Response:
    """Show the form of a game."""
    return _show(request, get_game_id(request), {}, None)


def _show(request: Request, game_id: str, typed: dict[str, str], error: OptionError | None) -> Response:
    game = catalogue.game(game_id)
    wrong, reason = ("", "") if error is None else (error.option, f"{error.message.removeprefix(f'{error.option}: ')}.")
    context: dict[str, Any] = {
        "game": {"id": game.id, "title": game.title},
        "fields": [field for field in list_fields(game, typed, wrong, reason) if field["kind"] in {"number", "choice"}],
        "papers": [(name, _TITLES[name]) for name in PAPERS],
        "counts": BOARD_COUNTS,
        "most_pages": MAX_PAGES,
        "most_puzzles": MAX_PUZZLES,
        "themes": sorted({theme for puzzle in list_puzzles(game_id) for theme in puzzle.themes}),
        "typed": typed,
        "error": "" if error is None else f"{error.message}.",
    }
    return render_page(request, "print.html", context, 200 if error is None else 422)


async def serve_boards(request: Request) -> Response:
    """Answer with empty boards as PDF, or as `_serve` does."""
    return await _serve(request, "boards", _build_boards)


async def serve_puzzles(request: Request) -> Response:
    """Answer with puzzles and their solutions as PDF, or as `_serve` does."""
    return await _serve(request, "puzzles", _build_puzzles)


async def _serve(request: Request, name: str, build: Callable[[str, dict[str, str]], Document]) -> Response:
    """Answer with a document as PDF, or with the form and its error (422); raise Refusal 404."""
    game_id, query = get_game_id(request), dict(request.query_params)
    try:
        document = await run_in_threadpool(build, game_id, dict(query))
    except OptionError as error:
        return await run_in_threadpool(_show, request, game_id, query, error)

    def render(check: Check) -> bytes:
        return document.render(cpu_seconds=CPU_SECONDS, check=check)

    drawn = await draw_in_turn(request, render)
    headers = {"content-disposition": f'inline; filename="{game_id}-{name}.pdf"', "cache-control": "no-cache"}
    return Response(drawn, media_type="application/pdf", headers=headers)


def _build_boards(game_id: str, query: dict[str, str]) -> Document:
    """Return the boards that a query describes; raise OptionError."""
    paper = query.pop("paper", "a4")
    pages, boards = _pop_number(query, "pages", "1"), _pop_number(query, "boards", "2")
    return print_boards(catalogue.parse_game(game_id, query), pages, boards, paper)


def _build_puzzles(game_id: str, query: dict[str, str]) -> Document:
    """Return the puzzles that a query describes; raise OptionError."""
    count, sheet = _pop_number(query, "puzzles", "6"), _pop_number(query, "sheet", "1")
    return print_puzzle_sheet(game_id, count, sheet, query.pop("theme", ""), query.pop("paper", "a4"))


def _pop_number(query: dict[str, str], name: str, default: str) -> int:
    text = query.pop(name, default)
    if not _NUMBER.fullmatch(text):
        raise OptionError(name, f"{quote(text)} is not allowed; it must be a whole number")
    return int(text)
