"""On the narrowest phones no page is wider than the window, and every field asks for the keyboard that fits."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

import fourcorners as fc
from fourcorners.study.puzzles.format import list_puzzles
from tests.browser.conftest import Server, new_themed_context, open_page
from tests.browser.multiplayer import create_table
from tests.browser.test_puzzles import wait_for_state
from tests.browser.test_reviews import open_review

pytestmark = pytest.mark.browser
GAMES = tuple(fc.games())
PATHS = [
    *("/", "/lobby", "/learn", "/puzzles", "/sets", "/account", "/ladder", "/enter", "/api", "/analysis", "/nowhere"),
    *(f"/{page}" for game in GAMES for page in (f"games/{game}", f"games/{game}/print", f"enter?game={game}")),
    *(f"/{page}" for game in GAMES for page in (f"analysis/{game}", f"puzzles/{game}/run", f"ladder/{game}")),
]
WIDER = """
() => [document.documentElement.scrollWidth, innerWidth, ...[...document.querySelectorAll("main *")].filter((node) =>
  node.getBoundingClientRect().right > innerWidth + 1 && node.closest("svg, pre, table") === null
).slice(0, 3).map((node) => node.outerHTML.slice(0, 80))]
"""
"""Returns the width of the page, that of the window, and what is outside of it."""
FIELDS = "main input:is([type=text], [type=number], [type=date]):not([readonly]), main textarea:not([readonly])"


@pytest.fixture(params=[320, 360])
def narrow(chromium: Browser, server: Server, request: pytest.FixtureRequest) -> Iterator[Page]:
    """An empty page as narrow as a small phone."""
    context = new_themed_context(chromium, server, "light", request.param)
    yield open_page(context)
    context.close()


def expect_to_fit(page: Page) -> None:
    """Expect the page to be no wider than its window, with everything unfolded that can be."""
    page.evaluate("for (const part of document.querySelectorAll('main details')) part.open = true;")
    width, window, *outside = page.evaluate(WIDER)
    assert width <= window, f"{page.url} is {width} px wide: {outside}"


def test_pages_are_no_wider_than_the_window(narrow: Page) -> None:
    for path in PATHS:
        narrow.goto(path)
        expect_to_fit(narrow)


@pytest.mark.parametrize("game", GAMES)
def test_boards_are_no_wider_than_the_window(narrow: Page, game: str) -> None:
    narrow.goto(f"/puzzles/{list_puzzles(game)[0].name}" if list_puzzles(game) else f"/games/{game}")
    expect_to_fit(narrow)
    form = {"clock": "300+0", "visibility": "public", "name-0": "Wilhelmina Featherstonehaugh"}
    create_table(narrow, game, "po", **form)
    expect_to_fit(narrow)
    narrow.goto("/lobby")
    expect_to_fit(narrow)


def test_review_and_its_exercises_are_no_wider_than_the_window(narrow: Page, tmp_path: Path) -> None:
    open_review(narrow, tmp_path)
    expect_to_fit(narrow)
    narrow.get_by_role("link", name="Learn from Bo’s mistakes").click()
    wait_for_state(narrow, "open")
    expect_to_fit(narrow)


def test_fields_ask_for_a_keyboard_that_has_what_is_typed(page: Page) -> None:
    for path in PATHS:
        page.goto(path)
        for field in page.locator(FIELDS).all():
            name = f"{path} {field.get_attribute('id') or field.get_attribute('name')}"
            keyboard = field.get_attribute("inputmode")
            if field.get_attribute("type") == "number":
                assert keyboard == "numeric", name
            elif re.search("(seconds|minutes|increment|days)", name.rsplit(maxsplit=1)[-1]):
                assert keyboard in {"decimal", "numeric"}, name
            else:
                # Dates have hyphens, and moves letters.
                assert keyboard in {None, "text"}, name
            if re.search("(typed-move|deck|date|o-|position|items|text)$", name):
                assert field.get_attribute("autocapitalize") == "none", name
    expect(page).to_have_url(re.compile("ladder"))
