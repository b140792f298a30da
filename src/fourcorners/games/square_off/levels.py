"""How well the computer plays Square Off, level by level: what each sees and what it is blind to."""

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


def _weights(*known: tuple[int, float]) -> tuple[float, ...]:
    weights = [0.0] * evaluate.NUMBER
    for index, weight in known:
        weights[index] = weight
    return tuple(weights)


# In men: by hill climbing among players who do not look ahead, 1,200 games a step; 6,000 a step found none better.
_BOARD = (
    (TAKES, 1.0),
    (BLOCKS, 1.0),
    (PAIRS, 0.22),
    (THEIR_PAIRS, 0.2),
    (SINGLES, 0.08),
    (THEIR_SINGLES, 0.08),
    (EMPTY, 0.08),
)
_SHARP = 6.0
"""How much the search trusts what the board looks like, in its own unit for each man."""
# On 8 x 8 from seven squares of nine on: searched without the swap, White then wins 57 of 100 games, with six 51.
_OPENING = ((RIGHTS, 10.0), (SWAPS, 0.7))
_FIRST = _weights((TAKES, 1.0))
_MINDFUL = _weights((TAKES, 1.0), (BLOCKS, 1.0), (USEFUL, 1.0))
_CUNNING = _weights((TAKES, 1.0), (BLOCKS, 1.0), (USEFUL, 1.0), (FORKS, 1.0), *_OPENING)
_WEIGHING = _weights(*_BOARD, (WEIGHS, 1.0), (NOISE, 0.05), *_OPENING)
_ALL = _weights(
    *((index, _SHARP * weight) for index, weight in _BOARD), (WEIGHS, 1.0), (NOISE, 2.0), (SETTLES, 1.0), *_OPENING
)

LEVELS = (
    Level("first day", "does not look at the opponent's squares", 0, 1.0, _FIRST),
    Level("blocker", "does not see two threats made at once", 0, 1.0, _MINDFUL),
    Level("schemer", "does not weigh how many squares a cell is good for", 0, 1.0, _CUNNING),
    Level("judge", "does not look ahead", 0, 1.0, _WEIGHING),
    Level("reader", "looks only a few moves ahead", 300, 1.0, _ALL),
    Level("counter", "does not count the end of the game out", 3_000, 1.5, _ALL),
    Level("strongest", "", 10_000_000, 3.0, _ALL, solves=True),
)
BASELINES = {
    "greedy": Level(
        "greedy",
        "sees nothing of the opponent's men",
        0,
        1.0,
        _weights((TAKES, 100.0), (PAIRS, 1.0), (SINGLES, 1.0), (EMPTY, 1.0), (WEIGHS, 1.0)),
    )
}
"""Greedy marks as many men as it can, else keeps as many of its squares open as it can."""
