"""A game from paper in a browser: typed by keyboard, corrected, saved, opened, and drawn."""

import re
import time
from itertools import pairwise

import pytest
from playwright.sync_api import Page, Route, expect

import fourcorners as fc
from tests.browser.driver import assert_good_looks

pytestmark = pytest.mark.browser


def wait_for_moves(page: Page, count: int) -> None:
    """Wait until the server has answered about this many moves."""
    page.wait_for_selector(f'#entry[data-moves="{count}"]', timeout=30_000)


def type_moves(page: Page, *moves: str, before: int = 0) -> None:
    """Type moves by keyboard alone, after this many."""
    for number, move in enumerate(moves, before + 1):
        page.keyboard.type(move)
        page.keyboard.press("Enter")
        wait_for_moves(page, number)


def test_typed_game_is_corrected_saved_and_opened(page: Page) -> None:
    page.goto("/enter?game=square-off&size=4")
    wait_for_moves(page, 0)
    type_moves(page, "a1", "b2", "a1")
    expect(page.locator("#feedback")).to_contain_text("Move 3: a1 is not free")
    expect(page.get_by_label("Correct move 3")).to_be_focused()
    page.keyboard.type("d1")
    page.keyboard.press("Enter")
    expect(page.get_by_label("Move 4")).to_be_focused()
    page.get_by_role("button", name="2, b2").click()
    page.keyboard.type("c3")
    page.keyboard.press("Enter")
    expect(page.locator("#entered")).to_contain_text("c3")
    page.get_by_label("White", exact=True).fill("Ada")
    page.get_by_label("Date").fill("2026-11-23")
    page.keyboard.press("Enter")
    header = 'game: square-off\noptions: {"size": 4}\nseats: ["Ada", "Black"]\ndate: 2026-11-23\nresult: running'
    record = f"fourcorners record 1\n{header}\n\n1 0 a1\n2 1 c3\n3 0 d1\n"
    expect(page.locator("#record")).to_have_value(record)
    page.get_by_role("button", name="Save and open").click()
    page.wait_for_url("**/play/*")
    expect(page.locator("#moves")).to_contain_text("d1")
    page.get_by_label("Menu").click()
    page.get_by_text("Picture or PDF").click()
    with page.expect_download() as download:
        page.get_by_role("link", name="PNG").click()
    assert download.value.path().read_bytes().startswith(b"\x89PNG")


def answer_late(route: Route) -> None:
    """Let a question reach the server after a while."""
    time.sleep(0.3)
    route.continue_()


def test_name_that_was_typed_last_is_saved(page: Page) -> None:
    page.goto("/enter?game=square-off&size=4")
    wait_for_moves(page, 0)
    type_moves(page, "a1", "b2")
    page.get_by_label("White", exact=True).fill("Ada")
    # The answer to the name takes a while, and the press comes before it.
    page.route("**/api/entries", answer_late)
    page.get_by_label("Black", exact=True).fill("Ben")
    page.get_by_role("button", name="Save and open").click()
    page.wait_for_url("**/play/*")
    expect(page.locator("#seats")).to_contain_text("Ada")
    expect(page.locator("#seats")).to_contain_text("Ben")


def test_pictures_are_of_the_shown_position_in_the_colours_of_the_page_and_stay_on_a_phone(phone: Page) -> None:
    phone.goto("/enter?game=square-off&size=4")
    wait_for_moves(phone, 0)
    phone.get_by_label("Move 1").fill("1. a1 2. b2 d1")
    phone.get_by_role("button", name="Enter", exact=True).click()
    wait_for_moves(phone, 3)
    phone.get_by_role("button", name="Save and open").click()
    phone.wait_for_url("**/play/*")
    expect(phone.locator("#moves li")).to_have_count(3)
    phone.get_by_role("button", name="Previous move").click()
    expect(phone.locator("#scene")).to_have_class(re.compile("past"))
    phone.get_by_label("Menu").click()
    phone.get_by_text("Picture or PDF").click()
    link = phone.get_by_role("link", name="SVG")
    expect(link).to_have_attribute("href", re.compile(r"picture\.svg\?ply=2&theme=light$"))
    expect(phone.locator("#pictures-help")).to_contain_text("after move 2")
    for button in phone.locator("#pictures a").all():
        expect(button).to_be_in_viewport(ratio=1)
    with phone.expect_download() as download:
        link.click()
    svg = download.value.path().read_text(encoding="utf-8")
    assert "b2" in svg
    assert svg != phone.request.get(str(link.get_attribute("href")).replace("ply=2", "ply=3")).text()


def test_hidden_tiles_are_asked_for_first_and_nothing_is_wrong_before_something_is_typed(page: Page) -> None:
    page.goto("/enter?game=squendo&players=2")
    expect(page.get_by_label("Tiles in drawing order")).to_be_focused()
    assert not page.locator("#feedback").inner_text()
    expect(page.get_by_placeholder("Red")).to_be_visible()
    page.get_by_label("Move 1").fill("R0o 0,0")
    page.get_by_role("button", name="Enter", exact=True).click()
    expect(page.locator("#feedback")).to_contain_text("Type the tiles in drawing order first")
    expect(page.get_by_label("Tiles in drawing order")).to_be_focused()
    match = fc.Match(fc.game("squendo", players=2), seed=1)
    # A record has the deck once the game is over.
    ended = fc.Match(match.game, seed=1)
    ended.resign(0)
    tiles = ended.record().deck
    page.keyboard.type(" ".join(tiles))
    page.get_by_label("Move 1").focus()
    wait_for_moves(page, 0)
    expect(page.locator("#feedback")).to_have_text("")
    move = match.position.moves()[0]
    page.get_by_label("Move 1").fill(move)
    page.keyboard.press("Enter")
    wait_for_moves(page, 1)
    expect(page.locator("#entered")).to_contain_text(move)


def test_a_long_list_of_moves_can_be_pasted(page: Page) -> None:
    page.goto("/enter?game=dots-and-boxes&cols=10&rows=10")
    wait_for_moves(page, 0)
    columns = "abcdefghijk"
    moves = [f"{a}{row}{b}{row}" for row in range(1, 9) for a, b in pairwise(columns)]
    page.get_by_label("Move 1").fill("; ".join(moves))
    page.keyboard.press("Enter")
    wait_for_moves(page, len(moves))


def test_moves_are_made_on_the_board_as_well(page: Page) -> None:
    page.goto("/enter?game=square-off&size=4")
    wait_for_moves(page, 0)
    page.locator('#scene [data-token="b2"]').click()
    wait_for_moves(page, 1)
    expect(page.locator("#entered")).to_contain_text("b2")


def test_a_wrong_move_of_a_line_is_replaced_alone_and_nothing_is_asked_for_after_the_end(page: Page) -> None:
    page.goto("/enter?game=square-off&size=4")
    wait_for_moves(page, 0)
    page.keyboard.type("a1 b2 a1 c3 resign")
    page.keyboard.press("Enter")
    field = page.get_by_label("Correct move 3")
    expect(field).to_have_value("a1 c3 resign")
    # Only the wrong move is selected.
    page.keyboard.type("d1")
    expect(field).to_have_value("d1 c3 resign")
    page.keyboard.press("Enter")
    wait_for_moves(page, 5)
    expect(page.locator("#feedback")).to_have_text("The game is over. Black wins: White resigned.")
    expect(field).to_be_hidden()
    expect(page.get_by_label("White", exact=True)).to_be_focused()
    page.get_by_role("button", name="2, b2").click()
    expect(page.get_by_label("Correct move 2")).to_be_focused()


@pytest.mark.ci
def test_pages_are_accessible_and_fit(page: Page) -> None:
    for path in ("/enter", "/enter?game=square-off&size=4", "/games/square-off/print"):
        page.goto(path)
        assert_good_looks(page)


def test_the_link_of_a_game_is_pasted_in_place_of_its_moves(page: Page) -> None:
    match = fc.Match(fc.game("square-off", size=4), ["Ada", "Ben"])
    for move in ("a1", "b2", "c3"):
        match.play(move)
    page.goto("/")
    answer = page.request.post("/records", form={"record": str(match.record())}, max_redirects=0)
    link = page.url.rstrip("/") + answer.headers["location"]
    page.goto("/enter?game=square-off&size=4")
    wait_for_moves(page, 0)
    page.get_by_label("Move 1").fill(link)
    expect(page.get_by_label("Move 1")).to_have_attribute("aria-invalid", "false")
    page.keyboard.press("Enter")
    wait_for_moves(page, 3)
    expect(page.locator("#entered button")).to_have_text(["a1", "b2", "c3"])
    page.goto("/enter?game=square-off&size=6")
    wait_for_moves(page, 0)
    page.get_by_label("Move 1").fill(link)
    page.keyboard.press("Enter")
    expect(page.locator("#feedback")).to_contain_text("choose that game first")
