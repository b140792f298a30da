"""Play through the page as a person would: by mouse, finger or keyboard, choosing among what lights up."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from typing import Any

from playwright.sync_api import ElementHandle, Page

import fourcorners as fc

READY = '#play[data-state="mine"], #play[data-state="over"]'
PATIENCE = 30_000
MOST_STEPS = 2000

Press = Callable[[Page, ElementHandle], None]


def middle(element: ElementHandle) -> tuple[float, float]:
    element.scroll_into_view_if_needed()
    box = element.bounding_box()
    assert box is not None
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def by_mouse(page: Page, element: ElementHandle) -> None:
    x, y = middle(element)
    page.mouse.move(x, y)
    page.mouse.click(x, y)


def by_touch(page: Page, element: ElementHandle) -> None:
    page.touchscreen.tap(*middle(element))


def by_keyboard(page: Page, element: ElementHandle) -> None:
    """Tab to the board, tray or buttons if the focus is elsewhere, walk there by arrow keys, press Enter."""
    inside = '#board, #tray, #choices, #play [aria-label="Moves"]'
    region = element.evaluate(f"element => element.closest('{inside}').id")
    for _ in range(60):
        if page.evaluate(f"document.activeElement.closest('{inside}')?.id") == region:
            break
        page.keyboard.press("Tab")
    walked: list[str] = []
    sideways = True
    while not element.evaluate("element => element === document.activeElement"):
        walked.append(page.evaluate("document.activeElement.id"))
        assert len(walked) < 60, f"no way by keys to {element.get_attribute('id')} over {walked}"
        if region == "choices":
            page.keyboard.press("Tab")
            continue
        here = page.evaluate_handle("document.activeElement").as_element()
        assert here is not None
        (x, y), (to_x, to_y) = middle(here), middle(element)
        # As people do: straight on as long as that leads nearer.
        sideways = abs(to_x - x) > 2 if sideways else abs(to_y - y) <= 2
        if sideways:
            page.keyboard.press("ArrowRight" if to_x > x else "ArrowLeft")
        else:
            page.keyboard.press("ArrowDown" if to_y > y else "ArrowUp")
    page.keyboard.press("Enter")


def set_up(page: Page, game: str, seats: str, level: int = 1, *, press_start: bool = True, **options: Any) -> None:
    """Fill in the form; `seats` has a letter for each: p a person, c the computer."""
    page.goto(f"/games/{game}")
    if options:
        page.locator("details.options > summary").click()
    for name, value in options.items():
        control = page.locator(f"#o-{name}")
        if isinstance(value, bool):
            control.set_checked(value)
        elif control.evaluate("element => element.tagName") == "SELECT":
            control.select_option(str(value))
        else:
            control.fill(str(value))
    page.locator("[data-seat]:visible").nth(len(seats) - 1).wait_for()
    page.locator(f'[data-seat="{len(seats)}"]').wait_for(state="hidden")
    for seat, letter in enumerate(seats):
        page.locator(f"[name=seat-{seat}]").select_option("person" if letter == "p" else "computer")
        if letter != "p":
            page.locator(f"[name=level-{seat}]").select_option(str(level))
    page.get_by_label("Seats as listed").check()
    if press_start:
        page.get_by_role("button", name="Start the game").click()
        page.wait_for_selector(READY, timeout=PATIENCE)


def step(page: Page, rng: random.Random, press: Press) -> None:
    """Do one thing that the page offers."""
    whole = page.query_selector('#choices [data-choice="play"]')
    choices = page.query_selector_all("#choices .choice")
    if whole and (not choices or rng.random() < 0.5):
        press(page, whole)
        return
    if choices:
        press(page, rng.choice(choices))
        return
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


def play_on(page: Page, seed: int, press: Press = by_mouse, until: int | None = None) -> int:
    """Play until the game is over, or so many moves are in the list; return how many steps that took."""
    rng = random.Random(seed)
    for steps in range(MOST_STEPS):
        page.wait_for_selector(READY, timeout=PATIENCE)
        if page.locator('#play[data-state="over"]').count():
            return steps
        if until is not None and page.locator("#moves li").count() >= until:
            return steps
        step(page, rng, press)
    raise AssertionError("the game does not end")


def record_of(page: Page) -> str:
    """Download the record with the browser's own link."""
    with page.expect_download() as download:
        page.get_by_role("link", name="Download record").click()
    return download.value.path().read_text(encoding="utf-8")


def listed_moves(page: Page) -> list[str]:
    return page.locator("#moves .move").all_inner_texts()


def check_result(page: Page) -> fc.Match:
    """Compare what the page of seat 0 says of a finished game with what its record gives when it is replayed."""
    match = fc.Record.parse(record_of(page)).match()
    outcome = match.outcome
    assert outcome is not None
    shown = [
        seat
        for seat, item in enumerate(page.locator(".seat").all())
        if "won" in (item.get_attribute("class") or "").split()
    ]
    assert tuple(shown) == outcome.winners
    points = [int(re.sub(r"[^0-9-]", "", text)) for text in page.locator(".points").all_inner_texts()]
    assert tuple(points) == match.position.scores
    assert listed_moves(page) == list(match.position.view(0).history)
    assert outcome.reason.rstrip(".").lower() in page.inner_text("#result").lower()
    return match
