"""People in several browsers play each other by a link; lines fail, and no move is lost."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

import fourcorners as fc
from tests.browser.conftest import Server, themed, watched
from tests.browser.driver import MOST_STEPS, by_mouse, listed_moves, record_of, step
from tests.browser.line import SilentLine
from tests.browser.test_page import assert_accessible, tap, wait_for_moves

pytestmark = pytest.mark.browser

NOTICED = 25_000
"""A dead line is noticed within 12 s; the rest is for a busy machine."""
MINE, OTHER, WAITING, OVER = (f'#play[data-state="{state}"]' for state in ("mine", "other", "waiting", "over"))

Guests = Callable[..., Page]


@pytest.fixture
def guest(chromium: Browser, server: Server) -> Iterator[Guests]:
    """Let somebody come with a browser of their own."""
    contexts: list[BrowserContext] = []

    def come(url: str = server.url) -> Page:
        size: Any = {"width": 1280, "height": 900}
        contexts.append(chromium.new_context(base_url=url, viewport=size, reduced_motion="reduce"))
        return watched(contexts[-1])

    yield come
    for context in contexts:
        context.close()


@pytest.fixture
def line(server: Server) -> Iterator[SilentLine]:
    made = SilentLine(server.port)
    yield made
    made.close()


def invite(page: Page, game: str, seats: str, **options: str) -> str:
    """Set up a table and go there; `seats` has a letter for each: p this person, o whoever comes, c the computer."""
    kinds = {"p": "person", "o": "open", "c": "computer"}
    form = {f"seat-{seat}": kinds[letter] for seat, letter in enumerate(seats)}
    answer = page.request.post(f"/games/{game}", form={"who-begins": "order", **form, **options}, max_redirects=0)
    assert answer.status == 303
    path = answer.headers["location"]
    page.goto(path)
    page.wait_for_selector(WAITING)
    return path


def sit(page: Page, path: str, name: str) -> None:
    """Open a link, and take the first free seat."""
    page.goto(path)
    page.get_by_label("Your name").fill(name)
    page.get_by_role("button", name="Sit here").first.click()
    page.get_by_role("button", name="Sit here").first.wait_for(state="hidden")


def pair(ada: Page, ben: Page, game: str = "square-off", **options: str) -> str:
    """Let two people sit down; the first is to move."""
    sizes = {"square-off": {"size": "4"}, "sqez": {"cols": "4", "rows": "4"}}.get(game, {})
    path = invite(ada, game, "po", **{"name-0": "Ada", **sizes, **options})
    sit(ben, path, "Ben")
    ada.wait_for_selector(MINE)
    ben.wait_for_selector(OTHER)
    return path


def play_together(pages: list[Page], seed: int) -> None:
    """Play on, whoever's turn it is, until all see the end."""
    rng = random.Random(seed)
    for _ in range(MOST_STEPS):
        movers = [page for page in pages if page.locator(MINE).count()]
        if movers:
            step(movers[0], rng, by_mouse)
        elif all(page.locator(OVER).count() for page in pages):
            return
        else:
            pages[0].wait_for_timeout(20)
    raise AssertionError("the game does not end")


def assert_same_end(pages: list[Page]) -> fc.Match:
    """All see the same moves and the same result, and it is what the record gives when it is replayed."""
    match = fc.Record.parse(record_of(pages[0])).match()
    outcome = match.outcome
    assert outcome is not None
    for page in pages:
        assert listed_moves(page) == list(match.position.view(0).history)
        assert page.locator("#result").is_visible()
        won = [seat for seat, item in enumerate(page.locator(".seat").all()) if item.locator(".won-note").count()]
        assert tuple(won) == outcome.winners
    return match


def mark(page: Page) -> None:
    page.evaluate("window.sameDocument = true")


def was_not_reloaded(page: Page) -> bool:
    return bool(page.evaluate("window.sameDocument === true"))


def test_a_whole_game_by_a_link_and_a_rematch_with_seats_turned(guest: Guests) -> None:
    ada, ben = guest(), guest()
    path = invite(ada, "sqez", "po", **{"name-0": "Ada", "cols": "4", "rows": "4"})
    expect(ada.get_by_role("heading", name="Waiting for one more player")).to_be_visible()
    assert ada.locator("#share-link").input_value().endswith(path)
    expect(ada.locator("#share-qr")).to_have_js_property("complete", value=True)
    assert ada.locator("#share-qr").evaluate("image => image.naturalWidth") > 0
    sit(ben, path, "Ben")
    play_together([ada, ben], 1)
    match = assert_same_end([ada, ben])
    assert match.names == ("Ada", "Ben")
    ben.get_by_role("button", name="Play again").click()
    expect(ben.get_by_role("heading", name="Waiting for Ada")).to_be_visible()
    assert not ben.url.endswith(path)
    ada.get_by_role("link", name="Rematch: go to the new table").click()
    ada.wait_for_selector(OTHER)
    ben.wait_for_selector(MINE)
    assert ada.url == ben.url
    assert ada.locator(".who strong").all_inner_texts() == ["Ben", "Ada"]


def test_seats_are_taken_left_and_given_to_the_computer(guest: Guests) -> None:
    ada, ben = guest(), guest()
    path = invite(ada, "squarin-off", "poo", **{"name-0": "Ada", "players": "3", "cols": "2", "rows": "2"})
    sit(ben, path, "Ada")
    # Two of one name could not be told apart.
    expect(ada.locator(".place strong").nth(1)).to_have_text("Ada 2")
    expect(ada.locator(".place").nth(1)).to_contain_text("here")
    ben.get_by_role("button", name="Leave the seat").click()
    expect(ada.locator(".place.free")).to_have_count(2)
    ben.get_by_role("button", name="Sit here").nth(1).click()
    expect(ada.locator(".place.free")).to_have_count(1)
    ben.close()
    expect(ada.locator(".place").nth(2)).to_contain_text("away")
    ada.get_by_label("The computer plays at").select_option("1")
    ada.get_by_role("button", name="Give to the computer").click()
    ada.wait_for_selector(MINE)
    expect(ada.locator(".seat").nth(1)).to_contain_text("level 1")
    expect(ada.locator(".seat").nth(2)).to_contain_text("away")


def test_four_browsers_play_a_game_of_four(guest: Guests) -> None:
    pages = [guest() for _ in range(4)]
    options = {"name-0": "Ada", "players": "4", "teams": "true", "cols": "3", "rows": "3", "blockers": "1"}
    path = invite(pages[0], "squarin-off", "pooo", **options)
    for page, name in zip(pages[1:], ("Ben", "Cid", "Dan"), strict=True):
        sit(page, path, name)
    play_together(pages, 3)
    match = assert_same_end(pages)
    assert match.names == ("Ada", "Ben", "Cid", "Dan")


def test_who_looks_on_at_squendo_sees_no_hand(guest: Guests) -> None:
    ada, ben, eve = guest(), guest(), guest()
    frames: list[str] = []
    eve.on("websocket", lambda socket: socket.on("framereceived", lambda text: frames.append(str(text))))
    path = pair(ada, ben, "squendo")
    eve.goto(path)
    expect(eve.locator("#board > svg")).to_be_visible()
    expect(ada.locator("#watching")).to_have_text("1 watching")
    hands = []
    for page in (ada, ben):
        page.wait_for_selector("#tray svg")
        tiles = page.locator('#tray [data-gesture="carry"]')
        hands.append({str(tile.get_attribute("data-token")) for tile in tiles.all()})
    assert hands[0] and hands[1] and not hands[0] & hands[1]
    step(ada, random.Random(1), by_mouse)
    for _ in range(MOST_STEPS):
        if listed_moves(ada):
            break
        step(ada, random.Random(1), by_mouse)
    wait_for_moves(eve, len(listed_moves(ada)))
    assert eve.locator("#tray svg").count() == 0
    assert eve.locator(".can").count() == 0
    played = " ".join(listed_moves(eve))
    kept = {tile for tile in hands[0] | hands[1] if tile not in played}
    assert kept
    heard = "".join(frames)
    assert '"type":"state"' in heard
    assert not [tile for tile in kept if f'data-token=\\"{tile}\\"' in heard]
    assert eve.get_by_role("button", name="Resign").is_hidden()


def test_taking_back_is_asked_refused_and_agreed_and_a_draw_is_offered(guest: Guests) -> None:
    ada, ben = guest(), guest()
    pair(ada, ben)
    tap(ada, "a1")
    ben.wait_for_selector(MINE)
    assert ben.get_by_role("button", name="Ask to take back").is_hidden()
    ada.get_by_role("button", name="Ask to take back").click()
    expect(ada.locator("#request")).to_contain_text("You ask to take back move 1. Ben has not answered yet.")
    expect(ben.locator("#request")).to_contain_text("Ada asks to take back move 1.")
    ben.get_by_role("button", name="Refuse").click()
    expect(ada.get_by_role("alert")).to_contain_text("Your request to take back was refused.")
    expect(ben.locator("#request")).to_be_hidden()
    wait_for_moves(ada, 1)
    ada.get_by_role("button", name="Ask to take back").click()
    ben.get_by_role("button", name="Agree").click()
    expect(ada.get_by_role("alert")).to_contain_text("It is taken back.")
    wait_for_moves(ben, 0)
    tap(ada, "b2")
    wait_for_moves(ben, 1)
    ben.get_by_role("button", name="Offer a draw").click()
    ada.get_by_role("button", name="Decline").click()
    expect(ben.get_by_role("alert")).to_contain_text("Your offer of a draw was declined.")
    ben.get_by_role("button", name="Offer a draw").click()
    # An offer stands until the other has answered it or moved.
    tap(ben, "c3")
    wait_for_moves(ada, 2)
    ada.get_by_role("button", name="Accept the draw").click()
    for page in (ada, ben):
        expect(page.locator("#result")).to_contain_text("A draw")
    assert "!accept-draw" in record_of(ada)


def test_a_flag_falls_for_all_to_see(guest: Guests) -> None:
    ada, ben = guest(), guest()
    pair(ada, ben, **{"clock": "game", "clock-minutes": "0.17", "clock-increment": "0"})
    own, others = (page.locator('.side [data-clock="0"]') for page in (ada, ben))
    seen = {own.inner_text()}
    ada.wait_for_function(
        "before => document.querySelector('.side [data-clock=\"0\"]').textContent !== before", arg=own.inner_text()
    )
    seen.add(own.inner_text())
    assert len(seen) == 2
    expect(ben.locator('.side .clock.running [data-clock="0"].low')).to_be_visible()
    untouched = ben.locator('.side [data-clock="1"]').inner_text()
    for page in (ada, ben):
        expect(page.locator("#result")).to_contain_text("ran out of time", timeout=NOTICED)
    assert own.inner_text() == others.inner_text() == "0:00.0"
    assert ben.locator('.side [data-clock="1"]').inner_text() == untouched
    expect(ben.locator("#result")).to_contain_text("You win")
    assert "!time" in record_of(ben)


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
    wait_for_moves(ada, 2)
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
    crowd.close()
    late.get_by_role("button", name="Try again").click()
    late.wait_for_selector(WAITING)
    expect(late.get_by_role("button", name="Leave the seat")).to_be_visible()


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 360])
def test_axe_finds_nothing_at_any_stage(chromium: Browser, server: Server, theme: str, width: int) -> None:
    contexts = [themed(chromium, server, theme, width) for _ in range(2)]
    ada, ben = (watched(context) for context in contexts)

    def check(*pages: Page) -> None:
        for page in pages:
            assert_accessible(page)
            assert page.evaluate("document.documentElement.scrollWidth") <= width

    path = invite(ada, "square-off", "po", **{"name-0": "Ada", "size": "4", "clock": "300+3"})
    ben.goto(path)
    ben.wait_for_selector(WAITING)
    check(ada, ben)
    sit(ben, path, "Benedikta with a rather long name")
    ada.wait_for_selector(MINE)
    tap(ada, "a1")
    ben.wait_for_selector(MINE)
    ada.get_by_role("button", name="Ask to take back").click()
    ben.get_by_role("button", name="Agree").wait_for()
    check(ada, ben)
    ben.get_by_role("button", name="Refuse").click()
    expect(ada.get_by_role("alert")).to_contain_text("refused")
    ada.get_by_role("button", name="Share").click()
    check(ada)
    ada.get_by_role("button", name="Close").click()
    ben.get_by_role("button", name="Resign").click()
    ben.locator('[data-answer="yes"]').click()
    ada.wait_for_selector(OVER)
    ada.get_by_role("button", name="Play again").click()
    ben.get_by_role("link", name="Rematch").wait_for()
    expect(ada.get_by_role("heading", name="Waiting for Benedikta")).to_be_visible()
    check(ada, ben)
    for context in contexts:
        context.close()
