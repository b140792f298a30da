"""On the narrowest phones no page is wider than the window, and every field asks for the keyboard that fits."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import Page

import fourcorners as fc
from fourcorners.study.puzzles.format import list_puzzles
from tests.browser.conftest import NewGuest
from tests.browser.multiplayer import create_table
from tests.browser.test_puzzles import wait_for_state
from tests.browser.test_reviews import open_review

pytestmark = pytest.mark.browser
GAMES = tuple(fc.games())
OF_ALL = [
    *("/", "/lobby", "/learn", "/puzzles", "/sets", "/account", "/ladder", "/enter", "/api", "/analysis", "/nowhere"),
    "/strength",
]
OF_ONE = [
    *("/games/{0}", "/games/{0}/print", "/enter?game={0}", "/analysis/{0}", "/puzzles/{0}/run", "/ladder/{0}"),
    "/reports/{0}",
]
PATHS = {"": OF_ALL} | {game: [path.format(game) for path in OF_ONE] for game in GAMES}
WIDER = """
() => [document.documentElement.scrollWidth, innerWidth, ...[...document.querySelectorAll("main *")].filter((node) =>
  node.getBoundingClientRect().right > innerWidth + 1 && node.closest("svg, pre, table") === null
).slice(0, 3).map((node) => node.outerHTML.slice(0, 80))]
"""
"""Returns the width of the page, that of the window, and what is outside of it."""
FIELDS = "main input:is([type=text], [type=number], [type=date]):not([readonly]), main textarea:not([readonly])"


@pytest.fixture
def narrow(new_guest: NewGuest) -> Page:
    """An empty page as narrow as a small phone."""
    return new_guest(viewport={"width": 320, "height": 800})


def expect_to_fit(page: Page) -> None:
    """Expect the page to be no wider than its window of 360 or 320 pixels, with everything unfolded that can be."""
    page.evaluate("for (const part of document.querySelectorAll('main details')) part.open = true;")
    for size in (360, 320):
        page.set_viewport_size({"width": size, "height": 800})
        width, window, *outside = page.evaluate(WIDER)
        assert width <= window == size, f"{page.url} is {width} px wide in {size} px: {outside}"


def expect_fitting_keyboards(page: Page) -> None:
    """Expect every field of the page to ask for a keyboard that has what is typed into it."""
    names = "['id', 'name', 'type', 'inputmode', 'autocapitalize']"
    read = f"fields => fields.map(field => {names}.map(name => field.getAttribute(name)))"
    for id_, own_name, kind, keyboard, capitals in page.locator(FIELDS).evaluate_all(read):
        name = f"{page.url} {id_ or own_name}"
        if kind == "number":
            assert keyboard == "numeric", name
        elif re.search("(seconds|minutes|increment|days)", name.rsplit(maxsplit=1)[-1]):
            assert keyboard in {"decimal", "numeric"}, name
        else:
            # Dates have hyphens, and moves letters.
            assert keyboard in {None, "text"}, name
        if re.search("(typed-move|deck|date|o-|position|items|text)$", name):
            assert capitals == "none", name


@pytest.mark.parametrize("game", PATHS)
def test_pages_are_no_wider_than_the_window_and_fields_ask_for_a_fitting_keyboard(narrow: Page, game: str) -> None:
    for path in PATHS[game]:
        narrow.goto(path)
        expect_fitting_keyboards(narrow)
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
