"""Store how far players are in lessons."""

from fourcorners.web.store import Store
from tests.web.stored import GUEST, NEW, OTHER, register_stored_account

RULES, CHAINS = "a-game/rules", "a-game/chains"


def test_progress_only_grows(store: Store) -> None:
    store.save_progress(GUEST, {RULES: 2, CHAINS: 1}, 5.0)
    store.save_progress(GUEST, {RULES: 1, CHAINS: 3}, 6.0)
    assert store.read_progress(GUEST) == {RULES: 2, CHAINS: 3}
    assert store.read_progress(OTHER) == {}


def test_who_signs_in_takes_progress_along_and_keeps_what_is_further(store: Store) -> None:
    register_stored_account(store)
    store.save_progress(GUEST, {RULES: 4, CHAINS: 1}, 5.0)
    store.save_progress(OTHER, {RULES: 2, CHAINS: 3, "a-game/ends": 1}, 6.0)
    store.sign_in(GUEST, NEW, 7.0, guest=OTHER)
    assert store.read_progress(GUEST) == {RULES: 4, CHAINS: 3, "a-game/ends": 1}
    assert store.read_progress(OTHER) == {}


def test_old_progress_of_guests_is_deleted_and_that_of_accounts_stays(store: Store) -> None:
    register_stored_account(store)
    for player in (GUEST, OTHER):
        store.save_progress(player, {RULES: 1}, 5.0)
    store.save_progress(OTHER, {CHAINS: 1}, 9.0)
    store.delete_guest_progress(8.0)
    assert store.read_progress(OTHER) == {CHAINS: 1}
    assert store.read_progress(GUEST) == {RULES: 1}
