"""What a player can prove: the exact solvers, with one memory for all moves of a game."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from fourcorners.core import compiled_api
from fourcorners.core.bits import new_rng
from fourcorners.core.dispatch import State
from fourcorners.core.errors import SolverLimit
from fourcorners.core.game import Game
from fourcorners.core.position import Position, View
from fourcorners.search.tree_search import ActionStats
from fourcorners.solve.margins import MarginSolver
from fourcorners.solve.maxn import MaxNTask
from fourcorners.solve.nimbers import NimberSolver
from fourcorners.solve.solver import Limits, Solver, create_backend, current_margin, run_task

MEMORY = 1 << 28
"""The most bytes that a player keeps of what it has proven; little is used before it is needed."""
_NODES_A_SECOND = 4e5
_PART = 0.7
"""The part of a move's time in which the solvers may try."""
_PART_OF_SUMS = 0.8
"""The same where the game falls into parts: there a tree search sees little before the solvers see all."""
_PART_FORETOLD = 0.95
"""The same where they should need no more than a quarter of what they can do in that time."""
_SURELY = 0.25
_PATIENCE = 10.0
"""So many times the nodes allowed may be foretold where a game falls into parts: there one node is not like another."""


class Proof(NamedTuple):
    """A move that is proven to be a best one, and what comes of it for its seat: its margin, and its share of the win.

    `value` is counted from the position to the end, `margin` at the end.
    """

    move: str
    value: int
    margin: int
    win: float
    nodes: int


class Truth:
    """Proves what it can about the positions of one game."""

    def __init__(self, game: Game, threads: int = 1) -> None:
        """Set up an empty memory; more than one thread, at most two, are of use where margins are solved."""
        self.game = game
        self._way = create_backend(game, MEMORY, threads)
        if isinstance(self._way, MarginSolver):
            self._way.learn()
        self._threads = threads if isinstance(self._way, MarginSolver) else 1
        self._effort: Callable[[State], float] | None = getattr(game.spec.exact, "effort", None)

    def prove(
        self, view: View, nodes: int | None, seconds: float | None, stop: threading.Event | None, likely: list[str]
    ) -> Proof | None:
        """Find a best move in a move's time, or so many nodes, looking at likely moves first; None if it cannot.

        Of the time, in seconds, some is left for a search. Where something is hidden that the seat cannot infer nothing
        is tried; nor where the game knows its solvers to need far more. In an impartial game, where all moves of a lost
        position are best ones, it is the one that is the hardest to answer.
        """
        position = _known(view)
        time = None if seconds is None else self.part(view, seconds) * seconds
        if position is None or not (self._may_succeed(view, nodes, time) or self._is_known(position)):
            return None
        limits = Limits(time, stop, most_nodes=nodes)
        moves = [*likely, *sorted(set(view.moves()) - set(likely))]
        effort = self._effort if isinstance(self._way, NimberSolver) else None
        if effort is not None:
            # Those that leave little are proven soonest.
            moves = sorted(moves, key=lambda move: effort(position.play(move).record))
        try:
            move, value = Solver(self._way, limits, self._threads).one(position, moves)
            margin = current_margin(position, view.seat or 0) + value
            win = float(margin > 0) if margin else 1 / self._tied(position.play(move), limits)
        except SolverLimit:
            return None
        return Proof(moves[-1] if effort is not None and value < 0 else move, value, margin, win, limits.nodes)

    def _tied(self, position: Position, limits: Limits) -> int:
        """Return how many parties share the win at the end, if some do; raise SolverLimit."""
        parties = position.game.options.parties
        if len(parties) == 2:
            return 2
        if position.outcome is not None:
            return sum(party[0] in position.outcome.winners for party in parties)
        task = self._way.task(position)
        if not isinstance(task, MaxNTask) or not run_task(task, self._way, limits):
            raise SolverLimit(limits.sentence(), task.lower, task.upper)
        return (task.payoffs or ()).count(0)

    def part(self, view: View, seconds: float) -> float:
        """Return the part of so many seconds in which to try and prove a move."""
        if isinstance(self._way, NimberSolver):
            return _PART_OF_SUMS
        if self._effort is not None and self._effort(view.record) <= _SURELY * self._nodes_in(seconds):
            return _PART_FORETOLD
        return _PART

    def hardest(self, view: View, candidates: list[ActionStats]) -> ActionStats | None:
        """Return the candidate that leaves most to be solved; None where that is of no use.

        In an impartial game almost every position is won for who can solve it, and before that all moves look alike. So
        who sees further leaves more than the other can see through, and solves what is left of that.
        """
        if self._effort is None or not isinstance(self._way, NimberSolver):
            return None
        position = Position(view.game, view.states, ())
        best, most = None, -1.0
        for candidate in candidates:
            effort = self._effort(position.play(view.game.spec.notation.format(view.record, candidate.action)).record)
            if effort > most:
                best, most = candidate, effort
        return best

    def _is_known(self, position: Position) -> bool:
        """Tell whether the value is known without search."""
        if not isinstance(self._way, MarginSolver):
            return False
        try:
            return self._way.task(position).is_done
        except SolverLimit:
            return False

    def _may_succeed(self, view: View, nodes: int | None, seconds: float | None) -> bool:
        if self._effort is None:
            return True
        patience = _PATIENCE if isinstance(self._way, NimberSolver) else 1.0
        most = min(patience * (nodes or float("inf")), self._nodes_in(seconds or float("inf")))
        return float(self._effort(view.record)) <= most

    def _nodes_in(self, seconds: float) -> float:
        return seconds * _NODES_A_SECOND * self._threads


def _known(view: View) -> Position | None:
    """Return the position that a view shows; where something is hidden, only if the seat can infer all of it."""
    spec = view.game.spec
    if not spec.hidden:
        return Position(view.game, view.states, ())
    if view.seat is None or not hasattr(spec.exact, "determined") or not spec.exact.determined(view.record, view.seat):
        return None
    states = np.array(view.states)
    compiled_api.deal(states, 0, new_rng(0))
    return Position(view.game, states, ())
