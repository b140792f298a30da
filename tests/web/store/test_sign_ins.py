"""Store failed attempts to sign in, and the devices on which people have signed in before."""

from fourcorners.web.store import Store
from fourcorners.web.store.sign_ins import MAX_DEVICES, Delays
from tests.web.stored import OTHER, PLAYERS, register_stored_account, to_full_width

DELAYS = Delays(free=2, longest=5.0)
DAY = 24 * 3600.0


def attempt(store: Store, now: float, account: str = "Anna", source: str = "here") -> float:
    """Begin an attempt that fails, from one source; return the seconds to wait, 0 if it may be made."""
    return store.begin_attempt(account, {source: DELAYS}, now)


def test_delay_doubles_with_each_failure_up_to_the_longest_and_a_refused_attempt_adds_nothing(store: Store) -> None:
    assert [attempt(store, now) for now in (0.0, 0.0, 0.5, 1.0, 1.5, 3.0, 6.5, 7.0, 11.5, 12.0)] == [
        0.0,  # the first failure
        0.0,  # the second: a delay of 1 s
        0.5,
        0.0,  # 2 s
        1.5,
        0.0,  # 4 s
        0.5,
        0.0,  # 8 s, but at most 5 s
        0.5,
        0.0,
    ]


def test_very_many_failures_do_not_overflow() -> None:
    assert DELAYS.measure(10**9) == 5.0


def test_failures_are_forgotten_a_day_after_the_last_one(store: Store) -> None:
    assert attempt(store, 0.0) == attempt(store, 1.0) == 0.0
    assert attempt(store, 1.5) == 0.5
    assert [attempt(store, DAY + 1.0 + later) for later in (0.0, 0.1, 0.2)] == [0.0, 0.0, 0.9000000000087311]


def test_sources_and_accounts_wait_for_themselves_and_spellings_of_a_name_are_one_account(store: Store) -> None:
    for now in (0.0, 0.1):
        assert attempt(store, now) == 0.0
    assert attempt(store, 0.2, to_full_width("ANNA")) > 0
    assert attempt(store, 0.2, source="there") == attempt(store, 0.2, "Berta") == 0.0
    # Of several sources each counts, and the one that must wait longest decides.
    assert store.begin_attempt("Anna", {"elsewhere": DELAYS, "here": DELAYS}, 0.3) > 0
    assert store.begin_attempt("Anna", {"elsewhere": DELAYS, "there": DELAYS}, 0.3) == 0.0
    assert attempt(store, 0.4, source="there") > 0


def test_success_clears_the_source_and_takes_one_failure_from_the_shared_one(store: Store) -> None:
    both = {"here": DELAYS, "": DELAYS}
    assert store.begin_attempt("Anna", both, 0.0) == store.begin_attempt("Anna", both, 0.1) == 0.0
    store.forgive_attempt("anna", "here", "")
    with store.read() as connection:
        rows = connection.exec_driver_sql("SELECT source, failures, retry_at FROM sign_in_attempts").all()
    assert [tuple(row) for row in rows] == [("", 1, 0.0)]


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
