"""A candidate move of an analysis: its proven bounds, its estimates, and the line that it begins."""

from functools import cached_property

from fourcorners.core.game import Position, View
from fourcorners.players.calibrated_estimates import count_points_left
from fourcorners.players.calibration import LEAST_CHANCE
from fourcorners.players.margin_engine import Finding
from fourcorners.solvers.solver_protocol import SolveTask
from fourcorners.solvers.solver_run import are_partners, compute_margin


def bound_margin(position: Position | View, margin: int, left: int) -> tuple[int, int]:
    """Return the bounds of a seat's final margin, given its present one and the most by which it can still change."""
    return (-1, 1) if position.game.spec.scoring == "last-move" else (margin - left, margin + left)


class Candidate:
    """A legal move of the seat to move; all margins are final ones, for that seat.

    `lower` and `upper` are proven bounds of its margin with best play; `margin` and `win` are estimates for what is not
    proven. `nodes` is the work spent on this move alone, and `line` the expected play, beginning with the move.
    `is_searched` says that the tree search has tried the move, and `is_refined` that the engine for two parties made
    the estimate; until then, `rank_win` and `rank_margin` replace the estimates in comparisons.
    """

    def __init__(self, view: View, position: Position | None, move: str, action: int, present: int, left: int) -> None:
        """Take a move in a view, and the position if the seat to move can infer it.

        `present` is that seat's margin in the view, and `left` the most by which it can still change.
        """
        self.move, self.action = move, action
        self._position = position
        self._seat = 0 if view.seat is None else view.seat
        self._parties = view.game.options.parties
        self.line: tuple[str, ...] = (move,)
        self.nodes = 0
        self.is_refined = self.is_searched = False
        self._sharers = 2
        self._now = present
        self.lower, self.upper = bound_margin(view, present, left)
        self.margin, self.win = float(present), 0.5
        self.rank_win, self.rank_margin = self.win, self.margin

    @cached_property
    def after(self) -> Position | None:
        """The position after the move; None if the seat cannot know it.

        The move is played when the position is first needed, since there may be thousands of moves; that narrows the
        bounds.
        """
        if self._position is None:
            return None
        after = self._position.play(self.move)
        self._now = compute_margin(after, self._seat)
        self.narrow(*bound_margin(after, self._now, count_points_left(after)))
        if after.outcome is not None:
            self.narrow(self._now, self._now)
            self._sharers = sum(party[0] in after.outcome.winners for party in self._parties)
        return after

    @property
    def is_exact(self) -> bool:
        """Whether the margin is proven."""
        return self.lower == self.upper

    def narrow(self, lower: int, upper: int) -> None:
        """Narrow the bounds by other proven bounds."""
        self.lower, self.upper = max(self.lower, lower), min(self.upper, upper)

    def narrow_by_change(self, lower: int, upper: int) -> None:
        """Narrow the bounds by those of the change of the next seat's margin; for two parties only."""
        if self.after is None or self.after.seat is None:
            return
        if are_partners(self.after, self._seat, self.after.seat):
            self.narrow(self._now + lower, self._now + upper)
        else:
            self.narrow(self._now - upper, self._now - lower)

    def narrow_by_task(self, task: SolveTask) -> None:
        """Narrow the bounds by what a task of solving the position after the move has proven."""
        if len(self._parties) == 2:
            self.narrow_by_change(task.lower, task.upper)
        elif task.margins is not None:
            self.narrow(task.margins[self._seat], task.margins[self._seat])
            self._sharers = sum(task.margins[party[0]] == 0 for party in self._parties)

    def find_aim(self, margin: int) -> int:
        """Return the value of the solver task after the move that corresponds to a final margin of the move."""
        seat = self.after.seat if self.after is not None and self.after.seat is not None else self._seat
        same = self.after is not None and are_partners(self.after, self._seat, seat)
        return margin - self._now if same else self._now - margin

    def use_finding(self, finding: Finding) -> None:
        """Use the engine's finding about the position after the move, for the seat to move there."""
        seat = self._seat if self.after is None or self.after.seat is None else self.after.seat
        same = self.after is not None and are_partners(self.after, self._seat, seat)
        self.margin = finding.margin if same else -finding.margin
        self.win = finding.win if same else 1.0 - finding.win
        self.rank_win, self.rank_margin = self.win, self.margin
        self.is_refined = True
        if finding.is_proven:
            self._use_proven_finding(finding, same=same)

    def _use_proven_finding(self, finding: Finding, *, same: bool) -> None:
        """Narrow the bounds by a proven winner: the margin of a win is a lower bound; a loss proves only its sign."""
        least = int(finding.margin)
        if finding.win == 1.0:
            lower, upper = least, self.upper if same else -self.lower
        elif finding.win == 0.0:
            lower, upper = self.lower if same else -self.upper, -1
        else:
            lower = upper = 0
        self.narrow(lower, upper) if same else self.narrow(-upper, -lower)

    def evaluate(self) -> tuple[float, float]:
        """Return the margin and the chance of winning, 0 to 1: proven if possible, else estimated within bounds."""
        return self._limit(self.margin, min(max(self.win, LEAST_CHANCE), 1.0 - LEAST_CHANCE))

    def rate(self) -> tuple[float, float]:
        """Return the margin and chance by which moves are compared."""
        return self._limit(self.rank_margin, self.rank_win)

    def _limit(self, margin: float, win: float) -> tuple[float, float]:
        """Clip a margin to the bounds; return it with the proven chance of winning, or else the given one."""
        margin = min(max(margin, float(self.lower)), float(self.upper))
        if self.lower > 0 or self.upper < 0:
            return margin, float(self.lower > 0)
        return margin, 1.0 / self._sharers if self.is_exact else win
