"""The documentation site as a reader sees it: built without warnings, searchable, no page wider than a phone, and with
figures of the rulebooks to step through.
"""

import re
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Literal

import pytest
from playwright.sync_api import Browser, Page, expect

import fourcorners as fc
from tests.browser.conftest import open_page
from tests.browser.driver import assert_accessible
from tests.browser.static_files import serve_folder

# Building it installs packages that nothing else needs.
pytestmark = [pytest.mark.browser, pytest.mark.ci]
PAGES = (
    "",
    "reference/options/",
    "reference/library/",
    "reference/commands/",
    "reference/api/",
    "tutorials/bot/",
    "performance/",
)
THEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")


@pytest.fixture(scope="session")
def site(site_folder: Path) -> Iterator[str]:
    """The address of the site."""
    with serve_folder(site_folder) as address:
        yield address


@pytest.fixture
def phone(site: str, chromium: Browser) -> Iterator[Page]:
    """An empty page of 360 × 740 pixels, which fails if anything is loaded from elsewhere than the site."""
    with chromium.new_context(viewport={"width": 360, "height": 740}, color_scheme="light") as context:
        page, loaded = open_page(context), list[str]()
        page.on("request", lambda request: loaded.append(request.url))
        yield page
        assert [url for url in loaded if not url.startswith((site, "data:", "blob:"))] == []


def test_site_has_a_search_fits_a_phone_and_is_accessible_in_both_themes(site: str, phone: Page) -> None:
    for path, theme in product(PAGES, THEMES):
        phone.emulate_media(color_scheme=theme)
        phone.goto(site + path, wait_until="networkidle")
        assert phone.evaluate("document.documentElement.scrollWidth") <= 360, path
        assert_accessible(phone)
    phone.goto(site)
    phone.locator("label[for=__search]").click()
    phone.keyboard.type("enclose")
    phone.locator("dialog a").filter(has_text="Options of the games").click()
    expect(phone).to_have_url(re.compile(rf"{site}reference/options/.*#sqez"))


def test_words_of_a_figure_are_found_by_the_search(site: str, phone: Page) -> None:
    phone.goto(site)
    phone.locator("label[for=__search]").click()
    phone.keyboard.type("double-dealing")
    phone.locator("dialog a").filter(has_text="Give two").click()
    expect(phone).to_have_url(re.compile(rf"{site}rulebooks/dots-and-boxes/.*#give-two-win-the-rest"))


@pytest.mark.parametrize("name", fc.games())
def test_figures_of_a_rulebook_are_stepped_through_by_buttons_and_keys_in_both_themes(
    site: str, phone: Page, name: str
) -> None:
    phone.goto(f"{site}rulebooks/{name}/", wait_until="networkidle")
    boards = phone.locator("fourcorners-board")
    expect(phone.locator("fourcorners-board >> img.picture")).to_have_count(boards.count())
    board = boards.filter(has=phone.get_by_role("button", name="Last")).first
    picture, place = board.get_by_role("img"), board.locator(".label")
    first = picture.get_attribute("src") or ""
    expect(place).to_have_text(re.compile("Step 1 of [2-9]"))
    board.get_by_role("button", name="Next").click()
    expect(picture).not_to_have_attribute("src", first)
    phone.keyboard.press("End")
    expect(board.get_by_role("button", name="Last")).to_have_attribute("aria-disabled", "true")
    phone.keyboard.press("Home")
    expect(picture).to_have_attribute("src", first)
    for theme in THEMES:
        phone.emulate_media(color_scheme=theme)
        expect(board).to_have_attribute("theme", theme)
        assert_accessible(phone)
        assert phone.evaluate("document.documentElement.scrollWidth") <= 360
    expect(picture).not_to_have_attribute("src", first)
