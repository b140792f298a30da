"""People in several browsers play each other by a link."""

import random
from contextlib import suppress

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import NewGuest
from tests.browser.driver import (
    MAX_STEPS,
    ReplacedError,
    assert_good_looks,
    click_tokens,
    download_record,
    open_menu,
    press_by_mouse,
    read_moves,
    take_step,
    wait_for_moves,
)
from tests.browser.multiplayer import (
    DISCONNECT_TIMEOUT_MS,
    MINE,
    OTHER,
    OVER,
    WAITING,
    assert_same_end,
    create_table,
    play_together,
    seat_two_players,
    take_seat,
)

pytestmark = pytest.mark.browser


def test_two_people_play_by_a_link_and_rematch_with_rotated_seats(new_guest: NewGuest) -> None:
    """The waiting page has the link and its QR code; both pages go to the rematch once the opponent accepts it."""
    ada, ben = new_guest(), new_guest()
    path = create_table(ada, "sqez", "po", **{"name-0": "Ada", "cols": "4", "rows": "4"})
    expect(ada.get_by_role("heading", name="Waiting for one more player")).to_be_visible()
    assert ada.locator("#share-link").input_value().endswith(path)
    expect(ada.locator("#share-qr")).to_have_js_property("complete", value=True)
    expect(ada.locator("#share-qr")).not_to_have_js_property("naturalWidth", value=0)
    take_seat(ben, path, "Ben")
    play_together([ada, ben], 1)
    match = assert_same_end([ada, ben])
    assert match.names == ("Ada", "Ben")
    ben.get_by_role("button", name="Rematch").click()
    expect(ben.locator(".asks:visible")).to_have_text("You asked for a rematch. Waiting for Ada.")
    expect(ada.locator(".asks:visible")).to_have_text("Ben asks for a rematch.")
    expect(ada.locator("#announcer")).to_contain_text("Ben asks for a rematch.")
    ada.get_by_role("button", name="Accept").click()
    ada.wait_for_selector(OTHER)
    ben.wait_for_selector(MINE)
    assert ada.url == ben.url
    expect(ada.locator(".who strong")).to_have_text(["Ben", "Ada"])


def test_a_rematch_can_be_declined_and_the_page_says_who_has_left(new_guest: NewGuest) -> None:
    """Only the player who declined can ask again, and learns if the other one has left meanwhile."""
    ada, ben = new_guest(), new_guest()
    seat_two_players(ada, ben)
    ben.get_by_role("button", name="Resign").click()
    ben.locator("#resign-ask .danger").click()
    ada.wait_for_selector(OVER)
    ada.get_by_role("button", name="Rematch").click()
    ben.get_by_role("button", name="Decline").click()
    expect(ada.locator(".asks:visible")).to_have_text("Ben declined the rematch.")
    expect(ada.get_by_role("button", name="Rematch")).to_have_count(0)
    ada.goto("/")
    ben.get_by_role("button", name="Rematch").click()
    waiting = "You asked for a rematch. Waiting for Ada. Ada left the table."
    expect(ben.locator(".asks:visible")).to_have_text(waiting)
    ben.get_by_role("button", name="Cancel").click()
    expect(ben.get_by_role("button", name="Rematch")).to_be_visible()


def test_seats_can_be_taken_left_and_given_to_the_computer(new_guest: NewGuest) -> None:
    """Equal names are numbered, and the page shows who is online; a player who is offline keeps the seat."""
    ada, ben = new_guest(), new_guest()
    path = create_table(ada, "squarin-off", "poo", **{"name-0": "Ada", "players": "3", "cols": "2", "rows": "2"})
    take_seat(ben, path, "Ada")
    # The second Ada gets a number, so that the two can be told apart.
    expect(ada.locator(".place strong").nth(1)).to_have_text("Ada 2")
    expect(ada.locator(".place").nth(1)).to_contain_text("online")
    ben.get_by_role("button", name="Leave seat").click()
    expect(ada.locator(".place.free")).to_have_count(2)
    ben.get_by_role("button", name="Sit here").nth(1).click()
    expect(ada.locator(".place.free")).to_have_count(1)
    ben.close()
    expect(ada.locator(".place").nth(2)).to_contain_text("offline")
    ada.get_by_label("Computer level").select_option("1")
    ada.get_by_role("button", name="Add computer").click()
    ada.wait_for_selector(MINE)
    expect(ada.locator(".seat").nth(1)).to_contain_text("level 1")
    expect(ada.locator(".seat").nth(2)).to_contain_text("offline")


@pytest.mark.ci
def test_four_people_in_teams_play_to_the_end_in_four_browsers(new_guest: NewGuest) -> None:
    pages = [new_guest() for _ in range(4)]
    options = {"name-0": "Ada", "players": "4", "teams": "true", "cols": "3", "rows": "3", "blockers": "1"}
    path = create_table(pages[0], "squarin-off", "pooo", **options)
    for page, name in zip(pages[1:], ("Ben", "Cid", "Dan"), strict=True):
        take_seat(page, path, name)
    play_together(pages, 3)
    match = assert_same_end(pages)
    assert match.names == ("Ada", "Ben", "Cid", "Dan")


def test_a_spectator_of_squendo_is_counted_but_never_receives_a_hand(new_guest: NewGuest) -> None:
    ada, ben, eve = new_guest(), new_guest(), new_guest()
    frames: list[str] = []
    eve.on("websocket", lambda socket: socket.on("framereceived", lambda text: frames.append(str(text))))
    path = seat_two_players(ada, ben, "squendo")
    eve.goto(path)
    expect(eve.locator("#board > svg")).to_be_visible()
    expect(ada.locator("#watching")).to_have_text("1 watching")
    hands = []
    for page in (ada, ben):
        page.wait_for_selector("#tray svg")
        tiles = page.locator('#tray [data-gesture="carry"]')
        hands.append({str(tile.get_attribute("data-token")) for tile in tiles.all()})
    assert hands[0] and hands[1] and not hands[0] & hands[1]
    # Random steps until Ada's first move is played.
    for _ in range(MAX_STEPS):
        if read_moves(ada):
            break
        with suppress(ReplacedError):
            take_step(ada, random.Random(1), press_by_mouse)
    wait_for_moves(eve, len(read_moves(ada)))
    expect(eve.locator("#tray svg")).to_have_count(0)
    expect(eve.locator(".can")).to_have_count(0)
    # In what Eve's browser received, no tile appears that is still in a hand.
    played = " ".join(read_moves(eve))
    kept = {tile for tile in hands[0] | hands[1] if tile not in played}
    assert kept
    heard = "".join(frames)
    assert '"type":"state"' in heard
    assert not [tile for tile in kept if f'data-token=\\"{tile}\\"' in heard]
    expect(eve.get_by_role("button", name="Resign")).to_be_hidden()


def test_take_backs_and_draws_can_be_offered_declined_and_accepted(new_guest: NewGuest) -> None:
    ada, ben = new_guest(), new_guest()
    seat_two_players(ada, ben)
    click_tokens(ada, "a1")
    ben.wait_for_selector(MINE)
    expect(ben.get_by_role("button", name="Request takeback")).to_be_hidden()
    ada.get_by_role("button", name="Request takeback").click()
    expect(ada.locator("#request")).to_contain_text("You asked to take back move 1. Waiting for Ben.")
    expect(ben.locator("#request")).to_contain_text("Ada asks to take back move 1.")
    ben.get_by_role("button", name="Decline").click()
    expect(ada.locator("#note")).to_contain_text("Your takeback request was declined.")
    expect(ben.locator("#request")).to_be_hidden()
    wait_for_moves(ada, 1)
    ada.get_by_role("button", name="Request takeback").click()
    ben.get_by_role("button", name="Accept takeback").click()
    expect(ada.locator("#note")).to_contain_text("Your takeback request was accepted.")
    wait_for_moves(ben, 0)
    click_tokens(ada, "b2")
    wait_for_moves(ben, 1)
    ben.get_by_role("button", name="Offer draw").click()
    ada.get_by_role("button", name="Decline").click()
    expect(ben.locator("#note")).to_contain_text("Your draw offer was declined.")
    ben.get_by_role("button", name="Offer draw").click()
    # An offer stands until the opponent answers it or moves.
    click_tokens(ben, "c3")
    wait_for_moves(ada, 2)
    ada.get_by_role("button", name="Accept draw").click()
    for page in (ada, ben):
        expect(page.locator("#result")).to_contain_text("Draw")
    assert "!accept-draw" in download_record(ada)


@pytest.mark.ci
def test_both_players_see_a_clock_fall_and_its_player_lose_on_time(new_guest: NewGuest) -> None:
    ada, ben = new_guest(), new_guest()
    # About 10 seconds in all, the shortest clock.
    seat_two_players(ada, ben, **{"clock": "game", "clock-minutes": "0.17", "clock-increment": "0"})
    # From the first move on, each clock runs at once.
    expect(ada.locator(".clock-start")).to_contain_text("Clock starts when you move, or in")
    expect(ben.locator(".clock-start")).to_contain_text("Clock starts in")
    click_tokens(ada, "a1")
    ben.wait_for_selector(MINE)
    click_tokens(ben, "c3")
    ada.wait_for_selector(MINE)
    expect(ada.locator(".clock-start")).to_have_count(0)
    own, others = (page.locator('.side [data-clock="0"]') for page in (ada, ben))
    expect(own).not_to_have_text(own.inner_text())
    # So little time is shown as low, to the opponent as well, whose own clock stands still.
    expect(ben.locator('.side .clock.running [data-clock="0"].low')).to_be_visible()
    untouched = ben.locator('.side [data-clock="1"]').inner_text()
    for page in (ada, ben):
        expect(page.locator("#result")).to_contain_text("ran out of time", timeout=DISCONNECT_TIMEOUT_MS)
    for clock in (own, others):
        expect(clock).to_have_text("0:00.0")
    expect(ben.locator('.side [data-clock="1"]')).to_have_text(untouched)
    expect(ben.locator("#result")).to_contain_text("You win")
    assert "!time" in download_record(ben)


@pytest.mark.ci
def test_tables_are_accessible_and_not_wider_than_the_window_at_every_stage(new_guest: NewGuest) -> None:
    ada, ben = new_guest(), new_guest()
    path = create_table(ada, "square-off", "po", **{"name-0": "Ada", "size": "4", "clock": "300+3"})
    ben.goto(path)
    ben.wait_for_selector(WAITING)
    assert_good_looks(ada, ben)
    take_seat(ben, path, "Benedikta with a rather long name")
    ada.wait_for_selector(MINE)
    click_tokens(ada, "a1")
    ben.wait_for_selector(MINE)
    ada.get_by_role("button", name="Request takeback").click()
    ben.get_by_role("button", name="Accept takeback").wait_for()
    assert_good_looks(ada, ben)
    ben.get_by_role("button", name="Decline").click()
    expect(ada.locator("#note")).to_contain_text("declined")
    open_menu(ada)
    ada.get_by_role("button", name="Share").click()
    assert_good_looks(ada)
    ada.get_by_role("button", name="Close").click()
    ben.get_by_role("button", name="Resign").click()
    ben.locator("#resign-ask .danger").click()
    ada.wait_for_selector(OVER)
    ada.get_by_role("button", name="Rematch").click()
    ben.get_by_role("button", name="Accept").wait_for()
    assert_good_looks(ada, ben)
