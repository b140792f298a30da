"""What the pages do besides a plain game: restart, stepping, undo, reasons, the curtain, gestures, accessibility."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, BrowserContext, Page, expect

import fourcorners as fc
from tests.browser.conftest import LOOKS, Server, themed, watched
from tests.browser.driver import READY, by_mouse, check_result, listed_moves, middle, play_on, record_of, set_up

pytestmark = pytest.mark.browser


def node(page: Page, token: str) -> tuple[float, float]:
    element = page.query_selector(f'#scene [data-token="{token}"]')
    assert element is not None
    return middle(element)


def tap(page: Page, *tokens: str) -> None:
    for token in tokens:
        page.mouse.click(*node(page, token))


def wait_for_moves(page: Page, count: int) -> None:
    expect(page.locator("#moves li")).to_have_count(count)


def assert_accessible(page: Page) -> None:
    found = Axe().run(page)
    assert not found.response["violations"], found.generate_report()


def test_a_restart_in_the_middle_loses_nothing(chromium: Browser, tmp_path: Path) -> None:
    server = Server(tmp_path)
    server.start()
    context = chromium.new_context(
        base_url=server.url, viewport={"width": 1280, "height": 900}, reduced_motion="reduce"
    )
    try:
        page = watched(context)
        set_up(page, "sqez", "pc", cols=6, rows=6)
        play_on(page, 1, until=2)
        page.wait_for_selector(READY)
        before = listed_moves(page)
        picture = page.inner_html("#board")
        server.stop(signal.SIGKILL)
        expect(page.locator("#link")).to_contain_text("lost")
        server.start()
        expect(page.locator("#link")).to_have_text("")
        page.wait_for_selector(READY)
        assert listed_moves(page)[: len(before)] == before
        page.reload()
        page.wait_for_selector(READY)
        assert listed_moves(page)[: len(before)] == before
        if len(listed_moves(page)) == len(before):
            assert page.locator("#board [data-token]").count() == picture.count("data-token")
        play_on(page, 2)
        check_result(page)
    finally:
        context.close()
        server.stop()


@pytest.mark.parametrize(("theme", "width"), LOOKS)
def test_axe_finds_nothing(chromium: Browser, server: Server, theme: str, width: int) -> None:
    context = themed(chromium, server, theme, width)
    page = watched(context)
    page.goto("/")
    assert_accessible(page)
    page.locator(".display summary").click()
    assert_accessible(page)
    page.goto("/no-such-page")
    assert_accessible(page)
    for game in fc.games():
        page.goto(f"/games/{game}")
        page.locator("details.options > summary").click()
        assert_accessible(page)
        assert page.evaluate("document.documentElement.scrollWidth") <= width
    for game in ("sqez", "squendo", "square-off", "squarin-off"):
        set_up(page, game, "pp")
        assert_accessible(page)
        if page.locator("#curtain button").count():
            page.locator("#curtain button").click()
            page.wait_for_selector("#tray svg")
            assert_accessible(page)
        assert page.evaluate("document.documentElement.scrollWidth") <= width
    context.close()


def test_the_form_says_what_does_not_fit_and_shows_the_seats(page: Page) -> None:
    page.goto("/games/sqez")
    page.locator("details.options > summary").click()
    page.locator("#o-cols").fill("99")
    expect(page.locator('[data-field="cols"] [data-reason]')).to_contain_text("from 3 to 20")
    page.locator("#o-cols").fill("8")
    expect(page.locator('[data-field="cols"] [data-reason]')).to_be_hidden()
    page.locator("#o-players").fill("5")
    expect(page.locator("[data-seat]:visible")).to_have_count(5)
    page.locator("#o-cols").fill("2")
    page.locator("[name=name-0]").fill("Ada <b>")
    page.get_by_role("button", name="Start the game").click()
    expect(page.locator('[data-field="cols"] [data-reason]')).to_contain_text("from 3 to 20")
    assert page.locator("[name=name-0]").input_value() == "Ada <b>"
    assert page.locator("[data-seat]:visible").count() == 5


def test_two_people_step_through_their_game_and_take_back(page: Page) -> None:
    set_up(page, "square-off", "pp", size=4)
    for count, token in enumerate(("a1", "b2", "c3"), 1):
        tap(page, token)
        wait_for_moves(page, count)
    page.get_by_label("One move back").click()
    expect(page.locator("#turn")).to_have_text("After move 2 of 3")
    assert "free" in (page.get_attribute('#board [data-token="c3"]', "aria-label") or "")
    assert page.locator("#board .can").count() == 0
    page.get_by_label("To the start").click()
    expect(page.locator("#turn")).to_have_text("After move 0 of 3")
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
    tap(page, "d4")
    wait_for_moves(page, 3)
    assert "!undo 2" in record_of(page)


def test_the_list_shows_the_move_that_is_looked_at(page: Page) -> None:
    shown = """() => {
        const list = document.querySelector("#moves").getBoundingClientRect();
        const move = document.querySelector("#moves [aria-current]").getBoundingClientRect();
        return move.top >= list.top && move.bottom <= list.bottom + 1;
    }"""
    set_up(page, "dots-and-boxes", "pp", cols=4, rows=3)
    play_on(page, 1)
    assert page.evaluate("document.querySelector('#moves').scrollTop") > 0
    assert page.evaluate(shown)
    for _ in range(3):
        page.get_by_label("One move back").click()
        assert page.evaluate(shown)
    page.get_by_label("To the start").click()
    for name in ("One move forward", "To the position now"):
        page.get_by_label(name).click()
        assert page.evaluate(shown)


def test_pointing_at_what_cannot_be_played_says_why_and_the_focus_stays(page: Page) -> None:
    set_up(page, "square-off", "pp", size=4)
    tap(page, "a1")
    wait_for_moves(page, 1)
    # A hand that is not quite still after its move is told nothing.
    x, y = node(page, "a1")
    page.mouse.move(x + 1, y + 1)
    page.wait_for_timeout(700)
    assert "not free" not in page.inner_text("#status")
    page.mouse.move(5, 5)
    page.mouse.move(x, y)
    expect(page.locator("#status")).to_contain_text("a1 is not free", ignore_case=True)
    page.mouse.move(5, 5)
    expect(page.locator("#status")).not_to_contain_text("not free")
    page.focus('#board [data-token="a1"]')
    page.keyboard.press("Enter")
    expect(page.locator("#status")).to_contain_text("a1 is not free", ignore_case=True)
    assert page.evaluate("document.activeElement.dataset.token") == "a1"
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    wait_for_moves(page, 2)
    assert page.evaluate("document.activeElement.dataset.token") == "b1"


def test_a_rectangle_is_dragged_in_any_direction(page: Page) -> None:
    set_up(page, "sqez", "pp")
    for count, (start, end, move) in enumerate(
        (("b2", "d4", "b2 d4"), ("h8", "f6", "f6 h8"), ("b8", "d6", "b6 d8")), 1
    ):
        page.mouse.move(*node(page, start))
        page.mouse.down()
        page.mouse.move(*node(page, "e5"), steps=3)
        assert page.locator("#board .band").count() == 1
        page.mouse.move(*node(page, end), steps=3)
        page.mouse.up()
        wait_for_moves(page, count)
        assert listed_moves(page)[-1] == move
    tap(page, "g2")
    assert page.locator("#board .chosen").count() == 1
    page.keyboard.press("Escape")
    assert page.locator("#board .chosen").count() == 0
    tap(page, "a1", "b2")
    expect(page.locator("#status")).to_contain_text("inside", ignore_case=True)
    wait_for_moves(page, 3)


def test_a_move_waits_for_its_confirmation(page: Page) -> None:
    set_up(page, "sqez", "pp")
    page.get_by_label("Confirm my move").check()
    tap(page, "b2", "d4")
    expect(page.locator("#status")).to_have_text("Play b2 d4?")
    wait_for_moves(page, 0)
    page.get_by_role("button", name="Not yet").click()
    expect(page.locator("#choices")).to_be_hidden()
    tap(page, "b2", "e5")
    page.get_by_role("button", name="Confirm").click()
    wait_for_moves(page, 1)
    assert listed_moves(page) == ["b2 e5"]
    page.reload()
    page.wait_for_selector(READY)
    assert page.get_by_label("Confirm my move").is_checked()


def test_a_curtain_hides_the_hands_of_several_people(page: Page) -> None:
    set_up(page, "squendo", "pp")
    assert page.locator("#tray svg").count() == 0
    page.locator("#curtain button").click()
    page.wait_for_selector("#tray .can")
    hand = {item.get_attribute("data-token") for item in page.query_selector_all("#tray [data-token]")}
    tile = page.query_selector("#tray .can")
    assert tile is not None
    x, y = middle(tile)
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x, y - 60, steps=3)
    assert page.locator(".ghost").count() == 1
    page.mouse.move(*node(page, "0,0"), steps=3)
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


def test_a_blocker_is_picked_up_and_put_on_a_box(page: Page) -> None:
    set_up(page, "squarin-off", "pp", cols=3, rows=3, blockers="1")
    by_mouse(page, page.query_selector('#tray [data-gesture="carry"]') or pytest.fail("no tray"))
    tap(page, "#b2")
    assert page.locator("#board .chosen").count() == 1
    tap(page, "b2c2")
    wait_for_moves(page, 1)
    assert listed_moves(page) == ["#b2 b2c2"]


def test_resigning_is_asked_for_once_and_ends_the_game(page: Page) -> None:
    set_up(page, "squarin-off", "pc", cols=3, rows=3)
    page.get_by_role("button", name="Resign").click()
    page.get_by_role("button", name="Play on").click()
    expect(page.locator("#result")).to_be_hidden()
    page.get_by_role("button", name="Resign").click()
    board = page.locator("#board svg.fc-board")
    place = board.bounding_box()
    page.locator('[data-answer="yes"]').click()
    expect(page.locator("#result")).to_contain_text("resigned")
    expect(page.locator("#turn")).to_contain_text("wins")
    assert board.bounding_box() == place
    match = fc.Record.parse(record_of(page)).match()
    assert match.outcome is not None
    assert match.outcome.winners == (1,)
    names = page.locator(".seat .who strong").all_inner_texts()
    page.get_by_role("button", name="Play again").click()
    expect(page.locator(".seat .who strong")).to_have_text([names[-1], *names[:-1]])
    page.goto("/")
    expect(page.locator(".tables")).to_contain_text(f"wins: {names[0]} resigned")


def test_a_record_is_looked_at_and_a_wrong_one_explained(page: Page, tmp_path: Path) -> None:
    path = tmp_path / "game.record"
    path.write_text(
        'fourcorners record 1\ngame: square-off\noptions: {"size": 4}\n\n1 0 a1\n2 1 b2\n', encoding="utf-8"
    )
    page.goto("/")
    page.set_input_files("#record", str(path))
    page.get_by_role("button", name="Open").click()
    wait_for_moves(page, 2)
    assert page.locator("#board .can").count() == 0
    page.get_by_label("To the start").click()
    expect(page.locator("#turn")).to_have_text("After move 0 of 2")
    path.write_text(path.read_text(encoding="utf-8").replace("2 1 b2", "2 1 a1"), encoding="utf-8")
    page.goto("/")
    page.set_input_files("#record", str(path))
    page.get_by_role("button", name="Open").click()
    expect(page.get_by_role("alert")).to_contain_text("a1")
    expect(page.get_by_role("alert")).to_contain_text("line 6")


def test_others_only_look_on(page: Page, chromium: Browser, server: Server) -> None:
    set_up(page, "squendo", "pc")
    other = chromium.new_context(base_url=server.url)
    onlooker = watched(other)
    onlooker.goto(page.url)
    expect(onlooker.locator("#board > svg")).to_be_visible()
    assert onlooker.locator("#tray svg").count() == 0
    assert onlooker.locator(".can").count() == 0
    expect(onlooker.get_by_role("button", name="Resign")).to_be_hidden()
    play_on(page, 1, until=3)
    expect(onlooker.locator("#moves li")).to_have_count(page.locator("#moves li").count())
    other.close()


def test_theme_and_palette_are_kept(page: Page, context: BrowserContext) -> None:
    page.goto("/")
    page.locator(".display summary").click()
    page.get_by_label("Dark").check()
    page.locator('.display input[name="palette"]').nth(1).check()
    page.goto("/games/sqez")
    assert page.get_attribute("html", "data-theme") == "dark"
    assert page.get_attribute("html", "data-palette") == page.locator('.display input[name="palette"]').nth(
        1
    ).get_attribute("value")
    again = watched(context)
    again.goto("/")
    assert again.get_attribute("html", "data-theme") == "dark"


def test_a_large_board_on_a_phone_can_be_zoomed(phone: Page) -> None:
    set_up(phone, "sqez", "pp", cols=20, rows=20)
    phone.get_by_role("button", name="Zoom").tap()
    assert phone.evaluate(
        "document.querySelector('#board svg').clientWidth > 2 * document.querySelector('#board').clientWidth"
    )
    assert phone.evaluate("document.documentElement.scrollWidth") <= 360
    phone.touchscreen.tap(*node(phone, "c3"))
    phone.touchscreen.tap(*node(phone, "e6"))
    wait_for_moves(phone, 1)
    assert listed_moves(phone) == ["c3 e6"]


def test_the_points_stand_above_the_board_on_a_phone(phone: Page) -> None:
    set_up(phone, "dots-and-boxes", "pp", cols=1, rows=1)
    play_on(phone, 1)
    expect(phone.locator(".strip-points")).to_have_text(["0", "1"])
    expect(phone.locator("#strip")).to_be_visible()


def test_a_tile_is_carried_by_a_finger(phone: Page) -> None:
    set_up(phone, "squendo", "pc")
    phone.evaluate("scrollTo(0, 0)")
    tile = phone.query_selector("#tray .can")
    assert tile is not None
    finger = phone.context.new_cdp_session(phone)
    (x, y), (to_x, to_y) = middle(tile), node(phone, "0,0")
    finger.send("Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": [{"x": x, "y": y}]})
    for part in (0.3, 0.7, 1.0):
        point = {"x": x + part * (to_x - x), "y": y + part * (to_y - y)}
        finger.send("Input.dispatchTouchEvent", {"type": "touchMove", "touchPoints": [point]})
    expect(phone.locator(".ghost")).to_be_visible()
    finger.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    expect(phone.locator("#moves li")).not_to_have_count(0)
    assert phone.evaluate("scrollY") == 0
