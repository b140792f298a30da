"""The store: read by anybody, written by one thread that commits all that has gathered as one transaction."""

from __future__ import annotations

import logging
import queue
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import sqlalchemy as sa

from fourcorners.web.store.schema import SCHEMA_VERSION, events, metadata, tables

FILE = "fourcorners.db"
_LARGEST_BATCH = 500
_WAITING_WRITES = 10_000
_logger = logging.getLogger(__name__)


class StoreError(Exception):
    """The database cannot be opened or used; the message is a sentence for people."""


class NewEvent(NamedTuple):
    """One event as it is stored; `version` counts the table's events, this one included."""

    version: int
    seat: int
    text: str
    client_id: str
    at: float


@dataclass(frozen=True)
class Saved:
    """A table as it is stored."""

    id: str
    kind: str
    game: str
    options: dict[str, Any]
    deck: list[str]
    names: list[str]
    kinds: list[str]
    owner: str
    settings: dict[str, Any]
    date: str
    created: float
    changed: float
    turn: int | None
    result: str
    events: list[NewEvent] = field(default_factory=list)


class Summary(NamedTuple):
    """What lists of tables show of one."""

    changed: float
    turn: int | None
    result: str


class _Write(NamedTuple):
    work: Callable[[sa.Connection], None]
    done: Future[None]


class Store:
    """A SQLite database in a folder."""

    def __init__(self, folder: Path) -> None:
        """Open the database, or make it; raise StoreError."""
        self.path = folder / FILE
        try:
            folder.mkdir(parents=True, exist_ok=True)
            self._engine = _engine(self.path)
            with self._engine.begin() as connection:
                _prepare(connection, self.path)
        except (OSError, sa.exc.SQLAlchemyError) as error:
            reason = getattr(error, "orig", None) or getattr(error, "strerror", None) or error
            message = f"the games cannot be stored in {folder}: {reason}"
            raise StoreError(message) from None
        self._queue: queue.Queue[_Write | None] = queue.Queue(_WAITING_WRITES)
        self._writer = threading.Thread(target=self._write_all, name="store-writer", daemon=True)
        self._writer.start()

    def close(self) -> None:
        """Write what waits, and close."""
        self._queue.put(None)
        self._writer.join()
        self._engine.dispose()

    def add(self, saved: Saved) -> Future[None]:
        """Store a new table with its events; the future is done when it is committed."""
        row = {name: value for name, value in vars(saved).items() if name != "events"}

        def work(connection: sa.Connection) -> None:
            connection.execute(tables.insert(), row)
            if saved.events:
                connection.execute(events.insert(), [_row(saved.id, event) for event in saved.events])

        return self._submit(work)

    def append(self, table_id: str, event: NewEvent, summary: Summary) -> Future[None]:
        """Store one event; the future fails if the table already has that version or that client's id."""

        def work(connection: sa.Connection) -> None:
            connection.execute(events.insert(), _row(table_id, event))
            connection.execute(tables.update().where(tables.c.id == table_id).values(summary._asdict()))

        return self._submit(work)

    def load(self, table_id: str) -> Saved | None:
        """Read a table with its events."""
        with self._engine.connect() as connection:
            row = connection.execute(tables.select().where(tables.c.id == table_id)).mappings().first()
            if row is None:
                return None
            found = events.select().where(events.c.table_id == table_id).order_by(events.c.version)
            told = [NewEvent(*tuple(event)[1:]) for event in connection.execute(found)]
            return Saved(**row, events=told)

    def of_owner(self, owner: str, limit: int) -> list[Saved]:
        """List an owner's tables, the last changed first, without their events."""
        chosen = tables.select().where(tables.c.owner == owner).order_by(tables.c.changed.desc()).limit(limit)
        return self._rows(chosen)

    def running(self, since: float, limit: int) -> list[Saved]:
        """List the running tables that changed since a time, the last changed first, without their events."""
        chosen = tables.select().where(tables.c.changed >= since, tables.c.turn.is_not(None), tables.c.kind == "live")
        return self._rows(chosen.order_by(tables.c.changed.desc()).limit(limit))

    def _rows(self, chosen: sa.Select[Any]) -> list[Saved]:
        with self._engine.connect() as connection:
            return [Saved(**row) for row in connection.execute(chosen).mappings()]

    def made_since(self, since: float, owner: str | None = None) -> int:
        """Count the tables made since a time, by one owner or by all."""
        # What was made since then changed since then, and by that the tables are indexed.
        newer = (tables.c.changed >= since, tables.c.created >= since)
        chosen = sa.select(sa.func.count()).select_from(tables).where(*newer)
        if owner is not None:
            chosen = chosen.where(tables.c.owner == owner)
        with self._engine.connect() as connection:
            return int(connection.execute(chosen).scalar_one())

    def _submit(self, work: Callable[[sa.Connection], None]) -> Future[None]:
        done: Future[None] = Future()
        try:
            self._queue.put_nowait(_Write(work, done))
        except queue.Full:
            done.set_exception(StoreError("too much waits to be stored"))
        return done

    def _write_all(self) -> None:
        open_ = True
        while open_:
            batch = [self._queue.get()]
            while len(batch) < _LARGEST_BATCH and not self._queue.empty():
                batch.append(self._queue.get())
            open_ = None not in batch
            self._write([item for item in batch if item is not None])

    def _write(self, batch: Sequence[_Write]) -> None:
        failed: dict[int, Exception] = {}
        try:
            with self._engine.begin() as connection:
                for index, item in enumerate(batch):
                    try:
                        with connection.begin_nested():
                            item.work(connection)
                    except sa.exc.IntegrityError as error:
                        failed[index] = error
        except Exception as error:
            _logger.exception("%d writes failed", len(batch))
            failed = dict.fromkeys(range(len(batch)), StoreError(f"this could not be stored: {error}"))
        for index, item in enumerate(batch):
            if index in failed:
                item.done.set_exception(failed[index])
            else:
                item.done.set_result(None)


def _row(table_id: str, event: NewEvent) -> dict[str, Any]:
    return {"table_id": table_id, **event._asdict()}


def _engine(path: Path) -> sa.Engine:
    # Given in parts and from the root, as a folder's name may hold signs that have a meaning in an address.
    address = sa.URL.create("sqlite", database=str(path.absolute()))
    engine = sa.create_engine(address, connect_args={"timeout": 10})

    @sa.event.listens_for(engine, "connect")
    def _connected(connection: Any, _: object) -> None:
        # The driver's own transactions know no savepoints; SQLAlchemy begins them itself.
        connection.isolation_level = None
        for setting in ("journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON"):
            connection.execute(f"PRAGMA {setting}")

    @sa.event.listens_for(engine, "begin")
    def _began(connection: sa.Connection) -> None:
        connection.exec_driver_sql("BEGIN")

    return engine


def _prepare(connection: sa.Connection, path: Path) -> None:
    version = int(connection.exec_driver_sql("PRAGMA user_version").scalar_one())
    if version > SCHEMA_VERSION:
        message = f"the games in {path} were stored by a newer version of this program"
        raise StoreError(message)
    metadata.create_all(connection)
    connection.exec_driver_sql(f"PRAGMA user_version = {SCHEMA_VERSION}")
