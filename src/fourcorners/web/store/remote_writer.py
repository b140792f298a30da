"""Writing through another process: the workers of a server send batches of writes to the one process that commits."""

import contextlib
import io
import pickle
import secrets
import socket
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa

from fourcorners.web.domain.rows import StoreError
from fourcorners.web.interprocess.frames import receive_frame, send_frame
from fourcorners.web.store.schema import metadata
from fourcorners.web.store.write_result import WriteResult
from fourcorners.web.store.writer import PendingWrite, WorkOnMany, Writer

_ANSWER_TIMEOUT = 20.0
"""Seconds that a batch may take: SQLite itself waits up to 10 for another program that writes."""
_Entry = tuple[str, Any, WorkOnMany | None, bytes]
"""A write as it is sent: its key, and its item and function, or else its pickled work."""


class RemoteWriter(Writer):
    """A writer whose thread sends each batch to the process at a Unix socket, and waits until that has committed it.

    While a batch is on its way, writes gather for the next one. If the process is gone, the writes fail with StoreError
    although they may have been committed; those that come later go to the process that takes its place.
    """

    pause = 0.0  # the other process pauses between commits

    def __init__(self, engine: sa.Engine, address: str) -> None:
        """Start the thread; connect to the path `address` with the first write. `engine` stays the caller's."""
        self._address = address
        self._name = secrets.token_bytes(8)
        self._stream: socket.socket | None = None
        super().__init__(engine)

    def _try_batch(self, batch: Sequence[PendingWrite]) -> list[Any]:
        """Have a batch committed; return a result or an error for each write, or raise StoreError for all."""
        entries, unsent = [], {}
        for number, write in enumerate(batch):
            try:
                entries.append(_pickle(write))
            except Exception:  # noqa: BLE001  # whatever cannot be sent must not keep the others waiting
                unsent[number] = StoreError("this could not be stored because of an error in the program")
        try:
            outcomes = iter(self._exchange(pickle.dumps(entries, pickle.HIGHEST_PROTOCOL)))
        except OSError:
            self._close_connection()
            raise StoreError("the process that stores games is being started again") from None
        return [unsent[number] if number in unsent else next(outcomes) for number in range(len(batch))]

    def _exchange(self, request: bytes) -> list[Any]:
        """Send a batch and return its outcomes; raise OSError."""
        if self._stream is not None and _has_ended(self._stream):
            # Nothing was on its way when the other process was started again.
            self._close_connection()
        if self._stream is None:
            self._stream = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
            self._stream.settimeout(_ANSWER_TIMEOUT)
            self._stream.connect(self._address)
            send_frame(self._stream, self._name)
        send_frame(self._stream, request)
        answer = receive_frame(self._stream)
        if answer is None:
            raise ConnectionResetError("the process that writes has ended")
        outcomes: list[Any] = pickle.loads(answer)  # noqa: S301  # from our own process, through a private socket
        return outcomes

    def _close_connection(self) -> None:
        """Close the connection to the other process, if there is one."""
        if self._stream is not None:
            self._stream.close()
            self._stream = None


def _has_ended(stream: socket.socket) -> bool:
    """Return whether the other end of a stream, on which nothing is expected, is gone; raise OSError."""
    timeout = stream.gettimeout()
    stream.setblocking(False)
    try:
        return not stream.recv(1, socket.MSG_PEEK)
    except BlockingIOError:
        return False
    finally:
        stream.settimeout(timeout)


def _pickle(write: PendingWrite) -> _Entry:
    """Return a write as it is sent; raise what pickling raises."""
    if write.write_many is not None:
        return write.key, write.item, write.write_many, b""
    work = io.BytesIO()
    _StatementPickler(work, pickle.HIGHEST_PROTOCOL).dump(write.work)
    return write.key, None, None, work.getvalue()


class _StatementPickler(pickle.Pickler):
    """Pickles statements of SQLAlchemy without the schema, which both processes have."""

    def persistent_id(self, obj: Any) -> tuple[str, str | None] | None:
        """Return the names of a table and a column, None for all that is pickled as usual."""
        if isinstance(obj, sa.Table):
            return obj.name, None
        if isinstance(obj, sa.Column) and isinstance(obj.table, sa.Table):
            return obj.table.name, obj.key
        return None


class _StatementUnpickler(pickle.Unpickler):
    """Reads what `_StatementPickler` has written."""

    def persistent_load(self, pid: tuple[str, str | None]) -> Any:
        """Return a table, or a column of it."""
        table, column = pid
        relation = metadata.tables[table]
        return relation if column is None else relation.c[column]


@dataclass(eq=False)
class _Client:
    """A connection of the process with this name, which is None until it has arrived."""

    name: bytes | None = None


class WriterServer:
    """Commits the writes of all processes that connect to a listening Unix socket, through one writer.

    The first frame of a connection is a name for the process. One that has given up a batch and connected again finds
    that batch committed or lost: its connections are served one after the other.
    """

    def __init__(self, listener: socket.socket, writer: Writer) -> None:
        """Accept connections in threads from now on; the listener and the writer stay the caller's."""
        self._listener = listener
        self._writer = writer
        self._changed = threading.Condition()
        self._clients: list[_Client] = []
        threading.Thread(target=self._accept, name="writer-accept", daemon=True).start()

    def wait_until_unused(self, seconds: float) -> None:
        """Return once no process is connected, or after so many seconds."""
        with self._changed:
            self._changed.wait_for(lambda: not self._clients, seconds)

    def _accept(self) -> None:
        with contextlib.suppress(OSError):  # the listener is closed
            while True:
                stream, _ = self._listener.accept()
                client = _Client()
                with self._changed:
                    self._clients.append(client)
                threading.Thread(target=self._serve, args=(stream, client), name="writer-client", daemon=True).start()

    def _serve(self, stream: socket.socket, client: _Client) -> None:
        """Commit batch after batch of one process until it is gone."""
        try:
            with stream, contextlib.suppress(OSError):
                name = receive_frame(stream)
                with self._changed:
                    client.name = name
                    self._changed.notify_all()
                    self._changed.wait_for(lambda: self._is_next(client))
                while (request := receive_frame(stream)) is not None:
                    entries: list[_Entry] = pickle.loads(request)  # noqa: S301  # as in `_exchange`
                    outcomes = [_await_outcome(write) for write in [self._submit(entry) for entry in entries]]
                    send_frame(stream, pickle.dumps(outcomes, pickle.HIGHEST_PROTOCOL))
        finally:
            with self._changed:
                self._clients.remove(client)
                self._changed.notify_all()

    def _is_next(self, client: _Client) -> bool:
        """Return whether no earlier connection is of the same process, or might be. Needs the lock."""
        earlier = self._clients[: self._clients.index(client)]
        return not any(other.name in (None, client.name) for other in earlier)

    def _submit(self, entry: _Entry) -> WriteResult[Any]:
        """Queue a write that was sent."""
        key, item, write_many, work = entry
        if write_many is not None:
            return self._writer.submit_batchable(key, item, write_many)
        return self._writer.submit(key, _StatementUnpickler(io.BytesIO(work)).load())


def _await_outcome(write: WriteResult[Any]) -> Any:
    """Wait for a write, and return what it returned or its error."""
    error = write.exception()
    return write.result() if error is None else error
