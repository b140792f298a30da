"""Sharing the games of a batch between threads."""

import os
import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from functools import cache
from itertools import pairwise
from typing import Any, TypeVar

R = TypeVar("R")

_PARTS = 8  # of the games, for each thread: one that waits for a processor leaves the others to the rest


def count_processors() -> int:
    """Return the number of processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def share(work: Callable[[int, int], R], n: int, threads: int) -> list[R]:
    """Call `work` with the bounds of each part of n games, in this and other threads; return the results."""
    parts = pairwise([n * part // (_PARTS * threads) for part in range(_PARTS * threads + 1)])

    def work_on_parts() -> list[R]:
        """Call `work` with one part after the other, as long as there are any."""
        return [work(*part) for part in parts]

    others = [_pool().submit(work_on_parts) for _ in range(threads - 1)]
    return [*work_on_parts(), *(result for other in others for result in other.result())]


class Helpers:
    """Threads that help with the short tasks of one batch, one after the other, until none comes for a while."""

    def __init__(self) -> None:
        self._forget()

    def _forget(self) -> None:
        """Begin without helpers, as in a copy of the process, where another thread may have held the lock."""
        self._process, self._lock = os.getpid(), threading.Lock()
        self._running: list[Future[None]] = []

    def lead(self, task: Callable[[], R], helper: Callable[[], None], threads: int) -> R:
        """Return what `task` returns, called while `threads` - 1 others are within `helper`; one task at a time.

        An error of a helper that has ended passes through.
        """
        if self._process != os.getpid():
            self._forget()
        with self._lock:
            ended = [future for future in self._running if future.done()]
            self._running = [future for future in self._running if future not in ended]
            for future in ended:
                future.result()
            for _ in range(min(threads, count_processors()) - 1 - len(self._running)):
                self._running.append(_pool().submit(helper))
            return task()

    def __reduce__(self) -> tuple[Any, ...]:
        return Helpers, ()


@cache
def _pool() -> ThreadPoolExecutor:
    """Return the threads that all batches share."""
    return ThreadPoolExecutor(count_processors(), "fourcorners-batch")


if hasattr(os, "register_at_fork"):
    # A copy of the process has no threads.
    os.register_at_fork(after_in_child=_pool.cache_clear)
