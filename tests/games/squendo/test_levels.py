"""The searching levels of Squendo: endgames that one level misplays and the next one does not."""

import time

import numpy as np
import pytest

import fourcorners as fc
from fourcorners.core.position import Position
from fourcorners.games.squendo.exact import margin
from fourcorners.games.squendo.levels import LEVELS
from fourcorners.players.computer import Choice, Computer
from fourcorners.players.exact_player import ExactPlayer

pytestmark = pytest.mark.compiled
SEEDS = 6
# One tile is left, so a rectangle that it begins is never finished.
BEGINNING = (
    "table 0,-3=B4xr0 -1,-2=B2oor1 0,-2=G4xr0 0,-1=G4or0/R4o -2,0=B0or0 -1,0=G0or0 0,0=G3xr0 "
    "1,0=R4xr0 -1,1=G0xr0/R0x 0,1=R2oxr0; hands B1x,B3x R2ax; pile -; known *,* *; turn 0; passed -"
)
# What the rival can do with its last tiles depends on where this seat lays first.
REPLIES = (
    "table -1,-1=G4xr0 1,-1=B3xr3 -1,0=G2oor0 0,0=B0or0/R0o 1,0=B2axr1 2,0=B4or0 -1,1=R4xr0 "
    "0,1=R1or3 1,1=R1xr0/B0x 2,1=G2axr1; hands B4x,G4o R2oo,R4o; pile -; known *,* *,*; turn 0; "
    "passed -"
)
SECOND_MOVE = (
    "table -1,-2=G0xr0 -2,-1=G3or1 -1,-1=R2oxr1 0,-1=R2axr2 -5,0=B2oor0 -4,0=G2aor1 -3,0=G1xr3 "
    "-2,0=R0xr0 -1,0=R1xr1 0,0=G2oor1 -5,1=G4or0 -2,1=B0or0 -2,2=B3or3 -1,2=G4xr0; hands B0x,B1x "
    "R4x; pile -; known *,* *; turn 0; passed -"
)
ANOTHER_SECOND_MOVE = (
    "table -3,-3=B4or0 -2,-3=G2axr3 -2,-2=G4xr0/B4x -1,-2=G1xr3 -1,-1=R2axr3 0,-1=G2aor0 1,-1=G1or3 2,-1=R1xr1/B1x "
    "-3,0=B3xr2 -2,0=B2oxr0 -1,0=R2oor0 0,0=G3xr0 1,0=B2aor3 2,0=R0or0 0,1=G3or0 1,1=R3xr2 2,1=B0xr0/R0x 3,1=G0xr0 "
    "-1,2=B0or0 0,2=B3or0 2,2=G2oor1 0,3=R2aor2 1,3=G0or0; hands R2ox,G2ox R4x; pile -; known *,* *; turn 0; passed -"
)
END = (
    "table 2,-3=G3xr2 2,-2=G2oor0 3,-2=G2oxr0 0,-1=R0or0/G0o 2,-1=G4or0 0,0=R1xr3/B0x 1,0=G2aor0/B3o "
    "2,0=B4xr0 -1,1=R4or0 0,1=G2axr3/R2ax 1,1=B3xr0; hands G1o R4x,G4x; pile -; known * *,*; turn 1; "
    "passed -"
)
ANOTHER_END = (
    "table 1,-1=R1or0 2,-1=R0xr0 0,0=B4or0 1,0=R4xr0 2,0=R1xr3 1,1=B3xr1 0,2=B2aor3 1,2=B0or0; hands "
    "B0x,G0x R2ox; pile -; known *,* *; turn 0; passed -"
)


def parse_position(text: str) -> Position:
    """Return a position of two seats from its text."""
    return fc.game("squendo").position(text)


def collect_choices(level: int, position: Position) -> list[Choice]:
    """Return what a level, counted from 1, chooses, for seeds 0 to SEEDS - 1.

    The strongest gets only as many simulations as the level before it, so that it must solve to be better.
    """
    nodes = max(1, min(LEVELS[level - 1].nodes, LEVELS[-2].nodes))
    return [Computer(level, nodes=nodes, seed=seed).choose(position) for seed in range(SEEDS)]


def count_best_choices(level: int, position: Position) -> int:
    """Count the seeds for which a level chooses a best move, as the solver knows them."""
    best = set(fc.solve(position).moves)
    return sum(choice.move in best for choice in collect_choices(level, position))


@pytest.mark.parametrize("text", [BEGINNING, REPLIES])
def test_level_4_does_not_consider_the_next_moves_and_level_5_does(text: str) -> None:
    assert count_best_choices(4, parse_position(text)) <= 1
    assert count_best_choices(5, parse_position(text)) >= SEEDS - 1


@pytest.mark.parametrize("text", [SECOND_MOVE, ANOTHER_SECOND_MOVE])
def test_level_5_hardly_looks_beyond_the_next_move_and_level_6_does(text: str) -> None:
    assert count_best_choices(5, parse_position(text)) <= 1
    assert count_best_choices(6, parse_position(text)) >= SEEDS - 1


@pytest.mark.parametrize("text", [END, ANOTHER_END])
def test_level_6_does_not_work_out_the_end_and_level_7_does(text: str) -> None:
    assert count_best_choices(6, parse_position(text)) <= 1
    assert count_best_choices(7, parse_position(text)) == SEEDS


def test_the_strongest_level_solves_an_endgame_whose_hands_it_can_infer() -> None:
    position = parse_position(END)
    assert position.seat is not None
    view = position.view(position.seat)
    assert margin.can_infer_hands(view.record, position.seat)
    assert "?" in view.text  # something is hidden all the same
    choice = Computer(nodes=500, seed=1).choose(view)
    solution = fc.solve(position)
    # A choice has the margin at the end, a solution the change until then.
    lead = position.scores[position.seat] - position.scores[1 - position.seat]
    assert choice.solved
    assert choice.move in solution.moves
    assert choice.value == lead + solution.value


def test_the_exact_player_gives_up_at_once_if_hands_must_be_guessed() -> None:
    # Its limit of 10**9 nodes would take hours.
    game = fc.game("squendo")
    view = game.start(seed=1).view(0)
    begun = time.perf_counter()
    assert ExactPlayer(game).prove(view, 10**9, None, None, view.moves()) is None
    assert time.perf_counter() - begun < 1.0


def test_the_estimated_cost_of_endgames_is_not_much_too_high_and_that_of_whole_games_is_huge() -> None:
    # The estimate is less than 30 times the nodes plus 30, which allow for games solved almost without search.
    for text in (BEGINNING, REPLIES, SECOND_MOVE, ANOTHER_SECOND_MOVE, END, ANOTHER_END):
        position = parse_position(text)
        assert margin.estimate_cost(position.record) < 30 * (fc.solve(position, moves=False).nodes + 30)
    left = [margin.estimate_cost(fc.game("squendo", players=n).start(seed=1).record) for n in (2, 3)]
    assert np.all(np.array(left) > 1e9)
