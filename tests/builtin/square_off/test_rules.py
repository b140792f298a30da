"""The rules of Square Off, one by one; the numbers of rules and rulings are those of the rules page."""

from collections import Counter

import numpy as np
import pytest

import fourcorners as fc
from fourcorners.core import compiled_api
from fourcorners.core.bits import new_rng
from tests.require import require


def replay(moves: str = "", **options: object) -> fc.Position:
    """Return the position after moves, separated by commas, under these options; all must be legal."""
    return fc.game("square-off", **options).replay([move.strip() for move in moves.split(",") if move])


def draw_rows(position: fc.Position) -> list[str]:
    """Return the rows of the board as text, from the top, without coordinates and spaces."""
    lines = str(position).splitlines()
    return [line[3:].replace(" ", "").replace("|", "") for line in lines if line[:2].strip().isdigit()]


def find_marked(position: fc.Position) -> set[str]:
    """Return the cells of all marked men, such as `c3`, as the drawing shows them."""
    size = len(draw_rows(position))
    return {
        "abcdefghijklmnop"[x] + str(size - y)
        for y, row in enumerate(draw_rows(position))
        for x, sign in enumerate(row)
        if sign in "WB"
    }


def count_squares_through(cell: str) -> int:
    """Count the squares through a cell (such as c3) of the 8 x 8 board by play.
    White takes three corners, Black the first other cells, and then White's man on `cell` must mark four men.
    """
    size, game = 8, fc.game("square-off")
    column, row = ord(cell[0]) - 97, int(cell[1:]) - 1
    found = 0
    for other_row in range(size):
        for other_column in (column - (other_row - row), column + (other_row - row)):
            if other_row == row or not 0 <= other_column < size:
                continue
            corners = {(column, row), (other_column, row), (column, other_row), (other_column, other_row)}
            black = [(x, y) for y in range(size) for x in range(size) if (x, y) not in corners][:3]
            white = corners - {(column, row)}
            position = game.start()
            for man, answer in zip(sorted(white), black, strict=True):
                position = position.play(format_cell(*man)).play(format_cell(*answer))
            position = position.play(cell)
            found += position.scores[0] == 4
    return found


def format_cell(x: int, y: int) -> str:
    return "abcdefghijklmnop"[x] + str(y + 1)


def test_rule_1_white_begins_and_a_man_is_placed_on_a_free_cell() -> None:
    position = replay("c5")
    assert position.seat == 1
    assert position.game.seat_names == ("White", "Black")
    assert draw_rows(position)[3] == "..w....."
    assert "c5" not in position.moves()
    assert len(position.moves()) == 63 + 1  # the free cells and the swap


def test_rule_1_the_game_ends_when_the_board_is_full() -> None:
    moves = [f"{column}{row}" for row in (1, 2, 3, 4) for column in "acbd"]
    position = replay(",".join(moves), size=4, symmetry="none")
    assert position.is_over
    assert position.moves() == []
    assert require(position.outcome).reason == "the board is full"
    assert not replay(",".join(moves[:-1]), size=4, symmetry="none").is_over


def test_rule_2_four_corners_in_one_quarter_are_a_square() -> None:
    position = replay("b2,g7,b4,f5,d4,c6,d2")
    assert find_marked(position) == {"b2", "b4", "d2", "d4"}
    assert position.scores == (4, 0)


def test_rule_2_four_corners_in_four_quarters_are_a_square() -> None:
    assert find_marked(replay("c3,b6,f3,g4,c6,e2,f6")) == {"c3", "c6", "f3", "f6"}


def test_rule_2_two_men_in_each_of_two_quarters_are_no_square() -> None:
    # d and e are neighbours, but lie in different quarters; so do rows 4 and 5.
    assert find_marked(replay("d2,a8,e2,h7,d3,b6,e3")) == set()
    assert find_marked(replay("b4,g1,b5,f8,c4,h2,c5")) == set()


def test_rule_2_slanted_squares_do_not_count() -> None:
    assert find_marked(replay("b1,g8,c2,f6,b3,h7,a2")) == set()


def test_r10_each_cell_of_the_upper_left_quarter_is_on_as_many_squares_as_the_table_says() -> None:
    counted = [[count_squares_through(format_cell(x, 7 - y)) for x in range(4)] for y in range(4)]
    assert counted == [[7, 6, 5, 4], [6, 9, 8, 5], [5, 8, 9, 6], [4, 5, 6, 7]]
    # The four quarters are alike, and each of the 100 squares of the board has four corners.
    assert 4 * sum(sum(row) for row in counted) == 4 * 100


@pytest.mark.parametrize("cell", ["b3", "e6", "g2"])
def test_r10_a_cell_of_another_quarter_is_on_as_many_squares_as_its_image_in_the_upper_left(cell: str) -> None:
    column, row = "abcdefgh".index(cell[0]), int(cell[1:]) - 1
    image = format_cell(min(column, 7 - column), max(row, 7 - row))
    assert count_squares_through(cell) == count_squares_through(image)


@pytest.mark.parametrize(("size", "moves"), [(16, "o15,a1,p15,b3,o16,c7,p16"), (10, "e5,a1,f5,b3,e6,c7,f6")])
def test_rule_2_squares_count_on_large_boards(size: int, moves: str) -> None:
    # In one quarter of 16 x 16, and across all four of 10 x 10.
    assert replay(moves, size=size).scores == (4, 0)


def test_rule_3_one_man_may_complete_several_squares() -> None:
    # d2 is the last corner of b2, b4, d4 and of d5, g2, g5.
    position = replay("b4,e8,d4,c7,b2,h4,g2,f6,d5,a6,g5,c1,d2")
    assert find_marked(position) == {"b4", "d4", "b2", "d2", "g2", "d5", "g5"}


def test_rule_3_men_on_two_squares_count_once() -> None:
    # c2 and c3 are on both squares.
    position = replay("b2,h8,b3,g6,c2,f8,c3,h6,d2,e7,d3")
    assert position.scores == (6, 0)


def test_rule_3_most_marked_men_win_and_equal_numbers_are_a_draw() -> None:
    won = fc.game("square-off", size=4, symmetry="none").position("WWwb/WWbw/bwbw/bbb1 b 0 -")
    won = won.play("d1")
    assert won.scores == (4, 0)
    assert won.outcome is not None
    assert won.outcome.winners == (0,)
    drawn = fc.game("square-off", size=4, symmetry="none").position("WWBB/WWBB/wwbb/bww1 b 0 -").play("d1")
    assert drawn.scores == (4, 4)
    assert drawn.outcome is not None
    assert drawn.outcome.winners == (0, 1)


def test_rule_4_after_the_swap_seat_1_has_white_and_its_points() -> None:
    position = replay("b2,swap")
    assert position.seat == 0
    assert len(position.moves()) == 63
    position = position.play("g7")
    assert draw_rows(position)[1] == "......b."
    assert position.seat == 1
    # Points are by seat: White's square counts for seat 1 now.
    assert replay("b2,swap,g7,b3,a6,c2,h4,c3").scores == (0, 4)
    assert position.view().facts()[0] == (0, "colour", "Black")


def test_rule_4_the_swap_answers_only_the_first_man_and_needs_the_option() -> None:
    assert "swap" in replay("b2").moves()
    for moves in ("", "b2,swap", "b2,c3", "b2,c3,d4", "b2,swap,c3"):
        assert "swap" not in replay(moves).moves()
    assert "swap" not in replay("b2", swap=False).moves()


@pytest.mark.parametrize(
    ("moves", "how"),
    [("c3,f3", "left to right"), ("c3,c6", "top to bottom"), ("c3,f6", "half a turn"), ("c3,f6,d2,e7", "half a turn")],
)
def test_rule_5_white_may_replace_blacks_last_man_and_the_picture_says_why(moves: str, how: str) -> None:
    position = replay(moves)
    last = moves.rsplit(",", maxsplit=1)[-1]
    free = 64 - len(moves.split(","))
    # White may place a man on each free cell, or send Black's last man there.
    assert len(position.moves()) == 2 * free
    assert f"{last} a8" in position.moves()
    labels = [element.label for element in position.view().scene().board.elements]
    assert any(how in label for label in labels)


def test_rule_5_a_white_man_replaces_the_black_one_which_moves() -> None:
    position = replay("c3,f6,d2,e7,e7 b6")
    assert draw_rows(position) == [
        "........",
        "....w...",
        ".b...b..",
        "........",
        "........",
        "..w.....",
        "...w....",
        "........",
    ]
    assert position.seat == 1


def test_rule_5_there_is_no_right_unless_all_white_men_mirror_all_black_men() -> None:
    assert not any(" " in move for move in replay("c3,g6").moves())
    assert not any(" " in move for move in replay("c3,f6,d2,e6").moves())
    assert not any(" " in move for move in replay("").moves())


def test_rule_5_one_reflection_must_carry_all_men() -> None:
    # c3 is mirrored left to right and d2 top to bottom: no single reflection carries both.
    assert not any(" " in move for move in replay("c3,f3,d2,d7").moves())


def test_rule_5_black_never_has_the_right() -> None:
    assert not any(" " in move for move in replay("c3,f6,d2").moves())


def test_rule_5_the_right_follows_white_after_a_swap() -> None:
    position = replay("c3,swap,f6")
    assert position.seat == 1
    assert "f6 a1" in position.moves()


def test_rule_5_the_right_returns_in_later_symmetric_positions() -> None:
    assert "f6 a1" in replay("c3,f6").moves()
    assert not any(" " in move for move in replay("c3,f6,d2,a1").moves())
    assert "e7 a1" in replay("c3,f6,d2,e7").moves()


@pytest.mark.parametrize(
    ("symmetry", "first", "second"), [("each", True, True), ("once", True, False), ("none", False, False)]
)
def test_r11_the_right_exists_each_time_or_once_or_never(symmetry: str, first: bool, second: bool) -> None:
    position = replay("b3,g6", symmetry=symmetry)
    assert ("g6 b6" in position.moves()) is first
    # White has b3 and g6, Black b6 and g3: symmetric again, left to right and top to bottom.
    again = position.play("g6 b6").play("g3") if first else replay("b3,b6,g6,g3", symmetry=symmetry)
    assert ("g3 a1" in again.moves()) is second


def test_r11_waiting_does_not_use_up_the_right() -> None:
    # White could have replaced f6 before it played d2.
    assert "e7 a1" in replay("c3,f6,d2,e7", symmetry="once").moves()


def test_r11_facts_show_a_used_right() -> None:
    assert (None, "symmetry right", "used") in replay("b3,g6,g6 b6", symmetry="once").view().facts()


# White has completed a square, and Black its mirror image left to right; White may replace the man on f3.
SYMMETRIC_SQUARES = "b2,g2,b3,g3,c2,f2,c3,f3"


def test_r12_the_replaced_man_and_the_others_of_its_square_keep_their_marks() -> None:
    position = replay(SYMMETRIC_SQUARES + ",f3 b7")
    assert position.scores == (4, 4)
    assert find_marked(position) == {"b2", "b3", "c2", "c3", "f2", "g2", "g3", "b7"}


def test_r12_with_current_marks_only_men_on_complete_squares_count() -> None:
    position = replay(SYMMETRIC_SQUARES + ",f3 b7", marks="current")
    assert position.scores == (4, 0)
    assert find_marked(position) == {"b2", "b3", "c2", "c3"}


@pytest.mark.parametrize("marks", ["kept", "current"])
def test_r12_both_men_may_complete_squares_on_their_new_cells(marks: str) -> None:
    game = fc.game("square-off", marks=marks)
    position = game.position("8/2w2b2/1ww2bb1/8/8/1wb2wb1/1ww2bb1/8 w 0 c3").play("c3 g7")
    assert find_marked(position) == {"b2", "b3", "c2", "c3", "f6", "f7", "g6", "g7"}
    assert position.scores == (4, 4)


def test_r12_the_white_man_does_not_inherit_a_mark() -> None:
    assert "f3" not in find_marked(replay(SYMMETRIC_SQUARES + ",f3 b7"))


@pytest.mark.compiled
def test_pick_draws_all_legal_moves_about_equally_often() -> None:
    for moves, options in (("c3", {}), ("c3,f6", {}), ("b2,c3", {"size": 4}), ("o15,b2", {"size": 16})):
        position = replay(moves, **options)
        codes = np.zeros(compiled_api.bound.run_interpreted(position.states, 0), np.int64)
        count = compiled_api.legal.run_interpreted(position.states, 0, codes)
        rng = new_rng(5)
        drawn = Counter(int(compiled_api.pick(position.states, 0, rng)) for _ in range(40 * count))
        assert set(drawn) == set(codes[:count].tolist())
        # Each is expected 40 times; with this seed none is far from it, while a bias towards a few would show.
        assert max(drawn.values()) < 40 * 2.5
        assert min(drawn.values()) > 40 / 4


def test_the_order_of_moves_leaves_no_trace_in_the_record() -> None:
    first, second = replay("c3,f6,d2,a1,h8"), replay("d2,a1,h8,f6,c3")
    assert first.states.tobytes() == second.states.tobytes()
    # The record forgets Black's last man once White can no longer replace it.
    assert replay("c3,f6,d2,a1").states.tobytes() == replay("d2,a1,c3,f6").states.tobytes()
