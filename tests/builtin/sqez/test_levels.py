"""The levels of Sqez: each has a blind spot that the next one has not, and the strongest plays perfectly."""

import random
from itertools import pairwise

import pytest

import fourcorners as fc
from fourcorners.players.computer import Computer
from fourcorners.players.computer_play import ComputerPlay
from fourcorners.players.levels import Level
from fourcorners.solvers.nimbers import NimberSolver, NimberTask

LEVELS = fc.game("sqez").spec.part(ComputerPlay).levels


def replay(*moves: str, size: int = 8) -> fc.Position:
    """Return the position after these moves on a field of `size` x `size` dots."""
    return fc.game("sqez", cols=size, rows=size).replay(moves)


def play_choices(position: fc.Position, level: int, seeds: int, nodes: int | None = None) -> list[fc.Position]:
    """Return the positions after the moves that a level, counted from 1, chooses, for seeds 0 to `seeds` - 1.
    `nodes` replaces the level's own number of nodes unless it is None.
    """
    style: Level = LEVELS[level - 1]
    played = [
        Computer.from_level(style, None, nodes or style.nodes or 1, seed).choose(position) for seed in range(seeds)
    ]
    return [position.play(choice.move) for choice in played]


def has_last_move(position: fc.Position) -> bool:
    """Return whether the seat to move can end the game at once."""
    return any(position.play(move).is_over for move in position.moves())


def is_won(solver: NimberSolver, position: fc.Position) -> bool:
    """Return whether the seat to move can force the last move, as the solver proves; False once the game is over."""
    if position.is_over:
        return False
    task: NimberTask = solver.create_task(position)
    task.aim(0)
    while not task.advance(1000):
        pass
    return task.lower == 1


def count_winning_choices(level: int, seeds: int, *moves: str, size: int = 8, nodes: int | None = None) -> int:
    """Return how often, for seeds 0 to `seeds` - 1, a level leaves its opponent a lost position after `moves`.
    `level` counts from 1, `size` is the side of the field in dots, `nodes`, if given, replaces the level's own.
    """
    position = replay(*moves, size=size)
    solver = NimberSolver(position.game, 1 << 28)
    return sum(not is_won(solver, left) for left in play_choices(position, level, seeds, nodes))


def test_every_level_but_the_strongest_has_a_blind_spot_of_its_own() -> None:
    assert len(LEVELS) >= 6
    assert all(level.blind for level in LEVELS[:-1])
    assert not LEVELS[-1].blind
    # All blind spots and names differ; the blind spot of the strongest level is the empty text.
    assert len({level.blind for level in LEVELS}) == len({level.name for level in LEVELS}) == len(LEVELS)


@pytest.mark.compiled
def test_a_beginner_does_not_see_that_a_move_ends_the_game() -> None:
    position = replay("e2 h4", "b5 h7")
    assert [move for move in position.moves() if position.play(move).is_over] == ["a1 d8"]
    # The beginner finds the move only by chance, the next level always.
    assert sum(left.is_over for left in play_choices(position, 1, 40)) < 8
    assert all(left.is_over for left in play_choices(position, 2, 40))


@pytest.mark.compiled
def test_a_learner_looks_at_the_answer_to_its_move_only_near_the_end_but_a_careful_player_does_before() -> None:
    for moves in (("d3 f5", "a4 c6"), ("b1 d7",)):
        position = replay(*moves)
        assert sum(has_last_move(left) for left in play_choices(position, 2, 20)) > 10
        assert not any(has_last_move(left) for left in play_choices(position, 3, 20))
    late = replay("d5 g8", "e4 h7", "a1 d3")  # eleven rectangles are left
    assert sum(has_last_move(left) for left in play_choices(late, 1, 20)) > 10
    assert not any(has_last_move(left) for left in play_choices(late, 2, 20))


@pytest.mark.compiled
def test_a_careful_player_does_not_look_further_than_the_next_answer() -> None:
    assert count_winning_choices(3, 10, "b5 d8", "e1 g3") < 4
    assert count_winning_choices(4, 10, "b5 d8", "e1 g3") >= 9


@pytest.mark.compiled
def test_a_player_simulates_too_few_games_for_an_early_position() -> None:
    assert count_winning_choices(4, 20, "c2 f5") < 13
    assert count_winning_choices(5, 20, "c2 f5") >= 18


@pytest.mark.compiled
def test_from_planner_to_expert_each_level_splits_the_field_into_regions_at_more_of_its_moves() -> None:
    moves = "f9 j12", "d4 l7", "a1 c3", "e3 i6"
    counts = [count_winning_choices(level, 30, *moves, size=12) for level in range(5, 8)]
    assert counts[0] <= 1
    assert all(higher - lower >= 2 for lower, higher in pairwise(counts))
    assert counts[-1] == 30


@pytest.mark.compiled
def test_an_expert_does_not_split_the_field_while_there_are_many_regions() -> None:
    moves = "c5 e8", "i1 k12", "f5 j11"
    assert count_winning_choices(7, 2, *moves, size=12) == 0
    assert count_winning_choices(8, 2, *moves, size=12, nodes=2_000) == 2


@pytest.mark.compiled
def test_the_strongest_level_moves_first_and_proves_and_wins_every_game() -> None:
    """One game each against levels 3, 4 and 5, which replace one move in ten by the first legal one."""
    rng = random.Random(1)
    for game in range(3):
        strongest = Computer.from_level(LEVELS[-1], None, 2_000, game)
        opponent = Computer.from_level(LEVELS[game + 2], None, 100, game)
        position = replay()
        while not position.is_over:
            choice = (strongest if position.seat == 0 else opponent).choose(position)
            assert position.seat == 1 or (choice.solved and choice.win == 1.0)
            position = position.play(choice.move if rng.random() < 0.9 or position.seat == 0 else position.moves()[0])
        assert position.outcome is not None
        assert position.outcome.winners == (0,)


@pytest.mark.compiled
def test_the_strongest_level_leaves_as_many_moves_as_possible_in_a_lost_position() -> None:
    # The empty field of 5 x 5 is lost for the seat to move.
    position = replay(size=5)
    choice = Computer.from_level(LEVELS[-1], None, 2_000, 1).choose(position)
    assert choice.solved
    assert choice.win == 0.0
    assert len(position.play(choice.move).moves()) == max(len(position.play(move).moves()) for move in position.moves())
