"""Exact play of Square Off, compared with an exhaustive search on the slow reference."""

import random
from collections import Counter
from itertools import product
from typing import Any

import pytest

import fourcorners as fc
from fourcorners.builtin.square_off.exact.margin import estimate_cost
from fourcorners.core.bits import popcount
from fourcorners.core.errors import SolverLimit
from tests.builtin.square_off.exact.alpha_beta import Search, enter, get_bounds
from tests.reference.square_off import Reference, choose_rare_move, format_cell
from tests.reference.square_off_values import compute_value

VARIANTS = [
    {"swap": swap, "symmetry": symmetry, "marks": marks}
    for swap, symmetry, marks in product((True, False), ("each", "once", "none"), ("kept", "current"))
]


def start_reference_and_position(options: dict[str, Any]) -> tuple[Reference, fc.Position]:
    """Return the start of a game with these options, as the reference and as the package have it."""
    marks = "current" if options.get("marks") == "current" else None
    return Reference(**{**options, "marks": marks}), fc.game("square-off", **options).start()


def play_random_moves(rng: random.Random, options: dict[str, Any], free: int) -> tuple[Reference, fc.Position]:
    """Return a reference and a position after the same random moves, until `free` cells are free.
    In four of five calls the moves prefer symmetry, the right and squares. `options` are those of the game.
    """
    reference, position = start_reference_and_position(options)
    prefers_symmetry = rng.random() < 0.8
    while len(reference.free) > free:
        move = choose_rare_move(reference, rng) if prefers_symmetry else rng.choice(reference.moves())
        reference.play(move)
        position = position.play(move)
    return reference, position


def play_mirrored_moves(rng: random.Random, options: dict[str, Any], free: int) -> tuple[Reference, fc.Position]:
    """Return a reference and a position with `free` free cells; Black mirrored each move, White used no right.
    No one used the swap. If the number of men is odd, White's last man has no mirror image yet.
    """
    reference, position = start_reference_and_position(options)
    reflect = rng.choice(list(reference.get_reflections().values()))
    while len(reference.free) > free:
        cell = rng.choice(sorted(reference.free))
        # The slice leaves out the mirror image once only one more cell is to be taken.
        for move in (format_cell(cell), format_cell(reflect(cell)))[: len(reference.free) - free]:
            reference.play(move)
            position = position.play(move)
    return reference, position


def compare_random_values(count: int, max_free: int, sizes: tuple[int, ...], seed: int) -> int:
    """Assert that the values of `count` random positions with up to `max_free` free cells are those of the reference.
    Return in how many of them White may still get the right, so that callers can assert that such positions occur.
    """
    rng = random.Random(seed)
    rights = 0
    for i in range(count):
        options = {"size": rng.choice(sizes), **VARIANTS[i % len(VARIANTS)]}
        reference, position = play_random_moves(rng, options, rng.randint(1, max_free))
        search = Search(position)
        assert search.solve() == compute_value(reference), (options, position.text)
        rights += int(search.root[0]["right"]) > 0
    return rights


def test_values_with_up_to_3_free_cells_agree_with_the_reference() -> None:
    assert compare_random_values(24, 3, (4, 4, 4, 6, 8, 10), seed=1) > 0


@pytest.mark.ci
@pytest.mark.compiled
def test_values_with_up_to_6_free_cells_agree_with_the_reference() -> None:
    assert compare_random_values(36, 6, (4, 4, 4, 4, 6, 8, 10, 16), seed=2) >= 1


@pytest.mark.compiled
@pytest.mark.slow
def test_many_values_with_up_to_7_free_cells_agree_with_the_reference() -> None:
    assert compare_random_values(2400, 7, (4, 4, 4, 4, 6, 8, 10, 12, 16), seed=3) >= 100


@pytest.mark.compiled
@pytest.mark.parametrize("size", [4, 6, 8, pytest.param(10, marks=pytest.mark.ci)])
def test_rule_5_values_include_the_symmetry_right(size: int) -> None:
    """With four free cells White has the right now, with five White may get it once more.
    The values agree with the reference, and at least one of them changes when the right is taken away.
    """
    rng = random.Random(size)
    rights, is_changed = 0, Counter[bool]()
    for i in range(24):
        options = {"size": size, **VARIANTS[i % len(VARIANTS)]}
        free = 4 + i // 12
        reference, position = play_mirrored_moves(rng, options, free)
        search = Search(position)
        expected = compute_value(reference)
        assert search.solve() == expected, (options, position.text)
        has_right = options["symmetry"] != "none"
        assert (int(search.root[0]["right"]) > 0) == has_right
        assert (int(search.root[0]["last"]) > 0) == (has_right and free == 4)
        rights += has_right
        if has_right:
            # The same men without the right, so without a man to replace.
            text = " ".join([*position.text.split(" ")[:3], "-"])
            without = fc.game("square-off", **{**options, "symmetry": "none"}).position(text)
            is_changed[Search(without).solve() != expected] += 1
    # Each of the twelve variants occurs twice, and eight of them have the right.
    assert rights == 16
    assert is_changed[True] > 0, "the right never changed a value"


def test_with_one_free_cell_bounds_and_value_are_what_the_last_man_marks() -> None:
    position = fc.game("square-off", size=4, symmetry="none").position("bbWW/b1WW/wbwb/bwbw b 0 -")
    assert position.play("b3").scores == (4, 4)
    assert get_bounds(Search(position).root) == (4, 4)
    assert Search(position).solve() == 4


def test_the_bounds_of_a_full_board_are_0() -> None:
    position = fc.game("square-off", size=4, symmetry="none").position("bbWW/b1WW/wbwb/bwbw b 0 -").play("b3")
    assert position.is_over
    assert get_bounds(Search(position).root) == (0, 0)


@pytest.mark.compiled
def test_r12_marks_lost_with_blacks_broken_square_are_a_gain_for_white_only_with_current_marks() -> None:
    # White replaces the man that has just completed Black's square.
    game = fc.game("square-off", marks="current")
    position = game.replay(["b2", "g2", "b3", "g3", "c2", "f2", "c3", "f3"])
    # Before the move the score is 4 : 4.
    assert position.play("f3 b7").scores == (4, 0)
    boards, nodes = enter(position)
    assert int(boards[0]["current"]) == 1
    assert max(link.gain for link in Search(position).expand(nodes)) == 4
    kept = fc.game("square-off").replay(list(position.history))
    assert max(link.gain for link in Search(kept).expand(enter(kept)[1])) == 0


@pytest.mark.compiled
@pytest.mark.parametrize(
    "options",
    # Four of them have every value of every option.
    [pytest.param(each, marks=() if i in {2, 5, 7, 10} else pytest.mark.ci) for i, each in enumerate(VARIANTS)],
    ids=str,
)
def test_the_4_x_4_board_is_a_draw_in_every_variant_and_takes_fewer_than_60000_nodes(options: dict[str, Any]) -> None:
    search = Search(fc.game("square-off", size=4, **options).start())
    assert search.solve() == 0
    # More than 1000: the bounds of the root alone do not decide the game.
    assert 1000 < search.nodes < 60000


@pytest.mark.ci
@pytest.mark.compiled
def test_rule_4_the_swap_gives_the_second_seat_the_better_side() -> None:
    for symmetry, first in product(("each", "once", "none"), ("a1", "a2", "b2")):
        options: dict[str, Any] = {"size": 4, "symmetry": symmetry}
        without = Search(fc.game("square-off", swap=False, **options).replay([first])).solve()
        # Both values are those of seat 1, which takes the man over if it would lose as Black.
        assert Search(fc.game("square-off", swap=True, **options).replay([first])).solve() == abs(without)


def transpose_text(text: str) -> str:
    """Return the text of a position mirrored in the diagonal through its top left corner: row i becomes column i.
    The position must have no man to replace, whose name would have to change as well.
    """
    board, *rest = text.split(" ")
    rows = ["".join("." * int(sign) if sign.isdigit() else sign for sign in row) for row in board.split("/")]
    columns = "/".join("".join(column) for column in zip(*rows, strict=True))
    for length in range(len(rows), 0, -1):
        columns = columns.replace("." * length, str(length))
    return " ".join([columns, *rest])


@pytest.mark.compiled
@pytest.mark.parametrize("size", [4, 6])
def test_transposed_positions_have_the_same_value_and_moves_of_early_ones_lead_to_the_same_keys(size: int) -> None:
    for seed in range(20):
        rng = random.Random(seed)
        options = {"size": size, "symmetry": "none"}
        _, position = play_random_moves(rng, options, 8)
        image = position.game.position(transpose_text(position.text))
        assert image.text != position.text
        assert Search(image).solve() == Search(position).solve()
        # Only boards with few men at the start of a search map mirror images to one key.
        _, early = play_random_moves(rng, options, size * size - 4)
        searches = [Search(early), Search(early.game.position(transpose_text(early.text)))]
        keys = [[link.key for link in search.expand(search.root)] for search in searches]
        assert sorted(keys[0]) == sorted(keys[1])


def test_a_node_near_the_end_on_the_largest_board_has_few_squares_and_free_cells() -> None:
    _, position = play_random_moves(random.Random(5), {"size": 16}, 2)
    boards, nodes = enter(position)
    # Only squares through a cell that can still change can be completed: two are free, and one man may be replaced.
    assert int(boards[0]["count"]) < 100
    assert popcount(nodes[0]["free"]) <= 2


def test_a_position_that_is_too_large_raises_solver_limit_with_valid_bounds() -> None:
    position = fc.game("square-off", size=10).start()
    with pytest.raises(SolverLimit, match="the limit is 64") as caught:
        enter(position)
    # Each colour gets half of the 100 cells.
    assert (caught.value.lower, caught.value.upper) == (-50, 50)


def test_the_estimated_cost_has_the_right_order_of_magnitude() -> None:
    # Solving the 4 x 4 board takes some thousand nodes, and 8 x 8 is out of reach.
    assert 200 < estimate_cost(fc.game("square-off", size=4).start().record) < 100_000
    assert estimate_cost(fc.game("square-off").start().record) > 1e10


def test_the_estimated_cost_of_a_position_that_is_too_large_is_infinite() -> None:
    assert estimate_cost(fc.game("square-off", size=16).start().record) == float("inf")
