"""The analysis board in a browser: variations, comments, the engine, the editor, sharing and embedding."""

import json
import re
from io import BytesIO

import pytest
from PIL import Image
from playwright.sync_api import Page, Route, expect

import fourcorners as fc
from tests.browser.conftest import NewGuest
from tests.browser.driver import assert_good_looks, click_tokens, press_by_keyboard

pytestmark = pytest.mark.browser
BOARD = "/analysis/dots-and-boxes?cols=2&rows=2&board=own"


def open_board(page: Page, address: str = BOARD) -> None:
    """Open an analysis board, and wait until it shows its position."""
    page.goto(address)
    wait_for_ply(page, 0)


def wait_for_ply(page: Page, ply: int) -> None:
    """Wait until the board shows the position after this many moves."""
    expect(page.locator("#analysis")).to_have_attribute("data-ply", str(ply))


def play(page: Page, move: str) -> None:
    """Make a move on the board, and wait until it is the current one."""
    click_tokens(page, *move.split(" "))
    expect(page.locator("#tree [aria-current]")).to_contain_text(move)


def test_a_variation_with_a_comment_is_shared_and_opened_in_another_browser(page: Page, new_guest: NewGuest) -> None:
    open_board(page)
    for move in ("a1b1", "b1c1"):
        play(page, move)
    page.keyboard.press("ArrowLeft")
    wait_for_ply(page, 1)
    play(page, "a2b2")
    page.get_by_label("Comment", exact=True).fill("Keeps the chain short.")
    page.get_by_role("button", name="Good move").click()
    page.locator("#menu > summary").click()
    page.get_by_role("button", name="Share", exact=True).click()
    page.get_by_role("button", name="Create a link").click()
    expect(page.locator("#share-link")).to_be_visible()
    link = page.locator("#share-link").input_value()
    other = new_guest()
    other.goto(link)
    wait_for_ply(other, 2)
    other.keyboard.press("Home")
    wait_for_ply(other, 0)
    variation = other.locator("#tree .variation")
    expect(variation).to_contain_text("a2b2")
    expect(variation).to_contain_text("Keeps the chain short.")
    expect(variation).to_contain_text("!")
    variation.get_by_role("button").click()
    wait_for_ply(other, 2)
    expect(other.locator('#scene [data-token="a2b2"]')).to_have_class("so-e last new")
    other.goto(link.replace("/analysis/shared/", "/embed/"))
    wait_for_ply(other, 2)
    other.get_by_role("button", name="Previous move").click()
    wait_for_ply(other, 1)
    expect(other.get_by_role("link", name="Open on the analysis board")).to_be_visible()


def test_a_link_and_an_embed_open_at_the_shown_move_with_its_marks_and_values(page: Page, new_guest: NewGuest) -> None:
    open_board(page, "/analysis/dots-and-boxes?cols=2&rows=1")
    for move in ("a1b1", "b1c1", "a2b2"):
        play(page, move)
    page.keyboard.press("ArrowLeft")
    wait_for_ply(page, 2)
    play(page, "b2c2")
    page.get_by_label("Comment", exact=True).fill("Four edges are left.")
    page.get_by_role("button", name="Circle").click()
    click_tokens(page, "a2b2")
    page.get_by_role("button", name="Values").click()
    badges = page.locator(".worths text")
    expect(badges).to_have_count(4, timeout=120_000)
    said = page.locator("#verdict-sentence").inner_text()
    shown = badges.all_text_contents()
    page.locator("#menu > summary").click()
    page.get_by_role("button", name="Share", exact=True).click()
    expect(page.locator("#share-where")).to_have_text("It opens at move 3, with Values.")
    page.get_by_role("button", name="Create a link").click()
    link = page.locator("#share-link").input_value()
    other = new_guest()
    asked: list[str] = []
    other.on("request", lambda request: asked.append(request.url))
    other.goto(link)
    wait_for_ply(other, 3)
    expect(other.locator("#tree [aria-current]")).to_contain_text("b2c2")
    expect(other.locator(".worths text")).to_have_text(shown)
    expect(other.locator("#verdict-sentence")).to_have_text(said)
    expect(other.locator(".marks-layer").first).to_be_attached()
    assert not any("/values" in url for url in asked)
    other.goto(link.replace("/analysis/shared/", "/embed/"))
    wait_for_ply(other, 3)
    expect(other.locator(".worths text")).to_have_text(shown)
    expect(other.locator("#verdict")).to_have_text(said)
    expect(other.locator("#tree")).to_contain_text("Four edges are left.")
    other.get_by_role("button", name="Previous move").click()
    wait_for_ply(other, 2)
    expect(other.locator(".worths text")).to_have_count(0)
    expect(other.locator("#verdict")).to_be_empty()


def test_a_move_is_judged_on_a_phone_right_after_its_comment_was_typed(page: Page) -> None:
    page.set_viewport_size({"width": 360, "height": 800})
    open_board(page)
    play(page, "a1b1")
    page.get_by_label("Comment", exact=True).fill("Keeps the chain short.")
    page.get_by_role("button", name="Good move").click()
    expect(page.locator("#tree")).to_contain_text("!")
    expect(page.locator("#tree")).to_contain_text("Keeps the chain short.")


def test_an_embedded_viewer_shows_the_hand_below_the_board(page: Page) -> None:
    page.set_viewport_size({"width": 720, "height": 520})
    shared = page.request.post("/api/analyses", data={"game": "squendo", "nodes": [{"depth": 0}]})
    page.goto(shared.json()["embed"])
    wait_for_ply(page, 0)
    board, tray = page.locator("#board > svg").bounding_box(), page.locator("#tray > svg").bounding_box()
    assert board is not None and tray is not None
    assert board["y"] + board["height"] <= tray["y"] and tray["y"] + tray["height"] < 520
    hand = page.locator("#tray [data-token]")
    expect(hand).to_have_count(4)
    for tile in hand.all():
        expect(tile.locator("use").first).to_be_visible()
        box = tile.bounding_box()
        assert box is not None and min(box["width"], box["height"]) > 30


@pytest.mark.parametrize(("kind", "selector"), [("link", "#board"), ("embed", "#board"), ("embed", ".embed-link")])
def test_nothing_jumps_when_the_scripts_have_come(page: Page, kind: str, selector: str) -> None:
    nodes = [{"depth": 0, "comment": "The start."}]
    address = page.request.post("/api/analyses", data={"game": "squendo", "nodes": nodes}).json()[kind]
    page.route(re.compile("/(analysis|embed)-[A-Z0-9]+\\.js"), lambda route: route.abort())
    page.goto(address)
    before = page.locator(selector).bounding_box()
    page.unroute_all()
    page.reload()
    wait_for_ply(page, 0)
    assert page.locator(selector).bounding_box() == before


def test_an_embedded_viewer_names_the_colours_that_the_seats_have_after_a_swap(page: Page) -> None:
    moves = ("b2", "swap", "c3", "d4")
    nodes = [{"depth": 0}, *({"depth": depth, "move": move} for depth, move in enumerate(moves, 1))]
    shared = page.request.post("/api/analyses", data={"game": "square-off", "nodes": nodes})
    page.goto(shared.json()["embed"])
    wait_for_ply(page, 0)
    steps = [
        ("1. White placed a white man on b2.", "white"),
        ("2. Black swapped and took over the white man.", "black"),
        ("3. Black placed a black man on c3.", "black"),
        ("4. White placed a white man on d4.", "black"),
    ]
    for words, colour_of_first_seat in steps:
        page.get_by_role("button", name="Next move").click()
        expect(page.locator("#announcer p").last).to_have_text(words)
        expect(page.locator("#analysis")).to_have_attribute(
            "style", re.compile(f"--seat-0: var\\(--seat-{colour_of_first_seat},")
        )


@pytest.mark.ci
def test_the_engine_finds_lines_that_can_be_played(page: Page) -> None:
    # Two boxes are proven in time even on a busy machine.
    open_board(page, BOARD.replace("rows=2", "rows=1"))
    page.get_by_role("switch", name="Engine").click()
    line = page.locator("#engine-lines li").first
    expect(line).to_be_visible()
    expect(page.locator("#engine")).to_have_attribute("data-state", "done")
    expect(line.locator(".exact")).to_be_visible()
    line.get_by_role("button").nth(1).click()
    wait_for_ply(page, 2)
    page.get_by_role("button", name="Values").click()
    expect(page.locator("#scene .worths .worth").first).to_be_visible()


@pytest.mark.ci
def test_all_works_by_keyboard_and_answers_are_spoken(page: Page) -> None:
    open_board(page)
    spoken = page.locator("#announcer")
    page.keyboard.press("m")
    page.keyboard.type("a1b1")
    page.keyboard.press("Enter")
    wait_for_ply(page, 1)
    expect(spoken).to_contain_text("drew a1–b1")
    page.keyboard.press("Tab")
    page.evaluate("document.activeElement.blur()")
    press_by_keyboard(page, page.query_selector('#scene [data-token="b1c1"]'))  # type: ignore[arg-type]
    wait_for_ply(page, 2)
    page.evaluate("document.activeElement.blur()")
    page.keyboard.press("5")
    expect(page.locator("#tree [aria-current]")).to_contain_text("?")
    page.keyboard.press("x")
    wait_for_ply(page, 1)
    page.keyboard.press("u")
    wait_for_ply(page, 2)
    current = page.locator("#tree [aria-current]")
    current.focus()
    page.keyboard.press("ArrowLeft")
    wait_for_ply(page, 1)
    expect(current).to_be_focused()
    page.keyboard.press("ArrowRight")
    wait_for_ply(page, 2)
    page.keyboard.press("x")
    wait_for_ply(page, 1)
    expect(current).to_be_focused()
    page.keyboard.press("u")
    wait_for_ply(page, 2)
    expect(current).to_be_focused()
    page.keyboard.press("b")
    expect(spoken).to_contain_text("free edges")
    page.keyboard.press("?")
    expect(page.get_by_role("dialog", name="Commands")).to_contain_text("Read the position")


def test_the_shown_position_is_saved_as_a_picture_with_its_marks_and_the_line_as_an_animation(page: Page) -> None:
    open_board(page)
    play(page, "a1b1")
    page.get_by_role("button", name="Circle").click()
    click_tokens(page, "b1c1")
    page.locator("#menu > summary").click()
    page.get_by_text("Picture or PDF").click()
    files = {}
    for kind in ("SVG", "GIF", "PDF"):
        with page.expect_download() as download:
            page.get_by_role("button", name=kind, exact=True).click()
        assert download.value.suggested_filename == f"dots-and-boxes-analysis.{kind.lower()}"
        files[kind] = download.value.path().read_bytes()
    assert b'aria-label="circle b1c1"' in files["SVG"]
    assert getattr(Image.open(BytesIO(files["GIF"])), "n_frames", 1) == 2
    assert files["PDF"].startswith(b"%PDF-")
    expect(page.locator("#pictures-said")).to_have_text("Saved.")


def test_a_board_whose_next_position_is_loading_takes_no_moves(page: Page) -> None:
    nodes = [{"depth": 0}, {"depth": 1, "move": "a1b1"}]
    options = {"cols": 2, "rows": 2}
    shared = page.request.post("/api/analyses", data={"game": "dots-and-boxes", "options": options, "nodes": nodes})
    held: list[Route] = []

    def hold(route: Route) -> None:
        """Hold what asks for the position after the first move; it may be asked for twice."""
        if json.loads(route.request.post_data or "")["moves"] == ["a1b1"]:
            held.append(route)
        else:
            route.continue_()

    page.route("**/api/analysis/board", hold)
    open_board(page, shared.json()["link"])
    expect(page.locator("#board .can")).not_to_have_count(0)
    page.get_by_role("button", name="Next move").click()
    expect(page.locator("#scene")).to_have_attribute("aria-busy", "true")
    expect(page.locator("#board .can")).to_have_count(0)
    click_tokens(page, "a2b2")
    for route in held:
        route.continue_()
    wait_for_ply(page, 1)
    expect(page.locator("#scene")).to_have_attribute("aria-busy", "false")
    expect(page.locator("#tree .tree-move")).to_have_count(1)


def test_keys_of_the_tree_do_nothing_in_the_position_editor(page: Page) -> None:
    open_board(page)
    play(page, "a1b1")
    page.keyboard.press("t")
    page.get_by_role("button", name="Edit the shown position").click()
    expect(page.locator("#editor-tools input").first).to_be_focused()
    page.evaluate("document.activeElement.blur()")
    for key in ("x", "1", "e", "v", "c", "ArrowLeft"):
        page.keyboard.press(key)
    page.get_by_role("button", name="Cancel").click()
    wait_for_ply(page, 1)
    expect(page.locator("#tree .tree-move")).to_have_text("11a1b1")
    expect(page.get_by_role("switch", name="Engine")).not_to_be_checked()
    expect(page.get_by_role("button", name="Values")).to_have_attribute("aria-pressed", "false")


def test_focus_returns_to_what_opened_the_position_editor(page: Page) -> None:
    open_board(page)
    page.locator("#menu > summary").click()
    page.get_by_role("button", name="Set up a position").click()
    page.get_by_role("button", name="Edit the shown position").click()
    expect(page.locator("#editor-tools input").first).to_be_focused()
    page.get_by_role("button", name="Cancel").click()
    expect(page.locator("#menu > summary")).to_be_focused()


def test_the_position_is_copied_where_the_clipboard_is_closed_to_pages(page: Page) -> None:
    page.add_init_script("Object.defineProperty(navigator, 'clipboard', { value: undefined })")
    open_board(page)
    play(page, "a1b1")
    page.locator("#menu > summary").click()
    page.get_by_role("button", name="Copy position").click()
    expect(page.locator("#note")).to_contain_text("Copied.")
    page.get_by_label("Type a move").focus()
    page.keyboard.press("ControlOrMeta+V")
    position = page.locator("#analysis").get_attribute("data-position")
    expect(page.get_by_label("Type a move")).to_have_value(str(position))


@pytest.mark.ci
def test_a_reload_loses_nothing(page: Page) -> None:
    open_board(page)
    play(page, "a1b1")
    page.reload()
    wait_for_ply(page, 1)
    expect(page.locator("#tree")).to_contain_text("a1b1")


@pytest.mark.ci
@pytest.mark.parametrize("name", fc.games())
def test_a_position_of_each_game_is_edited_and_analysed(page: Page, name: str) -> None:
    open_board(page, f"/analysis/{name}")
    page.keyboard.press("t")
    page.get_by_role("button", name="Edit the shown position").click()
    expect(page.locator("#editor-tools input").first).to_be_focused()
    page.locator("#editor-tools label").last.click()
    choice = page.locator("#choices button").last
    expect(choice).to_be_visible()
    page.get_by_role("button", name="Analyse this position").click()
    wait_for_ply(page, 0)
    expect(page.locator("#editor")).to_be_hidden()
    assert "position=" in page.url


@pytest.mark.ci
def test_the_pages_are_accessible_and_fit_the_window(page: Page) -> None:
    for address in ("/analysis", BOARD, "/analysis/squendo"):
        page.goto(address)
        if address != "/analysis":
            wait_for_ply(page, 0)
        assert_good_looks(page)
    page.keyboard.press("t")
    page.get_by_role("button", name="Edit the shown position").click()
    expect(page.locator("#editor-tools input").first).to_be_focused()
    assert_good_looks(page)
