"""How strong the computer's levels are, in Elo points on one scale for all games, as matches have measured it.

The scale begins with the player that stands for a child in every game; docs/decisions/level-scale.md explains it.
"""

import csv
import math
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from fourcorners.core import catalogue

CHILD_POINTS = 1200
"""The points of a child who has just learnt the rules, in every game."""
GUESSED_FIRST, GUESSED_STEP = 1300, 100
"""The points of the first level of a game without measurements, and from one level to the next where there are none."""


class LevelPoints(NamedTuple):
    """The Elo points of a level and their uncertainty (half of a 95% interval, which grows with each step), and whether
    the step from the level below was measured.
    """

    points: int
    margin: int
    is_measured: bool


class Measurements(NamedTuple):
    """The levels of a game, from 1, as far as matches have measured them, and where they did, such as "on 8 × 8"."""

    levels: tuple[LevelPoints, ...] = ()
    board: str = ""


def find_level_points(game_id: str, level: int) -> LevelPoints:
    """Return the points of a level, from 1, of a game; a guess where nothing was measured, as for an unknown game."""
    levels = read_measurements(game_id).levels
    if level <= len(levels):
        return levels[level - 1]
    if not levels:
        return LevelPoints(GUESSED_FIRST + (level - 1) * GUESSED_STEP, 0, is_measured=False)
    last = levels[-1]
    return LevelPoints(last.points + (level - len(levels)) * GUESSED_STEP, last.margin, is_measured=False)


@lru_cache(maxsize=64)
def read_measurements(game_id: str) -> Measurements:
    """Read what was measured of a game, or of its preset, from `strength.csv` in the game's folder: for each level the
    points above the one below, or above the child for the first, the ends of the 95% interval, the number of games and
    the board. Blank ends are unknown; a blank difference is a guess.
    """
    if game_id not in catalogue.games():
        return Measurements()
    text = catalogue.game(game_id).spec.read_if_present("strength.csv")
    rows = [row for row in csv.DictReader(text.splitlines()) if row["game"] == game_id]
    return Measurements(tuple(_add_up(rows)), rows[0]["board"] if rows else "")


def _add_up(rows: list[dict[str, str]]) -> Iterator[LevelPoints]:
    points, variance = CHILD_POINTS, 0.0
    for row in rows:
        is_measured = bool(row["elo"])
        points += int(row["elo"]) if is_measured else GUESSED_STEP
        ends = [abs(int(row[end]) - int(row["elo"])) for end in ("low", "high") if is_measured and row[end]]
        variance += (sum(ends) / len(ends)) ** 2 if ends else 0.0
        yield LevelPoints(points, round(math.sqrt(variance)), is_measured)
