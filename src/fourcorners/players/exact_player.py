"""The exact player: it solves positions of one game and keeps the solver's tables from move to move.

A game is *impartial* here if the last move wins (`scoring="last-move"`): its positions are sums of independent parts,
and the solvers find nimbers, not margins.
"""

import math
import threading
from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import numpy as np

from fourcorners.core import compiled_api
from fourcorners.core.arrays import Actions, Estimates, State
from fourcorners.core.bits import new_rng
from fourcorners.core.errors import SolverLimit
from fourcorners.core.game import Game, Position, View
from fourcorners.core.slices import Budget
from fourcorners.players.margin_engine import MarginEngine, can_play
from fourcorners.search.tree_search import ActionStats
from fourcorners.solvers.exact_play import ExactPlay
from fourcorners.solvers.margins import MarginSolver
from fourcorners.solvers.solver import create_backend
from fourcorners.solvers.solver_run import SolveBudget, SolverRun, compute_margin, run_task

MEMORY = 1 << 28  # the limit of a player's memory for proofs, in bytes; it is used only as needed
_NODES_PER_SECOND = 4e5  # a rough speed of one solver thread, to convert estimated costs from nodes to times
_TIME_SHARE = 0.5  # the share of the time for a move that the solvers may use: a proof that fails leaves the rest
# The factor by which the estimated cost may exceed the node limit in impartial games, where nodes differ much in cost.
# The time is not stretched: a failed proof takes it from the tree search, while the solvers' nodes are extra.
_IMPARTIAL_PATIENCE = 10.0
# The costs of all moves are estimated only if the position costs at most this multiple of the affordable cost:
# otherwise no move simplifies it enough to matter. Each estimate takes as long as some simulations, so their number is
# limited, and so is their time.
_NEAR = 1_000.0
_MOST_ESTIMATES = 2_000
_ESTIMATE_SHARE = 0.08  # of the time for a move, for the estimates of all moves, and again for those of a trap
_ESTIMATES_AT_ONCE = 64
# A failed proof is assumed to cost this multiple of its budget.
_COST_OF_FAILURE = 2.0


class Proof(NamedTuple):
    """A proven best move and its consequences for the seat to move.

    `value` is the change of the margin from the position to the end, `margin` the margin at the end, and `win` the
    share of the win, 0 to 1. In an impartial game, `value` is 1 for a win and -1 for a loss. `nodes` counts the
    solvers' nodes.
    """

    move: str
    value: int
    margin: int
    win: float
    nodes: int


class ExactPlayer:
    """A prover of best moves in positions of one game, which keeps its proofs. Only one thread at a time may use it.

    `backend` is the solver with its memory. `engine` shares this memory and plays the positions that the game can
    estimate; None if there are none.
    """

    def __init__(self, game: Game, threads: int = 1) -> None:
        """Set up tables with the game's static knowledge; of two `threads`, only margins use the second."""
        self.game = game
        self.backend = create_backend(game, MEMORY, threads)
        self.backend.load_known_values()
        self._estimate_cost = game.spec.part(ExactPlay).estimate_cost
        self._affordable = math.inf  # the estimated cost up to which the last proof was tried
        self._estimated: tuple[bytes, float] | None = None  # the last position whose cost was estimated
        self._estimated_moves: tuple[bytes, bytes, Estimates | None] | None = None  # the same for its moves
        self._seconds: float | None = None  # the time for the last move
        self._correction = 1.0  # the factor by which failed proofs have shown estimates to be too low
        self.engine: MarginEngine | None = None
        if isinstance(self.backend, MarginSolver) and can_play(game):
            self.engine = MarginEngine(game, self.backend)

    def prove(
        self,
        view: View,
        max_nodes: int | None,
        seconds: float | None,
        stop: threading.Event | None,
        likely_moves: list[str],
    ) -> Proof | None:
        """Prove a best move for the seat to move in a running game; None if the limits are too small.

        `seconds` is the time for the whole move, of which the solvers use only half; `max_nodes` limits the solvers'
        nodes; None means no limit. Setting `stop` ends the proof like a limit. `likely_moves` are legal moves to try
        first, in this order (in an impartial game, estimated costs, if any, decide the order). Return None at once if
        something is hidden that the seat cannot infer, or if the estimated cost of a proof exceeds what `may_succeed`
        allows and the value is not known without search. In a lost position of an impartial game, all moves are best
        moves; the chosen move leaves the highest estimated cost.
        """
        position = infer_position(view)
        self._seconds = seconds
        time_limit = None if seconds is None else _TIME_SHARE * seconds
        if position is None or not (self.may_succeed(view, max_nodes, time_limit) or self._is_known(position)):
            return None
        budget = SolveBudget(time_limit, stop, nodes=max_nodes)
        moves = [*likely_moves, *sorted(set(view.moves()) - set(likely_moves))]
        actions = compiled_api.list_legal(view.states, 0)
        estimates = self._estimate_move_costs(view, actions)
        if estimates is not None:
            # Moves that leave the least to solve are proven first.
            names = [self.game.spec.notation.format(view.record, int(action)) for action in actions]
            costs = dict(zip(names, estimates.tolist(), strict=True))
            moves = sorted(moves, key=costs.__getitem__)
        try:
            move, value = SolverRun(self.backend, budget).find_best_move(position, moves)
            margin = compute_margin(position, view.seat or 0) + value  # the game is not over, so there is a seat
            win = float(margin > 0) if margin else 1 / self._count_winners(position.play(move), budget)
        except SolverLimit:
            self._correct_estimates(view, _COST_OF_FAILURE * self._affordable)
            return None
        self._correct_estimates(view, budget.spent)
        is_lost_anyway = estimates is not None and value < 0
        return Proof(moves[-1] if is_lost_anyway else move, value, margin, win, budget.spent)

    def _count_winners(self, position: Position, budget: SolveBudget) -> int:
        """Return the number of parties that share the win with best play, after a move that proved to share it.

        With three or more parties this solves the position, within the budget; raise SolverLimit if that fails.
        """
        parties = position.game.options.parties
        if len(parties) == 2:
            return 2
        if position.outcome is not None:
            return sum(party[0] in position.outcome.winners for party in parties)
        task = self.backend.create_task(position)
        if not run_task(task, self.backend, budget) or task.margins is None:
            raise SolverLimit(budget.explain_limit(), task.lower, task.upper)
        return sum(task.margins[party[0]] == 0 for party in parties)

    def _correct_estimates(self, view: View, nodes: float) -> None:
        """Correct the estimates of later positions, after the proof of a view took about `nodes` nodes.

        Within a game, estimates are wrong by similar factors.

        An estimate may be too low by a factor of a hundred. Without a correction, failing proofs would take most of the
        time of every move. In impartial games failures are part of the plan: see `_IMPARTIAL_PATIENCE`.
        """
        cost = self._estimate_view_cost(view)
        if cost and nodes < math.inf and not self.backend.is_impartial:
            self._correction = max(1.0, self._correction * nodes / cost)

    def find_trap(self, view: View, candidates: list[ActionStats]) -> ActionStats | None:
        """Return the candidate whose position is barely too costly to solve for an equal opponent, by the game's
        estimate.

        Almost every position of an impartial game is a win for a player who can solve it, and until then all moves look
        alike. Among the moves too costly to solve for an opponent with the limits of the last `prove`, the best leaves
        the lowest cost: after the reply, the position is simple enough for this player to solve. If there is no such
        move, the best leaves the highest cost. Return the first of equal candidates; None if there are no candidates,
        or if `_estimate_move_costs` gives no estimates.
        """
        costs = self._estimate_move_costs(view, np.array([stats.action for stats in candidates], np.int64))
        if costs is None or not candidates:
            return None
        is_safe = costs > self._affordable
        return candidates[int(np.argmin(np.where(is_safe, costs, math.inf)) if is_safe.any() else np.argmax(costs))]

    def _is_known(self, position: Position) -> bool:
        """Return whether a position's value is known without search; False for impartial games or large ones."""
        if self.backend.is_impartial:
            return False
        try:
            return self.backend.create_task(position).is_done
        except SolverLimit:
            return False

    def may_succeed(self, view: View, max_nodes: int | None, seconds: float | None) -> bool:
        """Return whether a proof is worth trying; True if the game cannot estimate its cost.

        The estimate, in nodes, must not exceed `max_nodes` (in an impartial game, `_IMPARTIAL_PATIENCE` times that) nor
        what fits into `seconds`, the solvers' share of the time for the move. None means no limit.
        """
        cost = self._estimate_view_cost(view)
        if cost is None:
            return True
        patience = _IMPARTIAL_PATIENCE if self.backend.is_impartial else 1.0
        node_limit = math.inf if max_nodes is None else patience * max_nodes
        time_limit = math.inf if seconds is None else self._count_nodes(seconds)
        self._affordable = min(node_limit, time_limit)
        if cost <= self._affordable:
            return True
        # If every move leaves a position that an equal opponent will try to solve, it is best to try now.
        costs = self._estimate_move_costs(view, compiled_api.list_legal(view.states, 0))
        return costs is not None and bool(costs.max() <= self._affordable)

    def can_afford(self, record: State, seconds: float) -> bool:
        """Return whether a proof in a position may succeed in a move of some seconds; False if costs are unknown.

        This is a little optimistic: nodes may be more costly there than where they are cheapest.
        """
        if self._estimate_cost is None:
            return False
        cost = self._correction * float(self._estimate_cost(record))
        if self.engine is not None:
            return self.engine.can_afford(cost, seconds)
        return cost <= self._count_nodes(_TIME_SHARE * seconds)

    def _estimate_move_costs(self, view: View, actions: Actions) -> Estimates | None:
        """Return the game's estimates, (n,), of the cost of a proof after each of n legal actions of a view.

        Return None if the game is not impartial or gives no such estimates, if there are more than `_MOST_ESTIMATES`
        actions, if estimates take too long, or if no move can make a proof affordable.
        """
        estimate, cost = self.game.spec.part(ExactPlay).estimate_move_costs, self._estimate_view_cost(view)
        if not self.backend.is_impartial or estimate is None or cost is None:
            return None
        if len(actions) > _MOST_ESTIMATES or cost > _NEAR * self._affordable:
            return None
        key = view.states.tobytes(), actions.tobytes()
        if self._estimated_moves is None or self._estimated_moves[:2] != key:
            self._estimated_moves = *key, self._estimate_in_time(partial(estimate, view.states), actions)
        return self._estimated_moves[2]

    def _estimate_in_time(self, estimate: Callable[[Actions], Estimates], actions: Actions) -> Estimates | None:
        """Return the estimates, (n,), of n actions; None if there are none, or if they take too much of the time."""
        if self._seconds is None:
            costs = estimate(actions)
            return costs if len(costs) else None
        budget = Budget(seconds=_ESTIMATE_SHARE * self._seconds)
        parts = []
        for first in range(0, len(actions), _ESTIMATES_AT_ONCE):
            part = estimate(actions[first : first + _ESTIMATES_AT_ONCE])
            if len(part) == 0 or budget.seconds_left() <= 0:
                return None
            parts.append(part)
        return np.concatenate(parts) if parts else None

    def _estimate_view_cost(self, view: View) -> float | None:
        """Return the game's estimate of a proof's nodes, None if there is none; cache the last one."""
        if self._estimate_cost is None:
            return None
        content = view.states.tobytes()
        if self._estimated is None or self._estimated[0] != content:
            self._estimated = content, float(self._estimate_cost(view.record))
        return self._correction * self._estimated[1]

    def _count_nodes(self, seconds: float) -> float:
        """Estimate the number of nodes that all solver threads together search in some seconds."""
        return seconds * _NODES_PER_SECOND * self.backend.threads


def infer_position(view: View) -> Position | None:
    """Return the position of the view of the seat to move, without history; None if that seat cannot infer it."""
    spec = view.game.spec
    if not spec.hidden:
        return Position(view.game, view.states, ())
    if view.seat is None or not spec.can_know_all(view.record, view.seat):
        return None
    states = np.array(view.states)
    # Only one world fits, so any deal is the true one.
    compiled_api.deal(states, 0, new_rng(0))
    return Position(view.game, states, ())
