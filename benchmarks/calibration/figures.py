"""The figures that tell how good estimates are."""

from collections.abc import Sequence
from statistics import fmean
from typing import Any, NamedTuple

BINS = 10
LEAST_COUNT = 50
"""A bin with fewer estimates says too little."""
_CERTAIN = 0.01


class Estimate(NamedTuple):
    """What the computer said about a position that it could not prove, and the truth; all for the seat to move."""

    win: float
    margin: float
    true_win: float
    true_margin: int


def summarise(estimates: Sequence[Estimate]) -> dict[str, Any]:
    """Return the figures of at least one estimate.

    "brier" is the mean squared error of the chance of winning, "certain_and_wrong" how many chances within 0.01 of 0 or
    1 were wrong, "margin_error" the mean absolute error of the margin, and "largest_deviation" that of the bins with
    enough estimates. Each of the "bins" has the number of its estimates, their mean and the truth's.
    """
    bins: list[list[Estimate]] = [[] for _ in range(BINS)]
    for one in estimates:
        bins[min(BINS - 1, int(one.win * BINS))].append(one)
    rows = [(len(each), fmean(one.win for one in each), fmean(one.true_win for one in each)) for each in bins if each]
    certain = [one for one in estimates if min(one.win, 1 - one.win) < _CERTAIN]
    return {
        "estimates": len(estimates),
        "brier": round(fmean((one.win - one.true_win) ** 2 for one in estimates), 4),
        "certain": len(certain),
        "certain_and_wrong": sum(abs(one.win - one.true_win) > 1 - 2 * _CERTAIN for one in certain),
        "margin_error": round(fmean(abs(one.margin - one.true_margin) for one in estimates), 3),
        "margin_bias": round(fmean(one.margin - one.true_margin for one in estimates), 3),
        "largest_deviation": round(
            max((abs(said - true) for count, said, true in rows if count >= LEAST_COUNT), default=0.0), 3
        ),
        "bins": [{"count": count, "said": round(said, 3), "true": round(true, 3)} for count, said, true in rows],
    }
