"""The levels of Sqez: what each does not see, and the next one does; perfect play from the first move."""

from __future__ import annotations

import random

import pytest

import fourcorners as fc
from fourcorners.core.levels import Level
from fourcorners.players.computer import Computer
from fourcorners.solve.nimbers import NimberSolver, NimberTask

LEVELS = fc.game("sqez").spec.levels


def after(*moves: str, size: int = 8) -> fc.Position:
    return fc.game("sqez", cols=size, rows=size).replay(moves)


def choices(position: fc.Position, level: int, seeds: int, nodes: int | None = None) -> list[fc.Position]:
    """The positions that a level leaves, for many seeds."""
    style: Level = LEVELS[level - 1]
    played = [Computer.playing(style, None, nodes or style.nodes or 1, seed).choose(position) for seed in range(seeds)]
    return [position.play(choice.move) for choice in played]


def can_end(position: fc.Position) -> bool:
    return any(position.play(move).is_over for move in position.moves())


def is_won(way: NimberSolver, position: fc.Position) -> bool:
    """Whether the seat to move can force the last move."""
    if position.is_over:
        return False
    task: NimberTask = way.create_task(position)
    task.aim(0)
    while not task.advance(1000):
        pass
    return task.lower == 1


def good(level: int, seeds: int, *moves: str, size: int = 8, nodes: int | None = None) -> int:
    """How often a level leaves a lost position to the other."""
    position = after(*moves, size=size)
    way = NimberSolver(position.game, 1 << 28)
    return sum(not is_won(way, left) for left in choices(position, level, seeds, nodes))


def test_every_level_but_the_top_has_a_blind_spot() -> None:
    assert len(LEVELS) >= 6
    assert all(level.blind for level in LEVELS[:-1])
    assert not LEVELS[-1].blind
    assert len({level.blind for level in LEVELS}) == len({level.name for level in LEVELS}) == len(LEVELS)


@pytest.mark.compiled
def test_a_beginner_does_not_see_that_a_move_ends_the_game() -> None:
    position = after("e2 h4", "b5 h7")
    assert [move for move in position.moves() if position.play(move).is_over] == ["a1 d8"]
    assert sum(left.is_over for left in choices(position, 1, 40)) < 8
    assert all(left.is_over for left in choices(position, 2, 40))


@pytest.mark.compiled
def test_a_learner_does_not_look_at_the_answer() -> None:
    position = after("b1 d7")
    assert sum(can_end(left) for left in choices(position, 2, 20)) > 10
    assert not any(can_end(left) for left in choices(position, 3, 20))


@pytest.mark.compiled
def test_a_careful_player_does_not_look_further_than_the_next_answer() -> None:
    assert good(3, 10, "b5 d8", "e1 g3") < 4
    assert good(4, 10, "b5 d8", "e1 g3") >= 9


@pytest.mark.compiled
def test_a_hundred_games_are_too_few() -> None:
    assert good(4, 10, "b2 e5") < 4
    assert good(5, 10, "b2 e5") >= 9


@pytest.mark.compiled
def test_a_planner_tries_out_too_few_games() -> None:
    moves = "c1 i3", "b5 d7", "d7 j11", "a4 f10"
    assert good(5, 4, *moves, size=12) <= 1
    assert good(6, 4, *moves, size=12) >= 3


@pytest.mark.compiled
def test_a_thinker_does_not_take_the_field_apart() -> None:
    moves = "c5 e8", "i1 k12", "f5 j11"
    assert good(6, 2, *moves, size=12) == 0
    assert good(7, 2, *moves, size=12, nodes=2_000) == 2


@pytest.mark.compiled
def test_who_moves_first_on_eight_by_eight_wins_against_anybody() -> None:
    rng = random.Random(1)
    for game in range(3):
        computer = Computer.playing(LEVELS[-1], None, 2_000, game)
        other = Computer.playing(LEVELS[game + 1], None, 100, game)
        position = after()
        while not position.is_over:
            choice = (computer if position.seat == 0 else other).choose(position)
            assert position.seat == 1 or (choice.solved and choice.win == 1.0)
            position = position.play(choice.move if rng.random() < 0.9 or position.seat == 0 else position.moves()[0])
        assert position.outcome is not None
        assert position.outcome.winners == (0,)


@pytest.mark.compiled
def test_a_lost_position_is_left_as_hard_as_it_can_be() -> None:
    # The empty field of 5 x 5 is lost for the seat to move.
    position = after(size=5)
    choice = Computer.playing(LEVELS[-1], None, 2_000, 1).choose(position)
    assert choice.solved
    assert choice.win == 0.0
    assert len(position.play(choice.move).moves()) == max(len(position.play(move).moves()) for move in position.moves())
