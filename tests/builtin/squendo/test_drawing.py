"""The scene and the text of a table: labels, ids, hidden hands, sizes and colours."""

import random
import re
import xml.etree.ElementTree as ET

import pytest

import fourcorners as fc
from fourcorners.builtin.squendo.drawing import STYLE, find_rectangles
from fourcorners.core.scene import Scene


def play_random_game(seed: int, players: int) -> list[fc.Position]:
    """Play random moves to the end; return all positions of the game, from the start to the end."""
    rng = random.Random(seed)
    positions = [fc.game("squendo", players=players).start(seed=seed)]
    while not positions[-1].is_over:
        positions.append(positions[-1].play(rng.choice(positions[-1].moves())))
    return positions


def collect_labels(scene: Scene) -> dict[str, str]:
    """Return the label of every token in a scene, the tray included."""
    parts = [scene.board, *([scene.tray] if scene.tray else [])]
    return {element.token: element.label for part in parts for element in part.elements if element.token}


def test_tiles_and_places_of_all_moves_are_drawn_and_labelled() -> None:
    for position in play_random_game(1, 3)[:-1:3]:  # every third one, but not the end
        labels = collect_labels(position.view(position.seat).scene())
        wanted = {token for move in position.moves() if move != "pass" for token in move.split(" ")[:2]}
        assert wanted <= set(labels)
        assert all(len(label) > 8 for label in labels.values())  # more than a bare token


def test_all_places_lie_inside_the_view_box() -> None:
    for position in play_random_game(2, 4):
        scene = position.view(0).scene()
        x, y, width, height = scene.board.box
        for token in collect_labels(Scene(scene.board)):
            col, row = (int(number) for number in token.split(","))
            # A place is 100 units wide, with its middle at these coordinates; y points down. A margin of 1 may be cut.
            assert x + 49 < 100 * col < x + width - 49
            assert y + 49 < -100 * row < y + height - 49


def test_labels_name_place_colour_symbol_edges_and_double_stacks() -> None:
    deck = ["R0o", "R1o", "R1x", "R2ax", "B2ao"]
    game = fc.game("squendo")
    position = game.start(deck=[*deck, *(tile for tile in sorted(game.deck(seed=1)) if tile not in deck)])
    position = position.play("R0o 0,0 r0").play("B2ao 0,0 r1")
    labels = collect_labels(position.view(0).scene())
    assert labels["0,0"] == "column 0, row 0, blue circle, black east and south, double stack"
    assert labels["1,0"] == "column 1, row 0, free"
    assert labels["R2ax"] == "red cross, black north and east"


def test_a_hand_is_only_drawn_for_its_owner_and_a_spectator_sees_no_tray() -> None:
    position = fc.game("squendo", players=3).start(seed=6)
    # Besides the tiles, the only token is the first place.
    hands = [set(collect_labels(position.view(seat).scene())) - {"0,0"} for seat in range(3)]
    assert [len(hand) for hand in hands] == [4, 4, 4]
    assert not hands[0] & hands[1]
    spectator = position.view().scene()
    assert spectator.tray is None
    assert set(collect_labels(spectator)) == {"0,0"}


def test_the_place_of_the_last_tile_laid_is_highlighted() -> None:
    for position in play_random_game(3, 2)[1:]:
        marked = [e.token for e in position.view().scene().board.elements if "last" in e.classes.split()]
        laid = [move for move in position.history if move != "pass"]  # a pass changes nothing on the table
        assert marked == [laid[-1].split(" ")[1]]


@pytest.mark.parametrize(
    ("rows", "lines", "found"),
    [
        ("RR RR", False, [(0, 0, 2, 2)]),
        ("RRR RRR", False, [(0, 0, 3, 2)]),
        ("RR. RRR .RR", False, [(0, 0, 2, 2), (1, 1, 2, 2)]),
        ("RRRR", False, []),
        ("RRRR", True, [(0, 0, 4, 1)]),
        ("RRR. RRRR", True, [(0, 0, 3, 2), (0, 1, 4, 1)]),
    ],
)
def test_outlines_surround_only_rectangles_that_are_in_no_larger_one(
    rows: str, lines: bool, found: list[tuple[int, int, int, int]]
) -> None:
    # The first word is the lowest row; a rectangle is the column and row of its lower left place, width and height.
    own = {(col, row) for row, text in enumerate(rows.split()) for col, sign in enumerate(text) if sign == "R"}
    assert list(find_rectangles(frozenset(own), lines=lines)) == found


def test_a_square_scores_and_is_outlined() -> None:
    red = ["R2ao 0,0 r2", "R2ax 1,0 r1", "R1x 1,1 r1", "R1o 0,1 r3"]
    blue = ["B4o -1,0 r0", "B1x 2,0 r3", "B1o 2,1 r3"]
    first = [move.split(" ")[0] for move in red] + [move.split(" ")[0] for move in blue]
    game = fc.game("squendo")
    position = game.start(deck=[*first, *(tile for tile in sorted(game.deck(seed=1)) if tile not in first)])
    for mine, theirs in zip(red, [*blue, ""], strict=True):
        position = position.play(mine)
        position = position.play(theirs) if theirs else position
    assert position.scores == (10, 3)
    # Red's square: column, row, width and height.
    assert [e.id for e in position.view().scene().board.elements if e.id.startswith("sq-q")] == ["sq-q-0_0_2_2"]


def test_the_table_is_drawn_as_text() -> None:
    position = fc.game("squendo").position(
        "table 0,0=R4or0 1,0=G1or3/B0o; hands R0o,R0x B4o; pile -; known *,* *; turn 0; passed -"
    )
    assert str(position.view(0)).splitlines() == [
        "",
        "   1          +      +",
        "",
        "             ####   ----",
        "   0   +    # Ro # #2Go |   +",
        "             ####   ----",
        "",
        "  -1          +      +",
        "",
        "       -1     0      1      2",
        "hand: R0o R0x",
    ]


def test_each_place_of_the_table_has_a_sign_for_tiles_that_fit_when_turned() -> None:
    elements = play_random_game(5, 2)[9].view(0).scene().board.elements
    places = [element for element in elements if element.gesture == "drop"]
    assert len(places) > 5
    assert all('<use href="#sq-f"' in element.markup or '<use href="#sq-s"/>' in element.markup for element in places)


def test_all_letters_and_numbers_are_labels_that_a_page_keeps_large_enough() -> None:
    text = STYLE.defs
    assert text.count("<text ") == text.count('<text class="fc-label ') > 4


def test_the_numbers_of_columns_and_rows_end_where_the_places_do() -> None:
    board = fc.game("squendo").start(seed=1).view(0).scene().board
    x, y, width, height = board.box
    numbers = next(element.markup for element in board.elements if element.id == "sq-numbers")
    cols, rows = (ET.fromstring(frame).attrib for frame in re.findall(r"<svg.*?</svg>", numbers))
    # At least five columns and rows of 100 units, and a margin on the left and below.
    assert float(cols["x"]) == -250
    assert float(rows["y"]) + float(rows["height"]) == 250
    assert (x, y + height) == (-286, 286)
    assert float(cols["x"]) + float(cols["width"]) == x + width
