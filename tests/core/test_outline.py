"""Outlines of positions: known again in whatever way a board is turned, and as long as little has been added."""

import re

import pytest

import fourcorners as fc
from fourcorners.core.outline import Outline


def draw(game: fc.Game, *moves: str) -> Outline:
    """Return the outline of the position after moves."""
    position = game.start(seed=1).play_line(moves)
    assert game.spec.outline is not None
    return game.spec.outline(position.record)


def test_a_position_continues_those_before_it_and_their_mirror_images() -> None:
    game = fc.game("dots-and-boxes", cols=3, rows=2)
    earlier, later = draw(game, "a1b1", "a1a2"), draw(game, "a1b1", "a1a2", "b1c1")
    mirrored = draw(game, "c1d1", "d1d2", "b1c1")
    assert later.continues(earlier, 1) and mirrored.continues(earlier, 1)
    assert not later.continues(earlier, 0)
    assert not earlier.continues(later, 5)
    assert not draw(game, "a1b1", "b1b2", "b1c1").continues(earlier, 5)


def test_boards_of_other_sizes_have_nothing_in_common() -> None:
    small, large = (fc.game("dots-and-boxes", cols=cols, rows=3) for cols in (3, 4))
    assert not draw(large, "a1b1").continues(draw(small, "a1b1"), 5)


def test_a_board_can_lie_on_its_side() -> None:
    wide, high = fc.game("sqez", cols=6, rows=5), fc.game("sqez", cols=5, rows=6)
    assert draw(high, "a1 c4").continues(draw(wide, "a1 d3"), 0)


def test_men_keep_their_colours() -> None:
    game = fc.game("square-off", size=6)
    assert draw(game, "a1", "f6").continues(draw(game, "f1", "a6"), 0)
    assert not draw(game, "a1", "b2").continues(draw(game, "f5", "e6"), 0)


def test_tiles_on_a_table_can_be_turned_and_moved_about() -> None:
    game = fc.game("squendo")
    start = game.start(seed=3)
    first = start.play(start.moves()[0])
    second = first.play(first.moves()[0])
    outline = game.spec.outline
    assert outline is not None
    earlier, later = outline(first.record), outline(second.record)
    moved = later._replace(points=frozenset((y + 4, 2 - x, what) for x, y, what in later.points))
    assert moved.continues(earlier, 1)
    other = later._replace(points=frozenset((x, y, re.sub(r"\d+", "99", what)) for x, y, what in later.points))
    assert not other.continues(earlier, 1)


@pytest.mark.parametrize("name", fc.games())
def test_every_game_of_the_package_has_an_outline_that_grows_by_a_step_at_most(name: str) -> None:
    game = fc.game(name)
    position, outline = game.start(seed=5), game.spec.outline
    assert outline is not None
    for _ in range(6):
        before = outline(position.record)
        position = position.play(position.moves()[0])
        after = outline(position.record)
        assert after.continues(before, before.step), position.history
