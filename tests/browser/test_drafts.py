"""What was typed or made on a page and not saved: a reload, and leaving by a link and coming back, lose nothing."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import NewGuest
from tests.browser.driver import wait_for_value
from tests.browser.multiplayer import create_table, seat_two_players
from tests.browser.test_analysis import open_board, play, wait_for_ply
from tests.browser.test_colours import read_choice
from tests.browser.test_counting import play_to_the_count
from tests.browser.test_entry import type_moves, wait_for_moves

pytestmark = pytest.mark.browser
FORBID_STORAGE = """
for (const name of ["localStorage", "sessionStorage"]) {
  Object.defineProperty(window, name, { get() { throw new DOMException("forbidden", "SecurityError"); } });
}
"""


def follow_a_link_and_go_back(page: Page) -> None:
    """Leave the page by a link, as a click would, and come back by the history."""
    address = page.url
    page.evaluate("document.querySelector('a[href=\"/learn\"]').click()")
    page.wait_for_url("**/learn")
    page.go_back()
    page.wait_for_url(address)


@pytest.fixture(params=["reload", "back"])
def leave(request: pytest.FixtureRequest) -> Callable[[Page], object]:
    """What leaves a page and comes to it again: a reload, or a link and Back."""
    return Page.reload if request.param == "reload" else follow_a_link_and_go_back


@pytest.mark.parametrize("is_forbidden", [False, True], ids=["storage", "no storage"])
def test_typed_game_stays(page: Page, leave: Callable[[Page], object], is_forbidden: bool) -> None:
    if is_forbidden:
        page.add_init_script(FORBID_STORAGE)
    page.goto("/enter?game=square-off&size=4")
    wait_for_moves(page, 0)
    type_moves(page, "a1", "b2", "c3")
    page.get_by_label("White", exact=True).fill("Ada")
    page.get_by_label("Date").fill("2026-11-23")
    page.get_by_label("Move 4").fill("d")
    leave(page)
    wait_for_moves(page, 3)
    expect(page.locator("#entered li")).to_have_count(3)
    expect(page.get_by_label("White", exact=True)).to_have_value("Ada")
    expect(page.get_by_label("Date")).to_have_value("2026-11-23")
    expect(page.get_by_label("Move 4")).to_have_value("d")
    expect(page.locator("#record")).to_have_value(re.compile("Ada"))
    # What was left with an empty field comes back with one.
    page.get_by_label("Move 4").fill("d4")
    page.keyboard.press("Enter")
    wait_for_moves(page, 4)
    leave(page)
    wait_for_moves(page, 4)
    expect(page.get_by_label("Move 5")).to_have_value("")


def test_typed_game_with_tiles_stays(page: Page, leave: Callable[[Page], object]) -> None:
    deck = " ".join(
        f"{colour}{pattern}{symbol}"
        for pattern in ("0", "1", "2a", "2o", "3", "4")
        for symbol in "ox"
        for colour in "RBG"
    )
    page.goto("/enter?game=squendo")
    page.get_by_label("Tiles in drawing order").fill(deck)
    page.keyboard.press("Tab")
    wait_for_moves(page, 0)
    page.get_by_label("Move 1").fill("R0o 0,0 r0")
    page.keyboard.press("Enter")
    wait_for_moves(page, 1)
    leave(page)
    wait_for_moves(page, 1)
    expect(page.get_by_label("Tiles in drawing order")).to_have_value(deck)


def test_game_that_is_begun_anew_is_empty(page: Page) -> None:
    page.goto("/enter?game=square-off&size=4")
    wait_for_moves(page, 0)
    type_moves(page, "a1")
    page.goto("/enter?game=square-off&size=4")
    wait_for_moves(page, 0)


def test_tree_and_an_unfinished_comment_of_an_analysis_stay(page: Page, leave: Callable[[Page], object]) -> None:
    open_board(page)
    play(page, "a1b1")
    play(page, "b1c1")
    page.keyboard.press("ArrowLeft")
    wait_for_ply(page, 1)
    play(page, "a2b2")
    page.get_by_label("Comment", exact=True).press_sequentially("Keeps the chain short.")
    leave(page)
    wait_for_ply(page, 2)
    expect(page.locator("#tree")).to_contain_text("b1c1")
    expect(page.locator("#tree")).to_contain_text("Keeps the chain short.")
    expect(page.locator("#tree [aria-current]")).to_contain_text("a2b2")


def test_analysis_stays_behind_another_one(page: Page) -> None:
    open_board(page)
    play(page, "a1b1")
    page.goto("/analysis/sqez")
    wait_for_ply(page, 0)
    page.goto("/learn")
    page.go_back()
    wait_for_ply(page, 0)
    page.go_back()
    wait_for_ply(page, 1)


def test_position_that_is_being_edited_stays(page: Page, leave: Callable[[Page], object]) -> None:
    open_board(page)
    page.keyboard.press("t")
    page.get_by_role("button", name="Edit the shown position").click()
    expect(page.locator("#editor-tools input").first).to_be_focused()
    before = page.locator("#analysis").get_attribute("data-draft")
    page.locator('#scene [data-token="a1b1"]').click()
    expect(page.locator("#analysis")).not_to_have_attribute("data-draft", before or "")
    draft = page.locator("#analysis").get_attribute("data-draft")
    leave(page)
    expect(page.locator("#editor")).to_be_visible()
    expect(page.locator("#analysis")).to_have_attribute("data-draft", draft or "")
    page.get_by_role("button", name="Cancel").click()
    leave(page)
    wait_for_ply(page, 0)
    expect(page.locator("#editor")).to_be_hidden()


def test_form_for_a_set_stays(page: Page, leave: Callable[[Page], object]) -> None:
    page.goto("/sets")
    page.get_by_label("Title").fill("Homework")
    page.get_by_label("Puzzles and positions").fill("dots-and-boxes/1\nsqez/2")
    leave(page)
    expect(page.get_by_label("Title")).to_have_value("Homework")
    expect(page.get_by_label("Puzzles and positions")).to_have_value("dots-and-boxes/1\nsqez/2")
    page.goto("/sets")
    expect(page.get_by_label("Title")).to_have_value("")


def test_forms_with_fields_of_the_same_name_keep_their_own(page: Page, leave: Callable[[Page], object]) -> None:
    page.goto("/games/dots-and-boxes/print")
    boards, puzzles = page.locator("form.print-form").all()
    puzzles.locator('input[name="paper"][value="letter"]').check(force=True)
    leave(page)
    expect(puzzles.locator('input[name="paper"]:checked')).to_have_value("letter")
    expect(boards.locator('input[name="paper"]:checked')).to_have_value("a4")


def test_form_for_a_table_stays(page: Page, leave: Callable[[Page], object]) -> None:
    page.goto("/games/squendo")
    page.locator('input[name="players"][value="4"]').check()
    expect(page.locator('[data-seat="3"]')).to_be_visible()
    page.locator('[data-place="0"] label').nth(3).click()
    wait_for_value(lambda: read_choice(page), ["Yellow", "Blue", "Green", "Red"])
    page.get_by_label("Who plays seat 3").select_option("person")
    page.get_by_label("Name at seat 3").fill("Cleo")
    leave(page)
    expect(page.locator('[data-seat="3"]')).to_be_visible()
    wait_for_value(lambda: read_choice(page), ["Yellow", "Blue", "Green", "Red"])
    expect(page.get_by_label("Name at seat 3")).to_have_value("Cleo")


def test_name_for_an_open_seat_and_a_message_stay(new_guest: NewGuest, leave: Callable[[Page], object]) -> None:
    ada, ben = new_guest(), new_guest()
    path = create_table(ada, "square-off", "po", **{"name-0": "Ada"})
    ben.goto(path)
    ben.get_by_label("Your name").fill("Benedict")
    leave(ben)
    expect(ben.get_by_label("Your name")).to_have_value("Benedict")
    seat_two_players(ada, ben, visibility="link", chat="free")
    ben.get_by_label("Message", exact=True).fill("Well pl")
    leave(ben)
    expect(ben.get_by_label("Message", exact=True)).to_have_value("Well pl")
    ben.get_by_label("Message", exact=True).fill("Well played!")
    ben.get_by_role("button", name="Send").click()
    expect(ben.get_by_label("Message", exact=True)).to_have_value("")
    leave(ben)
    expect(ben.locator("#talk")).to_contain_text("Well played!")
    expect(ben.get_by_label("Message", exact=True)).to_have_value("")


def test_points_that_were_typed_stay(page: Page, leave: Callable[[Page], object]) -> None:
    play_to_the_count(page)
    first = page.get_by_label("Points of Player 1", exact=True)
    first.fill("2")
    leave(page)
    expect(first).to_have_value("2")


def test_names_of_guests_stay_and_passwords_do_not(page: Page, leave: Callable[[Page], object]) -> None:
    page.goto("/account")
    page.locator("#f-new-name").fill("Gwendolyn")
    page.locator("#f-new-password").fill("correct horse")
    leave(page)
    expect(page.locator("#f-new-name")).to_have_value("Gwendolyn")
    assert "correct horse" not in str(page.evaluate("JSON.stringify(history.state)"))


def test_text_to_open_in_the_analysis_stays(page: Page, leave: Callable[[Page], object]) -> None:
    page.goto("/analysis")
    page.locator("#text").fill("fourcorners record 1")
    leave(page)
    expect(page.locator("#text")).to_have_value("fourcorners record 1")
