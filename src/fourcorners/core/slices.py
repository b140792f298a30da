"""The loop that drives every resumable computation: slices of about the same time, with limits checked in between."""

import contextlib
import math
import threading
import time
from collections.abc import Callable, Iterator
from typing import TypeVar

T = TypeVar("T")

SLICE_SECONDS = 0.01
"""The target time of a slice: compiled code can be neither timed nor stopped within one."""
_LARGEST_SLICE = 1 << 30
_GROWTH = 4  # the most by which a slice is larger, in nodes, than the one before
_SHORTEST_TIME = 1e-7  # what a slice takes at least, since the clock may not have advanced
_COMPILATION_SECONDS = 0.05  # a first step that takes longer than this has compiled something, or loaded it from disk

_threads = threading.local()


def find_clock() -> Callable[[], float]:
    """Return the clock that budgets get which this thread creates."""
    clock: Callable[[], float] | None = getattr(_threads, "clock", None)
    return time.perf_counter if clock is None else clock


def read_clock() -> float:
    """Return the time of this thread's clock in seconds, from an arbitrary start."""
    return find_clock()()


@contextlib.contextmanager
def count_processor_time() -> Iterator[None]:
    """Within a with statement, let the budgets that this thread creates count its processor time instead of real time.

    This is for searches in one thread on a machine that also does other work. The budgets must not be used after the
    statement. Other threads keep their clocks, even those that a search starts.
    """
    before = getattr(_threads, "clock", None)
    _threads.clock = time.thread_time
    try:
        yield
    finally:
        _threads.clock = before


class Budget:
    """What a computation may use: nodes, seconds of its own clock, or until an event is set. None means no limit."""

    def __init__(
        self, nodes: int | None = None, seconds: float | None = None, stop: threading.Event | None = None
    ) -> None:
        """Set the limits and start the clock; the values are not checked."""
        self.nodes = nodes
        self.seconds = seconds
        self.stop = stop
        self._clock = find_clock()
        self._start = self._clock()

    def run_first_step(self, step: Callable[[], T]) -> T:
        """Return the result of a short step; if it takes so long that it must have compiled, its time does not count.

        What it raises is passed on.
        """
        start = self._clock()
        result = step()
        seconds = self._clock() - start
        if seconds > _COMPILATION_SECONDS:
            self._start += seconds
        return result

    @property
    def elapsed_seconds(self) -> float:
        """The seconds since the clock was started."""
        return self._clock() - self._start

    @property
    def is_stopped(self) -> bool:
        """Whether the event is set."""
        return self.stop is not None and self.stop.is_set()

    def is_exhausted(self, nodes: int) -> bool:
        """Return whether a computation that has used `nodes` nodes must end."""
        return self.is_stopped or self.nodes_left(nodes) == 0 or self.seconds_left() <= 0

    def nodes_left(self, nodes: int) -> int:
        """Return how many nodes remain for a computation that has used `nodes`; without a limit, the largest slice."""
        return _LARGEST_SLICE if self.nodes is None else max(0, self.nodes - nodes)

    def seconds_left(self) -> float:
        """Return how many seconds remain: possibly negative, and infinity without a limit."""
        return math.inf if self.seconds is None else self.seconds - self.elapsed_seconds

    def usage(self, nodes: int) -> float:
        """Return the used share, 0 to 1, of the nodes or the seconds, whichever is larger; a limit of 0 is none."""
        by_nodes = nodes / self.nodes if self.nodes else 0.0
        by_time = self.elapsed_seconds / self.seconds if self.seconds else 0.0
        return min(1.0, max(by_nodes, by_time))


def run_slices(
    advance: Callable[[int], bool],
    budget: Budget,
    count_nodes: Callable[[], int] = lambda: 0,
    report: Callable[[], None] | None = None,
    first_slice: int = 1,
) -> bool:
    """Call `advance(nodes)` until it returns True or the budget is exhausted; return whether it returned True.

    At least one slice runs. `advance` does about that many nodes, at least 1, and returns whether the computation is
    finished; `first_slice` is the number for the first call, and later ones aim at SLICE_SECONDS. `count_nodes`
    returns the nodes used so far, which count against the budget; the default counts none. `report` is called after
    every slice that does not finish the computation, before the budget is checked. All are called in this thread, and
    what they raise is passed on.
    """
    size, speed = first_slice, 0.0
    while True:
        if speed > 0.0:
            target = min(SLICE_SECONDS, max(0.0, budget.seconds_left()))
            size = min(_GROWTH * size, int(speed * target), _LARGEST_SLICE)
        size = max(1, min(size, budget.nodes_left(count_nodes())))
        start = read_clock()
        if advance(size):
            return True
        speed = size / max(read_clock() - start, _SHORTEST_TIME)
        if report is not None:
            report()
        if budget.is_exhausted(count_nodes()):
            return False
