"""The supervisor of `fourcorners serve --workers`: it starts the workers, replaces those that die, and stops them."""

from __future__ import annotations

import asyncio
import contextlib
import fcntl
import logging
import os
import shutil
import signal
import socket
import tempfile
import threading
import time
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, BinaryIO

from fourcorners.web.settings import Settings, WorkerPlace
from fourcorners.web.wire.guard import raise_descriptor_limit
from fourcorners.web.workers.child import Child
from fourcorners.web.workers.dispatcher import Dispatcher
from fourcorners.web.workers.hub import Hub
from fourcorners.web.workers.messages import WRITER, Report, Start

_DESCRIPTORS = 16_384
_FOLDER_PREFIX, _LOCK_NAME = "fourcorners-", "lock"
_WORKERS_EXIT_TIMEOUT, _WRITER_EXIT_TIMEOUT, _EXIT_TIMEOUT = 4.3, 4.7, 4.9
"""Seconds after a signal at which the workers, which end within four seconds, and then the writer are killed, and at
which this process ends in any case."""
_HEALTHY_SECONDS = 5.0
_FIRST_PAUSE, _LONGEST_PAUSE = 0.5, 10.0
"""A process is started again at once, but one that lived for less than `_HEALTHY_SECONDS` after a pause, which doubles
each time."""
_logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class Programs:
    """The modules that run as processes."""

    worker: str = "fourcorners.web.workers.worker"
    writer: str = "fourcorners.web.workers.writer"


class StartError(Exception):
    """The server could not start; the message is a sentence."""


class Supervisor:
    """Runs the processes of one server, for one event loop in the main thread."""

    def __init__(self, start: Start, count: int, listener: socket.socket, programs: Programs | None = None) -> None:
        """Prepare `count` workers for connections to a listening socket; `start` is what they have in common."""
        self._start = start
        self._count = count
        self._programs = programs or Programs()
        self._listener = listener
        self._dispatcher = Dispatcher(listener)
        self._hub = Hub()
        self._hub.on_silent = self._rest_process
        self._hub.on_heard = self._dispatcher.resume_worker
        self._hub.on_hung = self._kill_process
        self._children: dict[int, Child] = {}
        self._writer_listener: socket.socket | None = None
        self._stop = asyncio.Event()
        self._error = self._folder = ""
        self._tasks: list[asyncio.Task[None]] = []

    async def run(self, on_ready: Callable[[str], None]) -> bool:
        """Serve until SIGTERM or SIGINT; a second signal ends all processes at once. When all workers are ready, call
        `on_ready` with the location of the database. Return whether all processes ended by themselves and without an
        error. Raise StartError if the server cannot start.
        """
        raise_descriptor_limit(_DESCRIPTORS)
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, self._handle_signal)
        # Only this user can reach sockets in such a folder.
        try:
            _remove_remains(Path(tempfile.gettempdir()))
            temporary = tempfile.TemporaryDirectory(prefix=_FOLDER_PREFIX, ignore_cleanup_errors=True)
            lock = _lock_folder(Path(temporary.name))
        except OSError as error:
            raise _explain_folder_error(tempfile.gettempdir(), error) from None
        self._folder = temporary.name
        with lock, temporary as folder:
            start = asyncio.create_task(self._start_all(Path(folder), on_ready))
            stopped = asyncio.create_task(self._stop.wait())
            try:
                await asyncio.wait([start, stopped], return_when=asyncio.FIRST_COMPLETED)
                if start.done():
                    start.result()
                start.cancel()
                await stopped
            finally:
                stopped.cancel()
                self._dispatcher.close()
                self._listener.close()
                is_orderly = await self._stop_processes()
                self._hub.close()
        if self._error:
            raise StartError(self._error)
        return is_orderly

    async def _start_all(self, folder: Path, on_ready: Callable[[str], None]) -> None:
        """Start all processes, and accept connections once all workers are ready; raise StartError."""
        settings, offset = self._start.settings, None
        hub, writer = str(folder / "hub"), "" if settings.database else str(folder / "writer")
        try:
            await self._hub.listen(hub)
            if writer:
                self._writer_listener = listen(writer, 2 * self._count)
        except OSError as error:
            raise _explain_folder_error(str(folder.parent), error) from None
        if self._writer_listener is not None:
            offset = await self._start_writer(self._writer_listener, hub)
        loop = asyncio.get_running_loop()
        locations = [loop.create_future() for _ in range(self._count)]
        for number, location in enumerate(locations):
            place = WorkerPlace(number, self._count, hub, writer, offset)
            self._keep(self._keep_worker(replace(settings, worker=place), location))
        located = await asyncio.gather(*locations)
        self._dispatcher.open()
        on_ready(located[0])

    def _keep(self, work: Coroutine[Any, Any, None]) -> None:
        """Run a task until the end; if it fails, stop."""
        task = asyncio.create_task(work)
        task.add_done_callback(self._check_task)
        self._tasks.append(task)

    def _check_task(self, task: asyncio.Task[None]) -> None:
        if not task.cancelled() and (error := task.exception()) is not None:
            _logger.critical("the supervisor fails", exc_info=error)
            self._error = self._error or "the server stopped because of an error in the program"
            self._stop.set()

    async def _start_writer(self, listener: socket.socket, hub: str) -> float | None:
        """Start the writer, which the hub pings, and keep it running; return the time offset. The listener stays open
        when it dies, so that the workers' next writes wait for the new one.
        """
        report: asyncio.Future[Report] = asyncio.get_running_loop().create_future()
        self._keep(self._keep_writer(replace(self._start, listener=listener.fileno(), hub=hub), report))
        return (await report).time_offset

    async def _keep_writer(self, start: Start, first: asyncio.Future[Report]) -> None:
        """Start the writer, and again whenever it dies; `first` gets its first report. Writes fail meanwhile."""
        backoff = Backoff()
        while not self._stop.is_set():
            start = replace(start, is_first=not first.done())
            child, report = await self._start_child(self._programs.writer, start, WRITER)
            if child is None or report.error:
                self._fail_to_start(WRITER, report, is_first=not first.done())
            elif not first.done():
                first.set_result(report)
            await self._await_end(WRITER, child, backoff)

    async def _keep_worker(self, settings: Settings, first: asyncio.Future[str]) -> None:
        """Start a worker, and again whenever it dies; `first` gets the first location that it reports."""
        assert settings.worker is not None
        number, backoff = settings.worker.number, Backoff()
        while not self._stop.is_set():
            start = replace(self._start, settings=settings)
            child, report = await self._start_child(self._programs.worker, start, number)
            if child is None or report.error:
                self._fail_to_start(number, report, is_first=not first.done())
            else:
                self._dispatcher.add_worker(number, child.control)
                if not first.done():
                    first.set_result(report.location)
            await self._await_end(number, child, backoff)

    async def _start_child(self, module: str, start: Start, number: int) -> tuple[Child | None, Report]:
        """Start a process and wait until it is ready or has failed; return None if it cannot be started."""
        try:
            child = await Child.start(module, start)
        except OSError as error:
            return None, Report(error=f"no process can be started: {error.strerror or error}")
        self._children[number] = child
        return child, await child.wait_for_report()

    def _fail_to_start(self, number: int, report: Report, *, is_first: bool) -> None:
        """Stop, if this is the start of the server; else log why a process cannot be started again."""
        if is_first:
            self._error = self._error or report.error
            self._stop.set()
        elif not self._stop.is_set():
            _logger.error("%s cannot start: %s", describe_child(number), report.error)

    async def _await_end(self, number: int, child: Child | None, backoff: Backoff) -> None:
        """Wait for the end of a process, and for the pause before the next one."""
        if child is not None:
            status = await child.wait()
            if number != WRITER:
                self._dispatcher.remove_worker(number)
                self._hub.end_worker(number)
            if not self._stop.is_set():
                _logger.error("%s ended with status %d; it is started again", describe_child(number), status)
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._stop.wait(), backoff.choose_pause())

    def _rest_process(self, number: int) -> None:
        """Give a worker that does not answer no connections: its pages reconnect to the others."""
        _logger.warning("%s does not answer", describe_child(number))
        self._dispatcher.rest_worker(number)

    def _kill_process(self, number: int) -> None:
        """Kill a process that hangs; what it has acknowledged is stored."""
        _logger.error("%s hangs; it is killed", describe_child(number))
        self._children[number].kill()

    def _handle_signal(self) -> None:
        if self._stop.is_set():
            self._kill_all()
        else:
            timer = threading.Timer(_EXIT_TIMEOUT, self._force_exit)
            timer.daemon = True
            timer.start()
        self._stop.set()

    def _kill_all(self) -> None:
        for child in list(self._children.values()):
            child.kill()

    def _force_exit(self) -> None:
        """Kill the other processes, remove the folder with their sockets and end this one with status 1, even if it
        hangs; runs in a thread, `_EXIT_TIMEOUT` seconds after the first signal.
        """
        try:
            self._kill_all()
        finally:
            shutil.rmtree(self._folder, ignore_errors=True)
            os._exit(1)

    async def _stop_processes(self) -> bool:
        """Stop the workers, then the writer, and kill what does not end in time; return whether all ended in order."""
        began = asyncio.get_running_loop().time()
        workers = [child for number, child in self._children.items() if number != WRITER]
        await _stop_children(workers, began + _WORKERS_EXIT_TIMEOUT)
        await _stop_children(list(self._children.values()), began + _WRITER_EXIT_TIMEOUT)
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        if self._writer_listener is not None:
            self._writer_listener.close()
        # A process that is still starting knows no signals, and so ends by the first one.
        return all(child.process.returncode in (0, -signal.SIGTERM) for child in self._children.values())


class Backoff:
    """How long to wait before a process is started again that has ended."""

    def __init__(self) -> None:
        """Begin when it is started for the first time."""
        self._next = 0.0
        self._began = time.monotonic()

    def choose_pause(self) -> float:
        """Return the seconds to wait: none if it has run well, else longer each time. Then it is started again."""
        if time.monotonic() - self._began >= _HEALTHY_SECONDS:
            self._next = 0.0
        seconds, self._next = self._next, min(_LONGEST_PAUSE, max(_FIRST_PAUSE, 2 * self._next))
        self._began = time.monotonic() + seconds
        return seconds


def _lock_folder(folder: Path) -> BinaryIO:
    """Lock a folder as long as the returned file is open, so that no other server takes it for a remain. Where files
    cannot be locked, none is removed either. Raise OSError if the file cannot be made.
    """
    unlocked = folder / "unlocked"
    lock = unlocked.open("wb")
    with contextlib.suppress(OSError):
        fcntl.flock(lock, fcntl.LOCK_EX)
    unlocked.rename(folder / _LOCK_NAME)
    return lock


def _remove_remains(parent: Path) -> None:
    """Remove the folders of this user's servers that were killed with all their processes."""
    for path in parent.glob(f"{_FOLDER_PREFIX}*/{_LOCK_NAME}"):
        with contextlib.suppress(OSError), path.open("r+b") as lock:
            if os.fstat(lock.fileno()).st_uid == os.getuid():
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(path.parent, ignore_errors=True)


def listen(address: str, waiting: int) -> socket.socket:
    """Return a Unix socket that listens at a path, where so many connections may wait; raise OSError."""
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        listener.bind(address)
        listener.listen(waiting)
    except OSError:
        listener.close()
        raise
    return listener


def _explain_folder_error(folder: str, error: OSError) -> StartError:
    """Return the error of a server that cannot make its sockets in a folder."""
    reason = error.strerror or error
    return StartError(
        f"the workers need sockets in {folder}, but: {reason}; "
        "let TMPDIR name a folder with a short path to which this user may write"
    )


def describe_child(number: int) -> str:
    """Return a noun phrase for a process."""
    return "the process that writes" if number == WRITER else f"worker {number}"


async def _stop_children(children: list[Child], end: float) -> None:
    """Ask processes to end, and kill those that have not by a time of the event loop."""
    for child in children:
        child.terminate()
    ends = [asyncio.create_task(child.wait()) for child in children]
    if ends:
        _, late = await asyncio.wait(ends, timeout=max(0.0, end - asyncio.get_running_loop().time()))
        if late:
            _logger.error("closing took too long; everything that was acknowledged is stored")
        for child in children:
            child.kill()
        await asyncio.gather(*ends)
