"""Pictures and words that break the contract of a game are reported, with the position."""

import re
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

import fourcorners as fc
from fourcorners.core.conformance import NotConformingError, check_declaration, check_game
from fourcorners.core.game import Game
from fourcorners.core.narration import narrate
from fourcorners.core.presentation import Explanation, Presentation
from fourcorners.core.scene import Area, Element, Part, Scene

SPEC = fc.game("sqez").spec
BOX = (0.0, 0.0, 1.0, 1.0)
NARRATION = {"describe_move", "list_explanations"}
PLAIN: Any = SimpleNamespace(**{k: v for k, v in vars(SPEC.explain).items() if k not in NARRATION})
"""The explanations of a game that does not describe its moves."""


@pytest.mark.parametrize(
    ("markups", "tray_ids", "message"),
    [
        (("<path>",), (), r"the picture is not well-formed XML: .+ \(in "),
        (("<path/>", "<rect/>"), (), "two elements of the picture, board and tray together, have the same id"),
        (("<path/>",), ("a",), "two elements of the picture, board and tray together, have the same id"),
    ],
)
def test_picture_that_is_malformed_or_uses_an_id_twice_is_reported(
    markups: tuple[str, ...], tray_ids: tuple[str, ...], message: str
) -> None:
    def draw_scene(_: fc.View) -> Scene:
        """Draw a board with an element `a` for each markup, and a tray with the ids given."""
        tray = Part(BOX, tuple(Element(name, "<path/>") for name in tray_ids), "tray") if tray_ids else None
        return Scene(Part(BOX, tuple(Element("a", markup) for markup in markups), "board"), tray)

    drawing: Any = SimpleNamespace(**{**vars(SPEC.drawing), "draw_scene": draw_scene})
    with pytest.raises(NotConformingError, match=message):
        check_game(Game(replace(SPEC, drawing=drawing), {"cols": 3, "rows": 3}), seed=1)


@pytest.mark.parametrize(
    ("words", "explanations", "message"),
    [
        ("", (), "'' is not a clause about the last move"),
        ("drew a line.", (), "'drew a line.' is not a clause"),
        ("drew a line", (Explanation("A box", "Boxes count."),), "'A box' is not the id of an explanation"),
        ("drew a line", (Explanation("box", "boxes count"),), "'boxes count' is not a sentence"),
        ("drew a line", (Explanation("box", "Boxes count."),) * 2, "two explanations of one ply have the same id"),
    ],
)
def test_words_and_explanations_that_a_page_cannot_show_are_reported(
    words: str, explanations: tuple[Explanation, ...], message: str
) -> None:
    presentation = Presentation(describe_move=lambda *_: words, list_explanations=lambda *_: explanations)
    spec = replace(SPEC, explain=PLAIN, presentation=presentation)
    with pytest.raises(NotConformingError, match=re.escape(message)):
        check_game(Game(spec, {"cols": 3, "rows": 3}), seed=1)


def test_game_without_words_has_the_text_of_the_move_and_no_explanations() -> None:
    spec = replace(SPEC, explain=PLAIN, presentation=Presentation())
    start = Game(spec, {}).start()
    assert narrate(start, start.play("b2 d4"), None) == ("b2 d4", ())


def test_words_that_a_game_has_but_does_not_declare_are_reported() -> None:
    spec = replace(SPEC, presentation=Presentation(describe_move=lambda *_: "moved"))
    with pytest.raises(NotConformingError, match="sqez has describe_move in its explain module"):
        check_declaration(spec)


@pytest.mark.parametrize(
    ("areas", "message"),
    [
        ((Area("a", BOX, 1, 0), Area("a", BOX, 0, 1)), "two areas have the same name"),
        ((Area("a", BOX, 9, 0),), "areas add up to [9, 0], not to the points"),
        ((), "areas add up to [0, 0], not to the points"),
    ],
)
def test_areas_that_do_not_add_up_to_the_points_are_reported(areas: tuple[Area, ...], message: str) -> None:
    spec = replace(SPEC, presentation=replace(SPEC.presentation, list_areas=lambda _: areas))
    with pytest.raises(NotConformingError, match=re.escape(message)):
        check_game(Game(spec, {"cols": 3, "rows": 3}), seed=1)
