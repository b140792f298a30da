"""The computer's levels in Squendo, and players to measure them against."""

from __future__ import annotations

from fourcorners.core.levels import Level
from fourcorners.games.squendo import evaluate as e


def _make_weights(**known: float) -> tuple[float, ...]:
    """Return weights by the names of their constants, in small letters; what is not named is not known."""
    made = [0.0] * e.WEIGHT_COUNT
    for name, value in known.items():
        made[getattr(e, name.upper())] = value
    return tuple(made)


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
_AT_SIGHT = _make_weights(**_ALL_WEIGHTS)
_SEARCHING = _make_weights(
    **{
        **_ALL_WEIGHTS,
        "own_lacking_one": 1.5,
        "rival_lacking_one": 1.0,
        "own_lacking_two": 0.3,
        "rival_lacking_two": 0.15,
        "prior_scale": 0.15,
    }
)
"""What is not made yet counts half for who looks ahead, and sees what becomes of it."""

LEVELS = (
    Level("beginner", "does not look for rectangles", 0, 1.0, _make_weights(own=1.0, noise=1.5)),
    Level(
        "learner",
        "does not look at what it covers",
        0,
        1.0,
        _make_weights(own=1.0, rival=1.0, see_rectangles=1.0, noise=1.5),
    ),
    Level("casual", "does not see rectangles nearly made", 0, 1.0, _make_weights(**_POINT_WEIGHTS)),
    Level("steady", "does not think of what rivals can do next", 0, 1.0, _AT_SIGHT),
    Level("skilled", "looks hardly further than the next move", 40, 1.0, _SEARCHING),
    Level("strong", "does not work out the end of the game", 500, 1.5, _SEARCHING),
    Level("strongest", "", 10_000_000, 3.0, _SEARCHING, solves=True),
)
"""The first four play at sight, as a search would find out what they should not see."""
BASELINES = {
    "greedy": Level(
        "greedy",
        "looks at nothing but points, its own less those of its best rival, right after its move",
        0,
        1.0,
        _make_weights(own=1.0, best_rival=1.0, see_rectangles=1.0, see_covered=1.0, noise=0.001),
    ),
}
