"""Sheets of puzzles: the choice of puzzles that are printed together."""

import random

from fourcorners.core.errors import OptionError, quote
from fourcorners.study.puzzles.format import Puzzle, list_puzzles


def choose_puzzles(game_id: str, count: int, sheet: int = 1, theme: str = "") -> list[Puzzle]:
    """Return `count` puzzles of a game, or of one of its themes, the easiest first.

    Sheets are numbered from 1. A sheet always has the same puzzles, and no two sheets share one. Raise OptionError for
    an unknown game or theme, a number below 1, or a sheet for which there are not enough puzzles.
    """
    puzzles = list_puzzles(game_id)
    themes = sorted({name for puzzle in puzzles for name in puzzle.themes})
    if theme and theme not in themes:
        raise OptionError("theme", f"{quote(theme)} is not allowed; it must be one of {', '.join(themes)}")
    chosen = [puzzle for puzzle in puzzles if not theme or theme in puzzle.themes]
    for name, number in (("puzzles", count), ("sheet", sheet)):
        if number < 1:
            raise OptionError(name, f"{number} is not allowed; it must be at least 1")
    if count > len(chosen):
        raise OptionError("puzzles", f"{count} is not allowed; there are {len(chosen)}")
    most = len(chosen) // count
    if sheet > most:
        raise OptionError("sheet", f"{sheet} is not allowed; it must be a whole number from 1 to {most}")
    random.Random(game_id).shuffle(chosen)
    return sorted(chosen[count * (sheet - 1) : count * sheet], key=lambda puzzle: (puzzle.rating, puzzle.id))
