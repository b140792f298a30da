"""Which running games keep engines away from their positions, and for how long."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from fourcorners.web.store import Store
from fourcorners.web.store.tables import AWAKE_SECONDS, GUESTS_AWAKE_SECONDS
from tests.web.stored import GUEST, append_event, build_chairs, build_table, register_stored_account

NOW, HASH = 1_000_000.0, -(2**63)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """An empty database."""
    opened = Store(tmp_path)
    yield opened
    opened.close()


def add_game(store: Store, player: str, **fields: Any) -> None:
    """Store a game of a player whose position has `HASH` since `NOW`."""
    store.add_table(build_table("t", chairs=build_chairs(player, "other"))).result(30)
    append_event(store, "t", 1, **{"changed": NOW, "position": HASH, **fields}).result(30)


def is_found(store: Store, now: float = NOW, table_id: str = "") -> bool:
    """Return whether a running game has the position, of several that are asked about."""
    found = store.find_positions({HASH, *range(1000)}, now, table_id)
    assert found <= {HASH}
    return bool(found)


def test_a_position_is_found_until_the_next_move_and_not_at_its_own_table(store: Store) -> None:
    add_game(store, GUEST)
    assert is_found(store) and not is_found(store, table_id="t")
    append_event(store, "t", 2, changed=NOW, position=7).result(30)
    assert store.find_positions([HASH, 7, 8], NOW) == {7}
    append_event(store, "t", 3, changed=NOW, result="1-0").result(30)
    assert store.find_positions([HASH, 7, 8], NOW) == set()


@pytest.mark.parametrize("deadline", [None, 2 * NOW])
def test_a_game_of_guests_counts_for_an_hour_after_its_last_change(store: Store, deadline: float | None) -> None:
    add_game(store, GUEST, deadline=deadline)
    assert is_found(store, NOW + GUESTS_AWAKE_SECONDS - 1.0)
    assert not is_found(store, NOW + GUESTS_AWAKE_SECONDS + 1.0)


@pytest.mark.parametrize("deadline", [None, 2 * NOW])
def test_a_game_of_an_account_counts_for_a_day_or_as_long_as_a_clock_runs(store: Store, deadline: float | None) -> None:
    add_game(store, register_stored_account(store), deadline=deadline)
    assert is_found(store, NOW + AWAKE_SECONDS - 1.0)
    assert is_found(store, NOW + AWAKE_SECONDS + 1.0) == (deadline is not None)
