"""What a review says about each player: points lost by phase, the worst moment, and what to learn."""

from collections import Counter
from typing import NamedTuple

from fourcorners.study.labels import ERRORS, Label, measure_severity
from fourcorners.study.move_review import MoveReview, Phase


class PlayerSummary(NamedTuple):
    """How one seat played.

    `points_lost` and `chance_lost` are sums by phase over all moves but forced ones. `turning_point` is the ply
    of the move that cost most, None without errors. `theme` is what cost most, `advice` a sentence about it; both are
    empty without errors or where no sentence has a theme.
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
        """How many moves were judged; forced ones are not."""
        return sum(self.labels.values()) - self.labels[Label.FORCED]


def summarise(
    seat: int, name: str, moves: list[MoveReview], all_points: float, themes: dict[str, str]
) -> PlayerSummary:
    """Summarise the moves of one seat; those without a label do not count yet."""
    judged = [move for move in moves if move.loss is not None and move.label not in {None, Label.FORCED}]
    severities = {move.ply: measure_severity(move.loss, all_points) for move in judged if move.loss is not None}
    errors = [move for move in judged if move.label in ERRORS]
    # What is only estimated and not an error may be noise.
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
