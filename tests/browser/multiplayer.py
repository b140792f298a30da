"""People in several browsers: creating a table, joining it by its link, and playing the game to the end."""

import random
import time
from contextlib import suppress
from functools import partial

from playwright.sync_api import Page, expect

import fourcorners as fc
from tests.browser.driver import (
    MAX_STEPS,
    TIMEOUT_MS,
    ReplacedError,
    download_record,
    press_by_mouse,
    read_moves,
    take_step,
    wait_for_value,
)

DISCONNECT_TIMEOUT_MS = 25_000
"""A dead connection is noticed within 12 s; the rest is for a busy machine."""
MINE, OTHER, WAITING, OVER = (f'#play[data-state="{state}"]' for state in ("mine", "other", "waiting", "over"))


def create_table(page: Page, game: str, seats: str, **options: str) -> str:
    """Create a table and open its page, which waits for other players; return its path, such as /play/ID.

    `seats` has a letter for each seat: p for this person, o for the one who joins, c for the computer. Seat 0 begins.
    `options` are further fields of the form. There must be an open seat. Fail if the server refuses the form.
    """
    kinds = {"p": "person", "o": "open", "c": "computer"}
    form = {f"seat-{seat}": kinds[letter] for seat, letter in enumerate(seats)}
    answer = page.request.post(f"/games/{game}", form={"who-begins": "order", **form, **options}, max_redirects=0)
    assert answer.status == 303
    path = answer.headers["location"]
    page.goto(path)
    page.wait_for_selector(WAITING)
    return path


def take_seat(page: Page, path: str, name: str) -> None:
    """Open the link of a table and take the first open seat as `name`; wait until the page offers no seat any more.

    `path` is that of the table, such as /play/ID. Raise Playwright's TimeoutError if no seat is open.
    """
    page.goto(path)
    page.get_by_label("Your name").fill(name)
    page.get_by_role("button", name="Sit here").first.click()
    page.get_by_role("button", name="Sit here").first.wait_for(state="hidden")


def seat_two_players(ada: Page, ben: Page, game: str = "square-off", **options: str) -> str:
    """Create a table, 4 × 4 where the game has a size, at which Ada at seat 0 is to move against Ben; return its path.

    `options` are further fields of the form. Both pages show the table.
    """
    sizes = {"square-off": {"size": "4"}, "sqez": {"cols": "4", "rows": "4"}}.get(game, {})
    path = create_table(ada, game, "po", **{"name-0": "Ada", **sizes, **options})
    take_seat(ben, path, "Ben")
    ada.wait_for_selector(MINE)
    ben.wait_for_selector(OTHER)
    return path


def play_together(pages: list[Page], seed: int) -> None:
    """Play random steps on the page of the player to move until all see the end.

    `pages` show the same table, one page for each person. Fail after `MAX_STEPS` steps, or 30 seconds without one.
    """
    rng = random.Random(seed)
    steps = 0
    end = time.monotonic() + TIMEOUT_MS / 1000
    while steps < MAX_STEPS and time.monotonic() < end:
        movers = [page for page in pages if page.locator(MINE).count()]
        if movers:
            with suppress(ReplacedError):
                take_step(movers[0], rng, press_by_mouse)
            steps += 1
            end = time.monotonic() + TIMEOUT_MS / 1000
        elif all(page.locator(OVER).count() for page in pages):
            return
        else:
            time.sleep(0.02)
    raise AssertionError("the game has not ended")


def read_winners(page: Page) -> tuple[int, ...]:
    """Return the seats that are marked as having won."""
    seats: list[int] = page.locator(".seat").evaluate_all(
        "seats => seats.flatMap((seat, index) => (seat.querySelector('.won-note') ? [index] : []))"
    )
    return tuple(seats)


def assert_same_end(pages: list[Page]) -> fc.Match:
    """Fail unless all pages show the moves and winners of the first page's record; return the replayed match.

    The game must be over on all of them.
    """
    match = fc.Record.parse(download_record(pages[0])).match()
    outcome = match.outcome
    assert outcome is not None
    for page in pages:
        expect(page.locator("#result")).to_be_visible()
        wait_for_value(partial(read_moves, page), list(match.position.view(0).history))
        assert read_winners(page) == outcome.winners
    return match
