"""Choosing what becomes of a stack of three in Squendo: pictures, what is discarded, prompts, and the list of moves."""

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.driver import start_game
from tests.waiting import wait_until

pytestmark = pytest.mark.browser
_DOUBLE = "#board .sq-place:is(.can, .can-turned)[aria-label*='double stack']"
_STACKABLE = "#board .sq-place:is(.can, .can-turned)"
_ANY = "#board :is(.can, .can-turned)"


def begin_triple(page: Page) -> Locator:
    """Play until a stack of three can be made, begin one, and return the buttons of its choices."""
    choices, curtain, tiles = (page.locator(name) for name in ("#choices .choice", "#curtain button", "#tray .can"))
    for _ in range(30):
        expect(curtain.or_(tiles).filter(visible=True).first).to_be_visible()
        if curtain.is_visible():
            curtain.click()
            expect(tiles.first).to_be_visible()
        played = locate_next_move(page)
        for wanted in (_DOUBLE, _STACKABLE, _ANY):
            if choose_tile_for(page, wanted):
                break
        expect(choices.or_(played).filter(visible=True).first).to_be_visible()
        if choices.first.is_visible() and "stack" in page.locator("#status").inner_text():
            return choices
        if choices.first.is_visible():
            choices.first.click()
        expect(played).to_be_attached()
    pytest.fail("no stack of three came up")


def locate_next_move(page: Page) -> Locator:
    """Return where the list of moves will show the next move."""
    moves = page.locator("#moves li")
    return moves.nth(moves.count())


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
    played, steps = locate_next_move(page), page.locator("#choices .primary, #choices .choice")
    told = ""

    def has_moved_on() -> bool:
        """Return whether the move is played, or the next choice is shown."""
        return bool(played.count()) or steps.all_inner_texts()[:1] not in ([], [told])

    while not played.count():
        told = steps.first.inner_text()
        steps.first.click()
        wait_until(has_moved_on)
    discarded = re.search(r"discards (\w+) with .+ and (\w+) with", told)
    assert discarded is not None
    last = page.locator("#moves li").last
    expect(last).to_contain_text("discarded two tiles")
    expect(last.locator(".miniature")).to_have_count(1)
