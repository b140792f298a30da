"""The levels of Square Off: what each sees, and what it is blind to."""

from __future__ import annotations

from fourcorners.core.levels import Level
from fourcorners.games.square_off import evaluate
from fourcorners.games.square_off.evaluate import (
    BLOCKS,
    EMPTY,
    FORKS,
    NOISE,
    PAIRS,
    RIGHTS,
    SETTLES,
    SINGLES,
    SWAPS,
    TAKES,
    THEIR_PAIRS,
    THEIR_SINGLES,
    USEFUL,
    WEIGHS,
)


def _make_weights(*known: tuple[int, float]) -> tuple[float, ...]:
    """Return all weights from pairs of index and weight; the others are 0."""
    weights = [0.0] * evaluate.NUMBER
    for index, weight in known:
        weights[index] = weight
    return tuple(weights)


# In marked men. Found by hill climbing among players that do not look ahead, with 1,200 games for each step; a search
# with 6,000 games for each step found nothing better.
_CELL_VALUES = (
    (TAKES, 1.0),
    (BLOCKS, 1.0),
    (PAIRS, 0.22),
    (THEIR_PAIRS, 0.2),
    (SINGLES, 0.08),
    (THEIR_SINGLES, 0.08),
    (EMPTY, 0.08),
)
_PRIOR_SCALE = 6.0
"""How much the search trusts these values: units of its prior for each marked man."""
# On 8 x 8, swap if at least seven of nine squares go through the cell: in games without the swap White then wins 57 of
# 100, but 51 from a cell with six.
_OPENING = ((RIGHTS, 10.0), (SWAPS, 0.7))
_FIRST_DAY_WEIGHTS = _make_weights((TAKES, 1.0))
_BLOCKER_WEIGHTS = _make_weights((TAKES, 1.0), (BLOCKS, 1.0), (USEFUL, 1.0))
_SCHEMER_WEIGHTS = _make_weights((TAKES, 1.0), (BLOCKS, 1.0), (USEFUL, 1.0), (FORKS, 1.0), *_OPENING)
_JUDGE_WEIGHTS = _make_weights(*_CELL_VALUES, (WEIGHS, 1.0), (NOISE, 0.05), *_OPENING)
_ALL_WEIGHTS = _make_weights(
    *((index, _PRIOR_SCALE * weight) for index, weight in _CELL_VALUES),
    (WEIGHS, 1.0),
    (NOISE, 2.0),
    (SETTLES, 1.0),
    *_OPENING,
)

LEVELS = (
    Level("first day", "does not look at the opponent's squares", 0, 1.0, _FIRST_DAY_WEIGHTS),
    Level("blocker", "does not see two threats made at once", 0, 1.0, _BLOCKER_WEIGHTS),
    Level("schemer", "does not compare how many squares a cell can be part of", 0, 1.0, _SCHEMER_WEIGHTS),
    Level("judge", "does not look ahead", 0, 1.0, _JUDGE_WEIGHTS),
    Level("reader", "looks only a few moves ahead", 300, 1.0, _ALL_WEIGHTS),
    Level("counter", "does not calculate the end of the game", 3_000, 1.5, _ALL_WEIGHTS),
    Level("strongest", "", 10_000_000, 3.0, _ALL_WEIGHTS, solves=True),
)
BASELINES = {
    "greedy": Level(
        "greedy",
        "ignores the opponent's men",
        0,
        1.0,
        _make_weights((TAKES, 100.0), (PAIRS, 1.0), (SINGLES, 1.0), (EMPTY, 1.0), (WEIGHS, 1.0)),
    )
}
"""Greedy marks as many men as it can, otherwise it keeps as many of its squares open as it can."""
