"""Levels of computer players: their knowledge of a game, their thinking time, and their blind spots."""

from types import ModuleType
from typing import NamedTuple

MAX_LEVELS = 30


class Level(NamedTuple):
    """A way of playing one game.

    `weights` are its knowledge, passed to the game's functions (`prior`, `rollout`, `foresee`, `explore`); without any,
    it knows only the rules. `nodes` and `seconds` limit the simulations of one move; with 0 nodes it does not look
    ahead and plays the move of the game's `rollout`. `blind` is a clause, to follow "it", about what the level
    overlooks; it is empty for full strength. `solves` (0 to 1) is the share of its moves at which the exact solvers
    take over where they are fast enough. `estimates` is the share of those moves at which the engine for two parties
    may choose, where the game's exact play can estimate positions. A level without nodes is `slow` if its move takes
    seconds in uncompiled Python, so that players should wait for compilation.
    """

    name: str
    blind: str
    nodes: int = 0
    seconds: float = 1.0
    weights: tuple[float, ...] = ()
    solves: float = 0.0
    slow: bool = False
    estimates: float = 1.0


def make_weights(evaluate: ModuleType, **named: float) -> tuple[float, ...]:
    """Return weights, named after index constants of `evaluate` in lower case; others are 0. Raise AttributeError."""
    weights = [0.0] * evaluate.WEIGHT_COUNT
    for name, value in named.items():
        weights[getattr(evaluate, name.upper())] = value
    return tuple(weights)


_BLIND = "looks only a few moves ahead"
DEFAULT_LEVELS = (
    Level("beginner", "hardly looks ahead", nodes=30),
    Level("learner", _BLIND, nodes=120),
    Level("casual", _BLIND, nodes=500),
    Level("steady", _BLIND, nodes=2_000),
    Level("strong", "does not solve positions exactly", nodes=10_000, seconds=1.5),
    Level("strongest", "", nodes=10_000_000, seconds=3.0, solves=1.0),
)
"""The levels of a game that declares none; they differ in their depth of search."""
