"""Faults of the store: a full disk, a database that is gone, a queue that is full, a stop in the middle."""

import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import sqlalchemy as sa

from fourcorners.web.store import Store, StoreError
from tests.web.stored import chairs, event, saved, summary


def test_a_full_disk_fails_what_does_not_fit_and_is_got_over(tmp_path: Path) -> None:
    store = Store(tmp_path)
    room = 0

    def limit(connection: sa.Connection) -> None:
        connection.exec_driver_sql(f"PRAGMA max_page_count = {room or 1_000_000}")

    sa.event.listen(store.engine, "begin", limit)
    store.add(saved()).result(10)
    with store.engine.connect() as connection:
        room = int(connection.exec_driver_sql("PRAGMA page_count").scalar_one()) + 20
    stored = 0
    long = "x" * 3000
    failure = None
    while failure is None:
        assert stored < 1000
        told = event(stored + 1)._replace(text=long)
        failure = store.append("t", told, summary(stored + 1)).exception(10)
        stored += failure is None
    assert isinstance(failure, StoreError)
    assert "full" in str(failure)
    many = [store.append("t", event(stored + n)._replace(text=long), summary(stored + n)) for n in range(1, 20)]
    assert all(isinstance(write.exception(10), StoreError) for write in many)
    found = store.load("t")
    assert found is not None
    assert (len(found.events), found.version) == (stored, stored)
    room = 0
    store.append("t", event(stored + 1), summary(stored + 1)).result(10)
    assert store.heads(["t"]) == {"t": stored + 1}
    store.close()


@pytest.fixture
def pair(address: str) -> Iterator[tuple[Store, Store]]:
    """Two processes' stores over one PostgreSQL."""
    stores = Store(address), Store(address)
    yield stores
    for store in stores:
        store.close()


def test_a_lost_connection_fails_what_was_written_and_is_got_over(pair: tuple[Store, Store]) -> None:
    store, other = pair
    store.add(saved()).result(10)

    def cut(_: object = None) -> None:
        with other.engine.connect() as connection:
            chosen = "pg_stat_activity WHERE pid <> pg_backend_pid() AND datname = current_database()"
            connection.exec_driver_sql(f"SELECT pg_terminate_backend(pid) FROM {chosen}")

    assert isinstance(store.append("t", event(1), summary(1), then=cut).exception(10), StoreError)
    store.append("t", event(1), summary(1)).result(10)
    cut()
    store.append("t", event(2), summary(2)).result(10)
    cut()
    assert store.since("t", 0) == [event(1), event(2)]


def test_processes_that_write_to_the_same_tables_do_not_block_each_other(pair: tuple[Store, Store]) -> None:
    names = [f"t{n:02}" for n in range(40)]
    for name in names:
        pair[0].add(saved(name, chairs=chairs("a", "b"))).result(10)
    writes = []
    for version in range(1, 11):
        for name in names if version % 2 else names[::-1]:
            writer, other = pair if int(name[1:]) % 2 else pair[::-1]
            writes.append(writer.append(name, event(version), summary(version)))
            writes.append(other.set_plan(name, 0, {"lines": [["a", str(version)]]}))
    assert [write.exception(60) for write in writes] == [None] * len(writes)
    assert pair[0].heads(names) == dict.fromkeys(names, 10)


def test_a_deadlock_is_tried_again(pair: tuple[Store, Store]) -> None:
    for name in ("t1", "t2"):
        pair[0].add(saved(name)).result(10)
    meet = threading.Barrier(2)
    lock = sa.text("UPDATE tables SET result = result WHERE id = :id")

    def crossed(first: str, second: str) -> Callable[[sa.Connection], int]:
        tries = 0

        def work(connection: sa.Connection) -> int:
            nonlocal tries
            tries += 1
            connection.execute(lock, {"id": first})
            if tries == 1:
                meet.wait(10)
            connection.execute(lock, {"id": second})
            return tries

        return work

    writes = [pair[0].write("", crossed("t1", "t2")), pair[1].write("", crossed("t2", "t1"))]
    assert sorted(write.result(30) for write in writes) == [1, 2]


def test_a_write_that_the_program_got_wrong_spoils_no_other(store: Store) -> None:
    store.add(saved()).result(10)
    began, go_on = threading.Event(), threading.Event()

    def hold(_: sa.Connection) -> None:
        began.set()
        assert go_on.wait(30)

    def wrong(connection: sa.Connection) -> None:
        connection.exec_driver_sql("SELECT nothing FROM nowhere")

    # While the writer is held they gather, and go into one transaction.
    held = store.write("", hold)
    assert began.wait(10)
    writes = [store.append("t", event(1), summary(1)), store.write("t", wrong), store.append("t", event(2), summary(2))]
    go_on.set()
    held.result(10)
    assert [write.exception(10) is None for write in writes] == [True, False, True]
    assert store.heads(["t"]) == {"t": 2}


def test_a_queue_that_is_full_refuses(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fourcorners.web.store.writer._WAITING_WRITES", 3)
    store = Store(tmp_path)
    began, go_on = threading.Event(), threading.Event()

    def hold(_: sa.Connection) -> None:
        began.set()
        assert go_on.wait(30)

    held = store.write("", hold)
    assert began.wait(10)
    writes = [store.add(saved(f"t{n}")) for n in range(5)]
    refused = [write.done() for write in writes]
    go_on.set()
    held.result(10)
    assert refused == [False, False, False, True, True]
    assert [write.exception(10) is None for write in writes] == [True, True, True, False, False]
    assert isinstance(writes[4].exception(), StoreError)
    store.close()


def test_closing_writes_what_waits(database: str | Path) -> None:
    store = Store(database)
    store.add(saved())
    last = [store.append("t", event(version), summary(version)) for version in range(1, 301)]
    store.close()
    assert all(write.exception(0) is None for write in last)
    assert isinstance(store.append("t", event(301), summary(301)).exception(0), StoreError)
    again = Store(database)
    assert again.heads(["t"]) == {"t": 300}
    again.close()


def test_closing_waits_for_a_few_seconds_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fourcorners.web.store.writer._CLOSED_WITHIN", 0.2)
    store = Store(tmp_path)
    began, go_on = threading.Event(), threading.Event()

    def hold(_: sa.Connection) -> None:
        began.set()
        assert go_on.wait(30)

    held = store.write("", hold)
    assert began.wait(10)
    waiting = store.add(saved())
    store.writer.close()
    assert isinstance(waiting.exception(0), StoreError)
    go_on.set()
    held.result(10)
    store.writer._thread.join(10)
    assert not store.writer._thread.is_alive()
    store.close()


def test_who_gives_up_waiting_stops_no_write(store: Store) -> None:
    store.add(saved()).result(10)
    write = store.append("t", event(1), summary(1))
    assert not write.cancel()
    write.result(10)
    assert store.heads(["t"]) == {"t": 1}


def test_what_a_write_was_about_is_not_told(store: Store, caplog: pytest.LogCaptureFixture) -> None:
    store.add(saved()).result(10)

    def twice(connection: sa.Connection) -> None:
        for _ in range(2):
            connection.execute(sa.text("INSERT INTO beats VALUES ('s3cret', 1)"))

    def wrong(connection: sa.Connection) -> None:
        connection.execute(sa.text("SELECT :value FROM nowhere"), {"value": "s3cret"})

    failures = [store.write("", work).exception(10) for work in (twice, wrong)]
    assert all(isinstance(failure, StoreError) for failure in failures)
    assert "s3cret" not in f"{failures} {caplog.text}"
