"""The report about a game: games of a level against itself, a ladder of levels, solved boards and openings."""

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import pairwise, takewhile
from typing import Any, NamedTuple

from fourcorners.core import catalogue
from fourcorners.core.errors import OptionError, SolverLimit, quote
from fourcorners.core.game import Game
from fourcorners.players.computer_play import ComputerPlay
from fourcorners.players.engine_match import EngineMatch, Score, Side, elo_difference, parse_side
from fourcorners.solvers.solver import create_backend
from fourcorners.solvers.solver_run import SolveBudget, SolverRun
from fourcorners.study.analysis import analyse
from fourcorners.study.game_words import describe_options
from fourcorners.study.reports import statistics
from fourcorners.study.reports.self_play import SelfPlayGame, play_games
from fourcorners.study.reports.statistics import Drama, Figure

SCHEMA = "fourcorners report 1"
MAX_GAMES = 10_000
LADDER_NODES = 600
"""The maximum number of simulations for a move by a ladder's levels, so that a ladder takes minutes."""
_OPENING_LINES = 5
_LEAST_OPENING_NODES = 10  # times those for a move
_SOLVER_MEMORY = 256 << 20


class Plan(NamedTuple):
    """The amount of work for a report.

    The `level` (a number or "top") plays `games` against itself, with `nodes` simulations a move and `plies` random
    plies at the start. Each pair of neighbouring levels plays `ladder_games` with the simulations that these levels
    have in play. `solver_nodes` limits the solution of each board.
    """

    games: int = 40
    level: str = "top"
    nodes: int = 200
    plies: int = 2
    ladder_games: int = 20
    solver_nodes: int = 2_000_000
    seed: int = 1
    jobs: int = 1


DEFAULT_PLAN = Plan()


class Rung(NamedTuple):
    """A level's score against the level below, as a share of the win and as a difference in Elo."""

    level: int
    name: str
    below: str
    games: int
    share: Figure
    elo: Figure


class SolvedBoard(NamedTuple):
    """The value of an empty board with best play for the seat that begins, or its proven bounds."""

    board: str
    lower: int
    upper: int
    nodes: int

    @property
    def is_exact(self) -> bool:
        return self.lower == self.upper


class Opening(NamedTuple):
    """A first move, and a search's estimate of it for its player."""

    move: str
    margin: float
    win: float
    exact: bool


@dataclass(frozen=True)
class GameReport:
    """A complete report; docs/reports/README.md explains its figures."""

    game: Game
    plan: Plan
    games: tuple[SelfPlayGame, ...]
    ladder: tuple[Rung, ...]
    boards: tuple[SolvedBoard, ...]
    openings: tuple[Opening, ...]

    @property
    def lengths(self) -> list[float]:
        return [float(game.plies) for game in self.games]

    @property
    def length(self) -> Figure | None:
        return statistics.estimate_mean(self.lengths)

    @property
    def branching_factor(self) -> Figure | None:
        """The mean number of legal moves, over games."""
        return statistics.estimate_mean([sum(game.choices) / max(1, game.plies) for game in self.games])

    @property
    def shares(self) -> list[Figure]:
        """The share of the win of each party, in the order in which they begin."""
        parties = range(len(self.game.options.parties))
        sums = (sum(game.shares[party] for game in self.games) for party in parties)
        return [figure for total in sums if (figure := statistics.estimate_share(total, len(self.games)))]

    @property
    def draws(self) -> Figure | None:
        """The share of games that all parties won together."""
        return statistics.estimate_share(sum(all(game.shares) for game in self.games), len(self.games))

    @property
    def margin(self) -> Figure | None:
        """The mean margin of the first of two parties at the end; None in a game without points."""
        return statistics.estimate_mean([float(game.leads[-1]) for game in self.games if game.leads])

    @property
    def dramas(self) -> list[Drama]:
        return [drama for game in self.games if (drama := statistics.measure_drama(game))]

    @property
    def changes(self) -> Figure | None:
        return statistics.estimate_mean([float(drama.changes) for drama in self.dramas])

    @property
    def decision_point(self) -> Figure | None:
        return statistics.estimate_mean([drama.decided for drama in self.dramas])

    @property
    def title(self) -> str:
        return f"{self.game.title}, {describe_options(self.game)}"


def make_report(
    game: Game,
    plan: Plan = DEFAULT_PLAN,
    stop: threading.Event | None = None,
    progress: Callable[[str, int, int], object] = lambda *_: None,
) -> GameReport:
    """Make a report, which depends only on the game and the plan.

    `progress` is called with the name of the current part, the amount done, and the total. Set `stop` to end early with
    the results so far. Raise OptionError for a plan that is not allowed.
    """
    if not 1 <= plan.games <= MAX_GAMES:
        raise OptionError("games", f"{quote(plan.games)} is not allowed; it must be 1 to {MAX_GAMES}")
    side = _limit_side(parse_side(game, plan.level), plan.nodes)
    games = play_games(
        game, side, plan.games, plan.plies, plan.seed, plan.jobs, stop, lambda done: progress("games", done, plan.games)
    )
    ladder = _measure_ladder(game, plan, stop, progress)
    boards = [board for board in (_solve_board(each, plan, stop) for each in _list_boards(game)) if board]
    openings = [] if stop is not None and stop.is_set() else _analyse_openings(game, plan)
    return GameReport(game, plan, tuple(games), tuple(ladder), tuple(boards), tuple(openings))


def _limit_side(side: Side, nodes: int) -> Side:
    """Return a side limited to this many simulations for a move and no time limit, so that games are reproducible."""
    return side._replace(nodes=min(nodes, side.level.nodes) if side.level.nodes else None)


def _measure_ladder(
    game: Game, plan: Plan, stop: threading.Event | None, progress: Callable[[str, int, int], object]
) -> list[Rung]:
    """Let each level play the one below it, with each opening once for each seating.

    Levels that simulate more than LADDER_NODES are left out: with fewer simulations they would not be the levels that
    people play.
    """
    if not plan.ladder_games:
        return []
    rungs = []
    numbers = list_ladder_levels(game)
    for done, (low, high) in enumerate(pairwise(numbers)):
        progress("levels", done, len(numbers) - 1)
        first, second = (_limit_side(parse_side(game, str(number)), LADDER_NODES) for number in (high, low))
        match = EngineMatch(game, first, second, plan.plies, plan.seed)
        openings = range(-(-plan.ladder_games // len(match.seatings)))
        tasks = [(opening, seats) for opening in openings for seats in match.seatings]
        with ThreadPoolExecutor(plan.jobs) as pool:
            played = list(pool.map(lambda task, match=match: match.play(*task, stop), tasks))
        if stop is not None and stop.is_set():
            break
        shares: dict[int, list[float]] = {}
        for each in played:
            if each is not None:
                shares.setdefault(each.opening, []).append(each.share)
        means = tuple(sum(values) / len(values) for values in shares.values())
        score = Score(means, len(tasks), len(match.seatings))
        figure = Figure(score.mean, *score.interval)
        elo = Figure(*(elo_difference(share, len(match.seatings)) for share in figure))
        names = (game.spec.part(ComputerPlay).levels[high - 1].name, game.spec.part(ComputerPlay).levels[low - 1].name)
        rungs.append(Rung(high, *names, score.games, figure, elo))
    return rungs


def list_ladder_levels(game: Game) -> list[int]:
    """Return the numbers of the levels below the first one that simulates too much for a ladder."""
    return [
        number
        for number, _ in takewhile(
            lambda entry: entry[1].nodes <= LADDER_NODES, enumerate(game.spec.part(ComputerPlay).levels, 1)
        )
    ]


def _list_boards(game: Game) -> list[Game]:
    """List the games whose empty boards to solve: the game and the small ones for newcomers with as many parties."""
    found = [game]
    small = game.spec.sizes.get("small", game.starter) if game.preset is None else game.starter
    for options in (small, game.showcase.options if game.showcase else {}):
        if options:
            try:
                found.append(catalogue.game(game.id, **options))
            except OptionError:
                continue
    parties = len(game.options.parties)
    return [board for board in dict.fromkeys(reversed(found)) if len(board.options.parties) == parties]


def _solve_board(game: Game, plan: Plan, stop: threading.Event | None) -> SolvedBoard | None:
    """Solve an empty board within a number of nodes.

    Return None if it has more than two parties or hidden information, or if `stop` is set.
    """
    if len(game.options.parties) != 2 or game.spec.hidden or not plan.solver_nodes:
        return None
    if stop is not None and stop.is_set():
        return None
    solver = SolverRun(create_backend(game, _SOLVER_MEMORY, 1), SolveBudget(None, stop, nodes=plan.solver_nodes))
    try:
        found = solver.solve(game.start(), moves=False)
    except SolverLimit as limit:
        return SolvedBoard(describe_options(game), limit.lower, limit.upper, limit.nodes)
    return SolvedBoard(describe_options(game), found.remaining_margin, found.remaining_margin, found.nodes)


def _analyse_openings(game: Game, plan: Plan) -> list[Opening]:
    """List the best first moves by a search, with as many simulations for each as for a move in a game."""
    start = game.start(seed=plan.seed)
    lines = analyse(start.view(start.seat), _OPENING_LINES, nodes=count_opening_nodes(game, plan), seed=plan.seed)
    return [Opening(line.move, float(line.final_margin), float(line.win), bool(line.exact)) for line in lines]


def count_opening_nodes(game: Game, plan: Plan) -> int:
    """Return the number of simulations of the search for the best first moves."""
    return plan.nodes * max(len(game.start(seed=plan.seed).moves()), _LEAST_OPENING_NODES)


def build_json(report: GameReport) -> dict[str, Any]:
    """Return a report as JSON values."""

    def write(figure: Figure | None) -> dict[str, float] | None:
        return None if figure is None else {key: _round(value) for key, value in figure._asdict().items()}

    lengths = report.lengths
    return {
        "schema": SCHEMA,
        "game": report.game.id,
        "options": report.game.given_options(),
        "plan": {key: value for key, value in report.plan._asdict().items() if key != "jobs"},
        "games": len(report.games),
        "length": {
            **(write(report.length) or {}),
            "least": min(lengths, default=None),
            "most": max(lengths, default=None),
            "bins": statistics.count_in_bins(lengths),
        },
        "branching": {
            **(write(report.branching_factor) or {}),
            "by_tenth": [write(figure) for figure in list_choices(report)],
        },
        "shares": [write(figure) for figure in report.shares],
        "draws": write(report.draws),
        "margin": write(report.margin),
        "drama": {
            "lead_changes": write(report.changes),
            "decided_at": write(report.decision_point),
            "by": "chances" if any(game.chances for game in report.games) else "points",
        },
        "levels": [{**rung._asdict(), "share": write(rung.share), "elo": write(rung.elo)} for rung in report.ladder],
        "solved": [board._asdict() for board in report.boards],
        "openings": [
            {**opening._asdict(), "margin": _round(opening.margin), "win": _round(opening.win)}
            for opening in report.openings
        ],
    }


def list_choices(report: GameReport) -> list[Figure]:
    """Return the mean number of legal moves in each tenth of the games."""
    return statistics.average_by_progress([game.choices for game in report.games])


def list_certainty(report: GameReport) -> Sequence[Figure]:
    """Return the players' certainty of the winner in each tenth of the games; empty if the players give no chances.

    It is the mean distance of their chances from one half, as a share of the possible distance.
    """
    chances = [[abs(2 * chance - 1) for chance in game.chances] for game in report.games if game.chances]
    return statistics.average_by_progress(chances)


def _round(value: float) -> float:
    return round(value, 4)
