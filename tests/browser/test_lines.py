"""Lines between people fail, and no move is lost."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, WebSocketRoute, expect

from tests.browser.conftest import Guests, watched
from tests.browser.driver import listed_moves
from tests.browser.line import SilentLine
from tests.browser.test_page import tap, wait_for_moves
from tests.browser.together import MINE, NOTICED, OTHER, WAITING, invite, pair

pytestmark = pytest.mark.browser


def mark(page: Page) -> None:
    page.evaluate("window.sameDocument = true")


def was_not_reloaded(page: Page) -> bool:
    return bool(page.evaluate("window.sameDocument === true"))


def test_who_was_offline_is_back_on_the_right_board_without_reloading(guest: Guests) -> None:
    ada, ben = guest(), guest()
    pair(ada, ben)
    mark(ben)
    ben.context.set_offline(offline=True)
    expect(ben.locator("#link")).to_contain_text("lost", timeout=NOTICED)
    expect(ada.locator(".seat").nth(1)).to_contain_text("away", timeout=NOTICED)
    tap(ada, "a1")
    wait_for_moves(ada, 1)
    wait_for_moves(ben, 0)
    ben.context.set_offline(offline=False)
    wait_for_moves(ben, 1)
    expect(ben.locator("#link")).to_have_text("")
    expect(ada.locator(".seat").nth(1)).to_contain_text("here")
    tap(ben, "b2")
    wait_for_moves(ada, 2)
    assert listed_moves(ada) == listed_moves(ben) == ["a1", "b2"]
    assert was_not_reloaded(ben)


def test_a_move_made_on_a_silent_line_is_delivered_once_it_is_back(guest: Guests, line: SilentLine) -> None:
    ada, ben = guest(), guest(line.url)
    pair(ada, ben)
    tap(ada, "a1")
    ben.wait_for_selector(MINE)
    mark(ben)
    line.silence()
    tap(ben, "b2")
    expect(ben.locator("#link")).to_contain_text("Your move b2 is kept", timeout=NOTICED)
    wait_for_moves(ada, 1)
    line.restore()
    expect(ada.locator("#moves li")).to_have_count(2, timeout=NOTICED)
    wait_for_moves(ben, 2)
    assert listed_moves(ada) == listed_moves(ben) == ["a1", "b2"]
    expect(ben.locator("#note")).to_be_hidden()
    assert was_not_reloaded(ben)
    tap(ada, "c3")
    wait_for_moves(ben, 3)


def test_a_move_on_its_way_outlives_a_reload(guest: Guests, line: SilentLine) -> None:
    ada, ben = guest(), guest(line.url)
    pair(ada, ben)
    tap(ada, "a1")
    ben.wait_for_selector(MINE)
    line.silence_sockets()
    tap(ben, "b2")
    ben.wait_for_selector('#play[data-state="busy"]')
    wait_for_moves(ada, 1)
    ben.reload()
    wait_for_moves(ada, 2)
    wait_for_moves(ben, 2)
    ben.wait_for_selector(OTHER)
    # It is kept no longer: loading the page once more plays nothing.
    ben.reload()
    wait_for_moves(ben, 2)
    tap(ada, "c3")
    ben.wait_for_selector(MINE)
    assert listed_moves(ben) == ["a1", "b2", "c3"]


def test_a_move_for_a_board_that_has_changed_is_not_played_and_that_is_said(guest: Guests, line: SilentLine) -> None:
    ada, ben = guest(line.url), guest()
    path = pair(ada, ben)
    other_tab = watched(ada.context)
    line.silence_sockets()
    tap(ada, "a1")
    other_tab.goto(path)
    other_tab.wait_for_selector(MINE)
    tap(other_tab, "d4")
    wait_for_moves(ben, 1)
    expect(ada.get_by_role("alert")).to_have_text(
        "Your move a1 was not played: the board had changed meanwhile.×", timeout=NOTICED, use_inner_text=False
    )
    assert listed_moves(ada) == listed_moves(ben) == ["d4"]
    ada.wait_for_selector(OTHER)
    assert "free" in (ada.get_attribute('#board [data-token="a1"]', "aria-label") or "")


def open_sockets(page: Page) -> float:
    counted = re.search(r"^fourcorners_sockets (\S+)$", page.request.get("/metrics").text(), re.MULTILINE)
    assert counted is not None
    return float(counted[1])


def test_too_many_connections_are_refused_in_words_and_can_be_tried_again(guest: Guests) -> None:
    ada = guest()
    path = invite(ada, "square-off", "po", size="4")
    crowd = watched(ada.context)
    crowd.goto("/")
    crowd.evaluate(
        """([path, count]) => Promise.all(Array.from({length: count}, () => new Promise((done) => {
            const socket = new WebSocket(`ws://${location.host}${path}/live`);
            socket.addEventListener("open", done);
        })))""",
        [path, 23],
    )
    late = watched(ada.context)
    late.goto(path)
    expect(late.locator("#link")).to_have_text("Too many connections are open.")
    expect(late.locator("#line-wait")).to_have_text(re.compile("^Trying again in (30|29) s[.]$"))
    crowd.close()
    # The server is told of that a moment later.
    while open_sockets(late) > 1:
        late.wait_for_timeout(100)
    late.get_by_role("button", name="Now", exact=True).click()
    late.wait_for_selector(WAITING)
    expect(late.get_by_role("button", name="Leave the seat")).to_be_visible()


def test_what_a_server_says_when_it_goes_is_shown_and_what_cannot_be_is_not_tried_again(guest: Guests) -> None:
    ada = guest()
    path = invite(ada, "square-off", "po", size="4")
    came: list[str] = []

    def bye(socket: WebSocketRoute) -> None:
        came.append(socket.url)
        if len(came) > 1:
            socket.connect_to_server()
            return

        def answer(_: object) -> None:
            socket.send('{"type":"bye","sentence":"The server restarts; it is back in a moment."}')
            socket.close(code=1012)

        socket.on_message(answer)

    ada.route_web_socket("**/live", bye)
    ada.goto(path)
    expect(ada.locator("#link")).to_have_text("The server restarts; it is back in a moment.")
    expect(ada.locator("#line-wait")).to_have_text("Trying again in 1 s.")
    expect(ada.locator("#link")).to_have_text("Back: the board is up to date.")
    ada.wait_for_selector(WAITING)
    assert len(came) == 2

    gone: list[str] = []

    def none(socket: WebSocketRoute) -> None:
        gone.append(socket.url)
        socket.on_message(lambda _: socket.close(code=4404, reason="there is no such table"))

    other = watched(ada.context)
    other.route_web_socket("**/live", none)
    other.goto(path)
    expect(other.locator("#link")).to_have_text("There is no such table.")
    expect(other.locator("#line-now")).to_be_hidden()
    # Nor is it tried again by who comes back to the page.
    other.evaluate("dispatchEvent(new Event('online'))")
    other.wait_for_timeout(600)
    assert len(gone) == 1
