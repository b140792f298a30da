"""The levels of Square Off: what each sees, and what it is blind to."""

from functools import partial

from fourcorners.core.levels import Level, make_weights
from fourcorners.games.square_off import evaluate

_make_weights = partial(make_weights, evaluate)
# In marked men. Found by hill climbing among players that do not look ahead, with 1,200 games for each step; a search
# with 6,000 games for each step found nothing better.
_CELL_VALUES = {"takes": 1.0, "blocks": 1.0, "pairs": 0.22, "their_pairs": 0.2}
_CELL_VALUES |= {"singles": 0.08, "their_singles": 0.08, "empty": 0.08}
_PRIOR_SCALE = 6.0
"""How much the search trusts these values: units of its prior for each marked man."""
# On 8 x 8, swap if at least seven of nine squares go through the cell: in games without the swap White then wins 57 of
# 100, but 51 from a cell with six.
_OPENING = {"rights": 10.0, "swaps": 0.7}
_BEGINNER_WEIGHTS = _make_weights(takes=1.0)
_BLOCKER_WEIGHTS = _make_weights(takes=1.0, blocks=1.0, useful=1.0)
_SCHEMER_WEIGHTS = _make_weights(takes=1.0, blocks=1.0, useful=1.0, forks=1.0, **_OPENING)
_JUDGE_WEIGHTS = _make_weights(**_CELL_VALUES, weighs=1.0, noise=0.05, **_OPENING)
_SCALED_VALUES = {name: _PRIOR_SCALE * value for name, value in _CELL_VALUES.items()}
_ALL_WEIGHTS = _make_weights(**_SCALED_VALUES, weighs=1.0, noise=2.0, settles=1.0, **_OPENING)
_QUICK_WEIGHTS = _make_weights(**_SCALED_VALUES, weighs=1.0, noise=2.0, settles=1.0, quick=1.0, **_OPENING)
_GREEDY_WEIGHTS = _make_weights(takes=100.0, pairs=1.0, singles=1.0, empty=1.0, weighs=1.0)

LEVELS = (
    Level("beginner", "does not look at the opponent's squares", 0, 1.0, _BEGINNER_WEIGHTS),
    Level("blocker", "does not see two threats made at once", 0, 1.0, _BLOCKER_WEIGHTS),
    Level("schemer", "does not compare how many squares a cell can be part of", 0, 1.0, _SCHEMER_WEIGHTS),
    Level("judge", "does not look ahead", 0, 1.0, _JUDGE_WEIGHTS),
    Level("reader", "looks only a few moves ahead", 300, 1.0, _ALL_WEIGHTS),
    Level("counter", "does not calculate the end of the game", 3_000, 1.5, _ALL_WEIGHTS),
    Level("strongest", "", 10_000_000, 3.0, _QUICK_WEIGHTS, solves=True),
)
BASELINES = {"greedy": Level("greedy", "ignores the opponent's men", 0, 1.0, _GREEDY_WEIGHTS)}
"""Greedy marks as many men as it can, otherwise it keeps as many of its squares open as it can."""
