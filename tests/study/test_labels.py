"""Labels: one definition for all games."""

import pytest

from fourcorners.study.evaluation import Interval, Loss
from fourcorners.study.labels import Label, judge, measure_severity


def lose(points: float, win: float, *, exact: bool = True, doubt: float = 0.0) -> Loss:
    """Return a loss, with the same doubt about points and hundredths of the win."""
    win_doubt = doubt / 100
    return Loss(
        Interval(points, max(0.0, points - doubt), points + doubt),
        Interval(win, max(0.0, win - win_doubt), win + win_doubt),
        exact,
    )


@pytest.mark.parametrize(
    ("points", "win", "label"),
    [
        (0, 0.0, Label.BEST),
        (1, 0.0, Label.INACCURACY),
        (9, 0.0, Label.INACCURACY),
        (10, 0.0, Label.MISTAKE),
        (90, 0.0, Label.MISTAKE),
        (1, 0.5, Label.BLUNDER),
        (2, 1.0, Label.BLUNDER),
    ],
)
def test_a_proven_loss_is_judged_by_points_and_result_and_points_alone_are_no_blunder(
    points: float, win: float, label: Label
) -> None:
    assert judge(lose(points, win), 100.0) is label


def test_in_a_game_without_points_only_the_result_counts() -> None:
    assert judge(lose(2, 1.0), 0.0) is Label.BLUNDER
    assert judge(lose(2, 0.0), 0.0) is Label.BEST


def test_an_estimated_loss_counts_only_if_its_interval_excludes_zero() -> None:
    assert judge(lose(20, 0.4, exact=False, doubt=50), 100.0) is Label.GOOD
    assert judge(lose(20, 0.4, exact=False, doubt=10), 100.0) is Label.BLUNDER
    assert judge(lose(12, 0.02, exact=False, doubt=10), 100.0) is Label.MISTAKE
    assert judge(lose(4, 0.06, exact=False, doubt=3), 100.0) is Label.INACCURACY
    assert judge(lose(2, 0.02, exact=False, doubt=1), 100.0) is Label.GOOD
    assert judge(lose(0, 0.0, exact=False, doubt=5), 100.0) is Label.BEST


def test_severity_is_the_larger_share_of_win_and_points() -> None:
    assert measure_severity(lose(20, 0.1), 100.0) == pytest.approx(0.2)
    assert measure_severity(lose(20, 0.5), 100.0) == pytest.approx(0.5)
    assert measure_severity(lose(20, 0.5), 0.0) == pytest.approx(0.5)
