"""Results of writes: threads wait for them, and coroutines await them."""

from __future__ import annotations

import asyncio
import contextlib
import copy
import threading
from collections.abc import Generator, Iterable, Sequence
from typing import Any, Generic, TypeVar

T = TypeVar("T")
_PENDING: Any = object()
_lock = threading.Lock()
"""Guards the outcomes and waiters of all results; it is held only to read or change them."""


class WriteResult(Generic[T]):
    """The outcome of a queued write: what it returns, or the error with which it fails. Any thread may wait for it.

    A `concurrent.futures.Future` would cost as much as a third of a write, and wake the event loop for each of them.
    """

    __slots__ = ("_outcome", "_waiters")

    def __init__(self, outcome: T | Exception = _PENDING) -> None:
        """Have no outcome yet, or this one; an error is raised in those who wait for it."""
        self._outcome = outcome
        self._waiters: list[threading.Event | asyncio.Future[None]] = []

    def result(self, timeout: float | None = None) -> T:
        """Wait for the outcome and return it, or raise the error; raise TimeoutError after this many seconds."""
        self._wait(timeout)
        return self._get()

    def exception(self, timeout: float | None = None) -> Exception | None:
        """Wait for the outcome and return the error, if there is one; raise TimeoutError after this many seconds."""
        self._wait(timeout)
        return self._outcome if isinstance(self._outcome, Exception) else None

    def _wait(self, timeout: float | None) -> None:
        event = threading.Event()
        if self._add_waiter(event) and not event.wait(timeout):
            raise TimeoutError

    def __await__(self) -> Generator[Any, None, T]:
        """Wait for the outcome in the running event loop and return it, or raise the error."""
        waiter = asyncio.get_running_loop().create_future()
        if self._add_waiter(waiter):
            yield from waiter
        return self._get()

    def _add_waiter(self, waiter: threading.Event | asyncio.Future[None]) -> bool:
        """Have `complete` wake a waiter; return False if there is an outcome already."""
        with _lock:
            if self._outcome is not _PENDING:
                return False
            self._waiters.append(waiter)
            return True

    def _get(self) -> T:
        if isinstance(self._outcome, Exception):
            # Many writes may share an error, and each raise would add to its traceback, which keeps frames alive.
            raise copy.copy(self._outcome)
        return self._outcome


def complete(outcomes: Sequence[tuple[WriteResult[Any], Any]]) -> None:
    """Give results their outcomes and wake their waiters: each event loop once for all."""
    waiters: dict[asyncio.AbstractEventLoop, list[asyncio.Future[None]]] = {}
    with _lock:
        for result, outcome in outcomes:
            result._outcome = outcome  # noqa: SLF001  # of this module
            for waiter in result._waiters:  # noqa: SLF001
                if isinstance(waiter, threading.Event):
                    waiter.set()
                else:
                    waiters.setdefault(waiter.get_loop(), []).append(waiter)
            result._waiters.clear()  # noqa: SLF001
    for loop, futures in waiters.items():
        with contextlib.suppress(RuntimeError):  # the loop is closed: no one waits any more
            loop.call_soon_threadsafe(_wake, futures)


def _wake(futures: Iterable[asyncio.Future[None]]) -> None:
    for future in futures:
        if not future.done():  # its coroutine may have been cancelled
            future.set_result(None)
