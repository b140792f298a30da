"""The engine for two-seat games that can estimate their positions: proofs, and a depth-limited search.

First it proves the winner, if half of the time seems enough: one null-window search takes a small part of the nodes
that the exact margin takes. If that fails, it searches by iterative deepening. Once a win is proven, it looks for a
larger margin. All searches share one transposition table, which is kept from move to move.
"""

import math
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from fourcorners.core.arrays import States
from fourcorners.core.errors import SolverLimit
from fourcorners.core.game import Game, Position, View
from fourcorners.core.slices import Budget, run_slices
from fourcorners.solvers.exact_play import ExactPlay
from fourcorners.solvers.horizon_task import HorizonTask
from fourcorners.solvers.margin_protocol import MOST_EFFORT, NEVER, UNIT
from fourcorners.solvers.margins import MarginSolver, MarginTask
from fourcorners.solvers.solver_run import SolveBudget, compute_margin, run_task

_MEMORY_WORDS = 1 << 19
_LEAST_NODES = 24 * MOST_EFFORT  # with fewer, not even the first depth may be finished
_NODES_PER_SECOND = 2e5  # a rough speed of one thread
_PROOF_SHARE = 0.5  # of the time and nodes, for proving who wins
_WINNER_COST = 0.5  # a cautious guess at the nodes to prove the winner, as a share of those to prove the margin
_SIMPLE_WINNER_COST = 0.1  # the same with simple nodes, in half of all positions
_SIMPLE_NODE = 0.2  # the weight of a simple node, by its time
_MARGIN_SHARE = 0.5  # of the remaining time and nodes, for a larger margin
_FIRST_SLICE = 8
# A search beats simulations if it comes near enough to meaningful estimates: with the usual nodes these may be
# the usual plies away, with ten times as many nodes a few plies more (`docs/experiments/dots-engine.md`).
_USUAL_NODES, _USUAL_PLIES, _PLIES_PER_FACTOR_OF_TEN = 2e4, 7, 5
_MOST_PLIES = 12  # not measured beyond
# Fitted to 1,000 positions of 5 x 5 boxes whose values are known (`docs/decisions/estimates.md`).
_HEAD_START = 0.4  # in points: the mover's usual result above the estimate of a depth-limited search
_REFUTED_LEAD = 1.5  # in points: an unproven lead shrinks by as much of this as the next depth refutes of the moves
_LIKELY_LEAD = 0.7  # in points: 73% of games with this unproven lead are won
_SUREST = 0.97  # the largest unproven chance of winning


class Finding(NamedTuple):
    """An action and its consequences for the seat to move.

    `margin` is the expected margin at the end, and `win` the chance of winning, where a shared win counts half. If
    `is_proven`, the winner is proven; then the margin of a win is a proven lower bound, and the margin of a loss still
    an estimate. `nodes` counts the nodes of all searches.
    """

    action: int
    margin: float
    win: float
    nodes: int
    is_proven: bool


class _SearchRoot(NamedTuple):
    """The kind of nodes in which a position is proven and searched, and the cost of a proof in them.

    `boards` and `root` are arrays of one record each. `convert_move` returns the code in the game's `exact` of a move
    of the root. A node of a proof counts as `node_weight`, and `winner_cost` is a cautious guess at the cost of proving
    the winner, as a share of the game's estimate of the cost.
    """

    boards: States
    root: States
    convert_move: Callable[[int], int]
    node_weight: float
    winner_cost: float


def can_play(game: Game) -> bool:
    """Return whether the engine can play a game, though perhaps not all of its positions."""
    spec = game.spec
    is_plain = game.seats == 2 and spec.scoring == "points" and not spec.hidden
    return is_plain and hasattr(spec.part(ExactPlay).find_exact(game.options), "estimate")


class MarginEngine:
    """An engine for the positions of one game that it `can_play`; it keeps proofs in the solver's table."""

    def __init__(self, game: Game, solver: MarginSolver) -> None:
        """Start with an empty memory besides the table of the solver, which must be for this game."""
        self._game, self._solver = game, solver
        self._declared = game.spec.part(ExactPlay)
        self._memory = np.zeros(_MEMORY_WORDS, np.uint64)

    def compile(self, position: Position) -> None:
        """Compile everything that a choice may need, or load it from disk; raise SolverLimit if the position is too
        large.
        """
        boards, root = self._declared.exact.enter(self._game.options, position.record)
        start = self._choose_nodes(boards, root)
        HorizonTask(self._solver, start.boards, start.root, self._memory).compile()
        MarginTask(self._solver, start.boards, start.root, finds_move=True).advance(1)

    def can_afford(self, cost: float, seconds: float) -> bool:
        """Return whether a move of some seconds probably proves the winner where a proof of the margin costs `cost`."""
        is_simple = self._declared.simple_exact is not None and not self._solver.has_known_values
        share = _SIMPLE_NODE * _SIMPLE_WINNER_COST if is_simple else _WINNER_COST
        return share * cost <= _PROOF_SHARE * seconds * _NODES_PER_SECOND * self._solver.threads

    def choose(
        self, view: View, budget: Budget, max_nodes: int | None, report: Callable[[int], None] = lambda _: None
    ) -> Finding | None:
        """Choose an action for the seat to move in a running game, within the seconds of a started budget.

        `max_nodes` limits the nodes of all searches, and replaces the budget's limit; `report` is called with their
        number after every slice. Return None if the game rates this position as unsuitable for the engine, or if there
        are too few nodes.
        """
        exact: Any = self._declared.exact
        try:
            boards, root = exact.enter(self._game.options, view.record)
        except SolverLimit:
            return None
        start = self._choose_nodes(boards, root)
        margin = compute_margin(Position(self._game, view.states, ()), view.seat or 0)
        search = HorizonTask(self._solver, start.boards, start.root, self._memory, enough=1 - margin)
        if max_nodes is not None and max_nodes < _LEAST_NODES:
            return None
        plies = search.count_plies_to_estimates()
        if plies == NEVER:
            return None
        proof = MarginTask(self._solver, start.boards, start.root, finds_move=True)
        proof.aim(-margin)
        # The last estimate may exceed a limit.
        limit = None if max_nodes is None else max_nodes - MOST_EFFORT
        run = _Run(budget, limit, report, (proof, search), self._solver, start.node_weight)
        cost = 0.0 if self._declared.estimate_cost is None else self._declared.estimate_cost(view.record)
        may_prove = run.can_afford(start.winner_cost * cost, _PROOF_SHARE)
        if not may_prove and plies > _count_plies(self._count_nodes(budget, max_nodes)):
            return None
        if may_prove:
            run.prove(_PROOF_SHARE)
        if proof.is_done and (proof.lower > -margin or run.can_afford(cost, _MARGIN_SHARE)):
            proof.aim_at_value()
            run.prove(_MARGIN_SHARE)
        if proof.move is None or not (proof.lower > -margin or proof.lower == proof.upper):
            if proof.lower <= -margin <= proof.upper:
                search.exclude(proof.list_refuted_moves(-margin), -margin - 1)
            run.search()
            if search.lower > -margin:
                proof.aim_at_value()
                run.prove(_MARGIN_SHARE)
        move, value, win, is_proven = _conclude(proof, search, margin)
        action = int(exact.find_action(view.record, boards, root, start.convert_move(move)))
        return Finding(action, float(margin + value), win, run.count_nodes(), is_proven)

    def _choose_nodes(self, boards: States, root: States) -> _SearchRoot:
        """Return the nodes for a position that `exact` has entered: simpler ones if possible.

        The game must have them for this position, and the table no values by the keys of the others.
        """
        simple: Any = None if self._solver.has_known_values else self._declared.simple_exact
        converted = None if simple is None else simple.convert_board(boards, root)
        if converted is None:
            return _SearchRoot(boards, root, int, 1.0, _WINNER_COST)
        convert_move = partial(simple.convert_move, root)
        boards, root = converted
        return _SearchRoot(boards, root, convert_move, _SIMPLE_NODE, _SIMPLE_NODE * _SIMPLE_WINNER_COST)

    def _count_nodes(self, budget: Budget, max_nodes: int | None) -> float:
        """Estimate the number of nodes that a choice may search; infinity without a limit."""
        by_time = budget.seconds_left() * _NODES_PER_SECOND * self._solver.threads
        return by_time if max_nodes is None else min(max_nodes, by_time)


def _count_plies(nodes: float) -> float:
    """Return the largest distance in plies to meaningful estimates for a search of some nodes."""
    plies = _USUAL_PLIES + _PLIES_PER_FACTOR_OF_TEN * math.log10(max(nodes, 1.0) / _USUAL_NODES)
    return max(0.0, min(plies, _MOST_PLIES))


class _Run:
    """The two searches of one choice, and their remaining budget."""

    def __init__(
        self,
        budget: Budget,
        max_nodes: int | None,
        report: Callable[[int], None],
        tasks: tuple[MarginTask, HorizonTask],
        solver: MarginSolver,
        weight: float,
    ) -> None:
        """Set up a run with the arguments of `choose`, both tasks, and the weight of a proof node in search nodes."""
        self._budget, self._max_nodes, self._report = budget, max_nodes, report
        self._proof, self._search = tasks
        self._solver, self._weight = solver, weight

    def count_nodes(self) -> int:
        """Return the number of nodes of both searches."""
        return self._count_proof(self._proof.nodes) + self._search.nodes

    def _count_proof(self, nodes: int) -> int:
        """Convert nodes of the proof to search nodes."""
        return math.ceil(self._weight * nodes)

    @property
    def nodes_left(self) -> float:
        """The number of remaining nodes; infinity without a limit."""
        return math.inf if self._max_nodes is None else self._max_nodes - self.count_nodes()

    @property
    def seconds_left(self) -> float:
        """The remaining seconds; infinity without a limit."""
        return self._budget.seconds_left()

    def can_afford(self, nodes: float, share: float) -> bool:
        """Return whether a share, 0 to 1, of the remaining budget is probably enough for a proof of `nodes` nodes."""
        return nodes <= share * min(self.nodes_left, self.seconds_left * _NODES_PER_SECOND * self._solver.threads)

    def prove(self, share: float) -> None:
        """Search the proof with a share, 0 to 1, of the remaining time and nodes, in all threads of the solver."""
        if not self._is_over():
            before = self._search.nodes
            budget = SolveBudget(
                None if self._budget.seconds is None else share * self.seconds_left,
                self._budget.stop,
                lambda _lower, _upper, nodes, *_: self._report(before + self._count_proof(nodes)),
                None if self._max_nodes is None else self._proof.nodes + int(share * self.nodes_left / self._weight),
            )
            run_task(self._proof, self._solver, budget)

    def search(self) -> None:
        """Search with the whole remaining budget."""
        self._solver.limit_growth(None if self._budget.seconds is None else self.seconds_left)
        self._search.advance(1)
        if not self._is_over():
            budget = Budget(
                None if self._max_nodes is None else self._max_nodes - self._count_proof(self._proof.nodes),
                None if self._budget.seconds is None else self.seconds_left,
                self._budget.stop,
            )
            run_slices(
                self._search.advance,
                budget,
                lambda: self._search.nodes,
                lambda: self._report(self.count_nodes()),
                _FIRST_SLICE,
            )

    def _is_over(self) -> bool:
        return self.nodes_left <= 0 or self.seconds_left <= 0 or self._budget.is_stopped


def _conclude(proof: MarginTask, search: HorizonTask, margin: int) -> tuple[int, float, float, bool]:
    """Return the code of the move to make, its value, the chance of winning, and whether the winner is proven.

    `margin` is the present margin, to which the value of the move is added at the end.
    """
    lower, upper = max(proof.lower, search.lower), min(proof.upper, search.upper)
    draw = -margin
    move = proof.move if proof.lower == lower and proof.move is not None else search.proven_move
    if move is not None and (lower > draw or lower == upper):
        return move, lower, 1.0 if lower > draw else 0.5 if lower == draw else 0.0, True
    value = search.latest_value / UNIT + _HEAD_START - _REFUTED_LEAD * search.measure_refuted_share()
    value = min(max(value, lower), upper)
    if upper < draw:
        return search.find_likely_move(), value, 0.0, True
    win = 1.0 / (1.0 + math.exp((draw - value) / _LIKELY_LEAD))
    return search.find_likely_move(), value, min(max(win, 1.0 - _SUREST), _SUREST), False
