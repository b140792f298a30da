"""The table page beyond plain play: restarts, stepping, undo, explanations, gestures, accessibility."""

import re
import signal
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, Page, expect

import fourcorners as fc
from tests.browser.conftest import NewGuest, Server, open_page
from tests.browser.driver import (
    READY,
    assert_good_looks,
    assert_recorded_result,
    click_tokens,
    download_record,
    find_centre,
    locate_token,
    open_menu,
    play_randomly,
    press_by_mouse,
    read_moves,
    start_game,
    wait_for_moves,
    wait_for_value,
)

pytestmark = pytest.mark.browser


@pytest.mark.ci
def test_a_game_continues_after_the_server_is_killed_and_restarted(new_guest: NewGuest, tmp_path: Path) -> None:
    server = Server(tmp_path, NUMBA_DISABLE_JIT="1")
    server.start()
    try:
        page = new_guest(server.url)
        start_game(page, "sqez", "pc", cols=6, rows=6)
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
        server.stop()


@pytest.mark.ci
def test_home_error_game_and_table_pages_are_accessible_and_not_wider_than_the_window(page: Page) -> None:
    page.goto("/")
    assert_good_looks(page)
    page.locator(".display summary").click()
    assert_good_looks(page)
    page.goto("/no-such-page")
    assert_good_looks(page)
    for game in fc.games():
        page.goto(f"/games/{game}")
        for summary in page.locator("details.options > summary").all():
            summary.click()
        assert_good_looks(page)
    # Small boards have the same kinds of elements as large ones, in which axe needs half a minute.
    boards: dict[str, dict[str, int]] = {"sqez": {"cols": 4, "rows": 4}, "squendo": {}, "square-off": {"size": 4}}
    for game, options in (boards | {"squarin-off": {"cols": 4, "rows": 4}}).items():
        start_game(page, game, "pp", **options)
        assert_good_looks(page)
        if page.locator("#curtain button").count():
            page.locator("#curtain button").click()
            page.wait_for_selector("#tray svg")
            assert_good_looks(page)


def test_two_people_at_one_table_can_step_back_and_undo(page: Page) -> None:
    """Stepping by buttons, by the list and by keys changes only the shown board; Undo takes back the last move."""
    start_game(page, "square-off", "pp", size=4)
    for count, token in enumerate(("a1", "b2", "c3"), 1):
        click_tokens(page, token)
        wait_for_moves(page, count)
    page.get_by_label("Previous move").click()
    expect(page.locator("#turn")).to_have_text("After move 2 of 3")
    # The corner of the third move is free on the earlier board, where no one can move.
    corner = page.locator('#board [data-token="c3"]')
    expect(corner).to_have_attribute("aria-label", re.compile("free"))
    expect(page.locator("#board .can")).to_have_count(0)
    page.get_by_label("First position").click()
    expect(page.locator("#turn")).to_have_text("Before the first move")
    page.locator("#moves [data-ply='1']").click()
    expect(page.locator("#turn")).to_have_text("After move 1 of 3")
    page.keyboard.press("ArrowRight")
    expect(page.locator("#turn")).to_have_text("After move 2 of 3")
    expect(page.locator('#moves [data-ply="2"]')).to_be_focused()
    page.keyboard.press("End")
    page.wait_for_selector(READY)
    expect(corner).not_to_have_attribute("aria-label", re.compile("free"))
    page.get_by_role("button", name="Undo").click()
    wait_for_moves(page, 2)
    expect(corner).to_have_attribute("aria-label", re.compile("free"))
    click_tokens(page, "d4")
    wait_for_moves(page, 3)
    # The record keeps the takeback to ply 2.
    assert "!undo 2" in download_record(page)


@pytest.mark.ci
def test_the_list_of_moves_scrolls_to_the_shown_move(page: Page) -> None:
    is_current_move_visible = """() => {
        const list = document.querySelector("#moves").getBoundingClientRect();
        const move = document.querySelector("#moves [aria-current]").getBoundingClientRect();
        return move.top >= list.top && move.bottom <= list.bottom + 1;
    }"""
    page.set_viewport_size({"width": 1280, "height": 560})
    start_game(page, "dots-and-boxes", "pp", cols=4, rows=3)
    play_randomly(page, 1)
    # The 31 moves do not fit into the list of a low window.
    wait_for_value(lambda: page.evaluate("document.querySelector('#moves').scrollTop") > 0, expected=True)
    wait_for_value(lambda: page.evaluate(is_current_move_visible), expected=True)
    for _ in range(3):
        page.get_by_label("Previous move").click()
        wait_for_value(lambda: page.evaluate(is_current_move_visible), expected=True)
    page.get_by_label("First position").click()
    for name in ("Next move", "Current position"):
        page.get_by_label(name).click()
        wait_for_value(lambda: page.evaluate(is_current_move_visible), expected=True)


def test_pointing_at_or_pressing_an_unplayable_element_explains_why_and_keeps_the_focus(page: Page) -> None:
    page.clock.install()
    sent: list[str] = []
    page.on("websocket", lambda socket: socket.on("framesent", lambda text: sent.append(str(text))))
    start_game(page, "square-off", "pp", size=4)
    click_tokens(page, "a1")
    wait_for_moves(page, 1)
    # A mouse that trembles right after its move asks for no explanation.
    x, y = locate_token(page, "a1")
    page.mouse.move(x + 1, y + 1)
    page.clock.fast_forward(700)
    expect(page.locator("#status")).not_to_contain_text("not free")
    assert not any('"why"' in text for text in sent)
    page.mouse.move(5, 5)
    page.mouse.move(x, y)
    expect(page.locator("#status")).to_contain_text("a1 is not free", ignore_case=True)
    assert any('"why"' in text for text in sent)
    page.mouse.move(5, 5)
    expect(page.locator("#status")).not_to_contain_text("not free")
    # By keyboard: Enter on a taken corner explains it; the next corner can be played from there.
    page.focus('#board [data-token="a1"]')
    page.keyboard.press("Enter")
    expect(page.locator("#status")).to_contain_text("a1 is not free", ignore_case=True)
    expect(page.locator('#board [data-token="a1"]')).to_be_focused()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    wait_for_moves(page, 2)
    expect(page.locator('#board [data-token="b1"]')).to_be_focused()


def test_a_rectangle_can_be_dragged_in_any_direction(page: Page) -> None:
    start_game(page, "sqez", "pp")
    for count, (start, end, move) in enumerate(
        (("b2", "d4", "b2 d4"), ("h8", "f6", "f6 h8"), ("b8", "d6", "b6 d8")), 1
    ):
        page.mouse.move(*locate_token(page, start))
        page.mouse.down()
        # While it is dragged, by way of another corner, its outline is shown.
        page.mouse.move(*locate_token(page, "e5"), steps=3)
        expect(page.locator("#board .band")).to_have_count(1)
        page.mouse.move(*locate_token(page, end), steps=3)
        page.mouse.up()
        wait_for_moves(page, count)
        assert read_moves(page)[-1] == move


def test_a_refused_rectangle_is_explained_from_whichever_corner_it_is_dragged(page: Page) -> None:
    start_game(page, "sqez", "pp")
    click_tokens(page, "b2", "e5")
    wait_for_moves(page, 1)
    for start, end, reason in (
        ("d4", "b2", "b2 to c2 is already drawn, and so are 3 more"),
        ("c4", "a2", "b2 to c2 is already drawn."),
        ("b2", "d4", "b2 to c2 is already drawn, and so are 3 more"),
        ("a2", "c4", "b2 to c2 is already drawn."),
        ("b2", "b2", "No rectangle can begin at b2"),
    ):
        page.mouse.move(*locate_token(page, start))
        page.mouse.down()
        page.mouse.move(*locate_token(page, "g7"), steps=3)
        page.mouse.move(*locate_token(page, end), steps=3)
        page.mouse.up()
        expect(page.locator("#status")).to_contain_text(reason)
        expect(page.locator("#board .band")).to_have_count(0)
        expect(page.locator("#board .chosen")).to_have_count(0)


def test_a_begun_rectangle_can_be_cancelled_and_an_illegal_one_is_explained(page: Page) -> None:
    start_game(page, "sqez", "pp")
    click_tokens(page, "b2", "d4")
    wait_for_moves(page, 1)
    click_tokens(page, "g2")
    expect(page.locator("#board .chosen")).to_have_count(1)
    page.keyboard.press("Escape")
    expect(page.locator("#board .chosen")).to_have_count(0)
    click_tokens(page, "a1", "b2")
    expect(page.locator("#status")).to_contain_text("inside", ignore_case=True)
    wait_for_moves(page, 1)


def test_a_move_waits_for_confirmation_if_the_player_wants_that_which_is_remembered(page: Page) -> None:
    start_game(page, "sqez", "pp")
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
    expect(page.get_by_label("Confirm each move", exact=True)).to_be_checked()


def read_hand(page: Page) -> set[str]:
    """Return the tokens of the tiles in the tray."""
    tokens: list[str] = page.locator("#tray [data-token]").evaluate_all(
        "tiles => tiles.map((tile) => tile.dataset.token)"
    )
    return set(tokens)


def test_a_curtain_hides_the_hands_of_people_at_one_table(page: Page) -> None:
    """Before each turn the curtain must be lifted, also after a reload; a tile is dragged by mouse in between."""
    start_game(page, "squendo", "pp")
    expect(page.locator("#tray svg")).to_have_count(0)
    page.locator("#curtain button").click()
    page.wait_for_selector("#tray .can")
    hand = read_hand(page)
    tile = page.query_selector("#tray .can")
    assert tile is not None
    x, y = find_centre(tile)
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x, y - 60, steps=3)
    expect(page.locator(".ghost")).to_have_count(1)
    page.mouse.move(*locate_token(page, "0,0"), steps=3)
    page.mouse.up()
    wait_for_moves(page, 1)
    expect(page.locator("#curtain")).to_be_visible()
    expect(page.locator("#tray")).to_be_hidden()
    page.reload()
    expect(page.locator("#curtain")).to_be_visible()
    expect(page.locator("#tray svg")).to_have_count(0)
    page.locator("#curtain button").click()
    page.wait_for_selector("#tray .can")
    assert not hand & read_hand(page)


def test_a_blocker_can_be_carried_to_a_box_before_an_edge_is_drawn(page: Page) -> None:
    start_game(page, "squarin-off", "pp", cols=3, rows=3, blockers="1")
    press_by_mouse(page, page.query_selector('#tray [data-gesture="carry"]') or pytest.fail("no tray"))
    click_tokens(page, "#b2")
    expect(page.locator("#board .chosen")).to_have_count(1)
    click_tokens(page, "b2c2")
    wait_for_moves(page, 1)
    assert read_moves(page) == ["#b2 b2c2"]


def test_resigning_can_be_cancelled_or_makes_the_opponent_win_while_the_board_keeps_its_place(page: Page) -> None:
    """On the page and in the record; neither the question nor the result, which replaces it, moves the board."""
    start_game(page, "squarin-off", "pc", cols=3, rows=3)
    yes = page.locator("#resign-ask .danger")
    page.get_by_role("button", name="Resign").click()
    page.get_by_role("button", name="Cancel").click()
    expect(yes).to_be_hidden()
    expect(page.locator("#result")).to_be_hidden()
    expect(page.locator("#board .can")).not_to_have_count(0)
    page.get_by_role("button", name="Resign").click()
    expect(yes).to_be_visible()
    board = page.locator("#board svg.fc-board")
    place = board.bounding_box()
    assert place is not None
    yes.click()
    expect(page.locator("#result")).to_contain_text("resigned")
    wait_for_value(board.bounding_box, place)
    expect(page.locator("#turn")).to_have_text("You lost")
    match = fc.Record.parse(download_record(page)).match()
    assert match.outcome is not None
    assert match.outcome.winners == (1,)


def test_a_finished_game_is_on_the_home_page_with_its_result_and_a_rematch_rotates_the_seats(page: Page) -> None:
    start_game(page, "squarin-off", "pc", cols=3, rows=3)
    page.get_by_role("button", name="Resign").click()
    page.locator("#resign-ask .danger").click()
    expect(page.locator("#result")).to_contain_text("resigned")
    names = page.locator(".seat .who strong").all_inner_texts()
    page.goto("/")
    expect(page.get_by_role("region", name="Earlier games")).to_contain_text("You resigned")
    page.go_back()
    page.get_by_role("button", name="Rematch").click()
    expect(page.locator(".seat .who strong")).to_have_text([names[-1], *names[:-1]])


def test_a_record_can_be_opened_to_step_through_and_an_invalid_one_is_explained(page: Page, tmp_path: Path) -> None:
    path = tmp_path / "game.record"
    path.write_text(
        'fourcorners record 1\ngame: square-off\noptions: {"size": 4}\n\n1 0 a1\n2 1 b2\n', encoding="utf-8"
    )
    page.goto("/")
    page.set_input_files("#record", str(path))
    page.get_by_role("button", name="Open").click()
    wait_for_moves(page, 2)
    expect(page.locator("#board .can")).to_have_count(0)
    page.get_by_label("First position").click()
    expect(page.locator("#turn")).to_have_text("Before the first move")
    # The corner a1 is taken already.
    path.write_text(path.read_text(encoding="utf-8").replace("2 1 b2", "2 1 a1"), encoding="utf-8")
    page.goto("/")
    page.set_input_files("#record", str(path))
    page.get_by_role("button", name="Open").click()
    expect(page.get_by_role("alert")).to_contain_text("a1")
    expect(page.get_by_role("alert")).to_contain_text("line 6")


def test_other_people_can_only_watch_and_see_no_hand(page: Page, new_guest: NewGuest) -> None:
    start_game(page, "squendo", "pc")
    onlooker = new_guest()
    onlooker.goto(page.url)
    expect(onlooker.locator("#board > svg")).to_be_visible()
    expect(onlooker.locator("#tray svg")).to_have_count(0)
    expect(onlooker.locator(".can")).to_have_count(0)
    expect(onlooker.get_by_role("button", name="Resign")).to_be_hidden()
    play_randomly(page, 1, until=3)
    expect(onlooker.locator("#moves li")).to_have_count(page.locator("#moves li").count())


@pytest.mark.ci
def test_theme_and_palette_are_remembered_on_other_pages(page: Page, context: BrowserContext) -> None:
    page.goto("/")
    page.locator(".display summary").click()
    page.get_by_label("Dark").check()
    page.locator('.display input[name="palette"]').nth(1).check()
    palette = page.locator('.display input[name="palette"]').nth(1).get_attribute("value") or ""
    assert palette
    page.goto("/games/sqez")
    again = open_page(context)
    again.goto("/")
    for each in (page, again):
        expect(each.locator("html")).to_have_attribute("data-theme", "dark")
        expect(each.locator("html")).to_have_attribute("data-palette", palette)


def test_a_large_board_on_a_phone_can_be_zoomed_and_then_played_by_touch(phone: Page) -> None:
    start_game(phone, "sqez", "pp", cols=20, rows=20)
    phone.get_by_role("button", name="Zoom").tap()
    is_large = "document.querySelector('#board svg').clientWidth > 2 * document.querySelector('#board').clientWidth"
    wait_for_value(lambda: phone.evaluate(is_large), expected=True)
    wait_for_value(lambda: phone.evaluate("document.documentElement.scrollWidth") <= 360, expected=True)
    phone.touchscreen.tap(*locate_token(phone, "c3"))
    expect(phone.locator("#board .chosen")).to_have_count(1)
    phone.touchscreen.tap(*locate_token(phone, "e6"))
    wait_for_moves(phone, 1)
    wait_for_value(lambda: read_moves(phone), ["c3 e6"])


def test_a_phone_shows_the_points_above_the_board(phone: Page) -> None:
    start_game(phone, "dots-and-boxes", "pp", cols=1, rows=1)
    # The fourth edge, of the second player, closes the only box.
    play_randomly(phone, 1)
    expect(phone.locator(".strip-points")).to_have_text(["0", "1"])
    expect(phone.locator("#strip")).to_be_visible()


def test_a_tile_can_be_dragged_with_a_finger_without_scrolling_the_page(phone: Page) -> None:
    start_game(phone, "squendo", "pc")
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
    wait_for_value(lambda: phone.evaluate("scrollY"), 0)


def test_a_link_to_a_game_opens_at_the_position_that_was_shown(page: Page, new_guest: NewGuest) -> None:
    match = fc.Match(fc.game("square-off", size=4), ["Ada", "Ben"])
    for move in ("a1", "b2", "c3", "d4"):
        match.play(move)
    page.goto("/")
    answer = page.request.post("/records", form={"record": str(match.record())}, max_redirects=0)
    page.goto(answer.headers["location"])
    page.locator('#moves [data-ply="2"]').click()
    expect(page.locator('#moves [data-ply="2"]')).to_have_attribute("aria-current", "step")
    open_menu(page)
    page.get_by_role("button", name="Share", exact=True).click()
    expect(page.locator("#share-where")).to_have_text("It opens after move 2.")
    link = page.locator("#share-link").input_value()
    other = new_guest()
    other.goto(link)
    expect(other.locator('#moves [data-ply="2"]')).to_have_attribute("aria-current", "step")
    expect(other.locator("#scene")).to_have_class(re.compile(r"\bpast\b"))
    # The link of the current position leads to the current one.
    other.get_by_role("button", name="Current position").click()
    expect(other.locator('#moves [data-ply="4"]')).to_have_attribute("aria-current", "step")
    open_menu(other)
    other.get_by_role("button", name="Share", exact=True).click()
    expect(other.locator("#share-where")).to_be_empty()
    assert "ply" not in other.locator("#share-link").input_value()
    # So does one that names no position.
    other.goto(link.replace("ply=2", "ply=two"))
    expect(other.locator('#moves [data-ply="4"]')).to_have_attribute("aria-current", "step")
    expect(other.locator("#scene")).not_to_have_class(re.compile(r"\bpast\b"))
