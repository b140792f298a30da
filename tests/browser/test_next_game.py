"""The way from a table to the next game in which someone waits."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import NewGuest
from tests.browser.driver import assert_accessible, click_tokens, open_menu
from tests.browser.multiplayer import MINE, OTHER, seat_two_players

pytestmark = pytest.mark.browser


@pytest.fixture
def pages(new_guest: NewGuest) -> tuple[Page, Page]:
    """The pages of two players."""
    return new_guest(), new_guest()


def test_next_game_is_offered_after_a_move_and_by_the_key_n(pages: tuple[Page, Page]) -> None:
    ada, ben = pages
    first = seat_two_players(ada, ben)
    second = seat_two_players(ada, ben)
    next_game = ada.get_by_role("link", name=re.compile("Next game"))
    click_tokens(ada, "a1")
    ada.wait_for_selector(OTHER)
    expect(next_game).to_have_attribute("href", first)
    expect(next_game).to_have_text(re.compile("1"))
    assert_accessible(ada)
    open_menu(ada)
    ada.get_by_text("Keyboard shortcuts").click()
    expect(ada.get_by_text("next game where it is your turn")).to_be_visible()
    ada.keyboard.press("Escape")
    ada.keyboard.press("n")
    ada.wait_for_url(f"**{first}")
    ada.wait_for_selector(MINE)
    click_tokens(ada, "b2")
    ada.wait_for_selector(OTHER)
    # Nothing waits: Ben is to move in both.
    expect(next_game).to_have_count(0)
    ben.goto(second)
    ben.wait_for_selector(MINE)
    click_tokens(ben, "b2")
    ben.wait_for_selector(OTHER)
    # Ada looks at the page again.
    ada.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    expect(next_game).to_have_attribute("href", second)
