"""A first table loads little, the second time only what may have changed, and nothing moves while it appears."""

import pytest
from playwright.sync_api import expect

from benchmarks.page_weight import PHONE, weigh_page
from tests.browser.conftest import NewGuest

pytestmark = pytest.mark.browser
MOST_REQUESTS, MOST_BYTES, MOST_SHIFT = 25, 150_000, 0.02
MOST_JUMP = 0.05  # a board that moved beside its tray was 0.28


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
    page = new_guest(viewport={"width": 1280, "height": 800})
    assert weigh_page(page, path).shift <= MOST_JUMP
    expect(page.locator(".layout")).to_have_attribute("data-tray", "narrow")
