"""The value of a position and the loss of a move: proven values, or estimates with an interval."""

from typing import NamedTuple

from fourcorners.core.game import Game, Position
from fourcorners.solvers.solver_run import compute_margin


class Interval(NamedTuple):
    """A number and the ends of its probable range; both ends equal the number if it is proven."""

    value: float
    low: float
    high: float

    @classmethod
    def at(cls, value: float) -> "Interval":
        """Return the interval of a proven number, which has no width."""
        return cls(value, value, value)

    @classmethod
    def around(cls, value: float, doubt: float, least: float, most: float) -> "Interval":
        """Return the interval of an estimate that may be off by `doubt`, clipped to `least` and `most`."""
        middle = min(max(value, least), most)
        return cls(middle, max(middle - doubt, least), min(middle + doubt, most))

    def negate(self, total: float = 0.0) -> "Interval":
        """Return the interval of `total` minus this number, for the opponent in a game of two parties."""
        return Interval(total - self.value, total - self.high, total - self.low)


class Evaluation(NamedTuple):
    """The expected end of a game for one seat: its final margin over its best rival, and its chance of winning, 0 to 1.

    In a game without points, a win is a margin of 1 and a loss a margin of -1. If `exact`, both numbers are proven; if
    `decided`, at least the winner is.
    """

    margin: Interval
    win: Interval
    exact: bool = False
    decided: bool = False

    def negate(self) -> "Evaluation":
        """Return the opponent's evaluation, in a game of two parties."""
        return Evaluation(self.margin.negate(), self.win.negate(1.0), self.exact, self.decided)


class Loss(NamedTuple):
    """The loss of a move against the best one, in points of the margin and in chance of winning, never negative."""

    points: Interval
    win: Interval
    exact: bool


NO_LOSS = Loss(Interval.at(0.0), Interval.at(0.0), exact=True)

Margins = tuple[int, ...]
"""The margin of every seat at the end, with best play."""


def find_party(game: Game, seat: int) -> tuple[int, ...]:
    """Return the seats that win together with a seat, itself included."""
    return next(party for party in game.options.parties if seat in party)


def compute_final_margins(position: Position) -> Margins:
    """Return the margins by seat, from the present points."""
    return tuple(compute_margin(position, seat) for seat in range(position.game.seats))


def compute_share(game: Game, margins: Margins, seat: int) -> float:
    """Return a seat's share of the win at the end of a game, 0 to 1, given the final margins by seat."""
    if margins[seat]:
        return float(margins[seat] > 0)
    return 1.0 / sum(margins[party[0]] == 0 for party in game.options.parties)


def evaluate_exactly(game: Game, margins: Margins, seat: int) -> Evaluation:
    """Return the evaluation of a seat whose final margin is proven."""
    win = compute_share(game, margins, seat)
    return Evaluation(Interval.at(float(margins[seat])), Interval.at(win), exact=True, decided=True)


def compute_exact_loss(game: Game, best: Margins, played: Margins, seat: int) -> Loss:
    """Return a move's loss for a seat, given the final margins with best play before and after it."""
    points = float(best[seat] - played[seat])
    win = compute_share(game, best, seat) - compute_share(game, played, seat)
    return Loss(Interval.at(max(0.0, points)), Interval.at(max(0.0, win)), exact=True)
