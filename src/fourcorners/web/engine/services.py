"""What people ask the engine for: hints, evaluations, exact values, analyses, judged moves and reviews, with limits."""

import secrets
import threading
from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any, NamedTuple, TypeVar

from cachetools import LRUCache

from fourcorners.core.errors import GameError, SolverLimit
from fourcorners.core.game import Game, Position, View
from fourcorners.players.computer import Computer
from fourcorners.players.hints import Advice, hint
from fourcorners.solvers import solver
from fourcorners.study.analysis import analyse
from fourcorners.study.analysis_run import AnalysisLine
from fourcorners.study.random_games import play_random_games
from fourcorners.study.review import Review
from fourcorners.web.engine.jobs import Jobs, Report
from fourcorners.web.engine.warmup import Feature, Warmup
from fourcorners.web.engine.work_queue import Client, CpuBudget, Limits, WorkQueue

T = TypeVar("T")
HINT_SECONDS, HINT_NODES, ESTIMATE_NODES = 1.0, 200_000, 2000
SOLVE_SECONDS, SOLVE_MEMORY = 6.0, 64 * 2**20
"""The seconds after which a machine is too busy to give a search its processor time, and bytes."""
ANALYSIS_SECONDS, ANALYSIS_NODES, MAX_LINES = 10.0, 400_000, 5
HINT_LIMITS = Limits(threads=2, waiting=32, per_player=4, per_network=8, cpu_seconds=1.0)
ESTIMATE_LIMITS = Limits(threads=1, waiting=32, per_player=4, per_network=8, cpu_seconds=0.4)
SOLVE_LIMITS = Limits(threads=2, waiting=16, per_player=4, per_network=8, cpu_seconds=2.0)
ANALYSIS_LIMITS = Limits(threads=1, waiting=16, per_player=2, per_network=4, cpu_seconds=8.0)
ALTERNATIVE_LIMITS = Limits(threads=1, waiting=16, per_player=3, per_network=6, cpu_seconds=8.0)
REVIEW_LIMITS = Limits(threads=1, waiting=16, per_player=2, per_network=4, cpu_seconds=40.0)
"""For searches in one thread each, whose processor time the limits measure; then the best result so far counts. Judging
a move or a game ends earlier, by limits that `application` sets, unless it takes long to replay.
"""
REVIEW_LINGER = 60.0
"""Seconds after which a review stops if no one looks at it any more."""
_RESULTS, _REVIEWS = 512, 16
"""How many results of a kind stay in memory: reviews of long games take megabytes."""
_PLAYOUTS = 24
"""How many random games from a position show how much of it is still open."""
_BUSY = "This server is busy. Try again in a minute."
_MANY = "Too many {} on this server. Try again in a minute."


class Estimate(NamedTuple):
    """How a game will probably end for the seat to move: its final margin `value` and its chance to win (0 to 1).

    `solved` means that the winner is proven, as in a `Choice`. Once the game is over, the seat is seat 0. Both numbers
    are means of `nodes` simulations, and `left` is the share of the game that is still to be played, 0 to 1.
    """

    value: float
    win: float
    solved: bool
    nodes: int = ESTIMATE_NODES
    left: float = 0.0


class SolveResult(NamedTuple):
    """What the solver found out about a position, in margins of the seat to move from here to the end.

    `lower` and `upper` are equal if the value is proven; `values` then has every move's value, or is empty if the
    limits were reached before. `nimber` is set for games where only the last move counts, `margins` for three or more
    parties: by how much each seat's margin changes. `refusal` says why a position cannot be solved at all, else "".
    """

    lower: int = 0
    upper: int = 0
    values: Mapping[str, int] = {}
    nodes: int = 0
    nimber: int | None = None
    margins: tuple[int, ...] | None = None
    open_hands: bool = False
    refusal: str = ""


class Findings(NamedTuple):
    """What an analysis has found so far, the best move first, and the share of its budget that is used, 0 to 1."""

    lines: tuple[AnalysisLine, ...]
    nodes: int
    share: float


class ReviewKey(NamedTuple):
    """The game at a table up to a version, as the key of its review."""

    table_id: str
    version: int


class Known(NamedTuple):
    """What is known of a position. Views with equal records hold the same knowledge."""

    game: Game
    record: bytes


class Engine:
    """All jobs of a server process. The methods belong to the event loop and raise as `Jobs.ask`; what is found ends
    early if a limit is reached.
    """

    def __init__(self, warmup: Warmup) -> None:
        """Start without jobs; `warmup` says what is compiled."""
        self.hints: Jobs[Known, Advice] = Jobs(warmup, Feature.HINT, WorkQueue("hint", HINT_LIMITS, _BUSY), _RESULTS)
        queue = WorkQueue("estimate", ESTIMATE_LIMITS, _BUSY)
        self.estimates: Jobs[Known, Estimate] = Jobs(warmup, Feature.EVALUATE, queue, _RESULTS)
        queue = WorkQueue("solve", SOLVE_LIMITS, _MANY.format("positions are being solved"))
        self.solutions: Jobs[Known, SolveResult] = Jobs(warmup, Feature.SOLVE, queue, _RESULTS)
        queue = WorkQueue("analysis", ANALYSIS_LIMITS, _MANY.format("positions are being analysed"))
        # Lines need what hints need: search, solver and the proofs of both.
        self.analyses: Jobs[tuple[Known, int], Findings] = Jobs(warmup, Feature.HINT, queue, _RESULTS)
        too_long = "This move takes too long to judge on this server."
        queue = WorkQueue("alternative", ALTERNATIVE_LIMITS, _MANY.format("moves are being judged"), too_long)
        self.alternatives: Jobs[Hashable, Any] = Jobs(warmup, Feature.REVIEW, queue, _RESULTS)
        too_long = "This game takes too long to review on this server."
        queue = WorkQueue("review", REVIEW_LIMITS, _MANY.format("games are being reviewed"), too_long)
        self.reviews: Jobs[ReviewKey, Review] = Jobs(warmup, Feature.REVIEW, queue, _REVIEWS, REVIEW_LINGER)
        self.review_hashes: LRUCache[ReviewKey, list[tuple[int, ...]]] = LRUCache(_REVIEWS)
        """The hashes of the images of each position of a reviewed game."""

    async def hint(self, client: Client, view: View) -> Advice:
        """Return a good move with a reason, from the view of the seat to move. Raise GameError if the game is over or
        the view another's.
        """

        def search(budget: CpuBudget, _: Report[Advice]) -> Advice:
            # With both limits a single thread searches.
            return hint(view, seconds=HINT_SECONDS, nodes=HINT_NODES, stop=budget)

        return await self.hints.ask(client, _identify(view), view.game.spec.id, search)

    async def estimate(self, client: Client, view: View) -> Estimate:
        """Estimate how the game will end from what the view of the seat to move shows, or any view once it is over.
        Raise GameError for another view.
        """
        if view.is_over:
            return _compute_end(view)
        return await self.estimates.ask(
            client, _identify(view), view.game.spec.id, lambda budget, _: estimate(view, budget)
        )

    async def solve(
        self, client: Client, position: Position, report: Report[SolveResult] = lambda _: None
    ) -> SolveResult:
        """Return the result for a position; limits and refusals are results too. `report` gets the bounds so far."""
        return await self.solutions.ask(
            client,
            _identify(position),
            position.game.spec.id,
            lambda budget, report_bounds: _solve(position, budget, report_bounds),
            report,
        )

    async def analyse(self, client: Client, view: View, lines: int, report: Report[Findings]) -> Findings:
        """Return the best moves of the seat to move, up to `lines` of them; `report` gets those so far. Raise GameError
        if the game is over.
        """

        def search(budget: CpuBudget, report_lines: Report[Findings]) -> Findings:
            found = analyse(
                view,
                lines,
                ANALYSIS_SECONDS,
                ANALYSIS_NODES,
                stop=budget,
                progress=lambda progress: report_lines(Findings(progress.lines, progress.nodes, progress.share)),
            )
            return Findings(found.lines, found.nodes, 1.0)

        return await self.analyses.ask(client, (_identify(view), lines), view.game.spec.id, search, report)

    async def judge(self, client: Client, key: Hashable, game: str, work: Callable[[CpuBudget], T]) -> T:
        """Return what `work` finds out about a move of a reviewed game, given by id. Raise BudgetError if it takes too
        long.
        """

        def work_within_budget(budget: CpuBudget, _: object) -> T:
            """Do the work; what a budget has cut short is not kept."""
            result = work(budget)
            budget.check()
            return result

        found: T = await self.alternatives.ask(client, key, game, work_within_budget)
        return found

    def close(self) -> None:
        """Stop for good, blocking until searches have ended."""
        for jobs in (self.hints, self.estimates, self.solutions, self.analyses, self.alternatives, self.reviews):
            jobs.close()


def _identify(position: Position | View) -> Known:
    return Known(position.game, position.states.tobytes())


def estimate(view: View, stop: threading.Event) -> Estimate:
    """Estimate the end by `ESTIMATE_NODES` simulations, fewer once `stop` is set. Raise GameError.

    A search favours the side to move, so that the bar would jump with every move. As many simulations from where the
    other side is to move favour that side as much.
    """
    choice = Computer(nodes=ESTIMATE_NODES).choose(view, stop)
    if choice.solved:
        return Estimate(choice.final_margin, choice.win, solved=True)
    value, win, nodes = choice.final_margin, choice.win, choice.nodes
    reply = _find_reply(view, choice.line)
    if reply is not None:
        other = Computer(nodes=ESTIMATE_NODES).choose(reply, stop)
        value, win = (value - other.final_margin) / 2, (win + 1.0 - other.win) / 2
        # A mean of two searches is only as sure as the shorter one allows.
        nodes = 4 * nodes * other.nodes // max(nodes + other.nodes, 1)
    games = play_random_games(view, secrets.randbits(32), _PLAYOUTS, stop.is_set)
    left = games.plies / (games.plies + len(view.plies))
    return Estimate(value, win, False, max(nodes, 1), left)


def _find_reply(view: View, line: Sequence[str]) -> Position | None:
    """Return the position after the first moves of a line in which the other of two parties is to move; None if the
    line does not lead there, or if hands are hidden.
    """
    if view.game.spec.hidden or len(view.game.options.parties) != 2:
        return None
    party = next(party for party in view.game.options.parties if view.seat in party)
    position = view.game.position(view.text)
    for move in line:
        position = position.play(move)
        if position.seat not in party:
            return None if position.seat is None else position
    return None


def _compute_end(view: View) -> Estimate:
    """Return how a game that is over has ended for seat 0."""
    best = max(view.scores)
    winners = [party for party in view.game.options.parties if view.scores[party[0]] == best]
    rivals = max(view.scores[party[0]] for party in view.game.options.parties if 0 not in party)
    return Estimate(float(view.scores[0] - rivals), sum(0 in party for party in winners) / len(winners), solved=True)


def _solve(position: Position, stop: threading.Event, report: Report[SolveResult]) -> SolveResult:
    """Solve a position in a thread; a limit reached (`stop` counts as one) gives bounds, a GameError a refusal."""
    try:
        solution = solver.solve(
            position,
            seconds=SOLVE_SECONDS,
            memory=SOLVE_MEMORY,
            threads=1,  # the budget measures the processor time of one
            progress=lambda lower, upper, nodes, *_: report(SolveResult(lower, upper, nodes=nodes)),
            stop=stop,
            every_move=True,
        )
    except SolverLimit as error:
        return SolveResult(error.lower, error.upper, nodes=error.nodes)
    except GameError as error:
        return SolveResult(refusal=error.message)
    value, details = solution.remaining_margin, (solution.nodes, solution.nimber, solution.margins, solution.open_hands)
    return SolveResult(value, value, dict(solution.values), *details)
