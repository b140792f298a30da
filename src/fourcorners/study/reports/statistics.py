"""Figures with their 95% intervals, from samples of games."""

import math
from collections.abc import Sequence
from itertools import pairwise
from statistics import fmean, quantiles, stdev
from typing import NamedTuple

from fourcorners.study.reports.self_play import SelfPlayGame

_Z95 = 1.96
_SURE = 0.6
"""The chance from which a side counts as ahead; below 1 minus this, it is behind. In between, neither side leads."""
BINS = 10


class Figure(NamedTuple):
    """A mean or share with its 95% interval."""

    value: float
    low: float
    high: float


def write_figure(figure: Figure | None, digits: int = 1) -> str:
    """Write a figure with its interval: "60.0 (55.2 to 64.8)"; "–" for None."""
    if figure is None:
        return "–"
    return "{0:.{3}f} ({1:.{3}f} to {2:.{3}f})".format(*figure, digits).replace("-", "−")


def write_percent(figure: Figure | None) -> str:
    """Write a share with its interval in percent."""
    return "–" if figure is None else "{:.0f}% ({:.0f} to {:.0f})".format(*(100 * value for value in figure))


def estimate_mean(values: Sequence[float]) -> Figure | None:
    """Return the mean of a sample with its interval by the normal distribution; None for an empty sample."""
    if not values:
        return None
    mean = fmean(values)
    error = _Z95 * stdev(values) / math.sqrt(len(values)) if len(values) > 1 else math.inf
    if not math.isfinite(error):
        error = abs(mean)
    return Figure(mean, mean - error, mean + error)


def estimate_share(successes: float, count: int) -> Figure | None:
    """Return a share with its Wilson score interval, which also holds near 0 and 1; None if the count is 0.

    Shared wins count in part, which makes the interval a little too wide.
    """
    if count == 0:
        return None
    share, square = successes / count, _Z95**2
    centre = (share + square / (2 * count)) / (1 + square / count)
    error = _Z95 * math.sqrt(share * (1 - share) / count + square / (4 * count**2)) / (1 + square / count)
    return Figure(share, max(0.0, min(centre - error, share)), min(1.0, max(centre + error, share)))


class Drama(NamedTuple):
    """The lead changes in a game, and the share of it after which the winner stayed ahead; 1 without a winner."""

    changes: int
    decided: float


def measure_drama(game: SelfPlayGame) -> Drama | None:
    """Measure the lead changes of a game by its players' chances, or else by the points; None if there is neither."""
    if game.chances:
        first = game.plies - len(game.chances)
        ahead = [(first + index, _compare(chance)) for index, chance in enumerate(game.chances)]
    elif game.leads:
        ahead = [(ply, (lead > 0) - (lead < 0)) for ply, lead in enumerate(game.leads)]
    else:
        return None
    signs = [sign for _, sign in ahead if sign]
    changes = sum(before != after for before, after in pairwise(signs))
    winner = 1 if game.shares[0] == 1 else -1 if game.shares[1] == 1 else 0
    if not winner:
        return Drama(changes, 1.0)
    last = next((ply for ply, sign in reversed(ahead) if sign != winner), ahead[0][0] - 1)
    return Drama(changes, min(1.0, (last + 1) / max(1, game.plies)))


def _compare(chance: float) -> int:
    """Return which party is ahead: 1 for the first, -1 for the other, 0 for neither."""
    return (chance > _SURE) - (chance < 1 - _SURE)


def count_in_bins(values: Sequence[float], bins: int = 12) -> list[tuple[float, float, int]]:
    """Count values in at most this many bins of a round width: from, up to, and count."""
    if not values:
        return []
    low, high = min(values), max(values)
    width = _round_up((high - low + 1) / bins)
    start = math.floor(low / width) * width
    counts: dict[int, int] = {}
    for value in values:
        index = int((value - start) // width)
        counts[index] = counts.get(index, 0) + 1
    return [(start + i * width, start + (i + 1) * width, counts.get(i, 0)) for i in range(max(counts) + 1)]


def _round_up(width: float) -> float:
    """Round up to the next of 1, 2, 5, 10, 20 and so on."""
    power = 10.0 ** math.floor(math.log10(max(width, 1)))
    return next(step * power for step in (1, 2, 5, 10) if step * power >= width)


def average_by_progress(games: Sequence[Sequence[float]]) -> list[Figure]:
    """Return the mean value in each tenth of the games, over all games."""
    found = []
    for number in range(BINS):
        means = []
        for values in games:
            part = values[
                number * len(values) // BINS : max((number + 1) * len(values) // BINS, number * len(values) // BINS + 1)
            ]
            if part:
                means.append(fmean(part))
        figure = estimate_mean(means)
        if figure is not None:
            found.append(figure)
    return found


def describe_spread(values: Sequence[float]) -> tuple[float, float, float]:
    """Return the lower quartile, the median and the upper quartile of one or more values."""
    if len(values) == 1:
        return values[0], values[0], values[0]
    low, middle, high = quantiles(values, n=4, method="inclusive")
    return low, middle, high
