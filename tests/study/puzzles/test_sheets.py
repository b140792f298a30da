"""Sheets of puzzles to print: which puzzles they have, and their documents."""

import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

import fourcorners as fc
from fourcorners.cli import app
from fourcorners.core.errors import OptionError
from fourcorners.core.narration import name_move
from fourcorners.study.paper import print_puzzle_sheet
from fourcorners.study.puzzles.sheets import choose_puzzles

GAME = "dots-and-boxes"


def test_sheets_have_no_puzzle_in_common_and_begin_with_the_easiest() -> None:
    sheets = [choose_puzzles(GAME, 12, number) for number in (1, 2)]
    assert sheets[0] == choose_puzzles(GAME, 12)
    assert not {puzzle.id for puzzle in sheets[0]} & {puzzle.id for puzzle in sheets[1]}
    ratings = [puzzle.rating for puzzle in sheets[1]]
    assert ratings == sorted(ratings)


def test_theme_limits_the_choice() -> None:
    assert all("chains" in puzzle.themes for puzzle in choose_puzzles(GAME, 6, theme="chains"))


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"count": 0}, "puzzles: 0 is not allowed; it must be at least 1"),
        ({"count": 6, "sheet": 0}, "sheet: 0 is not allowed; it must be at least 1"),
        ({"count": 100_000}, "there are"),
        ({"count": 6, "sheet": 1000}, "sheet: 1000 is not allowed"),
        ({"count": 6, "theme": "luck"}, "theme: 'luck' is not allowed; it must be one of"),
    ],
)
def test_unsuitable_sheet_is_refused(arguments: dict[str, object], sentence: str) -> None:
    with pytest.raises(OptionError) as error:
        choose_puzzles(GAME, **arguments)  # type: ignore[arg-type]
    assert sentence in str(error.value)


@pytest.mark.parametrize("name", fc.games())
def test_sheet_has_puzzles_and_their_solutions_on_the_back(name: str) -> None:
    document = print_puzzle_sheet(name, 7)
    pages = document.pages
    assert len(pages) == 4 == len(re.findall(rb"/Type */Page\b", document.render()))
    solutions = str(pages[1]) + str(pages[3])
    chosen = choose_puzzles(name, 7)
    names = [name_move(puzzle.position, puzzle.best[0]) for puzzle in chosen]
    assert all(move in solutions for move in names)
    assert all(move not in str(pages[0]["items"][0].get("text")) for move in names)


def test_command_prints_a_sheet(tmp_path: Path) -> None:
    output = tmp_path / "sheet.pdf"
    result = CliRunner().invoke(app, ["print", GAME, "--puzzles", "6", "--theme", "chains", "--output", str(output)])
    assert result.exit_code == 0, result.output
    assert output.read_bytes().startswith(b"%PDF")
    refused = CliRunner().invoke(app, ["print", GAME, "--puzzles", "6", "--theme", "luck", "--output", str(output)])
    assert refused.exit_code == 2
    assert "it must be one of" in refused.output
