"""The searching levels of Squendo: endgames that one level misplays and the next one does not."""

import time

import numpy as np
import pytest

import fourcorners as fc
from fourcorners.builtin.squendo.exact import margin
from fourcorners.builtin.squendo.levels import LEVELS
from fourcorners.core.game import Position
from fourcorners.players.computer import Choice, Computer
from fourcorners.players.exact_player import ExactPlayer

pytestmark = pytest.mark.compiled
SEEDS = 6
# Endgames with the numbers of the last level that misplays them: what the rivals can do in reply decides most of them.
MISPLAYED = [
    (
        5,
        (
            "table -1,-3=B1xr1 -1,-2=G2oor1/B0o -2,-1=R0or0 -1,-1=G1or1 0,-1=G4xr0 -2,0=G0xr0/R0x 0,0=G2oxr0 "
            "1,0=R1xr0 -3,1=G3xr2 -2,1=R2axr0 -1,1=R4xr0 0,1=G4or0 1,1=B3or1 -1,2=G2axr2 -1,3=R3or3; hands "
            "B2ao,B4x R4o,B0x,G3o; pile -; known *,* *,*,*; turn 1; passed -"
        ),
    ),
    (
        5,
        (
            "table 0,-1=B2oxr0 1,-1=G2oor0/R2oo 2,-1=G0or0 0,0=G3or1 1,0=G4or0 0,1=G1xr3 -1,2=B2axr3 "
            "0,2=G2axr0/B1x -1,3=G2aor1 0,3=B4xr0 -1,4=G0xr0 -1,5=B3xr3; hands B0x,B1o R4x,G4x; pile -; known "
            "*,* *,*; turn 0; passed -"
        ),
    ),
    (
        6,
        (
            "table 0,-2=B1xr0 0,-1=B4xr0 1,-1=R4or0 2,-1=R3or1 -2,0=B3xr2 -1,0=G2oxr0 0,0=R2oor0/G0o 1,0=R1or2 "
            "2,0=R2aor0 3,0=G3xr2 1,1=G2axr3; hands B2ax,G0x,G1x G4x; pile -; known *,*,* *; turn 0; passed -"
        ),
    ),
    (
        6,
        (
            "table -1,-4=G4xr0 -1,-3=G3or2 -3,-2=B2axr2 -2,-2=B2aor1 -1,-2=G4or0 -2,-1=R2aor3 -1,-1=B2oor0 "
            "0,-1=B0xr0 -1,0=R4or0 0,0=G2axr3 1,0=G0or0/G2oo -1,1=G1xr2/G2ox; hands R0o,G0x R0x,R3x; pile -; "
            "known *,* *,*; turn 0; passed -"
        ),
    ),
    (
        7,
        (
            "table 1,-1=B2oxr1 2,-1=G4or0 0,0=G2aor3 1,0=G0or0 -2,1=B4or0 -1,1=R3or1 0,1=B4xr0 -3,2=R0xr0 "
            "-2,2=R2oor0/B3o -1,2=B1xr1 0,2=G2axr2/R3x -1,3=B2aor3 0,3=B0or0; hands B0x,G0x R1x,R4o,G2ox; pile "
            "-; known *,* *,*,*; turn 1; passed -"
        ),
    ),
    (
        7,
        (
            "table 1,-1=G0xr0 2,-1=B3xr0 0,0=R2aor0 1,0=R1xr3/B2ox 0,1=R4or0 1,1=B2axr3 0,2=G1or2/R2oo 1,2=R3or0 "
            "2,2=R1or3 3,2=G2aor0; hands R4x,B4x B0o,G4x; pile -; known *,* *,*; turn 0; passed -"
        ),
    ),
    (
        8,
        (
            "table 1,-2=R2oxr1 0,-1=G2aor1 1,-1=G2axr3 2,-1=G1or0 -1,0=R3or2 0,0=G1xr1 1,0=R4or0 -1,1=G4xr0; "
            "hands B0x,G0x R0o,R2oo; pile -; known *,* *,*; turn 0; passed -"
        ),
    ),
    (
        9,
        (
            "table -2,-2=G2aor2 -1,-2=B3or0 -2,-1=B0xr0 -1,-1=G2axr1 0,-1=G3or3 0,0=B4xr0/R4x 1,0=G3xr3 "
            "2,0=G1xr3 0,1=B2aor2/R2ao 1,1=R2oor0 2,1=G0or0 3,1=G1or0 0,2=R0or0 1,2=G2oxr0; hands B2oo,B2ox "
            "R1o,R4o; pile -; known *,* *,*; turn 0; passed -"
        ),
    ),
]
END = (
    "table 2,-3=G3xr2 2,-2=G2oor0 3,-2=G2oxr0 0,-1=R0or0/G0o 2,-1=G4or0 0,0=R1xr3/B0x 1,0=G2aor0/B3o "
    "2,0=B4xr0 -1,1=R4or0 0,1=G2axr3/R2ax 1,1=B3xr0; hands G1o R4x,G4x; pile -; known * *,*; turn 1; "
    "passed -"
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


@pytest.mark.parametrize(("level", "text"), MISPLAYED)
def test_a_level_that_searches_less_misplays_an_endgame_that_the_next_level_does_not(level: int, text: str) -> None:
    position = parse_position(text)
    assert count_best_choices(level, position) <= 1
    assert count_best_choices(level + 1, position) >= SEEDS - 1


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
    assert choice.final_margin == lead + solution.remaining_margin


def test_the_exact_player_gives_up_at_once_if_hands_must_be_guessed() -> None:
    # Its limit of 10**9 nodes would take hours.
    game = fc.game("squendo")
    view = game.start(seed=1).view(0)
    begun = time.perf_counter()
    assert ExactPlayer(game).prove(view, 10**9, None, None, view.moves()) is None
    assert time.perf_counter() - begun < 1.0


def test_the_estimated_cost_of_endgames_is_not_much_too_high_and_that_of_whole_games_is_huge() -> None:
    # The estimate is less than 30 times the nodes plus 30, which allow for games solved almost without search.
    for text in (END, *(text for _, text in MISPLAYED)):
        position = parse_position(text)
        assert margin.estimate_cost(position.record) < 30 * (fc.solve(position, moves=False).nodes + 30)
    left = [margin.estimate_cost(fc.game("squendo", players=n).start(seed=1).record) for n in (2, 3)]
    assert np.all(np.array(left) > 1e9)
