"""Counting hidden points by tapping the final board, by mouse and by keyboard."""

import pytest
from playwright.sync_api import Page, expect

from tests.browser.driver import assert_accessible, click_tokens, start_game, wait_for_moves

pytestmark = pytest.mark.browser

# Three boxes in a row: Player 2 completes a1, and Player 1 then b1 and c1.
EDGES = ("a1b1", "b1c1", "c1d1", "a2b2", "b2c2", "c2d2", "a1a2", "b1b2", "d1d2", "c1c2")


def play_to_the_count(page: Page) -> None:
    """Play a game with hidden points to its end, at one table."""
    start_game(page, "dots-and-boxes", "pp", cols=3, rows=1, hide_points=True)
    for count, edge in enumerate(EDGES, 1):
        click_tokens(page, edge)
        wait_for_moves(page, count)
    expect(page.locator("#turn")).to_have_text("Count the points")


def test_tapped_boxes_are_counted_beside_the_name_and_compared_with_the_points(page: Page) -> None:
    play_to_the_count(page)
    boxes = page.locator(".count-area")
    expect(boxes).to_have_count(3)
    first, second = (page.get_by_label(f"Points of Player {number}", exact=True) for number in (1, 2))
    tallies = page.locator("#seats .tally")
    expect(tallies).to_have_count(0)
    # A number is asked for while there is none; then an empty field counts as 0.
    page.get_by_role("button", name="Check").click()
    expect(page.locator("#count input:invalid")).to_have_count(2)
    for count, name in enumerate(("a1", "b1"), 1):
        page.get_by_role("button", name=f"box {name}, 1 point").click()
        expect(first).to_have_value(str(count))
        expect(tallies).to_have_text([f"counted: {count}"])
    expect(page.locator("#count input:invalid")).to_have_count(0)
    box = page.get_by_role("button", name="box b1, 1 point")
    expect(box).to_have_attribute("aria-pressed", "true")
    # A second tap takes it back; for another player it is counted for that one.
    box.click()
    expect(box).to_have_attribute("aria-pressed", "false")
    expect(first).to_have_value("1")
    page.get_by_role("radio", name="Player 2").check()
    box.click()
    expect(second).to_have_value("1")
    assert_accessible(page)
    # What was tapped is still there after the page is loaded again.
    page.reload()
    expect(tallies).to_have_text(["counted: 1", "counted: 1"])
    expect(second).to_have_value("1")
    page.get_by_role("button", name="Check").click()
    answer = page.locator("#count-answer")
    for _ in range(2):
        expect(answer).to_contain_text(
            "Player 1 has 2, not 1. Missed: box b1 and box c1. Counted wrongly: box a1. "
            "Right: Player 2 has 1. Missed: box a1. Counted wrongly: box b1."
        )
        expect(page.locator(".count-missed")).to_have_accessible_name("box c1: missed")
        expect(page.locator(".count-wrong")).to_have_count(2)
        expect(page.locator(".count-area")).to_have_count(0)
        page.reload()


def test_boxes_are_counted_by_keyboard_and_what_was_counted_is_spoken(page: Page) -> None:
    play_to_the_count(page)
    page.get_by_role("radio", name="Player 2").check()
    boxes = page.locator(".count-area")
    boxes.first.focus()
    page.keyboard.press("ArrowRight")
    expect(boxes.nth(1)).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("#announcer")).to_contain_text("Box b1, counted for Player 2, 1.")
    expect(boxes.nth(1)).to_have_accessible_name("box b1, 1 point, Player 1’s, counted for Player 2")
    page.keyboard.press("Space")
    expect(page.locator("#announcer")).to_contain_text("Box b1, no longer counted for Player 2, 0.")


@pytest.mark.ci
def test_neither_earlier_positions_nor_words_tell_points_while_they_are_counted(page: Page) -> None:
    play_to_the_count(page)
    page.reload()
    expect(page.locator("#turn")).to_have_text("Count the points")
    wait_for_moves(page, len(EDGES))
    expect(page.locator("#moves")).not_to_contain_text("point")
    page.get_by_role("button", name="Previous move").click()
    expect(page.locator("#turn")).to_contain_text("After move")
    expect(page.locator("#seats .points")).to_have_count(0)
    expect(page.locator("#strip .strip-points")).to_have_count(0)
    # An earlier position is not the one to count on.
    expect(page.locator(".count-area")).to_have_count(0)
    page.get_by_role("button", name="Current position").click()
    expect(page.locator(".count-area")).to_have_count(3)
    page.get_by_role("button", name="Show the result").click()
    expect(page.locator("#turn")).to_contain_text("wins")
