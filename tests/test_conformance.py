"""Every game of the registry keeps the contract, with random options; interpreted and compiled play are the same."""

from __future__ import annotations

import random
from typing import Any

import pytest

import fourcorners as fc
from fourcorners.core.conformance import check_documents, check_game
from tests.reference import REFERENCES

SMALL: dict[str, dict[str, Any]] = {
    "squarin-off": {"cols": 2, "rows": 2},
    "dots-and-boxes": {"cols": 2, "rows": 2},
    "square-off": {"size": 4},
    "squendo": {},
    "sqez": {"cols": 5, "rows": 5},
}
GAMES = 6


@pytest.mark.parametrize("name", SMALL)
@pytest.mark.compiled
def test_a_small_game_conforms(name: str) -> None:
    assert check_game(fc.game(name, **SMALL[name]), seed=1) > 0


@pytest.mark.parametrize("name", fc.games())
@pytest.mark.compiled
def test_the_usual_game_conforms(name: str) -> None:
    assert check_game(fc.game(name), seed=2, every=5) > 0


@pytest.mark.compiled
@pytest.mark.parametrize("name", REFERENCES)
def test_games_with_random_options_conform(name: str) -> None:
    rng = random.Random(name)
    for seed in range(GAMES):
        options = REFERENCES[name].draw_options(rng)
        check_game(fc.game(name, **options), seed, every=4)


@pytest.mark.slow
@pytest.mark.compiled
@pytest.mark.parametrize("name", REFERENCES)
def test_many_games_with_random_options_conform(name: str) -> None:
    rng = random.Random(name)
    for seed in range(20 * GAMES):
        check_game(fc.game(name, **REFERENCES[name].draw_options(rng)), seed)


@pytest.mark.compiled
@pytest.mark.parametrize("name", REFERENCES)
def test_the_examples_of_the_rulebook_replay(name: str) -> None:
    game = fc.game(name)
    assert check_documents(game) >= 4
    for option in type(game.options).model_fields:
        assert option in game.spec.rulebook, f"the rulebook does not tell of the option {option}"


@pytest.mark.compiled
def test_a_preset_has_documents_of_its_own() -> None:
    preset, game = fc.game("dots-and-boxes"), fc.game("squarin-off")
    assert check_documents(preset) >= 4
    assert preset.cover != game.cover
    assert preset.rulebook.startswith("# Dots and Boxes")


def test_the_registry_lists_games_and_presets() -> None:
    assert {"squarin-off", "dots-and-boxes", "square-off", "squendo", "sqez"} <= set(fc.games())
    with pytest.raises(fc.OptionError, match="game: 'chess' is not known; it may be squarin-off or"):
        fc.game("chess")
