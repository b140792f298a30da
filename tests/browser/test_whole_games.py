"""Whole games against the computer, in the browser, to their end; the record then gives the same result."""

import pytest
from playwright.sync_api import Page

from tests.browser.driver import by_keyboard, by_touch, check_result, play_on, set_up

pytestmark = pytest.mark.browser


def test_squarin_off_with_teams_by_mouse(page: Page) -> None:
    set_up(page, "squarin-off", "pccc", players=4, teams=True, cols=3, rows=3, blockers="1")
    play_on(page, 1)
    match = check_result(page)
    assert match.game.options.parties == ((0, 2), (1, 3))
    winners = match.outcome.winners if match.outcome else ()
    assert winners in {(0, 2), (1, 3), (0, 1, 2, 3)}


def test_square_off_by_mouse(page: Page) -> None:
    set_up(page, "square-off", "pc", size=4)
    play_on(page, 2)
    check_result(page)


def test_squendo_with_three_seats_by_mouse(page: Page) -> None:
    set_up(page, "squendo", "pcc", players=3)
    play_on(page, 3)
    match = check_result(page)
    assert match.game.seats == 3
    assert match.deck


def test_sqez_by_mouse(page: Page) -> None:
    set_up(page, "sqez", "pc", cols=7, rows=6)
    play_on(page, 4)
    check_result(page)


def test_square_off_by_keyboard_alone(page: Page) -> None:
    set_up(page, "square-off", "pc", press_start=False, size=4)
    for _ in range(60):
        if page.evaluate("document.activeElement.textContent").strip() == "Start the game":
            break
        page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    play_on(page, 5, by_keyboard)
    check_result(page)


def test_squarin_off_by_keyboard_alone(page: Page) -> None:
    set_up(page, "squarin-off", "pc", cols=2, rows=2, blockers="1")
    play_on(page, 6, by_keyboard)
    check_result(page)


def test_sqez_by_touch_on_a_phone(phone: Page) -> None:
    set_up(phone, "sqez", "pc", cols=6, rows=6)
    play_on(phone, 7, by_touch)
    check_result(phone)


def test_squendo_by_touch_on_a_phone(phone: Page) -> None:
    set_up(phone, "squendo", "pc")
    play_on(phone, 8, by_touch, until=12)
    assert phone.evaluate("document.documentElement.scrollWidth") <= 360
