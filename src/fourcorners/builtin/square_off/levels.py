"""The levels of Square Off, each with its knowledge and its blind spots."""

from functools import partial

from fourcorners.builtin.square_off import evaluate
from fourcorners.players.levels import Level, make_weights

_make_weights = partial(make_weights, evaluate)
# In marked men. Found by hill climbing among players that do not look ahead, with 1,200 games for each step; a search
# with 6,000 games for each step found nothing better.
_CELL_VALUES = {"takes": 1.0, "blocks": 1.0, "pairs": 0.22, "their_pairs": 0.2}
_CELL_VALUES |= {"singles": 0.08, "their_singles": 0.08, "empty": 0.08}
_PRIOR_SCALE = 6.0
"""The weight of these values in the search: units of its prior for each marked man."""
# On 8 x 8, swap if at least seven of nine squares go through the cell: in games without the swap White then wins 57 of
# 100, but 51 from a cell with six.
_OPENING = {"rights": 10.0, "swaps": 0.7}


def _block(share: float, **others: float) -> tuple[float, ...]:
    """Return the weights of a player that sees what it can complete, and what the opponent can at a share of moves."""
    return _make_weights(takes=1.0, blocks=share, **others)


def _see_forks(share: float) -> tuple[float, ...]:
    """Return the weights of a player that sees all squares, and double threats at a share of its moves."""
    return _block(1.0, useful=1.0, forks=share, **_OPENING)


def _judge(noise: float) -> tuple[float, ...]:
    """Return the weights of a player that compares the values of the cells, with this much noise, in marked men."""
    return _make_weights(**_CELL_VALUES, weighs=1.0, noise=noise, **_OPENING)


_SCALED_VALUES = {name: _PRIOR_SCALE * value for name, value in _CELL_VALUES.items()}
_SEARCHING = {**_SCALED_VALUES, "weighs": 1.0, "noise": 2.0, "settles": 1.0, **_OPENING}
_ALL_WEIGHTS = _make_weights(**_SEARCHING)
_QUICK_WEIGHTS = _make_weights(**_SEARCHING, quick=1.0)
_NETWORK_WEIGHTS = _make_weights(**_SEARCHING, quick=1.0, network=1.0)
_CHILD_WEIGHTS = _make_weights(takes=0.5)
_GREEDY_WEIGHTS = _make_weights(takes=100.0, pairs=1.0, singles=1.0, empty=1.0, weighs=1.0)

LEVELS = (
    Level("beginner", "overlooks most of the squares that it could complete", weights=_make_weights(takes=0.3)),
    Level("collector", "hardly ever looks at the opponent’s squares", weights=_block(0.1)),
    Level("watcher", "overlooks more than half of the opponent’s squares", weights=_block(0.45, useful=1.0)),
    Level("guard", "overlooks one in four of the opponent’s squares", weights=_block(0.745, useful=1.0)),
    Level("blocker", "hardly ever sees double threats", weights=_see_forks(0.08)),
    Level("trapper", "sees only every other chance for a double threat", weights=_see_forks(0.5)),
    Level("schemer", "does not compare how many squares a cell can be part of", weights=_see_forks(1.0)),
    Level("guesser", "only guesses how many squares a cell can be part of", weights=_judge(0.65)),
    Level("estimator", "slightly misjudges how many squares a cell can be part of", weights=_judge(0.33)),
    Level("judge", "does not look ahead", weights=_judge(0.05)),
    Level("peeker", "hardly looks ahead", nodes=20, weights=_ALL_WEIGHTS),
    Level("reader", "looks only a few moves ahead", nodes=300, weights=_ALL_WEIGHTS),
    Level("planner", "misses plans that take many moves", nodes=1_000, weights=_ALL_WEIGHTS),
    Level("counter", "misses plans that take very many moves", nodes=3_000, seconds=1.5, weights=_ALL_WEIGHTS),
    Level("strong", "misjudges quiet positions", nodes=10_000, seconds=1.5, weights=_QUICK_WEIGHTS),
    Level("expert", "does not calculate the end of the game", nodes=10_000, seconds=1.5, weights=_NETWORK_WEIGHTS),
    Level("strongest", "", nodes=10_000_000, seconds=3.0, weights=_NETWORK_WEIGHTS, solves=1.0),
)
BASELINES = {
    "child": Level("child", "completes half of the squares that it could, else plays anywhere", weights=_CHILD_WEIGHTS),
    "greedy": Level("greedy", "ignores the opponent’s men", weights=_GREEDY_WEIGHTS),
}
"""The child has just learned the rules: at half of its moves it sees a square that it can complete, else it places a
man anywhere. Greedy marks as many men as it can, otherwise it keeps as many of its squares open as it can.
"""
