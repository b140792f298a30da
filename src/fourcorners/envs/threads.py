"""Sharing the games of a batch between threads."""

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from itertools import pairwise
from typing import TypeVar

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


@cache
def _pool() -> ThreadPoolExecutor:
    """Return the threads that all batches share."""
    return ThreadPoolExecutor(count_processors(), "fourcorners-batch")


if hasattr(os, "register_at_fork"):
    # A copy of the process has no threads.
    os.register_at_fork(after_in_child=_pool.cache_clear)
