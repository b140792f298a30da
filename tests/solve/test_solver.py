"""The limits of a solve."""

import threading
from types import SimpleNamespace

import pytest

import fourcorners as fc
from fourcorners.core import slices
from fourcorners.solve import solver
from fourcorners.solve.margins import MarginTask
from fourcorners.solve.solver import SolveBudget, create_backend, run_task


def test_explanation_names_the_limit_that_was_reached() -> None:
    position = fc.game("dots-and-boxes", cols=2, rows=1).start()
    for seconds in (None, 100.0):
        budget = SolveBudget(seconds=seconds, nodes=5)
        backend = create_backend(position.game, 1 << 16)
        assert not run_task(backend.create_task(position), backend, budget)
        assert budget.explain_limit() == "not solved within 5 nodes"
    for nodes in (None, 5):
        assert SolveBudget(seconds=0.25, nodes=nodes).explain_limit() == "not solved within 0.25 s"


def test_explanation_names_a_stop_before_any_limit() -> None:
    stop = threading.Event()
    stop.set()
    assert SolveBudget(seconds=0.0, stop=stop, nodes=0).explain_limit() == "stopped before it was solved"


def test_seconds_that_the_first_slice_takes_to_compile_do_not_count(monkeypatch: pytest.MonkeyPatch) -> None:
    now, advance = [0.0], MarginTask.advance

    def advance_slowly(task: MarginTask, nodes: int, worker: int = 0) -> bool:
        """Search as usual; the first time, let the clock go on by what compiling may take."""
        now[0] += 100.0 * (now[0] == 0.0)
        return advance(task, nodes, worker)

    monkeypatch.setattr(MarginTask, "advance", advance_slowly)
    monkeypatch.setattr(slices, "time", SimpleNamespace(perf_counter=lambda: now[0]))
    position = fc.game("dots-and-boxes", cols=3, rows=1).start()
    assert fc.solve(position, seconds=5.0, memory=1 << 16, threads=1).seconds == 0.0
    assert now == [100.0]


def test_all_bounds_reported_are_those_of_the_position_to_solve(monkeypatch: pytest.MonkeyPatch) -> None:
    # So every search that takes more than a node reports.
    monkeypatch.setattr(solver, "_FIRST_SLICE", 1)
    bounds: list[tuple[int, int]] = []

    def progress(lower: int, upper: int, *_: float) -> None:
        """Keep the bounds."""
        bounds.append((lower, upper))

    position = fc.game("dots-and-boxes", cols=3, rows=1).start()
    solution = fc.solve(position, memory=1 << 16, threads=1, every_move=True, progress=progress)
    assert all(lower <= solution.value <= upper for lower, upper in bounds)
    # Some came while the moves were searched, when the value was known.
    assert (solution.value, solution.value) in bounds
