"""The page of a game's review, for everyone who has the link: progress, report, single moves and their pictures."""

import re
from collections.abc import Callable
from functools import partial
from typing import Any
from urllib.parse import urlencode

from markupsafe import Markup
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from fourcorners.core.errors import OptionError
from fourcorners.core.scene import check_colours
from fourcorners.study import html_report, pictures, wording
from fourcorners.study.html_report import Report
from fourcorners.study.move_review import MoveReview
from fourcorners.study.review import Review
from fourcorners.web.application.context import get_context
from fourcorners.web.application.pictures import find_headline
from fourcorners.web.application.refusals import Refusal, build_refusal
from fourcorners.web.application.reviews import ReviewStatus, look_up_positions, look_up_review, request_review
from fourcorners.web.auth.limits import RateLimitError, enforce_rate_limit
from fourcorners.web.engine.work_queue import BusyError
from fourcorners.web.pages.addresses import get_linked_ply
from fourcorners.web.pages.mistakes import build_mistakes_page, build_tries_page, find_lesson_about_errors
from fourcorners.web.pages.render import build_svg, render_page

_NUMBER = re.compile(r"[1-9][0-9]{0,3}", re.ASCII)
_NO_MOVE = "There is no such move in this review."


async def show_review(request: Request) -> Response:
    """Show the review with the move of `?ply=`, or how far it is, or a button that starts it. A player of the game sees
    only the own mistakes, unless `?all=1` asks for all.
    """
    return await _show(request, "review.html")


async def serve_report(request: Request) -> Response:
    """Answer with the same without the page around it."""
    return await _show(request, "review_report.html")


async def start_review(request: Request) -> Response:
    """Have the game reviewed and redirect to the page, or show it with the reason why that cannot begin now (429, 503)
    next to the button.
    """
    table = request.path_params["table"]
    try:
        await enforce_rate_limit(request, "reviews")
        await request_review(get_context(request), table)
    except (BusyError, RateLimitError) as error:
        return await _show_refusal(request, build_refusal(error))
    return RedirectResponse(f"/play/{table}/review", 303)


async def _show_refusal(request: Request, refusal: Refusal) -> Response:
    """Show the page with a refusal, its status and its headers; raise as `show_review`."""
    await enforce_rate_limit(request, "pages")
    response = await _show(request, "review.html", refusal.detail)
    response.status_code = refusal.status_code
    response.headers.update(refusal.headers or {})
    return response


async def show_mistakes(request: Request) -> Response:
    """Show the mistakes of a seat, `?seat=` counted from 1, as exercises; with `?inaccuracies=1` those as well. The one
    of the move `?ply=` comes first on the screen. Raise as `_look_up` and `_find_review`, and Refusal 404 for a seat or
    a move that the game does not have.
    """
    review = await _find_review(request)
    seats = len(review.players)
    number = request.query_params.get("seat", "1")
    if not _NUMBER.fullmatch(number) or int(number) > seats:
        raise Refusal(404, f"There is no such player in this game: the numbers are 1 to {seats}.")
    first = request.query_params.get("ply", "")
    page = partial(
        build_mistakes_page,
        review,
        request.path_params["table"],
        int(number) - 1,
        everything=request.query_params.get("inaccuracies") == "1",
        first_ply=_find_move(review, first).ply if first else None,
    )
    return await _render_exercises(request, page)


async def show_tries(request: Request) -> Response:
    """Show the position before a move, counted from 1, to try any other move there."""
    review = await _find_review(request)
    move = _find_move(review, request.path_params["ply"])
    return await _render_exercises(request, partial(build_tries_page, review, request.path_params["table"], move))


async def _find_review(request: Request) -> Review:
    """Return the finished review; raise Refusal 404 without one."""
    status = await _look_up(request)
    if status.review is None or status.state != "finished":
        raise Refusal(404, "There is no finished review of this game yet. Have it reviewed first.")
    get_context(request).warmup.prefer(status.review.record.game.spec.id)
    return status.review


async def _render_exercises(request: Request, build: Callable[[], dict[str, Any]]) -> Response:
    return await run_in_threadpool(lambda: render_page(request, "mistakes.html", build()))


async def serve_move(request: Request) -> Response:
    """Answer with one move, counted from 1, as HTML: its board, the steps to others, and what is said about it."""
    status = await _look_up(request)
    if status.review is None:
        raise Refusal(404, _NO_MOVE)
    context = _describe_move(request, status, status.review, request.path_params["ply"])
    template = request.app.state.templates.get_template("review_move.html")
    return HTMLResponse(await run_in_threadpool(template.render, context))


async def serve_turn(request: Request) -> Response:
    """Answer with the sentence on the move that turned the game, as HTML for the end card of the table; empty unless a
    finished review has proven it.
    """
    status = await _look_up(request)
    review = status.review if status.state == "finished" else None
    turn = None if review is None else review.turn
    if review is None or turn is None or turn.loss is None or not turn.loss.exact:
        return HTMLResponse("")
    context = {"report": _build_report(request, review, turn.ply), **_list_paths(request)}
    template = request.app.state.templates.get_template("review_turn.html")
    return HTMLResponse(await run_in_threadpool(template.render, context))


async def serve_board(request: Request) -> Response:
    """Answer with the board after a move, counted from 1, or after the one of `?move=` in its place, as SVG. Raise
    as `_look_up`, Refusal 404 if there is no such move, and 400 for a wrong query.
    """
    context, number, query = get_context(request), request.path_params["ply"], request.query_params
    positions = await look_up_positions(context, request.path_params["table"])
    if not _NUMBER.fullmatch(number) or int(number) >= len(positions):
        raise Refusal(404, _NO_MOVE)
    position = positions[int(number) - 1]
    shown = query.get("move") or positions[int(number)].last_move_text
    colours = query.get("theme", "light"), query.get("palette", ""), query.get("look", "")
    try:
        check_colours(position.game.spec.drawing.STYLE, *colours)
    except OptionError as error:
        raise Refusal(400, f"{error.message}.") from None
    if await context.run_in_board_thread(position.why, shown) is not None:
        raise Refusal(404, _NO_MOVE)
    picture = await context.run_in_board_thread(pictures.draw_move, position, shown, *colours)
    return build_svg(picture)


def serve_style(_: Request) -> Response:
    """Answer with the style sheet of reports."""
    return Response(html_report.load_style(), media_type="text/css", headers={"cache-control": "public, max-age=3600"})


async def _look_up(request: Request) -> ReviewStatus:
    """Return what there is of the review, in which the reader is “you”; raise as `look_up_review`."""
    status = await look_up_review(get_context(request), request.path_params["table"])
    seat = status.find_seat(request.state.owner)
    if status.review is None or seat is None:
        return status
    return status._replace(review=wording.address_reader(status.review, seat))


def _find_move(review: Review, number: str) -> MoveReview:
    """Return the move with a number, counted from 1; without one the first error. Raise Refusal 404 if none."""
    if not number:
        return review.errors[0] if review.errors else review.moves[0]
    if not _NUMBER.fullmatch(number) or int(number) > len(review.moves):
        raise Refusal(404, _NO_MOVE)
    return review.moves[int(number) - 1]


async def _show(request: Request, template: str, refusal: str = "") -> Response:
    status = await _look_up(request)
    return await run_in_threadpool(_render, request, template, status, refusal)


def _render(request: Request, template: str, status: ReviewStatus, refusal: str) -> Response:
    """Render the report, or the whole page, with the sentence of a `refusal` next to the button."""
    headline = "" if status.row is None else find_headline(status.row)
    context = {
        "status": status,
        "refusal": refusal,
        "headline": headline,
        "linked_ply": get_linked_ply(request),
        **_list_paths(request),
    }
    if status.review is not None:
        context |= _describe_move(request, status, status.review, request.query_params.get("ply", ""))
    return render_page(request, template, context)


def _list_paths(request: Request) -> dict[str, str]:
    """Return the addresses of the table and of its review."""
    table_path = f"/play/{request.path_params['table']}"
    return {"table_path": table_path, "path": f"{table_path}/review"}


def _describe_move(request: Request, status: ReviewStatus, review: Review, number: str) -> dict[str, Any]:
    """Return what the templates need to show a move, with the mistakes that are listed: those of the reader, who may be
    none of the players, or all. Without a number it is the first of them; raise as `_find_move`.
    """
    reader, everything = status.find_seat(request.state.owner), request.query_params.get("all") == "1"
    mistakes = [move for move in review.errors if everything or reader in {None, move.seat}]
    move = mistakes[0] if mistakes and not number else _find_move(review, number)
    plies = [mistake.ply for mistake in mistakes]
    return _list_paths(request) | {
        "report": _build_report(request, review, move.ply),
        "move": move,
        "can_ask": status.state == "finished",
        "reader": reader,
        "everything": everything,
        "query": Markup("&amp;all=1") if everything else "",
        "mistakes": mistakes,
        "previous_mistake": max((ply for ply in plies if ply < move.ply), default=None),
        "next_mistake": min((ply for ply in plies if ply > move.ply), default=None),
    }


def _build_report(request: Request, review: Review, shown_ply: int) -> Report:
    """Return the report with pictures that the browser loads when they come into view, in the colours of the page."""
    address = f"/play/{request.path_params['table']}/review"

    def draw_board(ply: int, move: str) -> Markup:
        source = f"{address}/{ply + 1}/board.svg?{urlencode({'move': move})}&theme="
        image = Markup(
            '<img class="on-{}" src="{}{}" alt="{}" width="384" height="384" loading="lazy" data-board data-looks>'
        )
        words = pictures.describe_move(review.positions[ply], move)
        return Markup("").join(image.format(theme, source, theme, words) for theme in ("light", "dark"))

    return Report(review, draw_board, shown_ply, find_lesson_about_errors)
