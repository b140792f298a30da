"""Rulebooks: figures to step through, with and without scripts, the look of pictures, and counting hidden points."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import NewGuest
from tests.browser.driver import (
    assert_accessible,
    assert_good_looks,
    click_tokens,
    fill_in_form,
    press_start,
    start_game,
    wait_for_moves,
    wait_for_value,
)

pytestmark = pytest.mark.browser


def test_figures_are_stepped_through_by_mouse_and_keyboard_and_keep_their_place(page: Page) -> None:
    page.goto("/games/square-off")
    figure = page.locator("figure.example", has_text="Two threats at once")
    figure.scroll_into_view_if_needed()
    image, sentence = figure.locator("img:visible"), figure.locator(".steps li:visible")
    expect(sentence).to_have_text("The marked cell looks harmless.")
    first, next_button = image.get_attribute("src"), figure.get_by_role("button", name="Next step")
    before = figure.bounding_box()
    next_button.click()
    expect(sentence).to_contain_text("three white men wait for d2")
    expect(image).to_have_count(1)
    expect(image).not_to_have_attribute("src", first or "")
    expect(image).to_have_attribute("alt", re.compile("free"))
    next_button.press("Enter")
    expect(figure.get_by_text("Step 3 of 4")).to_be_visible()
    figure.get_by_role("button", name="Previous step").press("Space")
    expect(sentence).to_contain_text("three white men wait for d2")
    assert before is not None
    top = "image => image.getBoundingClientRect().top"
    wait_for_value(lambda: figure.locator("img:visible").evaluate(top), before["y"])


@pytest.mark.ci
def test_rulebooks_with_figures_are_accessible_and_not_wider_than_the_window(page: Page) -> None:
    for game in ("squarin-off", "dots-and-boxes", "square-off", "sqez"):
        page.goto(f"/games/{game}")
        page.get_by_role("button", name="Next step").first.click()
        assert_good_looks(page)


def test_without_scripts_figures_show_their_first_picture_and_all_sentences(new_guest: NewGuest) -> None:
    page = new_guest(java_script_enabled=False)
    page.goto("/games/square-off")
    figure = page.locator("figure.example", has_text="Two threats at once")
    assert figure.locator('img[data-step="0"]:visible').count() == 1
    assert figure.locator("img:visible").count() == 1
    assert figure.locator(".steps li:visible").count() == 4
    assert figure.get_by_role("button", include_hidden=False).count() == 0


@pytest.mark.ci
def test_the_look_of_the_paper_is_remembered_for_board_and_pictures(page: Page) -> None:
    page.goto("/games/sqez")
    page.locator(".display summary").click()
    page.get_by_label("Graph paper").check()
    expect(page.locator("figure.example img:visible").first).to_have_attribute("src", re.compile("look=graph-paper"))
    start_game(page, "sqez", "pp")
    grid = page.locator("#board .sq-grid").first
    expect(grid).not_to_have_css("stroke", "none")
    page.locator(".display summary").click()
    page.get_by_label("Typewriter").check()
    expect(grid).to_have_css("stroke", "none")
    page.goto("/games/square-off")
    assert page.get_by_label("Typewriter").count() == 0


@pytest.mark.ci
@pytest.mark.parametrize("path", ["/games/squendo", "/puzzles", "/lobby"])
def test_covers_and_figures_follow_the_board_colours_until_the_default_is_chosen_again(page: Page, path: str) -> None:
    page.goto(path)
    pictures, contrast = 'main img[src^="/games/"]', '[src*="palette=high-contrast"]'
    # The games of other tests come and go in the lobby, so their number is not known.
    for label, missing in (("High contrast", f":not({contrast})"), ("Default", contrast)):
        page.locator(".display summary").click()
        page.get_by_label(label, exact=True).check()
        page.keyboard.press("Escape")
        for reload in (False, True):
            if reload:
                page.reload()
            expect(page.locator(pictures).first).to_be_attached()
            expect(page.locator(pictures + missing)).to_have_count(0)


def test_covers_that_are_drawn_in_the_home_page_follow_the_board_colours(page: Page) -> None:
    read = "[...document.querySelectorAll('.game-card .fc-board *')].map((part) => getComputedStyle(part).fill).join()"
    page.goto("/")
    usual = page.evaluate(read)
    page.locator(".display summary").click()
    page.get_by_label("High contrast", exact=True).check()
    wait_for_value(lambda: page.evaluate(read) == usual, expected=False)
    page.reload()
    wait_for_value(lambda: page.evaluate(read) == usual, expected=False)
    page.locator(".display summary").click()
    page.get_by_label("Default", exact=True).check()
    wait_for_value(lambda: page.evaluate(read), usual)


@pytest.mark.ci
def test_hidden_points_are_counted_on_the_board_before_the_result_is_shown(page: Page) -> None:
    fill_in_form(page, "dots-and-boxes", "pp", cols=2, rows=1)
    page.get_by_label("Hide points until the end").check()
    press_start(page)
    for count, edge in enumerate(("a1b1", "b1c1", "a2b2", "b2c2", "a1a2", "c1c2", "b1b2"), 1):
        expect(page.locator(".points, .strip-points, .score-line")).to_have_count(0)
        click_tokens(page, edge)
        wait_for_moves(page, count)
    expect(page.locator("#turn")).to_have_text("Count the points")
    expect(page.locator("#result-margin")).to_have_text("")
    expect(page.locator("#seats .points")).to_have_count(0)
    expect(page.locator("#board .decisive")).not_to_have_count(0)
    expect(page.locator("#board .decisive:visible")).to_have_count(0)
    assert_accessible(page)
    page.get_by_label("Points of Player 1", exact=True).fill("1")
    page.get_by_label("Points of Player 2", exact=True).fill("0")
    page.get_by_role("button", name="Check").click()
    expect(page.locator("#count-answer")).to_have_text("Player 1 has 2, not 1. Right: Player 2 has 0.")
    # The fields have gone: the focus is at the result, which is spoken.
    expect(page.locator("#result")).to_be_focused()
    expect(page.locator("#announcer")).to_contain_text("Right: Player 2 has 0.Player 1 wins 2 : 0.")
    expect(page.locator("#turn")).to_have_text("Player 1 wins 2 : 0")
    expect(page.locator("#board .decisive:visible")).not_to_have_count(0)
    page.reload()
    expect(page.locator("#turn")).to_have_text("Player 1 wins 2 : 0")
