"""How often a review that may prove nothing labels moves as the solver does: `python -m benchmarks.review_quality`.

Games between two levels on small boards are reviewed twice: with proofs of all positions that take up to some seconds,
and with estimates alone. Compared are the moves whose loss the first review has proven and the second has estimated. It
prints JSON: a table of proven labels by estimated ones, the share of proven errors that are estimated to be errors, the
share of best moves that are taken for errors, and the share of proven losses of points, and of winning, that lie within
the interval of the estimate.
"""

import argparse
import json
from collections import Counter
from collections.abc import Iterator
from statistics import fmean
from typing import Any, NamedTuple

import fourcorners as fc
from benchmarks.reviews import LEVELS
from fourcorners.core.game import Position
from fourcorners.players.engine_match import change_seed
from fourcorners.solvers.solver_run import SolveBudget
from fourcorners.study.evaluation import Interval, Margins, compute_exact_loss
from fourcorners.study.exact_values import ExactValues
from fourcorners.study.labels import ERRORS, Label, judge
from fourcorners.study.pace import Pace
from fourcorners.study.reviewer import Reviewer

BOARDS: dict[str, dict[str, Any]] = {
    "dots-and-boxes": {"cols": 4, "rows": 4},
    "squarin-off": {"cols": 3, "rows": 3, "blockers": 1},
    "square-off": {"size": 6},
    "sqez": {"cols": 8, "rows": 8},
}
"""Small enough to prove most positions. With hidden hands proofs and estimates answer different questions."""
_RANDOM_MOVES = 0.15  # the share of moves of the weakest level, so that there are errors of all kinds


class NoProofs(ExactValues):
    """Knows the margins of finished games only."""

    def find_margins(self, position: Position, budget: SolveBudget) -> Margins | None:
        """Return the margins of a finished game, otherwise None."""
        return super().find_margins(position, budget) if position.seat is None else None


class Estimator(Reviewer):
    """A reviewer that proves and explains nothing."""

    def __init__(self, match: fc.Match, nodes: int) -> None:
        """Prepare a review in which each estimate takes this many simulations."""
        super().__init__(match.positions, match.names, Pace(None, nodes, None), 1)
        self._exact = NoProofs(match.game)

    def _explain_errors(self) -> Iterator[None]:
        yield from ()


class Comparison(NamedTuple):
    """A move's proven label and the estimated one, and whether the proven losses lie within the estimated intervals."""

    proven: Label
    estimated: Label
    points_inside: bool
    chance_inside: bool


def play_game(name: str, seed: int) -> fc.Match:
    """Return a game between two levels, in which the weakest level makes some moves; all follows from the seed."""
    levels = LEVELS[name]
    match = fc.Match(
        fc.game(name, **BOARDS[name]),
        [f"level {level}" for level in levels],
        seed=seed,
        date="2026-11-23",
        nonce="",
    )
    *players, weak = (fc.Computer(level, nodes=30, seed=3 * seed + number) for number, level in enumerate((*levels, 1)))
    period = round(1 / _RANDOM_MOVES)
    while match.seat is not None:
        position = match.position
        player = weak if (seed + position.ply_count) % period == 0 else players[match.seat]
        match.play(player.choose_move(position))
        change_seed(player)
    return match


def compare(match: fc.Match, seconds: float, nodes: int) -> list[Comparison]:
    """Compare the labels of all moves that are not forced, whose loss can be proven with at most this many seconds for
    each position, and is not certain without proofs.
    """
    exact, margins = ExactValues(match.game, 2), {}
    for ply in range(len(match.positions) - 1, -1, -1):
        found = exact.find_margins(match.positions[ply], SolveBudget(seconds))
        if found is None:
            break
        margins[ply] = found
    reviewer = Estimator(match, nodes)
    for _ in reviewer.run():
        pass
    comparisons = []
    for ply in sorted(margins)[:-1]:
        guess, label, seat = reviewer.find_loss(ply), reviewer.label(ply), match.positions[ply].seat
        if guess is None or guess.exact or label in {None, Label.FORCED} or seat is None:
            continue
        truth = compute_exact_loss(match.game, margins[ply], margins[ply + 1], seat)
        comparisons.append(
            Comparison(
                judge(truth, reviewer.all_points),
                label,
                _contains(guess.points, truth.points.value),
                _contains(guess.win, truth.win.value),
            )
        )
    return comparisons


def _contains(interval: Interval, value: float) -> bool:
    return interval.low <= value <= interval.high


def summarise(comparisons: list[Comparison]) -> dict[str, Any]:
    """Return the figures of one game's moves."""
    pairs = Counter((one.proven, one.estimated) for one in comparisons)

    def find(*labels: Label) -> list[bool]:
        return [one.estimated in ERRORS for one in comparisons if one.proven in labels]

    return {
        "moves": len(comparisons),
        "labels": {f"{proven}, estimated {estimated}": count for (proven, estimated), count in sorted(pairs.items())},
        "errors_found": _share(find(*ERRORS)),
        "mistakes_and_blunders_found": _share(find(Label.MISTAKE, Label.BLUNDER)),
        "best_moves_taken_for_errors": _share(find(Label.BEST)),
        "points_within_interval": _share([one.points_inside for one in comparisons]),
        "chances_within_interval": _share([one.chance_inside for one in comparisons]),
    }


def _share(values: list[bool]) -> float | None:
    return round(fmean(values), 3) if values else None


def main() -> None:
    """Read the command line, and print a line for each game."""
    parser = argparse.ArgumentParser(description="How often estimated labels of moves agree with proven ones.")
    parser.add_argument("names", nargs="*", metavar="GAME", default=list(BOARDS), help=f"some of {', '.join(BOARDS)}")
    parser.add_argument("--games", type=int, default=10, help="how many games to play of each (%(default)s)")
    parser.add_argument("--seconds", type=float, default=10.0, help="the time of one proof (%(default)s)")
    parser.add_argument("--nodes", type=int, default=400, help="the simulations of one estimate (%(default)s)")
    arguments = parser.parse_args()
    for name in arguments.names:
        comparisons: list[Comparison] = []
        for seed in range(arguments.games):
            comparisons += compare(play_game(name, seed), arguments.seconds, arguments.nodes)
        print(json.dumps({"game": name, **BOARDS[name], **summarise(comparisons)}), flush=True)


if __name__ == "__main__":
    main()
