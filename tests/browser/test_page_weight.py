"""A first table loads little, the second time only what may have changed, and nothing moves while it appears."""

import re

import pytest
from playwright.sync_api import Page, ViewportSize, expect

from benchmarks.page_weight import PHONE, weigh_page
from tests.browser.conftest import NewGuest, Server

pytestmark = pytest.mark.browser
MOST_REQUESTS, MOST_BYTES, MOST_SHIFT = 25, 150_000, 0.02
WIDE: ViewportSize = {"width": 1280, "height": 800}
PLACES = """async () => {
  await document.fonts.ready;
  return [...document.querySelectorAll("main *:not(svg *)")].map((element) => {
    const { x, y } = element.getBoundingClientRect();
    return [element.outerHTML.split(">", 1)[0], Math.round(x), Math.round(y)];
  });
}"""
"""Start tag and place of all elements below the header, in the order of the document, once the fonts have arrived."""


def test_first_table_is_light_and_the_second_time_asks_only_for_what_has_no_version(new_guest: NewGuest) -> None:
    guest = new_guest(viewport=PHONE)
    seats: dict[str, str | float | bool] = {"seat-0": "person", "seat-1": "computer", "level-1": "1"}
    table = guest.request.post("/games/squarin-off", form=seats).url
    first, second = weigh_page(guest, table), weigh_page(guest.context.new_page(), table)
    assert 5 < first.requests <= MOST_REQUESTS
    assert 50_000 < first.bytes <= MOST_BYTES
    assert first.paint_ms > 0
    # The page itself, the icon of the site, and that of the player's turn.
    assert second.requests <= 3
    assert max(first.shift, second.shift) <= MOST_SHIFT


@pytest.mark.parametrize("path", ["/analysis/squarin-off", "/puzzles/squarin-off/daily"])
def test_board_with_a_tray_beside_it_stays_where_it_is_when_scripts_come(new_guest: NewGuest, path: str) -> None:
    page = new_guest(viewport=WIDE)
    assert weigh_page(page, path).shift <= MOST_SHIFT
    expect(page.locator(".layout")).to_have_attribute("data-tray", "narrow")


@pytest.mark.parametrize("viewport", [PHONE, WIDE], ids=["phone", "wide"])
@pytest.mark.parametrize("path", ["/analysis/squendo?players=2", "/analysis/sqez"])
def test_analysis_stays_where_it_is_when_scripts_add_the_turn_and_the_hands(
    new_guest: NewGuest, viewport: ViewportSize, path: str
) -> None:
    page = new_guest(viewport=viewport)
    assert weigh_page(page, path).shift <= MOST_SHIFT
    expect(page.locator("#turn")).to_contain_text("to move")


@pytest.mark.parametrize("viewport", [PHONE, WIDE], ids=["phone", "wide"])
@pytest.mark.parametrize("is_new", [True, False], ids=["newcomer", "returning"])
def test_what_has_arrived_of_the_home_page_stays_where_it_is_when_the_rest_comes(
    new_guest: NewGuest, server: Server, viewport: ViewportSize, *, is_new: bool
) -> None:
    page = new_guest(viewport=viewport, java_script_enabled=False)
    if not is_new:
        page.request.post("/games/squarin-off", form={"seat-0": "person", "seat-1": "computer", "level-1": "1"})
    answer = page.goto("/")
    assert answer is not None
    text, whole = answer.text(), page.evaluate(PLACES)
    parts = [
        text[: found.start()] for found in re.finditer('<div class="(?:first|below)"|<section|<li class="game', text)
    ]
    assert len(parts) >= 8
    for part in parts:
        arrived = load_part(page, server.url, part)
        moved = [pair for pair in zip(arrived, whole, strict=False) if pair[0] != pair[1]]
        assert [pair for pair in moved if min(y for _, _, y in pair) < viewport["height"]] == []


def load_part(page: Page, address: str, text: str) -> list[tuple[str, int, int]]:
    """Show this beginning of the page at an address; return its `PLACES`."""
    page.route(f"{address}/", lambda route: route.fulfill(body=text, content_type="text/html"), times=1)
    page.goto("/")
    places: list[tuple[str, int, int]] = page.evaluate(PLACES)
    return places
