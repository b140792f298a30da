"""The pages of the lessons: the list of all, and one for each, whose moves `lesson.js` has judged by the API."""

import functools
from typing import Any

from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from fourcorners.core import catalogue
from fourcorners.study.lessons.format import Lesson, find_lesson, list_lessons
from fourcorners.study.lessons.judge import get_position
from fourcorners.web.application.context import get_context
from fourcorners.web.application.lessons import draw_scene
from fourcorners.web.application.markdown import render_paragraph
from fourcorners.web.pages import pictures
from fourcorners.web.pages.addresses import build_analysis_address, get_game_id
from fourcorners.web.pages.render import render_page


def find_first_lesson(game_id: str) -> Lesson | None:
    """Return the lesson with which newcomers to a game begin; None if it has no lessons. Raise OptionError."""
    return next(iter(list_lessons(game_id)), None)


def show_lessons(request: Request) -> Response:
    """Show the lessons of all games."""
    games = [_describe_game(game_id) for game_id in catalogue.games() if list_lessons(game_id)]
    return render_page(request, "learn.html", {"games": games, "progress": read_progress(request)})


def read_progress(request: Request) -> dict[str, int]:
    """Return how many steps of lessons, by name, the visitor has done; raise StoreError."""
    return get_context(request).store.read_progress(request.state.owner) if request.state.known else {}


def _render(text: str) -> Markup:
    return Markup(render_paragraph(text))  # noqa: S704  # which escapes all text


def _describe_game(game_id: str) -> dict[str, Any]:
    return {"id": game_id, "title": catalogue.game(game_id).title, "lessons": list_lessons(game_id)}


def redirect_to_lessons(request: Request) -> Response:
    """Redirect to the lessons of a game in the list of all."""
    return RedirectResponse(f"/learn#{get_game_id(request)}", 303)


def show_lesson(request: Request) -> Response:
    """Show a lesson."""
    lesson = find_lesson(get_game_id(request), request.path_params["lesson"])
    get_context(request).warmup.prefer(lesson.game.spec.id)
    done = {"done": read_progress(request).get(lesson.name, 0)}
    return render_page(request, "lesson.html", describe_lesson(lesson.game.id, lesson.id) | done)


@functools.lru_cache(maxsize=128)
def describe_lesson(game_id: str, lesson_id: str) -> dict[str, Any]:
    """Return what the page of a lesson shows, which never changes."""
    lesson = find_lesson(game_id, lesson_id)
    siblings = list_lessons(game_id)
    number = siblings.index(lesson) + 1
    return pictures.describe_board(lesson.game, draw_scene(lesson, 0, get_position(lesson, 0))) | {
        "lesson": lesson,
        "number": number,
        "count": len(siblings),
        "following": siblings[number] if number < len(siblings) else None,
        "steps": [
            {
                "question": {"game": game_id, "lesson": lesson_id, "step": index},
                "text": _render(step.text),
                "hint": _render(step.hint),
                "has_task": step.has_task,
                "analysis": build_analysis_address(get_position(lesson, index).game),
            }
            for index, step in enumerate(lesson.steps)
        ],
    }
