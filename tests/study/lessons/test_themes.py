"""What a lesson teaches has the name that reviews and puzzles give it."""

import pytest

import fourcorners as fc
from fourcorners.study.lessons.format import find_lesson_about, list_lessons
from fourcorners.study.teaching import Teaching

GAMES = [name for name in fc.games() if list_lessons(name)]


@pytest.mark.parametrize("name", GAMES)
def test_themes_of_lessons_are_those_of_the_game_and_most_have_a_lesson(name: str) -> None:
    facts, of_puzzles = (
        fc.game(name).spec.part(Teaching).facts_of_moves,
        fc.game(name).spec.part(Teaching).puzzle_themes,
    )
    assert facts is not None
    assert of_puzzles is not None
    taught = {theme for lesson in list_lessons(name) for theme in lesson.themes}
    assert taught <= {*facts.THEMES, *of_puzzles.THEMES}
    found = [find_lesson_about(name, theme) for theme in facts.THEMES]
    assert all(lesson is None or theme in lesson.themes for lesson, theme in zip(found, facts.THEMES, strict=True))
    assert sum(lesson is not None for lesson in found) >= len(found) - 1


def test_no_theme_has_no_lesson() -> None:
    assert find_lesson_about(GAMES[0], "") is None
    assert find_lesson_about(GAMES[0], "no-such-theme") is None
