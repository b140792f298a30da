"""Margins of two parties: the same values whatever the threads, the memory and the slices; valid bounds at limits."""

import random
import threading
from typing import Any

import pytest
from numba import config

import fourcorners as fc
from fourcorners.core.errors import GameError, OptionError, SolverLimit
from fourcorners.solvers import margins
from fourcorners.solvers.exact_play import ExactPlay
from fourcorners.solvers.margins import MarginSolver, MarginTask
from fourcorners.solvers.solver import MAX_MEMORY, MIN_MEMORY, create_backend, solve
from fourcorners.solvers.solver_run import SolveBudget, SolverRun, run_task
from tests.builtin.squarin_off.positions import is_known, play_random_game

MEMORY = 1 << 22
# The nodes that one thread searches from the start of Dots and Boxes, by columns and rows.
NODES = {(1, 1): 2, (2, 1): 7, (2, 2): 71, (3, 2): 389, (3, 3): 11995}


def start_dots(cols: int, rows: int) -> fc.Position:
    return fc.game("dots-and-boxes", cols=cols, rows=rows).start()


def test_interpreted_search_finds_known_values_with_the_known_node_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(config, "DISABLE_JIT", 1)
    for size, value in (((1, 1), -1), ((2, 1), 0), ((2, 2), 2)):
        found = fc.solve(start_dots(*size), threads=1, moves=False)
        assert (found.remaining_margin, found.nodes, found.moves) == (value, NODES[size], ())


# The first three are the same interpreted.
@pytest.mark.compiled
@pytest.mark.parametrize("size", NODES, ids=str)
def test_compiled_search_with_one_thread_takes_the_known_node_counts(size: tuple[int, int]) -> None:
    assert fc.solve(start_dots(*size), threads=1, moves=False).nodes == NODES[size]


@pytest.mark.compiled
def test_node_count_does_not_depend_on_slices() -> None:
    rng = random.Random(1)
    for budget in (1, 2, 7, 100, 0):
        task = MarginSolver(start_dots(3, 2).game, 1 << 20).create_task(start_dots(3, 2))
        slices = 1
        while not task.advance(budget or rng.randint(1, 50)):
            slices += 1
            assert task.lower <= -2 <= task.upper
        assert (task.lower, task.upper, task.nodes) == (-2, -2, NODES[3, 2])
        # The budget 0 stands for random ones of up to 50 nodes.
        assert slices >= NODES[3, 2] // (budget or 50)
        # A finished task answers at once.
        assert task.advance(1) and task.nodes == NODES[3, 2]


@pytest.mark.compiled
def test_task_with_an_aim_decides_below_equal_or_above() -> None:
    for aim in range(-9, 10):
        task = MarginSolver(start_dots(3, 3).game, 1 << 20).create_task(start_dots(3, 3))
        task.aim(aim)
        while not task.advance(1000):
            pass
        assert task.lower <= -3 <= task.upper
        assert (task.lower == task.upper == -3) if aim == -3 else not task.lower <= aim <= task.upper


@pytest.mark.compiled
@pytest.mark.parametrize("threads", [1, 2])
def test_task_that_finds_a_move_names_one_that_is_worth_the_lower_bound(threads: int) -> None:
    rng = random.Random(6)
    aimed = 0
    for _ in range(80):
        position = play_random_game(rng, blockers=False)
        if not 1 < len(position.moves()) <= 20 or is_known(position):
            continue
        exact, notation = position.game.spec.part(ExactPlay).exact, position.game.spec.notation
        solution = fc.solve(position, threads=1, every_move=True)
        backend = MarginSolver(position.game, 1 << 20, threads)
        for goal in (None, solution.remaining_margin - 1, solution.remaining_margin, solution.remaining_margin + 1):
            boards, root = exact.enter(position.game.options, position.record)
            task = MarginTask(backend, boards, root, finds_move=True)
            if goal is not None:
                task.aim(goal)
            assert run_task(task, backend, SolveBudget())
            assert task.lower <= solution.remaining_margin <= task.upper
            assert goal in {None, solution.remaining_margin} or not task.lower <= goal <= task.upper
            if goal is None or goal <= solution.remaining_margin:
                assert task.move is not None
                move = notation.format(position.record, exact.find_action(position.record, boards, root, task.move))
                assert solution.values[move] >= task.lower >= (solution.remaining_margin if goal is None else goal)
                aimed += 1
    assert aimed > 60


@pytest.mark.compiled
def test_two_threads_find_the_same_values_and_best_moves() -> None:
    for _ in range(3):
        for position, value in ((start_dots(3, 3), -3), (start_dots(4, 2), 2), (start_dots(5, 2), -2)):
            assert fc.solve(position, threads=2, memory=MEMORY, moves=False).remaining_margin == value
    single, double = (fc.solve(start_dots(3, 2), threads=count, memory=MEMORY, every_move=True) for count in (1, 2))
    assert (single.remaining_margin, single.moves, single.values) == (
        double.remaining_margin,
        double.moves,
        double.values,
    )
    assert len(single.values) == 17 and max(single.values.values()) == single.remaining_margin == -2


@pytest.mark.compiled
def test_minimum_memory_gives_the_same_values() -> None:
    for position, value in ((start_dots(3, 3), -3), (start_dots(4, 2), 2)):
        for threads in (1, 2):
            found = fc.solve(position, threads=threads, memory=MIN_MEMORY, moves=False)
            assert found.remaining_margin == value


@pytest.mark.compiled
def test_later_positions_of_a_game_take_fewer_nodes_with_the_same_table() -> None:
    """The values are those of solvers with separate tables, and the shared table fills up from 0."""
    solver = MarginSolver(start_dots(3, 3).game, 1 << 24)
    fills = [solver.fill]
    position = start_dots(3, 3)
    nodes = fresh_nodes = 0
    while not position.is_over:
        task = solver.create_task(position)
        while not task.advance(1000):
            pass
        found = fc.solve(position, threads=1, memory=MEMORY, moves=False)
        assert task.lower == found.remaining_margin
        nodes, fresh_nodes = nodes + task.nodes, fresh_nodes + found.nodes
        fills.append(solver.fill)
        position = position.play(position.moves()[0])
    assert NODES[3, 3] < nodes < fresh_nodes - 1000
    assert fills == sorted(fills) and 0 == fills[0] < fills[-1] < 1


@pytest.mark.compiled
def test_time_limit_raises_with_valid_bounds() -> None:
    """The reports before that narrow the bounds; their nodes and seconds grow."""
    reports: list[tuple[int, int, int, float, float]] = []
    with pytest.raises(
        SolverLimit, match=r"^not solved within 0.3 s: its value for the seat to move is -?\d+ to \d+"
    ) as caught:
        fc.solve(start_dots(4, 4), seconds=0.3, memory=1 << 20, progress=lambda *state: reports.append(state))
    # rules.md: 4x4 is a tie.
    assert -16 <= caught.value.lower <= 0 <= caught.value.upper <= 16
    assert caught.value.lower < caught.value.upper
    assert caught.value.nodes > 0 and caught.value.code == "limit"
    lowers, uppers, nodes, seconds, fills = (list(column) for column in zip(*reports, strict=True))
    assert lowers == sorted(lowers) and uppers == sorted(uppers, reverse=True)
    assert nodes == sorted(nodes) and seconds == sorted(seconds) and all(0 <= fill <= 1 for fill in fills)
    assert nodes[-1] > nodes[0]


@pytest.mark.compiled
def test_stopping_in_a_progress_report_raises_at_once_with_valid_bounds() -> None:
    stop = threading.Event()
    calls = []

    def progress(lower: int, upper: int, *rest: float) -> None:
        """Keep the bounds; stop at the third call."""
        calls.append((lower, upper))
        if len(calls) == 3:
            stop.set()

    with pytest.raises(
        SolverLimit, match=r"^stopped before it was solved: its value for the seat to move is"
    ) as caught:
        fc.solve(start_dots(4, 4), progress=progress, stop=stop)
    assert len(calls) == 3
    assert caught.value.lower <= 0 <= caught.value.upper


@pytest.mark.compiled
def test_limit_after_the_value_is_proven_reports_the_value() -> None:
    stop = threading.Event()

    def stop_after_value(lower: int, upper: int, nodes: int, *rest: float) -> None:
        """Stop once the value is proven and the moves are searched."""
        # The value takes this many nodes; then the first move is searched.
        if nodes > NODES[3, 3]:
            stop.set()

    with pytest.raises(
        SolverLimit, match=r"^its value for the seat to move is -3, but the best moves are not known"
    ) as caught:
        fc.solve(start_dots(3, 3), threads=1, memory=MEMORY, progress=stop_after_value, stop=stop)
    assert (caught.value.lower, caught.value.upper) == (-3, -3)
    assert caught.value.nodes > NODES[3, 3]


@pytest.mark.parametrize(
    ("arguments", "error", "sentence"),
    [
        ({"seconds": -1}, OptionError, "seconds: -1 is not allowed; it must be a number above 0, at most 1000000000"),
        ({"seconds": 0}, OptionError, "seconds: 0 is not allowed; it must be a number above 0, at most 1000000000"),
        (
            {"seconds": float("nan")},
            OptionError,
            "seconds: nan is not allowed; it must be a number above 0, at most 1000000000",
        ),
        ({"seconds": "5"}, OptionError, "seconds: '5' is not allowed; it must be a number above 0, at most 1000000000"),
        (
            {"seconds": True},
            OptionError,
            "seconds: True is not allowed; it must be a number above 0, at most 1000000000",
        ),
        ({"memory": 5}, OptionError, f"memory: 5 is not allowed; it must be 65536 bytes or more, at most {MAX_MEMORY}"),
        (
            {"memory": "1G"},
            OptionError,
            f"memory: '1G' is not allowed; it must be 65536 bytes or more, at most {MAX_MEMORY}",
        ),
        (
            {"memory": 1e9},
            OptionError,
            f"memory: 1000000000.0 is not allowed; it must be 65536 bytes or more, at most {MAX_MEMORY}",
        ),
        ({"threads": 3}, OptionError, "threads: 3 is not allowed; it must be 1 or 2"),
        ({"threads": 0}, OptionError, "threads: 0 is not allowed; it must be 1 or 2"),
    ],
    ids=str,
)
def test_invalid_arguments_are_refused(arguments: dict[str, Any], error: type[GameError], sentence: str) -> None:
    with pytest.raises(error) as caught:
        fc.solve(start_dots(1, 1), **arguments)
    assert str(caught.value) == sentence


def test_only_positions_can_be_solved() -> None:
    wrong: Any
    for wrong, name in (
        ("a1b1", "'a1b1'"),
        (None, "None"),
        (start_dots(1, 1).view(0), "<View>"),
        (start_dots(1, 1).game, "<Game>"),
    ):
        with pytest.raises(GameError) as caught:
            solve(wrong)
        assert str(caught.value) == f"{name} cannot be solved: it is not a Position"


def test_finished_position_has_value_zero_and_neither_moves_nor_nodes() -> None:
    position = start_dots(1, 1)
    while not position.is_over:
        position = position.play(position.moves()[0])
    requests: list[dict[str, Any]] = [{}, {"moves": False}, {"every_move": True}]
    for request in requests:
        found = fc.solve(position, **request)
        assert (found.remaining_margin, found.moves, found.nodes, found.values, found.nimber) == (0, (), 0, {}, None)


@pytest.mark.compiled
def test_best_move_is_found_if_the_budget_ends_after_the_value_but_not_before() -> None:
    position = fc.game("dots-and-boxes", cols=3, rows=3).replay(["b2c2", "a1b1", "c3c4"])
    values = fc.solve(position, threads=1, every_move=True).values
    # With a single node left after the value, no move can be searched: bounds in the table have to do.
    worst_first = sorted(values, key=lambda move: values[move])
    task = create_backend(position.game, MEMORY).create_task(position)
    run_task(task, create_backend(position.game, MEMORY), SolveBudget())
    best, value = SolverRun(create_backend(position.game, MEMORY), SolveBudget(nodes=task.nodes + 1)).find_best_move(
        position, worst_first
    )
    assert value == task.lower == max(values.values()) == values[best]
    with pytest.raises(SolverLimit):
        SolverRun(create_backend(position.game, MEMORY), SolveBudget(nodes=task.nodes - 1)).find_best_move(
            position, worst_first
        )


@pytest.mark.compiled
def test_table_grows_only_if_there_is_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(margins, "_FIRST_TABLE", 1 << 12)
    position = start_dots(3, 3)
    sizes = []
    for seconds in (None, 0.0):
        solver = MarginSolver(position.game, 1 << 22)
        first = solver.table.nbytes
        solver.limit_growth(seconds)
        task = solver.create_task(position)
        while not task.advance(10_000):
            pass
        assert task.lower == task.upper == -3
        sizes.append(solver.table.nbytes // first)
    assert sizes[0] > 1 and sizes[1] == 1
