"""Writes through another process: results and errors arrive, and a writer that dies is replaced."""

import socket
import threading
from collections.abc import Iterator
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from fourcorners.web.domain.rows import ConflictError, StoreError
from fourcorners.web.store import Store, schema
from fourcorners.web.store.remote_writer import WriterServer
from tests.waiting import wait_until
from tests.web.client import WAIT
from tests.web.stored import append_event, build_table


class WriterProcess:
    """What a writer process does, in threads of this one."""

    def __init__(self, folder: Path, socket_folder: Path) -> None:
        """Start a writer over the database in a folder."""
        self.address = str(socket_folder / "writer")
        self.listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.listener.bind(self.address)
        self.listener.listen()
        self.store = Store(folder)
        self.server = WriterServer(self.listener, self.store.writer)


@pytest.fixture
def process(folder: Path, tmp_path: Path) -> Iterator[WriterProcess]:
    """A writer of the database in `folder`."""
    process = WriterProcess(folder, tmp_path)
    yield process
    process.listener.close()
    process.store.close()


@pytest.fixture
def workers(process: WriterProcess, folder: Path) -> Iterator[tuple[Store, Store]]:
    """The stores of two workers that write through that process."""
    with ExitStack() as stack:
        stores = Store(folder, process.address), Store(folder, process.address)
        for store in stores:
            stack.callback(store.close)
        yield stores


def insert_marker(connection: sa.Connection, marker: str) -> str:
    """Store a row that shows that this was committed; return its id."""
    row = {"table_id": marker, "game": "", "seats": 0, "at": 0.0, "moved": {}}
    connection.execute(schema.results.insert(), row)
    return marker


def raise_reset(_: object) -> None:
    raise ConnectionResetError


def raise_conflict(_: sa.Connection) -> None:
    raise ConflictError("this is taken")


def test_writes_of_two_workers_are_committed_and_their_results_arrive(workers: tuple[Store, Store]) -> None:
    one, other = workers
    one.add_table(build_table("t")).result(WAIT)
    append_event(one, "t", 1).result(WAIT)
    append_event(other, "t", 2).result(WAIT)
    assert one.read_versions(["t"]) == other.read_versions(["t"]) == {"t": 2}
    assert other.set_deadline("t", 5.0).result(WAIT) is True
    assert one.set_deadline("no such table", 5.0).result(WAIT) is False
    assert one.write_now("", partial(insert_marker, marker="m")) == "m"


def test_errors_arrive_and_do_not_undo_other_writes(workers: tuple[Store, Store]) -> None:
    one, other = workers
    one.add_table(build_table("t")).result(WAIT)
    writes = [append_event(one, "t", 1), one.write("t", raise_conflict), append_event(one, "t", 2)]
    assert [write.exception(WAIT) for write in writes[::2]] == [None, None]
    with pytest.raises(ConflictError, match="this is taken"):
        writes[1].result(WAIT)
    with pytest.raises(ConflictError):
        append_event(other, "t", 2).result(WAIT)
    assert other.read_versions(["t"]) == {"t": 2}


def test_what_cannot_be_sent_fails_alone(workers: tuple[Store, Store]) -> None:
    one = workers[0]
    unsent, sent = one.write("", lambda _: None), one.write("", partial(insert_marker, marker="m"))
    with pytest.raises(StoreError, match="error in the program"):
        unsent.result(WAIT)
    assert sent.result(WAIT) == "m"


def test_a_writer_that_dies_fails_what_is_on_its_way_and_the_next_one_writes(
    workers: tuple[Store, Store], process: WriterProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = workers[0]
    one.add_table(build_table("t")).result(WAIT)
    with monkeypatch.context() as patch:
        # An error of its stream ends a connection, as the end of the process does.
        patch.setattr(process.server, "_submit", raise_reset)
        with pytest.raises(StoreError, match="started again"):
            append_event(one, "t", 1).result(WAIT)
    append_event(one, "t", 1).result(WAIT)
    assert one.read_versions(["t"]) == {"t": 1}
    one.close()
    process.server.wait_until_unused(WAIT)
    wait_until(lambda: not process.server._clients)


def test_a_writer_that_was_started_again_between_two_writes_fails_none(workers: tuple[Store, Store]) -> None:
    one = workers[0]
    one.add_table(build_table("t")).result(WAIT)
    one.writer._stream.shutdown(socket.SHUT_RDWR)  # type: ignore[attr-defined]
    append_event(one, "t", 1).result(WAIT)
    assert one.read_versions(["t"]) == {"t": 1}


def test_a_batch_that_was_given_up_is_committed_before_what_comes_later(
    workers: tuple[Store, Store], process: WriterProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = workers[0]
    one.add_table(build_table("t")).result(WAIT)
    submit = process.server._submit
    order: list[str] = []
    is_first_here, overtaken = threading.Event(), threading.Event()

    def submit_late(entry: Any) -> Any:
        """Let the second write overtake the first one, if it can."""
        if not is_first_here.is_set():
            is_first_here.set()
            overtaken.wait(2.0)
            order.append("first")
        else:
            order.append("later")
            overtaken.set()
        return submit(entry)

    monkeypatch.setattr(process.server, "_submit", submit_late)
    one.writer._stream.settimeout(0.1)  # type: ignore[attr-defined]
    with pytest.raises(StoreError, match="started again"):
        one.write("", partial(insert_marker, marker="first")).result(WAIT)
    assert one.write_now("", partial(insert_marker, marker="later")) == "later"
    assert order == ["first", "later"]


def test_closing_a_worker_commits_what_is_queued(folder: Path, process: WriterProcess) -> None:
    store = Store(folder, process.address)
    store.add_table(build_table("t"))
    written = [append_event(store, "t", version) for version in range(1, 101)]
    store.close()
    assert [write.exception(0) for write in written] == [None] * 100
    assert process.store.read_versions(["t"]) == {"t": 100}
