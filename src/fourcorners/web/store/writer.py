"""The one writer: a thread that commits all that has gathered as one transaction."""

from __future__ import annotations

import contextlib
import logging
import queue
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from itertools import groupby
from typing import Any, NamedTuple, TypeVar

import sqlalchemy as sa

from fourcorners.web.domain.rows import ConflictError, StoreError
from fourcorners.web.store.engine import WRITE_OPTION, describe_error

T = TypeVar("T")
_LARGEST_BATCH = 500
_WAITING_WRITES = 10_000
_CLOSED_WITHIN = 4.0
_logger = logging.getLogger(__name__)


class PendingWrite(NamedTuple):
    """Something to write: `work`, or one of `items` that a function writes many of at once."""

    key: str
    done: Future[Any]
    work: Callable[[sa.Connection], Any] | None
    item: Any = None
    many: Callable[[sa.Connection, Sequence[Any]], None] | None = None

    def run(self, connection: sa.Connection) -> Any:
        """Write it alone."""
        if self.work is not None:
            return self.work(connection)
        if self.many is not None:
            self.many(connection, [self.item])
        return None


class Writer:
    """Writes in the order in which they were given, as far as they have the same key."""

    def __init__(self, engine: sa.Engine) -> None:
        self._engine = engine.execution_options(**{WRITE_OPTION: True})
        self._queue: queue.Queue[PendingWrite | None] = queue.Queue(_WAITING_WRITES)
        # A file is not lost between two writes; a server may be, and its connections are looked at before each use.
        self._keeps = engine.dialect.name == "sqlite"
        self._connection: sa.Connection | None = None
        self.commits = 0
        self._closing = threading.Lock()
        self._closed = False
        self._thread = threading.Thread(target=self._write_all, name="store-writer", daemon=True)
        self._thread.start()

    def submit(self, key: str, work: Callable[[sa.Connection], T]) -> Future[T]:
        """Write by a function that gets the connection; the future is done when it is committed."""
        return self._put(PendingWrite(key, Future(), work))

    def submit_one(self, key: str, item: Any, many: Callable[[sa.Connection, Sequence[Any]], None]) -> Future[None]:
        """Write an item by a function that writes many of them at once."""
        return self._put(PendingWrite(key, Future(), None, item, many))

    def _put(self, write: PendingWrite) -> Future[Any]:
        # Who waits for it may give up, but it is written all the same.
        write.done.set_running_or_notify_cancel()
        with self._closing:
            if self._closed:
                write.done.set_exception(StoreError("nothing is stored any more, as the server stops"))
                return write.done
            try:
                self._queue.put_nowait(write)
            except queue.Full:
                write.done.set_exception(StoreError("too much waits to be stored"))
        return write.done

    @property
    def waiting(self) -> int:
        """How much waits to be written."""
        return self._queue.qsize()

    def close(self) -> None:
        """Write what waits, for a few seconds at most; what was not written by then fails."""
        with self._closing:
            if self._closed:
                return
            self._closed = True
        end = time.monotonic() + _CLOSED_WITHIN
        with contextlib.suppress(queue.Full):
            self._queue.put(None, timeout=_CLOSED_WITHIN)
        self._thread.join(max(0.0, end - time.monotonic()))
        if self._thread.is_alive():
            with contextlib.suppress(queue.Empty):
                while True:
                    write = self._queue.get_nowait()
                    if write is not None:
                        write.done.set_exception(StoreError("the server stopped before this was stored"))
            self._queue.put(None)

    def _write_all(self) -> None:
        open_ = True
        while open_:
            batch = [self._queue.get()]
            while len(batch) < _LARGEST_BATCH and not self._queue.empty():
                batch.append(self._queue.get())
            open_ = None not in batch
            # In one order everywhere: two processes that wait for each other's rows would wait until one is cut off.
            self._write(sorted((write for write in batch if write is not None), key=lambda write: write.key))
        self._rest()

    @contextlib.contextmanager
    def _transaction(self) -> Iterator[sa.Connection]:
        """Begin a transaction; where it may, on the connection of the last one, as taking one costs as much again."""
        if self._connection is None:
            self._connection = self._engine.connect()
        try:
            with self._connection.begin():
                yield self._connection
        except BaseException:
            self._rest()
            raise
        if not self._keeps:
            self._rest()

    def _rest(self) -> None:
        if self._connection is not None:
            connection, self._connection = self._connection, None
            with contextlib.suppress(sa.exc.SQLAlchemyError):
                connection.close()

    def _write(self, batch: Sequence[PendingWrite]) -> None:
        if not batch:
            return
        try:
            outcomes = self._tried(batch)
        except Exception as error:  # noqa: BLE001  # whatever it is, the thread goes on and those who wait are told
            outcomes = [_told(error)] * len(batch)
        else:
            self.commits += 1
        for write, outcome in zip(batch, outcomes, strict=True):
            if isinstance(outcome, Exception):
                write.done.set_exception(outcome)
            else:
                write.done.set_result(outcome)

    def _tried(self, batch: Sequence[PendingWrite]) -> list[Any]:
        """Write all at once, or what can be written; return results and errors."""
        try:
            with self._transaction() as connection:
                return _all(connection, batch)
        except Exception as error:
            if _hopeless(error) or (len(batch) == 1 and not _contended(error)):
                raise
            _logger.debug("%d writes are tried one by one: %s", len(batch), describe_error(error))
        if len(batch) > 1:
            try:
                with self._transaction() as connection:
                    return [_alone(connection, write) for write in batch]
            except sa.exc.DBAPIError as error:
                if not _contended(error):
                    raise
        return [self._apart(write) for write in batch]

    def _apart(self, write: PendingWrite) -> Any:
        try:
            with self._transaction() as connection:
                return write.run(connection)
        except Exception as error:  # noqa: BLE001  # it is handed to who waits for this one
            return _told(error)


def _all(connection: sa.Connection, batch: Sequence[PendingWrite]) -> list[Any]:
    outcomes: list[Any] = []
    for many, writes in groupby(batch, lambda write: write.many):
        if many is None:
            outcomes.extend(write.run(connection) for write in writes)
        else:
            items = [write.item for write in writes]
            many(connection, items)
            outcomes.extend([None] * len(items))
    return outcomes


def _alone(connection: sa.Connection, write: PendingWrite) -> Any:
    """Write one and return its result, or the error for which it is left out."""
    savepoint = connection.begin_nested()
    try:
        outcome = write.run(connection)
    except Exception as error:
        if _hopeless(error) or _contended(error):
            raise
        savepoint.rollback()
        return _told(error)
    savepoint.commit()
    return outcome


def _hopeless(error: Exception) -> bool:
    """Tell whether the whole transaction is lost, and would be again: a full disk, a server that is gone."""
    if not isinstance(error, sa.exc.OperationalError | sa.exc.InterfaceError) or _contended(error):
        return False
    # What SQLite calls so may be a wrong statement, which spoils no other.
    return getattr(error.orig, "sqlite_errorcode", None) != sqlite3.SQLITE_ERROR


def _contended(error: Exception) -> bool:
    """Tell whether PostgreSQL gave this transaction up for another: a deadlock, a lock that took too long."""
    return getattr(getattr(error, "orig", None), "sqlstate", None) in {"40001", "40P01", "55P03"}


def _told(error: Exception) -> Exception:
    if isinstance(error, StoreError):
        return error
    if isinstance(error, sa.exc.IntegrityError):
        return ConflictError("somebody else was quicker")
    if isinstance(error, sa.exc.SQLAlchemyError):
        reason = describe_error(error)
        _logger.error("a write failed: %s", reason)
        return StoreError(f"this could not be stored: {reason}")
    _logger.error("a write failed", exc_info=error)
    return StoreError("this could not be stored: the program is at fault")
