"""The computer's levels in Squendo, and players to measure them against."""

from __future__ import annotations

from fourcorners.core.levels import Level
from fourcorners.games.squendo import evaluate as e


def _weights(**known: float) -> tuple[float, ...]:
    """Return weights by the names of their constants, in small letters; what is not named is not known."""
    made = [0.0] * e.WEIGHTS
    for name, value in known.items():
        made[getattr(e, name.upper())] = value
    return tuple(made)


_POINTS = {"own": 1.0, "rivals": 1.0, "squares": 1.0, "covered": 1.0, "chance": 1.0}
_ALL = {
    **_POINTS,
    "rivals": 0.5,
    "best_rival": 0.5,
    "nearly_own": 3.0,
    "nearly_rival": 2.0,
    "begun_own": 0.7,
    "begun_rival": 0.3,
    "spoilt": 1.0,
    "taken": 0.5,
    "discarded": 2.5,
    "stop": 0.1,
    "left": 8.0,
}
_KNOWING = _weights(**_ALL)
_SEARCHING = _weights(
    **{**_ALL, "nearly_own": 1.5, "nearly_rival": 1.0, "begun_own": 0.3, "begun_rival": 0.15, "trust": 0.15}
)
"""What is not made yet counts half for who looks ahead, and sees what becomes of it."""

LEVELS = (
    Level("beginner", "does not look for rectangles", 0, 1.0, _weights(own=1.0, chance=1.5)),
    Level(
        "learner",
        "does not look at what it covers",
        0,
        1.0,
        _weights(own=1.0, rivals=1.0, squares=1.0, chance=1.5),
    ),
    Level("casual", "does not see rectangles nearly made", 0, 1.0, _weights(**_POINTS)),
    Level("steady", "does not think of what rivals can do next", 0, 1.0, _KNOWING),
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
        _weights(own=1.0, best_rival=1.0, squares=1.0, covered=1.0, chance=0.001),
    ),
}
