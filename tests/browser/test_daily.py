"""The puzzle of the day: from the home page to a friend who is challenged."""

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import NewGuest
from tests.browser.driver import assert_good_looks
from tests.browser.test_lessons import type_move
from tests.browser.test_puzzles import read_puzzle, wait_for_state

pytestmark = pytest.mark.browser


def test_puzzle_of_the_day_is_solved_from_the_home_page_and_a_friend_is_challenged(
    page: Page, new_guest: NewGuest
) -> None:
    page.goto("/")
    daily = page.locator(".daily")
    expect(daily.locator("svg.fc-board")).to_be_visible()
    daily.get_by_role("link", name="Solve it").click()
    wait_for_state(page, "open")
    type_move(page, read_puzzle(page).best[0])
    wait_for_state(page, "done")
    expect(page.locator("#streak")).to_have_text("Your streak: 1 day.")
    page.goto("/")
    expect(daily).to_contain_text("Your streak: 1 day")
    expect(daily).to_contain_text("Solved")
    assert_good_looks(page)
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    daily.get_by_role("button", name="Challenge a friend").click()
    expect(daily.get_by_role("status")).to_have_text("Copied.")
    link = str(page.evaluate("navigator.clipboard.readText()"))
    friend = new_guest()
    friend.goto(link)
    wait_for_state(friend, "open")
    expect(friend.locator(".challenge")).to_have_text("A friend challenges you: can you solve it?")
    assert_good_looks(friend)
