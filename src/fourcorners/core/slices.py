"""The loop that drives every resumable computation: slices of about the same time, with limits checked in between."""

import contextlib
import math
import threading
import time
from collections.abc import Callable, Iterator

SLICE_SECONDS = 0.01
"""The target time of a slice, within which compiled code can be neither timed nor stopped."""
_SHORTEST_SLICE_SECONDS = 0.0005  # the target of the last slices, each of which gets half of the remaining time
_LARGEST_SLICE = 1 << 30
_GROWTH = 4  # the maximum growth of a slice, in nodes, over the work of the one before
_SHORTEST_TIME = 1e-7  # the least time of a slice, since the clock may not have advanced


class _Thread(threading.local):
    """The clock of a thread (None: real time), and the time for which its budgets stood still."""

    clock: Callable[[], float] | None = None
    pauses: "_Pauses"

    def __init__(self) -> None:
        self.pauses = _Pauses()


class _Pauses:
    """The seconds during which the budgets of one thread stood still; `depth` is the number of open pauses."""

    def __init__(self) -> None:
        self.seconds, self.depth, self.start = 0.0, 0, 0.0


_thread = _Thread()


def find_clock() -> Callable[[], float]:
    """Return the clock for budgets that this thread creates."""
    return time.perf_counter if _thread.clock is None else _thread.clock


def read_clock() -> float:
    """Return the time of this thread's clock in seconds, from an arbitrary start."""
    return find_clock()()


@contextlib.contextmanager
def count_processor_time() -> Iterator[None]:
    """Let the budgets that this thread creates within a with statement count its processor time instead of real time.

    This is for searches in one thread on a machine that also does other work. The budgets must not be used after the
    statement. Other threads keep their clocks, even those that a search starts.
    """
    before = _thread.clock
    _thread.clock = time.thread_time
    try:
        yield
    finally:
        _thread.clock = before


@contextlib.contextmanager
def pause_budgets() -> Iterator[None]:
    """Pause the budgets that this thread has created, within a with statement.

    Compilation, or loading code from disk, happens only once and is not part of a search.
    """
    pauses = _thread.pauses
    pauses.depth += 1
    if pauses.depth == 1:
        pauses.start = read_clock()
    try:
        yield
    finally:
        pauses.depth -= 1
        if pauses.depth == 0:
            pauses.seconds += read_clock() - pauses.start


class Budget:
    """The limits of a computation: nodes, seconds on its clock, and an event that ends it. None means no limit."""

    def __init__(
        self, nodes: int | None = None, seconds: float | None = None, stop: threading.Event | None = None
    ) -> None:
        """Set the limits and start the clock; the values are not checked."""
        self.nodes = nodes
        self.seconds = seconds
        self.stop = stop
        self._clock, self._pauses = find_clock(), _thread.pauses
        self._start = self._clock() - self._pauses.seconds

    @property
    def elapsed_seconds(self) -> float:
        """The seconds since the clock was started, without pauses that have ended (see `pause_budgets`)."""
        return self._clock() - self._start - self._pauses.seconds

    @property
    def is_stopped(self) -> bool:
        """Whether the event is set."""
        return self.stop is not None and self.stop.is_set()

    def is_exhausted(self, nodes: int) -> bool:
        """Return whether a computation that has used `nodes` nodes must end."""
        return self.is_stopped or self.nodes_left(nodes) == 0 or self.seconds_left() <= 0

    def nodes_left(self, nodes: int) -> int:
        """Return the remaining nodes for a computation that has used `nodes`; without a limit, the largest slice."""
        return _LARGEST_SLICE if self.nodes is None else max(0, self.nodes - nodes)

    def seconds_left(self) -> float:
        """Return the remaining seconds: possibly negative, and infinity without a limit."""
        return math.inf if self.seconds is None else self.seconds - self.elapsed_seconds

    def usage(self, nodes: int) -> float:
        """Return the used share, 0 to 1, of the nodes or seconds, whichever is larger; a limit of 0 is ignored."""
        by_nodes = nodes / self.nodes if self.nodes else 0.0
        by_time = self.elapsed_seconds / self.seconds if self.seconds else 0.0
        return min(1.0, max(by_nodes, by_time))


def run_slices(
    advance: Callable[[int], bool],
    budget: Budget,
    count_nodes: Callable[[], int],
    report: Callable[[], None] | None = None,
    first_slice: int = 1,
) -> bool:
    """Call `advance(nodes)` until it returns True or the budget is exhausted; return whether it returned True.

    At least one slice runs. `advance` does up to about that many nodes, at least 1, and returns whether the computation
    is finished; `first_slice` is the number for the first call, and later ones aim at SLICE_SECONDS, or at half of the
    time that is left. `count_nodes` returns the nodes used so far, which count against the budget; the speed is
    measured by the nodes that each slice really did, which may be far fewer than requested. `report` is called after
    every slice that does not finish the computation, before the budget is checked. All are called in this thread; their
    errors pass through.
    """
    size, done = first_slice, count_nodes()
    while True:
        size = max(1, min(size, budget.nodes_left(done)))
        start, before = budget.elapsed_seconds, done
        if advance(size):
            return True
        seconds, done = max(budget.elapsed_seconds - start, _SHORTEST_TIME), count_nodes()
        if report is not None:
            report()
        if budget.is_exhausted(done):
            return False
        if done > before:
            target = min(SLICE_SECONDS, max(budget.seconds_left() / 2, _SHORTEST_SLICE_SECONDS))
            size = min(int(target * (done - before) / seconds), _GROWTH * (done - before), _LARGEST_SLICE)
