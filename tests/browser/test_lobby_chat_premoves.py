"""Playing with others: the lobby, chat, premoves and notifications, in two separate browsers."""

import json
import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, WebSocketRoute, expect

from tests.browser.conftest import NewGuest
from tests.browser.driver import assert_accessible, click_tokens, open_menu, read_moves, wait_for_value
from tests.browser.multiplayer import MINE, OTHER

pytestmark = pytest.mark.browser
PLANNING = '#play[data-state="planning"]'


@pytest.fixture
def two_pages(new_guest: NewGuest) -> tuple[Page, Page]:
    """The empty pages of two visitors."""
    return new_guest(), new_guest()


def take_free_seat(page: Page, name: str) -> None:
    """Take the first open seat of the table that the page shows, once it shows one; do not wait for the answer."""
    sit = page.get_by_role("button", name="Sit here").first
    sit.wait_for()
    page.locator("#sit-name").fill(name)
    sit.click()


def start_game_by_link(ada: Page, bob: Page, game: str = "square-off", **form: str) -> None:
    """Let Ada create a game and Bob join by its link; both pages show the table, where Ada at seat 0 is to move.

    `form` has further fields. Square Off is played on 4 × 4 without a swap by default.
    """
    defaults = {"size": "4", "swap": "false"} if game == "square-off" else {}
    fields = {"who-begins": "order", "seat-0": "person", "name-0": "Ada", "seat-1": "open", **defaults, **form}
    ada.goto("/")
    response = ada.request.post(f"/games/{game}", form=dict(fields), max_redirects=0)
    address = response.headers["location"]
    ada.goto(address)
    bob.goto(address)
    take_free_seat(bob, "Bob")
    ada.wait_for_selector(MINE)
    bob.wait_for_selector(OTHER)


def hold_messages(page: Page, held: set[str]) -> Callable[[], None]:
    """Hold back the server's messages of these types, which may change; return a function that delivers them.

    Call it before the page opens its table.
    """
    waiting: list[tuple[WebSocketRoute, str | bytes]] = []

    def connect(socket: WebSocketRoute) -> None:
        """Connect the page to the server."""

        def forward(message: str | bytes) -> None:
            """Deliver a message, or hold it back."""
            if json.loads(message)["type"] in held:
                waiting.append((socket, message))
            else:
                socket.send(message)

        socket.connect_to_server().on_message(forward)

    def release() -> None:
        """Deliver what was held back, and all that follows."""
        held.clear()
        while waiting:
            socket, message = waiting.pop(0)
            socket.send(message)

    page.route_web_socket("**/live", connect)
    return release


def test_a_new_game_appears_in_an_open_lobby_where_it_can_be_joined_and_then_continued(
    two_pages: tuple[Page, Page],
) -> None:
    ada, bob = two_pages
    bob.goto("/lobby")
    ada.goto("/lobby")
    ada.locator("main").get_by_role("link", name="Sqez", exact=True).click()
    expect(ada.get_by_role("radio", name="Listed in the lobby")).to_be_checked()
    ada.locator("[name=name-0]").fill("Ada <b>")
    ada.get_by_label("Seats as listed").check()
    ada.locator("#clock").select_option("900+10")
    ada.get_by_role("button", name="Create game and share link").click()
    ada.wait_for_selector("#waiting:not([hidden])")
    table = ada.url.rpartition("/")[2]
    # The card appears without a reload and shows that Ada is connected.
    card = bob.locator(f'.meeting[data-table="{table}"]')
    expect(card).to_contain_text("Ada <b>")
    expect(card).to_contain_text("15 min + 10 s")
    expect(card.locator(".here")).to_have_count(1)
    assert_accessible(bob)
    # Join takes the seat.
    card.get_by_role("link", name="Join").click()
    ada.wait_for_selector(MINE)
    bob.wait_for_selector(OTHER)
    # The running game is listed with both names; strangers can watch it, and its players return to it.
    bob.goto("/lobby")
    expect(card).to_contain_text("Ada <b> – Guest")
    card.get_by_role("link", name="Continue").click()
    bob.wait_for_selector(OTHER)


def test_the_form_shows_multiplayer_options_only_with_an_open_seat(page: Page) -> None:
    page.goto("/games/sqez")
    company = page.locator("fieldset.company")
    expect(company).to_be_hidden()
    expect(page.get_by_role("button", name="Start game")).to_be_visible()
    page.locator("[name=seat-1]").select_option("open")
    expect(company).to_be_visible()
    expect(page.get_by_role("button", name="Create game and share link")).to_be_visible()
    # A person joins by the link there, so that it needs no level of a computer.
    expect(page.locator("[name=level-1]")).to_be_hidden()


def test_the_form_explains_an_invalid_custom_clock_and_keeps_the_input(page: Page) -> None:
    page.goto("/games/sqez")
    page.locator("[name=seat-1]").select_option("open")
    page.locator("#clock").select_option("game")
    page.locator("#clock-minutes").fill("0")
    expect(page.locator("#r-clock-minutes")).to_contain_text("10 seconds")
    assert_accessible(page)
    # Another kind of clock hides the field with the invalid value.
    page.locator("#clock").select_option("days")
    expect(page.locator("#clock-minutes")).to_be_hidden()
    expect(page.locator("#r-clock-minutes")).to_be_hidden()
    page.locator("#clock-days").fill("99")
    page.get_by_role("button", name="Create game").click()
    expect(page.locator("#r-clock-days")).to_contain_text("1 to 14")
    expect(page.locator("#clock-days")).to_have_value("99")


@pytest.mark.ci
def test_focus_stays_on_cancel_while_other_games_appear_in_the_lobby(two_pages: tuple[Page, Page]) -> None:
    ada, bob = two_pages
    form = {"seat-0": "person", "seat-1": "open", "visibility": "public"}

    def offer_game(page: Page) -> str:
        """Offer a public game of Sqez without opening it; return the id of the table."""
        page.goto("/lobby")
        answer = page.request.post("/games/sqez", form=dict(form), max_redirects=0)
        return answer.headers["location"].rpartition("/")[2]

    own = offer_game(ada)
    cancel = ada.locator(f'.meeting[data-table="{own}"]').get_by_role("button", name="Cancel")
    cancel.focus()
    other = offer_game(bob)
    expect(ada.locator(f'.meeting[data-table="{other}"]')).to_be_visible()
    expect(cancel).to_be_focused()
    cancel.press("Enter")
    expect(ada.locator(f'.meeting[data-table="{own}"]')).to_have_count(0)


def test_chat_messages_are_shown_as_text_and_can_be_muted_and_reported(two_pages: tuple[Page, Page]) -> None:
    ada, bob = two_pages
    start_game_by_link(ada, bob, chat="free")
    ada.get_by_role("button", name="Good luck!").click()
    expect(bob.locator("#talk .saying")).to_contain_text("Good luck!")
    said = "<img src=x onerror=\"document.title='broken'\">"
    bob.locator("#talk-text").fill(said)
    bob.locator("#talk-text").press("Enter")
    line = ada.locator("#talk .saying").nth(1)
    expect(line).to_contain_text(said)
    expect(ada.locator("#talk img")).to_have_count(0)
    assert "broken" not in ada.title()
    expect(bob.locator("#talk-text")).to_have_value("")
    line.locator("summary").click()
    assert_accessible(ada)
    line.get_by_role("button", name="Report").click()
    expect(ada.locator("#talk-note")).to_contain_text("Reported")
    line.locator("summary").click()
    # Only Bob's lines disappear, later ones too, and only for Ada, also after a reload.
    line.get_by_role("button", name="Mute Bob").click()
    expect(ada.locator("#talk .saying")).to_have_count(1)
    bob.get_by_role("button", name="Hello!").click()
    expect(bob.locator("#talk .saying")).to_have_count(3)
    ada.reload()
    expect(ada.locator("#talk-unmute")).to_contain_text("Bob")
    expect(ada.locator("#talk .saying")).to_have_count(1)
    ada.get_by_role("button", name="Unmute").click()
    expect(ada.locator("#talk .saying")).to_have_count(3)


@pytest.mark.ci
def test_free_text_needs_an_option_and_chat_and_premoves_need_an_opponent(two_pages: tuple[Page, Page]) -> None:
    ada, bob = two_pages
    start_game_by_link(ada, bob)
    expect(ada.locator("#phrases button").first).to_be_visible()
    expect(ada.locator("#talk-form")).to_be_hidden()
    # A game against the computer.
    bob.goto("/games/sqez")
    bob.get_by_role("button", name="Start game").click()
    bob.wait_for_selector(f"{MINE}, {OTHER}")
    expect(bob.locator("#talk-panel")).to_be_hidden()
    expect(bob.locator("#premoves")).to_be_hidden()


def test_a_premove_survives_a_reload_and_can_be_cancelled_or_is_played(two_pages: tuple[Page, Page]) -> None:
    ada, bob = two_pages
    start_game_by_link(ada, bob)
    click_tokens(bob, "b2")
    expect(bob.locator("#premove-lines")).to_contain_text("b2")
    # A mark consists of two rectangles.
    expect(bob.locator(".premove-marks rect")).to_have_count(2)
    assert_accessible(bob)
    # It survives a reload, and Escape cancels it.
    bob.reload()
    expect(bob.locator(".premove-marks rect")).to_have_count(2)
    bob.keyboard.press("Escape")
    expect(bob.locator(".premove-marks")).to_have_count(0)
    bob.get_by_role("button", name="Set a premove").click()
    bob.wait_for_selector(PLANNING)
    click_tokens(bob, "c3")
    expect(bob.locator("#premove-lines")).to_contain_text("c3")
    click_tokens(ada, "a1")
    expect(bob.locator("#moves li")).to_have_count(2)
    wait_for_value(lambda: read_moves(bob), ["a1", "c3"])
    expect(bob.locator("#premove-lines li")).to_have_count(0)
    ada.wait_for_selector(MINE)
    # The opponent is shown nothing of it.
    expect(ada.locator("#premove-lines li")).to_have_count(0)


@pytest.mark.ci
def test_an_illegal_premove_is_dropped_with_an_explanation_and_the_player_moves(two_pages: tuple[Page, Page]) -> None:
    ada, bob = two_pages
    start_game_by_link(ada, bob)
    click_tokens(bob, "b2")
    expect(bob.locator("#premove-lines")).to_contain_text("b2")
    click_tokens(ada, "b2")
    expect(bob.locator("#status")).to_contain_text("was not played: ")
    bob.wait_for_selector(MINE)
    wait_for_value(lambda: read_moves(bob), ["b2"])
    click_tokens(bob, "c3")
    expect(ada.locator("#moves li")).to_have_count(2)


@pytest.mark.parametrize("clock", ["3d", pytest.param("", marks=pytest.mark.ci)])
def test_conditional_premoves_are_entered_as_a_tree_on_a_separate_board_and_played(
    two_pages: tuple[Page, Page], clock: str
) -> None:
    """Bob enters replies to two moves, continues after one of them, and deletes the other. Ada follows the rest."""
    ada, bob = two_pages
    start_game_by_link(ada, bob, clock=clock)
    lines = bob.locator("#premove-lines li")

    def enter(*moves: str) -> None:
        """Choose moves, of which the last is a reply, and save the line."""
        bob.wait_for_selector(PLANNING)
        for move in moves:
            expect(bob.locator("#premoves")).not_to_contain_text(move)
            click_tokens(bob, move)
            expect(bob.locator("#premoves")).to_contain_text(move)
        bob.get_by_role("button", name="Save line").click()
        expect(bob.locator("#scene.trial")).to_have_count(0)

    bob.get_by_role("button", name="Conditional premoves").click()
    bob.wait_for_selector(PLANNING)
    click_tokens(bob, "a1")
    expect(bob.locator("#premove-text")).to_have_text("Now choose your reply.")
    click_tokens(bob, "b2")
    # A line can be saved only after a move of his own.
    expect(bob.locator("#premove-keep")).to_be_visible()
    click_tokens(bob, "c1")
    expect(bob.locator("#premove-keep")).to_be_hidden()
    bob.get_by_role("button", name="Undo last move").click()
    bob.get_by_role("button", name="Save line").click()
    expect(lines).to_have_count(1)
    bob.get_by_role("button", name="Conditional premoves").click()
    enter("a2", "d4")
    expect(lines).to_have_count(2)
    # After the first reply he expects one of two moves.
    bob.get_by_role("button", name="Continue after a1, b2", exact=True).click()
    enter("c1", "c3")
    # A move that he has answered already is answered in the same way again.
    bob.get_by_role("button", name="Conditional premoves").click()
    bob.wait_for_selector(PLANNING)
    click_tokens(bob, "a1")
    expect(bob.locator("#premove-lines")).to_contain_text("b2")
    enter("c2", "d3")
    expect(lines).to_have_count(4)
    expect(bob.locator("#premove-lines ol li")).to_have_count(2)
    assert_accessible(bob)
    bob.get_by_role("button", name="Delete premove a2, d4").click()
    expect(lines).to_have_count(3)
    assert read_moves(bob) == []
    # The tree is there after a reload, and for no one else.
    bob.reload()
    expect(lines).to_have_count(3)
    expect(ada.locator("#premove-lines li")).to_have_count(0)
    click_tokens(ada, "a1")
    wait_for_value(lambda: read_moves(ada), ["a1", "b2"])
    expect(lines).to_have_count(2)
    ada.wait_for_selector(MINE)
    click_tokens(ada, "c2")
    wait_for_value(lambda: read_moves(ada), ["a1", "b2", "c2", "d3"])
    expect(lines).to_have_count(0)


def enter_first_line(page: Page) -> None:
    """Choose the conditional premoves a1, b2 without saving them."""
    page.get_by_role("button", name="Conditional premoves").click()
    page.wait_for_selector(PLANNING)
    for move in ("a1", "b2"):
        click_tokens(page, move)
        expect(page.locator("#premove-lines")).to_contain_text(move)


@pytest.mark.ci
def test_a_button_works_that_is_pressed_while_the_saved_line_arrives(two_pages: tuple[Page, Page]) -> None:
    ada, bob = two_pages
    held: set[str] = set()
    release = hold_messages(bob, held)
    start_game_by_link(ada, bob, clock="3d")
    enter_first_line(bob)
    held.add("premoves")
    bob.get_by_role("button", name="Save line").click()
    bob.get_by_role("button", name="Conditional premoves").hover()
    bob.mouse.down()
    release()
    # The list would move the button away.
    bob.wait_for_timeout(200)
    bob.mouse.up()
    bob.wait_for_selector(PLANNING)
    bob.get_by_role("button", name="Cancel").click()
    expect(bob.locator("#premove-lines li")).to_have_count(1)


@pytest.mark.ci
def test_buttons_work_while_a_preview_of_premoves_is_awaited(two_pages: tuple[Page, Page]) -> None:
    ada, bob = two_pages
    held: set[str] = set()
    release = hold_messages(bob, held)
    start_game_by_link(ada, bob, clock="3d")
    # The table changes, but not whose turn it is.
    held.add("preview")
    bob.get_by_role("button", name="Conditional premoves").click()
    ada.get_by_role("button", name="Offer draw").click()
    expect(bob.get_by_role("button", name="Decline")).to_be_visible()
    release()
    bob.wait_for_selector(PLANNING)
    bob.get_by_role("button", name="Cancel").click()
    # Both moves are undone.
    enter_first_line(bob)
    held.add("preview")
    undo = bob.get_by_role("button", name="Undo last move")
    undo.click()
    undo.click()
    release()
    expect(undo).to_be_hidden()
    # What is cancelled does not begin again.
    click_tokens(bob, "a1")
    expect(bob.locator("#premove-text")).to_have_text("Now choose your reply.")
    held.add("preview")
    click_tokens(bob, "b2")
    bob.get_by_role("button", name="Cancel").click()
    release()
    enter_first_line(bob)


@pytest.mark.ci
def test_all_clicks_of_a_premove_count_while_its_preview_is_awaited(two_pages: tuple[Page, Page]) -> None:
    ada, bob = two_pages
    held = {"preview"}
    release = hold_messages(bob, held)
    start_game_by_link(ada, bob, game="sqez")
    click_tokens(bob, "b2", "d4")
    release()
    expect(bob.locator("#premove-lines")).to_contain_text("b2 d4")


@pytest.mark.ci
def test_a_move_of_the_opponent_ends_the_entering_of_conditional_premoves_and_the_player_moves(
    two_pages: tuple[Page, Page],
) -> None:
    ada, bob = two_pages
    start_game_by_link(ada, bob, clock="3d")
    bob.get_by_role("button", name="Conditional premoves").click()
    bob.wait_for_selector(PLANNING)
    click_tokens(bob, "a1")
    expect(bob.locator("#premove-text")).to_have_text("Now choose your reply.")
    click_tokens(ada, "d1")
    bob.wait_for_selector(MINE)
    wait_for_value(lambda: read_moves(bob), ["d1"])
    expect(bob.locator("#scene.trial")).to_have_count(0)
    click_tokens(bob, "a1")
    expect(ada.locator("#moves li")).to_have_count(2)


@pytest.mark.ci
def test_the_page_notifies_a_player_whose_turn_it_is(two_pages: tuple[Page, Page]) -> None:
    """By its icon and title always, by a notification only while it is hidden; the choice of a sound is remembered."""
    ada, bob = two_pages
    ada.add_init_script("""
        window.notifications = [];
        window.Notification = class extends EventTarget {
            static permission = "granted";
            static async requestPermission() { return "granted"; }
            constructor(title, options) { super(); window.notifications.push([title, options.body]); }
        };
        Object.defineProperty(document, "hidden", { get: () => window.away === true });
    """)
    start_game_by_link(ada, bob)
    assert ada.evaluate("window.notifications") == []
    expect(ada.locator('link[rel="icon"]')).to_have_attribute("href", "/static/icon-turn.svg")
    expect(ada).to_have_title(re.compile("Your turn"))
    open_menu(ada)
    ada.get_by_label("Sounds").check()
    ada.get_by_label("Notify me when it is my turn").check()
    ada.keyboard.press("Escape")
    click_tokens(ada, "a1")
    bob.wait_for_selector(MINE)
    ada.wait_for_selector(OTHER)
    expect(ada.locator('link[rel="icon"]')).to_have_attribute("href", "/static/icon.svg")
    ada.evaluate("window.away = true")
    click_tokens(bob, "b2")
    ada.wait_for_selector(MINE)
    told = [["Your turn · Square Off", "Bob placed a black man on b2."]]
    wait_for_value(lambda: ada.evaluate("window.notifications"), told)
    ada.reload()
    open_menu(ada)
    expect(ada.get_by_label("Sounds")).to_be_checked()
