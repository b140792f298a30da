"""Levels of a preset: its own if it names some, those of the game otherwise, however a game is made."""

import pickle
from dataclasses import replace

import fourcorners as fc
from fourcorners.core.game import Game
from fourcorners.core.spec import Preset
from fourcorners.players.computer_play import ComputerPlay
from fourcorners.players.levels import DEFAULT_LEVELS
from fourcorners.study.reports.report import list_ladder_levels

SQUARIN_OFF, DOTS = fc.game("squarin-off"), fc.game("dots-and-boxes")
ONLY_DOTS, ONLY_SQUARIN_OFF = ["reckoning", "closer"], ["tactician"]


def test_preset_has_the_levels_that_it_names_and_the_game_keeps_its_own() -> None:
    spec = replace(SQUARIN_OFF.spec, presets={"own": Preset("", {}, parts=(ComputerPlay(),)), "none": Preset("", {})})
    assert Game(spec, {}, "own").spec.part(ComputerPlay).levels == DEFAULT_LEVELS
    assert Game(spec, {}, "none").spec is Game(spec, {}).spec is spec
    assert spec.part(ComputerPlay).levels == SQUARIN_OFF.spec.part(ComputerPlay).levels


def test_games_of_a_preset_share_one_spec_that_differs_only_in_its_parts() -> None:
    assert fc.game("dots-and-boxes", cols=3, rows=3).spec is DOTS.spec
    assert Game(DOTS.spec, {}, DOTS.id).spec is DOTS.spec
    assert DOTS.spec.replace_parts(*SQUARIN_OFF.spec.parts) == SQUARIN_OFF.spec


def test_dots_and_boxes_and_squarin_off_share_the_names_of_most_levels_and_their_order() -> None:
    names, others = ([level.name for level in game.spec.part(ComputerPlay).levels] for game in (DOTS, SQUARIN_OFF))
    assert [name for name in names if name not in ONLY_DOTS] == [
        name for name in others if name not in ONLY_SQUARIN_OFF
    ]
    assert DOTS.spec.part(ComputerPlay).levels[:17] == SQUARIN_OFF.spec.part(ComputerPlay).levels[:17]


def test_copies_positions_and_records_of_both_games_have_the_levels_of_their_game() -> None:
    # The options of both are equal, so the games are, too.
    alike = fc.game("squarin-off", **DOTS.options.given_options())
    assert alike == DOTS
    for game, levels in (
        (alike, SQUARIN_OFF.spec.part(ComputerPlay).levels),
        (DOTS, DOTS.spec.part(ComputerPlay).levels),
    ):
        match = fc.Match(game)
        match.play("a1b1")
        copies = [
            pickle.loads(pickle.dumps(game)),
            game.position(match.position.text).view(0).game,
            fc.Record.parse(str(match.record())).match().position.game,
        ]
        assert [copy.spec.part(ComputerPlay).levels for copy in copies] == [levels] * 3


def test_ladder_of_a_report_has_the_levels_of_its_game() -> None:
    for game, last, name in ((SQUARIN_OFF, 23, "strong"), (DOTS, 22, "strategist")):
        assert list_ladder_levels(game) == list(range(1, last + 1))
        assert game.spec.part(ComputerPlay).levels[last - 1].name == name
