"""The computer opponent: a search at one of the game's levels, helped by the exact solvers."""

from __future__ import annotations

import os
import secrets
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from time import perf_counter
from typing import NoReturn

import numpy as np

from fourcorners.core import arguments, compiled_api, dispatch
from fourcorners.core.bits import new_rng
from fourcorners.core.errors import GameError, OptionError, quote
from fourcorners.core.levels import MAX_LEVELS, Level
from fourcorners.core.position import Position, View
from fourcorners.players.exact_player import ExactPlayer
from fourcorners.search import playouts
from fourcorners.search.iterative_deepening import IterativeDeepening, can_search
from fourcorners.search.root_parallel import RootParallelSearch
from fourcorners.search.tree_search import SearchProgress

MAX_SECONDS = 86_400.0
MAX_NODES = 10**9
MAX_THREADS = 8
MAX_LINE_LENGTH = 12
DEFAULT_LEVEL = 5
_SEED_BITS = 64
_ONLY_MOVE_NODES = 30  # the most simulations for a forced move, which only evaluate it
_EVALUATION_NODES = 60  # simulations that evaluate the move of a level that does not look ahead
_ORDERING_NODES = 200  # simulations that order the moves for the solvers
_MAX_PROVERS = 2  # the threads that a solver can use
_SOLVER_NODES_PER_SIMULATION = 8  # solver nodes for each simulation allowed, since a node is that much quicker


@dataclass(frozen=True)
class Choice:
    """A chosen move and its evaluation.

    `value` is the margin of the seat to move over its best rival at the end, `win` its chance of winning, from 0 to 1
    (of a shared win, its share). Both are means of the simulations (alpha-beta: estimates), or proven if `solved`.
    `line` is the expected play, which starts with the chosen move and ends there if something is hidden or a solver
    chose it. `nodes` counts the simulations of this
    choice (alpha-beta: its nodes) and, only if the solvers proved the move, also their nodes. `solved` means that the
    winner is certain and that this move is a best one for winning. Its margin is the best one only if a solver proved
    it: simulations that find a sure win stop there, and another win may be larger. The `seconds` it took are not
    compared.
    """

    move: str
    value: float
    win: float
    line: tuple[str, ...]
    nodes: int
    seconds: float = field(compare=False)
    solved: bool = False


class Computer:
    """A player that simulates games and solves positions; the same view, nodes and seed give the same choice.

    Without a seed it keeps its search tree and the solvers' tables for its next move. One thread at a time may use it.
    """

    def __init__(
        self,
        level: int | None = None,
        seconds: float | None = None,
        nodes: int | None = None,
        seed: int | None = None,
        threads: int = 1,
    ) -> None:
        """Set the level, from 1 to the game's number of levels (which `choose` checks), or the limits for one move.

        `seconds` (above 0, at most MAX_SECONDS) and `nodes`, the number of simulations (1 to MAX_NODES), replace both
        limits of the level; without a level they limit the game's strongest level. A level that does not look ahead
        ignores them. Without any of these it plays at level 5. It grows as many trees as there are `threads`, 1 to 8.
        If only `seconds` are limited, the solvers use two processors if there are two. Without a seed, any integer,
        every choice is random. Raise OptionError for a value of another type or outside these ranges.
        """
        if level is not None and (type(level) is not int or not 1 <= level <= MAX_LEVELS):
            _refuse("level", level, "a whole number of at least 1")
        if seconds is not None and not _is_time(seconds):
            _refuse("seconds", seconds, f"a number above 0, at most {MAX_SECONDS:.0f}")
        if nodes is not None and (type(nodes) is not int or not 1 <= nodes <= MAX_NODES):
            _refuse("nodes", nodes, f"a whole number from 1 to {MAX_NODES}")
        if seed is not None and type(seed) is not int:
            _refuse("seed", seed, "a whole number or None")
        if type(threads) is not int or not 1 <= threads <= MAX_THREADS:
            _refuse("threads", threads, f"a whole number from 1 to {MAX_THREADS}")
        self.threads = threads
        self.level = DEFAULT_LEVEL if level is None and seconds is None and nodes is None else level
        self.seconds, self.nodes, self.seed = seconds, nodes, seed
        # Two solver threads make the choice depend on timing, as it does anyway if only time is limited.
        is_timed = seconds is not None and nodes is None
        self._provers = min(_MAX_PROVERS, os.cpu_count() or 1) if is_timed else min(_MAX_PROVERS, threads)
        self._own_level: Level | None = None
        self._exact_player: ExactPlayer | None = None
        self._search: RootParallelSearch | IterativeDeepening | None = None
        self._searched: View | None = None

    @classmethod
    def from_level(
        cls, level: Level, seconds: float | None = None, nodes: int | None = None, seed: int | None = None
    ) -> Computer:
        """Return a player of a level that need not be a game's own, with one solver thread.

        The other arguments, their errors and meaning are those of `__init__`; without limits the level's own apply.
        Raise OptionError if `level` is no Level.
        """
        if not isinstance(level, Level):
            _refuse("level", level, "a Level, such as the ones that a game's spec has")
        computer = cls(None, seconds, nodes, seed)
        computer._own_level, computer._provers = level, 1
        return computer

    def choose(
        self,
        position: Position | View,
        stop: threading.Event | None = None,
        progress: Callable[[SearchProgress], None] | None = None,
    ) -> Choice:
        """Choose a move for the seat to move, using nothing but what that seat may know.

        After `stop` is set, the search ends within about 50 ms with the best move so far. `progress` is called in this
        thread after every slice of the main search (about 10 ms): not while the solvers work, nor at levels that do not
        look ahead. This blocks, and replaces what the player keeps for its next move. Raise GameError if the game is
        over, if the view is not that of the seat to move, or for an argument that is neither a Position nor a View, and
        OptionError if the game has no such level, or for a `stop` or `progress` of another type.
        """
        arguments.check_stop(stop)
        arguments.check_callback("progress", progress)
        view = _require_own_view(position)
        level = self._own_level or self._find_level(view)
        nodes, seconds = self.nodes, self.seconds
        if nodes is None and seconds is None:
            nodes, seconds = level.nodes, level.seconds
        start = perf_counter()
        if self._exact_player is not None and self._exact_player.game != view.game:
            self._exact_player = None  # its tables are those of another game
        seed = self._draw_seed()
        if level.nodes == 0:
            return self._evaluate_rollout_move(view, level, seed, start)
        search = self._start_search(view, level, seed)
        if search.choices == 1:
            nodes = _ONLY_MOVE_NODES if nodes is None else min(nodes, _ONLY_MOVE_NODES)
        elif level.solves and not (stop is not None and stop.is_set()):
            choice = self._choose_proven_move(view, search, nodes, seconds, stop, start)
            if choice is not None:
                return choice
            if seconds is not None and self._exact_player is not None:
                # The search gets what the solvers did not use, and at least its own share.
                share = 1 - self._exact_player.time_share(view, seconds)
                seconds = max(seconds - (perf_counter() - start), share * seconds)
        search.run(nodes, seconds, stop, progress)
        findings = search.rank_actions()
        best = findings[0]
        actions = [best.action] if view.game.spec.hidden else search.principal_variation(MAX_LINE_LENGTH)
        line = _format_line(view, actions)
        if level.solves and not search.is_solved and self._exact_player is not None:
            # A move that won no simulation is probably lost, however hard the position after it is to solve.
            candidates = [stats for stats in findings if stats.win > 0.0]
            trap = self._exact_player.find_trap(view, candidates)
            if trap is not None and trap != best:
                best, line = trap, _format_line(view, [trap.action])
        took = perf_counter() - start
        return Choice(line[0], best.margin, best.win, line, search.simulations, took, search.is_solved)

    def choose_move(
        self,
        position: Position | View,
        stop: threading.Event | None = None,
        progress: Callable[[SearchProgress], None] | None = None,
    ) -> str:
        """Do as `choose`, but return only the move. A level that does not look ahead then simulates nothing, so that it
        answers within milliseconds even before anything is compiled.
        """
        view = _require_own_view(position)
        level = self._own_level or self._find_level(view)
        if level.nodes == 0:
            return _format_line(view, [_choose_rollout_action(view, level, self._draw_seed())])[0]
        return self.choose(view, stop, progress).move

    def _draw_seed(self) -> int:
        """Return the player's seed, or a random one if it has none."""
        return secrets.randbits(_SEED_BITS) if self.seed is None else self.seed

    def _find_level(self, view: View) -> Level:
        """Return the game's level with this player's number (None: the strongest); OptionError if there is none."""
        levels = view.game.spec.levels
        number = len(levels) if self.level is None else self.level
        if number > len(levels):
            raise OptionError("level", f"{number} is not allowed; {view.game.id} has the levels 1 to {len(levels)}")
        return levels[number - 1]

    def _start_search(self, view: View, level: Level, seed: int) -> RootParallelSearch | IterativeDeepening:
        """Return the previous search, moved on to this view, or a new one; with a fixed seed it is new and not kept."""
        search, previous = self._search, self._searched
        if self.seed is None and search is not None and previous is not None:
            actions = _find_actions_between(previous, view)
            if actions is not None and search.follow(actions, view):
                self._searched = view
                return search
        if level.alpha_beta and can_search(view):
            search = IterativeDeepening(view, level.weights)
        else:
            search = RootParallelSearch(view, seed, level.weights, self.threads)
        self._search, self._searched = (search, view) if self.seed is None else (None, None)
        return search

    def _evaluate_rollout_move(self, view: View, level: Level, seed: int, start: float) -> Choice:
        """Choose the move of a level that does not look ahead, and evaluate it by a few simulations.
        `start` is when the choice began, on the clock of `perf_counter`.
        """
        action = _choose_rollout_action(view, level, seed)
        search = RootParallelSearch(view, seed, level.weights)
        search.advance(_EVALUATION_NODES)
        findings = search.rank_actions()
        # So few simulations may not have tried the action; then the worst of those tried stands for it.
        stats = next((stats for stats in findings if stats.action == action), findings[-1])
        line = _format_line(view, [action])
        return Choice(line[0], stats.margin, stats.win, line, search.simulations, perf_counter() - start)

    def _choose_proven_move(
        self,
        view: View,
        search: RootParallelSearch | IterativeDeepening,
        nodes: int | None,
        seconds: float | None,
        stop: threading.Event | None,
        start: float,
    ) -> Choice | None:
        """Choose a move that is proven to be a best one; None if the limits for the move do not suffice.

        A short run of `search`, which keeps its simulations, orders the moves first. None as `nodes` (simulations) or
        `seconds` means no limit. `start` is when the choice began, on the clock of `perf_counter`.
        """
        # With a seed, what earlier calls left in the tables must not influence the choice.
        if self._exact_player is None or self.seed is not None:
            self._exact_player = ExactPlayer(view.game, self._provers)
        search.run(_ORDERING_NODES if nodes is None else min(nodes, _ORDERING_NODES), seconds, stop)
        format_action = view.game.spec.notation.format
        likely_moves = [format_action(view.record, stats.action) for stats in search.rank_actions()]
        max_nodes = None if nodes is None else _SOLVER_NODES_PER_SIMULATION * nodes
        proof = self._exact_player.prove(view, max_nodes, seconds, stop, likely_moves)
        if proof is None:
            return None
        took, total_nodes = perf_counter() - start, search.simulations + proof.nodes
        return Choice(proof.move, float(proof.margin), proof.win, (proof.move,), total_nodes, took, solved=True)


def _refuse(option: str, value: object, allowed: str) -> NoReturn:
    raise OptionError(option, f"{quote(value)} is not allowed; it must be {allowed}")


def _is_time(seconds: object) -> bool:
    return isinstance(seconds, int | float) and type(seconds) is not bool and 0 < seconds <= MAX_SECONDS


def _require_own_view(position: object) -> View:
    """Return the view of the seat to move; raise GameError for another view, another type or a finished game."""
    if not isinstance(position, Position | View):
        raise GameError(f"a computer chooses a move in a Position or a View, not {quote(position)}", "position")
    if position.seat is None:
        raise GameError("the game is over: there is no move to choose", "game-over")
    if isinstance(position, Position):
        return position.view(position.seat)
    if position.viewer != position.seat:
        viewer = "a spectator" if position.viewer is None else f"seat {position.viewer}"
        message = f"this is the view of {viewer}, but seat {position.seat} is to move: that seat's view is needed"
        raise GameError(message, "not-your-turn")
    return position


def _choose_rollout_action(view: View, level: Level, seed: int) -> int:
    """Return the action that the game's `rollout` chooses with the level's weights."""
    roots = np.array(view.states)
    weights = np.array(level.weights, np.float64)
    return int(playouts.choose_rollout_action(roots, roots.copy(), weights, new_rng(seed)))


def _find_actions_between(earlier: View, later: View) -> list[int] | None:
    """Return the actions from one view to a later one; None if that does not continue it or its game hides anything."""
    past = earlier.history
    if earlier.game != later.game or later.game.spec.hidden or later.history[: len(past)] != past:
        return None
    position = Position(earlier.game, earlier.states, ())
    actions = []
    try:
        for move in later.history[len(past) :]:
            actions.append(int(later.game.spec.notation.parse(position.record, move)))
            position = position.play(move)
    except GameError:
        # A position that was set up has no history, so the moves may not even be legal here.
        return None
    return actions if position.states.tobytes() == later.states.tobytes() else None


def _format_line(view: View, actions: list[int]) -> tuple[str, ...]:
    """Format legal actions that follow one another from a view on, which does not change, as moves."""
    states = view.states.copy()
    record = dispatch.view_record(states)
    moves = []
    for action in actions:
        moves.append(view.game.spec.notation.format(record, action))
        compiled_api.play(states, 0, action)
    return tuple(moves)
