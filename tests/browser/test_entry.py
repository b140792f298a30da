"""A game from paper in a browser: typed by keyboard, corrected, saved, opened, and drawn."""

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import THEMES_AND_WIDTHS, Server, new_themed_context, open_page
from tests.browser.driver import assert_accessible

pytestmark = pytest.mark.browser


def wait_for_moves(page: Page, count: int) -> None:
    """Wait until the server has answered about so many moves."""
    page.wait_for_selector(f'#entry[data-moves="{count}"]', timeout=30_000)


def type_moves(page: Page, *moves: str, before: int = 0) -> None:
    """Type moves by keyboard alone, after so many."""
    for number, move in enumerate(moves, before + 1):
        page.keyboard.type(move)
        page.keyboard.press("Enter")
        wait_for_moves(page, number)


def test_typed_game_is_corrected_saved_and_opened(page: Page) -> None:
    page.goto("/enter?game=square-off&size=4")
    wait_for_moves(page, 0)
    type_moves(page, "a1", "b2", "a1")
    expect(page.locator("#feedback")).to_contain_text("Move 3, a1: a1 is not free")
    expect(page.get_by_label("Correct move 3")).to_be_focused()
    page.keyboard.type("d1")
    page.keyboard.press("Enter")
    expect(page.get_by_label("Move 4")).to_be_focused()
    page.get_by_role("button", name="2, b2").click()
    page.keyboard.type("c3")
    page.keyboard.press("Enter")
    expect(page.locator("#entered")).to_contain_text("c3")
    page.get_by_label("White", exact=True).fill("Ada")
    page.get_by_label("Date").fill("2026-11-23")
    page.keyboard.press("Enter")
    header = 'game: square-off\noptions: {"size": 4}\nseats: ["Ada", "seat 1"]\ndate: 2026-11-23\nresult: running'
    record = f"fourcorners record 1\n{header}\n\n1 0 a1\n2 1 c3\n3 0 d1\n"
    expect(page.locator("#record")).to_have_value(record)
    page.get_by_role("button", name="Save and open").click()
    page.wait_for_url("**/play/*")
    expect(page.locator("#moves")).to_contain_text("d1")
    page.get_by_label("Menu").click()
    page.get_by_text("Picture or PDF").click()
    with page.expect_download() as download:
        page.get_by_role("link", name="PNG").click()
    assert download.value.path().read_bytes().startswith(b"\x89PNG")


def test_moves_are_made_on_the_board_as_well(page: Page) -> None:
    page.goto("/enter?game=square-off&size=4")
    wait_for_moves(page, 0)
    page.locator('#scene [data-token="b2"]').click()
    wait_for_moves(page, 1)
    expect(page.locator("#entered")).to_contain_text("b2")


@pytest.mark.parametrize(("theme", "width"), THEMES_AND_WIDTHS)
def test_pages_are_accessible_and_fit(chromium: Browser, server: Server, theme: str, width: int) -> None:
    context = new_themed_context(chromium, server, theme, width)
    page = open_page(context)
    for path in ("/enter", "/enter?game=square-off&size=4", "/games/square-off/print"):
        page.goto(path)
        assert_accessible(page)
        assert page.evaluate("document.documentElement.scrollWidth") <= width
    context.close()
