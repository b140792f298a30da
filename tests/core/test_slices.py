"""Budgets: what counts as time, and what does not."""

import threading
import time

import pytest

from fourcorners.core import slices
from fourcorners.core.slices import Budget, run_slices


class Clock:
    """A clock that moves only when it is told to."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now

    def wait(self, seconds: float) -> None:
        """Let some time pass."""
        self.now += seconds


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    """The clock of the budgets of this thread."""
    clock = Clock()
    monkeypatch.setattr(slices._threads, "clock", clock, raising=False)
    return clock


def test_first_step_counts_unless_it_takes_so_long_that_it_compiles(clock: Clock) -> None:
    budget = Budget(seconds=1.0)
    clock.wait(0.1)
    assert budget.run_first_step(lambda: clock.wait(0.04)) is None
    assert budget.elapsed_seconds == pytest.approx(0.14)
    budget.run_first_step(lambda: clock.wait(20.0))
    assert budget.elapsed_seconds == pytest.approx(0.14)
    assert budget.seconds_left() == pytest.approx(0.86)


def test_slices_end_with_the_time(clock: Clock) -> None:
    done: list[int] = []

    def advance(nodes: int) -> bool:
        """Take a millisecond for each node."""
        done.append(nodes)
        clock.wait(0.001 * nodes)
        return False

    budget = Budget(seconds=0.1)
    assert not run_slices(advance, budget)
    assert 0.1 <= budget.elapsed_seconds <= 0.102
    assert max(done) <= 10  # a slice takes a hundredth of a second


def test_processor_time_does_not_pass_while_a_thread_waits() -> None:
    """The clock of this thread stands still while another one works."""
    with slices.count_processor_time():
        assert slices.read_clock() < 1e5  # the time that this thread has worked, not that since the computer started
        before = slices.read_clock()
        while slices.read_clock() == before:
            pass  # it passes while the thread works
    assert slices.read_clock() != before


def test_processor_time_counts_in_one_thread_only() -> None:
    found: list[object] = []

    def look() -> None:
        """Note the clocks of another thread, and have it count its own processor time for a moment."""
        found.append(slices.find_clock())
        with slices.count_processor_time():
            found.append(slices.find_clock())

    with slices.count_processor_time():
        budget = Budget(seconds=1.0)
        other = threading.Thread(target=look)
        other.start()
        other.join()
        assert slices.find_clock() is time.thread_time
    assert slices.find_clock() is time.perf_counter
    assert found == [time.perf_counter, time.thread_time]
    # A budget keeps the clock with which it began.
    assert budget.seconds_left() > 0.0
