"""People in several browsers: who sets a table up, who comes by its link, and how they play it to the end."""

from __future__ import annotations

import random

from playwright.sync_api import Page

import fourcorners as fc
from tests.browser.driver import MOST_STEPS, by_mouse, listed_moves, record_of, step

NOTICED = 25_000
"""A dead line is noticed within 12 s; the rest is for a busy machine."""
MINE, OTHER, WAITING, OVER = (f'#play[data-state="{state}"]' for state in ("mine", "other", "waiting", "over"))


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
