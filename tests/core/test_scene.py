"""Scenes: patches between pictures, and rendering as well-formed XML."""

from xml.etree import ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fourcorners.core.scene import (
    Element,
    Looks,
    Part,
    PartPatch,
    Scene,
    Style,
    diff_scenes,
    render_element,
    render_svg,
    resolve_css,
)

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


def apply_patch(old: Part, patch: PartPatch) -> list[tuple[str, str]]:
    """Apply a part's patch (all but box and label) as the page does; return its elements' ids and SVG, in order."""
    shown = {element.id: element for element in old.elements}
    order = [element.id for element in old.elements]
    for name in patch.get("remove", ()):
        order.remove(name)
        del shown[name]
    keys = {"class": "classes"}
    for name, changes in patch.get("set", {}).items():
        shown[name] = shown[name]._replace(**{keys.get(key, key): str(value) for key, value in changes.items()})
    drawn = {name: render_element(element) for name, element in shown.items()}
    for behind, markup in patch.get("add", ()):
        name = ET.fromstring(markup).attrib["id"]
        order.insert(order.index(behind) + 1 if behind else 0, name)
        drawn[name] = markup
    return [(name, drawn[name]) for name in order]


@given(old=parts, new=parts)
def test_patch_turns_the_elements_of_the_old_scene_into_the_new_ones(old: Part, new: Part) -> None:
    # The patch also has the new view box if, and only if, it changed.
    patch = diff_scenes(Scene(old), Scene(new))
    if patch is None:
        assert old == new
        return
    assert apply_patch(old, patch["board"]) == [(element.id, render_element(element)) for element in new.elements]
    assert ("box" in patch["board"]) == (old.box != new.box)


def test_only_the_element_that_moves_in_the_order_is_removed_and_added_again() -> None:
    row = tuple(Element(name, "<path/>") for name in "abcdefgh")
    old = Part((0, 0, 1, 1), row, "board")
    patch = diff_scenes(Scene(old), Scene(old._replace(elements=(row[-1], *row[:-1]))))
    assert patch == {"board": {"remove": ["h"], "add": [("", '<g id="h"><path/></g>')]}}


def test_patch_adds_and_removes_a_tray() -> None:
    board = Part((0, 0, 1, 1), (), "board")
    tray = Part((0, 0, 1, 1), (Element("t", "<path/>", token="#", label="blocker", gesture="carry"),), "tray")
    assert diff_scenes(Scene(board, tray), Scene(board)) == {"tray": None}
    patch = diff_scenes(Scene(board), Scene(board, tray))
    assert patch is not None and patch["tray"] is not None
    assert len(patch["tray"]["add"]) == 1


def test_tray_is_drawn_below_the_board_at_most_half_as_high_as_wide() -> None:
    part = Part((0, 0, 10, 10), (), "board")
    root = ET.fromstring(render_svg(Scene(part, part), STYLE))
    assert root.attrib["viewBox"] == "0 0 10 15"
    assert [(drawn.attrib["class"], drawn.attrib["y"]) for drawn in root.iterfind("{*}svg")] == [
        ("fc-board", "0"),
        ("fc-tray", "10"),
    ]


@pytest.mark.parametrize(
    ("theme", "palette", "colour"), [("light", "", "#111"), ("dark", "", "#eee"), ("dark", "loud", "red")]
)
def test_rendered_document_has_the_colours_of_its_theme_and_palette(theme: str, palette: str, colour: str) -> None:
    assert resolve_css(STYLE, theme, palette) == f"g{{fill:{colour}}}"
    document = render_svg(Scene(Part((0, 0, 10, 10), (), "board")), STYLE, theme, palette)
    assert ET.fromstring(document).findtext("{*}style") == f"g{{fill:{colour}}}"


def test_a_look_overrides_the_theme_and_yields_to_a_palette() -> None:
    names = {"ink": "black", "paper": "white", "font": "serif"}
    looks = Looks("Paper", "Dots", {"typed": {"paper": "cream", "font": "mono"}})
    css = "g{fill:var(--ink);stroke:var(--paper);font-family:var(--font)}"
    style = Style(css, "", {"light": names}, {"loud": {"paper": "yellow"}}, looks=looks)
    assert resolve_css(style, "light") == "g{fill:black;stroke:white;font-family:serif}"
    assert resolve_css(style, "light", look="typed") == "g{fill:black;stroke:cream;font-family:mono}"
    assert resolve_css(style, "light", "loud", "typed") == "g{fill:black;stroke:yellow;font-family:mono}"


def test_labels_of_a_rendered_document_are_escaped() -> None:
    part = Part((0, 0, 10, 10), (Element("a", "<path/>", label='"<&'),), "board & more")
    board = ET.fromstring(render_svg(Scene(part), STYLE)).find("{*}svg")
    assert board is not None
    assert board.attrib["aria-label"] == "board & more"
    assert [element.attrib["aria-label"] for element in board] == ['"<&']
