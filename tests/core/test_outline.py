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


def test_all_men_can_exchange_their_colours_but_not_some_of_them() -> None:
    game = fc.game("square-off", size=6)
    earlier = draw(game, "a1", "f6", "b2", "c3")
    assert draw(game, "f1", "a6", "e2", "d3").continues(earlier, 0)
    assert draw(game, "f6", "a1", "c3", "b2").continues(earlier, 0)
    exchanged = earlier._replace(
        points=frozenset((x, y, {"white": "black", "black": "white"}[what]) for x, y, what in earlier.points)
    )
    assert exchanged.continues(earlier, 0)
    mixed = exchanged._replace(points=frozenset((x, y, "white") for x, y, _ in earlier.points), slack=0)
    assert not mixed.continues(earlier._replace(slack=0), 0)


def test_one_point_may_be_missing_only_where_that_is_allowed() -> None:
    game = fc.game("dots-and-boxes", cols=3, rows=3)
    earlier, images = draw(game, "a1b1", "c3d3", "b2c2"), list(draw(game, "a1b1", "b2c2").list_images())
    assert not earlier.leads_to(images, 5) and earlier.leads_to(images, 5, 1)


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
    other = later._replace(points=frozenset((x, y, re.sub(r"\d+ ", "9 ", what)) for x, y, what in later.points))
    assert not other.continues(earlier, 1)
    # With other colours, and with the symbols or black and white exchanged, the same moves are good.
    inverse = {
        name: f"tile {'543210'[int(name[5])] if name[5] in '0145' else name[5]}{name[6:]}" for *_, name in later.points
    }
    for names in (inverse, {name: f"{name[:-1]}{1 - int(name[-1])}" for *_, name in later.points}):
        assert later._replace(points=frozenset((x, y, names[what]) for x, y, what in later.points)).continues(
            earlier, 1
        )


def test_the_colours_of_tiles_do_not_matter() -> None:
    game, other = fc.game("squendo", colours="RBG"), fc.game("squendo", colours="YGR")
    names = str.maketrans("RBG", "YGR")
    deck = game.deck(seed=3)
    position, twin = game.start(deck=deck), other.start(deck=[tile.translate(names) for tile in deck])
    outline = game.spec.outline
    assert outline is not None
    for _ in range(5):
        move = position.moves()[-1]
        position, twin = position.play(move), twin.play(move.translate(names))
        assert outline(position.record) == outline(twin.record)


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
