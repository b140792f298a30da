"""The form for a new game in a browser: what it shows while someone fills it in, and where errors appear."""

import re
from functools import partial

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.driver import assert_accessible, leave_page, wait_for_value
from tests.browser.multiplayer import MINE, OTHER

pytestmark = pytest.mark.browser
SIZES = [(360, 640), pytest.param((1280, 720), marks=pytest.mark.ci)]
"""The width and height of windows, in pixels."""


def choose_size(page: Page, name: str) -> None:
    """Choose a size by the value of its radio button."""
    page.locator(f'[name="board"][value="{name}"]').check()


def is_in_view(place: Locator) -> bool:
    """Return whether an element lies completely within the window."""
    inside: bool = place.evaluate(
        "element => [element.getBoundingClientRect()].every(({ top, bottom }) => top >= 0 && bottom <= innerHeight)"
    )
    return inside


def test_number_of_players_can_be_chosen_without_opening_the_options_and_gives_the_seats(page: Page) -> None:
    page.goto("/games/sqez")
    expect(page.locator("[data-seat]:visible")).to_have_count(2)
    page.locator(".players").get_by_role("radio", name="5").check()
    expect(page.locator("[data-seat]:visible")).to_have_count(5)
    assert not page.locator("details.options").evaluate("details => details.open")


def test_level_of_several_computers_is_explained_once(page: Page) -> None:
    page.goto("/games/squarin-off")
    page.locator(".players").get_by_role("radio", name="4").check()
    expect(page.locator("[data-level]:visible")).to_have_count(3)
    expect(page.locator("[data-level-help]:visible")).to_have_count(1)
    page.locator("[data-level]:visible").last.select_option("2")
    expect(page.locator("[data-level-help]:visible")).to_have_count(2)
    page.locator("[data-kind]").nth(1).select_option("person")
    expect(page.locator("[data-level-help]:visible")).to_have_count(2)


def test_open_seat_says_for_whom_it_is_open(page: Page) -> None:
    page.goto("/games/sqez")
    page.locator("[data-kind]").nth(1).select_option("open")
    note = page.locator("[data-open]:visible")
    for name, whom in (("Listed in the lobby", "in the lobby"), ("Invite link only", "with the link")):
        page.get_by_role("radio", name=name).check()
        # Only what can be seen, as `inner_text` returns it.
        wait_for_value(note.inner_text, f"anyone {whom}")


def test_lengths_of_the_sides_are_shown_only_for_a_custom_size(page: Page) -> None:
    page.goto("/games/sqez")
    expect(page.locator("#o-cols")).to_be_hidden()
    choose_size(page, "own")
    expect(page.locator("#o-cols")).to_be_visible()
    choose_size(page, "small")
    expect(page.locator("#o-cols")).to_be_hidden()


def test_error_is_shown_below_its_field_during_typing_and_goes_when_it_is_corrected(page: Page) -> None:
    page.goto("/games/sqez")
    choose_size(page, "own")
    reason = page.locator('[data-field="cols"] [data-reason]')
    page.locator("#o-cols").fill("99")
    expect(reason).to_contain_text("from 3 to 20")
    expect(reason).to_have_attribute("role", "alert")
    expect(page.locator("#o-cols")).to_have_attribute("aria-invalid", "true")
    expect(page.locator("#o-cols")).to_have_accessible_description(
        "Columns of dots. From 3 to 20. 99 is not allowed; it must be a whole number from 3 to 20."
    )
    box, field = reason.bounding_box(), page.locator("#o-cols").bounding_box()
    assert box is not None
    assert field is not None
    assert 0 <= box["y"] - (field["y"] + field["height"]) < 80
    assert_accessible(page)
    page.locator("#o-cols").fill("8")
    expect(reason).to_be_hidden()
    expect(page.locator("#o-cols")).not_to_have_attribute("aria-invalid", "true")


@pytest.mark.parametrize("size", SIZES)
def test_starting_with_a_known_error_scrolls_to_its_field_and_focuses_it(page: Page, size: tuple[int, int]) -> None:
    page.set_viewport_size({"width": size[0], "height": size[1]})
    page.goto("/games/sqez")
    choose_size(page, "own")
    page.locator("#o-cols").fill("99")
    expect(page.locator("#r-cols")).to_be_visible()
    page.get_by_role("button", name="Start game").click()
    expect(page.locator("#o-cols")).to_be_focused()
    for place in ("#o-cols", "#r-cols"):
        wait_for_value(partial(is_in_view, page.locator(place)), expected=True)
    assert page.url.endswith("/games/sqez")


@pytest.mark.parametrize("size", SIZES)
def test_error_that_the_server_finds_is_focused_in_view_and_the_form_keeps_what_was_typed(
    page: Page, size: tuple[int, int]
) -> None:
    page.set_viewport_size({"width": size[0], "height": size[1]})
    page.goto("/games/sqez")
    # The page cannot ask whether the form is right, as if the server had not answered yet.
    page.route("**/check", lambda route: route.abort())
    page.locator(".players").get_by_role("radio", name="5").check()
    page.locator("[name=name-0]").fill("Ada <b>")
    page.locator("[name=level-1]").select_option("time")
    page.locator("[name=seconds-1]").fill("99")
    with leave_page(page):
        page.get_by_role("button", name="Start game").click()
    expect(page.locator("[name=seconds-1]")).to_be_focused()
    wait_for_value(partial(is_in_view, page.locator("[name=seconds-1]")), expected=True)
    expect(page.locator("#r-seat-1")).to_contain_text("0.1 to 60 seconds per move")
    expect(page.locator("[name=name-0]")).to_have_value("Ada <b>")
    expect(page.locator("[data-seat]:visible")).to_have_count(5)


def test_error_in_closed_options_opens_them(page: Page) -> None:
    page.goto("/games/squarin-off")
    page.locator("details.options > summary").click()
    page.locator("#o-values").fill("12")
    expect(page.locator("#r-values")).to_be_visible()
    page.locator("details.options > summary").click()
    page.get_by_role("button", name="Start game").click()
    expect(page.locator("#o-values")).to_be_focused()


def test_a_rated_game_against_a_level_adapts_the_form_offers_no_help_and_changes_the_rating(page: Page) -> None:
    """What does not fit is named beside the box; the table says that it is rated, and the end what it was worth."""
    page.goto("/games/square-off")
    choose_size(page, "small")
    page.get_by_role("radio", name="Seats as listed").check()
    rated = page.get_by_role("checkbox", name="Rated game")
    rated.check()
    expect(page.locator("#clock")).to_have_value("600+5")
    expect(page.locator('[name="board"][value="standard"]')).to_be_checked()
    expect(page.locator('[name="who-begins"][value="random"]')).to_be_checked()
    choose_size(page, "small")
    expect(page.locator("#r-rated")).to_contain_text("standard board")
    assert_accessible(page)
    choose_size(page, "standard")
    expect(page.locator("#r-rated")).to_be_hidden()
    page.get_by_role("combobox", name="Computer level at seat 2").select_option("1")
    with leave_page(page):
        page.get_by_role("button", name="Start game").click()
    for _ in range(2):
        page.wait_for_selector(MINE)
        page.locator("#board .can").first.click()
    expect(page.locator(".stakes")).to_have_text("Rated · 10 min + 5 s")
    for name in ("Hint", "Undo", "Evaluation"):
        expect(page.get_by_role("button", name=name)).to_have_count(0)
    page.get_by_role("button", name="Resign").click()
    page.locator("#resign-ask .danger").click()
    expect(page.locator("#result-text .moved")).to_contain_text(re.compile("Your rating: 1[34]\\d\\d \\(−"))
    page.get_by_role("button", name="Rematch").click()
    page.wait_for_selector(f"{MINE}, {OTHER}")
    expect(page.locator(".stakes")).to_have_text("Rated · 10 min + 5 s")


def test_a_game_on_one_device_cannot_be_rated(page: Page) -> None:
    page.goto("/games/square-off")
    expect(page.get_by_role("checkbox", name="Rated game")).to_be_visible()
    page.get_by_role("combobox", name="Who plays seat 2").select_option("person")
    expect(page.get_by_role("checkbox", name="Rated game")).to_be_hidden()
