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


_GREEDY = {"own": 1.0, "rivals": 1.0, "squares": 1.0, "covered": 1.0}
_ALL = {
    **_GREEDY,
    "nearly_own": 3.0,
    "nearly_rival": 2.0,
    "begun_own": 0.7,
    "begun_rival": 0.3,
    "spoilt": 1.0,
    "taken": 0.5,
    "discarded": 2.5,
    "chance": 1.0,
    "stop": 0.1,
    "left": 8.0,
    "trust": 0.3,
}
BASELINES = {
    "greedy": Level(
        "greedy",
        "looks at nothing but points, its own less those of its best rival",
        0,
        1.0,
        _weights(**{**_GREEDY, "rivals": 0.0}, best_rival=1.0, chance=0.001),
    ),
}
LEVELS = (
    Level("strongest", "", 10_000_000, 3.0, _weights(**_ALL), solves=True),
)
