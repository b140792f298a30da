"""Choosing what becomes of a stack of three in Squendo: pictures, what is discarded, prompts, and the list of moves."""

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.driver import start_game

pytestmark = pytest.mark.browser
_DOUBLE = "#board .sq-place:is(.can, .can-turned)[aria-label*='double stack']"
_STACKABLE = "#board .sq-place:is(.can, .can-turned)"
_ANY = "#board :is(.can, .can-turned)"


def begin_triple(page: Page) -> Locator:
    """Play until a stack of three can be made, begin one, and return the buttons of its choices."""
    choices = page.locator("#choices .choice")
    for _ in range(30):
        curtain = page.locator("#curtain button")
        if curtain.is_visible():
            curtain.click()
        page.wait_for_selector("#tray .can")
        for wanted in (_DOUBLE, _STACKABLE, _ANY):
            if choose_tile_for(page, wanted):
                break
        if choices.first.is_visible() and "stack" in page.locator("#status").inner_text():
            return choices
        moves = page.locator("#moves li").count()
        if choices.first.is_visible():
            choices.first.click()
        expect(page.locator("#moves li")).not_to_have_count(moves - 1)
    pytest.fail("no stack of three came up")


def choose_tile_for(page: Page, wanted: str) -> bool:
    """Pick up the first tile that can go to a wanted place, put it there, and return whether there is one."""
    for token in [tile.get_attribute("data-token") for tile in page.locator("#tray .can").all()]:
        page.locator(f'#tray [data-token="{token}"]').click()
        if page.locator(wanted).count():
            page.locator(wanted).first.click()
            return True
        page.keyboard.press("Escape")
    return False


def test_choices_show_tiles_and_what_is_discarded_before_it_is_played(page: Page) -> None:
    start_game(page, "squendo", "pp")
    choices = begin_triple(page)
    expect(page.locator("#status")).to_have_text("Three tiles in one stack: choose the one that stays.")
    for button in choices.all():
        face = button.locator(".miniature use").first
        # A tile of its colour, not the black square of a shape without style.
        fill = face.evaluate("use => getComputedStyle(use).getPropertyValue('--sq-red')")
        assert re.fullmatch(r"\s*#[0-9a-f]{6}", fill)
    before = page.locator("#moves li").count()
    told = ""
    while page.locator("#moves li").count() == before and page.locator("#choices button").first.is_visible():
        button = page.locator("#choices .primary, #choices .choice").first
        told = button.inner_text()
        button.click()
    expect(page.locator("#moves li")).to_have_count(before + 1)
    discarded = re.search(r"discards (\w+) with .+ and (\w+) with", told)
    assert discarded is not None
    last = page.locator("#moves li").last
    expect(last).to_contain_text("discarded two tiles")
    expect(last.locator(".miniature")).to_have_count(1)
