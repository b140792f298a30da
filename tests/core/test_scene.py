"""Scenes: patches turn one picture into the next, and pictures are sound XML."""

from __future__ import annotations

from xml.etree import ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fourcorners.core.scene import Element, Part, Scene, Style, difference, element_svg, svg, themed_css

STYLE = Style("g{fill:var(--ink)}", "", {"light": {"ink": "#111"}, "dark": {"ink": "#eee"}}, {"loud": {"ink": "red"}})

elements = st.builds(
    Element,
    id=st.sampled_from("abcdefgh"),
    markup=st.sampled_from(["<path/>", "<rect/>"]),
    classes=st.sampled_from(["", "on", "off last"]),
    token=st.sampled_from(["", "c4"]),
    label=st.sampled_from(["", "cell c4, free", "<&\"'>"]),
    gesture=st.just("pick"),
)
parts = st.builds(
    Part,
    box=st.sampled_from([(0.0, 0.0, 10.0, 10.0), (-5.5, 0.0, 20.0, 10.0)]),
    elements=st.lists(elements, unique_by=lambda element: element.id).map(tuple),
    label=st.just("board"),
)


def apply(old: Part, patch: dict[str, object]) -> list[tuple[str, str]]:
    """Apply a patch as the page does; return ids and markup of the result, in order."""
    shown = {element.id: element for element in old.elements}
    order = [element.id for element in old.elements]
    for name in patch.get("remove", ()):  # type: ignore[attr-defined]
        order.remove(name)
        del shown[name]
    keys = {"class": "classes"}
    for name, changes in patch.get("set", {}).items():  # type: ignore[attr-defined]
        shown[name] = shown[name]._replace(**{keys.get(key, key): value for key, value in changes.items()})
    drawn = {name: element_svg(element) for name, element in shown.items()}
    for behind, markup in patch.get("add", ()):  # type: ignore[attr-defined]
        name = ET.fromstring(markup).attrib["id"]
        order.insert(order.index(behind) + 1 if behind else 0, name)
        drawn[name] = markup
    return [(name, drawn[name]) for name in order]


@given(old=parts, new=parts)
def test_a_patch_turns_one_picture_into_the_other(old: Part, new: Part) -> None:
    patch = difference(Scene(old), Scene(new))
    if patch is None:
        assert old == new
        return
    assert apply(old, patch["board"]) == [(element.id, element_svg(element)) for element in new.elements]
    assert ("box" in patch["board"]) == (old.box != new.box)


def test_an_element_that_moves_to_the_front_is_the_only_one_sent_again() -> None:
    row = tuple(Element(name, "<path/>") for name in "abcdefgh")
    old = Part((0, 0, 1, 1), row, "board")
    patch = difference(Scene(old), Scene(old._replace(elements=(row[-1], *row[:-1]))))
    assert patch == {"board": {"remove": ["h"], "add": [("", '<g id="h"><path/></g>')]}}


def test_a_tray_may_come_and_go() -> None:
    board = Part((0, 0, 1, 1), (), "board")
    tray = Part((0, 0, 1, 1), (Element("t", "<path/>", token="#", label="blocker", gesture="carry"),), "tray")
    assert difference(Scene(board, tray), Scene(board)) == {"tray": None}
    patch = difference(Scene(board), Scene(board, tray))
    assert patch is not None
    assert len(patch["tray"]["add"]) == 1


@pytest.mark.parametrize(
    ("theme", "palette", "colour"), [("light", "", "#111"), ("dark", "", "#eee"), ("dark", "loud", "red")]
)
def test_a_document_has_the_values_of_its_theme(theme: str, palette: str, colour: str) -> None:
    part = Part((0, 0, 10, 10), (Element("a", "<path/>", label='"<&'),), "board & more")
    assert themed_css(STYLE, theme, palette) == f"g{{fill:{colour}}}"
    root = ET.fromstring(svg(Scene(part, part), STYLE, theme, palette))
    assert root.attrib["viewBox"] == "0 0 10 15"
