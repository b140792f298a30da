"""Preview pictures of links to tables, reviews, analyses, lessons and puzzles: what everybody may see, whoever asks."""

from collections.abc import Callable, Hashable

from cachetools import LRUCache
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from fourcorners.core import catalogue
from fourcorners.core.errors import OptionError
from fourcorners.core.match import Record
from fourcorners.study import rendering
from fourcorners.study.cards import WIDTH, draw_card
from fourcorners.study.lessons.format import LessonError, find_lesson
from fourcorners.study.lessons.judge import get_position
from fourcorners.study.puzzles.format import PuzzleError, find_puzzle
from fourcorners.study.rendering import Check, RenderingError
from fourcorners.web.application.context import get_context
from fourcorners.web.application.pictures import CPU_SECONDS, draw_table_card
from fourcorners.web.application.shared_analyses import load_shared
from fourcorners.web.auth.limits import enforce_rate_limit
from fourcorners.web.pages.puzzles import describe_task
from fourcorners.web.realtime.request_work import draw_in_turn

_HEADERS = {"cache-control": "public, max-age=300"}
_cards: LRUCache[Hashable, bytes] = LRUCache(256)
"""A cache of the latest cards, about fifty kilobytes each, by what they show. Only the event loop uses it."""


async def serve_table_preview(request: Request) -> Response:
    """Answer with the card of a table; raise HTTPException, GameError if it does not replay, and StoreError."""
    return await _serve_table_card(request, "")


async def serve_review_preview(request: Request) -> Response:
    """Answer with the card of a review; raise as the above."""
    return await _serve_table_card(request, "Review")


async def _serve_table_card(request: Request, words: str) -> Response:
    await enforce_rate_limit(request, "pictures")
    store, table = get_context(request).store, request.path_params["table"]
    version = (await run_in_threadpool(store.read_versions, [table])).get(table)
    key = (words, table, version)
    if version is not None and key in _cards:
        return _answer(_cards[key])
    row = await run_in_threadpool(store.load_table, table)
    if row is None or row.game not in catalogue.games():
        raise HTTPException(404, "There is no game at this address. Check that the link is complete.")

    def draw(check: Check) -> bytes:
        return draw_table_card(row, words, check)

    return await _serve(request, (words, table, row.version), draw)


async def serve_analysis_preview(request: Request) -> Response:
    """Answer with the card of a shared analysis; raise HTTPException 404 if there is none, or as the above."""
    await enforce_rate_limit(request, "pictures")
    context = get_context(request)
    text = await run_in_threadpool(load_shared, context, request.path_params["analysis"])
    if text is None:
        raise HTTPException(404, "There is no analysis at this address. Check that the link is complete.")

    def draw(check: Check) -> bytes:
        return _draw_analysis(text, check)

    return await _serve(request, ("Analysis", request.path_params["analysis"]), draw)


def _draw_analysis(text: str, check: Check) -> bytes:
    """Draw the card of an analysis with the last position of its main line, as a spectator knows it."""
    match = Record.replay(text, check)
    title = match.game.title
    card = draw_card(f"Analysis: {title}", "Variations and comments, on a board to try moves.", match.position.view())
    return rendering.render_png(card, WIDTH, cpu_seconds=CPU_SECONDS, check=check)


async def serve_lesson_preview(request: Request) -> Response:
    """Answer with the card of a lesson; raise HTTPException 404 if there is none at this address, or as the above."""
    await enforce_rate_limit(request, "pictures")
    game_id, lesson_id = request.path_params["game"], request.path_params["lesson"]
    try:
        find_lesson(game_id, lesson_id)
    except (OptionError, LessonError):
        raise HTTPException(404, "There is no lesson at this address.") from None

    def draw(check: Check) -> bytes:
        return _draw_lesson(game_id, lesson_id, check)

    return await _serve(request, ("Lesson", game_id, lesson_id), draw)


def _draw_lesson(game_id: str, lesson_id: str, check: Check) -> bytes:
    """Draw the card of a lesson; raise RenderingError, and what `check` raises."""
    lesson = find_lesson(game_id, lesson_id)
    start = get_position(lesson, 0)
    card = draw_card(
        lesson.title, f"{lesson.game.title}, a lesson of {lesson.minutes} minutes.", start.view(start.seat)
    )
    return rendering.render_png(card, WIDTH, cpu_seconds=CPU_SECONDS, check=check)


async def serve_puzzle_preview(request: Request) -> Response:
    """Answer with the card of a puzzle; raise HTTPException 404 if there is none at this address, or as the above."""
    await enforce_rate_limit(request, "pictures")
    try:
        puzzle = find_puzzle(request.path_params["game"], request.path_params["puzzle"])
    except (OptionError, PuzzleError):
        raise HTTPException(404, "There is no puzzle at this address.") from None

    def draw(check: Check) -> bytes:
        position = puzzle.position
        card = draw_card(f"Puzzle: {puzzle.game.title}", describe_task(puzzle), position.view(position.seat))
        return rendering.render_png(card, WIDTH, cpu_seconds=CPU_SECONDS, check=check)

    return await _serve(request, ("Puzzle", puzzle.name), draw)


async def _serve(request: Request, key: Hashable, draw: Callable[..., bytes]) -> Response:
    """Answer with the card of a key: from the cache, or drawn when its turn in the queue comes."""
    if key in _cards:
        return _answer(_cards[key])
    try:
        card = _cards[key] = await draw_in_turn(request, draw)
    except RenderingError as error:
        raise HTTPException(503, f"{error.message}.", {"retry-after": "60"}) from None
    return _answer(card)


def _answer(card: bytes) -> Response:
    return Response(card, media_type="image/png", headers=_HEADERS)
