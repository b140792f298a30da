"""A review's findings about each ply so far, and their certainty."""

import math
from dataclasses import dataclass, field
from statistics import fmean

from fourcorners.core.game import Game, Position
from fourcorners.solvers.solver_run import compute_margin
from fourcorners.study.evaluation import (
    Evaluation,
    Interval,
    Loss,
    Margins,
    compute_exact_loss,
    evaluate_exactly,
)
from fourcorners.study.random_games import Difference

_FEWEST_RESIDUALS = 4
FIRST_NOISE = (1.0, 0.1)
_LEAST_NOISE = (0.25, 0.01)
"""The error of a search in points and chance: the initial value until enough is measured, and the minimum."""
SURE = 2.0  # standard errors
_CHANCE_DOUBT = 0.35
_LEAST_CHANCE, _LEAST_CHANCE_AT_START = 0.02, 0.2


@dataclass(frozen=True)
class Estimate:
    """A search's estimate: a seat's final margin and its chance of winning; `decided` if the winner is proven."""

    margin: float
    win: float
    decided: bool = False

    def negate(self) -> "Estimate":
        """Return the opponent's estimate, in a game of two parties."""
        return Estimate(-self.margin, 1.0 - self.win, self.decided)


@dataclass
class Finding:
    """The findings about one ply.

    `exact` is the value of its position by seat with open hands; `may_use_exact` says whether the mover could know it.
    `before`, `best` and `played` are the mover's estimates of the position, of the position after the best move, and of
    the position after the move played. `swing` is 1 if its side keeps the turn only after the best move, -1 if only
    after the move played, and otherwise 0. `difference` is how much better the best move did than the move played in
    games played on from both.
    """

    position: Position
    move: str
    exact: Margins | None = None
    may_use_exact: bool = True
    before: Estimate | None = None
    choice: str = ""
    line: tuple[str, ...] = ()
    best: Estimate | None = None
    played: Estimate | None = None
    swing: int = 0
    difference: Difference | None = None
    best_moves: tuple[str, ...] = ()
    spread: float = 0.0
    left: float = 0.0
    is_forced: bool = field(default=False)

    @property
    def seat(self) -> int:
        """The mover."""
        return self.position.seat or 0


class Noise:
    """The difference between two searches that ought to agree: of a position, and of the one after the chosen move.

    A search favours the side to move. Where the turn passes, the two also differ by that bias, so the mean of these
    differences is not noise.
    """

    def __init__(self, first: tuple[float, float] = FIRST_NOISE) -> None:
        """Set the levels that apply until enough is measured."""
        self._first = first
        self._kept: list[tuple[float, float]] = []
        self._passed: list[tuple[float, float]] = []

    def add(self, before: Estimate, after: Estimate, *, passes: bool) -> None:
        """Add the estimates of a position and of the one after the move that its search chose, both for the same seat.

        `passes` says whether the turn passes to the other side.
        """
        differences = self._passed if passes else self._kept
        differences.append((before.margin - after.margin, before.win - after.win))

    @property
    def favour(self) -> tuple[float, float]:
        """The bias of a search towards the side to move, in points and chance; 0 if it is not known."""
        if not self._passed:
            return 0.0, 0.0
        margin, win = map(fmean, zip(*self._passed, strict=True))
        return margin, win

    @property
    def levels(self) -> tuple[float, float]:
        """The root mean squares of the noise, in points and in chance."""
        count = len(self._kept) + max(0, len(self._passed) - 1)
        if count < _FEWEST_RESIDUALS:
            return self._first
        favour = self.favour
        residuals = [*self._kept, *((margin - favour[0], win - favour[1]) for margin, win in self._passed)]
        margin, win = (
            math.sqrt(sum(each * each for each in column) / count) for column in zip(*residuals, strict=True)
        )
        return max(margin, _LEAST_NOISE[0]), max(win, _LEAST_NOISE[1])


def evaluate_finding(finding: Finding, noise: tuple[float, float]) -> Evaluation | None:
    """Return the value of the position to the mover before its move, given what the mover could know."""
    game, seat = finding.position.game, finding.seat
    if finding.exact is not None and finding.may_use_exact:
        return evaluate_exactly(game, finding.exact, seat)
    if finding.before is None:
        return None
    after = finding.played if finding.move == finding.choice else finding.best
    before, gap = _balance(finding.before, after, noise)
    left, lead = finding.left, compute_margin(finding.position, seat)
    doubt = gap[0] + left * max(finding.spread, abs(before.margin - lead))
    if before.decided:
        win = Interval.at(before.win)
    else:
        least = _LEAST_CHANCE + (_LEAST_CHANCE_AT_START - _LEAST_CHANCE) * left
        win = Interval.around(before.win, gap[1] + _CHANCE_DOUBT * left, least, 1.0 - least)
    if game.spec.scoring == "last-move":
        margin = Interval(*(2.0 * chance - 1.0 for chance in win))
    else:
        margin = Interval.around(before.margin, doubt, -math.inf, math.inf)
    return Evaluation(margin, win, exact=False, decided=before.decided)


def _balance(
    before: Estimate, after: Estimate | None, noise: tuple[float, float]
) -> tuple[Estimate, tuple[float, float]]:
    """Return the estimate of a position, from the searches before and after the best move, and its possible error.

    The error is in margin and chance.

    A search favours the side to move, so estimates from single searches would jump with every move. The search after
    the best move favours the other side by as much, so the estimate lies midway between the two, and half their gap is
    the error.
    """
    if after is None or before.decided or after.decided:
        return before, (SURE * noise[0], SURE * noise[1])
    gaps = abs(before.margin - after.margin) / 2, abs(before.win - after.win) / 2
    margin_gap, win_gap = (max(gap, SURE * least) for gap, least in zip(gaps, _LEAST_NOISE, strict=True))
    middle = Estimate((before.margin + after.margin) / 2, (before.win + after.win) / 2)
    return middle, (margin_gap, win_gap)


def find_loss(
    finding: Finding, after: Margins | None, noise: tuple[float, float], favour: tuple[float, float] = (0.0, 0.0)
) -> Loss | None:
    """Return the loss of the move, or None if nothing is known yet.

    `after` are the proven margins by seat after it. For `noise` and `favour`, see `Noise`.
    """
    game, seat = finding.position.game, finding.seat
    if finding.exact is not None and finding.may_use_exact and after is not None:
        return compute_exact_loss(game, finding.exact, after, seat)
    if finding.before is None:
        return None
    if finding.move == finding.choice:
        return Loss(Interval(0.0, 0.0, SURE * noise[0]), Interval(0.0, 0.0, SURE * noise[1]), exact=False)
    if finding.difference is not None:
        points, points_doubt = finding.difference.margin, SURE * finding.difference.margin_error
        win, win_doubt = finding.difference.win, SURE * finding.difference.win_error
    elif finding.best is not None and finding.played is not None:
        points = finding.best.margin - finding.played.margin - finding.swing * favour[0]
        win = finding.best.win - finding.played.win - finding.swing * favour[1]
        is_decided = finding.best.decided and finding.played.decided
        points_doubt, win_doubt = SURE * noise[0], 0.0 if is_decided else SURE * noise[1]
    else:
        return None
    if game.spec.scoring == "last-move":
        points, points_doubt = 2.0 * win, 2.0 * win_doubt
    return Loss(_bound_loss(points, points_doubt), _bound_loss(win, win_doubt, 1.0), exact=False)


def _bound_loss(value: float, doubt: float, most: float = math.inf) -> Interval:
    return Interval.around(value, doubt, 0.0, most)


def make_finding(game: Game, position: Position, move: str, ply: int, count: int) -> Finding:
    """Return what is known about a ply, counted from 0, of `count` plies without any search."""
    seat = position.seat or 0
    can_know = game.spec.can_know_all(position.view(seat).record, seat)
    is_forced = len(position.moves()) == 1 and move in position.moves()
    return Finding(position, move, may_use_exact=can_know, left=(count - ply) / count, is_forced=is_forced)
