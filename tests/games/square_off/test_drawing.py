"""Pictures of Square Off: labels, sizes, patches, themes, the text board."""

from __future__ import annotations

import gzip
import json
import re
from xml.etree import ElementTree as ET

import pytest

import fourcorners as fc
from fourcorners.core.scene import Element, diff_scenes

SQUARE = "b2,g7,b4,f5,d4,c6,d2"


def after(moves: str = "", **options: object) -> fc.Position:
    return fc.game("square-off", **options).replay([move.strip() for move in moves.split(",") if move])


def elements(position: fc.Position) -> dict[str, Element]:
    listed = position.view().scene().board.elements
    found = {element.id: element for element in listed}
    assert len(found) == len(listed), "an id occurs twice"
    return found


def test_every_cell_is_a_token_with_a_label() -> None:
    found = elements(after("c3,f6"))
    tokens = {element.token: element for element in found.values() if element.token}
    assert set(tokens) == {column + row for column in "abcdefgh" for row in "12345678"}
    assert all(element.gesture == "pick" and token in element.label for token, element in tokens.items())
    assert tokens["a1"].label == "cell a1, free"
    assert tokens["c3"].label == "cell c3, white man"
    assert tokens["f6"].label == "cell f6, black man, White may replace him, last move"
    assert {"b", "right", "last", "new"} <= set(tokens["f6"].classes.split())


def test_marked_men_and_the_new_square_are_shown() -> None:
    found = elements(after(SQUARE))
    assert found["so-b4"].label == "cell b4, white man, marked"
    assert "m" in found["so-b4"].classes.split()
    assert [name for name in found if name.startswith("so-sq")] == ["so-sq-b2-2"]
    assert not [name for name in elements(after(SQUARE + ",h8")) if name.startswith("so-sq")]


def test_both_colours_squares_are_shown_when_a_man_is_replaced() -> None:
    game = fc.game("square-off")
    position = game.position("8/2w2b2/1ww2bb1/8/8/1wb2wb1/1ww2bb1/8 w 0 c3").play("c3 g7")
    found = elements(position)
    assert {found[name].classes for name in found if name.startswith("so-sq")} == {"so-sq w new", "so-sq b new"}
    assert found["so-carried"].label == "the black man of c3 went to g7"


def test_the_mirror_is_shown_while_white_may_use_it() -> None:
    assert elements(after("c3,f6"))["so-mirror"].classes == "so-mirror ht"
    assert elements(after("c3,f3"))["so-mirror"].classes == "so-mirror lr"
    assert elements(after("c3,c6"))["so-mirror"].classes == "so-mirror tb"
    assert elements(after("c3,g6"))["so-mirror"].label == ""


@pytest.mark.parametrize("theme", ["light", "dark", "print"])
@pytest.mark.parametrize("palette", ["", "colour-blind", "high-contrast"])
def test_pictures_are_xml_and_have_all_colours(theme: str, palette: str) -> None:
    svg = after(SQUARE).svg(theme=theme, palette=palette)
    ET.fromstring(svg)
    assert "var(" not in svg
    assert re.findall(r'href="(?!#)', svg) == []


def test_names_of_the_sheet_are_the_games_own() -> None:
    style = fc.game("square-off").spec.drawing.STYLE
    selectors = re.findall(r"([^{}]+)\{", re.sub(r"@media[^{]*\{|@keyframes[^}]*\}[^}]*\}(?:[^}]*\})?", "", style.css))
    assert selectors
    for selector in selectors:
        assert all("so-" in part or part.strip() in {"from", "to", "60%"} for part in selector.split(",")), selector
    for theme in style.themes.values():
        assert set(re.findall(r"var\(--([a-z0-9-]+)\)", style.css)) <= set(theme)
        for palette in style.palettes.values():
            assert set(palette) <= set(theme)


def test_the_picture_is_small() -> None:
    position = after(SQUARE + ",h8,e5,a1,c3,h1,f2,g2,d5,e4,e1,d8,b7,c8,f7,h5,a4,b6,g3,h2")
    svg = position.svg()
    assert len(gzip.compress(svg.encode())) <= 12 * 1024


@pytest.mark.parametrize("moves", ["c3,f6", SQUARE, "c3,f6,f6 b6", "c3,swap"])
def test_the_patch_of_one_move_is_small(moves: str) -> None:
    before = after(",".join(moves.split(",")[:-1])).view().scene()
    patch = diff_scenes(before, after(moves).view().scene())
    # Before any man stands, nothing of the last move is taken away.
    assert patch is not None
    assert len(json.dumps(patch)) <= 1024


def test_the_text_board() -> None:
    assert str(after(SQUARE)).splitlines() == [
        " 8  . . . . | . . . .",
        " 7  . . . . | . . b .",
        " 6  . . b . | . . . .",
        " 5  . . . . | . b . .",
        "    --------+--------",
        " 4  . W . W | . . . .",
        " 3  . . . . | . . . .",
        " 2  . W . W | . . . .",
        " 1  . . . . | . . . .",
        "    a b c d   e f g h",
        "Marked men: White (seat 0) 4, Black (seat 1) 0. Black to move.",
    ]


def test_facts() -> None:
    assert after("c3,swap,f6").view().facts() == (
        (0, "colour", "Black"),
        (0, "marked men", "0"),
        (0, "men left", "31"),
        (1, "colour", "White"),
        (1, "marked men", "0"),
        (1, "men left", "31"),
        (None, "symmetry right", "White may replace f6"),
    )


def test_a_finished_board_and_every_size_can_be_drawn() -> None:
    moves = [f"{column}{row}" for row in (1, 2, 3, 4) for column in "acbd"]
    finished = after(",".join(moves), size=4, symmetry="none")
    assert elements(finished)["so-turn"].classes == "so-turn"
    for size in range(4, 17, 2):
        assert len([e for e in elements(after("a1", size=size)).values() if e.token]) == size * size
