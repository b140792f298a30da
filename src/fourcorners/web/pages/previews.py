"""Preview pictures of links to tables, reviews, analyses, lessons and puzzles: what everyone may see."""

from collections.abc import Callable, Hashable
from functools import partial

from cachetools import LRUCache
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response

from fourcorners.study import rendering
from fourcorners.study.cards import WIDTH, draw_card, fits_title
from fourcorners.study.lessons.format import Lesson, find_lesson
from fourcorners.study.lessons.judge import get_position
from fourcorners.study.puzzles.format import Puzzle, find_puzzle
from fourcorners.study.rendering import Check
from fourcorners.web.application.context import get_context
from fourcorners.web.application.pictures import CPU_SECONDS, draw_table_card
from fourcorners.web.application.shared_analyses import draw_shared, load_shared
from fourcorners.web.pages.addresses import get_game_id, get_linked_ply, load_table
from fourcorners.web.pages.analysis import may_show_values
from fourcorners.web.pages.puzzles import describe_task, find_challenger
from fourcorners.web.realtime.request_work import draw_in_turn

_HEADERS = {"cache-control": "public, max-age=300"}
_cards: LRUCache[Hashable, bytes] = LRUCache(256)
"""A cache of the latest cards, about fifty kilobytes each, by what they show. Only the event loop uses it."""


async def serve_table_preview(request: Request) -> Response:
    """Answer with the card of a table."""
    return await _serve_table_card(request, "")


async def serve_review_preview(request: Request) -> Response:
    """Answer with the card of a review."""
    return await _serve_table_card(request, "Review")


async def _serve_table_card(request: Request, words: str) -> Response:
    store, table = get_context(request).store, request.path_params["table"]
    version = (await run_in_threadpool(store.read_versions, [table])).get(table)
    ply = get_linked_ply(request)
    key = (words, table, version, ply)
    if version is not None and key in _cards:
        return Response(_cards[key], media_type="image/png", headers=_HEADERS)
    row = await run_in_threadpool(load_table, request)

    return await _serve(request, (words, table, row.version, ply), draw_table_card, row, words, ply)


async def serve_analysis_preview(request: Request) -> Response:
    """Answer with the card of a shared analysis."""
    analysis_id = request.path_params["analysis"]
    shared = await run_in_threadpool(load_shared, get_context(request), analysis_id)
    has_values = await may_show_values(request, shared)
    draw = partial(draw_shared, shared, has_values=has_values)
    return await _serve(request, ("Analysis", analysis_id, has_values), lambda check: draw(check=check))


async def serve_lesson_preview(request: Request) -> Response:
    """Answer with the card of a lesson."""
    lesson = find_lesson(get_game_id(request), request.path_params["lesson"])
    return await _serve(request, ("Lesson", lesson.game.id, lesson.id), _draw_lesson, lesson)


def _draw_lesson(lesson: Lesson, check: Check) -> bytes:
    """Draw the card of a lesson; raise RenderingError, and what `check` raises."""
    start = get_position(lesson, 0)
    card = draw_card(
        lesson.title, f"{lesson.game.title}, a lesson of {lesson.minutes} minutes.", start.view(start.seat)
    )
    return rendering.render_png(card, WIDTH, cpu_seconds=CPU_SECONDS, check=check)


async def serve_puzzle_preview(request: Request) -> Response:
    """Answer with the card of a puzzle."""
    puzzle = find_puzzle(get_game_id(request), request.path_params["puzzle"])
    challenger = await run_in_threadpool(find_challenger, request)
    name = challenger["name"] if challenger else ""
    return await _serve(request, ("Puzzle", puzzle.name, name), _draw_puzzle, puzzle, name)


def _draw_puzzle(puzzle: Puzzle, challenger: str, check: Check) -> bytes:
    """Draw the card of a puzzle; raise as `_draw_lesson`."""
    position = puzzle.position
    card = draw_card(*write_puzzle_card(puzzle, challenger), position.view(position.seat))
    return rendering.render_png(card, WIDTH, cpu_seconds=CPU_SECONDS, check=check)


def write_puzzle_card(puzzle: Puzzle, challenger: str) -> tuple[str, str]:
    """Return title and text of the card of a puzzle, with the name of the player who challenges, if any."""
    kind, task = f"Puzzle: {puzzle.game.title}", describe_task(puzzle)
    if not challenger:
        return kind, task
    title = f"{challenger} challenges you: can you solve it?"
    if fits_title(title):
        return title, f"{kind}. {task}"
    return "Can you solve it?", f"{challenger} challenges you. {kind}. {task}"


async def _serve(request: Request, key: Hashable, draw: Callable[..., bytes], *arguments: object) -> Response:
    """Answer with the card of a key: from the cache, or drawn when its turn in the queue comes."""
    card = _cards.get(key)
    if card is None:
        card = _cards[key] = await draw_in_turn(request, draw, *arguments)
    return Response(card, media_type="image/png", headers=_HEADERS)
