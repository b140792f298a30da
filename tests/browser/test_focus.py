"""Where the focus goes at a board, and what it looks like: never like a piece or a last move."""

import pytest
from playwright.sync_api import Page, expect

from fourcorners.study.puzzles.format import Puzzle, list_puzzles
from tests.browser.conftest import NewGuest
from tests.browser.driver import READY, TIMEOUT_MS, click_tokens, start_game, wait_for_moves
from tests.browser.test_lessons import type_move
from tests.browser.test_puzzles import GAME, find_wrong_move, wait_for_another_page, wait_for_state

pytestmark = pytest.mark.browser
GAMES = ("squarin-off", GAME, "square-off", "squendo", "sqez")
LOOK = """
node => JSON.stringify([node, ...node.querySelectorAll("*")].map((part) => {
  const style = getComputedStyle(part);
  return ["fill", "stroke", "strokeWidth", "strokeDasharray", "opacity", "color", "filter", "visibility", "display"]
    .map((name) => style[name]);
}))
"""
"""Reads what an element of the picture looks like, with everything in it."""


def expect_no_piece_in_focus(page: Page) -> None:
    """Expect the focus to be at the scene, and nothing on it to be marked as the place of the keyboard."""
    expect(page.locator("#scene")).to_be_focused()
    expect(page.locator("#scene :is(:focus-visible, .focus-frame)")).to_have_count(0)


def press(page: Page, name: str) -> None:
    """Press a button with a finger where the page has touch, and otherwise by mouse."""
    button = page.get_by_role("button", name=name, exact=True)
    if page.evaluate("navigator.maxTouchPoints"):
        button.tap()
    else:
        button.click()


def pass_puzzles(page: Page, puzzle: Puzzle) -> None:
    """Try a puzzle again, have it solved, and go on to the next one, without the keyboard."""
    page.goto(f"/puzzles/{puzzle.name}")
    wait_for_state(page, "open")
    type_move(page, find_wrong_move(puzzle))
    wait_for_state(page, "wrong")
    press(page, "Try again")
    wait_for_state(page, "open")
    expect_no_piece_in_focus(page)
    press(page, "Show me")
    wait_for_state(page, "done")
    before = page.url
    press(page, "Next puzzle")
    wait_for_another_page(page, before)
    wait_for_state(page, "open")
    expect_no_piece_in_focus(page)


@pytest.mark.parametrize("game", GAMES)
def test_next_puzzle_by_mouse_marks_nothing_on_the_board(page: Page, game: str) -> None:
    pass_puzzles(page, list_puzzles(game)[2])


def test_next_puzzle_by_touch_marks_nothing_on_the_board(phone: Page) -> None:
    pass_puzzles(phone, list_puzzles(GAME)[2])


def test_set_that_a_pupil_begins_marks_nothing_on_the_board(page: Page, new_guest: NewGuest) -> None:
    page.goto("/sets")
    page.get_by_label("Title").fill("Homework")
    page.get_by_label("Puzzles and positions").fill(list_puzzles(GAME)[0].name)
    page.get_by_role("button", name="Create set").click()
    pupil = new_guest()
    pupil.goto(page.get_by_label("For your pupils").input_value())
    pupil.get_by_label("Your name").fill("Cleo")
    pupil.get_by_role("button", name="Begin").click()
    wait_for_state(pupil, "open")
    expect_no_piece_in_focus(pupil)


@pytest.mark.parametrize("game", GAMES)
def test_element_that_the_keyboard_is_at_keeps_its_look_and_is_framed(page: Page, game: str) -> None:
    page.goto(f"/puzzles/{list_puzzles(game)[0].name}")
    wait_for_state(page, "open")
    page.keyboard.press("Tab")
    for node in page.locator("#board [data-token]").all()[:40:5]:
        before = node.evaluate(LOOK)
        node.focus()
        assert node.evaluate("node => node.matches(':focus-visible')")
        assert node.evaluate(LOOK) == before
        expect(page.locator("#board .focus-frame")).to_have_count(1)
        node.evaluate("node => node.blur()")
        expect(page.locator("#board .focus-frame")).to_have_count(0)


def test_home_board_marks_nothing_when_it_begins_again(page: Page) -> None:
    page.goto("/")
    page.locator("#play-again").evaluate("button => { button.closest('#next').hidden = false; }")
    page.get_by_role("button", name="Play again").click()
    expect_no_piece_in_focus(page)


def test_moves_by_mouse_leave_nothing_marked(page: Page) -> None:
    start_game(page, "squarin-off", "pp", cols=3, rows=3)
    for count, token in enumerate(("a1b1", "b2b3", "c1c2"), 1):
        page.wait_for_selector(READY, timeout=TIMEOUT_MS)
        click_tokens(page, token)
        wait_for_moves(page, count)
        expect(page.locator("#scene :is(:focus-visible, .focus-frame)")).to_have_count(0)


def test_arrow_keys_step_through_the_game_after_a_move_by_mouse(page: Page) -> None:
    start_game(page, "squarin-off", "pp", cols=3, rows=3)
    page.wait_for_selector(READY, timeout=TIMEOUT_MS)
    click_tokens(page, "a1b1")
    wait_for_moves(page, 1)
    page.locator("#scene").evaluate("scene => scene.focus()")
    page.keyboard.press("ArrowLeft")
    expect(page.locator("#scene.past")).to_be_visible()
