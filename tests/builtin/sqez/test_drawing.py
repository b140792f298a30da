"""Pictures of Sqez: labels, ids, sizes, themes, and the field as text."""

import random
import re

import pytest

import fourcorners as fc
from fourcorners.builtin.sqez import drawing
from fourcorners.builtin.sqez.style import STYLE
from fourcorners.core.scene import Element

GAME = ["c5 e7", "d3 f6", "e2 h5", "b1 d3", "f6 h8", "a6 d8"]


def play_randomly(seed: int, **options: object) -> fc.Position:
    """Return the final position of a game of random moves under these options; the same seed gives the same game."""
    rng = random.Random(seed)
    position = fc.game("sqez", **options).start()
    while not position.is_over:
        position = position.play(rng.choice(position.moves()))
    return position


def draw_elements(position: fc.Position) -> dict[str, Element]:
    """Return the elements of a position's picture, as a spectator sees it, by id, after asserting that ids differ."""
    found = position.view().scene().board.elements
    assert len({element.id for element in found}) == len(found)
    return {element.id: element for element in found}


def test_every_dot_has_a_token_and_the_gesture_span() -> None:
    found = draw_elements(fc.game("sqez").replay(["b2 d4"]))
    dots = {element.token: element for element in found.values() if element.token}
    assert dots.keys() == {f"{column}{row}" for column in "abcdefgh" for row in range(1, 9)}
    assert all(element.gesture == "span" for element in dots.values())


def test_free_and_used_dots_differ_in_label_and_class() -> None:
    found = draw_elements(fc.game("sqez").replay(["b2 d4"]))
    dots = {element.token: element for element in found.values() if element.token}
    assert dots["c3"].label == "dot c3, free"
    assert dots["b2"].label == "dot b2, on a line"
    assert dots["b2"].classes != dots["c3"].classes


def test_each_ply_is_drawn_with_the_pencil_of_its_seat_and_the_last_is_marked() -> None:
    """The element `sq-PLYr` is a rectangle with its seat's colour and sign; `sq-PLYh` is a highlight in the last."""
    found = draw_elements(fc.game("sqez", players=3).replay(GAME))
    assert [found[f"sq-{ply}r"].classes for ply in range(6)] == [
        "sq-r s0",
        "sq-r s1",
        "sq-r s2",
        "sq-r s0",
        "sq-r s1",
        "sq-r s2 last",
    ]
    assert "#sq-sign2" in found["sq-5r"].markup
    assert found["sq-5h"].classes == "sq-h h2"


def test_the_winning_rectangle_is_highlighted() -> None:
    found = draw_elements(fc.game("sqez", cols=4, rows=4).replay(["a1 c3"]))
    assert found["sq-0h"].classes == "sq-h h0 won"


def test_lines_from_before_the_first_ply_have_a_neutral_colour() -> None:
    """A position that was set up from text has no history: its lines are one element without the class of a seat, and
    the first ply after it is number 0.
    """
    game = fc.game("sqez", players=3)
    position = game.position(game.replay(GAME[:4]).text)
    found = draw_elements(position)
    assert found["sq-before"].classes == "sq-r"
    assert not any("last" in element.classes for element in found.values())
    found = draw_elements(position.play(GAME[4]))
    assert "sq-before" in found
    assert found["sq-0r"].classes == "sq-r s1 last"


def test_a_shared_side_is_drawn_only_for_the_seat_that_drew_it_first() -> None:
    found = draw_elements(fc.game("sqez", cols=6, rows=6, sides="shared").replay(["a1 f4", "d2 f4", "a1 d4"]))
    # A line is drawn twice, and each time begins with an M. The first move adds four lines, then two, then one.
    assert found["sq-0r"].markup.count("M") == 2 * 4
    assert found["sq-1r"].markup.count("M") == 2 * 2
    assert found["sq-2r"].markup.count("M") == 2 * 1


def test_a_forfeit_is_struck_out_draws_no_lines_and_is_a_fact() -> None:
    position = fc.game("sqez", strict=True, players=3).replay(["b2 d4", "a1 c3"])
    found = draw_elements(position)
    assert "sq-1r" not in found  # the lines of ply 1
    assert found["sq-1x"].label == "red forfeits: a1 c3 is not a legal rectangle"
    assert (1, "out", "forfeited") in position.view().facts()


def test_facts_count_rectangles_and_free_dots() -> None:
    position = fc.game("sqez", players=3).replay(GAME[:4])
    facts = position.view().facts()
    assert facts[:3] == ((0, "rectangles", "2"), (1, "rectangles", "1"), (2, "rectangles", "1"))
    drawn_free_dots = str(position).count("•")
    assert facts[3] == (None, "free dots", str(drawn_free_dots))


def test_the_field_can_be_drawn_as_text() -> None:
    assert str(fc.game("sqez", players=3).replay(GAME)).splitlines() == [
        " 8 ┌─────┐ • ┌───┐",
        " 7 │ • ┌─┼─┐ │ • │",
        " 6 └───┼─┼─┼─┼───┘",
        " 5 • • └─┼─┼─┼───┐",
        " 4 • • • │ │ │ • │",
        " 3 • ┌───┼─┼─┘ • │",
        " 2 • │ • │ └─────┘",
        " 1 • └───┘ • • • •",
        "   a b c d e f g h",
    ]


def test_graph_paper_shows_its_grid_and_the_typewriter_its_letters() -> None:
    position = fc.game("sqez").replay(GAME)
    usual, graph, typed = (position.svg(look=look) for look in ("", "graph-paper", "typewriter"))
    grid = re.compile(r"\.sq-grid\{[^}]*stroke:([^;]+);")
    drawn = [match[1] for match in (grid.search(svg) for svg in (usual, graph, typed)) if match]
    assert [stroke == "none" for stroke in drawn] == [True, False, True]
    assert ["monospace" in svg for svg in (usual, graph, typed)] == [False, False, True]
    with pytest.raises(fc.OptionError, match="graph-paper or typewriter"):
        position.svg(look="vellum")


def compute_contrast(first: str, second: str) -> float:
    """Return the contrast ratio of two colours such as "#fbf8ef" as WCAG 2 defines it, 1 to 21, in either order."""

    def compute_luminance(colour: str) -> float:
        """Return the relative luminance of a colour, 0 for black to 1 for white; the constants are those of WCAG."""
        parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
        red, green, blue = (p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts)
        return 0.2126 * red + 0.7152 * green + 0.0722 * blue

    low, high = sorted((compute_luminance(first), compute_luminance(second)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("theme", ["light", "dark", "print"])
@pytest.mark.parametrize("palette", ["", "colour-blind", "high-contrast"])
def test_lines_dots_and_names_contrast_with_the_paper(theme: str, palette: str) -> None:
    values = {**STYLE.themes[theme], **STYLE.palettes.get(palette, {})}
    # WCAG 2 asks for 3 to 1 for graphics and 4.5 to 1 for text.
    for name in ("sq-ink", "sq-used", "sq-old", "sq-accent", *(f"sq-s{seat}" for seat in range(8))):
        assert compute_contrast(values[name], values["sq-paper"]) >= 3, name
    assert compute_contrast(values["sq-names"], values["sq-paper"]) >= 4.5


def test_a_picture_is_the_same_after_the_caches_of_paths_are_cleared() -> None:
    first = play_randomly(6).svg()
    drawing._draw_path.cache_clear()
    drawing._draw_rectangle.cache_clear()
    assert play_randomly(6).svg() == first


def test_the_cover_shows_a_running_game_after_six_plies() -> None:
    record = fc.Record.parse(fc.game("sqez").spec.cover)
    position = record.match().position
    assert not position.is_over
    assert len(position.history) == 6
