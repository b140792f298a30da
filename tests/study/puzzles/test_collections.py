"""The puzzles of every game: what they claim is proven, none are equivalent, and an easy level does not solve them."""

import pytest

import fourcorners as fc
from benchmarks.puzzles.candidates import is_decisive
from benchmarks.puzzles.sets import SETS
from fourcorners.study.puzzles.format import Puzzle, list_puzzles
from fourcorners.study.puzzles.proof import check_puzzle, prove_puzzle
from fourcorners.study.teaching import Teaching

GAMES = ("squarin-off", "dots-and-boxes", "square-off", "squendo", "sqez")
SAMPLE = slice(None, None, 40)
TRIES = 8


def count_solved(puzzle: Puzzle, level: int) -> int:
    """Return in how many of its tries a level finds a best move."""
    players = (fc.Computer(level, seed=seed) for seed in range(TRIES))
    return sum(player.choose_move(puzzle.position) in puzzle.best for player in players)


@pytest.mark.parametrize("name", GAMES)
def test_every_game_has_at_least_300_puzzles_of_which_none_are_equivalent(name: str) -> None:
    puzzles = list_puzzles(name)
    assert len(puzzles) >= 300
    # Reading the file refuses an id that occurs twice, and check_puzzle compares ids with positions.
    for puzzle in puzzles[SAMPLE]:
        check_puzzle(puzzle)


@pytest.mark.parametrize("name", GAMES)
def test_much_depends_on_the_best_move_of_every_puzzle_and_no_game_is_decided_by_far(name: str) -> None:
    for puzzle in list_puzzles(name):
        assert is_decisive(puzzle.position, puzzle.value, puzzle.next_value, SETS[name]), puzzle.name


@pytest.mark.parametrize("name", GAMES)
def test_every_game_has_at_least_60_puzzles_of_several_moves(name: str) -> None:
    assert sum(len(puzzle.list_main_decisions()) > 1 for puzzle in list_puzzles(name)) >= 60
    for puzzle in [puzzle for puzzle in list_puzzles(name) if puzzle.later][SAMPLE]:
        check_puzzle(puzzle)


@pytest.mark.parametrize("name", GAMES)
def test_puzzles_have_several_themes_and_difficulties(name: str) -> None:
    puzzles = list_puzzles(name)
    assert len({theme for puzzle in puzzles for theme in puzzle.themes}) >= 4
    assert puzzles[-1].rating - puzzles[0].rating >= 900
    assert [puzzle.rating for puzzle in puzzles] == sorted(puzzle.rating for puzzle in puzzles)


@pytest.mark.parametrize("name", ["squarin-off", "square-off", "squendo", "sqez"])
def test_every_theme_of_a_game_occurs_in_its_puzzles(name: str) -> None:
    detector = fc.game(name).spec.part(Teaching).puzzle_themes
    assert detector is not None
    assert {theme for puzzle in list_puzzles(name) for theme in puzzle.themes} == set(detector.THEMES)


@pytest.mark.compiled
@pytest.mark.parametrize("name", GAMES)
def test_a_sample_of_puzzles_is_proven_and_not_solved_by_an_easy_level(name: str) -> None:
    puzzles = list_puzzles(name)
    for puzzle in [*puzzles[SAMPLE], *[puzzle for puzzle in puzzles if puzzle.later][SAMPLE]]:
        prove_puzzle(puzzle)
        assert 2 * count_solved(puzzle, SETS[name].easy_level) < TRIES, puzzle.name


@pytest.mark.slow
@pytest.mark.compiled
@pytest.mark.parametrize("name", GAMES)
def test_all_puzzles_are_proven_and_not_solved_by_an_easy_level(name: str) -> None:
    for puzzle in list_puzzles(name):
        check_puzzle(puzzle)
        prove_puzzle(puzzle)
        assert 2 * count_solved(puzzle, SETS[name].easy_level) < TRIES, puzzle.name
