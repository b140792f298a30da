"""How well estimates agree with exact values, and the tools that fit and measure it."""

import math
from itertools import islice
from pathlib import Path

import numpy as np
import pytest

import fourcorners as fc
from benchmarks.calibration import __main__ as report
from benchmarks.calibration import fitting, positions
from benchmarks.calibration.figures import Estimate, summarise
from benchmarks.calibration.fitting import Sample
from benchmarks.calibration.positions import TEST_SETS, ValuedPosition
from fourcorners.players.calibration import Calibration

COUNT = 100  # of the positions of each game, for a test of a few seconds
MOST_BRIER = {
    "dots-and-boxes": 0.19,
    "dots-and-boxes-search": 0.21,
    "dots-and-boxes-chains": 0.1,
    "squarin-off": 0.2,
    "square-off": 0.05,
    "squendo": 0.12,
    "sqez": 0.23,
}
"""The recorded scores, and the noise of so few positions."""


def make_samples(truth: Calibration, count: int) -> list[Sample]:
    """Return samples that this calibration fits: estimates at random, and results with the chances that it gives."""
    rng = np.random.default_rng(1)
    samples = []
    for i in range(count):
        win, margin, simulations = rng.uniform(0.02, 0.98), rng.normal(0.0, 5.0), (100, 1000)[i % 2]
        chance = truth.correct_win(win, simulations, 2)
        gain = truth.correct_gain(margin - 1, 2) + rng.normal(0.0, 1.0)
        samples.append(Sample(win, margin, simulations, 1, float(rng.random() < chance), round(1 + gain)))
    return samples


@pytest.mark.ci
def test_fit_finds_the_parameters_that_made_the_results() -> None:
    truth = Calibration(trust=0.6, growth=0.3, limit=3.0, limit_behind=1.5, turn=0.5, gain_trust=0.7, turn_gain=-2.0)
    found = fitting.fit(make_samples(truth, 20_000))
    for win, simulations in [(0.5, 300), (0.98, 100), (0.02, 100), (0.2, 1000), (0.7, 300)]:
        expected = truth.correct_win(win, simulations, 2)
        assert found.correct_win(win, simulations, 2) == pytest.approx(expected, abs=0.02)
    assert (found.gain_trust, found.turn_gain) == pytest.approx((0.7, -2.0), abs=0.05)


def test_fit_never_lets_a_better_estimate_count_against_winning() -> None:
    truth = Calibration(trust=0.0, turn=0.3)
    # A negative trust cannot be declared, so the results are those of the opposite estimates.
    samples = [each._replace(win=1.0 - each.true_win * 0.5 - 0.25) for each in make_samples(truth, 2_000)]
    found = fitting.fit(samples)
    assert found.trust == 0.0


def test_uncorrected_estimates_are_what_the_search_says() -> None:
    plain = fitting.Uncorrected()
    assert (plain.correct_win(1.0, 10, 2), plain.correct_gain(2.5, 2)) == (1.0, 2.5)


def test_figures_of_estimates() -> None:
    estimates = [Estimate(0.75, 2.0, 1.0, 3)] * 60 + [Estimate(0.995, 5.0, 0.0, -1)] * 10
    figures = summarise(estimates)
    assert figures["estimates"] == 70
    assert figures["brier"] == pytest.approx((60 * 0.25**2 + 10 * 0.995**2) / 70, abs=1e-4)
    assert (figures["certain"], figures["certain_and_wrong"]) == (10, 10)
    assert figures["margin_error"] == pytest.approx((60 * 1 + 10 * 6) / 70, abs=1e-3)
    # The bin of ten is too small to count.
    assert figures["largest_deviation"] == 0.25
    assert figures["bins"] == [
        {"count": 60, "said": 0.75, "true": 1.0},
        {"count": 10, "said": 0.995, "true": 0.0},
    ]


def test_collection_goes_on_after_its_last_seed_and_skips_known_positions(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    starts = [fc.game("square-off").start(), fc.game("square-off").start().play("a1")]
    asked: list[int] = []

    def find(name: str, seed: int) -> ValuedPosition | None:
        """Return the two positions in turn, and nothing for every third seed."""
        asked.append(seed)
        return None if seed % 3 == 0 else ValuedPosition(starts[seed % 3 - 1], seed)

    monkeypatch.setattr(positions, "find_valued_position", find)
    known = [f"7\t{starts[0].text}\t7"]
    assert list(islice(positions.find_lines("square-off", known), 1)) == [f"8\t{starts[1].text}\t8"]
    assert asked == [8]
    path = tmp_path / "lines.txt.gz"
    positions._write_lines(path, known)
    assert positions._read_lines(path) == known
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("name", TEST_SETS)
def test_collected_positions_are_many_and_differ(name: str) -> None:
    path = positions.get_path(name)
    texts = [line.split("\t")[1] for line in positions._read_lines(path)]
    assert len(set(texts)) == len(texts) >= 800
    assert path.stat().st_size < 200_000


@pytest.mark.compiled
@pytest.mark.parametrize("step", [1_000, pytest.param(400, marks=pytest.mark.ci)])
@pytest.mark.parametrize("name", TEST_SETS)
def test_values_of_collected_positions_are_exact(name: str, step: int) -> None:
    for valued in positions.read_positions(name, slice(1, None, step)):
        assert len(valued.position.moves()) > 1
        assert fc.solve(valued.position, threads=1, memory=1 << 24, moves=False).final_margin == valued.margin


@pytest.mark.compiled
@pytest.mark.parametrize("name", TEST_SETS)
def test_estimates_agree_with_exact_values_as_well_as_recorded(name: str) -> None:
    """`python -m benchmarks.calibration` measures the same with all positions; docs/strength.md has its figures."""
    tested = positions.read_positions(name, slice(1, 2 * COUNT, 2))
    figures = summarise(report.estimate(name, tested, positions.SIMULATIONS))
    assert figures["estimates"] >= 10
    assert figures["certain"] == 0
    assert figures["brier"] <= MOST_BRIER[name]
    for group in figures["bins"]:
        noise = math.sqrt(group["said"] * (1.0 - group["said"]) / group["count"])
        assert abs(group["said"] - group["true"]) <= 0.05 + 2.5 * noise, group
