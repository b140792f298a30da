"""The writer thread: it commits all writes that are queued as one transaction (group commit)."""

import contextlib
import logging
import queue
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from itertools import groupby
from typing import Any, NamedTuple, TypeVar

import sqlalchemy as sa

from fourcorners.web.domain.rows import ConflictError, NoRoomError, StoreError, UnsentWriteError, UnstorableTextError
from fourcorners.web.store.engine import WRITE_OPTION, describe_error, is_without_room
from fourcorners.web.store.write_result import WriteResult, complete

T = TypeVar("T")
Work = Callable[[sa.Connection], T]
"""Writes through a connection, in a transaction that the writer begins and commits."""
WorkOnMany = Callable[[sa.Connection, Sequence[Any]], None]
"""Writes a sequence of items through a connection at once."""
_MAX_BATCH = 500
_MAX_QUEUED = 10_000
_PAUSE = 0.008
"""Seconds between two commits; a write that is queued later does not wait."""
_CLOSE_TIMEOUT = 4.0
"""Seconds that `Writer.close` waits for the queued writes."""
_logger = logging.getLogger(__name__)


class PendingWrite(NamedTuple):
    """A queued write: `work` writes it alone; `write_many`, if given, writes its `item` with others of its kind."""

    key: str
    result: WriteResult[Any]
    work: Work[Any]
    item: Any = None
    write_many: WorkOnMany | None = None


class Writer:
    """Runs all writes in one thread, in the order in which they were submitted for each key.

    `submit`, `submit_batchable` and `close` may be called from any thread; `_lock` guards `_closed`, so that nothing
    is queued behind the end marker. All other private methods and `_connection` belong to the writer thread.
    """

    def __init__(self, engine: sa.Engine) -> None:
        """Start the writer thread; `engine` stays the caller's, who disposes of it after `close`."""
        self._engine = engine.execution_options(**{WRITE_OPTION: True})
        self._queue: queue.SimpleQueue[PendingWrite | None] = queue.SimpleQueue()
        # A connection to a file cannot break. One to a server can, and the pool tests it whenever it is taken.
        self._keeps_connection = engine.dialect.name == "sqlite"
        self._connection: sa.Connection | None = None
        self.commits = 0  # batches written, for the metrics
        self._lock = threading.Lock()
        self._closed = False
        self._thread = threading.Thread(target=self._run, name="store-writer", daemon=True)
        self._thread.start()

    def submit(self, key: str, work: Work[T]) -> WriteResult[T]:
        """Queue `work`, which writes through the connection it receives; writes with equal keys keep their order.

        The result is what `work` returned, once that is committed. It is a ConflictError if a constraint is violated
        or `work` raises that, an UnsentWriteError, at once, if the queue is full or closed, otherwise a StoreError.
        `work` may run more than once, because a transaction that fails is rolled back and retried. A caller that stops
        waiting does not stop it.
        """
        return self._put(PendingWrite(key, WriteResult(), work))

    def submit_batchable(self, key: str, item: Any, write_many: WorkOnMany) -> WriteResult[None]:
        """Queue an item for a function that writes many such items at once; keys, errors and retries as in `submit`."""
        write = PendingWrite(key, WriteResult(), lambda connection: write_many(connection, [item]), item, write_many)
        return self._put(write)

    def _put(self, write: PendingWrite) -> WriteResult[Any]:
        """Queue a write and return its result, an error if the queue is full or closed. Takes `_lock`."""
        with self._lock:
            if self._closed:
                return WriteResult(UnsentWriteError("the server is stopping and accepts no more writes"))
            if self._queue.qsize() >= _MAX_QUEUED:
                return WriteResult(UnsentWriteError("too many writes are waiting"))
            self._queue.put(write)
        return write.result

    @property
    def queue_length(self) -> int:
        """The number of writes in the queue."""
        return self._queue.qsize()

    def close(self) -> None:
        """Write what is queued, for `_CLOSE_TIMEOUT` seconds; the rest fails, as all later writes do. Takes `_lock`. A
        batch that is being written when the time is up is not interrupted and may still be committed.
        """
        with self._lock:
            if self._closed:
                return
            self._closed = True
        end = time.monotonic() + _CLOSE_TIMEOUT
        self._queue.put(None)
        self._thread.join(max(0.0, end - time.monotonic()))
        if self._thread.is_alive():
            with contextlib.suppress(queue.Empty):
                while (write := self._queue.get_nowait()) is not None:
                    complete([(write.result, UnsentWriteError("the server stopped before this was stored"))])
            self._queue.put(None)

    def _run(self) -> None:
        """Write batches of up to `_MAX_BATCH` queued writes until None, the end marker, is taken from the queue."""
        running = True
        while running:
            batch = [self._queue.get()]
            while len(batch) < _MAX_BATCH and not self._queue.empty():
                batch.append(self._queue.get())
            running = None not in batch
            # Every process writes in the order of the keys, so that no two wait for each other's row locks.
            self._write_batch(sorted((write for write in batch if write is not None), key=lambda write: write.key))
            # A commit costs as much as several moves, whatever is in it, so on a busy server moves wait for others.
            # What is queued meanwhile does not wake this thread.
            if running:
                time.sleep(_PAUSE)
        self._close_connection()

    @contextlib.contextmanager
    def _transaction(self) -> Iterator[sa.Connection]:
        """Open a transaction that commits after the body; on any error roll back, drop the connection and raise it."""
        # SQLite keeps its connection for the next transaction: taking one from the pool would double the cost.
        if self._connection is None:
            self._connection = self._engine.connect()
        try:
            with self._connection.begin():
                yield self._connection
        except BaseException:
            self._close_connection()
            raise
        if not self._keeps_connection:
            self._close_connection()

    def _close_connection(self) -> None:
        """Return the connection to the pool, if there is one; never raises a database error."""
        if self._connection is not None:
            connection, self._connection = self._connection, None
            with contextlib.suppress(sa.exc.SQLAlchemyError):
                connection.close()

    def _write_batch(self, batch: Sequence[PendingWrite]) -> None:
        """Write a batch, which may be empty, and complete its results; never raises."""
        try:
            outcomes = self._try_batch(batch) if batch else []
            self.commits += bool(batch)
        except Exception as error:  # noqa: BLE001  # the thread must survive, and the callers receive the error
            outcomes = [_translate_error(error)] * len(batch)
        complete([(write.result, outcome) for write, outcome in zip(batch, outcomes, strict=True)])

    def _try_batch(self, batch: Sequence[PendingWrite]) -> list[Any]:
        """Write a batch and return a result or an error for each write; raise if the database itself fails.

        First all in one transaction. If a write fails: again with a savepoint around each. If PostgreSQL gives up that
        transaction too (deadlock, lock timeout): each in its own transaction.
        """
        try:
            with self._transaction() as connection:
                return _write_all(connection, batch)
        except Exception as error:
            if _is_database_failure(error) or (len(batch) == 1 and not _is_contention(error)):
                raise
            _logger.debug("%d writes are retried one by one: %s", len(batch), describe_error(error))
        if len(batch) > 1:
            try:
                with self._transaction() as connection:
                    return [_write_in_savepoint(connection, write) for write in batch]
            except sa.exc.DBAPIError as error:
                if not _is_contention(error):
                    raise
        return [self._write_in_own_transaction(write) for write in batch]

    def _write_in_own_transaction(self, write: PendingWrite) -> Any:
        """Run and commit one write; return its result, or its error as StoreError or ConflictError. Never raises."""
        try:
            with self._transaction() as connection:
                return write.work(connection)
        except Exception as error:  # noqa: BLE001  # the caller of this one write receives it
            return _translate_error(error)


def _write_all(connection: sa.Connection, batch: Sequence[PendingWrite]) -> list[Any]:
    """Run all writes and return their results, or raise the first error; one `write_many` call writes neighbours."""
    outcomes: list[Any] = []
    for write_many, writes in groupby(batch, lambda write: write.write_many):
        if write_many is None:
            outcomes.extend(write.work(connection) for write in writes)
        else:
            items = [write.item for write in writes]
            write_many(connection, items)
            outcomes.extend([None] * len(items))
    return outcomes


def _write_in_savepoint(connection: sa.Connection, write: PendingWrite) -> Any:
    """Run one write and return its result, or undo it and return its error; raise if the transaction is lost."""
    savepoint = connection.begin_nested()
    try:
        outcome = write.work(connection)
    except Exception as error:
        if _is_database_failure(error) or _is_contention(error):
            raise
        savepoint.rollback()
        return _translate_error(error)
    savepoint.commit()
    return outcome


def _is_database_failure(error: Exception) -> bool:
    """Return whether the database seems to fail (full disk, lost server, time-out): retries are useless or too slow."""
    if not isinstance(error, sa.exc.OperationalError | sa.exc.InterfaceError) or _is_contention(error):
        return False
    # SQLite also raises OperationalError for a malformed statement, which does not affect the other writes.
    return getattr(error.orig, "sqlite_errorcode", None) != sqlite3.SQLITE_ERROR


def _is_contention(error: Exception) -> bool:
    """Return whether PostgreSQL gave up the transaction because of another: conflict 40001, deadlock, lock timeout."""
    return getattr(getattr(error, "orig", None), "sqlstate", None) in {"40001", "40P01", "55P03"}


def _translate_error(error: Exception) -> Exception:
    """Return a StoreError or an UnstorableTextError unchanged, a violated constraint as ConflictError, any other error,
    logged, as StoreError.
    """
    if isinstance(error, StoreError | UnstorableTextError):
        return error
    if isinstance(error, sa.exc.IntegrityError):
        return ConflictError("another write came first")
    if isinstance(error, sa.exc.SQLAlchemyError):
        reason = describe_error(error)
        # While the database fails, every write does; the background tasks log that once.
        level = logging.INFO if _is_database_failure(error) else logging.ERROR
        _logger.log(level, "a write failed: %s", reason)
        kind = NoRoomError if is_without_room(error) else StoreError
        return kind(f"this could not be stored: {reason}")
    _logger.error("a write failed", exc_info=error)
    return StoreError("this could not be stored because of an error in the program")
