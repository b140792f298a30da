"""The limits of a solve."""

import threading

import pytest

import fourcorners as fc
from fourcorners.core import slices
from fourcorners.core.errors import SolverLimit
from fourcorners.solvers import solver_run
from fourcorners.solvers.margins import MarginSolver, MarginTask
from fourcorners.solvers.solver import create_backend
from fourcorners.solvers.solver_run import SolveBudget, SolverRun, run_task


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


def test_seconds_in_which_something_is_compiled_do_not_count(monkeypatch: pytest.MonkeyPatch) -> None:
    now, advance = [0.0], MarginTask.advance

    def advance_slowly(task: MarginTask, nodes: int, worker: int = 0) -> bool:
        """Search as usual; the first time, let the clock go on by what compiling may take."""
        if now[0] == 0.0:
            with slices.pause_budgets():
                now[0] += 100.0
        return advance(task, nodes, worker)

    monkeypatch.setattr(MarginTask, "advance", advance_slowly)
    monkeypatch.setattr(slices._thread, "clock", lambda: now[0])
    position = fc.game("dots-and-boxes", cols=3, rows=1).start()
    assert fc.solve(position, seconds=5.0, memory=1 << 16, threads=1).seconds == 0.0
    assert now == [100.0]


class Question:
    """A task of two workers that is never done; every call of `advance` ends after a few nodes, as questions do."""

    lower, upper, nimber, margins, is_done = -1, 1, None, None, False

    def __init__(self, stop: threading.Event) -> None:
        self.nodes, self.asked = 0, list[int]()
        self._stop = stop

    def advance(self, nodes: int, worker: int = 0) -> bool:
        """Note how many nodes the second worker is asked for, and stop once it has been asked often enough."""
        self.nodes += min(nodes, 3)
        if worker == 1:
            self.asked.append(nodes)
            if len(self.asked) == 60:
                self._stop.set()
        return False

    def aim(self, value: int) -> None:
        """Do nothing."""

    def skip_nimber(self) -> None:
        """Do nothing."""


def test_second_thread_is_never_asked_for_much_more_than_it_has_done() -> None:
    # A thread that is asked for too much is still at work when the time is up, and everyone waits for it.
    stop = threading.Event()
    task = Question(stop)
    backend = create_backend(fc.game("dots-and-boxes", cols=2, rows=1).start().game, 1 << 16, 2)
    assert not run_task(task, backend, SolveBudget(stop=stop))
    # Both workers together may have done some nodes during one call, but no fraction of a million.
    assert max(task.asked) < 10_000


def test_table_grows_no_further_than_the_time_of_a_solve_allows() -> None:
    position = fc.game("dots-and-boxes", cols=2, rows=1).start()
    backend = create_backend(position.game, 1 << 28)
    assert isinstance(backend, MarginSolver)
    sizes = []
    for seconds in (0.001, None):
        run_task(backend.create_task(position), backend, SolveBudget(seconds=seconds))
        sizes.append(backend._next_size)
    assert sizes[0] == 0 < sizes[1]


def test_looking_for_a_known_best_move_ends_soon_after_the_time_is_up(monkeypatch: pytest.MonkeyPatch) -> None:
    now, looked = [0.0], []

    def run_out_of_time(*_: object) -> None:
        """Take all the time for one move."""
        now[0] += 1.0
        raise SolverLimit("too late", -1, 1)

    def look_up(*_: object) -> int:
        """Take a little time, and find nothing."""
        looked.append(now[0])
        now[0] += 0.02
        return -99

    monkeypatch.setattr(slices._thread, "clock", lambda: now[0])
    monkeypatch.setattr(SolverRun, "solve_move", run_out_of_time)
    monkeypatch.setattr(SolverRun, "_get_lower_bound", look_up)
    position = fc.game("dots-and-boxes", cols=2, rows=2).start()
    with pytest.raises(SolverLimit, match="the best moves are not known: not solved within 1 s"):
        SolverRun(create_backend(position.game, 1 << 16), SolveBudget(seconds=1.0)).find_best_move(
            position, position.moves()
        )
    assert looked == pytest.approx([1.0, 1.02, 1.04])  # of twelve moves


def test_all_bounds_reported_are_those_of_the_position_to_solve(monkeypatch: pytest.MonkeyPatch) -> None:
    # So every search that takes more than a node reports.
    monkeypatch.setattr(solver_run, "_FIRST_SLICE", 1)
    bounds: list[tuple[int, int]] = []

    def progress(lower: int, upper: int, *_: float) -> None:
        """Keep the bounds."""
        bounds.append((lower, upper))

    position = fc.game("dots-and-boxes", cols=3, rows=1).start()
    solution = fc.solve(position, memory=1 << 16, threads=1, every_move=True, progress=progress)
    assert all(lower <= solution.remaining_margin <= upper for lower, upper in bounds)
    # Some came while the moves were searched, when the value was known.
    assert (solution.remaining_margin, solution.remaining_margin) in bounds


@pytest.mark.compiled
def test_solution_has_the_margin_at_the_end_and_the_one_from_here_on() -> None:
    # Seat 1 is ahead with 1 to 0, and will have both boxes.
    ahead = fc.solve(fc.game("dots-and-boxes", cols=2, rows=1).replay(["a1b1", "a2b2", "a1a2", "b1b2"]))
    assert (ahead.final_margin, ahead.remaining_margin) == (2, 1)
    over = fc.solve(fc.game("dots-and-boxes", cols=1, rows=1).replay(["a1b1", "a1a2", "b1b2", "a2b2"]))
    assert (over.final_margin, over.remaining_margin) == (-1, 0)


@pytest.mark.compiled
def test_margins_in_a_game_without_points_are_one_or_minus_one() -> None:
    for size, expected in ((6, 1), (5, -1)):
        solution = fc.solve(fc.game("sqez", cols=size, rows=size).start(), moves=False)
        assert (solution.final_margin, solution.remaining_margin) == (expected, expected)


@pytest.mark.compiled
def test_final_margin_of_several_seats_is_the_one_over_the_best_rival() -> None:
    game = fc.game("squarin-off", cols=2, rows=1, players=3, blockers=0)
    position = game.replay(["a1b1", "a2b2", "a1a2", "b1b2"])
    assert position.scores == (1, 0, 0)
    solution = fc.solve(position)
    assert solution.margins is not None
    assert position.seat is not None
    present = position.scores[position.seat] - max(
        points for seat, points in enumerate(position.scores) if seat != position.seat
    )
    assert solution.remaining_margin == solution.margins[position.seat]
    assert solution.final_margin == present + solution.remaining_margin
