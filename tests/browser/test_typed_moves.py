"""Typing moves on the board page, in place of pointing at them."""

import pytest
from playwright.sync_api import Page, expect

from fourcorners.study.puzzles.format import list_puzzles
from tests.browser.driver import open_menu, start_game, wait_for_moves

pytestmark = pytest.mark.browser


def test_a_game_is_played_by_typing_alone(page: Page) -> None:
    start_game(page, "square-off", "pp", size=4, swap=False)
    page.keyboard.press("m")
    expect(page.get_by_label("Type a move")).to_be_focused()
    page.keyboard.type("a1")
    page.keyboard.press("Enter")
    wait_for_moves(page, 1)
    # The field keeps the focus, so that the next move can be typed at once.
    page.keyboard.type(" a1 ")
    page.keyboard.press("Enter")
    expect(page.locator("#status")).to_contain_text("a1 is not free")
    expect(page.get_by_label("Type a move")).to_have_value(" a1 ")
    page.keyboard.press("Control+a")
    page.keyboard.type("zz")
    page.keyboard.press("Enter")
    expect(page.locator("#status")).to_contain_text("zz")
    page.keyboard.press("Control+a")
    page.keyboard.type("b2")
    page.keyboard.press("Enter")
    wait_for_moves(page, 2)


def test_a_typed_move_is_confirmed_like_any_other(page: Page) -> None:
    start_game(page, "square-off", "pp", size=4, swap=False)
    open_menu(page)
    page.get_by_label("Confirm each move").check()
    page.get_by_label("Type a move").fill("c3")
    page.keyboard.press("Enter")
    page.get_by_role("button", name="Confirm").click()
    wait_for_moves(page, 1)


def test_moves_are_typed_in_capitals_everywhere(page: Page) -> None:
    start_game(page, "square-off", "pp", size=4, swap=False)
    page.get_by_label("Type a move").fill("C3")
    page.keyboard.press("Enter")
    wait_for_moves(page, 1)
    # What is refused is refused for the same reason as in small letters.
    page.get_by_label("Type a move").fill("C3")
    page.keyboard.press("Enter")
    expect(page.locator("#status")).to_contain_text("c3 is not free")
    page.goto("/enter?game=sqez")
    page.get_by_label("Move 1").fill("B2 E5 F6 H8")
    page.keyboard.press("Enter")
    page.wait_for_selector('#entry[data-moves="2"]')
    expect(page.locator("#entered")).to_contain_text("b2 e5")
    page.goto("/analysis/sqez")
    expect(page.locator("#analysis")).to_have_attribute("data-ply", "0")
    page.get_by_label("Type a move").fill("B2 E5")
    page.keyboard.press("Enter")
    expect(page.locator("#tree")).to_contain_text("b2 e5")
    puzzle = next(puzzle for puzzle in list_puzzles("squendo") if not puzzle.later)
    page.goto(f"/puzzles/{puzzle.name}")
    page.wait_for_selector('#exercise[data-state="open"]')
    page.get_by_label("Type a move").fill(puzzle.best[0].upper())
    page.keyboard.press("Enter")
    page.wait_for_selector('#exercise[data-state="done"]')
