"""The computer opponent: a search at one of the game's levels, helped by the exact solvers."""

from __future__ import annotations

import os
import secrets
import threading
from collections.abc import Callable
from dataclasses import dataclass, field, replace

import numpy as np

from fourcorners.core import arguments, compiled_api, dispatch
from fourcorners.core.bits import new_rng, toss_coin
from fourcorners.core.errors import GameError, OptionError, quote
from fourcorners.core.game import Position, View
from fourcorners.core.slices import Budget
from fourcorners.players.calibrated_estimates import calibrate, limit_estimate
from fourcorners.players.calibration import LEAST_CHANCE
from fourcorners.players.computer_play import ComputerPlay
from fourcorners.players.exact_player import ExactPlayer, Proof
from fourcorners.players.game_time import GameTime
from fourcorners.players.levels import MAX_LEVELS, Level
from fourcorners.players.margin_engine import Finding
from fourcorners.search import playouts
from fourcorners.search.root_parallel import RootParallelSearch
from fourcorners.search.tree_search import ActionStats, SearchProgress
from fourcorners.solvers.solver_run import compute_margin

MAX_SECONDS = 86_400.0
MAX_NODES = 10**9
MAX_THREADS = 8
MAX_LINE_LENGTH = 12
DEFAULT_LEVEL = 5
_SEED_BITS = 64
_ONLY_MOVE_NODES = 30  # the most simulations for a forced move, which only evaluate it
_EVALUATION_NODES = 60  # simulations that evaluate the move of a level that does not look ahead
_ORDERING_NODES = 200  # simulations that order the moves for the solvers
_ORDERING_SHARE = 0.1  # of the time: the most that these simulations take
_END_SECONDS, _END_SHARE = 0.002, 0.1  # the time, and its largest share, for reading the results of a search
_MAX_PROVERS = 2  # the threads that a solver can use
_SOLVER_NODES_PER_SIMULATION = 8  # solver nodes that take about as long as one simulation


@dataclass(frozen=True)
class Choice:
    """A chosen move and its evaluation.

    `final_margin` is the margin at the end of the game for the seat to move: its points minus those of its best rival.
    `remaining_margin` is the margin from here to the end: the final margin minus the present one. In a game without
    points, a win counts 1 and a loss -1. `win` is the chance of winning, from 0 to 1; a shared win counts in part. All
    three are proven if `solved`, and otherwise estimates, calibrated if the game has a calibration; then `win` is
    neither 0 nor 1.

    `line` is the expected play, starting with the chosen move. It is that move alone if something is hidden, or if a
    solver or the engine for two parties chose it. `nodes` counts the simulations of this choice. If solvers or the
    engine chose the move, eight of their nodes count as one simulation (forty if such nodes take a fifth of the time).
    `visits` has the simulations of each move that was tried, if these chose the move; otherwise it is empty.

    `solved` means that the winner is certain and the move is a best one for winning. Its margin need not be the best:
    another win may be larger, and in a lost position the margin may be an estimate. Comparisons ignore `seconds`.
    """

    move: str
    final_margin: float
    win: float
    line: tuple[str, ...]
    nodes: int
    seconds: float = field(compare=False)
    solved: bool = False
    remaining_margin: float = field(kw_only=True)
    visits: tuple[tuple[str, int], ...] = field(default=(), kw_only=True)


class Computer:
    """A player that simulates games and solves positions; the same view, nodes and seed give the same choice.

    Without a seed, it keeps its search tree and the solvers' tables for its next move. It is not thread-safe: only one
    thread at a time may use it.
    """

    def __init__(
        self,
        level: int | None = None,
        seconds: float | None = None,
        nodes: int | None = None,
        seed: int | None = None,
        threads: int = 1,
        *,
        seconds_per_game: float | None = None,
    ) -> None:
        """Set the level, from 1 to the game's number of levels (checked by `choose`), or the limits for one move.

        `seconds` (above 0, at most MAX_SECONDS) and `nodes`, the number of simulations (1 to MAX_NODES), replace both
        limits of the level; without a level, they limit the game's strongest level. A level that does not look ahead
        ignores them. Without level and limits, the player has level 5.

        `seconds_per_game` (above 0, at most MAX_SECONDS) takes the place of `seconds`: all moves of a seat in a game
        share it, and those that cannot be proven yet get most of it. A position whose history does not continue that of
        the seat's last one begins a game, and so does a position without history.

        The search grows as many trees as there are `threads`, 1 to 8. If only `seconds` are limited, the solvers use
        two processors if there are two.

        `seed` is any integer; without it, every choice is random. With a seed, every choice starts from the same random
        numbers, so a level that has some knowledge only at a share of its moves has it either for the whole game or
        never, unless `seed` changes from move to move. Raise OptionError for a value of another type or outside these
        ranges.
        """
        if level is not None:
            level = arguments.check_int("level", level, 1, MAX_LEVELS, "a whole number of at least 1")
        seconds = arguments.check_seconds(seconds, MAX_SECONDS)
        for_game = arguments.check_seconds(seconds_per_game, MAX_SECONDS, "seconds_per_game")
        if seconds is not None and for_game is not None:
            raise OptionError("seconds_per_game", "it is not allowed with seconds; one of them limits the time")
        nodes = None if nodes is None else arguments.check_int("nodes", nodes, 1, MAX_NODES)
        seed = arguments.check_seed(seed)
        self.threads = arguments.check_int("threads", threads, 1, MAX_THREADS)
        has_time = seconds is not None or for_game is not None
        self.level = DEFAULT_LEVEL if level is None and not has_time and nodes is None else level
        self.seconds, self.seconds_per_game, self.nodes, self.seed = seconds, for_game, nodes, seed
        # Two solver threads make the choice depend on timing, which it does anyway if only time is limited.
        is_timed = has_time and nodes is None
        self._game_time = None if for_game is None else GameTime(for_game)
        self._provers = min(_MAX_PROVERS, os.cpu_count() or 1) if is_timed else 1
        self._own_level: Level | None = None
        self._exact_player: ExactPlayer | None = None
        self._search: RootParallelSearch | None = None
        self._searched: View | None = None

    @classmethod
    def from_level(
        cls,
        level: Level,
        seconds: float | None = None,
        nodes: int | None = None,
        seed: int | None = None,
        *,
        seconds_per_game: float | None = None,
    ) -> Computer:
        """Return a player of any level, which need not belong to a game, with one solver thread.

        The other arguments and their errors are as for the constructor; without limits, the level's limits apply. Raise
        OptionError if `level` is not a Level.
        """
        given: object = level
        if not isinstance(given, Level):
            allowed = "a Level, such as the ones that a game's spec has"
            raise OptionError("level", f"{quote(given)} is not allowed; it must be {allowed}")
        computer = cls(None, seconds, nodes, seed, seconds_per_game=seconds_per_game)
        computer._own_level, computer._provers = level, 1
        return computer

    def choose(
        self,
        position: Position | View,
        stop: threading.Event | None = None,
        progress: Callable[[SearchProgress], None] | None = None,
    ) -> Choice:
        """Choose a move for the seat to move, using only what that seat may know.

        After `stop` is set, the search ends within about 50 ms with the best move so far. `progress` is called in the
        same thread after every slice (about 10 ms) of the main search or of the engine for two parties, but not during
        other proofs or at levels that do not look ahead. The call blocks, and replaces the state that the player keeps
        for its next move.

        Raise GameError if the game is over, if the view belongs to another seat than the one to move, or if `position`
        is neither a Position nor a View. Raise OptionError if the game has no such level, or if `stop` or `progress`
        has another type.
        """
        arguments.check_stop(stop)
        arguments.check_callback("progress", progress)
        view = require_own_view(position)
        level = self._own_level or self._find_level(view)
        if self.seed is not None or (self._exact_player is not None and self._exact_player.game != view.game):
            # With a seed, entries of earlier calls in the tables must not influence the choice.
            self._exact_player = None
        seed = self._draw_seed()
        nodes, seconds = self.nodes, self.seconds
        if self._game_time is not None and level.nodes > 0:
            taken = Budget()
            seconds = self._game_time.allot(view, level, self._prepare_exact_player(view), seed)
            try:
                return self._choose(view, level, nodes, seconds, seed, stop, progress)
            finally:
                self._game_time.spend(view, taken.elapsed_seconds)
        if nodes is None and seconds is None:
            nodes, seconds = level.nodes, level.seconds
        return self._choose(view, level, nodes, seconds, seed, stop, progress)

    def _choose(
        self,
        view: View,
        level: Level,
        nodes: int | None,
        seconds: float | None,
        seed: int,
        stop: threading.Event | None,
        progress: Callable[[SearchProgress], None] | None,
    ) -> Choice:
        """Choose a move within these limits; the other arguments are checked."""
        is_forced = len(compiled_api.list_legal(view.states, 0)) == 1
        if is_forced:
            nodes = _ONLY_MOVE_NODES if nodes is None else min(nodes, _ONLY_MOVE_NODES)
        # Everything in this choice shares this one budget.
        budget = Budget(nodes, seconds, stop)
        if level.nodes == 0:
            return self._evaluate_rollout_move(view, level, seed, budget)
        rng = new_rng(seed)
        may_solve = toss_coin(rng, level.solves) and not is_forced and not budget.is_stopped
        if may_solve and toss_coin(rng, level.estimates):
            choice = self._choose_by_engine(view, self._prepare_exact_player(view), budget, progress)
            if choice is not None:
                return choice
        search = self._start_search(view, level, seed)
        search.advance(1)
        if may_solve:
            choice = self._choose_proven_move(view, search, self._prepare_exact_player(view), budget)
            if choice is not None:
                return choice
        if not search.is_solved and not budget.is_exhausted(search.simulations):
            left = None if seconds is None else budget.seconds_left() - min(_END_SECONDS, _END_SHARE * seconds)
            search.run(nodes, left, stop, progress)
        findings = search.rank_actions()
        best = findings[0]
        actions = [best.action] if view.game.spec.hidden else search.principal_variation(MAX_LINE_LENGTH)
        line = format_line(view, actions)
        if may_solve and not search.is_solved and self._exact_player is not None:
            # A move that won no simulation probably loses, however hard the position after it is to solve.
            candidates = [stats for stats in findings if stats.win > 0.0]
            trap = self._exact_player.find_trap(view, candidates)
            if trap is not None and trap != best:
                best, line = trap, format_line(view, [trap.action])
        took = budget.elapsed_seconds
        choice = _make_choice(view, line, best, search.simulations, took, solved=search.is_solved)
        visits = tuple((format_line(view, [stats.action])[0], stats.visits) for stats in findings if stats.visits)
        return replace(choice, visits=visits)

    def choose_move(
        self,
        position: Position | View,
        stop: threading.Event | None = None,
        progress: Callable[[SearchProgress], None] | None = None,
    ) -> str:
        """Choose a move as `choose` does, and return only the move.

        A level that does not look ahead needs no simulations for this, so it answers within milliseconds even before
        compilation.
        """
        view = require_own_view(position)
        level = self._own_level or self._find_level(view)
        if level.nodes == 0:
            return format_line(view, [_choose_rollout_action(view, level, self._draw_seed())])[0]
        return self.choose(view, stop, progress).move

    def _draw_seed(self) -> int:
        """Return the player's seed, or a random one if it has none."""
        return secrets.randbits(_SEED_BITS) if self.seed is None else self.seed

    def _find_level(self, view: View) -> Level:
        """Return the game's level with this player's number (None: the strongest); raise OptionError."""
        levels = view.game.spec.part(ComputerPlay).levels
        number = len(levels) if self.level is None else self.level
        if number > len(levels):
            raise OptionError("level", f"{number} is not allowed; {view.game.id} has the levels 1 to {len(levels)}")
        return levels[number - 1]

    def _start_search(self, view: View, level: Level, seed: int) -> RootParallelSearch:
        """Return the previous search, advanced to this view, or a new one; with a seed, always a new one."""
        search, previous = self._search, self._searched
        if self.seed is None and search is not None and previous is not None:
            actions = find_actions_between(previous, view)
            if actions is not None and search.follow(actions, view):
                self._searched = view
                return search
        search = RootParallelSearch(view, seed, level.weights, self.threads)
        self._search, self._searched = (search, view) if self.seed is None else (None, None)
        return search

    def _evaluate_rollout_move(self, view: View, level: Level, seed: int, budget: Budget) -> Choice:
        """Choose the move of a level that does not look ahead, and evaluate it by a few simulations.

        `budget` does not limit the simulations, but measures their time.
        """
        action = _choose_rollout_action(view, level, seed)
        search = RootParallelSearch(view, seed, level.weights)
        search.advance(_EVALUATION_NODES)
        findings = search.rank_actions()
        # So few simulations may not have tried the action; then the worst action tried stands for it.
        stats = next((stats for stats in findings if stats.action == action), findings[-1])
        line = format_line(view, [action])
        return _make_choice(view, line, stats, search.simulations, budget.elapsed_seconds, solved=False)

    def _prepare_exact_player(self, view: View) -> ExactPlayer:
        """Return the exact player; create it if there is none."""
        if self._exact_player is None:
            self._exact_player = ExactPlayer(view.game, self._provers)
        return self._exact_player

    def _choose_by_engine(
        self,
        view: View,
        exact_player: ExactPlayer,
        budget: Budget,
        progress: Callable[[SearchProgress], None] | None,
    ) -> Choice | None:
        """Choose a move with the engine for two parties; None if there is none for this game or position."""
        if exact_player.engine is None:
            return None

        def report(nodes: int) -> None:
            """Report progress after a number of solver nodes."""
            if progress is not None:
                count = _count_as_simulations(nodes)
                progress(SearchProgress(count, budget.elapsed_seconds, budget.usage(count)))

        max_nodes = None if budget.nodes is None else _SOLVER_NODES_PER_SIMULATION * budget.nodes
        finding = exact_player.engine.choose(view, budget, max_nodes, report)
        if finding is None:
            return None
        line, nodes = format_line(view, [finding.action]), _count_as_simulations(finding.nodes)
        return _make_choice(view, line, finding, nodes, budget.elapsed_seconds, solved=finding.is_proven)

    def _choose_proven_move(
        self,
        view: View,
        search: RootParallelSearch,
        exact_player: ExactPlayer,
        budget: Budget,
    ) -> Choice | None:
        """Choose a proven best move; None if the budget is too small.

        A short run of `search`, which keeps its earlier simulations, orders the moves first.
        """
        limit = _ORDERING_NODES if budget.nodes is None else min((budget.nodes + 1) // 2, _ORDERING_NODES)
        seconds = None if budget.seconds is None else _ORDERING_SHARE * budget.seconds_left()
        if search.simulations < limit and not search.is_solved:
            search.run(limit, seconds, budget.stop)
        format_action = view.game.spec.notation.format
        likely_moves = [format_action(view.record, stats.action) for stats in search.rank_actions()]
        nodes_left = budget.nodes_left(search.simulations)
        max_nodes = None if budget.nodes is None else _SOLVER_NODES_PER_SIMULATION * nodes_left
        seconds = None if budget.seconds is None else budget.seconds_left()
        proof = exact_player.prove(view, max_nodes, seconds, budget.stop, likely_moves)
        if proof is None:
            return None
        nodes = search.simulations + _count_as_simulations(proof.nodes)
        return _make_choice(view, (proof.move,), proof, nodes, budget.elapsed_seconds, solved=True)


def _make_choice(
    view: View, line: tuple[str, ...], found: ActionStats | Finding | Proof, nodes: int, seconds: float, *, solved: bool
) -> Choice:
    """Return the choice of a line's first move with its evaluation, calibrated unless it is `solved`."""
    present = compute_margin(view, view.seat or 0)
    margin, win = float(found.margin), found.win
    # The engine's estimates are calibrated already, and proven values need no correction.
    if not solved and isinstance(found, ActionStats):
        if not found.solved:
            calibration = view.game.spec.part(ComputerPlay).find_calibration(view.record)
            margin, win = calibrate(calibration, view.game, margin, win, present, nodes)
        margin, win = limit_estimate(view, margin, min(max(win, LEAST_CHANCE), 1.0 - LEAST_CHANCE), present)
    return Choice(line[0], margin, win, line, nodes, seconds, solved, remaining_margin=margin - present)


def _count_as_simulations(nodes: int) -> int:
    """Convert a number of solver nodes to simulations."""
    return -(-nodes // _SOLVER_NODES_PER_SIMULATION)


def require_own_view(position: object) -> View:
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


def find_actions_between(earlier: View, later: View) -> list[int] | None:
    """Return the actions from one view to a later one; None if it does not continue the first, or with hidden
    information.
    """
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
        # A set-up position has no history, so the moves may even be illegal here.
        return None
    return actions if position.states.tobytes() == later.states.tobytes() else None


def format_line(view: View, actions: list[int]) -> tuple[str, ...]:
    """Format successive legal actions from a view as moves, without changing the view."""
    states = view.states.copy()
    record = dispatch.view_record(states)
    moves = []
    for action in actions:
        moves.append(view.game.spec.notation.format(record, action))
        compiled_api.play(states, 0, action)
    return tuple(moves)
