"""Labels of moves: one definition for all games, by the lost chance of winning and the lost share of all points."""

from enum import StrEnum

from fourcorners.study.evaluation import Loss


class Label(StrEnum):
    """The quality of a move, from best to worst. A forced move, the only legal one, is not judged."""

    FORCED = "forced"
    BEST = "best"
    GOOD = "good"
    INACCURACY = "inaccuracy"
    MISTAKE = "mistake"
    BLUNDER = "blunder"


ERRORS = (Label.INACCURACY, Label.MISTAKE, Label.BLUNDER)

BLUNDER_CHANCE, MISTAKE_CHANCE, INACCURACY_CHANCE = 0.30, 0.15, 0.05
"""The smallest loss of the chance of winning for each label."""
MISTAKE_POINTS, INACCURACY_POINTS = 0.10, 0.03
"""The smallest loss of points for each label, as a share of all points of the game. Lost points alone never make a
blunder: that takes a worse result.
"""


def judge(loss: Loss, all_points: float) -> Label:
    """Return the label of a move, which must not be forced.

    `all_points` is the total that all seats scored, or 0 in a game without points, where only the chance of winning
    counts. A move with a certain loss is never "best"; an estimated loss counts only if its interval excludes zero.
    """
    points = loss.points.value / all_points if all_points else 0.0
    if loss.exact:
        if loss.win.value <= 0 and (not all_points or loss.points.value <= 0):
            return Label.BEST
    elif loss.win.low <= 0 and (not all_points or loss.points.low <= 0):
        return Label.BEST if loss.win.value <= 0 and loss.points.value <= 0 else Label.GOOD
    chance = loss.win.value if loss.exact or loss.win.low > 0 else 0.0
    if not loss.exact and loss.points.low <= 0:
        points = 0.0
    if chance >= BLUNDER_CHANCE:
        return Label.BLUNDER
    if chance >= MISTAKE_CHANCE or points >= MISTAKE_POINTS:
        return Label.MISTAKE
    if loss.exact or chance >= INACCURACY_CHANCE or points >= INACCURACY_POINTS:
        return Label.INACCURACY
    return Label.GOOD


def measure_severity(loss: Loss, all_points: float) -> float:
    """Return the severity of a loss, 0 to 1: the lost chance or the lost share of all points, whichever is larger."""
    points = loss.points.value / all_points if all_points else 0.0
    return min(1.0, max(loss.win.value, points))
