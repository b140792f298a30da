"""One analysis of a position: a brief search, proofs, estimates, and the lines of play that follow from them."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

from fourcorners.core import compiled_api
from fourcorners.core.annotations import Evaluation
from fourcorners.core.errors import SolverLimit
from fourcorners.core.game import Position, View
from fourcorners.core.slices import Budget
from fourcorners.players.calibrated_estimates import calibrate, count_points_left
from fourcorners.players.computer import MAX_LINE_LENGTH, format_line
from fourcorners.players.computer_play import ComputerPlay
from fourcorners.players.exact_player import ExactPlayer, infer_position
from fourcorners.players.margin_engine import Finding
from fourcorners.search.tree_search import TreeSearch
from fourcorners.solvers.solver_protocol import SolveTask
from fourcorners.solvers.solver_run import SolveBudget, SolverRun, compute_margin, run_task
from fourcorners.study.candidates import Candidate, bound_margin

_ORDERING_NODES = 400  # simulations that order the moves for the solvers
_ORDERING_SHARE = 0.15  # of the time and nodes: the most that these simulations take
_PROOF_SHARE = 0.5  # of the rest, for exact values
_LINE_SHARE = 0.1  # of the time, kept for the lines after proven moves
_LOOK_SHARE = 0.1  # of the time, for playing the moves
_MOST_CANDIDATES = 1_000  # moves to consider even if the search has not tried them
_EXTRA_MOVES = 2  # moves beyond the wanted lines that the engine estimates, since the order may change
_SOLVER_NODES_PER_SIMULATION = 8  # as for a Computer
_REFRESH_SECONDS = 0.25  # how often progress has new lines


@dataclass(frozen=True)
class AnalysisLine:
    """A move and its value for the seat to move.

    `final_margin` is the margin at the end of the game with best play after the move: the seat's points minus those of
    its best rival. `lower` and `upper` are its proven bounds; they are equal if the margin is proven. `win` is the
    chance of winning, where a shared win counts in part; it is 0 or 1 only if that is proven. `line` is the expected
    play from this move on, as far as it is known; if something is hidden, it is the move alone. `nodes` is the work
    spent on this move, in simulations.
    """

    move: str
    line: tuple[str, ...]
    final_margin: float
    win: float
    lower: int
    upper: int
    nodes: int

    @property
    def exact(self) -> bool:
        """Whether the margin is proven."""
        return self.lower == self.upper

    def evaluate(self, seat: int) -> Evaluation:
        """Return an evaluation for a game tree, given the seat that moves."""
        return Evaluation(seat, self.final_margin, self.win, self.lower, self.upper, self.nodes)


class AnalysisProgress(NamedTuple):
    """The progress of an analysis: nodes and seconds so far, the used share of its budget, 0 to 1, and recent lines.

    `lower` and `upper` are those of an Analysis, as old as the lines.
    """

    nodes: int
    seconds: float
    share: float
    lines: tuple[AnalysisLine, ...]
    lower: int
    upper: int


class AnalysisRun:
    """One analysis: its candidates and its remaining budget."""

    def __init__(
        self,
        view: View,
        wanted: int,
        budget: Budget,
        exact_player: ExactPlayer,
        seed: int,
        progress: Callable[[AnalysisProgress], None] | None,
    ) -> None:
        """Set up the search and one candidate for each legal move."""
        self._view, self._budget, self._player, self._progress = view, budget, exact_player, progress
        self._position = infer_position(view)
        weights = view.game.spec.part(ComputerPlay).levels[-1].weights
        self._search = TreeSearch(view, seed, weights)
        actions = compiled_api.list_legal(view.states, 0).tolist()
        self._present = compute_margin(view, view.seat or 0)
        self._left = 0 if view.game.spec.scoring == "last-move" else count_points_left(view)
        candidates = [self._create_candidate(action) for action in actions[:_MOST_CANDIDATES]]
        self._candidates = sorted(candidates, key=lambda candidate: candidate.move)
        self._moves = len(actions)
        self._wanted = min(wanted, self._moves)
        self._by_action = {candidate.action: candidate for candidate in self._candidates}
        self._solver_nodes = 0
        self._lines: tuple[AnalysisLine, ...] = ()
        self._least, self._most = bound_margin(view, self._present, self._left)
        self._bounds = self.bound_value()
        self._refreshed = -_REFRESH_SECONDS

    def _create_candidate(self, action: int) -> Candidate:
        """Return the candidate of a legal action."""
        move = self._view.game.spec.notation.format(self._view.record, action)
        return Candidate(self._view, self._position, move, action, self._present, self._left)

    def _find_candidate(self, action: int) -> Candidate:
        """Return the candidate of a legal action; create it if there are more moves than candidates."""
        if action not in self._by_action:
            self._by_action[action] = self._create_candidate(action)
            self._candidates.append(self._by_action[action])
        return self._by_action[action]

    def look_ahead(self) -> None:
        """Play the moves that seem best, within a share of the time, and use the positions after them."""
        limits = Budget(None, None if self._budget.seconds is None else _LOOK_SHARE * self._budget.seconds)
        for candidate in self._rank():
            if candidate.after is None or limits.seconds_left() <= 0 or self._budget.is_stopped:
                break

    def count_nodes(self) -> int:
        """Return the work so far, in simulations."""
        return self._search.simulations - (-self._solver_nodes // _SOLVER_NODES_PER_SIMULATION)

    def search_briefly(self) -> None:
        """Run enough simulations to order the moves for the solvers."""
        nodes = self._budget.nodes
        limit = _ORDERING_NODES if nodes is None else max(1, min(_ORDERING_NODES, int(_ORDERING_SHARE * nodes)))
        self._search.advance(1)
        seconds = None if self._budget.seconds is None else _ORDERING_SHARE * self._budget.seconds_left()
        self._run_search(limit, seconds)

    def _run_search(self, limit: int | None, seconds: float | None) -> None:
        """Search up to a total number of simulations, or for some seconds, and use the estimates."""
        if not self._budget.is_stopped and (seconds is None or seconds > 0):
            self._search.run(limit, seconds, self._budget.stop, lambda _: self._report_search())
        self._use_search()

    def _report_search(self) -> None:
        """Report progress during the tree search, with its estimates so far."""
        if self._progress is not None and self._is_refresh_due():
            self._use_search(is_over=False)
        self._report()

    def _use_search(self, *, is_over: bool = True) -> None:
        """Use the calibrated estimate of each move that the search tried; of its candidates only until it `is_over`.

        Candidates are created at its end, so that reports do not change their order.
        """
        view = self._view
        calibration = view.game.spec.part(ComputerPlay).find_calibration(view.record)
        for candidate in self._candidates:
            candidate.rank_win, candidate.rank_margin = -math.inf, -math.inf  # until the search has tried it
        least_win, least_margin = math.inf, math.inf
        for stats in self._search.rank_actions():
            if not is_over and stats.action not in self._by_action:
                continue
            candidate = self._find_candidate(stats.action)
            visits = max(1, stats.visits)
            candidate.margin, candidate.win = calibrate(
                calibration, view.game, stats.margin, stats.win, self._present, visits
            )
            # The mean of a few simulations does not justify ranking a move above one that the search prefers.
            least_win, least_margin = min(least_win, candidate.win), min(least_margin, candidate.margin)
            candidate.rank_win, candidate.rank_margin = least_win, least_margin
            candidate.nodes = max(candidate.nodes, visits)
            if stats.solved and view.game.spec.scoring == "last-move" and len(view.game.options.parties) == 2:
                # No margin exceeds that of a win, so the search has proven the margin as well.
                candidate.narrow(round(stats.margin), round(stats.margin))
            candidate.line, candidate.is_searched = (candidate.move,), True

    def prove(self) -> None:
        """Prove exact values of the best moves, and that no other move is better, if that seems possible."""
        budget = self._budget
        seconds = None if budget.seconds is None else _PROOF_SHARE * budget.seconds_left()
        nodes = None if budget.nodes is None else int(_PROOF_SHARE * self._count_solver_nodes_left())
        if self._position is None or not self._player.may_succeed(self._view, nodes, seconds):
            return
        limits = SolveBudget(seconds, budget.stop, lambda *found: self._report(found[2]), nodes)
        for candidate in self._rank():
            if limits.is_exhausted(limits.spent) or not self._prove_candidate(candidate, limits):
                break
        self._solver_nodes += limits.spent

    def _prove_candidate(self, candidate: Candidate, limits: SolveBudget) -> bool:
        """Prove the value of a move, or that enough others are at least as good; return whether that succeeded."""
        if candidate.after is None or candidate.is_exact:
            return candidate.is_exact
        backend = self._player.backend
        before = limits.spent
        worst = self._find_worst_line()
        try:
            task = self._begin_task(candidate)
            if worst is not None and candidate.upper <= worst:
                return True
            if worst is not None:
                task.aim(candidate.find_aim(worst))
                done = run_task(task, backend, limits)
                candidate.narrow_by_task(task)
                if not done or candidate.upper <= worst:
                    return done
                task = self._begin_task(candidate)
            done = run_task(task, backend, limits)
            candidate.narrow_by_task(task)
        except SolverLimit as error:
            if len(self._view.game.options.parties) == 2:
                candidate.narrow_by_change(error.lower, error.upper)
            return False
        candidate.nodes += -(-(limits.spent - before) // _SOLVER_NODES_PER_SIMULATION)
        return done

    def _begin_task(self, candidate: Candidate) -> SolveTask:
        """Return the task of solving the position after a move, compiled, and narrow the bounds by its own.

        Raise SolverLimit if the position is too large.
        """
        assert candidate.after is not None
        task = self._player.backend.create_task(candidate.after)
        task.skip_nimber()
        task.advance(1)
        candidate.narrow_by_task(task)
        return task

    def _find_worst_line(self) -> int | None:
        """Return the margin of the worst of the best moves; None unless the wanted number of moves is proven."""
        proven = sorted((candidate.lower for candidate in self._candidates if candidate.is_exact), reverse=True)
        return proven[self._wanted - 1] if len(proven) >= self._wanted else None

    def _is_settled(self) -> bool:
        """Return whether the best moves are proven, and no other move can be better."""
        worst = self._find_worst_line()
        if worst is None or not all(each.is_exact or each.upper <= worst for each in self._candidates):
            return False
        # Moves that are not candidates may be better, except in a game without points, where all wins are equal.
        return len(self._candidates) == self._moves or (self._view.game.spec.scoring == "last-move" and worst == 1)

    def estimate(self) -> None:
        """Estimate the moves that are not proven, by the engine or else by more search, within the budget."""
        if self._is_settled() or self._is_over():
            return
        if not self._use_engine():
            left = None if self._budget.seconds is None else (1.0 - _LINE_SHARE) * self._budget.seconds_left()
            nodes = None if self._budget.nodes is None else self._search.simulations + self._count_nodes_left()
            self._run_search(nodes, left)

    def _use_engine(self) -> bool:
        """Let the engine choose a move, and judge it and the next best ones; return whether it judged any.

        Each is judged by the position after it, since the engine's estimates depend on which side is to move.
        """
        if self._player.engine is None or self._position is None:
            return False
        open_moves = [candidate for candidate in self._rank() if candidate.after is not None and not candidate.is_exact]
        count = min(self._wanted + _EXTRA_MOVES, len(open_moves))
        favourite = self._find_favourite((1.0 - _LINE_SHARE) / (count + 1))
        # The engine finds sacrifices that a brief search misses.
        chosen = sorted(open_moves, key=lambda candidate: candidate is not favourite)[:count]
        judged = False
        for number, candidate in enumerate(chosen):
            if self._is_over():
                break
            judged = self._judge(candidate, (1.0 - _LINE_SHARE) / (count - number)) or judged
        return judged

    def _find_favourite(self, share: float) -> Candidate | None:
        """Return the engine's choice with a share, 0 to 1, of the remaining budget, and use what it proves."""
        finding = self._ask_engine(self._view, share)
        if finding is None:
            return None
        favourite = self._find_candidate(finding.action)
        if finding.is_proven and finding.win > 0.0:
            favourite.narrow(int(finding.margin), favourite.upper)
        if finding.is_proven and finding.win < 1.0:
            # The best move does not win, so no move does.
            for candidate in self._candidates:
                candidate.narrow(candidate.lower, 0 if finding.win > 0.0 else -1)
        return favourite

    def _judge(self, candidate: Candidate, share: float) -> bool:
        """Let the engine judge a move with a share, 0 to 1, of the remaining budget; return whether it could."""
        after = candidate.after
        if after is None or after.seat is None:
            return False
        finding = self._ask_engine(after.view(after.seat), share)
        if finding is None:
            return False
        candidate.use_finding(finding)
        candidate.nodes += -(-finding.nodes // _SOLVER_NODES_PER_SIMULATION)
        candidate.line = (candidate.move, *format_line(after.view(after.seat), [finding.action]))
        return True

    def _ask_engine(self, view: View, share: float) -> Finding | None:
        """Return the engine's finding for a view with a share, 0 to 1, of the remaining budget, or None."""
        engine = self._player.engine
        if engine is None:
            return None
        seconds = None if self._budget.seconds is None else share * self._budget.seconds_left()
        nodes = None if self._budget.nodes is None else int(share * self._count_solver_nodes_left())
        finding = engine.choose(view, Budget(None, seconds, self._budget.stop), nodes, self._report)
        self._solver_nodes += 0 if finding is None else finding.nodes
        return finding

    def bound_lines(self) -> None:
        """Narrow the bounds of the position and of the best moves by the game's static bounds."""
        if self._player.backend.is_impartial or len(self._view.game.options.parties) != 2:
            return
        if self._position is not None:
            lower, upper = self._find_static_bounds(self._position)
            self._least = max(self._least, self._present + lower)
            self._most = min(self._most, self._present + upper)
        for candidate in self._rank()[: self._wanted]:
            after = candidate.after
            if after is not None and after.seat is not None:
                candidate.narrow_by_change(*self._find_static_bounds(after))

    def _find_static_bounds(self, position: Position) -> tuple[int, int]:
        """Return the game's bounds of the margin of the rest of the game, for the seat to move."""
        try:
            bounds: SolveTask | SolverLimit = self._player.backend.create_task(position)
        except SolverLimit as error:
            bounds = error
        return bounds.lower, bounds.upper

    def extend_lines(self) -> None:
        """Extend the line of each proven move by best play from the solvers, within the budget."""
        for candidate in self._rank()[: self._wanted]:
            if candidate.is_exact and candidate.after is not None:
                candidate.line = (candidate.move, *self._find_best_play(candidate.after))

    def _find_best_play(self, position: Position) -> list[str]:
        """Return proven best moves from a position on, within the budget and the length of a line."""
        line: list[str] = []
        while position.seat is not None and len(line) < MAX_LINE_LENGTH - 1 and not self._is_over():
            seconds = None if self._budget.seconds is None else self._budget.seconds_left()
            nodes = None if self._budget.nodes is None else self._count_solver_nodes_left()
            limits = SolveBudget(seconds, self._budget.stop, lambda *found: self._report(found[2]), nodes)
            try:
                move, _ = SolverRun(self._player.backend, limits).find_best_move(position, position.moves())
            except SolverLimit:
                break
            finally:
                self._solver_nodes += limits.spent
            line.append(move)
            position = position.play(move)
        return line

    def _is_over(self) -> bool:
        """Return whether the budget is used up."""
        return self._budget.is_exhausted(self.count_nodes())

    def _count_nodes_left(self) -> int:
        """Return the remaining budget in simulations."""
        return self._budget.nodes_left(self.count_nodes())

    def _count_solver_nodes_left(self) -> int:
        """Return the remaining budget in solver nodes."""
        return _SOLVER_NODES_PER_SIMULATION * self._count_nodes_left()

    def _rank(self) -> list[Candidate]:
        """Return the candidates, best first; search estimates rank behind engine estimates and proofs."""
        has_engine = any(candidate.is_refined for candidate in self._candidates)

        def rate(candidate: Candidate) -> tuple[bool, float, float, int]:
            """Return the sort key: the largest is the best."""
            margin, win = candidate.rate()
            is_sure = not has_engine or candidate.is_refined or candidate.is_exact or candidate.lower > 0
            return is_sure, win, margin, candidate.nodes

        return sorted(self._candidates, key=rate, reverse=True)

    def bound_value(self) -> tuple[int, int]:
        """Return the proven bounds of the seat's final margin with its best move."""
        lower = max(candidate.lower for candidate in self._candidates)
        upper = max(candidate.upper for candidate in self._candidates)
        # A move that is not a candidate may be better.
        has_all = len(self._candidates) == self._moves
        return max(lower, self._least), min(upper, self._most) if has_all else self._most

    def list_lines(self) -> tuple[AnalysisLine, ...]:
        """Return the best moves so far, up to the wanted number."""
        lines = []
        for each in self._rank()[: self._wanted]:
            margin, win = each.evaluate()
            lines.append(
                AnalysisLine(each.move, self._find_line(each), margin, win, each.lower, each.upper, each.nodes)
            )
        return tuple(lines)

    def _find_line(self, candidate: Candidate) -> tuple[str, ...]:
        """Return the line of a move: from the solvers or the engine, otherwise from the search."""
        if len(candidate.line) > 1 or not candidate.is_searched or self._view.game.spec.hidden:
            return candidate.line
        actions = self._search.principal_variation(MAX_LINE_LENGTH, candidate.action)
        return format_line(self._view, actions)

    def _is_refresh_due(self) -> bool:
        """Return whether reports need new lines."""
        return self._budget.elapsed_seconds - self._refreshed >= _REFRESH_SECONDS

    def _report(self, solver_nodes: int = 0) -> None:
        """Report progress, including `solver_nodes` of a running search, with new lines now and then."""
        if self._progress is None:
            return
        seconds = self._budget.elapsed_seconds
        if self._is_refresh_due():
            self._refreshed, self._lines, self._bounds = seconds, self.list_lines(), self.bound_value()
        count = self.count_nodes() + solver_nodes // _SOLVER_NODES_PER_SIMULATION
        self._progress(AnalysisProgress(count, seconds, self._budget.usage(count), self._lines, *self._bounds))
