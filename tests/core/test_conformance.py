"""Pictures that break the contract of a game are reported, with the position."""

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

import fourcorners as fc
from fourcorners.core.conformance import NotConformingError, check_game
from fourcorners.core.game import Game
from fourcorners.core.scene import Element, Part, Scene

BOX = (0.0, 0.0, 1.0, 1.0)


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

    spec = fc.game("sqez").spec
    drawing: Any = SimpleNamespace(**{**vars(spec.drawing), "draw_scene": draw_scene})
    with pytest.raises(NotConformingError, match=message):
        check_game(Game(replace(spec, drawing=drawing), {"cols": 3, "rows": 3}), seed=1)
