"""Insert and overwrite rows in a database, and erase what is left of deleted ones."""

import threading
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from fourcorners.web.domain.rows import UnstorableTextError
from fourcorners.web.store import Store, StoreError, schema
from fourcorners.web.store.database import insert_if_absent, mark_remains, upsert
from fourcorners.web.store.write_result import WriteResult
from tests.web.client import WAIT


def test_upsert_overwrites_an_existing_row_and_insert_if_absent_does_not(store: Store) -> None:
    def write_rows(connection: sa.Connection) -> list[bool]:
        """Upsert "p" twice, then insert "p" and "q" if absent; return which of these two were inserted."""
        upsert(connection, schema.beats, {"process": "p", "at": 1.0})
        upsert(connection, schema.beats, {"process": "p", "at": 2.0})
        return [insert_if_absent(connection, schema.beats, {"process": name, "at": 3.0}) for name in ("p", "q")]

    assert store.write_now("", write_rows) == [False, True]
    with store.read() as connection:
        assert sorted(connection.execute(schema.beats.select())) == [("p", 2.0), ("q", 3.0)]


def test_text_with_nul_is_refused_and_undoes_nothing_else(store: Store) -> None:
    def write(name: str) -> WriteResult[None]:
        return store.write(name, lambda connection: upsert(connection, schema.beats, {"process": name, "at": 1.0}))

    results = [write(name) for name in ("p", "a\0", "q")]
    with pytest.raises(UnstorableTextError):
        results[1].result(WAIT)
    for result in (results[0], results[2]):
        result.result(WAIT)
    with store.read() as connection:
        assert sorted(connection.scalars(sa.select(schema.beats.c.process))) == ["p", "q"]
        with pytest.raises(UnstorableTextError):
            connection.execute(schema.beats.select().where(schema.beats.c.process == "a\0"))


def test_close_waits_for_a_running_query_so_that_its_connection_is_closed_too(database: str | Path) -> None:
    """Without that, the connection of a query that ends later would stay open until it is collected as garbage."""
    store = Store(database)
    began, go_on = threading.Event(), threading.Event()
    used: list[object] = []
    closed: list[object] = []
    sa.event.listen(store.engine, "close", lambda driver, _: closed.append(driver))

    def read() -> None:
        with store.read() as connection:
            used.append(connection.connection.dbapi_connection)
            began.set()
            assert go_on.wait(30)

    reader, closer = threading.Thread(target=read), threading.Thread(target=store.close)
    reader.start()
    assert began.wait(30)
    closer.start()
    # From the moment when `close` waits for it, nothing new is read.
    while not store._closed:
        closer.join(0.01)
    with pytest.raises(StoreError, match="stopping"):
        store.ping()
    go_on.set()
    for thread in (reader, closer):
        thread.join(30)
    assert used[0] in closed


def read_mark(store: Store) -> int:
    """Return the number with which a file says that it holds remains of deleted rows, 0 if it holds none."""
    with store.read() as connection:
        return int(connection.exec_driver_sql("PRAGMA application_id").scalar_one())


def test_mark_of_a_deletion_that_commits_after_the_file_was_written_anew_stays(folder: Path) -> None:
    store = Store(folder)
    statements: list[str] = []

    def note_statement(statement: str) -> None:
        statements.append(statement)
        if statements[-2:-1] == ["VACUUM"] and statements.count("VACUUM") == 1:
            store.write_now("", mark_remains)

    def trace(connection: Any, *_: object) -> None:
        connection.set_trace_callback(note_statement)

    store.write_now("", mark_remains)
    first = read_mark(store)
    # From here on, connections of readers and of `erase_remains` are traced; the writer keeps its own.
    sa.event.listen(store.engine, "checkout", trace)
    store.erase_remains()
    assert statements.count("VACUUM") == 1
    assert read_mark(store) not in {0, first}
    store.erase_remains()
    assert (statements.count("VACUUM"), read_mark(store)) == (2, 0)
    store.close()
