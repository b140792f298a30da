"""A game with a deck as steps of chance refuses what is not its turn; test_openspiel.py plays whole games."""

import random

import pytest

import fourcorners as fc
from fourcorners.core.encoding import DenseEncoding
from fourcorners.core.errors import GameError
from fourcorners.core.game import Game
from fourcorners.envs.stochastic import StochasticGame


def test_game_cannot_be_played_or_imagined_while_a_tile_is_missing() -> None:
    game = StochasticGame(fc.game("squendo"))
    moment = game.begin()
    with pytest.raises(GameError, match="no action is legal: a tile must be drawn"):
        game.play(moment, 0)
    with pytest.raises(GameError, match="can only be imagined"):
        game.imagine(moment, 0, random.Random(1).random)
    with pytest.raises(GameError, match="3 is not legal"):
        game.draw(game.draw(moment, 3), 3)


def test_game_with_a_deck_but_without_chance_is_refused() -> None:
    spec = fc.game("squendo").spec
    game = Game(spec.replace_parts(DenseEncoding(spec.part(DenseEncoding).encode)), {})
    with pytest.raises(GameError, match=r"Squendo has no chance\.py, so chance cannot draw its tiles"):
        StochasticGame(game)
