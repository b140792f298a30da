"""The summary of each player in a review: points lost by phase, the worst moment, and advice."""

from collections import Counter
from typing import NamedTuple

from fourcorners.study.labels import ERRORS, Label, measure_severity
from fourcorners.study.move_review import MoveReview, Phase


class PlayerSummary(NamedTuple):
    """The play of one seat.

    `points_lost` and `chance_lost` are sums by phase over all moves except forced ones. `turning_point` is the ply of
    the costliest move, None without errors. `theme` is the costliest theme, and `advice` a sentence about it; both are
    empty without errors or if no sentence has a theme.
    """

    seat: int
    name: str
    labels: dict[Label, int]
    points_lost: dict[Phase, float]
    chance_lost: dict[Phase, float]
    turning_point: int | None
    theme: str
    advice: str

    @property
    def judged_moves(self) -> int:
        """The number of judged moves, which excludes forced ones."""
        return sum(self.labels.values()) - self.labels[Label.FORCED]


def summarise(
    seat: int, name: str, moves: list[MoveReview], all_points: float, themes: dict[str, str]
) -> PlayerSummary:
    """Summarise the moves of one seat; those without a label do not count yet."""
    judged = [move for move in moves if move.loss is not None and move.label not in {None, Label.FORCED}]
    severities = {move.ply: measure_severity(move.loss, all_points) for move in judged if move.loss is not None}
    errors = [move for move in judged if move.label in ERRORS]
    # An estimated loss that is not an error may be noise.
    counted = [move for move in judged if move.label in ERRORS or (move.loss is not None and move.loss.exact)]
    points, chance = dict.fromkeys(Phase, 0.0), dict.fromkeys(Phase, 0.0)
    costs: Counter[str] = Counter()
    for move in counted:
        if move.loss is not None:
            points[move.phase] += move.loss.points.value
            chance[move.phase] += move.loss.win.value
    for move in errors:
        theme = next((statement.theme for statement in move.statements if statement.theme), "")
        if theme:
            costs[theme] += max(1, round(1000 * severities[move.ply]))
    theme = costs.most_common(1)[0][0] if costs else ""
    return PlayerSummary(
        seat,
        name,
        {label: sum(move.label == label for move in moves) for label in Label},
        points,
        chance,
        max(errors, key=lambda move: (severities[move.ply], -move.ply)).ply if errors else None,
        theme,
        themes.get(theme, ""),
    )
