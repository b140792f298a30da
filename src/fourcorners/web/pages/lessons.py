"""The pages of the lessons: the list of all, and one for each, whose moves `lesson.js` has judged by the API."""

import functools
from typing import Any
from urllib.parse import urlencode

from markupsafe import Markup
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from fourcorners.core import catalogue
from fourcorners.core.errors import OptionError, quote
from fourcorners.core.game import Game
from fourcorners.core.options import format_value
from fourcorners.study.lessons.format import Lesson, LessonError, find_lesson, list_lessons
from fourcorners.study.lessons.judge import get_position
from fourcorners.web.application.context import get_context
from fourcorners.web.application.lessons import draw_scene
from fourcorners.web.application.markdown import render_paragraph
from fourcorners.web.pages import pictures
from fourcorners.web.pages.render import render_page
from fourcorners.web.protocol.board_picture import draw_parts


def find_first_lesson(game_id: str) -> Lesson | None:
    """Return the lesson with which newcomers to a game begin; None if it has no lessons. Raise OptionError."""
    return next(iter(list_lessons(game_id)), None)


def show_lessons(request: Request) -> Response:
    """Show the lessons of all games."""
    games = [_describe_game(game_id) for game_id in catalogue.games() if list_lessons(game_id)]
    return render_page(request, "learn.html", {"games": games})


def _render(text: str) -> Markup:
    return Markup(render_paragraph(text))  # noqa: S704  # which escapes all text


def _describe_game(game_id: str) -> dict[str, Any]:
    return {"id": game_id, "title": catalogue.game(game_id).title, "lessons": list_lessons(game_id)}


def _build_analysis_address(game: Game) -> str:
    """Return the address of the analysis board with a game's options, to which a script adds the position."""
    options = {name: format_value(value) for name, value in game.given_options().items()}
    return f"/analysis/{game.id}?{urlencode([*options.items(), ('position', '')])}"


def redirect_to_lessons(request: Request) -> Response:
    """Redirect to the lessons of a game in the list of all; raise HTTPException 404 for an unknown game."""
    game_id = request.path_params["game"]
    if game_id not in catalogue.games():
        raise HTTPException(404, f"There is no game named {quote(game_id)} here.")
    return RedirectResponse(f"/learn#{game_id}", 303)


def show_lesson(request: Request) -> Response:
    """Show a lesson; raise HTTPException 404 if there is none at this address."""
    try:
        lesson = find_lesson(request.path_params["game"], request.path_params["lesson"])
    except (OptionError, LessonError):
        raise HTTPException(404, "There is no lesson at this address.") from None
    get_context(request).warmup.prefer(lesson.game.spec.id)
    return render_page(request, "lesson.html", _describe_lesson(lesson.game.id, lesson.id))


@functools.lru_cache(maxsize=128)
def _describe_lesson(game_id: str, lesson_id: str) -> dict[str, Any]:
    """Return what the page of a lesson shows, which never changes."""
    lesson = find_lesson(game_id, lesson_id)
    siblings = list_lessons(game_id)
    number = siblings.index(lesson) + 1
    spec = lesson.game.spec
    board, tray = draw_parts(draw_scene(lesson, 0, get_position(lesson, 0)))
    return {
        "lesson": lesson,
        "game": {"id": game_id, "title": lesson.game.title, "style": pictures.build_style_url(game_id)},
        "number": number,
        "count": len(siblings),
        "following": siblings[number] if number < len(siblings) else None,
        "steps": [
            {
                "text": _render(step.text),
                "hint": _render(step.hint),
                "has_task": step.has_task,
                "analysis": _build_analysis_address(get_position(lesson, index).game),
            }
            for index, step in enumerate(lesson.steps)
        ],
        "defs": Markup(spec.drawing.STYLE.defs),  # noqa: S704  # written by the game, from no input
        "board": Markup(board),  # noqa: S704  # likewise
        "tray": Markup(tray or ""),  # noqa: S704  # likewise
        "hidden": spec.hidden,
        "prompts": dict(spec.prompts),
        "looks": pictures.list_looks(game_id),
    }
