"""PostgreSQL with a synchronous replica, and Redis, as processes that tests pause, kill, promote and start again."""

import asyncio
import contextlib
import itertools
import os
import shutil
import signal
import socket
import time
from collections.abc import Callable
from pathlib import Path

import psutil
import psycopg

from tests.faults.proxy import HOST
from tests.servers import find_free_port, find_redis_program

_START_TIMEOUT = 60.0
_numbers = itertools.count()
_NO_FLUSHING = ("-c", "fsync=off", "-c", "full_page_writes=off")
"""Faults here never cut the power, so nothing need be flushed to the disk."""
_REPLICATION = (
    *("-c", "wal_keep_size=512MB", "-c", "wal_sender_timeout=5s", "-c", "wal_receiver_timeout=5s"),
    *("-c", "wal_receiver_status_interval=1s", "-c", "wal_retrieve_retry_interval=200ms", "-c", "max_connections=60"),
)
"""A replica that has lost the primary notices within seconds."""
_SYNCHRONOUS = ("-c", "synchronous_commit=on", "-c", "synchronous_standby_names=*")
"""A commit is confirmed once it is on the replica, too."""


class Daemon:
    """A server process on its own port, with the processes that it has started."""

    def __init__(self, command: list[str], folder: Path, user: int | None = None) -> None:
        """Prepare to run a command in a folder as a user (None: this one); `{port}` in the command is the port."""
        self.port = find_free_port()
        self.folder = folder
        self.user = user
        self._command = [word.replace("{port}", str(self.port)) for word in command]
        self._process: asyncio.subprocess.Process | None = None

    async def start(self) -> None:
        """Start and wait until it is ready; raise RuntimeError, with its log, if it is not in time."""
        log_path = self.folder / f"log-{self.port}"
        with log_path.open("ab") as log:
            self._process = await asyncio.create_subprocess_exec(
                *self._command,
                cwd=self.folder,
                user=self.user,
                stdin=asyncio.subprocess.DEVNULL,
                stdout=log,
                stderr=log,
            )
        await wait_for(self.is_ready, lambda: log_path.read_text(errors="replace")[-2000:])

    def is_ready(self) -> bool:
        """Return whether it accepts connections; may block for a moment."""
        with contextlib.suppress(OSError), socket.create_connection((HOST, self.port), 5):
            return True
        return False

    async def stop(self) -> None:
        """Stop it in an orderly way, without waiting for its clients."""
        await self._end(signal.SIGINT)

    async def kill(self) -> None:
        """Kill it with all its processes, also if it is paused, or does not run."""
        if self._process is not None and self._process.returncode is None:
            for process in self._list_processes():
                _send(process, signal.SIGKILL)
            await self._process.wait()

    def pause(self) -> None:
        """Stop all its processes where they are; the kernel still accepts connections and what is sent on them."""
        for process in self._list_processes():
            _send(process, signal.SIGSTOP)

    def resume(self) -> None:
        """Let all its processes go on."""
        for process in self._list_processes():
            _send(process, signal.SIGCONT)

    async def _end(self, signal_number: signal.Signals) -> None:
        assert self._process is not None
        _send(self._process.pid, signal_number)
        try:
            await asyncio.wait_for(self._process.wait(), _START_TIMEOUT)
        except TimeoutError:
            await self.kill()

    def _list_processes(self) -> list[int]:
        """List the ids of the process and of those that it has started, the first one first."""
        assert self._process is not None
        try:
            return [self._process.pid, *(child.pid for child in psutil.Process(self._process.pid).children())]
        except psutil.NoSuchProcess:
            return [self._process.pid]


class Postgres(Daemon):
    """A PostgreSQL of a cluster with synchronous replication; clients may connect to its port without a password."""

    def __init__(self, programs: Path, folder: Path, user: int | None, *, synchronous: bool = True) -> None:
        """Prepare one in a new folder inside `folder`, for `create` or `copy`; the first arguments are those of
        `tests.servers.prepare_postgresql`. Commits wait for the replica only if `synchronous`.
        """
        self._programs = programs
        self._data = folder / f"data-{next(_numbers)}"
        options = ["-D", str(self._data), "-k", str(folder), "-c", f"listen_addresses={HOST}", "-p", "{port}"]
        options += [*_NO_FLUSHING, *_REPLICATION, *(_SYNCHRONOUS if synchronous else ())]
        super().__init__([str(programs / "postgres"), *options], folder, user)

    @property
    def address(self) -> str:
        """The address of its database."""
        return f"postgresql://postgres@{HOST}:{self.port}/postgres"

    async def create(self) -> None:
        """Create an empty database; raise RuntimeError if that fails."""
        await self._run("initdb", "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync")

    async def copy(self, port: int) -> None:
        """Make this the replica of the PostgreSQL behind a port, instead of what it was; raise RuntimeError."""
        shutil.rmtree(self._data, ignore_errors=True)
        source = ("-h", HOST, "-p", str(port), "-U", "postgres")
        await self._run("pg_basebackup", *source, "-R", "-X", "stream", "--checkpoint=fast", "--no-sync")

    async def promote(self) -> None:
        """Make this replica the primary; return once it takes writes. Raise RuntimeError if it does not."""
        await self._run("pg_ctl", "promote", "-w")

    async def wait_for_replica(self) -> None:
        """Wait until a replica follows this primary; raise RuntimeError if none does in time."""
        query = "SELECT count(*) FROM pg_stat_replication WHERE state = 'streaming'"

        def has_replica() -> bool:
            with contextlib.suppress(psycopg.OperationalError), self._connect() as connection:
                row = connection.execute(query).fetchone()
                return row is not None and row[0] > 0
            return False

        await wait_for(has_replica, lambda: "no replica")

    def is_ready(self) -> bool:
        """Return whether it answers queries."""
        with contextlib.suppress(psycopg.OperationalError), self._connect():
            return True
        return False

    def _connect(self) -> psycopg.Connection[tuple[int, ...]]:
        return psycopg.connect(f"{self.address}?connect_timeout=5", autocommit=True)

    async def _run(self, program: str, *options: str) -> None:
        """Run one of PostgreSQL's programs on this one's data; raise RuntimeError, with its output, if it fails."""
        process = await asyncio.create_subprocess_exec(
            *(str(self._programs / program), "-D", str(self._data), *options),
            cwd=self.folder,
            user=self.user,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
        )
        output, _ = await process.communicate()
        if process.returncode:
            raise RuntimeError(f"{program} failed: {output.decode(errors='replace')}")


class Redis(Daemon):
    """A Redis without persistence."""

    def __init__(self, folder: Path) -> None:
        """Prepare one in a folder; raise MissingServerError if it is not installed."""
        super().__init__([find_redis_program(), "--bind", HOST, "--port", "{port}", "--save", ""], folder)


async def wait_for(condition: Callable[[], bool], describe: Callable[[], str]) -> None:
    """Wait until a condition, which may block, is true; raise RuntimeError with a description after a minute."""
    end = time.monotonic() + _START_TIMEOUT
    while not await asyncio.to_thread(condition):
        if time.monotonic() > end:
            raise RuntimeError(f"what was waited for did not happen: {describe()}")
        await asyncio.sleep(0.05)


def _send(process: int, signal_number: signal.Signals) -> None:
    """Send a signal to a process, unless it has ended."""
    with contextlib.suppress(ProcessLookupError):
        os.kill(process, signal_number)
