"""Estimates keep to what is still possible."""

import pytest

import fourcorners as fc
from fourcorners.players.calibrated_estimates import count_points_left, limit_estimate
from fourcorners.players.calibration import LEAST_CHANCE


def play_on_one_side(boxes: int) -> fc.Position:
    """Return a position of 2 x 2 boxes in which a seat has won some of them, and the others are still empty."""
    game = fc.game("dots-and-boxes", cols=3, rows=2)
    edges = ["a1b1", "a1a2", "a2b2", "b1b2", "b1c1", "c1c2", "b2c2", "c1d1", "d1d2", "c2d2"][: 1 + 3 * boxes]
    return game.replay(edges)


@pytest.mark.parametrize("boxes", [1, 2, 3])
def test_points_left_bound_the_margin_and_a_decided_game_is_nearly_certain(boxes: int) -> None:
    position = play_on_one_side(boxes)
    view = position.view(position.seat)
    left = count_points_left(view)
    assert left == 6 - sum(position.scores)
    present = position.scores[view.seat or 0] - position.scores[1 - (view.seat or 0)]
    for margin, win in ((-50.0, 0.3), (50.0, 0.3), (present, 0.3)):
        found, chance = limit_estimate(view, margin, win, present)
        assert present - left <= found <= present + left
        assert chance == (0.3 if abs(present) <= left else 1 - LEAST_CHANCE if present > 0 else LEAST_CHANCE)


@pytest.mark.compiled
def test_a_level_that_does_not_look_ahead_claims_nothing_impossible() -> None:
    position = fc.game("dots-and-boxes", cols=3, rows=3).start()
    players = [fc.Computer(level=2, seed=seed) for seed in range(2)]
    while not position.is_over:
        seat = position.seat or 0
        choice = players[seat].choose(position)
        present, left = position.scores[seat] - position.scores[1 - seat], 9 - sum(position.scores)
        assert abs(choice.final_margin - present) <= left
        assert 0 < choice.win < 1
        position = position.play(choice.move)


def test_games_without_points_are_left_alone() -> None:
    position = fc.game("sqez", cols=5, rows=5).start()
    assert limit_estimate(position.view(0), 0.4, 0.7, 0) == (0.4, 0.7)
