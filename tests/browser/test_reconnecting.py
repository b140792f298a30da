"""Connections between players fail, and no move is lost."""

import re
from functools import partial

import pytest
from playwright.sync_api import Page, WebSocketRoute, expect

from tests.browser.conftest import NewGuest, open_page
from tests.browser.driver import click_tokens, read_moves, wait_for_moves, wait_for_value
from tests.browser.multiplayer import DISCONNECT_TIMEOUT_MS, MINE, OTHER, WAITING, create_table, seat_two_players
from tests.browser.silent_proxy import SilentProxy

pytestmark = pytest.mark.browser


def mark_document(page: Page) -> None:
    """Leave a mark in the page that a reload would remove."""
    page.evaluate("window.sameDocument = true")


def is_same_document(page: Page) -> bool:
    """Return whether the page still has the mark."""
    return bool(page.evaluate("window.sameDocument === true"))


@pytest.mark.ci
def test_a_player_returns_from_offline_to_the_current_board_without_a_reload_and_plays_on(new_guest: NewGuest) -> None:
    ada, ben = new_guest(), new_guest()
    seat_two_players(ada, ben)
    mark_document(ben)
    ben.context.set_offline(offline=True)
    expect(ben.locator("#link")).to_contain_text("lost", timeout=DISCONNECT_TIMEOUT_MS)
    expect(ada.locator(".seat").nth(1)).to_contain_text("offline", timeout=DISCONNECT_TIMEOUT_MS)
    click_tokens(ada, "a1")
    wait_for_moves(ada, 1)
    ada.get_by_role("button", name="Hello!").click()
    wait_for_moves(ben, 0)
    ben.context.set_offline(offline=False)
    wait_for_moves(ben, 1)
    # What was said meanwhile is news.
    expect(ben.locator("#announcer")).to_contain_text("Ada: Hello!")
    expect(ben.locator("#link")).to_have_text("")
    expect(ada.locator(".seat").nth(1)).to_contain_text("online")
    click_tokens(ben, "b2")
    wait_for_moves(ada, 2)
    for page in (ada, ben):
        wait_for_value(partial(read_moves, page), ["a1", "b2"])
    assert is_same_document(ben)


@pytest.mark.ci
def test_a_move_made_on_a_silent_connection_is_delivered_after_it_is_restored(
    new_guest: NewGuest, silent_proxy: SilentProxy
) -> None:
    ada, ben = new_guest(), new_guest(silent_proxy.url)
    seat_two_players(ada, ben)
    click_tokens(ada, "a1")
    ben.wait_for_selector(MINE)
    mark_document(ben)
    silent_proxy.silence()
    click_tokens(ben, "b2")
    expect(ben.locator("#link")).to_contain_text("Your move b2 will be sent", timeout=DISCONNECT_TIMEOUT_MS)
    wait_for_moves(ada, 1)
    silent_proxy.restore()
    expect(ada.locator("#moves li")).to_have_count(2, timeout=DISCONNECT_TIMEOUT_MS)
    wait_for_moves(ben, 2)
    for page in (ada, ben):
        wait_for_value(partial(read_moves, page), ["a1", "b2"])
    expect(ben.locator("#note")).to_be_hidden()
    assert is_same_document(ben)
    click_tokens(ada, "c3")
    wait_for_moves(ben, 3)


def test_an_unconfirmed_move_is_sent_after_a_reload_once(new_guest: NewGuest, silent_proxy: SilentProxy) -> None:
    ada, ben = new_guest(), new_guest(silent_proxy.url)
    seat_two_players(ada, ben)
    click_tokens(ada, "a1")
    ben.wait_for_selector(MINE)
    silent_proxy.silence_sockets()
    click_tokens(ben, "b2")
    ben.wait_for_selector('#play[data-state="busy"]')
    wait_for_moves(ada, 1)
    ben.reload()
    wait_for_moves(ada, 2)
    wait_for_moves(ben, 2)
    ben.wait_for_selector(OTHER)
    # The browser stores it no longer: another reload plays nothing.
    ben.reload()
    wait_for_moves(ben, 2)
    click_tokens(ada, "c3")
    ben.wait_for_selector(MINE)
    assert read_moves(ben) == ["a1", "b2", "c3"]


@pytest.mark.ci
def test_a_move_for_an_outdated_board_is_dropped_with_a_message(new_guest: NewGuest, silent_proxy: SilentProxy) -> None:
    ada, ben = new_guest(silent_proxy.url), new_guest()
    path = seat_two_players(ada, ben)
    other_tab = open_page(ada.context)
    silent_proxy.silence_sockets()
    click_tokens(ada, "a1")
    other_tab.goto(path)
    other_tab.wait_for_selector(MINE)
    click_tokens(other_tab, "d4")
    wait_for_moves(ben, 1)
    expect(ada.locator("#note-text")).to_have_text(
        "Your move a1 was not played: the board has changed.",
        timeout=DISCONNECT_TIMEOUT_MS,
        use_inner_text=False,
    )
    for page in (ada, ben):
        wait_for_value(partial(read_moves, page), ["d4"])
    # The dropped move is not on the board any more.
    ada.wait_for_selector(OTHER)
    expect(ada.locator('#board [data-token="a1"]')).to_have_attribute("aria-label", re.compile("free"))


@pytest.mark.ci
def test_too_many_connections_are_refused_with_a_message_and_can_be_retried(new_guest: NewGuest) -> None:
    ada = new_guest()
    path = create_table(ada, "square-off", "po", size="4")
    crowd = open_page(ada.context)
    crowd.goto("/")
    # With Ada's own page these are 24 sockets, the most that one player may have.
    crowd.evaluate(
        """([path, count]) => Promise.all(Array.from({length: count}, () => new Promise((done) => {
            const socket = new WebSocket(`ws://${location.host}${path}/live`);
            socket.addEventListener("open", done);
        })))""",
        [path, 23],
    )
    late = open_page(ada.context)
    late.goto(path)
    expect(late.locator("#link")).to_have_text("Too many connections are open.")
    # After a refusal the page waits for 30 seconds, of which one may have passed.
    expect(late.locator("#line-wait")).to_have_text(re.compile("^Reconnecting in (30|29) s[.]$"))
    crowd.close()
    # The server notices that a moment later.
    again = late.get_by_role("button", name="Reconnect now")

    def reconnect() -> bool:
        """Press the button once more if the page offers it; return whether the page is connected."""
        if again.is_visible():
            again.click()
        return late.locator(WAITING).is_visible()

    wait_for_value(reconnect, expected=True)
    expect(late.get_by_role("button", name="Leave seat")).to_be_visible()


def test_an_announced_restart_is_shown_and_the_page_reconnects(new_guest: NewGuest) -> None:
    ada = new_guest()
    path = create_table(ada, "square-off", "po", size="4")
    opened: list[str] = []

    def say_goodbye_once(socket: WebSocketRoute) -> None:
        """Announce a restart on the first connection; forward later ones to the server."""
        opened.append(socket.url)
        if len(opened) > 1:
            socket.connect_to_server()
            return

        def answer(_: object) -> None:
            """Answer the hello as a server does that is stopped."""
            socket.send('{"type":"goodbye","sentence":"The server restarts; it is back in a moment."}')
            socket.close(code=1012)

        socket.on_message(answer)

    ada.route_web_socket("**/live", say_goodbye_once)
    ada.goto(path)
    expect(ada.locator("#link")).to_have_text("The server restarts; it is back in a moment.")
    expect(ada.locator("#line-wait")).to_have_text(re.compile("^Reconnecting in [0-9] s[.]$"))
    expect(ada.locator("#link")).to_have_text("Reconnected.")
    ada.wait_for_selector(WAITING)
    assert len(opened) == 2


def test_a_missing_table_is_reported_and_not_retried(new_guest: NewGuest) -> None:
    ada = new_guest()
    path = create_table(ada, "square-off", "po", size="4")
    refused: list[str] = []

    def refuse_table(socket: WebSocketRoute) -> None:
        """Close the connection as a server does that has no such table."""
        refused.append(socket.url)
        socket.on_message(lambda _: socket.close(code=4404, reason="There is no such table."))

    other = open_page(ada.context)
    other.clock.install()
    other.route_web_socket("**/live", refuse_table)
    other.goto(path)
    expect(other.locator("#link")).to_have_text("There is no such table.")
    expect(other.locator("#line-now")).to_be_hidden()
    # Going online again, after which a lost connection is retried at once, does not retry it either.
    other.evaluate("dispatchEvent(new Event('online'))")
    other.clock.fast_forward("02:00")
    expect(other.locator("#link")).to_have_text("There is no such table.")
    assert len(refused) == 1
