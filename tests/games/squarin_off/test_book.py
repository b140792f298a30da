"""The book of openings: it knows what it claims to know, and what it says is so."""

from __future__ import annotations

import random

import pytest

import fourcorners as fc
from fourcorners.core.position import Position
from fourcorners.games.squarin_off.exact.book import list_known_values
from fourcorners.games.squarin_off.options import SquarinOffOptions
from fourcorners.players.computer import Computer
from fourcorners.solve.margins import MarginSolver, MarginTask
from fourcorners.solve.solver import SolveBudget, run_task

SMALL = fc.game("dots-and-boxes", cols=4, rows=3)


def opening(lines: int, seed: int) -> Position:
    """Draw so many random lines on 3 x 4, lying or standing."""
    rng = random.Random(seed)
    position = (SMALL if seed % 2 else fc.game("dots-and-boxes", cols=3, rows=4)).start()
    for _ in range(lines):
        position = position.play(rng.choice(position.moves()))
    return position


def task_of(position: Position, *, learnt: bool) -> MarginTask:
    """Ask what a position is worth."""
    way = MarginSolver(position.game, 1 << 26)
    if learnt:
        way.learn()
    task = way.create_task(position)
    run_task(task, way, SolveBudget(nodes=400_000))
    return task


@pytest.mark.compiled
@pytest.mark.parametrize("lines", [0, 1, 2, 3])
def test_openings_of_three_by_four_are_known_without_search(lines: int) -> None:
    for seed in range(12):
        task = task_of(opening(lines, seed), learnt=True)
        assert task.is_done
        assert task.nodes == 0


@pytest.mark.compiled
def test_what_the_book_says_is_what_a_solver_without_it_finds() -> None:
    for seed in range(6):
        position = opening(3, seed)
        found = task_of(position, learnt=False)
        assert found.is_done
        assert found.nodes > 1000
        assert found.lower == task_of(position, learnt=True).lower


@pytest.mark.compiled
def test_longer_openings_are_searched_and_come_out_the_same() -> None:
    position = opening(5, 1)
    with_book, without = task_of(position, learnt=True), task_of(position, learnt=False)
    assert 0 < with_book.nodes <= without.nodes
    assert with_book.lower == without.lower


@pytest.mark.parametrize("options", [SquarinOffOptions(), SquarinOffOptions(cols=4, rows=3, blockers=(1, 1))])
def test_other_boards_have_no_book(options: SquarinOffOptions) -> None:
    keys, values = list_known_values(options)
    assert len(keys) == len(values) == 0


HARD = ["", "c4d4", "e2e3", "b2c2", "c2c3", "b4c4 b3b4", "c4d4 c1d1", "b2c2 d1d2", "c1d1 c3d3", "a2a3 d2d3 b4c4"]


@pytest.mark.compiled
@pytest.mark.parametrize("moves", HARD)
def test_openings_that_took_too_long_are_proven_with_few_nodes(moves: str) -> None:
    position = SMALL.replay(moves.split())
    choice = Computer(nodes=15_000, seed=1).choose(position)
    assert choice.solved
    after = task_of(position.play(choice.move), learnt=True)
    assert after.is_done
    assert after.lower == -choice.value
