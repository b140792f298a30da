"""Budgets: what counts as time, and what does not."""

import threading
import time
from collections.abc import Sequence

import pytest

from fourcorners.core import slices
from fourcorners.core.slices import Budget, run_slices
from tests.clock import Clock


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    """The clock of the budgets of this thread."""
    clock = Clock()
    monkeypatch.setattr(slices._thread, "clock", clock)
    return clock


def test_budgets_of_a_thread_stand_still_while_it_compiles(clock: Clock) -> None:
    budget = Budget(seconds=1.0)
    clock.time += 0.1
    with slices.pause_budgets():
        clock.time += 10.0
        with slices.pause_budgets():  # compiling one function loads another
            clock.time += 10.0
    assert budget.elapsed_seconds == pytest.approx(0.1)
    later = Budget(seconds=1.0)
    clock.time += 0.4
    assert later.elapsed_seconds == pytest.approx(0.4)
    assert budget.seconds_left() == pytest.approx(0.5)


def test_budgets_of_other_threads_go_on_while_one_compiles(clock: Clock) -> None:
    budget = Budget(seconds=1.0)

    def compile_elsewhere() -> None:
        """Let time pass for which only this thread's budgets stand still."""
        slices._thread.clock = clock
        with slices.pause_budgets():
            clock.time += 0.3

    other = threading.Thread(target=compile_elsewhere)
    other.start()
    other.join()
    assert budget.elapsed_seconds == pytest.approx(0.3)


class Search:
    """A computation whose nodes take time on a clock: `costs` are the seconds of each, the last one of all others."""

    def __init__(self, clock: Clock, costs: Sequence[float], question: int | None = None) -> None:
        self.nodes, self.asked = 0, list[int]()
        self._clock, self._costs, self._question = clock, costs, question

    def advance(self, nodes: int) -> bool:
        """Do up to this many nodes, but end with every question, each of which takes `question` nodes."""
        self.asked.append(nodes)
        for _ in range(nodes):
            self._clock.time += self._costs[min(self.nodes, len(self._costs) - 1)]
            self.nodes += 1
            if self._question is not None and self.nodes % self._question == 0:
                break
        return False

    def run(self, budget: Budget, first_slice: int = 1) -> None:
        """Run until the budget is exhausted."""
        assert not run_slices(self.advance, budget, lambda: self.nodes, None, first_slice)


@pytest.mark.parametrize("seconds", [0.005, 0.01, 0.05, 0.2])
@pytest.mark.parametrize("cost", [1e-5, 1e-4, 1e-3])
def test_slices_end_with_the_time(clock: Clock, seconds: float, cost: float) -> None:
    budget, search = Budget(seconds=seconds), Search(clock, [cost])
    search.run(budget)
    assert seconds <= budget.elapsed_seconds <= seconds + 0.0005 + cost
    assert max(search.asked) * cost <= max(0.011, cost)  # a slice takes a hundredth of a second


@pytest.mark.parametrize("seconds", [0.01, 0.05, 0.2])
def test_slices_that_do_less_than_they_were_asked_for_are_not_taken_for_fast_ones(clock: Clock, seconds: float) -> None:
    """A proof of Squendo was asked for 33,664 nodes, ended a question after 740, and then ran on for ten limits."""
    budget, search = Budget(seconds=seconds), Search(clock, [2e-5], question=37)
    search.run(budget, first_slice=16)
    assert budget.elapsed_seconds <= 1.2 * seconds
    assert max(search.asked) <= 4 * 37


def test_slices_keep_to_the_time_when_nodes_become_ten_times_as_slow(clock: Clock) -> None:
    for turn in (10, 1_000, 19_990):
        budget = Budget(seconds=0.2)
        Search(clock, [1e-5] * turn + [1e-4]).run(budget)
        assert budget.elapsed_seconds <= 1.2 * 0.2


def test_slices_after_one_that_did_nothing_are_no_larger(clock: Clock) -> None:
    asked: list[int] = []

    def advance(nodes: int) -> bool:
        """Only make room for more."""
        asked.append(nodes)
        clock.time += 0.01
        return False

    run_slices(advance, Budget(seconds=0.1), lambda: 0, None, 64)
    assert set(asked) == {64}


def test_slices_end_with_the_nodes(clock: Clock) -> None:
    search = Search(clock, [1e-6])
    search.run(Budget(nodes=1_000))
    assert search.nodes == 1_000


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
