"""Every registered game fulfils the contract, with default and random options."""

import random
from dataclasses import replace
from typing import Any

import pytest

import fourcorners as fc
from fourcorners.builtin.square_off.exact import margin
from fourcorners.core.conformance import NotConformingError, check_declaration, check_documents, check_game
from fourcorners.core.hidden_information import HiddenInformation
from fourcorners.core.presentation import Presentation
from fourcorners.core.spec import Preset
from fourcorners.search.knowledge import SearchKnowledge
from fourcorners.solvers.exact_play import ExactPlay
from fourcorners.study.teaching import Teaching
from tests.reference import REFERENCES

SMALL: dict[str, dict[str, Any]] = {
    "squarin-off": {"cols": 2, "rows": 2},
    "dots-and-boxes": {"cols": 2, "rows": 2},
    "square-off": {"size": 4},
    "squendo": {},
    "sqez": {"cols": 5, "rows": 5},
}
SMALL_GAMES = [name for name in SMALL if name != "squendo"]  # its whole table takes longer than all of them
GAMES = 6  # with random options; twenty times as many in the slow test


@pytest.mark.parametrize("name", fc.games())
def test_declared_capabilities_of_each_game_match_its_modules(name: str) -> None:
    check_declaration(fc.game(name).spec)


@pytest.mark.parametrize(
    ("name", "change", "message"),
    [
        (
            "sqez",
            {"hidden_information": HiddenInformation()},
            "declares hidden information, but its rules module has no hide",
        ),
        ("squendo", {"hidden_information": None}, "does not declare hidden information, but its rules module has hide"),
        ("sqez", {"scoring": "points"}, 'declares scoring="points", but its exact play has split'),
        ("square-off", {"scoring": "last-move"}, 'declares scoring="last-move", but its exact play lacks split'),
        (
            "square-off",
            {"parts": (ExactPlay(margin),)},
            "has exact play with estimate_cost, but does not declare it",
        ),
        ("sqez", {"parts": (Teaching(), Teaching())}, "sqez declares more than one Teaching"),
        (
            "sqez",
            {"presets": {"blind-sqez": Preset("", {}, parts=(SearchKnowledge(),))}},
            "sqez and its preset blind-sqez declare different modules",
        ),
        (
            "squarin-off",
            {"presentation": Presentation()},
            "has draw_overlay in its drawing module, but its Spec does not use it",
        ),
    ],
)
def test_false_declaration_is_reported(name: str, change: dict[str, Any], message: str) -> None:
    with pytest.raises(NotConformingError, match=message):
        check_declaration(replace(fc.game(name).spec, **change))


@pytest.mark.parametrize("name", [*SMALL_GAMES, pytest.param("squendo", marks=pytest.mark.ci)])
@pytest.mark.compiled
def test_small_game_conforms_at_every_ply(name: str) -> None:
    assert check_game(fc.game(name, **SMALL[name]), seed=1) > 0


@pytest.mark.parametrize("name", fc.games())
@pytest.mark.compiled
def test_game_with_default_options_conforms_at_every_fifth_ply(name: str) -> None:
    assert check_game(fc.game(name), seed=2, every=5) > 0


@pytest.mark.compiled
@pytest.mark.parametrize("name", REFERENCES)
def test_games_with_random_options_conform_at_every_fourth_ply(name: str) -> None:
    rng = random.Random(name)
    for seed in range(GAMES):
        options = REFERENCES[name].draw_options(rng)
        check_game(fc.game(name, **options), seed, every=4)


@pytest.mark.slow
@pytest.mark.compiled
@pytest.mark.parametrize("name", REFERENCES)
def test_many_games_with_random_options_conform_at_every_ply(name: str) -> None:
    rng = random.Random(name)
    for seed in range(20 * GAMES):
        check_game(fc.game(name, **REFERENCES[name].draw_options(rng)), seed)


@pytest.mark.compiled
@pytest.mark.parametrize("name", REFERENCES)
def test_rulebook_has_four_or_more_figures_that_replay_and_mentions_every_option(name: str) -> None:
    game = fc.game(name)
    assert check_documents(game) >= 4
    for option in type(game.options).model_fields:
        assert option in game.spec.rulebook, f"the rulebook does not mention the option {option}"


@pytest.mark.compiled
def test_preset_has_its_own_rulebook_with_figures_and_its_own_cover() -> None:
    preset, game = fc.game("dots-and-boxes"), fc.game("squarin-off")
    assert check_documents(preset) >= 4
    assert preset.cover != game.cover
    assert preset.rulebook.startswith("# Dots and Boxes")


def test_games_lists_games_and_presets_and_other_names_raise_an_option_error() -> None:
    assert {"squarin-off", "dots-and-boxes", "square-off", "squendo", "sqez"} <= set(fc.games())
    with pytest.raises(fc.OptionError, match="game: 'chess' is not known; it must be squarin-off or"):
        fc.game("chess")
