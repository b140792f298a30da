"""An open database: one engine, its reading connections and its writer thread."""

import contextlib
import math
import secrets
import sqlite3
import threading
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql, sqlite

from fourcorners.web.domain.rows import StoreError
from fourcorners.web.store.engine import DAMAGE, create_engine, describe_error, describe_location
from fourcorners.web.store.migrate import migrate
from fourcorners.web.store.writer import T, Work, Writer

_IDS_PER_QUERY = 20_000  # SQLite takes 32,766 parameters, PostgreSQL 65,535
_WRITE_TIMEOUT = 30.0
"""Seconds that a caller waits for its write, which may still be committed later."""
_READ_TIMEOUT = 1.0
"""Seconds that `Database.close` waits for queries that are running."""


class Database:
    """A database of the current schema version.

    Any thread may call any method. All writes run in the one writer thread. A method that returns a `WriteResult`
    returns at once; the result comes when the write is committed, or it fails with StoreError or ConflictError. Every
    other method blocks, and raises StoreError if the database fails.
    """

    def __init__(self, database: str | Path) -> None:
        """Open, create or migrate the database in a folder or at postgresql://…, start its writer; raise StoreError."""
        try:
            self.engine = create_engine(database)
        except OSError as error:
            raise StoreError(f"games cannot be stored in {database}: {describe_error(error)}") from None
        self.location = describe_location(self.engine)
        try:
            migrate(self.engine)
        except (StoreError, OSError, sa.exc.SQLAlchemyError, *DAMAGE) as error:
            self.engine.dispose()
            if isinstance(error, StoreError):
                raise
            raise StoreError(f"games cannot be stored in {self.location}: {describe_error(error)}") from None
        self._reader = self.engine
        if self.engine.dialect.name == "postgresql":
            # All statements of a transaction then see one snapshot, as they do in SQLite.
            self._reader = self.engine.execution_options(isolation_level="REPEATABLE READ")
        self.writer = Writer(self.engine)
        self.write = self.writer.submit
        self._closed = False
        self._readers = 0
        self._readers_changed = threading.Condition()

    def close(self) -> None:
        """Commit the queued writes, for a few seconds at most, and close all connections; later reads and writes fail.

        A query that does not end within a second is not waited for, and its connection is not closed.
        """
        self.writer.close()
        # A stopping server does not wait for the threads of its background tasks, which may be in a query.
        with self._readers_changed:
            self._closed = True
            self._readers_changed.wait_for(lambda: not self._readers, _READ_TIMEOUT)
        self.engine.dispose()

    def ping(self) -> None:
        """Run a trivial query; raise StoreError if the database does not answer."""
        self.fetch_first(sa.select(1))

    def erase_remains(self, largest: float = math.inf) -> None:
        """Overwrite what is left of deleted rows in the files of SQLite, after a transaction with `mark_remains`.

        SQLite overwrites deleted rows, but keeps copies of rows in unused parts of pages that it has split, and older
        pages in its write-ahead log. A database of at most `largest` bytes is rewritten, which blocks writers for
        about a second per 100 MB; of a larger one the log is emptied, and the mark stays. If the database fails or is
        busy, the mark stays too. PostgreSQL vacuums by itself.
        """
        if self.engine.dialect.name != "sqlite":
            return
        with contextlib.suppress(sa.exc.SQLAlchemyError, sqlite3.Error), self.engine.connect() as connection:
            # The driver's own connection, because there can be no transaction around this.
            driver: Any = connection.connection.driver_connection
            mark, pages, page_size = (
                driver.execute(f"PRAGMA {name}").fetchone()[0] for name in ("application_id", "page_count", "page_size")
            )
            if mark and pages * page_size <= largest:
                driver.execute("VACUUM")
                # The mark stays if another transaction has set its own meanwhile, or if this is killed before.
                driver.execute("BEGIN IMMEDIATE")
                if driver.execute("PRAGMA application_id").fetchone()[0] == mark:
                    driver.execute("PRAGMA application_id = 0")
                driver.execute("COMMIT")
            driver.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()

    @contextlib.contextmanager
    def read(self) -> Iterator[sa.Connection]:
        """Open a connection whose queries see one snapshot; raise StoreError for database errors, even in the body, and
        once the database is closed.
        """
        with self._readers_changed:
            if self._closed:
                raise StoreError("the server is stopping and reads no more games")
            self._readers += 1
        try:
            with self._reader.connect() as connection:
                yield connection
        except (sa.exc.SQLAlchemyError, *DAMAGE) as error:
            raise StoreError(f"games cannot be read at the moment: {describe_error(error)}") from None
        finally:
            with self._readers_changed:
                self._readers -= 1
                self._readers_changed.notify_all()

    def fetch_all(self, query: sa.Executable) -> Sequence[Any]:
        """Run a query and return its rows; raise StoreError if the database fails."""
        with self.read() as connection:
            return connection.execute(query).all()

    def fetch_first(self, query: sa.Executable) -> Any:
        """Run a query and return its first row, None if there is none; raise StoreError if the database fails."""
        with self.read() as connection:
            return connection.execute(query).first()

    def fetch_by_ids(self, query: sa.Select[Any], column: sa.Column[Any], ids: Iterable[Any]) -> list[Any]:
        """Return the rows of a query whose `column` has one of these distinct ids, in any order; raise StoreError."""
        wanted = list(ids)
        parts = [wanted[first : first + _IDS_PER_QUERY] for first in range(0, len(wanted), _IDS_PER_QUERY)]
        with self.read() as connection:
            return [row for part in parts for row in connection.execute(query.where(column.in_(part)))]

    def write_now(self, key: str, work: Work[T]) -> T:
        """Do `write`, wait for its commit, return the result; raise ConflictError or StoreError. After `_WRITE_TIMEOUT`
        seconds raise StoreError too, although the write may still be committed.
        """
        try:
            return self.write(key, work).result(_WRITE_TIMEOUT)
        except TimeoutError:
            raise StoreError("the database took too long to store this") from None


def mark_remains(connection: sa.Connection) -> None:
    """Note in SQLite's file, in the caller's transaction, that it holds deleted rows which must leave no copies."""
    if connection.dialect.name == "sqlite":
        # A random number, so that a process that erases remains sees whether there are others since.
        connection.exec_driver_sql(f"PRAGMA application_id = {1 + secrets.randbelow(2**31 - 1)}")


def make_work(statement: sa.Update | sa.Delete) -> Work[bool]:
    """Return work for `Database.write` that executes a statement and returns whether any row matched."""
    return lambda connection: connection.execute(statement).rowcount > 0


def upsert(connection: sa.Connection, relation: sa.Table, row: dict[str, Any]) -> None:
    """Insert a row, given by column name, or overwrite these columns of the row with the same primary key."""
    insert = _insert(connection, relation).values(row)
    connection.execute(insert.on_conflict_do_update(index_elements=relation.primary_key, set_=row))


def insert_if_absent(connection: sa.Connection, relation: sa.Table, row: dict[str, Any]) -> bool:
    """Insert a row, given by column name, unless its primary key exists already; return whether it was inserted."""
    insert = _insert(connection, relation).values(row).on_conflict_do_nothing(index_elements=relation.primary_key)
    return connection.execute(insert.returning(*relation.primary_key)).first() is not None


def _insert(connection: sa.Connection, relation: sa.Table) -> Any:
    return postgresql.insert(relation) if connection.dialect.name == "postgresql" else sqlite.insert(relation)
