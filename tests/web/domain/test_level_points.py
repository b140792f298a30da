"""The points of the computer's levels: all games on one scale, as docs/strength.md tells what was measured."""

import csv
import re
from pathlib import Path

import pytest

import fourcorners as fc
from fourcorners.players.computer_play import ComputerPlay
from fourcorners.web.domain.level_points import CHILD_POINTS, GUESSED_STEP, find_level_points, read_measurements
from fourcorners.web.domain.ratings import computer_identity, initial_standing, rating_points

STRENGTH = Path(__file__).parents[3] / "docs/strength.md"
TITLES = ("Dots and Boxes", "Squarin’ Off", "Square Off", "Squendo", "Sqez")
"""The games in the order of the columns."""


def read_documented_steps(title: str) -> list[str]:
    """Return the cells of a game's column in the table of levels, the child's first."""
    table = [line for line in STRENGTH.read_text().partition("## Levels")[2].splitlines() if line.startswith("|")]
    assert title in table[0].split("|")[TITLES.index(title) + 2]
    cells = [line.split("|")[TITLES.index(title) + 2].strip() for line in table[2:]]
    return [cell for cell in cells if cell]


@pytest.mark.parametrize("name", fc.games())
def test_every_level_has_points_from_the_steps_that_the_documentation_has(name: str) -> None:
    game = fc.game(name)
    levels = read_measurements(name).levels
    assert len(levels) == len(game.spec.part(ComputerPlay).levels)
    points = [CHILD_POINTS, *(level.points for level in levels)]
    for number, cell in enumerate(read_documented_steps(game.title), 1):
        step = points[number] - points[number - 1]
        measured = re.match(r"(-?\d+) \(", cell)
        assert levels[number - 1].is_measured is (measured is not None)
        expected = int(measured[1]) if measured else GUESSED_STEP
        # Of the first level the table says how far the child is above it.
        assert step == (-expected if number == 1 else expected)
    margins = [level.margin for level in levels]
    assert margins == sorted(margins)


@pytest.mark.parametrize("name", fc.games())
def test_files_have_the_intervals_and_numbers_of_games_of_the_documentation(name: str) -> None:
    game = fc.game(name)
    rows = [row for row in csv.DictReader(game.spec.read("strength.csv").splitlines()) if row["game"] == name]
    for row, cell in zip(rows, read_documented_steps(game.title), strict=True):
        assert cell.endswith(f"; {row['games']})")
        assert all(end.lstrip("-") in cell for end in (row["low"], row["high"]))


def test_level_that_was_not_measured_is_a_guess_that_rises() -> None:
    known = len(read_measurements("sqez").levels)
    above = find_level_points("sqez", known + 2)
    assert (above.points, above.is_measured) == (find_level_points("sqez", known).points + 2 * GUESSED_STEP, False)
    assert [find_level_points("no-game", level).points for level in (1, 3)] == [1300, 1500]


@pytest.mark.parametrize("name", fc.games())
def test_ratings_of_levels_begin_with_their_points(name: str) -> None:
    for level in range(1, len(fc.game(name).spec.part(ComputerPlay).levels) + 1):
        standing = initial_standing(computer_identity(name, level))
        assert rating_points(standing) == find_level_points(name, level).points
