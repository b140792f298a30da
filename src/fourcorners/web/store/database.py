"""An open database: one engine, its reading connections and its writer thread."""

import contextlib
from collections.abc import Callable, Iterable, Iterator, Sequence
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
_IDS_PER_QUERY = 500
_WRITE_TIMEOUT = 30.0


class Database:
    """A database of the current schema version.

    Any thread may call any method. All writes run in the one writer thread. A method that returns a future returns at
    once; the future is done when the write is committed, or fails with StoreError or ConflictError. Every other method
    blocks, and raises StoreError if the database fails.
    """

    def __init__(self, database: str | Path) -> None:
        """Open, create or migrate the database in a folder or at postgresql://…; raise StoreError."""
        try:
            self.engine = create_engine(database)
        except OSError as error:
            raise StoreError(f"games cannot be stored in {database}: {describe_error(error)}") from None
        self.location = describe_location(self.engine)
        try:
            migrate(self.engine)
        except (StoreError, OSError, sa.exc.SQLAlchemyError) as error:
            self.engine.dispose()
            if isinstance(error, StoreError):
                raise
            raise StoreError(f"games cannot be stored in {self.location}: {describe_error(error)}") from None
        self._reader = self.engine
        if self.engine.dialect.name == "postgresql":
            # All statements of a transaction then see one snapshot, as they do in SQLite.
            self._reader = self.engine.execution_options(isolation_level="REPEATABLE READ")
        self.writer = Writer(self.engine)

    def close(self) -> None:
        """Commit the queued writes and close all connections."""
        self.writer.close()
        self.engine.dispose()

    def ping(self) -> None:
        """Run a trivial query; raise StoreError if the database does not answer."""
        with self.read() as connection:
            connection.execute(sa.select(1))

    @contextlib.contextmanager
    def read(self) -> Iterator[sa.Connection]:
        """Open a connection for one read transaction; raise StoreError if the database fails."""
        try:
            with self._reader.connect() as connection:
                yield connection
        except sa.exc.SQLAlchemyError as error:
            raise StoreError(f"games cannot be read at the moment: {describe_error(error)}") from None

    def fetch_all(self, query: sa.Executable) -> Sequence[Any]:
        """Run a query and return its rows; raise StoreError if the database fails."""
        with self.read() as connection:
            return connection.execute(query).all()

    def fetch_first(self, query: sa.Executable) -> Any:
        """Run a query and return its first row, None if there is none; raise StoreError if the database fails."""
        with self.read() as connection:
            return connection.execute(query).first()

    def fetch_by_ids(self, query: sa.Select[Any], column: sa.Column[str], ids: Iterable[str]) -> list[Any]:
        """Return the rows of a query where the column has one of these ids; raise StoreError if the database fails."""
        # In parts, because SQLite limits the number of parameters.
        wanted = list(ids)
        parts = [wanted[first : first + _IDS_PER_QUERY] for first in range(0, len(wanted), _IDS_PER_QUERY)]
        with self.read() as connection:
            return [row for part in parts for row in connection.execute(query.where(column.in_(part)))]

    def write(self, key: str, work: Callable[[sa.Connection], T]) -> Future[T]:
        """Queue `work` for the writer thread; see `Writer.submit`. The future holds what `work` returns."""
        return self.writer.submit(key, work)

    def write_now(self, key: str, work: Callable[[sa.Connection], T]) -> T:
        """Write and block until the commit; return what `work` returns. Raise StoreError or ConflictError."""
        try:
            return self.write(key, work).result(_WRITE_TIMEOUT)
        except TimeoutError:
            raise StoreError("the database took too long to store this") from None


def make_work(statement: sa.Update | sa.Delete) -> Callable[[sa.Connection], bool]:
    """Return work for `Database.write` that executes a statement; its result is whether any row was changed."""
    return lambda connection: connection.execute(statement).rowcount > 0


def upsert(connection: sa.Connection, relation: sa.Table, row: dict[str, Any]) -> None:
    """Insert a row, or overwrite the row with the same primary key."""
    keys = [column.name for column in relation.primary_key]
    rest = {name: value for name, value in row.items() if name not in keys}
    connection.execute(_insert(connection, relation).values(row).on_conflict_do_update(index_elements=keys, set_=rest))


def insert_if_absent(connection: sa.Connection, relation: sa.Table, row: dict[str, Any]) -> bool:
    """Insert a row unless its primary key exists already; return whether it was inserted."""
    keys = [column.name for column in relation.primary_key]
    insert = _insert(connection, relation).values(row).on_conflict_do_nothing(index_elements=keys)
    return connection.execute(insert.returning(*relation.primary_key)).first() is not None


def _insert(connection: sa.Connection, relation: sa.Table) -> Any:
    return postgresql.insert(relation) if connection.dialect.name == "postgresql" else sqlite.insert(relation)
