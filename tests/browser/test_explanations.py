"""What a page says and teaches: announcements, explanations, rules beside the board, and the end of a game."""

import re
from random import Random

import pytest
from playwright.sync_api import Locator, Page, expect

import fourcorners as fc
from tests.browser.conftest import NewGuest
from tests.browser.driver import assert_accessible, click_tokens, wait_for_moves, wait_for_value
from tests.browser.multiplayer import MINE, OVER, seat_two_players

pytestmark = pytest.mark.browser


def find_announcements(page: Page) -> Locator:
    """Return the sentences that screen readers were told."""
    return page.locator("#announcer p")


def test_moves_requests_answers_and_chat_of_the_opponent_are_announced_once_each(new_guest: NewGuest) -> None:
    ada, ben = new_guest(), new_guest()
    seat_two_players(ada, ben)
    click_tokens(ada, "a1")
    swap = re.compile("^The second player may now swap")
    expect(find_announcements(ben)).to_have_text(
        ["The game has started.", "Ada placed a white man on a1.", "Your turn.", swap]
    )
    expect(ben.locator("#told")).to_have_text("Ada placed a white man on a1.")
    ben.get_by_role("button", name="Hello!").click()
    expect(find_announcements(ada).last).to_have_text("Ben: Hello!")
    ben.get_by_role("button", name="Offer draw").click()
    expect(find_announcements(ada).last).to_have_text("Ben offers a draw.")
    ada.get_by_role("button", name="Decline").click()
    # The button has gone: the next Tab leads to the board.
    expect(ada.locator("#scene")).to_be_focused()
    expect(find_announcements(ben).last).to_have_text("Your draw offer was declined.")
    spoken = find_announcements(ben).all_inner_texts()
    assert len(set(spoken)) == len(spoken)
    # What is announced is not in another live region.
    for name in ("turn", "result-text", "note", "request-text", "explanation"):
        assert ben.locator(f"#{name}").evaluate(
            'node => node.closest("[role=status], [role=alert], [aria-live=polite], [aria-live=assertive]") === null'
        )


@pytest.mark.ci
def test_explanation_is_shown_the_first_time_and_again_on_request(new_guest: NewGuest) -> None:
    ada, ben = new_guest(), new_guest()
    seat_two_players(ada, ben)
    click_tokens(ada, "a1")
    expect(ada.locator("#explanation")).to_contain_text("may now swap")
    assert_accessible(ada)
    ada.get_by_role("button", name="Dismiss").click()
    expect(ada.locator("#explanation")).to_be_hidden()
    expect(ada.locator("#scene")).to_be_focused()
    ben.locator("#choices button", has_text="swap").click()
    expect(ada.locator("#explanation")).to_contain_text("has taken over the white man")
    # In the next game neither is shown again, until someone asks for it.
    seat_two_players(ada, ben)
    click_tokens(ada, "a1")
    wait_for_moves(ada, 1)
    expect(ada.locator("#explanation")).to_be_hidden()
    ada.get_by_label("Menu").click()
    ada.get_by_role("button", name="Show explanations again").click()
    seat_two_players(ada, ben)
    click_tokens(ada, "a1")
    expect(ada.locator("#explanation")).to_contain_text("may now swap")


def test_rules_open_beside_the_board_by_one_key_and_keep_their_place(new_guest: NewGuest) -> None:
    ada, ben = new_guest(), new_guest()
    seat_two_players(ada, ben)
    ada.keyboard.press("?")
    expect(ada.locator("#rules-panel")).to_be_focused()
    expect(ada.locator("#rules-panel figure").first).to_be_visible()
    assert_accessible(ada)
    ada.locator("#rules-body").evaluate("body => { body.scrollTop = 300; }")
    wait_for_value(lambda: ada.evaluate("localStorage.getItem('rules square-off')"), "300")
    ada.keyboard.press("Escape")
    expect(ada.locator("#rules-panel")).to_be_hidden()
    ada.locator("#rules-open").click()
    wait_for_value(lambda: ada.locator("#rules-body").evaluate("body => body.scrollTop"), 300)


def test_rules_closed_by_their_key_give_the_focus_back_to_the_board(new_guest: NewGuest) -> None:
    ada, ben = new_guest(), new_guest()
    seat_two_players(ada, ben)
    place = ada.locator('#board [tabindex="0"]')
    place.focus()
    ada.keyboard.press("?")
    expect(ada.locator("#rules-panel")).to_be_focused()
    ada.keyboard.press("?")
    expect(ada.locator("#rules-panel")).to_be_hidden()
    expect(place).to_be_focused()


def test_rules_never_cover_what_has_the_focus_nor_vanish_in_a_smaller_window(new_guest: NewGuest) -> None:
    ada, ben = new_guest(), new_guest()
    seat_two_players(ada, ben)
    panel, phrase = ada.locator("#rules-panel"), ada.get_by_role("button", name="Hello!")
    ada.set_viewport_size({"width": 1900, "height": 800})
    ada.keyboard.press("?")
    phrase.focus()
    expect(panel).to_be_visible()
    ada.set_viewport_size({"width": 1000, "height": 800})
    expect(panel).not_to_have_class(re.compile("before-board"))
    wait_for_value(lambda: panel.evaluate("panel => panel.offsetWidth") > 250, expected=True)
    ada.locator("#rules-open").focus()
    phrase.focus()
    expect(panel).to_be_hidden()
    expect(phrase).to_be_focused()


def test_keys_of_the_board_do_nothing_behind_a_dialog(page: Page) -> None:
    page.goto("/")
    page.goto(page.request.post("/games/square-off", form={"seat-0": "person", "seat-1": "person"}).url)
    page.wait_for_selector(MINE)
    page.get_by_label("Menu").click()
    page.get_by_role("button", name="Share").click()
    page.get_by_role("button", name="Close").focus()
    page.keyboard.press("?")
    page.keyboard.press("Escape")
    expect(page.locator("#share")).to_be_hidden()
    expect(page.locator("#rules-panel")).to_be_hidden()


@pytest.mark.ci
def test_end_names_the_last_move_frames_it_and_offers_another_level(page: Page) -> None:
    """On this field every rectangle is the last one, so the player who begins wins at once."""
    form = {"who-begins": "order", "seat-0": "person", "seat-1": "computer", "level-1": "1", "cols": "4", "rows": "4"}
    page.goto("/")
    page.goto(page.request.post("/games/sqez", form=dict(form)).url)
    page.wait_for_selector(MINE)
    click_tokens(page, "a1", "d4")
    page.wait_for_selector(OVER)
    expect(page.locator("#result-margin")).to_contain_text("You drew the last rectangle, a1–\u2060d4.")
    expect(page.locator("#board .decisive")).to_have_count(1)
    expect(page.locator("#next-step")).to_contain_text("one level higher")
    assert_accessible(page)
    expect(page.get_by_role("button", name="Easier")).to_be_hidden()
    page.get_by_role("button", name="Harder (level 2)").click()
    expect(page.locator("#seats")).to_contain_text("level 2")


@pytest.mark.ci
def test_frame_is_still_named_while_an_earlier_position_is_shown(page: Page, new_guest: NewGuest) -> None:
    random, match = Random(0), fc.Match(fc.game("square-off", size=4), ["Ada", "Ben"])
    while not match.is_over:
        match.play(random.choice(match.position.moves()))
    page.goto("/")
    answer = page.request.post("/records", form={"record": str(match.record())}, max_redirects=0)
    with page.expect_websocket() as opened:
        page.goto(answer.headers["location"])
    sentence = "The frame marks what decided it."
    expect(page.locator("#result-margin")).to_contain_text(sentence)
    page.get_by_role("button", name="Previous move").click()
    expect(page.locator("#board .decisive")).to_have_count(0)
    # Someone comes to watch, so the panels are drawn again.
    with opened.value.expect_event("framereceived", lambda text: '"presence"' in str(text)):
        new_guest().goto(page.url)
    expect(page.locator("#result-margin")).to_contain_text(sentence)
