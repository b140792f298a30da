"""How well a computer plays: what it knows of a game, how long it thinks, and what it is blind to."""

from __future__ import annotations

from typing import NamedTuple

MAX_LEVELS = 10


class Level(NamedTuple):
    """A way of playing one game.

    `weights` is what it knows, handed to the game's own functions (`prior`, `rollout`, `foresee`); without any it
    knows the rules alone. It runs up to so many simulations a move (`nodes`), for so many seconds; with no nodes it
    does not look ahead at all and plays what the game's `rollout` says. `blind` says in plain words what it does not
    see, to follow "it"; it is empty where nothing is held back. `solves` lets the exact solvers take over where they
    are quick enough. With `alpha_beta` it searches by alpha-beta where two parties see everything, else by simulation.
    """

    name: str
    blind: str
    nodes: int
    seconds: float
    weights: tuple[float, ...] = ()
    solves: bool = False
    alpha_beta: bool = False


_BLIND = "looks only a few moves ahead"
DEFAULT_LEVELS = (
    Level("beginner", "hardly looks ahead", 30, 1.0),
    Level("learner", _BLIND, 120, 1.0),
    Level("casual", _BLIND, 500, 1.0),
    Level("steady", _BLIND, 2_000, 1.0),
    Level("strong", "does not solve what can be solved", 10_000, 1.5),
    Level("strongest", "", 10_000_000, 3.0, (), solves=True),
)
"""The levels of a game that declares none: they differ in how far they look ahead."""
