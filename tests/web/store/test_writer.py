"""The writer thread: group commits, and failures such as a full disk, a lost connection, a full queue, a late stop."""

import asyncio
import os
import signal
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from contextlib import contextmanager
from pathlib import Path

import pytest
import sqlalchemy as sa

from fourcorners.web.domain.rows import UnsentWriteError
from fourcorners.web.store import Store, StoreError
from fourcorners.web.store.postgresql import BoundedConnection
from tests.web.stored import append_event, build_chairs, build_event, build_summary, build_table


@contextmanager
def block_writer(store: Store) -> Iterator[None]:
    """Keep the writer thread busy during the body, so that the body's writes queue up; then let it go on.

    The writes queued meanwhile share a transaction. Fail if the body takes more than 30 seconds.
    """
    began, go_on = threading.Event(), threading.Event()

    def hold(_: sa.Connection) -> None:
        """Say that the writer thread is busy, and wait for the end of the body."""
        began.set()
        assert go_on.wait(30)

    held = store.write("", hold)
    assert began.wait(30)
    try:
        yield
    finally:
        go_on.set()
    held.result(30)


def test_queued_writes_share_commits_and_are_all_stored(store: Store) -> None:
    for number in range(20):
        store.add_table(build_table(f"t{number}"))
    commits = 0

    def count_commit(_: sa.Connection) -> None:
        nonlocal commits
        commits += 1

    sa.event.listen(store.engine, "commit", count_commit)
    writes = [append_event(store, f"t{n}", v) for v in range(1, 51) for n in range(20)]
    for write in writes:
        write.result(30)
    # Usually far fewer; but how many writes are queued together depends on the threads' timing.
    assert commits < len(writes) / 5
    # The tables t20 to t29 do not exist.
    assert store.read_versions([f"t{n}" for n in range(30)]) == {f"t{n}": 50 for n in range(20)}


def test_full_disk_fails_writes_until_there_is_room_again(tmp_path: Path) -> None:
    """What was stored before stays, and nothing of the failed writes is stored."""
    store = Store(tmp_path)
    room = 0

    def limit_pages(connection: sa.Connection) -> None:
        """Limit the database file to `room` pages, as a full disk does; 0 stands for a disk with enough room."""
        connection.exec_driver_sql(f"PRAGMA max_page_count = {room or 1_000_000}")

    sa.event.listen(store.engine, "begin", limit_pages)
    store.add_table(build_table()).result(30)
    with store.engine.connect() as connection:
        # Twenty pages of 4 KiB: some events of 3,000 characters fit, but soon no more.
        room = int(connection.exec_driver_sql("PRAGMA page_count").scalar_one()) + 20
    stored = 0
    long = "x" * 3000
    failure = None
    while failure is None:
        assert stored < 1000
        large = build_event(stored + 1)._replace(text=long)
        failure = store.append_event("t", large, build_summary(stored + 1)).exception(10)
        stored += failure is None
    assert isinstance(failure, StoreError)
    assert "full" in str(failure)
    # Writes that are queued together fail as well, and none of them is stored.
    many = [
        store.append_event("t", build_event(stored + n)._replace(text=long), build_summary(stored + n))
        for n in range(1, 20)
    ]
    assert all(isinstance(write.exception(10), StoreError) for write in many)
    found = store.load_table("t")
    assert found is not None
    assert (len(found.events), found.version) == (stored, stored)
    room = 0
    append_event(store, "t", stored + 1).result(30)
    assert store.read_versions(["t"]) == {"t": stored + 1}
    store.close()


@pytest.fixture
def stores(address: str) -> Iterator[tuple[Store, Store]]:
    """Yield two stores over the empty PostgreSQL database of this test, as two processes have them; close them."""
    opened = Store(address), Store(address)
    yield opened
    for store in opened:
        store.close()


def test_connection_lost_during_a_write_fails_that_write_and_is_replaced(stores: tuple[Store, Store]) -> None:
    """One lost between writes or before a read is also replaced, there without an error."""
    store, other = stores
    store.add_table(build_table()).result(30)

    def cut_connections(_: object = None) -> None:
        """Make PostgreSQL end all connections to this database but the one that asks for it."""
        with other.engine.connect() as connection:
            chosen = "pg_stat_activity WHERE pid <> pg_backend_pid() AND datname = current_database()"
            connection.exec_driver_sql(f"SELECT pg_terminate_backend(pid) FROM {chosen}")

    # `extra_work` runs inside the transaction of the event.
    lost = store.append_event("t", build_event(1), build_summary(1), extra_work=cut_connections)
    # The server may have committed before it was lost, so the writer does not try this write again.
    assert isinstance(lost.exception(10), StoreError)
    append_event(store, "t", 1).result(30)
    cut_connections()
    append_event(store, "t", 2).result(30)
    cut_connections()
    assert store.read_events_since("t", 0) == [build_event(1), build_event(2)]


def test_database_that_is_paused_fails_what_waits_for_it_and_is_used_again_afterwards(
    stores: tuple[Store, Store], monkeypatch: pytest.MonkeyPatch
) -> None:
    """TCP notices nothing, because the kernel of a paused process goes on to acknowledge what arrives."""
    store, _ = stores
    monkeypatch.setattr(BoundedConnection, "answer_timeout", 0.3)
    store.add_table(build_table()).result(30)
    paused: list[int] = []

    def pause(connection: sa.Connection) -> None:
        """Pause the process that serves this connection, and ask it something."""
        paused.append(connection.exec_driver_sql("SELECT pg_backend_pid()").scalar_one())
        os.kill(paused[-1], signal.SIGSTOP)
        connection.exec_driver_sql("SELECT 1")

    try:
        failed = store.append_event("t", build_event(1), build_summary(1), extra_work=pause)
        assert "no answer within" in str(failed.exception(30))
        with pytest.raises(StoreError, match="no answer within"), store.read() as connection:
            pause(connection)
    finally:
        for process in paused:
            os.kill(process, signal.SIGCONT)
    assert len(paused) == 2
    append_event(store, "t", 1).result(30)
    assert store.read_events_since("t", 0) == [build_event(1)]


def test_writes_of_two_processes_to_the_same_tables_in_opposite_orders_all_succeed(stores: tuple[Store, Store]) -> None:
    """Each writer sorts its batch by table, so that no two wait for each other's row locks."""
    names = [f"t{n:02}" for n in range(40)]
    for name in names:
        stores[0].add_table(build_table(name, chairs=build_chairs("a", "b"))).result(30)
    writes = []
    for version in range(1, 11):
        for name in names if version % 2 else names[::-1]:
            writer, other = stores if int(name[1:]) % 2 else stores[::-1]
            writes.append(append_event(writer, name, version))
            writes.append(other.save_premoves(name, 0, {"lines": [["a", str(version)]]}))
    assert [write.exception(60) for write in writes] == [None] * len(writes)
    assert stores[0].read_versions(names) == dict.fromkeys(names, 10)


def test_write_that_postgresql_gives_up_in_a_deadlock_is_retried(stores: tuple[Store, Store]) -> None:
    for name in ("t1", "t2"):
        stores[0].add_table(build_table(name)).result(30)
    meet, one_is_done = threading.Barrier(2), threading.Event()
    lock = sa.text("UPDATE tables SET result = result WHERE id = :id")

    def build_locking_work(first: str, second: str) -> Callable[[sa.Connection], int]:
        """Return work that locks two rows in this order and returns how often it ran.

        At its first run it waits between the locks for the other store, which has then locked `second`; before it locks
        anything again, it waits for the other store's commit. Fail if either takes more than 10 seconds.
        """
        tries = 0

        def work(connection: sa.Connection) -> int:
            nonlocal tries
            tries += 1
            # A retry that locks `first` before the other store does would be a second deadlock.
            assert tries == 1 or one_is_done.wait(30)
            connection.execute(lock, {"id": first})
            if tries == 1:
                meet.wait(30)
            connection.execute(lock, {"id": second})
            return tries

        return work

    writes = [
        stores[0].write("", build_locking_work("t1", "t2")),
        stores[1].write("", build_locking_work("t2", "t1")),
    ]
    # PostgreSQL gives up one of them; the other one is done first.
    with ThreadPoolExecutor() as threads:
        tries = [threads.submit(write.result, 30) for write in writes]
        wait(tries, return_when=FIRST_COMPLETED)
        one_is_done.set()
        assert sorted(each.result() for each in tries) == [1, 2]


def test_malformed_statement_does_not_affect_writes_of_the_same_batch(store: Store) -> None:
    store.add_table(build_table()).result(30)

    def run_malformed_statement(connection: sa.Connection) -> None:
        connection.exec_driver_sql("SELECT nothing FROM nowhere")

    with block_writer(store):
        writes = [append_event(store, "t", 1), store.write("t", run_malformed_statement), append_event(store, "t", 2)]
    assert [write.exception(10) is None for write in writes] == [True, False, True]
    assert store.read_versions(["t"]) == {"t": 2}


def test_full_queue_rejects_writes_at_once_and_stores_the_queued_ones(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("fourcorners.web.store.writer._MAX_QUEUED", 3)
    store = Store(tmp_path)
    with block_writer(store):
        writes = [store.add_table(build_table(f"t{n}")) for n in range(5)]
        # No write can succeed while the writer is blocked.
        assert all(isinstance(write.exception(0), UnsentWriteError) for write in writes[3:])
    assert [write.exception(10) is None for write in writes] == [True, True, True, False, False]
    assert isinstance(writes[4].exception(), UnsentWriteError)
    store.close()


def test_close_commits_queued_writes_and_rejects_later_ones(database: str | Path) -> None:
    store = Store(database)
    store.add_table(build_table())
    last = [append_event(store, "t", version) for version in range(1, 301)]
    store.close()
    # A timeout of 0: everything is committed before `close` returns.
    assert all(write.exception(0) is None for write in last)
    assert isinstance(append_event(store, "t", 301).exception(0), UnsentWriteError)
    reopened = Store(database)
    assert reopened.read_versions(["t"]) == {"t": 300}
    reopened.close()


def test_close_of_a_blocked_writer_fails_queued_writes_after_a_limited_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("fourcorners.web.store.writer._CLOSE_TIMEOUT", 0.2)
    store = Store(tmp_path)
    with block_writer(store):
        waiting = store.add_table(build_table())
        store.writer.close()
        assert isinstance(waiting.exception(0), UnsentWriteError)
    # Once it is no longer blocked, the thread ends.
    store.writer._thread.join(30)
    assert not store.writer._thread.is_alive()
    store.close()


async def test_write_is_done_although_the_coroutine_that_awaits_it_is_cancelled(store: Store) -> None:
    store.add_table(build_table()).result(30)
    with block_writer(store):
        write = append_event(store, "t", 1)
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(write, 0.01)
    await append_event(store, "t", 2)
    assert store.read_versions(["t"]) == {"t": 2}


def test_errors_and_logs_of_failed_writes_do_not_reveal_values(store: Store, caplog: pytest.LogCaptureFixture) -> None:
    store.add_table(build_table()).result(30)

    def insert_twice(connection: sa.Connection) -> None:
        """Violate the primary key: databases quote the value in such an error."""
        for _ in range(2):
            connection.execute(sa.text("INSERT INTO beats VALUES ('s3cret', 1)"))

    def read_missing_table(connection: sa.Connection) -> None:
        connection.execute(sa.text("SELECT :value FROM nowhere"), {"value": "s3cret"})

    failures = [store.write("", work).exception(10) for work in (insert_twice, read_missing_table)]
    assert all(isinstance(failure, StoreError) for failure in failures)
    assert "s3cret" not in f"{failures} {caplog.text}"
