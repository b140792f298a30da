"""A first table loads little, the second time only what may have changed, and nothing moves while it appears."""

import pytest

from benchmarks.page_weight import PHONE, weigh_page
from tests.browser.conftest import NewGuest

pytestmark = pytest.mark.browser
MOST_REQUESTS, MOST_BYTES, MOST_SHIFT = 25, 150_000, 0.02


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
