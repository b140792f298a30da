"""Hands, keys and ears: arrow keys, confirming, slips, tiles that are laid, and what screen readers hear."""

import pytest
from playwright.sync_api import Page, expect

from tests.browser.driver import (
    READY,
    click_tokens,
    locate_token,
    open_menu,
    read_moves,
    start_game,
    wait_for_moves,
)

pytestmark = pytest.mark.browser
KEYS = {"L": "ArrowLeft", "R": "ArrowRight", "U": "ArrowUp", "D": "ArrowDown"}


def press_arrows(page: Page, keys: str) -> str | None:
    """Press arrow keys, by their first letters, and return the token of the element that has the focus then."""
    for key in keys:
        page.keyboard.press(KEYS[key])
    token: str | None = page.evaluate("document.activeElement.dataset.token")
    return token


def expect_frame(page: Page) -> None:
    """Expect the element with the focus to be framed where it is, and the frame to be inside the picture."""
    assert page.evaluate("""() => {
        const [frame, node, board] = [document.querySelector(".focus-frame"), document.activeElement,
            document.querySelector("#board")].map((each) => each.getBoundingClientRect());
        return Math.hypot(frame.x + frame.width / 2 - node.x - node.width / 2, frame.y - node.y) < 12
            && frame.width >= 9 && frame.height >= 9 && frame.left >= board.left - 1 && frame.right <= board.right + 1
            && frame.top >= board.top - 1 && frame.bottom <= board.bottom + 1;
    }""")


@pytest.mark.parametrize(
    ("game", "start", "walks"),
    [
        (
            "dots-and-boxes",
            "a1b1",
            {"RRRR": "e1f1", "UUUUUUUUUU": "e6f6", "LLLL": "a6b6", "D": "a5a6", "R": "b5b6", "DD": "b4b5", "U": "a5b5"},
        ),
        ("square-off", "d4", {"UU": "d6", "RRR": "g6", "DDDD": "g2", "LLLUU": "d4"}),
        ("sqez", "c3", {"RRRRR": "h3", "UUUU": "h7", "LLLLLDDDD": "c3"}),
    ],
)
def test_arrow_keys_keep_column_and_row_and_the_focus_is_framed(
    page: Page, game: str, start: str, walks: dict[str, str]
) -> None:
    start_game(page, game, "pp")
    page.keyboard.press("Tab")
    page.locator(f'#board [data-token="{start}"]').focus()
    for keys, token in walks.items():
        assert press_arrows(page, keys) == token
        expect_frame(page)


def test_waiting_move_is_confirmed_by_enter_the_same_place_and_no_more_asking(page: Page) -> None:
    start_game(page, "dots-and-boxes", "pp", cols=3, rows=3)
    open_menu(page)
    page.get_by_label("Confirm each move").check()
    page.locator("#menu > summary").click()
    status = page.locator("#status")
    click_tokens(page, "a1b1")
    expect(status).to_have_text("Play a1b1?")
    wait_for_moves(page, 0)
    page.keyboard.press("Enter")
    wait_for_moves(page, 1)
    click_tokens(page, "b1c1")
    expect(status).to_have_text("Play b1c1?")
    click_tokens(page, "b1c1")
    wait_for_moves(page, 2)
    click_tokens(page, "c1d1")
    expect(status).to_have_text("Play c1d1?")
    open_menu(page)
    page.get_by_label("Confirm each move").uncheck()
    wait_for_moves(page, 3)
    page.locator("#menu > summary").click()
    click_tokens(page, "a2b2")
    wait_for_moves(page, 4)
    assert read_moves(page) == ["a1b1", "b1c1", "c1d1", "a2b2"]


def test_keyboard_stays_at_the_board_after_a_button_has_gone(page: Page) -> None:
    start_game(page, "dots-and-boxes", "pp", cols=3, rows=3)
    open_menu(page)
    page.get_by_label("Confirm each move").check()
    page.locator("#menu > summary").click()
    page.keyboard.press("Tab")
    page.locator('#board [data-token="b2c2"]').focus()
    page.keyboard.press("Enter")
    page.get_by_role("button", name="Cancel").press("Enter")
    expect(page.locator('#board [data-token="b2c2"]')).to_be_focused()
    expect_frame(page)


def test_tap_on_a_dot_and_a_press_that_slides_away_play_nothing(page: Page, phone: Page) -> None:
    for each in (page, phone):
        start_game(each, "dots-and-boxes", "pp", cols=3, rows=3)
        edge = each.locator('#board [data-token="b2c2"]').bounding_box()
        assert edge is not None
        dot = edge["x"] + 1, edge["y"] + edge["height"] / 2
        if each is phone:
            each.touchscreen.tap(*dot)
        else:
            each.mouse.click(*dot)
            each.mouse.move(*locate_token(each, "a1b1"))
            each.mouse.down()
            each.mouse.move(*locate_token(each, "c1d1"), steps=4)
            each.mouse.up()
        # This edge does not meet the dot.
        click_tokens(each, "c3d3")
        wait_for_moves(each, 1)
        assert read_moves(each) == ["c3d3"]


def test_chosen_tile_lies_on_its_place_and_the_first_hand_is_explained(page: Page) -> None:
    start_game(page, "squendo", "pc")
    expect(page.locator("#explanation")).to_contain_text("tiles of all colours")
    open_menu(page)
    page.get_by_label("Confirm each move").check()
    page.locator("#menu > summary").click()
    page.locator("#tray .can").first.click()
    place = page.locator("#board .can").first
    place.click()
    laid = page.locator("#board .laid")
    expect(laid).to_have_count(1)
    expect(page.locator(".ghost")).to_have_count(0)
    here, there = laid.bounding_box(), place.bounding_box()
    assert here is not None
    assert there is not None
    assert abs(here["x"] + here["width"] / 2 - there["x"] - there["width"] / 2) < there["width"] / 5
    assert abs(here["y"] + here["height"] / 2 - there["y"] - there["height"] / 2) < there["width"] / 5
    page.get_by_role("button", name="Cancel").click()
    expect(laid).to_have_count(0)


def test_after_a_blocker_the_edges_are_named_and_the_first_string_explains_blockers(page: Page) -> None:
    start_game(page, "squarin-off", "pp", cols=3, rows=3, blockers="1")
    edges = ("a1b1", "b1c1", "c1d1", "a2b2", "b2c2")
    for count, token in enumerate(edges, 1):
        click_tokens(page, token)
        wait_for_moves(page, count)
    click_tokens(page, "c2d2")
    wait_for_moves(page, 6)
    expect(page.locator("#explanation")).to_contain_text("Three boxes form a string")
    page.locator('#tray [data-gesture="carry"]').click()
    click_tokens(page, "#b1")
    expect(page.locator("#status")).to_have_text("Now a stick beside it: b1–\u2060b2 or c1–\u2060c2.")
    expect(page.locator(".ghost")).to_have_count(0)
    click_tokens(page, "b1b2")
    wait_for_moves(page, 7)


def test_own_captures_and_the_score_are_announced(page: Page) -> None:
    start_game(page, "dots-and-boxes", "pp", cols=2, rows=1)
    for count, token in enumerate(("a1b1", "a2b2", "a1a2", "b1b2"), 1):
        click_tokens(page, token)
        wait_for_moves(page, count)
    announcer = page.locator("#announcer")
    expect(announcer).to_contain_text("Player 2 drew b1–b2 and completed one box.")
    expect(announcer).to_contain_text("Score: Player 1: 0, Player 2: 1.")


_NAMELESS = """() => [...document.querySelectorAll("svg, img, canvas, [role=img]")].filter((node) => {
    const isHidden = node.closest("[aria-hidden=true], [hidden], dialog:not([open]), defs") || !node.checkVisibility();
    const isNamed = ["aria-label", "aria-labelledby"].some((name) => node.getAttribute(name)) || node.alt;
    const isDecoration = node.alt === "" && node.hasAttribute("alt") || node.parentNode.closest("svg, [role=img]");
    return !isHidden && !isNamed && !isDecoration;
}).map((node) => node.outerHTML.slice(0, 120))"""
"""Lists the pictures that screen readers meet without a name."""


@pytest.mark.parametrize(
    "path",
    ["/", "/games/squendo", "/learn", "/puzzles", "/puzzles/sqez/daily", "/analysis/square-off", "/ladder", "/lobby"],
)
def test_pictures_and_boards_have_names(page: Page, path: str) -> None:
    page.goto(path)
    page.wait_for_load_state("networkidle")
    assert page.evaluate(_NAMELESS) == []


def test_board_and_hand_at_a_table_have_names(page: Page) -> None:
    start_game(page, "squendo", "pc")
    assert page.evaluate(_NAMELESS) == []
    page.locator("#tray .can").first.click()
    page.locator("#board :is(.can, .can-turned)").first.click()
    page.wait_for_selector(READY)
    assert page.evaluate(_NAMELESS) == []


_COUNT_SHIFTS = """() => {
    window.shift = 0;
    const count = (list) => {
        for (const each of list.getEntries()) window.shift += each.hadRecentInput ? 0 : each.value;
    };
    new PerformanceObserver(count).observe({type: "layout-shift", buffered: true});
}"""
"""Adds up, from the first frame on, how far things jump that no one has moved."""


@pytest.mark.parametrize("game", ["squarin-off", "squendo", "sqez"])
def test_nothing_jumps_on_a_phone_when_a_table_opens(phone: Page, game: str) -> None:
    phone.add_init_script(f"({_COUNT_SHIFTS})()")
    start_game(phone, game, "pc")
    phone.reload()
    phone.wait_for_selector(READY)
    expect(phone.locator("#bar button:visible")).not_to_have_count(0)
    assert phone.evaluate("new Promise(requestAnimationFrame).then(() => window.shift)") <= 0.02


def test_nothing_jumps_on_a_phone_that_waits_for_an_opponent(phone: Page) -> None:
    phone.add_init_script(f"({_COUNT_SHIFTS})()")
    form = {"who-begins": "order", "seat-0": "person", "seat-1": "open"}
    answer = phone.request.post("/games/square-off", form=dict(form), max_redirects=0)
    phone.goto(answer.headers["location"])
    expect(phone.get_by_text("The game starts when every seat is taken.")).to_be_visible()
    assert phone.evaluate("new Promise(requestAnimationFrame).then(() => window.shift)") <= 0.02


def test_big_buttons_of_the_home_page_stay_on_a_phone(phone: Page) -> None:
    phone.goto("/")
    for name in ("Choose a game", "Find an opponent"):
        expect(phone.get_by_role("link", name=name, exact=True)).to_be_in_viewport(ratio=1)
