"""Record heartbeats and derive outages from them."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from fourcorners.web.store import Store

ENDLESS_GRACE = 1e12
"""Seconds of grace, more than between any two heartbeats here, so that none ends an outage."""


def test_first_heartbeat_does_not_end_an_outage(store: Store) -> None:
    assert store.record_heartbeat("p", 100.0, 10.0) is None
    assert store.list_outages(0.0, 1e9) == []


def test_time_without_a_heartbeat_of_any_server_beyond_the_grace_is_an_outage(store: Store) -> None:
    store.record_heartbeat("p", 50.0, ENDLESS_GRACE)
    store.record_heartbeat("p", 100.0, ENDLESS_GRACE)
    # An older heartbeat that arrives late; the latest one stays that of 100.
    store.record_heartbeat("q", 90.0, ENDLESS_GRACE)
    # Exactly ten seconds later is within the grace.
    assert store.record_heartbeat("r", 110.0, 10.0) is None
    assert store.record_heartbeat("s", 150.0, 10.0) == (110.0, 150.0)
    assert store.record_heartbeat("t", 155.0, 10.0) is None
    assert store.record_heartbeat("t", 200.0, 10.0) == (155.0, 200.0)
    assert store.list_outages(0.0, 1e9) == [(110.0, 150.0), (155.0, 200.0)]


def test_outages_that_overlap_a_period_are_listed(store: Store) -> None:
    store.record_heartbeat("p", 110.0, ENDLESS_GRACE)
    for process, now in (("q", 150.0), ("r", 155.0), ("s", 200.0)):
        store.record_heartbeat(process, now, 10.0)
    # The outages are (110, 150) and (155, 200). A period that only touches an outage does not overlap it.
    assert store.list_outages(149.0, 155.0) == [(110.0, 150.0)]
    assert store.list_outages(150.0, 155.0) == []
    assert store.list_outages(199.5, 1e9) == [(155.0, 200.0)]


def test_clock_that_goes_backwards_does_not_cause_an_outage(store: Store) -> None:
    store.record_heartbeat("p", 100.0, ENDLESS_GRACE)
    assert store.record_heartbeat("q", 50.0, 10.0) is None
    assert store.record_heartbeat("r", 105.0, 10.0) is None


def test_processes_that_start_together_record_the_same_outage(database: str | Path) -> None:
    stores = [Store(database) for _ in range(4)]
    stores[0].record_heartbeat("p", 1.0, ENDLESS_GRACE)
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda n: stores[n].record_heartbeat(str(n), 100.0 + n, 10.0), range(4)))
    recorded = stores[0].list_outages(0.0, 1e9)
    for store in stores:
        store.close()
    # It ends with the heartbeat of whichever process came first. Later ones may find no outage any more.
    assert len(recorded) == 1
    assert recorded[0][0] == 1.0
    assert {outage for outage in found if outage is not None} == set(recorded)
