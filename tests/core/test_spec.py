"""Parts of a game's declaration: each package above the core finds its own, whatever others a game has."""

from dataclasses import dataclass, replace

import fourcorners as fc
from fourcorners.core.game import Game
from fourcorners.core.spec import Preset, SpecPart


@dataclass(frozen=True)
class Sound(SpecPart):
    volume: int = 1


@dataclass(frozen=True)
class Smell(SpecPart):
    name: str = "fresh"


PLAIN = replace(fc.game("sqez").spec, parts=())


def test_part_of_a_kind_is_the_one_that_the_game_declares_or_has_the_defaults() -> None:
    spec = replace(PLAIN, parts=(Smell("old"), Sound(3)))
    assert (spec.part(Sound), spec.part(Smell)) == (Sound(3), Smell("old"))
    assert PLAIN.part(Sound) == Sound(1)


def test_preset_replaces_parts_of_the_same_kinds_and_keeps_the_order_and_the_other_ones() -> None:
    presets = {"loud": Preset("", {}, parts=(Sound(9),)), "plain": Preset("", {})}
    spec = replace(PLAIN, parts=(Sound(3), Smell("old")), presets=presets)
    assert Game(spec, {}, "loud").spec.parts == (Sound(9), Smell("old"))
    assert Game(spec, {}, "plain").spec is spec
    assert PLAIN.replace_parts(Sound(9)).parts == (Sound(9),)
