"""The opening book: it covers all openings of up to three edges, and its values are right."""

import random

import pytest

import fourcorners as fc
from fourcorners.builtin.squarin_off.exact.book import list_known_values
from fourcorners.builtin.squarin_off.options import SquarinOffOptions
from fourcorners.core.game import Position
from fourcorners.players.computer import Computer
from fourcorners.solvers.margins import MarginSolver, MarginTask
from fourcorners.solvers.solver_run import SolveBudget, run_task

SMALL = fc.game("dots-and-boxes", cols=4, rows=3)


def play_opening(edges: int, seed: int) -> Position:
    """Return a position with `edges` random edges drawn on 3 x 4 boxes (even seeds) or 4 x 3 (odd ones)."""
    rng = random.Random(seed)
    position = (SMALL if seed % 2 else fc.game("dots-and-boxes", cols=3, rows=4)).start()
    for _ in range(edges):
        position = position.play(rng.choice(position.moves()))
    return position


def solve_with_fresh_table(position: Position, *, with_book: bool) -> MarginTask:
    """Solve a position with a fresh table, with or without the book; return the task, unsolved after 400,000 nodes."""
    solver = MarginSolver(position.game, 1 << 26)
    if with_book:
        solver.load_known_values()
    task = solver.create_task(position)
    run_task(task, solver, SolveBudget(nodes=400_000))
    return task


@pytest.mark.compiled
@pytest.mark.parametrize("edges", [0, 1, 2, 3])
def test_openings_of_up_to_three_edges_need_no_search(edges: int) -> None:
    for seed in range(12):
        task = solve_with_fresh_table(play_opening(edges, seed), with_book=True)
        assert task.is_done
        assert task.nodes == 0


@pytest.mark.ci
@pytest.mark.compiled
def test_a_solver_without_the_book_finds_the_same_values() -> None:
    for seed in range(6):
        position = play_opening(3, seed)
        found = solve_with_fresh_table(position, with_book=False)
        assert found.is_done
        # So it did not use the book.
        assert found.nodes > 1000
        assert found.lower == solve_with_fresh_table(position, with_book=True).lower


@pytest.mark.compiled
def test_an_opening_of_five_edges_is_searched_and_has_the_same_value_with_and_without_the_book() -> None:
    position = play_opening(5, 1)
    with_book, without = (
        solve_with_fresh_table(position, with_book=True),
        solve_with_fresh_table(position, with_book=False),
    )
    assert with_book.is_done and without.is_done
    assert 0 < with_book.nodes <= without.nodes
    assert with_book.lower == without.lower


@pytest.mark.parametrize("options", [SquarinOffOptions(), SquarinOffOptions(cols=4, rows=3, blockers=(1, 1))])
def test_boards_of_another_size_and_games_with_blockers_have_no_book(options: SquarinOffOptions) -> None:
    keys, values = list_known_values(options)
    assert len(keys) == len(values) == 0


HARD = ["", "b4c4 b3b4", "a2a3 d2d3 b4c4"]
MORE = ["c4d4", "e2e3", "b2c2", "c2c3", "c4d4 c1d1", "b2c2 d1d2", "c1d1 c3d3"]


@pytest.mark.compiled
@pytest.mark.parametrize("moves", [*HARD, *(pytest.param(moves, marks=pytest.mark.ci) for moves in MORE)])
def test_a_computer_with_15000_nodes_solves_hard_openings_and_its_move_keeps_the_value(moves: str) -> None:
    position = SMALL.replay(moves.split())
    choice = Computer(nodes=15_000, seed=1).choose(position)
    assert choice.solved
    # The move completes no box, so its value is that of the reply for the other seat.
    reply = solve_with_fresh_table(position.play(choice.move), with_book=True)
    assert reply.is_done
    assert reply.lower == -choice.final_margin
