"""Help for players: hints, the evaluation bar, and the strength of the computer."""

import re

import pytest
from playwright.sync_api import BrowserContext, Page, expect

import fourcorners as fc
from tests.browser.conftest import open_page
from tests.browser.driver import (
    READY,
    TIMEOUT_MS,
    assert_accessible,
    click_tokens,
    start_game,
    wait_for_moves,
)

pytestmark = pytest.mark.browser
# On 2 × 1 boxes, after which the player to move takes both.
ENDGAME = ["a1b1", "b1c1", "a2b2", "b2c2", "a1a2"]


def play_remaining(page: Page, *moves: str) -> None:
    """Play those of these moves (edges) that are not in the list yet, the earlier ones being the same."""
    for count in range(page.locator("#moves li").count(), len(moves)):
        click_tokens(page, moves[count])
        wait_for_moves(page, count + 1)


def wait_for_evaluation(page: Page) -> None:
    """Wait until the evaluation bar is visible and up to date; fail after 30 seconds."""
    expect(page.locator("#evaluation")).to_be_visible()
    expect(page.locator("#evaluation")).not_to_have_class(re.compile("old"), timeout=TIMEOUT_MS)


def test_a_hint_is_shown_until_the_position_changes(page: Page) -> None:
    """Or until the key H, which asks for it as well; it is given as text, by marks on the board and as a label."""
    start_game(page, "dots-and-boxes", "pp", cols=2, rows=1)
    play_remaining(page, *ENDGAME)
    page.get_by_role("button", name="Hint").click()
    expect(page.locator("#hint-text strong")).to_be_visible(timeout=TIMEOUT_MS)
    move = page.inner_text("#hint-text strong")
    position = fc.game("dots-and-boxes", cols=2, rows=1).replay(ENDGAME)
    # Only one of the two moves takes a box.
    assert move == "b1b2"
    assert move in position.moves()
    expect(page.locator("#board .hint-marks .over")).to_have_count(1)
    expect(page.locator("#board .hint-marks .star")).to_have_count(1)
    label = page.locator(f'#board [data-token="{move}"]')
    expect(label).to_have_attribute("aria-label", re.compile("; the hint$"))
    assert_accessible(page)
    page.keyboard.press("h")
    expect(page.locator("#advice")).to_be_hidden()
    expect(page.locator(".hint-marks")).to_have_count(0)
    expect(label).not_to_have_attribute("aria-label", re.compile("hint"))
    page.keyboard.press("h")
    expect(page.locator(".hint-marks")).to_have_count(1, timeout=TIMEOUT_MS)
    click_tokens(page, move)
    wait_for_moves(page, len(ENDGAME) + 1)
    expect(page.locator("#advice")).to_be_hidden()
    expect(page.locator(".hint-marks")).to_have_count(0)
    # There are no hints for earlier positions.
    page.get_by_label("Previous move").click()
    expect(page.get_by_role("button", name="Hint")).to_be_disabled()


def test_the_evaluation_bar_is_shown_on_request_and_follows_the_shown_position(page: Page) -> None:
    start_game(page, "dots-and-boxes", "pp", cols=2, rows=1)
    expect(page.locator("#evaluation")).to_be_hidden()
    button = page.get_by_role("button", name="Evaluation")
    button.click()
    play_remaining(page, *ENDGAME)
    expect(page.locator("#evaluation-text")).to_contain_text("Player 2 wins by 2 with best play.", timeout=TIMEOUT_MS)
    meter = page.get_by_role("meter", name="Expected result")
    expect(meter).to_have_attribute("aria-valuetext", "Player 2 wins by 2 with best play.")
    # The share of the first player, who loses for certain.
    expect(meter).to_have_attribute("aria-valuenow", "0")
    wait_for_evaluation(page)
    assert_accessible(page)
    page.get_by_label("First position").click()
    wait_for_evaluation(page)
    expect(meter).not_to_have_attribute("aria-valuetext", "")
    # From the first position the game is a draw.
    expect(meter).not_to_have_attribute("aria-valuetext", "Player 2 wins by 2 with best play.")
    page.get_by_label("Current position").click()
    play_remaining(page, *ENDGAME, "b1b2", "c1c2")
    expect(page.locator("#evaluation-text")).to_have_text("Player 2 wins 2 : 0.", timeout=TIMEOUT_MS)


def test_the_choice_of_the_evaluation_bar_is_remembered_on_other_pages(page: Page, context: BrowserContext) -> None:
    start_game(page, "dots-and-boxes", "pp", cols=2, rows=1)
    page.get_by_role("button", name="Evaluation").click()
    again = open_page(context)
    start_game(again, "dots-and-boxes", "pp", cols=2, rows=1)
    expect(again.locator("#evaluation")).to_be_visible()
    again.get_by_role("button", name="Evaluation").click()
    again.reload()
    again.wait_for_selector("#board svg")
    expect(again.locator("#evaluation")).to_be_hidden()


def test_hints_and_evaluations_with_hidden_hands_wait_until_the_curtain_is_lifted(page: Page) -> None:
    start_game(page, "squendo", "pp")
    page.get_by_role("button", name="Evaluation").click()
    expect(page.locator("#evaluation-text")).to_contain_text("Only the seat to move can see", timeout=TIMEOUT_MS)
    expect(page.get_by_role("button", name="Hint")).to_be_disabled()
    page.locator("#curtain button").click()
    expect(page.locator("#evaluation-text")).to_contain_text("of 100 games", timeout=TIMEOUT_MS)
    expect(page.get_by_role("button", name="Hint")).to_be_enabled()


def test_the_form_explains_the_levels_of_the_computer_and_an_invalid_time(page: Page) -> None:
    page.goto("/games/square-off")
    level = page.get_by_label("Computer level at seat 2")
    shown = page.locator("#level-help-1")
    for option in level.locator("option").all():
        level.select_option(option.get_attribute("value"))
        expect(shown).to_have_text(option.get_attribute("data-help") or "no help")
    seconds = page.get_by_label("Computer seconds per move at seat 2")
    # The last option is a time per move.
    expect(seconds).to_be_visible()
    seconds.fill("99")
    error = page.locator("#r-seat-1")
    expect(error).to_contain_text("0.1 to 60 seconds per move")
    expect(seconds).to_have_attribute("aria-invalid", "true")
    assert_accessible(page)
    # A decimal comma is accepted as well.
    seconds.fill("2,5")
    expect(error).to_be_hidden()


def test_the_computer_gets_seconds_per_move_and_shows_its_progress(page: Page) -> None:
    page.goto("/games/square-off")
    page.get_by_label("Computer level at seat 2").select_option("time")
    page.get_by_label("Computer seconds per move at seat 2").fill("2.5")
    page.get_by_label("Seats as listed").check()
    page.get_by_role("button", name="Start game").click()
    page.wait_for_selector(READY)
    expect(page.locator(".who").nth(1)).to_contain_text("2.5 s per move")
    page.locator("#board .can").first.click()
    bar = page.get_by_role("progressbar")
    expect(bar).to_be_visible()
    expect(page.locator("#seats .thinking").nth(1)).to_have_text(re.compile("[0-9]+%"))
    assert_accessible(page)
    wait_for_moves(page, 2)
    expect(bar).to_be_hidden()
