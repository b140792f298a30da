"""Labels of moves: one definition for all games, by the chance of winning and the share of all points that are lost."""

from enum import StrEnum

from fourcorners.study.evaluation import Loss


class Label(StrEnum):
    """How good a move was, the worst last. A forced move, the only legal one, is not judged."""

    FORCED = "forced"
    BEST = "best"
    GOOD = "good"
    INACCURACY = "inaccuracy"
    MISTAKE = "mistake"
    BLUNDER = "blunder"


ERRORS = (Label.INACCURACY, Label.MISTAKE, Label.BLUNDER)

BLUNDER_CHANCE, MISTAKE_CHANCE, INACCURACY_CHANCE = 0.30, 0.15, 0.05
"""From which loss of the chance of winning a move has a label."""
MISTAKE_POINTS, INACCURACY_POINTS = 0.10, 0.03
"""From which loss of points a move has a label, as a share of all points of the game. Points alone do not make a
blunder: that takes a worse result.
"""


def judge(loss: Loss, all_points: float) -> Label:
    """Return the label of a move that was not forced.

    `all_points` are those that all seats of the game scored together; 0 in a game without points, where only the chance
    of winning counts. What is lost for certain is never called best; an estimated loss counts only if its interval
    excludes that nothing was lost.
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
    """Return how bad a loss is, 0 to 1: the larger of the chance lost and the share of all points lost."""
    points = loss.points.value / all_points if all_points else 0.0
    return min(1.0, max(loss.win.value, points))
