"""The puzzle of the day: from the home page to a friend who is challenged; and what the home page costs."""

import pytest
from playwright.sync_api import Page, expect

from benchmarks.page_weight import weigh_page
from tests.browser.conftest import NewGuest
from tests.browser.driver import assert_good_looks
from tests.browser.test_puzzles import read_puzzle, solve, wait_for_state
from tests.waiting import wait_until

pytestmark = pytest.mark.browser
MOST_REQUESTS, MOST_BYTES, MOST_SHIFT = 20, 150_000, 0.02
OBSERVE_SHIFTS = """
window.shift = 0;
new PerformanceObserver((list) => {
  for (const entry of list.getEntries()) if (!entry.hadRecentInput) window.shift += entry.value;
}).observe({ type: "layout-shift", buffered: true });
"""


def test_puzzle_of_the_day_is_solved_from_the_home_page_and_a_friend_is_challenged(
    page: Page, new_guest: NewGuest
) -> None:
    page.goto("/")
    daily = page.locator(".daily")
    expect(daily.locator("svg.fc-board")).to_be_visible()
    daily.get_by_role("link", name="Solve it").click()
    wait_for_state(page, "open")
    solve(page, read_puzzle(page))
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


@pytest.mark.parametrize("width", [360, 1280])
def test_home_page_is_light_for_newcomers_and_those_who_return_and_does_not_jump(
    new_guest: NewGuest, width: int
) -> None:
    page = new_guest(viewport={"width": width, "height": 740}, reduced_motion="reduce")
    weight = weigh_page(page, "/")
    assert weight.requests <= MOST_REQUESTS and weight.bytes <= MOST_BYTES
    for game in ("Sqez", "Square Off", "Dots and Boxes"):
        page.goto("/")
        page.get_by_role("button", name=f"Play {game} against the computer").click()
        page.wait_for_selector("#play")
    page.add_init_script(OBSERVE_SHIFTS)
    page.goto("/", wait_until="networkidle")
    expect(page.locator(".running svg.fc-board")).to_have_count(3)
    expect(page.locator(".next-steps svg.fc-board")).to_have_count(3)
    wait_until(lambda: page.evaluate("document.fonts.status") == "loaded")
    assert page.evaluate("window.shift") <= MOST_SHIFT
