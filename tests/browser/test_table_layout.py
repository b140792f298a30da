"""Where things are on the table page: nothing moves during a game, and what belongs together is visible together."""

import itertools
import re
from functools import partial
from typing import Any

import pytest
from playwright.sync_api import BrowserContext, FloatRect, Page, expect

import fourcorners as fc
from tests.browser.conftest import NewGuest, open_page
from tests.browser.driver import (
    READY,
    TIMEOUT_MS,
    assert_accessible,
    assert_recorded_result,
    click_tokens,
    open_menu,
    play_randomly,
    read_moves,
    start_game,
    wait_for_moves,
    wait_for_value,
)
from tests.browser.multiplayer import MINE, OTHER, OVER, create_table, seat_two_players

pytestmark = pytest.mark.browser
MOST_MOVES = 99
HEIGHTS = {360: 740, 768: 1024, 1024: 768, 1280: 800, 1920: 1080}
"""The heights of the windows by their widths, in pixels."""
RECORD_PLACES = """() => {
    window.places = new Set();
    let isDue = false;
    const record = () => {
        isDue = false;
        const {x, y, width, height} = document.querySelector("#board").getBoundingClientRect();
        window.places.add([x + scrollX, y + scrollY, width, height].map((each) => Math.round(each)).join(" "));
    };
    const plan = () => {
        if (!isDue) requestAnimationFrame(record);
        isDue = true;
    };
    const whole = {subtree: true, childList: true, attributes: true, characterData: true};
    new MutationObserver(plan).observe(document, whole);
    new ResizeObserver(plan).observe(document.body);
    record();
}"""
"""Collects every place that the board has on the page in any frame that shows something new, from now on."""
READ_PLACES = """async () => {
    for (let frame = 0; frame < 2; frame++) await new Promise(requestAnimationFrame);
    return [...window.places];
}"""
"""Gives the places that were collected up to the frame that shows the present state."""
IS_CURRENT_MOVE_VISIBLE = """() => {
    const list = document.querySelector("#moves").getBoundingClientRect();
    const move = document.querySelector("#moves [aria-current]").getBoundingClientRect();
    return move.top >= list.top && move.bottom <= list.bottom + 1;
}"""


def get_box(page: Page, selector: str) -> FloatRect:
    """Return the place of the first element that matches, in pixels of the window; fail if it is not visible."""
    box = page.locator(selector).first.bounding_box()
    assert box is not None, selector
    return box


def is_in_window(page: Page, selector: str) -> bool:
    """Return whether the first element that matches is visible as a whole without scrolling."""
    box, size = get_box(page, selector), page.viewport_size
    assert size is not None
    starts, ends = (box["x"], box["y"]), (box["x"] + box["width"], box["y"] + box["height"])
    limits = (size["width"], size["height"])
    return min(starts) >= -0.5 and all(end <= limit + 0.5 for end, limit in zip(ends, limits, strict=True))


def play_in_turns(pages: list[Page], until: int) -> None:
    """Let the pages of one player, which show the same game, play a move each in turn until the list has `until` moves.

    Return earlier if the game is over.
    """
    count = pages[0].locator("#moves li").count()
    for page in itertools.cycle(pages):
        wait_for_moves(page, count)
        page.wait_for_selector(READY, timeout=TIMEOUT_MS)
        if count >= until or page.locator(OVER).count():
            return
        play_randomly(page, 1, until=count + 1)
        count = page.locator("#moves li").count()


@pytest.mark.ci
def test_the_board_keeps_its_place_from_the_first_move_to_the_result_at_every_width(
    page: Page, context: BrowserContext
) -> None:
    """It does so even when a hint, the evaluation and an earlier position are shown."""
    start_game(page, "dots-and-boxes", "pc", cols=2, rows=2)
    pages = [page, *(open_page(context) for _ in range(len(HEIGHTS) - 1))]
    for each, (width, height) in zip(pages, HEIGHTS.items(), strict=True):
        each.set_viewport_size({"width": width, "height": height})
        each.goto(page.url)
        each.wait_for_selector(READY)
        each.evaluate("document.fonts.ready.then(() => {})")
        each.evaluate(RECORD_PLACES)
    play_in_turns(pages, 2)
    for each in pages:
        each.get_by_role("button", name="Hint").click()
        each.get_by_role("button", name="Evaluation").click()
        expect(each.locator("#hint-text strong")).to_be_visible(timeout=TIMEOUT_MS)
    play_in_turns(pages, 6)
    for each in pages:
        each.get_by_label("Previous move").click()
        expect(each.locator("#turn.past")).to_be_visible()
        each.get_by_label("Current position").click()
        expect(each.locator("#turn.past")).to_have_count(0)
    play_in_turns(pages, MOST_MOVES)
    for each in pages:
        expect(each.locator("#result")).to_be_visible()
    places = {width: each.evaluate(READ_PLACES) for width, each in zip(HEIGHTS, pages, strict=True)}
    assert [width for width, seen in places.items() if len(seen) != 1] == [], places


@pytest.mark.ci
@pytest.mark.parametrize("width", [360, 1280])
def test_the_board_keeps_its_place_when_the_curtain_falls_and_a_hand_is_shown(page: Page, width: int) -> None:
    page.set_viewport_size({"width": width, "height": HEIGHTS[width]})
    start_game(page, "squendo", "pp")
    page.evaluate(RECORD_PLACES)
    bar = get_box(page, "#bar")
    page.locator("#curtain button").click()
    page.wait_for_selector("#tray svg")
    wait_for_value(lambda: get_box(page, "#bar"), bar)
    page.locator("#tray .can").first.click()
    page.locator("#board .can").first.click()
    page.wait_for_selector("#curtain button")
    assert len(page.evaluate(READ_PLACES)) == 1


@pytest.mark.parametrize(
    "game",
    ["squendo", *(pytest.param(name, marks=pytest.mark.ci) for name in fc.games() if name != "squendo")],
)
def test_a_phone_shows_board_tray_and_controls_together(phone: Page, game: str) -> None:
    start_game(phone, game, "pc")
    hand = ["#tray"] if phone.locator("#tray svg").count() else []
    for part in ("#board", '[data-step="back"]', "#hint", *hand):
        wait_for_value(partial(is_in_window, phone, part), expected=True)


@pytest.mark.parametrize("width", [360, 1280])
def test_the_end_tells_the_score_and_the_move_that_decided_and_offers_a_rematch_without_scrolling(
    page: Page, width: int
) -> None:
    page.set_viewport_size({"width": width, "height": HEIGHTS[width]})
    start_game(page, "dots-and-boxes", "pp", cols=1, rows=5)
    play_randomly(page, 1)
    positions = assert_recorded_result(page).positions
    best, other = sorted(positions[-1].scores, reverse=True)
    winner = positions[-1].scores.index(best)
    expect(page.locator("#turn")).to_have_text(f"Player {winner + 1} wins {best} : {other}")
    number, decisive = next(
        (number, position) for number, position in enumerate(positions) if 2 * position.scores[winner] > best + other
    )
    expect(page.locator("#result-margin")).to_contain_text(
        f"With {read_moves(page)[number - 1]} Player {winner + 1} had {decisive.scores[winner]} of 5 points."
    )
    gains = [sum(after.scores) - sum(before.scores) for before, after in itertools.pairwise(positions)]
    assert page.locator("#moves .gain").all_inner_texts() == [f"+{gain}" for gain in gains if gain]
    gaining = page.locator("#moves button").filter(has=page.locator(".gain"))
    expect(gaining.first).to_have_attribute("aria-label", re.compile(", [12] points? gained$"))
    expect(page.get_by_role("button", name="Rematch")).to_have_count(1)
    assert is_in_window(page, ".rematch:visible")
    expect(page.get_by_role("button", name="Review this game")).to_be_visible()
    share = page.locator("#result").get_by_role("button", name="Share")
    share.click()
    expect(page.get_by_role("heading", name="Share this game")).to_be_visible()
    page.get_by_role("button", name="Close").click()
    expect(share).to_be_focused()
    assert_accessible(page)


def test_a_phone_shows_a_long_result_whole_and_always_one_rematch(phone: Page) -> None:
    options: dict[str, Any] = {"players": 4, "teams": True, "cols": 2, "rows": 2, "blockers": 0}
    names = [f"wilhelmina {name}-abernathy" for name in ("ann", "bea", "cleo", "dora")]
    options |= {f"name-{seat}": name for seat, name in enumerate(names)}
    start_game(phone, "squarin-off", "pppp", **options)
    play_randomly(phone, 1)
    turn = phone.locator("#turn")
    expect(turn).to_have_text("wilhelmina ann-abernathy and wilhelmina cleo-abernathy win 4 : 0")
    assert turn.evaluate("line => line.scrollWidth <= line.clientWidth")
    turn_box, line_box = get_box(phone, "#turn"), get_box(phone, "#turnline")
    assert turn_box["height"] <= line_box["height"]
    assert line_box["y"] + line_box["height"] <= get_box(phone, "#board")["y"]
    assert_accessible(phone)
    rematch = phone.get_by_role("button", name="Rematch")
    expect(rematch).to_have_count(1)
    # The button of the result takes the place of the one above the board.
    phone.locator(".turnline .rematch").evaluate("button => button.remove()")
    expect(rematch).to_have_count(1)


def test_the_choices_for_a_tile_cover_neither_hand_nor_board(phone: Page) -> None:
    start_game(phone, "squendo", "pc")
    phone.locator("#tray .can").first.click()
    expect(phone.locator("#choices button").first).to_be_visible()
    tray = get_box(phone, "#tray")
    assert get_box(phone, "#act")["y"] >= tray["y"] + tray["height"]
    wait_for_value(lambda: is_in_window(phone, "#choices button"), expected=True)


def test_three_seats_and_a_hand_leave_a_large_board_on_a_desktop(new_guest: NewGuest) -> None:
    page = new_guest(viewport={"width": 1280, "height": 800})
    start_game(page, "squendo", "pcc", players=3)
    board = page.locator("#board").bounding_box()
    assert board is not None and min(board["width"], board["height"]) > 500


@pytest.mark.ci
def test_nothing_covers_the_board_while_a_finished_game_is_studied(page: Page) -> None:
    """With values shown, and a move chosen that could be continued or cancelled."""
    start_game(page, "dots-and-boxes", "pp", cols="2", rows="1")
    play_randomly(page, 1)
    page.get_by_role("button", name="Solve").click()
    for _ in range(3):
        page.get_by_label("Previous move").click()
    page.wait_for_selector("#board .worths", timeout=TIMEOUT_MS)
    page.locator("#board .can").first.click()
    expect(page.locator("#choices button").first).to_be_visible()
    is_free = """() => {
        const board = document.querySelector("#board");
        const {left, right, bottom} = board.getBoundingClientRect();
        return board.contains(document.elementFromPoint((left + right) / 2, bottom - 4));
    }"""
    wait_for_value(lambda: page.evaluate(is_free), expected=True)


def test_arrow_keys_step_from_anywhere_but_the_board_and_fields(page: Page) -> None:
    start_game(page, "square-off", "pp", size="4", swap="false")
    for count, token in enumerate(("a1", "b2"), 1):
        click_tokens(page, token)
        wait_for_moves(page, count)
    page.locator("#rules-open").focus()
    page.keyboard.press("ArrowLeft")
    expect(page.locator("#turn")).to_have_text("After move 1 of 2")
    page.keyboard.press("ArrowRight")
    page.wait_for_selector(READY)
    page.focus('#board [data-token="c3"]')
    page.keyboard.press("ArrowLeft")
    expect(page.locator('#board [data-token="b3"]')).to_be_focused()
    expect(page.locator("#turn")).not_to_have_text("After move 1 of 2")


@pytest.mark.ci
def test_the_list_of_moves_follows_the_game_after_scrolling(page: Page) -> None:
    page.set_viewport_size({"width": 1280, "height": 560})
    start_game(page, "dots-and-boxes", "pp", cols=4, rows=3)
    play_randomly(page, 1, until=22)
    wait_for_value(lambda: page.locator("#moves").evaluate("list => list.scrollTop") > 60, expected=True)
    page.locator("#moves").evaluate("list => { list.scrollTop = 0; }")
    play_randomly(page, 2, until=24)
    expect(page.locator("#moves [aria-current]")).to_have_attribute("data-ply", "24")
    wait_for_value(lambda: page.evaluate(IS_CURRENT_MOVE_VISIBLE), expected=True)


@pytest.mark.ci
def test_the_chains_disappear_when_the_end_of_the_game_is_undone(page: Page) -> None:
    start_game(page, "dots-and-boxes", "pp", cols="2", rows="1")
    play_randomly(page, 1)
    page.get_by_role("button", name="Chains").click()
    expect(page.locator("#scene.overlaid")).to_be_visible()
    page.get_by_role("button", name="Undo").click()
    expect(page.locator("#overlay")).to_be_hidden()
    expect(page.locator("#scene.overlaid")).to_have_count(0)


def test_a_button_near_the_board_counts_unread_chat_on_a_phone_and_opens_it(phone: Page, new_guest: NewGuest) -> None:
    """Also for the first line of all, said to someone who came while no one else sat here."""
    ada = new_guest()
    seat_two_players(phone, ada)
    ada.get_by_role("button", name="Good luck!").click()
    expect(phone.locator("#chat-open")).to_have_accessible_name("Chat 1 unread")
    wait_for_value(lambda: is_in_window(phone, "#chat-open"), expected=True)
    phone.locator("#chat-open").tap()
    wait_for_value(lambda: is_in_window(phone, "#talk .saying"), expected=True)
    expect(phone.locator("#chat-open")).to_have_accessible_name("Chat")
    phone.get_by_role("button", name="Close the chat").tap()
    expect(phone.locator("#chat-open")).to_be_focused()


@pytest.mark.ci
def test_forced_colours_keep_a_sign_for_the_player_to_move(page: Page, new_guest: NewGuest) -> None:
    page.emulate_media(forced_colors="active")
    seat_two_players(page, new_guest())
    sign = "element => getComputedStyle(element.querySelector('strong'), '::before').content"
    assert page.locator(".seat.to-move").evaluate(sign) != "none"
    assert page.locator(".seat:not(.to-move)").evaluate(sign) == "none"
    frame = "element => getComputedStyle(element).borderLeftColor"
    paper = page.locator(".seats-panel").evaluate("panel => getComputedStyle(panel).backgroundColor")
    assert page.locator(".seat:not(.to-move)").evaluate(frame) == paper


@pytest.mark.ci
def test_forced_colours_show_what_is_current_open_and_evaluated(page: Page) -> None:
    page.emulate_media(forced_colors="active")
    start_game(page, "dots-and-boxes", "pp", cols="2", rows="1")
    for count, edge in enumerate(("a1b1", "a2b2"), 1):
        click_tokens(page, edge)
        wait_for_moves(page, count)
    expect(page.locator("#moves button").first).to_have_css("outline-style", "none")
    expect(page.locator("#moves [aria-current]")).to_have_css("outline-style", "solid")
    page.locator("#rules-open").click()
    expect(page.locator("#rules-open")).to_have_css("outline-style", "solid")
    page.keyboard.press("Escape")
    share = "meter => getComputedStyle(meter.firstElementChild).backgroundColor"
    paper = page.locator(".seats-panel").evaluate("panel => getComputedStyle(panel).backgroundColor")
    page.locator("#evaluate").click()
    meter = page.locator("#evaluation-meter")
    wait_for_value(lambda: meter.evaluate(share) != paper, expected=True)


@pytest.mark.parametrize("game", ["sqez", pytest.param("squendo", marks=pytest.mark.ci)])
def test_controls_on_a_phone_are_large_enough_for_a_finger(phone: Page, game: str) -> None:
    start_game(phone, game, "pc")
    play_randomly(phone, 1, until=2)
    open_menu(phone)
    find_small = """() => [...document.querySelectorAll("a, button, summary, select, label:has(input)")]
        .filter((element) => element.checkVisibility())
        .map((element) => [element, element.getBoundingClientRect()])
        .filter(([element, box]) => box.width > 1 && (box.width < 24 || box.height < 24))
        .map(([element]) => element.outerHTML)"""
    wait_for_value(lambda: phone.evaluate(find_small), [])


def test_the_settings_of_a_game_are_in_one_menu(page: Page) -> None:
    start_game(page, "square-off", "pc", size="4")
    expect(page.get_by_role("link", name="Download record")).to_be_hidden()
    open_menu(page)
    for control in (
        page.get_by_role("button", name="Share"),
        page.get_by_role("link", name="Download record"),
        page.get_by_role("switch", name="Sounds"),
        page.get_by_label("Confirm each move"),
    ):
        expect(control).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.locator("#menu > summary")).to_be_focused()
    expect(page.get_by_role("link", name="Download record")).to_be_hidden()


def test_a_sound_is_made_for_each_move_only_while_the_switch_is_on(new_guest: NewGuest) -> None:
    ada, ben = new_guest(), new_guest()
    ada.add_init_script("""
        window.tones = 0;
        const start = OscillatorNode.prototype.start;
        OscillatorNode.prototype.start = function (...times) { window.tones++; return start.apply(this, times); };
    """)
    seat_two_players(ada, ben, swap="false")
    click_tokens(ada, "a1")
    ben.wait_for_selector(MINE)
    assert ada.evaluate("window.tones") == 0
    open_menu(ada)
    ada.get_by_label("Sounds").check()
    wait_for_value(lambda: ada.evaluate("window.tones") > 0, expected=True)
    tones = ada.evaluate("window.tones")
    click_tokens(ben, "b2")
    ada.wait_for_selector(MINE)
    wait_for_value(lambda: ada.evaluate("window.tones") > tones, expected=True)
    ben.wait_for_selector(OTHER)


def test_size_and_level_are_visible_during_the_game_and_nothing_is_said_twice(page: Page) -> None:
    start_game(page, "sqez", "pc", cols="6", rows="6")
    expect(page.locator(".crumb")).to_contain_text("Sqez · 6 × 6")
    computer = page.locator(".seat").nth(1)
    expect(computer).to_contain_text("Computer, level 1")
    expect(computer).not_to_have_text(re.compile("computer.*computer", re.IGNORECASE | re.DOTALL))
    # Where the last move wins, there are no points to be shown.
    expect(page.locator(".points")).to_have_count(0)


@pytest.mark.ci
@pytest.mark.parametrize(
    ("game", "options"),
    [
        ("sqez", {"cols": 20, "rows": 20}),
        ("square-off", {"size": 14}),
        ("squarin-off", {"cols": 20, "rows": 20}),
        ("squendo", {}),
    ],
)
def test_no_text_on_a_phone_is_smaller_than_11_pixels(phone: Page, game: str, options: dict[str, int]) -> None:
    start_game(phone, game, "pc", **options)
    find_small = """() => [...document.querySelectorAll("body *")]
        .filter((element) => element.checkVisibility() && !element.closest("defs"))
        .filter((element) => [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim()))
        .map((element) => [element, element.getScreenCTM ? element.getScreenCTM().a : 1])
        .filter(([element, scale]) => parseFloat(getComputedStyle(element).fontSize) * scale < 10.9)
        .map(([element]) => element.outerHTML)"""
    wait_for_value(lambda: phone.evaluate(find_small), [])


@pytest.mark.ci
def test_all_views_of_a_finished_game_are_named_on_a_phone_in_one_row(phone: Page) -> None:
    start_game(phone, "dots-and-boxes", "pp", cols="2", rows="1")
    play_randomly(phone, 1)
    expect(phone.locator(".views button:visible")).to_have_count(4)
    words = phone.locator(".views button:visible .word")
    boxes = words.evaluate_all("words => words.map((word) => word.getBoundingClientRect().toJSON())")
    assert len(boxes) == 4
    assert all(box["width"] > 20 for box in boxes)
    assert len({box["y"] for box in boxes}) == 1


@pytest.mark.ci
def test_stepping_back_from_the_end_does_not_move_the_list_of_moves(page: Page) -> None:
    start_game(page, "dots-and-boxes", "pp", cols="2", rows="1")
    play_randomly(page, 1)
    place = get_box(page, "#moves")
    page.get_by_label("Previous move").click()
    expect(page.locator("#turn")).to_have_text("After move 6 of 7")
    wait_for_value(lambda: get_box(page, "#moves"), place)


@pytest.mark.ci
def test_numbers_along_a_small_board_are_at_most_24_pixels_high(page: Page) -> None:
    start_game(page, "dots-and-boxes", "pp", cols="2", rows="2")
    label = page.locator("#board .fc-label text").first
    size = label.evaluate("label => parseFloat(getComputedStyle(label).fontSize) * label.getScreenCTM().a")
    assert 20 <= size <= 24.5


def test_the_waiting_room_shows_the_name_of_who_sits_in_it_already(page: Page) -> None:
    create_table(page, "square-off", "po", **{"name-0": "Ada"})
    expect(page.get_by_label("Your name")).to_have_value("Ada")
