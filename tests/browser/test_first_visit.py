"""The first visit: a game on the home page, an easy game, the rules, and a friend's link."""

import re

import pytest
from playwright.sync_api import Page, expect

import fourcorners as fc
from tests.browser.conftest import NewGuest
from tests.browser.driver import assert_accessible, leave_page, locate_token, wait_for_value

pytestmark = pytest.mark.browser
BOARD = fc.game("dots-and-boxes", cols=3, rows=3)
MINE, OVER = ('#first[data-state="mine"]', '#first[data-state="over"]')
MOST_GAMES = 6
TIMEOUT_MS = 30_000


@pytest.fixture(params=[("light", 360), pytest.param(("dark", 1280), marks=pytest.mark.ci)], ids=["phone", "desktop"])
def visitor(new_guest: NewGuest, request: pytest.FixtureRequest) -> Page:
    """The page of a visitor who has never been here, once as wide as a phone's and once as a desktop's."""
    theme, width = request.param
    return new_guest(viewport={"width": width, "height": 800}, color_scheme=theme)


def count_greedy_boxes(position: fc.Position) -> int:
    """Return how many boxes the seat to move gets if it takes every box that it can, and then stops."""
    seat, before = position.seat, None if position.seat is None else position.scores[position.seat]
    if seat is None or before is None:
        return 0
    for move in position.moves():
        after = position.play(move)
        if after.scores[seat] > before:
            return after.scores[seat] - before + (count_greedy_boxes(after) if after.seat == seat else 0)
    return 0


def choose_move(position: fc.Position) -> str:
    """Return a move that takes what it can and gives away as little as possible: enough against a beginner."""

    def judge(move: str) -> int:
        """Return the boxes that a move wins, less those that the opponent can take next."""
        after = position.play(move)
        gain = after.scores[0] - position.scores[0]
        greedy = count_greedy_boxes(after)
        return gain + greedy if after.seat == 0 else gain - greedy

    return max(position.moves(), key=judge)


def read_position(page: Page) -> fc.Position:
    """Return the position of the game on the home page, as the server has it; before the first move the start."""
    address = page.locator("#own-page a").get_attribute("href")
    if address is None or page.locator("#own-page").is_hidden():
        return BOARD.start()
    table = page.request.get(f"/api/tables/{address.rpartition('/')[2]}").json()
    return BOARD.replay([move for _, move in table["plies"]])


def play_on_home_page(page: Page) -> str:
    """Play the game on the home page to its end, by mouse, and return the sentence that says how it ended."""
    while True:
        page.wait_for_selector(f"{MINE}, {OVER}", timeout=TIMEOUT_MS)
        if page.locator(OVER).count():
            return page.locator("#turn").inner_text()
        position = read_position(page)
        if position.seat != 0:
            continue
        move = choose_move(position)
        page.mouse.click(*locate_token(page, move))
        # The page waits for the server, and perhaps for the computer.
        expect(page.locator(f'#board [data-token="{move}"].can')).to_have_count(0)


@pytest.mark.ci
def test_first_visit_wins_on_the_home_page_and_nothing_moves_meanwhile(visitor: Page) -> None:
    visitor.goto("/")
    expect(visitor.get_by_role("heading", name="Continue")).to_have_count(0)
    assert_accessible(visitor)
    expect(visitor.locator("#status")).to_contain_text("Draw a line between two dots")
    visitor.evaluate("document.fonts.ready.then(() => {})")
    place = visitor.locator(".first").bounding_box()
    assert place is not None
    sentence = play_on_home_page(visitor)
    # Nothing moves from the first move to the result.
    wait_for_value(visitor.locator(".first").bounding_box, place)
    for _ in range(MOST_GAMES):
        if sentence.startswith("You win"):
            break
        visitor.get_by_role("button", name="Play again").click()
        sentence = play_on_home_page(visitor)
    assert re.fullmatch(r"You win [5-9] : [0-4]", sentence)
    assert_accessible(visitor)
    expect(visitor.get_by_role("link", name="Try a larger board")).to_be_visible()
    address = visitor.locator("#own-page a").get_attribute("href") or ""
    # After a win the next game is a little harder.
    visitor.get_by_role("button", name="Play again").click()
    expect(visitor.locator("#first-title")).to_contain_text("level 2")
    visitor.goto(address)
    expect(visitor.locator("#result")).to_contain_text("You win")
    visitor.goto("/")
    card = visitor.locator(".game-card", has=visitor.get_by_role("heading", name="Dots and Boxes"))
    expect(card).to_contain_text("level 2")


def test_easy_game_starts_with_one_press_and_comes_first_on_return(visitor: Page) -> None:
    visitor.goto("/")
    visitor.get_by_role("button", name="Play Sqez against the computer").click()
    visitor.wait_for_selector('#play[data-state="mine"], #play[data-state="other"]', timeout=TIMEOUT_MS)
    expect(visitor.locator("#seats")).to_contain_text("level 1")
    visitor.keyboard.press("?")
    expect(visitor.locator("#rules-panel")).to_be_visible()
    visitor.goto("/")
    running = visitor.locator(".continue")
    expect(running).to_contain_text("Sqez")
    expect(running.locator("svg.fc-board")).to_be_visible()
    games = visitor.locator("#games").bounding_box()
    listed = running.bounding_box()
    assert games is not None
    assert listed is not None
    assert listed["y"] < games["y"]


def test_friend_joins_by_the_link(visitor: Page, new_guest: NewGuest) -> None:
    friend = new_guest()
    visitor.goto("/")
    visitor.get_by_role("link", name="With a friend at Sqez").click()
    visitor.get_by_role("button", name="Create game and share link").click()
    visitor.wait_for_selector('#play[data-state="waiting"]')
    visitor.get_by_label("Your name").fill("Ada")
    visitor.get_by_label("Your name").press("Enter")
    expect(visitor.locator(".place strong").filter(has_text="Ada")).to_have_count(1)
    friend.goto(visitor.locator("#share-link").input_value())
    friend.get_by_label("Your name").fill("bob")
    friend.get_by_role("button", name="Sit here").first.click()
    for each in (visitor, friend):
        each.wait_for_selector('#play[data-state="mine"], #play[data-state="other"]', timeout=TIMEOUT_MS)
    expect(friend.locator("#seats")).to_contain_text("Ada")
    expect(visitor.locator("#seats")).to_contain_text("bob")


def test_home_board_can_be_played_by_keyboard(page: Page) -> None:
    page.goto("/")
    page.locator('#board [tabindex="0"]').focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    page.wait_for_selector("#own-page:not([hidden])")
    page.wait_for_selector(MINE, timeout=TIMEOUT_MS)
    wait_for_value(lambda: len(read_position(page).plies) >= 2, expected=True)
    # Screen readers hear in order what the computer has played, and then whose turn it is.
    spoken = page.locator("#announcer p")
    expect(spoken.last).to_have_text("Your turn.")
    assert re.fullmatch(r"Computer \(level \d\) drew .+\.", spoken.nth(0).inner_text())
    expect(page.locator("#turn")).not_to_have_attribute("role", re.compile(""))


def test_home_board_says_in_plain_words_that_no_game_could_be_started(page: Page) -> None:
    page.goto("/")
    page.route("**/api/tables", lambda route: route.abort())
    page.locator("#board [data-token]").first.click()
    expect(page.locator("#status")).to_have_text("The server cannot be reached. Check the connection and try again.")
    page.unroute("**/api/tables")
    page.locator("#board [data-token]").first.click()
    page.wait_for_selector("#own-page:not([hidden])")


def test_home_page_shown_again_by_the_browser_is_loaded_anew(page: Page) -> None:
    page.goto("/")
    page.evaluate("window.isOld = true")
    with leave_page(page):
        page.evaluate("dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }))")
    assert page.evaluate("window.isOld") is None


def test_two_strangers_who_look_for_an_opponent_meet(new_guest: NewGuest) -> None:
    ada, ben = new_guest(), new_guest()
    for page in (ada, ben):
        page.goto("/lobby")
        expect(page.get_by_role("radio", name="Rated")).to_be_disabled()
        expect(page.get_by_text("Guests play casual quick games.")).to_be_visible()
        page.get_by_role("radio", name="Fast").check()
        page.get_by_role("button", name="Square Off").click()
    for page in (ada, ben):
        page.wait_for_selector('#play[data-state="mine"], #play[data-state="other"]', timeout=TIMEOUT_MS)
    assert ada.url == ben.url


def test_player_who_waits_is_offered_the_computer(page: Page) -> None:
    page.clock.install()
    page.goto("/lobby")
    page.get_by_role("button", name="Squendo").click()
    expect(page.locator("#waiting-title")).to_have_text("Looking for an opponent")
    expect(page.locator("#waiting")).to_contain_text("Squendo · Casual · 5 min + 5 s")
    expect(page.get_by_role("button", name="Play the computer")).to_have_count(0)
    page.clock.fast_forward(21_000)
    expect(page.get_by_role("timer")).to_have_text(re.compile("Waiting for 0:2[1-9]"))
    expect(page.get_by_role("status").filter(has_text="No one has joined yet")).to_be_visible()
    page.get_by_role("button", name="Play the computer").click()
    page.wait_for_selector('#play[data-state="mine"], #play[data-state="other"]', timeout=TIMEOUT_MS)


def test_a_player_who_cancels_the_search_is_back_in_the_lobby(page: Page) -> None:
    page.goto("/lobby")
    page.get_by_role("button", name="Sqez").click()
    expect(page.get_by_role("timer")).to_be_visible()
    assert_accessible(page)
    page.get_by_role("button", name="Cancel", exact=True).click()
    page.wait_for_url("**/lobby")
    expect(page.get_by_role("heading", name="Find an opponent")).to_be_visible()
