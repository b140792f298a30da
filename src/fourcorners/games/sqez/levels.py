"""The levels of Sqez, each with something that it does not see, and ways of playing to measure against."""

from __future__ import annotations

from fourcorners.core.levels import Level
from fourcorners.games.sqez.counting import MOST
from fourcorners.games.sqez.evaluate import ANSWER, COUNT, FORESEE, LARGE, LAST, WEIGHTS

_FEW = 30.0
"""With so many rectangles left a player may go through all answers."""


def _weights(**seen: float) -> tuple[float, ...]:
    weights = [0.0] * WEIGHTS
    for name, worth in seen.items():
        weights[{"last": LAST, "answer": ANSWER, "count": COUNT, "foresee": FORESEE, "large": LARGE}[name]] = worth
    return tuple(weights)


KNOWING = _weights(foresee=MOST, large=1)

LEVELS = (
    Level("beginner", "does not see that a move ends the game", 0, 1.0, _weights()),
    Level("learner", "does not see that it leaves the last move to the next player", 0, 1.0, _weights(last=1)),
    Level("careful", "does not count how many rectangles are still to come", 0, 1.0, _weights(last=1, answer=_FEW)),
    Level(
        "counter",
        "does not look ahead before few rectangles are left",
        0,
        1.0,
        _weights(last=1, answer=_FEW, count=MOST),
    ),
    Level("planner", "does not look far ahead", 300, 1.0, KNOWING),
    Level("thinker", "does not work out the parts into which the field falls", 3_000, 1.0, KNOWING),
    Level("strongest", "", 10_000_000, 3.0, KNOWING, solves=True),
)
BASELINES = {
    "random": LEVELS[0],
    "greedy": LEVELS[1],
    "search": LEVELS[-1]._replace(solves=False),
}
