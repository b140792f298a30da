"""The rewards of every seat for the end of a game."""

from collections.abc import Sequence

import numpy as np
import pytest

from fourcorners.search import backpropagation


def compute_rewards(
    points: Sequence[float], parties: list[int], spread: float = 0.0
) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    """Return `Payoffs.rewards`, (4, seats) with the rows REWARD, WON, MARGIN and BEST (0), for the points of all seats.

    `parties` has the party of every seat; partners must have the same points.
    """
    rewards = np.zeros((backpropagation.REWARD_ROWS, len(parties)))
    payoffs = backpropagation.Payoffs(np.array(points, float), rewards, np.array(parties, np.int64))
    backpropagation.write_rewards(payoffs, spread)
    return rewards


@pytest.mark.parametrize(
    ("points", "parties", "won", "margin"),
    [
        ([3, 1], [0, 1], [1, 0], [2, -2]),
        ([2, 2], [0, 1], [0.5, 0.5], [0, 0]),
        ([5, 7, 7], [0, 1, 2], [0, 0.5, 0.5], [-2, 0, 0]),
        ([5, 4, 5, 4], [0, 1, 0, 1], [1, 0, 1, 0], [1, -1, 1, -1]),
        ([4, 4, 4, 4], [0, 1, 0, 1], [0.5, 0.5, 0.5, 0.5], [0, 0, 0, 0]),
        ([0, 0, 0, 1, 0, 0, 0, 0], list(range(8)), [0, 0, 0, 1, 0, 0, 0, 0], [-1, -1, -1, 1, -1, -1, -1, -1]),
        ([-3, -5], [0, 1], [1, 0], [2, -2]),
    ],
)
def test_best_parties_share_the_win_and_margins_are_over_the_best_rival(
    points: list[int], parties: list[int], won: list[float], margin: list[int]
) -> None:
    found = compute_rewards(points, parties)
    assert found[backpropagation.WON].tolist() == won
    assert found[backpropagation.MARGIN].tolist() == margin


def test_reward_grows_with_the_margin_but_less_than_by_winning() -> None:
    small, large = (compute_rewards(points, [0, 1])[backpropagation.REWARD] for points in ([51, 49], [90, 10]))
    assert 0 <= large[1] < small[1] < 0.5 < small[0] < large[0] <= 1
    # A larger margin adds less than winning by 2 does to a draw.
    assert large[0] - small[0] < small[0] - compute_rewards([50, 50], [0, 1])[backpropagation.REWARD, 0]


@pytest.mark.parametrize("points", [[51, 49], [90, 10], [0, 0], [3, 3]])
def test_rewards_of_two_seats_add_up_to_one(points: list[int]) -> None:
    assert compute_rewards(points, [0, 1])[backpropagation.REWARD].sum() == pytest.approx(1)


@pytest.mark.parametrize(
    ("points", "parties"), [([5.5, 4.0], [0, 1]), ([1.0, 2.0, 4.5], [0, 1, 2]), ([5.0, 4.0, 5.0, 4.0], [0, 1, 0, 1])]
)
def test_chances_from_estimated_points_follow_the_exponential_of_points_over_spread(
    points: list[float], parties: list[int]
) -> None:
    spread = 2.0
    found = compute_rewards(points, parties, spread)
    weights = {party: np.exp(value / spread) for party, value in zip(parties, points, strict=True)}
    expected = [weights[party] / sum(weights.values()) for party in parties]
    assert found[backpropagation.WON].tolist() == pytest.approx(expected)
    assert found[backpropagation.MARGIN].tolist() == compute_rewards(points, parties)[backpropagation.MARGIN].tolist()


def test_a_hopeless_estimate_does_not_overflow() -> None:
    won = compute_rewards([0.0, 1e6], [0, 1], 0.1)[backpropagation.WON]
    assert 0.0 < won[0] < 1e-20
    assert won[1] == 1.0
