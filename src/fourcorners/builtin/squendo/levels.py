"""The computer's levels in Squendo, and baselines to measure them against."""

from functools import partial

from fourcorners.builtin.squendo import evaluate
from fourcorners.players.levels import Level, make_weights

_make_weights = partial(make_weights, evaluate)
_POINT_WEIGHTS = {"own": 1.0, "rival": 1.0, "see_rectangles": 1.0, "see_covered": 1.0, "noise": 1.0}
_ALL_WEIGHTS = {
    **_POINT_WEIGHTS,
    "rival": 0.5,
    "best_rival": 0.5,
    "own_lacking_one": 3.0,
    "rival_lacking_one": 2.0,
    "own_lacking_two": 0.7,
    "rival_lacking_two": 0.3,
    "block": 1.0,
    "take_back": 0.5,
    "discard": 2.5,
    "stop_probability": 0.1,
    "endgame_tiles": 8.0,
}
_WITHOUT_SEARCH = _make_weights(**_ALL_WEIGHTS)
_HALVED_WEIGHTS = {"own_lacking_one": 1.5, "rival_lacking_one": 1.0, "own_lacking_two": 0.3, "rival_lacking_two": 0.15}
_SEARCHING = _make_weights(**_ALL_WEIGHTS | _HALVED_WEIGHTS, prior_scale=0.15)
"""Unfinished squares count half as much in a search, which follows their development itself."""
_NETWORK_WEIGHTS = {"value_network": 1.0, "stop_probability": 1.0, "endgame_tiles": 4.0, "belief": 1.0}
_WITH_NETWORK = _make_weights(**_ALL_WEIGHTS | _HALVED_WEIGHTS | _NETWORK_WEIGHTS, prior_scale=0.15)
"""Simulations end with a prediction instead of playing on."""
_BEGINNER = _make_weights(own=1.0, noise=2.5)
_LEARNER = _make_weights(own=1.0, rival=1.0, see_rectangles=1.0, noise=1.5)
LEVELS = (
    Level("newcomer", "lays tiles of any colour, including its rivals’", weights=_make_weights(noise=3.0)),
    Level("beginner", "does not look for rectangles", weights=_BEGINNER),
    Level("learner", "does not look at what it covers", weights=_LEARNER),
    Level("casual", "does not see rectangles that are nearly complete", weights=_make_weights(**_POINT_WEIGHTS)),
    Level("steady", "does not consider what rivals can do next", weights=_WITHOUT_SEARCH),
    Level("skilled", "hardly looks beyond the next move", nodes=25, weights=_SEARCHING),
    Level("expert", "looks only a few moves ahead", nodes=80, weights=_SEARCHING),
    Level("planner", "does not see all that rivals could do", nodes=300, weights=_SEARCHING),
    Level("strong", "does not work out the end of the game", nodes=1_000, seconds=1.5, weights=_SEARCHING),
    Level("strongest", "", nodes=10_000_000, seconds=3.0, weights=_WITH_NETWORK, solves=1.0),
)
"""The first five do not search, because a search would discover what they must not see."""
_CHILD = _make_weights(own=0.3, noise=3.0)
_GREEDY = _make_weights(own=1.0, best_rival=1.0, see_rectangles=1.0, see_covered=1.0, noise=0.001)
BASELINES = {
    "child": Level("child", "prefers its own colour a little, and sees no shapes", weights=_CHILD),
    "greedy": Level(
        "greedy", "looks only at its points minus those of its best rival right after its move", weights=_GREEDY
    ),
}
"""The child has just learned the rules: it lays tiles nearly at random, its own colour a little more often than others.
"""
