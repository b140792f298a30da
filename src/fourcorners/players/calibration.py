"""Calibrated estimates: what a search says about a position, corrected by what is known about its game."""

from fourcorners.core.calibration import Calibration
from fourcorners.core.game import Game


def calibrate(
    calibration: Calibration, game: Game, margin: float, win: float, present: int, simulations: int
) -> tuple[float, float]:
    """Return the expected final margin and the chance of winning, 0 to 1, of the seat to move.

    `margin` and `win` are what a search of `simulations` simulations, 1 or more, says of them, and `present` is the
    margin now. In a game without points the margin follows from the chance.
    """
    parties = len(game.options.parties)
    chance = calibration.correct_win(win, simulations, parties)
    if game.spec.scoring == "last-move":
        return 2.0 * chance - 1.0, chance
    return present + calibration.correct_gain(margin - present, parties), chance
