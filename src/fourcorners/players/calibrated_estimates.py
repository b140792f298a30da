"""Calibrated estimates: a search's estimates of a position, corrected by the game's calibration."""

from fourcorners.core.game import Game, Position, View
from fourcorners.players.calibration import LEAST_CHANCE, Calibration
from fourcorners.players.computer_play import ComputerPlay
from fourcorners.solvers.default_exact import reach


def calibrate(
    calibration: Calibration, game: Game, margin: float, win: float, present: int, simulations: int
) -> tuple[float, float]:
    """Return the expected final margin and the chance of winning, 0 to 1, of the seat to move.

    `margin` and `win` are estimates from a search of `simulations` simulations, 1 or more, and `present` is the current
    margin. In a game without points, the margin follows from the chance.
    """
    parties = len(game.options.parties)
    chance = calibration.correct_win(win, simulations, parties)
    if game.spec.scoring == "last-move":
        return 2.0 * chance - 1.0, chance
    return present + calibration.correct_gain(margin - present, parties), chance


def limit_estimate(view: View, margin: float, win: float, present: int) -> tuple[float, float]:
    """Clip an estimate of the final margin and the chance of winning to what the remaining points allow.

    The chance is nearly 0 or 1 if they cannot change the winner; `present` is the current margin.
    """
    if view.game.spec.scoring == "last-move":
        return margin, win
    left = count_points_left(view)
    margin = min(max(margin, float(present - left)), float(present + left))
    if abs(present) > left:
        win = 1.0 - LEAST_CHANCE if present > 0 else LEAST_CHANCE
    return margin, win


def count_points_left(position: Position | View) -> int:
    """Return the most by which any seat's margin can still change, in a game with points."""
    count = position.game.spec.part(ComputerPlay).count_points_left
    most = int(reach(position.record))
    return most if count is None else min(most, count(position.record))
