"""The session of a newcomer, from the first game to the first notification: what visitors do, one after the other."""

import re
from typing import Any

import pytest
from playwright.sync_api import Page, expect

import fourcorners as fc
from tests.browser.conftest import NewGuest, Server
from tests.browser.driver import (
    TIMEOUT_MS,
    assert_recorded_result,
    click_tokens,
    open_menu,
    play_randomly,
    start_game,
    wait_for_value,
)
from tests.browser.multiplayer import MINE, OTHER, OVER, seat_two_players
from tests.browser.pushes import deliver, install, list_shown, subscribe_by_script
from tests.browser.test_puzzles import read_puzzle, solve, wait_for_state
from tests.web.push_service import PushService

pytestmark = [pytest.mark.browser, pytest.mark.ci]
SMALL: dict[str, dict[str, Any]] = {
    "squarin-off": {"cols": 2, "rows": 2, "blockers": "1"},
    "dots-and-boxes": {"cols": 2, "rows": 2},
    "square-off": {"size": 4},
    "squendo": {},
    "sqez": {"cols": 6, "rows": 6},
}
MOST_GAMES = 8
PERMISSIONS = ["clipboard-read", "clipboard-write", "notifications"]


def lose(page: Page) -> None:
    """Play at random against a level that sees what it can take until a game is lost."""
    for seed in range(MOST_GAMES):
        start_game(page, "dots-and-boxes", "pc", level=9, cols=3, rows=3)
        play_randomly(page, seed)
        if re.search("You lost|you lose", page.locator("#result-text").inner_text(), re.IGNORECASE):
            return
    raise AssertionError(f"a random player has lost none of {MOST_GAMES} games")


def test_newcomer_plays_reviews_solves_teaches_is_rated_and_is_told_of_a_turn(
    new_guest: NewGuest, push_server: Server, service: PushService
) -> None:
    page = new_guest(push_server.url, service_workers="allow", permissions=PERMISSIONS)
    subscribe_by_script(page, service.subscribe("ben"))
    install(page)

    # Every game to its end.
    assert set(SMALL) == set(fc.games())
    for seed, (game, options) in enumerate(SMALL.items()):
        start_game(page, game, "pc", **options)
        play_randomly(page, seed)
        assert_recorded_result(page)

    # A lost game: two presses to the reason of a mistake, long before all moves are judged.
    lose(page)
    page.get_by_role("button", name="Review this game").click()
    mistake = page.locator(".mistakes a[data-ply]").first
    expect(mistake).to_contain_text("You", timeout=4 * TIMEOUT_MS)
    mistake.click()
    expect(page.locator("#shown-title")).to_contain_text("You")
    expect(page.locator('.stage [value="better"]')).to_have_count(1, timeout=4 * TIMEOUT_MS)
    expect(page.locator(".told p").first).to_contain_text(re.compile("[a-z]"))

    # A puzzle, and a friend who is challenged.
    page.goto("/")
    daily = page.locator(".daily")
    daily.get_by_role("link", name="Solve it").click()
    wait_for_state(page, "open")
    solve(page, read_puzzle(page))
    page.goto("/")
    daily.get_by_role("button", name="Challenge a friend").click()
    expect(daily.get_by_role("status")).to_have_text("Copied.")
    friend = new_guest(push_server.url)
    friend.goto(str(page.evaluate("navigator.clipboard.readText()")))
    expect(friend.locator(".challenge")).to_contain_text("challenges you: can you solve it?")

    # A set for pupils.
    page.goto("/sets")
    page.get_by_label("Title").fill("Homework")
    page.get_by_role("button", name="Add all 10").click()
    page.get_by_role("button", name="Create set").click()
    expect(page.get_by_label("For your pupils")).to_have_value(re.compile("/sets/"))

    # A rated game against a level.
    page.goto("/games/square-off")
    page.get_by_role("checkbox", name="Rated game").check()
    page.get_by_role("button", name="Start game").click()
    page.wait_for_selector(f"{MINE}, {OTHER}")
    for _ in range(2):
        page.wait_for_selector(MINE)
        page.locator("#board .can").first.click()
    page.get_by_role("button", name="Resign").click()
    page.locator("#resign-ask .danger").click()
    page.wait_for_selector(OVER)
    expect(page.locator("#result-text .moved")).to_contain_text("Your rating")

    # A notification while the table is closed, which leads back to it.
    path = seat_two_players(friend, page)
    open_menu(page)
    page.get_by_role("switch", name="Notify me when it is my turn").check()
    expect(page.get_by_text("In all your games, even while this site is closed.")).to_be_visible()
    page.goto("/about")
    click_tokens(friend, "a1")
    friend.wait_for_selector(OTHER)
    wait_for_value(lambda: len(service.messages), 1)
    message = service.messages[0][1]
    deliver(page, message)
    wait_for_value(lambda: list_shown(page), [["Your turn: Square Off against Ada", path]])
    page.goto(path)
    page.wait_for_selector(MINE)
