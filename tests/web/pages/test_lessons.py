"""The pages of the lessons, and the offers of the first one."""

import re
from collections.abc import Iterator

import pytest

import fourcorners as fc
from fourcorners.study.lessons.format import list_lessons
from tests.web.client import Browser, Server


@pytest.fixture
def newcomer(module_server: Server) -> Iterator[Browser]:
    """A browser that has never been at this server."""
    with Browser(module_server) as opened:
        yield opened


def test_list_links_every_lesson_of_every_game(newcomer: Browser) -> None:
    text = newcomer.http.get("/learn").text
    for name in fc.games():
        for lesson in list_lessons(name):
            assert f'href="/learn/{lesson.name}"' in text
    assert newcomer.http.get("/learn/sqez").headers["location"] == "/learn#sqez"


def test_page_of_a_lesson_has_its_texts_also_without_scripts_and_links_the_next(newcomer: Browser) -> None:
    lesson, following = list_lessons("dots-and-boxes")[:2]
    text = newcomer.http.get(f"/learn/{lesson.name}").text
    assert text.count('class="step" data-task') == len(lesson.steps)
    assert f'href="/learn/{following.name}"' in text
    assert 'class="fc-board"' in text
    last = newcomer.http.get(f"/learn/{list_lessons('sqez')[-1].name}").text
    assert re.search(r'class="button primary" href="/games/sqez"', last)


@pytest.mark.parametrize("path", ["/learn/chess", "/learn/sqez/chains", "/learn/chess/rules"])
def test_unknown_lesson_is_not_found(newcomer: Browser, path: str) -> None:
    assert newcomer.http.get(path).status_code == 404


def test_newcomers_are_offered_the_first_lesson_until_they_have_played(newcomer: Browser) -> None:
    offer, link = "First time here?", 'href="/learn/sqez/rules"'
    assert offer in newcomer.http.get("/").text
    page = newcomer.http.get("/games/sqez").text
    assert "New to Sqez?" in page and link in page
    newcomer.begin_table("sqez", cols="5", rows="5", seat_1="person")
    assert offer not in newcomer.http.get("/").text
    page = newcomer.http.get("/games/sqez").text
    assert "New to Sqez?" not in page and link in page
    assert link in newcomer.http.get("/games/sqez/rules").text
