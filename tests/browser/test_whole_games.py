"""Whole games against the computer in the browser; the replayed record must give the same result."""

import pytest
from playwright.sync_api import Page, expect

from tests.browser.driver import (
    assert_recorded_result,
    fill_in_form,
    play_randomly,
    press_by_keyboard,
    press_by_touch,
    press_start,
    start_game,
)

pytestmark = pytest.mark.browser


@pytest.mark.ci
def test_squarin_off_with_teams_can_be_played_by_mouse(page: Page) -> None:
    fill_in_form(page, "squarin-off", "pccc", players=4, teams=True, cols=3, rows=3, blockers="1")
    press_start(page)
    play_randomly(page, 1)
    match = assert_recorded_result(page)
    assert match.game.options.parties == ((0, 2), (1, 3))
    # One team wins, or both draw.
    winners = match.outcome.winners if match.outcome else ()
    assert winners in {(0, 2), (1, 3), (0, 1, 2, 3)}


@pytest.mark.ci
def test_square_off_can_be_played_by_mouse(page: Page) -> None:
    start_game(page, "square-off", "pc", size=4)
    play_randomly(page, 2)
    assert_recorded_result(page)


@pytest.mark.ci
def test_squendo_with_three_seats_can_be_played_by_mouse(page: Page) -> None:
    start_game(page, "squendo", "pcc", players=3)
    play_randomly(page, 3)
    match = assert_recorded_result(page)
    # The record of the finished game has all seats and the deck that was hidden.
    assert match.game.seats == 3
    assert match.deck


def test_sqez_can_be_played_by_mouse(page: Page) -> None:
    start_game(page, "sqez", "pc", cols=7, rows=6)
    play_randomly(page, 4)
    assert_recorded_result(page)


@pytest.mark.ci
def test_square_off_can_be_played_by_keyboard_alone(page: Page) -> None:
    fill_in_form(page, "square-off", "pc", size=4)
    # From the top of the page, 80 times Tab are enough to reach the button.
    for _ in range(80):
        if page.evaluate("document.activeElement.innerText").strip() == "Start game":
            break
        page.keyboard.press("Tab")
    expect(page.locator(":focus")).to_contain_text("Start game")
    page.keyboard.press("Enter")
    play_randomly(page, 5, press_by_keyboard)
    assert_recorded_result(page)


@pytest.mark.ci
def test_squarin_off_can_be_played_by_keyboard_alone(page: Page) -> None:
    start_game(page, "squarin-off", "pc", cols=2, rows=2, blockers="1")
    play_randomly(page, 6, press_by_keyboard)
    assert_recorded_result(page)


def test_sqez_can_be_played_by_touch_on_a_phone(phone: Page) -> None:
    start_game(phone, "sqez", "pc", cols=6, rows=6)
    play_randomly(phone, 7, press_by_touch)
    assert_recorded_result(phone)


@pytest.mark.ci
def test_twelve_moves_of_squendo_can_be_played_by_touch_on_a_phone_without_scrolling_sideways(phone: Page) -> None:
    start_game(phone, "squendo", "pc")
    play_randomly(phone, 8, press_by_touch, until=12)
    assert phone.evaluate("document.documentElement.scrollWidth") <= 360
