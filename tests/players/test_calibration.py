"""Calibration of estimates: order is kept, nothing becomes certain, and chances add up."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fourcorners.players.calibration import LEAST_CHANCE, Calibration

UNIT = st.floats(0.0, 1.0)
SIMULATIONS = st.integers(1, 10**9)
CALIBRATIONS = st.builds(
    Calibration,
    trust=st.floats(0.0, 3.0),
    growth=st.floats(-1.0, 1.0),
    limit=st.floats(0.5, 20.0),
    limit_behind=st.floats(0.5, 20.0),
    turn=st.floats(-3.0, 3.0),
    gain_trust=st.floats(0.0, 2.0),
    turn_gain=st.floats(-5.0, 5.0),
)


@given(CALIBRATIONS, UNIT, UNIT, SIMULATIONS, st.integers(2, 8))
def test_chance_is_never_certain_and_grows_with_the_share_of_wins(
    calibration: Calibration, one: float, two: float, simulations: int, parties: int
) -> None:
    low, high = (calibration.correct_win(win, simulations, parties) for win in sorted((one, two)))
    assert LEAST_CHANCE <= low <= high <= 1.0 - LEAST_CHANCE


@given(CALIBRATIONS, SIMULATIONS, st.integers(3, 8))
def test_equal_chances_of_many_parties_stay_equal(calibration: Calibration, simulations: int, parties: int) -> None:
    many = max(simulations, 10_000)
    assert calibration.correct_win(1.0 / parties, many, parties) == pytest.approx(1.0 / parties, abs=0.001)


def test_chances_of_many_parties_sum_to_about_one() -> None:
    calibration = Calibration(trust=0.5, turn=1.0)
    for parties in (3, 4):
        for parts in itertools.product((1, 3, 10), repeat=parties):
            shares = [part / sum(parts) for part in parts]
            chances = [calibration.correct_win(share, 1000, parties) for share in shares]
            assert 0.9 < sum(chances) < 1.1, shares


def test_defaults_correct_nothing_but_certainty() -> None:
    calibration = Calibration()
    for win in (0.1, 0.5, 0.8):
        assert calibration.correct_win(win, 1000, 2) == pytest.approx(win, abs=0.001)
    assert calibration.correct_win(1.0, 30_000, 2) == 1.0 - LEAST_CHANCE
    assert calibration.correct_gain(-3.5, 2) == -3.5


def test_more_simulations_are_trusted_more_if_the_game_says_so() -> None:
    calibration = Calibration(trust=0.5, growth=0.2)
    chances = [calibration.correct_win(0.8, simulations, 2) for simulations in (30, 300, 3_000, 30_000)]
    assert chances == sorted(set(chances))
    # Nothing was measured beyond that.
    assert calibration.correct_win(0.8, 10**9, 2) == pytest.approx(chances[-1], abs=1e-4)


def test_odds_beyond_the_limit_say_nothing_more() -> None:
    calibration = Calibration(trust=0.5, limit=2.0)
    assert calibration.correct_win(0.95, 1000, 2) == calibration.correct_win(1.0, 1000, 2) < 0.75
    assert calibration.correct_win(0.6, 1000, 2) < calibration.correct_win(0.8, 1000, 2)


def test_limit_of_the_party_behind_counts_only_for_it_and_between_two() -> None:
    plain, calibration = Calibration(limit=3.0), Calibration(limit=3.0, limit_behind=1.0)
    assert calibration.correct_win(0.0, 1000, 2) == calibration.correct_win(0.2, 1000, 2) > 0.25
    assert calibration.correct_win(1.0, 1000, 2) == plain.correct_win(1.0, 1000, 2) > 0.9
    assert calibration.correct_win(0.1, 1000, 3) == plain.correct_win(0.1, 1000, 3)


def test_having_the_move_counts_only_between_two_parties() -> None:
    calibration = Calibration(turn=1.0, turn_gain=2.0)
    assert calibration.correct_win(0.5, 1000, 2) > 0.7
    assert calibration.correct_gain(1.0, 2) == 3.0
    assert calibration.correct_gain(1.0, 3) == 1.0
