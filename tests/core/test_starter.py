"""The first games that the games declare."""

import random

import pytest

import fourcorners as fc

FEW_MOVES = 90
"""The plies that two players make in a few minutes."""


@pytest.mark.parametrize("name", fc.games())
def test_first_game_is_valid_for_two_and_short(name: str) -> None:
    game = fc.game(name, **fc.game(name).starter)
    assert game.seats == 2
    choose = random.Random(1)
    position = game.start(1)
    while not position.is_over:
        position = position.play(choose.choice(position.moves()))
    assert len(position.plies) <= FEW_MOVES


@pytest.mark.parametrize("name", fc.games())
def test_first_game_is_no_larger_than_the_standard_one(name: str) -> None:
    sizes = fc.game(name).spec.sizes
    standard = fc.game(name, **sizes["standard"]) if sizes else fc.game(name)
    first = fc.game(name, **fc.game(name).starter).options
    for field in {"cols", "rows", "size"} & set(type(first).model_fields):
        assert getattr(first, field) <= getattr(standard.options, field)


def test_a_game_meant_for_the_home_page_is_for_two_and_needs_no_tray() -> None:
    games = [fc.game(name) for name in fc.games()]
    showcases = [(game, game.showcase) for game in games if game.showcase is not None]
    assert showcases
    for default, (options, how) in showcases:
        game = fc.game(default.id, **options)
        assert game.seats == 2
        assert game.start().view(0).scene().tray is None
        assert how.endswith(".")
