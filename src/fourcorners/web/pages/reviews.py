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
from fourcorners.study import html_report, pictures
from fourcorners.study.html_report import Report
from fourcorners.study.review import MoveReview, Review
from fourcorners.web.application.context import get_context
from fourcorners.web.application.refusals import Refusal, build_refusal
from fourcorners.web.application.reviews import ReviewStatus, look_up_positions, look_up_review, request_review
from fourcorners.web.auth.limits import RateLimitError, enforce_rate_limit
from fourcorners.web.engine.work_queue import BusyError
from fourcorners.web.pages.mistakes import build_mistakes_page, build_tries_page, find_lesson_about_errors
from fourcorners.web.pages.render import build_svg, render_page

_NUMBER = re.compile(r"[1-9][0-9]{0,3}", re.ASCII)
_NO_MOVE = "There is no such move in this review."


async def show_review(request: Request) -> Response:
    """Show the review with the move of `?ply=`, or how far it is, or a button that starts it."""
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
    """Show the mistakes of a seat, `?seat=` counted from 1, as exercises; with `?inaccuracies=1` those as well. Raise
    as `_look_up` and `_find_review`, and Refusal 404 for a seat that the game does not have.
    """
    review = await _find_review(request)
    seats = len(review.players)
    number = request.query_params.get("seat", "1")
    if not _NUMBER.fullmatch(number) or int(number) > seats:
        raise Refusal(404, f"There is no such player in this game: the numbers are 1 to {seats}.")
    everything = request.query_params.get("inaccuracies") == "1"
    page = partial(build_mistakes_page, review, request.path_params["table"], int(number) - 1, everything=everything)
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
    """Answer with what is said about one move, counted from 1, as HTML."""
    status, review, move = await _look_up_move(request)
    report = _build_report(request, review, move.ply)
    path = f"/play/{request.path_params['table']}/review"
    context = {"report": report, "move": move, "path": path, "can_ask": status.state == "finished"}
    template = request.app.state.templates.get_template("review_move.html")
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
    """Return what there is of the review; raise as `look_up_review`."""
    return await look_up_review(get_context(request), request.path_params["table"])


async def _look_up_move(request: Request) -> tuple[ReviewStatus, Review, MoveReview]:
    """Return the state of the review, the review, which may be a part, and the move whose number is in the path; raise
    Refusal 404.
    """
    status = await _look_up(request)
    if status.review is None:
        raise Refusal(404, _NO_MOVE)
    return status, status.review, _find_move(status.review, request.path_params["ply"])


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
    path = f"/play/{request.path_params['table']}/review"
    context: dict[str, Any] = {"status": status, "path": path, "refusal": refusal}
    context["can_ask"] = status.state == "finished"
    if status.review is not None:
        move = _find_move(status.review, request.query_params.get("ply", ""))
        context |= {"move": move, "report": _build_report(request, status.review, move.ply)}
    context["table_path"] = f"/play/{request.path_params['table']}"
    return render_page(request, template, context)


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
