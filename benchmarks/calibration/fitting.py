"""Fit the parameters of a game's calibration to estimates of positions whose value is known."""

from collections.abc import Sequence
from itertools import combinations_with_replacement
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fourcorners.players.calibration import Calibration, compute_log_odds, compute_tenfold

_LIMITS = (1.0, 1.5, 2.0, 3.0, 4.0)  # LEAST_CHANCE keeps the log odds of choices below 4.6
_PENALTY = 0.1  # for large parameters, so that they stay finite where the results are all the same
_MOST_GROWTH = 0.5  # few numbers of simulations are compared, and with more of them other positions get proven
_STEPS = 60
_DIGITS = 3
_WORTHWHILE = 0.98  # margins are corrected if that leaves at most this share of the error

Floats = NDArray[np.float64]


class Sample(NamedTuple):
    """What the search says about a position, uncorrected, and the truth; all for the seat to move."""

    win: float
    margin: float
    simulations: int
    present: int
    true_win: float
    true_margin: int


class Uncorrected(Calibration):
    """A calibration that changes nothing at all."""

    def correct_win(self, win: float, simulations: int, parties: int) -> float:
        """Return the chance as it is."""
        return win

    def correct_gain(self, gain: float, parties: int) -> float:
        """Return the gain as it is."""
        return gain


def fit(samples: Sequence[Sample]) -> Calibration:
    """Return the parameters that make the true results most likely, and the mean absolute error of margins smallest.

    A larger share of wins, or a larger margin, never counts against winning.
    """
    truth = np.array([sample.true_win for sample in samples])
    odds = np.array([compute_log_odds(sample.win, sample.simulations) for sample in samples])
    tenfold = np.array([compute_tenfold(sample.simulations) for sample in samples])
    candidates = []
    for limit, limit_behind in combinations_with_replacement(reversed(_LIMITS), 2):
        trusted = np.clip(odds, -limit_behind, limit)
        columns = {"turn": np.ones(len(odds)), "trust": trusted, "growth": trusted * tenfold}
        for used in (["turn"], ["turn", "trust"], ["turn", "trust", "growth"]):
            loss, found = _fit_odds({name: columns[name] for name in used}, truth)
            if found.get("trust", 0.0) >= 0.0 and 0.0 <= found.get("growth", 0.0) <= _MOST_GROWTH:
                parameters = {"trust": 0.0, **found, "limit": limit, "limit_behind": limit_behind}
                candidates.append((loss, parameters))
    _, parameters = min(candidates, key=lambda pair: pair[0])
    said, true = (
        np.array([margin - sample.present for sample, margin in zip(samples, margins, strict=True)])
        for margins in ([sample.margin for sample in samples], [sample.true_margin for sample in samples])
    )
    gain_trust, turn_gain = _fit_line(said, true)
    if np.mean(np.abs(gain_trust * said + turn_gain - true)) <= _WORTHWHILE * np.mean(np.abs(said - true)):
        parameters |= {"gain_trust": gain_trust, "turn_gain": turn_gain}
    return Calibration(**{name: round(value, _DIGITS) for name, value in parameters.items()})


def _fit_odds(columns: dict[str, Floats], truth: Floats) -> tuple[float, dict[str, float]]:
    """Return the loss and the factors of a logistic regression by Newton's method; `truth` is from 0 to 1."""
    matrix = np.stack(list(columns.values()), axis=1)
    factors = np.zeros(matrix.shape[1])
    for _ in range(_STEPS):
        chance = 1.0 / (1.0 + np.exp(-matrix @ factors))
        slope = matrix.T @ (chance - truth) + _PENALTY * factors
        curvature = (matrix.T * (chance * (1.0 - chance))) @ matrix + _PENALTY * np.eye(len(factors))
        factors -= np.linalg.solve(curvature, slope)
    chance = 1.0 / (1.0 + np.exp(-matrix @ factors))
    loss = -float(np.mean(truth * np.log(chance) + (1.0 - truth) * np.log(1.0 - chance)))
    return loss, dict(zip(columns, map(float, factors), strict=True))


def _fit_line(said: Floats, truth: Floats) -> tuple[float, float]:
    """Return the slope, at least 0, and the offset with the least mean absolute error, by reweighted least squares."""
    matrix = np.stack([said, np.ones(len(said))], axis=1)
    line = np.zeros(2)
    weights = np.ones(len(said))
    for _ in range(_STEPS):
        line[:] = np.linalg.lstsq(matrix * weights[:, None], truth * weights, rcond=None)[0]
        weights[:] = np.maximum(np.abs(matrix @ line - truth), 1e-3) ** -0.5
    return max(0.0, float(line[0])), float(line[1]) if line[0] > 0.0 else float(np.median(truth))
