"""The computer opponent: what it knows and how long it thinks, by its level, and what it chooses."""

from __future__ import annotations

import os
import secrets
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from time import perf_counter

import numpy as np

from fourcorners.core import compiled_api, dispatch
from fourcorners.core.bits import new_rng
from fourcorners.core.errors import GameError, OptionError, quote
from fourcorners.core.levels import MOST_LEVELS, Level
from fourcorners.core.position import Position, View
from fourcorners.players.exact_player import Truth
from fourcorners.search import playouts
from fourcorners.search.iterative_deepening import IterativeDeepening, can_search
from fourcorners.search.root_parallel import RootParallelSearch
from fourcorners.search.tree_search import SearchProgress

MOST_SECONDS = 86_400.0
MOST_NODES = 10**9
MOST_THREADS = 8
LONGEST_LINE = 12
USUAL_LEVEL = 5
_SEED_BITS = 64
_ONLY_MOVE_NODES = 30
_GLANCE_NODES = 60
"""Simulations that tell what the move of a level that does not look ahead is worth."""
_ORDERING_NODES = 200
_MOST_PROVERS = 2
_CANDIDATES = 200
_PROVEN_NODES = 8
"""How many nodes the solvers may search for each simulation allowed: they are that much quicker."""


@dataclass(frozen=True)
class Choice:
    """A chosen move and what the computer thinks of it.

    `value` is the margin it expects at the end for the seat to move over its best rival, `win` its chance of winning
    (a shared win counts as a share), both as its simulations went, or as proven if it is `solved`; `line` are the moves
    it expects, this one first: no more than this one where something is hidden. `nodes` counts the simulations, and the
    solver's nodes. `solved` tells that who wins is certain, and that the move is a best one for that. The margin is the
    best one too if a solver proved it, as the levels do that solve; where simulations alone came upon a sure win they
    look no further, and there may be a larger one. The `seconds` it took are no part of the choice: two that differ in
    them alone are equal.
    """

    move: str
    value: float
    win: float
    line: tuple[str, ...]
    nodes: int
    seconds: float = field(compare=False)
    solved: bool = False


class Computer:
    """A player that thinks by simulating games and by proving; the same view, nodes and seed give the same choice.

    What it has found out is kept for its next move, unless a seed is given.
    """

    def __init__(
        self,
        level: int | None = None,
        seconds: float | None = None,
        nodes: int | None = None,
        seed: int | None = None,
        threads: int = 1,
    ) -> None:
        """Choose a level, from 1 to as many as the game has, or say what a move may take instead.

        `seconds` and simulations (`nodes`) replace those of the level; without a level they are used at the game's
        full strength, and with nothing said it is level 5. With more `threads`, up to 8, it grows as many trees; where
        `seconds` alone limit it two processors prove, if there are two.
        Raise OptionError for anything else. Without a seed every choice is drawn afresh.
        """
        if level is not None and (type(level) is not int or not 1 <= level <= MOST_LEVELS):
            raise OptionError("level", f"{quote(level)} is not allowed; it may be a whole number from 1 up")
        if seconds is not None and not _is_time(seconds):
            message = f"{quote(seconds)} is not allowed; it may be a number above 0, at most {MOST_SECONDS:.0f}"
            raise OptionError("seconds", message)
        if nodes is not None and (type(nodes) is not int or not 1 <= nodes <= MOST_NODES):
            raise OptionError(
                "nodes", f"{quote(nodes)} is not allowed; it may be a whole number from 1 to {MOST_NODES}"
            )
        if seed is not None and type(seed) is not int:
            raise OptionError("seed", f"{quote(seed)} is not allowed; it may be a whole number or None")
        if type(threads) is not int or not 1 <= threads <= MOST_THREADS:
            allowed = f"it may be a whole number from 1 to {MOST_THREADS}"
            raise OptionError("threads", f"{quote(threads)} is not allowed; {allowed}")
        self.threads = threads
        self.level = USUAL_LEVEL if level is None and seconds is None and nodes is None else level
        self.seconds = seconds
        self.nodes = nodes
        self.seed = seed
        # Two would make the choice depend on the clock, which it does anyway where nothing else is the limit.
        timed = seconds is not None and nodes is None
        self._provers = min(_MOST_PROVERS, os.cpu_count() or 1) if timed else min(_MOST_PROVERS, threads)
        self._style: Level | None = None
        self._truth: Truth | None = None
        self._search: RootParallelSearch | IterativeDeepening | None = None
        self._searched: View | None = None

    @classmethod
    def playing(
        cls, style: Level, seconds: float | None = None, nodes: int | None = None, seed: int | None = None
    ) -> Computer:
        """Return a player of a style that need not be one of a game's levels."""
        computer = cls(None, seconds, nodes, seed)
        computer._style, computer._provers = style, 1
        return computer

    def choose(
        self,
        position: Position | View,
        stop: threading.Event | None = None,
        progress: Callable[[SearchProgress], None] | None = None,
    ) -> Choice:
        """Find a move for the seat to move, using nothing but what that seat may know.

        When `stop` is set the search ends within some 50 ms with the best move so far; `progress` is called after every
        slice of the search. Raise GameError if the game is over or the view is not that of the seat to move, and
        OptionError if the game has no such level.
        """
        view = _checked(position)
        style = self._style or self._level_of(view)
        nodes, seconds = self.nodes, self.seconds
        if nodes is None and seconds is None:
            nodes, seconds = style.nodes, style.seconds
        begun = perf_counter()
        if self._truth is not None and self._truth.game != view.game:
            self._truth = None
        seed = secrets.randbits(_SEED_BITS) if self.seed is None else self.seed
        if style.nodes == 0:
            return self._glance(view, style, seed, begun)
        search = self._begin(view, style, seed)
        if search.choices == 1:
            nodes = min(nodes or _ONLY_MOVE_NODES, _ONLY_MOVE_NODES)
        elif style.solves and not (stop is not None and stop.is_set()):
            choice = self._prove(view, search, nodes, seconds, stop, begun)
            if choice is not None:
                return choice
            if seconds is not None and self._truth is not None:
                left = 1 - self._truth.part(view, seconds)
                seconds = max(seconds - (perf_counter() - begun), left * seconds)
        search.run(nodes, seconds, stop, progress)
        best = search.rank_actions()[0]
        line = _spelt(view, [best.action] if view.game.spec.hidden else search.principal_variation(LONGEST_LINE))
        if style.solves and not search.is_solved and self._truth is not None:
            hard = self._truth.hardest(view, [kept for kept in search.rank_actions() if kept.win > 0.0][:_CANDIDATES])
            if hard is not None and hard != best:
                best, line = hard, _spelt(view, [hard.action])
        seconds_taken = perf_counter() - begun
        return Choice(line[0], best.margin, best.win, line, search.simulations, seconds_taken, search.is_solved)

    def _level_of(self, view: View) -> Level:
        """Return the style of the level; raise OptionError if the game has none such."""
        levels = view.game.spec.levels
        level = len(levels) if self.level is None else self.level
        if level > len(levels):
            raise OptionError("level", f"{level} is not allowed; {view.game.id} has the levels 1 to {len(levels)}")
        return levels[level - 1]

    def _begin(self, view: View, style: Level, seed: int) -> RootParallelSearch | IterativeDeepening:
        """Return a search of what the view shows: the last one, if this position lies in it."""
        search, last = self._search, self._searched
        if self.seed is None and search is not None and last is not None:
            actions = _between(last, view)
            if actions is not None and search.follow(actions, view):
                self._searched = view
                return search
        search = (
            IterativeDeepening(view, style.weights)
            if style.alpha_beta and can_search(view)
            else RootParallelSearch(view, seed, style.weights, self.threads)
        )
        self._search, self._searched = (search, view) if self.seed is None else (None, None)
        return search

    def _glance(self, view: View, style: Level, seed: int, begun: float) -> Choice:
        """Return what is played at first sight, with what a few simulations say it is worth."""
        roots = np.array(view.states)
        action = int(playouts.choose_rollout_action(roots, roots.copy(), np.array(style.weights, np.float64), new_rng(seed)))
        search = RootParallelSearch(view, seed, style.weights)
        search.advance(_GLANCE_NODES)
        findings = search.rank_actions()
        found = next((finding for finding in findings if finding.action == action), findings[-1])
        line = _spelt(view, [action])
        return Choice(line[0], found.margin, found.win, line, search.simulations, perf_counter() - begun)

    def _prove(
        self,
        view: View,
        search: RootParallelSearch | IterativeDeepening,
        nodes: int | None,
        seconds: float | None,
        stop: threading.Event | None,
        begun: float,
    ) -> Choice | None:
        """Return a move that is proven to be a best one; None if there is no time."""
        if self._truth is None or self.seed is not None:
            self._truth = Truth(view.game, self._provers)
        search.run(min(_ORDERING_NODES, nodes or _ORDERING_NODES), seconds, stop)
        tried = [kept.action for kept in search.rank_actions()]
        likely = [view.game.spec.notation.format(view.record, action) for action in tried]
        most = None if nodes is None else _PROVEN_NODES * nodes
        proof = self._truth.prove(view, most, seconds, stop, likely)
        if proof is None:
            return None
        nodes_taken = search.simulations + proof.nodes
        taken = perf_counter() - begun
        return Choice(proof.move, float(proof.margin), proof.win, (proof.move,), nodes_taken, taken, solved=True)


def _is_time(seconds: object) -> bool:
    return isinstance(seconds, int | float) and type(seconds) is not bool and 0 < seconds <= MOST_SECONDS


def _checked(position: object) -> View:
    """Return the view of the seat to move."""
    if not isinstance(position, Position | View):
        raise GameError(f"a computer chooses in a Position or a View, not {quote(position)}", "position")
    if position.seat is None:
        raise GameError("the game is over: there is no move to choose", "game-over")
    if isinstance(position, Position):
        return position.view(position.seat)
    if position.viewer != position.seat:
        viewer = "a spectator" if position.viewer is None else f"seat {position.viewer}"
        message = f"this is the view of {viewer}, and seat {position.seat} is to move: only its view will do"
        raise GameError(message, "not-your-turn")
    return position


def _between(before: View, after: View) -> list[int] | None:
    """Return the actions that led from one view to another; None if none did."""
    past = before.history
    if before.game != after.game or after.game.spec.hidden or after.history[: len(past)] != past:
        return None
    states = before.states.copy()
    record = dispatch.view_record(states)
    actions = []
    for move in after.history[len(past) :]:
        # Positions that were set up have no history: the moves may be those of another one.
        position = Position(before.game, states.copy(), ())
        if position.is_over or position.why(move) is not None:
            return None
        actions.append(int(after.game.spec.notation.parse(record, move)))
        compiled_api.play(states, 0, actions[-1])
    return actions if states.tobytes() == after.states.tobytes() else None


def _spelt(view: View, actions: list[int]) -> tuple[str, ...]:
    """Write actions that follow one another as moves."""
    states = view.states.copy()
    record = dispatch.view_record(states)
    moves = []
    for action in actions:
        moves.append(view.game.spec.notation.format(record, action))
        compiled_api.play(states, 0, action)
    return tuple(moves)
