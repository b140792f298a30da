"""What a player can prove: the exact solvers, with one memory for all moves of a game."""

from __future__ import annotations

import threading
from typing import NamedTuple

from fourcorners.core.errors import SolverLimit
from fourcorners.core.game import Game
from fourcorners.core.reading import Position, View
from fourcorners.solve.solver import Limits, Solver, method

MEMORY = 1 << 28
"""The most bytes that a player keeps of what it has proven; little is used before it is needed."""
_NODES_A_SECOND = 2e5


class Proof(NamedTuple):
    """A move that is proven to be a best one, and the margin of its seat from the position to the end."""

    move: str
    value: int
    nodes: int


class Truth:
    """Proves what it can about the positions of one game."""

    def __init__(self, game: Game) -> None:
        self.game = game
        self._way = method(game, MEMORY)

    def prove(
        self, view: View, nodes: int | None, seconds: float | None, stop: threading.Event | None, moves: list[str]
    ) -> Proof | None:
        """Find a best move within so many nodes and seconds, looking at legal moves in this order; None if it cannot.

        Where something is hidden nothing is tried; nor where the game knows its solvers to need far more.
        """
        if view.game.spec.hidden or not self._may_succeed(view, nodes, seconds):
            return None
        limits = Limits(seconds, stop, most_nodes=nodes)
        try:
            move, value = Solver(self._way, limits).one(Position(view.game, view.states, ()), moves)
        except SolverLimit:
            return None
        return Proof(move, value, limits.nodes)

    def _may_succeed(self, view: View, nodes: int | None, seconds: float | None) -> bool:
        effort = getattr(view.game.spec.exact, "effort", None)
        if effort is None:
            return True
        most = min(nodes or float("inf"), (seconds or float("inf")) * _NODES_A_SECOND)
        return float(effort(view.record)) <= most
