"""Pictures of Square Off: labels, sizes, patches, themes, the text board."""

import json
import re

import pytest

import fourcorners as fc
from fourcorners.core.scene import Element, diff_scenes
from tests.require import require

SQUARE = "b2,g7,b4,f5,d4,c6,d2"


def replay(moves: str = "", **options: object) -> fc.Position:
    """Return the position after moves, separated by commas, under these options; all must be legal."""
    return fc.game("square-off", **options).replay([move.strip() for move in moves.split(",") if move])


def draw_elements(position: fc.Position) -> dict[str, Element]:
    """Return the elements of a position's picture by id, after asserting that no id occurs twice."""
    listed = position.view().scene().board.elements
    found = {element.id: element for element in listed}
    assert len(found) == len(listed), "an id occurs twice"
    return found


def test_every_cell_has_a_token_a_gesture_and_a_label() -> None:
    tokens = {element.token: element for element in draw_elements(replay("c3,f6")).values() if element.token}
    assert set(tokens) == {column + row for column in "abcdefgh" for row in "12345678"}
    assert all(element.gesture == "pick" and token in element.label for token, element in tokens.items())


def test_labels_and_classes_describe_cells() -> None:
    found = draw_elements(replay("c3,f6"))
    assert found["so-a1"].label == "cell a1, free"
    assert found["so-c3"].label == "cell c3, white man"
    assert found["so-f6"].label == "cell f6, black man, White may replace it, last move"
    assert {"b", "right", "last", "new"} <= set(found["so-f6"].classes.split())


def test_marked_men_are_drawn_and_a_square_only_right_after_it_is_completed() -> None:
    found = draw_elements(replay(SQUARE))
    assert found["so-b4"].label == "cell b4, white man, marked"
    assert "m" in found["so-b4"].classes.split()
    assert [name for name in found if name.startswith("so-sq")] == ["so-sq-b2-2"]
    assert not [name for name in draw_elements(replay(SQUARE + ",h8")) if name.startswith("so-sq")]


def test_replacing_a_man_draws_squares_of_both_colours_and_the_path_of_the_black_man() -> None:
    game = fc.game("square-off")
    position = game.position("8/2w2b2/1ww2bb1/8/8/1wb2wb1/1ww2bb1/8 w 0 c3").play("c3 g7")
    found = draw_elements(position)
    assert {found[name].classes for name in found if name.startswith("so-sq")} == {"so-sq w new", "so-sq b new"}
    assert found["so-carried"].label == "the black man moved from c3 to g7"


def test_the_kind_of_symmetry_is_drawn_only_while_white_has_the_right() -> None:
    assert draw_elements(replay("c3,f6"))["so-mirror"].classes == "so-mirror ht"
    assert draw_elements(replay("c3,f3"))["so-mirror"].classes == "so-mirror lr"
    assert draw_elements(replay("c3,c6"))["so-mirror"].classes == "so-mirror tb"
    assert draw_elements(replay("c3,g6"))["so-mirror"].classes == "so-mirror"
    assert draw_elements(replay("c3,g6"))["so-mirror"].label == ""
    # Symmetric, but no right.
    assert draw_elements(replay("c3,f6", symmetry="none"))["so-mirror"].classes == "so-mirror"


def test_every_css_selector_contains_the_prefix_so() -> None:
    style = fc.game("square-off").spec.drawing.STYLE
    # What stands before a brace, once the heads of @media rules and the ends of keyframes are gone.
    selectors = re.findall(r"([^{}]+)\{", re.sub(r"@media[^{]*\{|@keyframes[^}]*\}[^}]*\}(?:[^}]*\})?", "", style.css))
    assert selectors
    for selector in selectors:
        assert all("so-" in part or part.strip() in {"from", "to", "60%"} for part in selector.split(",")), selector


# A man that gives White the right, one that completes a square, a use of the right, and the swap.
@pytest.mark.parametrize("moves", ["c3,f6", SQUARE, "c3,f6,f6 b6", "c3,swap"])
def test_the_patch_for_one_move_has_at_most_1024_characters(moves: str) -> None:
    before = replay(",".join(moves.split(",")[:-1])).view().scene()
    assert len(json.dumps(require(diff_scenes(before, replay(moves).view().scene())))) <= 1024


def test_the_board_can_be_drawn_as_text() -> None:
    assert str(replay(SQUARE)).splitlines() == [
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


def test_facts_list_colours_men_and_the_symmetry_right() -> None:
    assert replay("c3,swap,f6").view().facts() == (
        (0, "colour", "Black"),
        (0, "marked men", "0"),
        (0, "men left", "31"),
        (1, "colour", "White"),
        (1, "marked men", "0"),
        (1, "men left", "31"),
        (None, "symmetry right", "White may replace f6"),
    )


def test_on_a_full_board_no_colour_is_to_move() -> None:
    moves = [f"{column}{row}" for row in (1, 2, 3, 4) for column in "acbd"]
    finished = replay(",".join(moves), size=4, symmetry="none")
    assert draw_elements(finished)["so-turn"].classes == "so-turn"


def test_boards_of_every_size_have_a_token_for_each_cell() -> None:
    for size in range(4, 17, 2):
        assert len([e for e in draw_elements(replay("a1", size=size)).values() if e.token]) == size * size
