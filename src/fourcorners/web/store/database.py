"""What the store's parts stand on: one engine, its reader and its writer."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from pathlib import Path
from typing import Any, TypeVar

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql, sqlite

from fourcorners.web.domain.rows import StoreError
from fourcorners.web.store.engine import create_engine, describe_error, describe_location
from fourcorners.web.store.migrate import migrate
from fourcorners.web.store.writer import Writer

T = TypeVar("T")
_STORED_WITHIN = 30.0


class Database:
    """A database that is open and of this version.

    What returns a future is stored when that is done; what answers at once has waited for it.
    """

    def __init__(self, database: str | Path) -> None:
        """Open a folder's database, or the one at postgresql://…, or make it; raise StoreError."""
        try:
            self.engine = create_engine(database)
        except OSError as error:
            raise StoreError(f"the games cannot be stored in {database}: {describe_error(error)}") from None
        self.place = describe_location(self.engine)
        try:
            migrate(self.engine)
        except (StoreError, OSError, sa.exc.SQLAlchemyError) as error:
            self.engine.dispose()
            if isinstance(error, StoreError):
                raise
            raise StoreError(f"the games cannot be stored in {self.place}: {describe_error(error)}") from None
        self._reader = self.engine
        if self.engine.dialect.name == "postgresql":
            # One sight of the database for all statements of a reading, as SQLite gives it.
            self._reader = self.engine.execution_options(isolation_level="REPEATABLE READ")
        self.writer = Writer(self.engine)

    def close(self) -> None:
        """Write what waits, and close."""
        self.writer.close()
        self.engine.dispose()

    def ask(self) -> None:
        """Ask the database for nothing but an answer; raise StoreError."""
        with self.read() as connection:
            connection.execute(sa.select(1))

    @contextlib.contextmanager
    def read(self) -> Iterator[sa.Connection]:
        """Read in one transaction; raise StoreError where the database fails."""
        try:
            with self._reader.connect() as connection:
                yield connection
        except sa.exc.SQLAlchemyError as error:
            raise StoreError(f"the games cannot be read just now: {describe_error(error)}") from None

    def write(self, key: str, work: Callable[[sa.Connection], T]) -> Future[T]:
        """Write by a function that gets a connection; writes with the same key keep their order."""
        return self.writer.submit(key, work)

    def write_now(self, key: str, work: Callable[[sa.Connection], T]) -> T:
        """Write, and wait until it is committed; raise StoreError."""
        try:
            return self.write(key, work).result(_STORED_WITHIN)
        except TimeoutError:
            raise StoreError("this could not be stored in time") from None


def upsert(connection: sa.Connection, relation: sa.Table, row: dict[str, Any]) -> None:
    """Insert a row, or write over the one with its primary key."""
    keys = [column.name for column in relation.primary_key]
    rest = {name: value for name, value in row.items() if name not in keys}
    connection.execute(_insert(connection, relation).values(row).on_conflict_do_update(index_elements=keys, set_=rest))


def insert_if_absent(connection: sa.Connection, relation: sa.Table, row: dict[str, Any]) -> bool:
    """Insert a row unless there is one with its primary key; tell whether it was inserted."""
    keys = [column.name for column in relation.primary_key]
    unless = _insert(connection, relation).values(row).on_conflict_do_nothing(index_elements=keys)
    return connection.execute(unless.returning(*relation.primary_key)).first() is not None


def _insert(connection: sa.Connection, relation: sa.Table) -> Any:
    return postgresql.insert(relation) if connection.dialect.name == "postgresql" else sqlite.insert(relation)
