"""The table page beyond plain play: restarts, stepping, undo, explanations, gestures, accessibility."""

import signal
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

import fourcorners as fc
from tests.browser.conftest import THEMES_AND_WIDTHS, Server, new_themed_context, open_page
from tests.browser.driver import (
    READY,
    assert_accessible,
    assert_recorded_result,
    click_tokens,
    download_record,
    find_centre,
    locate_token,
    open_menu,
    play_randomly,
    press_by_mouse,
    read_moves,
    set_up_game,
    wait_for_moves,
)

pytestmark = pytest.mark.browser


def test_a_game_continues_after_the_server_is_killed_and_restarted(chromium: Browser, tmp_path: Path) -> None:
    server = Server(tmp_path)
    server.start()
    context = chromium.new_context(
        base_url=server.url, viewport={"width": 1280, "height": 900}, reduced_motion="reduce"
    )
    try:
        page = open_page(context)
        set_up_game(page, "sqez", "pc", cols=6, rows=6)
        play_randomly(page, 1, until=2)
        page.wait_for_selector(READY)
        before = read_moves(page)
        picture = page.inner_html("#board")
        server.stop(signal.SIGKILL)
        expect(page.locator("#link")).to_contain_text("lost")
        server.start()
        expect(page.locator("#link")).to_have_text("")
        page.wait_for_selector(READY)
        assert read_moves(page)[: len(before)] == before
        page.reload()
        page.wait_for_selector(READY)
        assert read_moves(page)[: len(before)] == before
        # Unless a move was played meanwhile, the board has as many elements as before.
        if len(read_moves(page)) == len(before):
            assert page.locator("#board [data-token]").count() == picture.count("data-token")
        play_randomly(page, 2)
        assert_recorded_result(page)
    finally:
        context.close()
        server.stop()


@pytest.mark.parametrize(("theme", "width"), THEMES_AND_WIDTHS)
def test_home_error_game_and_table_pages_are_accessible_and_not_wider_than_the_window(
    chromium: Browser, server: Server, theme: str, width: int
) -> None:
    context = new_themed_context(chromium, server, theme, width)
    page = open_page(context)
    page.goto("/")
    assert_accessible(page)
    page.locator(".display summary").click()
    assert_accessible(page)
    page.goto("/no-such-page")
    assert_accessible(page)
    for game in fc.games():
        page.goto(f"/games/{game}")
        for summary in page.locator("details.options > summary").all():
            summary.click()
        assert_accessible(page)
        assert page.evaluate("document.documentElement.scrollWidth") <= width
    for game in ("sqez", "squendo", "square-off", "squarin-off"):
        set_up_game(page, game, "pp")
        assert_accessible(page)
        if page.locator("#curtain button").count():
            page.locator("#curtain button").click()
            page.wait_for_selector("#tray svg")
            assert_accessible(page)
        assert page.evaluate("document.documentElement.scrollWidth") <= width
    context.close()


def test_two_people_at_one_table_can_step_back_and_undo(page: Page) -> None:
    """Stepping by buttons, by the list and by keys changes only the shown board; Undo takes back the last move."""
    set_up_game(page, "square-off", "pp", size=4)
    for count, token in enumerate(("a1", "b2", "c3"), 1):
        click_tokens(page, token)
        wait_for_moves(page, count)
    page.get_by_label("Previous move").click()
    expect(page.locator("#turn")).to_have_text("After move 2 of 3")
    # The corner of the third move is free on the earlier board, where nobody can move.
    assert "free" in (page.get_attribute('#board [data-token="c3"]', "aria-label") or "")
    assert page.locator("#board .can").count() == 0
    page.get_by_label("First position").click()
    expect(page.locator("#turn")).to_have_text("Before the first move")
    page.locator("#moves [data-ply='1']").click()
    expect(page.locator("#turn")).to_have_text("After move 1 of 3")
    page.keyboard.press("ArrowRight")
    expect(page.locator("#turn")).to_have_text("After move 2 of 3")
    assert page.evaluate("document.activeElement.dataset.ply") == "2"
    page.keyboard.press("End")
    page.wait_for_selector(READY)
    assert "free" not in (page.get_attribute('#board [data-token="c3"]', "aria-label") or "")
    page.get_by_role("button", name="Undo").click()
    wait_for_moves(page, 2)
    assert "free" in (page.get_attribute('#board [data-token="c3"]', "aria-label") or "")
    click_tokens(page, "d4")
    wait_for_moves(page, 3)
    # The record keeps the takeback to ply 2.
    assert "!undo 2" in download_record(page)


def test_the_list_of_moves_scrolls_to_the_shown_move(page: Page) -> None:
    is_current_move_visible = """() => {
        const list = document.querySelector("#moves").getBoundingClientRect();
        const move = document.querySelector("#moves [aria-current]").getBoundingClientRect();
        return move.top >= list.top && move.bottom <= list.bottom + 1;
    }"""
    page.set_viewport_size({"width": 1280, "height": 560})
    set_up_game(page, "dots-and-boxes", "pp", cols=4, rows=3)
    play_randomly(page, 1)
    # The 31 moves do not fit into the list of a low window.
    assert page.evaluate("document.querySelector('#moves').scrollTop") > 0
    assert page.evaluate(is_current_move_visible)
    for _ in range(3):
        page.get_by_label("Previous move").click()
        assert page.evaluate(is_current_move_visible)
    page.get_by_label("First position").click()
    for name in ("Next move", "Current position"):
        page.get_by_label(name).click()
        assert page.evaluate(is_current_move_visible)


def test_pointing_at_or_pressing_an_unplayable_element_explains_why_and_keeps_the_focus(page: Page) -> None:
    set_up_game(page, "square-off", "pp", size=4)
    click_tokens(page, "a1")
    wait_for_moves(page, 1)
    # A mouse that trembles right after its move gets no message.
    x, y = locate_token(page, "a1")
    page.mouse.move(x + 1, y + 1)
    page.wait_for_timeout(700)
    assert "not free" not in page.inner_text("#status")
    page.mouse.move(5, 5)
    page.mouse.move(x, y)
    expect(page.locator("#status")).to_contain_text("a1 is not free", ignore_case=True)
    page.mouse.move(5, 5)
    expect(page.locator("#status")).not_to_contain_text("not free")
    # By keyboard: Enter on a taken corner explains it; the next corner can be played from there.
    page.focus('#board [data-token="a1"]')
    page.keyboard.press("Enter")
    expect(page.locator("#status")).to_contain_text("a1 is not free", ignore_case=True)
    assert page.evaluate("document.activeElement.dataset.token") == "a1"
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    wait_for_moves(page, 2)
    assert page.evaluate("document.activeElement.dataset.token") == "b1"


def test_a_rectangle_can_be_dragged_in_any_direction(page: Page) -> None:
    set_up_game(page, "sqez", "pp")
    for count, (start, end, move) in enumerate(
        (("b2", "d4", "b2 d4"), ("h8", "f6", "f6 h8"), ("b8", "d6", "b6 d8")), 1
    ):
        page.mouse.move(*locate_token(page, start))
        page.mouse.down()
        # While it is dragged, by way of another corner, its outline is shown.
        page.mouse.move(*locate_token(page, "e5"), steps=3)
        assert page.locator("#board .band").count() == 1
        page.mouse.move(*locate_token(page, end), steps=3)
        page.mouse.up()
        wait_for_moves(page, count)
        assert read_moves(page)[-1] == move


def test_a_begun_rectangle_can_be_cancelled_and_an_illegal_one_is_explained(page: Page) -> None:
    set_up_game(page, "sqez", "pp")
    click_tokens(page, "b2", "d4")
    wait_for_moves(page, 1)
    click_tokens(page, "g2")
    assert page.locator("#board .chosen").count() == 1
    page.keyboard.press("Escape")
    assert page.locator("#board .chosen").count() == 0
    click_tokens(page, "a1", "b2")
    expect(page.locator("#status")).to_contain_text("inside", ignore_case=True)
    wait_for_moves(page, 1)


def test_a_move_waits_for_confirmation_if_the_player_wants_that_which_is_remembered(page: Page) -> None:
    set_up_game(page, "sqez", "pp")
    open_menu(page)
    page.get_by_label("Confirm each move").check()
    page.keyboard.press("Escape")
    click_tokens(page, "b2", "d4")
    expect(page.locator("#status")).to_have_text("Play b2 d4?")
    wait_for_moves(page, 0)
    page.get_by_role("button", name="Cancel").click()
    expect(page.locator("#choices")).to_be_hidden()
    click_tokens(page, "b2", "e5")
    page.get_by_role("button", name="Confirm").click()
    wait_for_moves(page, 1)
    assert read_moves(page) == ["b2 e5"]
    page.reload()
    page.wait_for_selector(READY)
    assert page.get_by_label("Confirm each move", exact=True).is_checked()


def test_a_curtain_hides_the_hands_of_people_at_one_table(page: Page) -> None:
    """Before each turn the curtain must be lifted, also after a reload; a tile is dragged by mouse in between."""
    set_up_game(page, "squendo", "pp")
    assert page.locator("#tray svg").count() == 0
    page.locator("#curtain button").click()
    page.wait_for_selector("#tray .can")
    hand = {item.get_attribute("data-token") for item in page.query_selector_all("#tray [data-token]")}
    tile = page.query_selector("#tray .can")
    assert tile is not None
    x, y = find_centre(tile)
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x, y - 60, steps=3)
    assert page.locator(".ghost").count() == 1
    page.mouse.move(*locate_token(page, "0,0"), steps=3)
    page.mouse.up()
    wait_for_moves(page, 1)
    expect(page.locator("#curtain")).to_be_visible()
    expect(page.locator("#tray")).to_be_hidden()
    page.reload()
    expect(page.locator("#curtain")).to_be_visible()
    assert page.locator("#tray svg").count() == 0
    page.locator("#curtain button").click()
    page.wait_for_selector("#tray .can")
    assert not hand & {item.get_attribute("data-token") for item in page.query_selector_all("#tray [data-token]")}


def test_a_blocker_can_be_carried_to_a_box_before_an_edge_is_drawn(page: Page) -> None:
    set_up_game(page, "squarin-off", "pp", cols=3, rows=3, blockers="1")
    press_by_mouse(page, page.query_selector('#tray [data-gesture="carry"]') or pytest.fail("no tray"))
    click_tokens(page, "#b2")
    assert page.locator("#board .chosen").count() == 1
    click_tokens(page, "b2c2")
    wait_for_moves(page, 1)
    assert read_moves(page) == ["#b2 b2c2"]


def set_up_and_resign(page: Page) -> list[str]:
    """Start a game of Squarin Off against the computer, resign at seat 0 and confirm; return the names by seat.

    Wait until the page shows the result.
    """
    set_up_game(page, "squarin-off", "pc", cols=3, rows=3)
    page.get_by_role("button", name="Resign").click()
    page.locator('[data-answer="yes"]').click()
    expect(page.locator("#result")).to_contain_text("resigned")
    return page.locator(".seat .who strong").all_inner_texts()


def test_resigning_can_be_cancelled_before_it_is_confirmed(page: Page) -> None:
    set_up_game(page, "squarin-off", "pc", cols=3, rows=3)
    page.get_by_role("button", name="Resign").click()
    page.get_by_role("button", name="Cancel").click()
    expect(page.locator('[data-answer="yes"]')).to_be_hidden()
    expect(page.locator("#result")).to_be_hidden()
    assert page.locator("#board .can").count() > 0


def test_resigning_makes_the_opponent_win_on_the_page_and_in_the_record(page: Page) -> None:
    set_up_and_resign(page)
    expect(page.locator("#turn")).to_contain_text("wins")
    match = fc.Record.parse(download_record(page)).match()
    assert match.outcome is not None
    assert match.outcome.winners == (1,)


def test_the_board_keeps_its_place_when_a_game_ends(page: Page) -> None:
    set_up_game(page, "squarin-off", "pc", cols=3, rows=3)
    page.get_by_role("button", name="Resign").click()
    # The question whether to resign is shown already; the result, which replaces it, must not move the board.
    board = page.locator("#board svg.fc-board")
    place = board.bounding_box()
    page.locator('[data-answer="yes"]').click()
    expect(page.locator("#result")).to_contain_text("resigned")
    assert board.bounding_box() == place


def test_a_rematch_with_the_computer_rotates_the_seats(page: Page) -> None:
    names = set_up_and_resign(page)
    page.get_by_role("button", name="Rematch").click()
    expect(page.locator(".seat .who strong")).to_have_text([names[-1], *names[:-1]])


def test_the_home_page_lists_an_own_finished_game_with_its_result(page: Page) -> None:
    set_up_and_resign(page)
    page.goto("/")
    expect(page.locator(".tables")).to_contain_text("You resigned")


def test_a_record_can_be_opened_to_step_through_and_an_invalid_one_is_explained(page: Page, tmp_path: Path) -> None:
    path = tmp_path / "game.record"
    path.write_text(
        'fourcorners record 1\ngame: square-off\noptions: {"size": 4}\n\n1 0 a1\n2 1 b2\n', encoding="utf-8"
    )
    page.goto("/")
    page.set_input_files("#record", str(path))
    page.get_by_role("button", name="Open").click()
    wait_for_moves(page, 2)
    assert page.locator("#board .can").count() == 0
    page.get_by_label("First position").click()
    expect(page.locator("#turn")).to_have_text("Before the first move")
    # The corner a1 is taken already.
    path.write_text(path.read_text(encoding="utf-8").replace("2 1 b2", "2 1 a1"), encoding="utf-8")
    page.goto("/")
    page.set_input_files("#record", str(path))
    page.get_by_role("button", name="Open").click()
    expect(page.get_by_role("alert")).to_contain_text("a1")
    expect(page.get_by_role("alert")).to_contain_text("line 6")


def test_other_people_can_only_watch_and_see_no_hand(page: Page, chromium: Browser, server: Server) -> None:
    set_up_game(page, "squendo", "pc")
    other = chromium.new_context(base_url=server.url)
    onlooker = open_page(other)
    onlooker.goto(page.url)
    expect(onlooker.locator("#board > svg")).to_be_visible()
    assert onlooker.locator("#tray svg").count() == 0
    assert onlooker.locator(".can").count() == 0
    expect(onlooker.get_by_role("button", name="Resign")).to_be_hidden()
    play_randomly(page, 1, until=3)
    expect(onlooker.locator("#moves li")).to_have_count(page.locator("#moves li").count())
    other.close()


def test_theme_and_palette_are_remembered_on_other_pages(page: Page, context: BrowserContext) -> None:
    page.goto("/")
    page.locator(".display summary").click()
    page.get_by_label("Dark").check()
    page.locator('.display input[name="palette"]').nth(1).check()
    page.goto("/games/sqez")
    assert page.get_attribute("html", "data-theme") == "dark"
    assert page.get_attribute("html", "data-palette") == page.locator('.display input[name="palette"]').nth(
        1
    ).get_attribute("value")
    again = open_page(context)
    again.goto("/")
    assert again.get_attribute("html", "data-theme") == "dark"
    assert again.get_attribute("html", "data-palette") == page.get_attribute("html", "data-palette")


def test_a_large_board_on_a_phone_can_be_zoomed_and_then_played_by_touch(phone: Page) -> None:
    set_up_game(phone, "sqez", "pp", cols=20, rows=20)
    phone.get_by_role("button", name="Zoom").tap()
    assert phone.evaluate(
        "document.querySelector('#board svg').clientWidth > 2 * document.querySelector('#board').clientWidth"
    )
    assert phone.evaluate("document.documentElement.scrollWidth") <= 360
    phone.touchscreen.tap(*locate_token(phone, "c3"))
    phone.touchscreen.tap(*locate_token(phone, "e6"))
    wait_for_moves(phone, 1)
    assert read_moves(phone) == ["c3 e6"]


def test_a_phone_shows_the_points_above_the_board(phone: Page) -> None:
    set_up_game(phone, "dots-and-boxes", "pp", cols=1, rows=1)
    # The fourth edge, of the second player, closes the only box.
    play_randomly(phone, 1)
    expect(phone.locator(".strip-points")).to_have_text(["0", "1"])
    expect(phone.locator("#strip")).to_be_visible()


def test_a_tile_can_be_dragged_with_a_finger_without_scrolling_the_page(phone: Page) -> None:
    set_up_game(phone, "squendo", "pc")
    phone.evaluate("scrollTo(0, 0)")
    tile = phone.query_selector("#tray .can")
    assert tile is not None
    finger = phone.context.new_cdp_session(phone)
    (x, y), (to_x, to_y) = find_centre(tile), locate_token(phone, "0,0")
    finger.send("Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": [{"x": x, "y": y}]})
    for part in (0.3, 0.7, 1.0):
        point = {"x": x + part * (to_x - x), "y": y + part * (to_y - y)}
        finger.send("Input.dispatchTouchEvent", {"type": "touchMove", "touchPoints": [point]})
    expect(phone.locator(".ghost")).to_be_visible()
    finger.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    expect(phone.locator("#moves li")).not_to_have_count(0)
    assert phone.evaluate("scrollY") == 0
