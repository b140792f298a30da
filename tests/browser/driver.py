"""Playing through the page like a person: by mouse, finger or keyboard, choosing among what is highlighted."""

import random
import re
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from itertools import product
from typing import Any, Literal

from axe_playwright_python.base import AXE_SCRIPT
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import ElementHandle, Error, Page, expect

import fourcorners as fc
from tests.waiting import wait_until

READY = '#play[data-state="mine"], #play[data-state="over"]'
TIMEOUT_MS = 30_000
MAX_STEPS = 2000

Theme = Literal["light", "dark"]
Press = Callable[[Page, ElementHandle], None]


class ReplacedError(Exception):
    """An element was replaced, with the picture that it was part of, before it could be pressed."""


def wait_for_value(read: Callable[[], object], expected: object) -> None:
    """Read something of a page again and again until it equals `expected`, for what `expect` cannot compare.

    Fail with the value that was read last after `TIMEOUT_MS`. An element that is replaced meanwhile is read again.
    """
    end = time.monotonic() + TIMEOUT_MS / 1000
    while True:
        try:
            value = read()
        except (AssertionError, Error):
            if time.monotonic() > end:
                raise
        else:
            if value == expected:
                return
            assert time.monotonic() < end, f"{value!r} instead of {expected!r}"
        time.sleep(0.05)


def wait_for_script(page: Page, expression: str) -> None:
    """Wait until an expression in JavaScript is true.

    Playwright's `wait_for_function` evaluates it within the page from the second time on, which our pages forbid.
    """
    wait_for_value(lambda: page.evaluate(expression), expected=True)


def find_centre(element: ElementHandle) -> tuple[float, float]:
    """Scroll an element into view and return its centre (x, y) in pixels of the window.

    Raise ReplacedError if it is not part of the page any more, and otherwise, if it is not visible, Playwright's
    TimeoutError after 30 seconds.
    """
    try:
        element.scroll_into_view_if_needed()
    except Error as error:
        if "not attached" in error.message:
            raise ReplacedError from error
        raise
    box = element.bounding_box()
    if box is None:
        raise ReplacedError
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def locate_token(page: Page, token: str) -> tuple[float, float]:
    """Scroll the element with this token into view and return its centre (x, y) in pixels.

    A token names what can be clicked on the scene: a corner such as "a1", an edge, a tile. Wait until there is one, up
    to 30 seconds.
    """
    end = time.monotonic() + TIMEOUT_MS / 1000
    while True:
        element = page.wait_for_selector(f'#scene [data-token="{token}"]', state="attached", timeout=TIMEOUT_MS)
        assert element is not None
        try:
            return find_centre(element)
        except ReplacedError:
            if time.monotonic() > end:
                raise


def click_tokens(page: Page, *tokens: str) -> None:
    """Click by mouse on the elements of the scene with these tokens, in order, without waiting for the server.

    Fail if there is no such element.
    """
    for token in tokens:
        page.mouse.click(*locate_token(page, token))


def wait_for_moves(page: Page, count: int) -> None:
    """Wait until the list of moves has this length and no move is on its way; fail after 30 seconds."""
    expect(page.locator("#moves li")).to_have_count(count)
    expect(page.locator("[data-state=busy]")).to_have_count(0)


@contextmanager
def leave_page(page: Page) -> Iterator[None]:
    """Wait, at the end of a with statement, until another document is loaded.

    Playwright's `expect_navigation` would end when the page that is left keeps its fields in the browser's history.
    """
    page.evaluate("document.documentElement.dataset.left = ''")
    yield
    expect(page.locator("html[data-left]")).to_have_count(0)
    page.wait_for_load_state()


_NO_TRANSITION = (
    "document.getAnimations().every((one) => !(one instanceof CSSTransition) || one.playState !== 'running')"
)
# A page in the background has no frames.
_NEXT_FRAME = """() => new Promise((resolve) => {
  requestAnimationFrame(() => requestAnimationFrame(resolve));
  setTimeout(resolve, 500);
})"""
_CONTRAST = {
    # By default axe compares no colours below a large pseudo-element, and the dots of our paper are one.
    "ignorePseudo": True,
    # The rest are its defaults, which it would forget.
    "ignoreUnicode": True,
    "ignoreLength": False,
    "boldValue": 700,
    "boldTextPt": 14,
    "largeTextPt": 18,
    "contrastRatio": {"normal": {"expected": 4.5}, "large": {"expected": 3}},
    "shadowOutlineEmMax": 0.2,
    "textStrokeEmMin": 0.03,
}


def assert_accessible(page: Page) -> None:
    """Fail with a report if axe finds a violation on the page as it is now."""
    # While a button changes its colour, its text has the new one already. After a change of theme, that begins with the
    # next frame.
    page.evaluate(_NEXT_FRAME)
    wait_until(lambda: bool(page.evaluate(_NO_TRANSITION)))
    # To load it once for each page saves most of its time where a page is examined at several stages.
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE_SCRIPT)
        page.evaluate(
            "(contrast) => axe.configure({ checks: [{ id: 'color-contrast', options: contrast }] })", _CONTRAST
        )
    found = Axe("").run(page)
    assert not found.response["violations"], found.generate_report()


def assert_good_looks(*pages: Page) -> None:
    """Fail if axe finds a violation, or if a page is wider than its window, in both themes and at two widths."""
    themes: list[Theme] = ["light", "dark"]
    for page, theme, width in product(pages, themes, (1280, 360)):
        page.emulate_media(color_scheme=theme)
        page.set_viewport_size({"width": width, "height": 800})
        assert_accessible(page)
        assert page.evaluate("document.documentElement.scrollWidth") <= width, f"{page.url} in {width} px"


def press_by_mouse(page: Page, element: ElementHandle) -> None:
    """Scroll an element into view, move the mouse to its centre and click."""
    x, y = find_centre(element)
    page.mouse.move(x, y)
    page.mouse.click(x, y)


def press_by_touch(page: Page, element: ElementHandle) -> None:
    """Scroll an element into view and tap it with a finger; the page needs touch."""
    page.touchscreen.tap(*find_centre(element))


def press_by_keyboard(page: Page, element: ElementHandle) -> None:
    """Press Tab until the focus is in the element's region, then arrow keys until it is on the element, then Enter.

    The element must be in the board, the tray, the choices, where Tab takes the part of the arrow keys, or the list of
    moves. Fail if 60 keys within the region do not reach it.
    """
    inside = '#board, #tray, #choices, #play [aria-label="Moves"]'
    region = element.evaluate(f"element => element.closest('{inside}').id")
    for _ in range(60):
        if page.evaluate(f"document.activeElement.closest('{inside}')?.id") == region:
            break
        page.keyboard.press("Tab")
    walked: list[str] = []
    while not element.evaluate("element => element === document.activeElement"):
        walked.append(page.evaluate("document.activeElement.id"))
        assert len(walked) < 60, f"the keyboard does not reach {element.get_attribute('id')}; visited {walked}"
        if region == "choices":
            page.keyboard.press("Tab")
            continue
        here = page.evaluate_handle("document.activeElement").as_element()
        assert here is not None
        box = here.bounding_box()
        assert box is not None
        (x, y), (to_x, to_y) = find_centre(here), find_centre(element)
        # First the row, then along it, because a row may end before the element's column. A raised tile is in its row.
        sideways = abs(to_y - y) <= max(2, min(box["width"], box["height"]) / 4)
        if sideways:
            page.keyboard.press("ArrowRight" if to_x > x else "ArrowLeft")
        else:
            page.keyboard.press("ArrowDown" if to_y > y else "ArrowUp")
    page.keyboard.press("Enter")


def start_game(page: Page, game: str, seats: str, level: int = 1, **options: Any) -> None:
    """Start a game as the form does, but without opening it, so that the page shows a table where it is its turn.

    `seats` has a letter for each seat: p for a person at this browser, c for the computer, which plays at `level`. Seat
    0 begins. `options` are those of the game, with which it must have as many seats. Fail if the server refuses them;
    raise Playwright's TimeoutError if it is not this browser's turn in 30 s.
    """
    form = {"who-begins": "order", **{name: str(value).lower() for name, value in options.items()}}
    for seat, letter in enumerate(seats):
        form |= {f"seat-{seat}": "person" if letter == "p" else "computer", f"level-{seat}": str(level)}
    answer = page.request.post(f"/games/{game}", form=dict(form), max_redirects=0)
    assert answer.status == 303, answer.text()
    page.goto(answer.headers["location"])
    page.wait_for_selector(READY, timeout=TIMEOUT_MS)
    # What has been measured before a font came would change with it.
    page.evaluate("document.fonts.ready.then(() => {})")


def fill_in_form(page: Page, game: str, seats: str, level: int = 1, **options: Any) -> None:
    """Open the form for a new game and fill it in like a person; `seats`, `level` and `options` as for `start_game`.

    Raise Playwright's TimeoutError if a control is missing.
    """
    page.goto(f"/games/{game}")
    if options.keys() & {"cols", "rows", "size"}:
        page.locator('[name="board"][value="own"]').check()
    if options.keys() - {"cols", "rows", "size", "players"}:
        page.locator("details.options > summary").click()
    for name, value in options.items():
        control = page.locator(f"#o-{name}")
        if name == "players":
            page.locator(f'[name="players"][value="{value}"]').check()
        elif isinstance(value, bool):
            control.set_checked(value)
        elif control.evaluate("element => element.tagName") == "SELECT":
            control.select_option(str(value))
        else:
            control.fill(str(value))
    # A script shows as many seats as the options say.
    page.locator("[data-seat]:visible").nth(len(seats) - 1).wait_for()
    page.locator(f'[data-seat="{len(seats)}"]').wait_for(state="hidden")
    for seat, letter in enumerate(seats):
        page.locator(f"[name=seat-{seat}]").select_option("person" if letter == "p" else "computer")
        if letter != "p":
            page.locator(f"[name=level-{seat}]").select_option(str(level))
    page.get_by_label("Seats as listed").check()


def press_start(page: Page) -> None:
    """Press the form's button, and wait until it is this browser's turn at the table; fail after 30 seconds."""
    page.get_by_role("button", name="Start game").click()
    page.wait_for_selector(READY, timeout=TIMEOUT_MS)


def take_step(page: Page, rng: random.Random, press: Press) -> None:
    """Do one of the things that the page offers, at random: press a choice, an element of the board or of the tray.

    A move takes one or more steps. The page must be in the state "mine". A tile in hand that fits on the board only
    after a turn is turned with R, and if nothing can be pressed, Escape ends the selection. Raise ReplacedError if the
    page changes meanwhile.
    """
    whole = page.query_selector('#choices [data-choice="play"]')
    choices = page.query_selector_all("#choices .choice")
    if whole and (not choices or rng.random() < 0.5):
        press(page, whole)
        return
    if choices:
        press(page, rng.choice(choices))
        return
    # "can" marks what can be chosen next, "chosen" what has been chosen, and "can-turned" where the tile in hand would
    # fit if it were turned.
    board = page.query_selector_all("#board .can:not(.chosen)")
    tray = page.query_selector_all("#tray .can:not(.chosen)")
    carrying = page.query_selector("#tray .chosen") is not None
    turned = page.query_selector_all("#board .can-turned")
    if board and (not tray or carrying or rng.random() < 0.7):
        press(page, rng.choice(board))
    elif carrying and turned:
        page.keyboard.press("r")
    elif tray:
        press(page, rng.choice(tray))
    else:
        page.keyboard.press("Escape")


def play_randomly(page: Page, seed: int, press: Press = press_by_mouse, until: int | None = None) -> int:
    """Play until the game is over or the list has at least `until` moves; return the number of steps taken.

    The seed determines the steps, as far as the page offers the same ones. Fail after `MAX_STEPS` steps; raise
    Playwright's TimeoutError if it is not this browser's turn again within 30 seconds.
    """
    rng = random.Random(seed)
    for steps in range(MAX_STEPS):
        page.wait_for_selector(READY, timeout=TIMEOUT_MS)
        if page.locator('#play[data-state="over"]').count():
            return steps
        if until is not None and page.locator("#moves li").count() >= until:
            return steps
        # Anyone who presses what has just been replaced tries again.
        with suppress(ReplacedError):
            take_step(page, rng, press)
    raise AssertionError("the game has not ended")


def download_record(page: Page) -> str:
    """Download the record through the link of a table's page and return its text; fail if nothing is downloaded."""
    open_menu(page)
    with page.expect_download() as download:
        page.get_by_role("link", name="Download record").click()
    return download.value.path().read_text(encoding="utf-8")


def open_menu(page: Page) -> None:
    """Open the menu of a table's page, if it is closed, as a person would."""
    if page.locator("#menu:not([open])").count():
        page.locator("#menu > summary").click()


def read_moves(page: Page) -> list[str]:
    """Return the moves in the list in notation, oldest first; the tooltip has it where the list shows words."""
    moves: list[str] = page.locator("#moves li button").evaluate_all(
        "buttons => buttons.map((button) => button.title || button.querySelector('.move').textContent)"
    )
    return moves


def assert_recorded_result(page: Page) -> fc.Match:
    """Download the record and replay it; fail unless the page shows its winners, points, moves and reason of the end.

    Return the replayed match. The page must be that of seat 0, and the game over.
    """
    match = fc.Record.parse(download_record(page)).match()
    outcome = match.outcome
    assert outcome is not None
    shown = [
        seat
        for seat, item in enumerate(page.locator(".seat").all())
        if "won" in (item.get_attribute("class") or "").split()
    ]
    assert tuple(shown) == outcome.winners
    points = [int(re.sub(r"[^0-9-]", "", text)) for text in page.locator(".points").all_inner_texts()]
    # Where the last move wins, no points are shown.
    if match.game.spec.scoring == "points":
        assert tuple(points) == match.position.scores
    else:
        assert not points
    assert read_moves(page) == list(match.position.view(0).history)
    assert outcome.reason.rstrip(".").lower() in page.inner_text("#result").lower()
    return match
