"""The devices on which people have signed in before."""

from fourcorners.web.store import Store
from fourcorners.web.store.sign_ins import MAX_DEVICES
from tests.web.stored import OTHER, PLAYERS, register_stored_account


def test_device_is_known_to_one_player_until_it_is_forgotten(store: Store) -> None:
    account = register_stored_account(store)
    for device in ("phone", "laptop"):
        store.remember_device(account, device, 1.0)
    assert store.is_known_device(account, "phone") and not store.is_known_device(OTHER, "phone")
    store.forget_devices(account, but="laptop")
    assert [store.is_known_device(account, device) for device in ("phone", "laptop")] == [False, True]
    store.forget_devices(account)
    assert not store.is_known_device(account, "laptop")


def test_only_the_devices_seen_last_are_known(store: Store) -> None:
    store.remember_device(OTHER, "other's", 0.0)
    for number in range(MAX_DEVICES + 2):
        store.remember_device(PLAYERS[0], f"device{number}", float(number))
    known = [number for number in range(MAX_DEVICES + 2) if store.is_known_device(PLAYERS[0], f"device{number}")]
    assert known == list(range(2, MAX_DEVICES + 2))
    assert store.is_known_device(OTHER, "other's")
