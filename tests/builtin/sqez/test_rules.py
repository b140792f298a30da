"""The rules of Sqez, one by one; the numbers of rules and rulings are those of the rules page."""

import math
from collections import Counter
from functools import cache

import numpy as np
import pytest

import fourcorners as fc
from fourcorners.core import compiled_api
from fourcorners.core.bits import new_rng


def replay(*moves: str, **options: object) -> fc.Position:
    """Return the position after these moves under these options; raise IllegalMoveError if one is illegal."""
    return fc.game("sqez", **options).replay(moves)


def test_rule_1_a_rectangle_is_drawn_between_two_dots() -> None:
    assert str(replay("b2 d4", cols=5, rows=5)).splitlines() == [
        " 5 • • • • •",
        " 4 • ┌───┐ •",
        " 3 • │ • │ •",
        " 2 • └───┘ •",
        " 1 • • • • •",
        "   a b c d e",
    ]


def test_rule_1_no_edge_is_drawn_twice() -> None:
    position = replay("b2 d4", cols=8, rows=8)
    assert "d3 f5" not in position.moves()  # along d3 d4
    assert "c4 e6" not in position.moves()  # along c4 d4
    with pytest.raises(fc.IllegalMoveError):
        position.play("d3 f5")


def test_rule_1_crossing_and_touching_are_allowed() -> None:
    position = replay("b2 e5", cols=7, rows=7)
    assert "d1 g3" in position.moves()  # crosses at d2 and e3
    assert "e5 g7" in position.moves()  # touches at e5


def test_rule_2_a_rectangle_has_a_dot_strictly_inside() -> None:
    moves = replay(cols=4, rows=4).moves()
    assert len(moves) == 9
    assert "a1 b4" not in moves
    assert "a1 d2" not in moves
    assert "a1 c3" in moves


def test_rule_2_a_dot_inside_must_be_free() -> None:
    position = replay("b2 d4", cols=6, rows=6)
    assert "a1 c3" not in position.moves()  # a line turns at b2
    assert "a2 c4" not in position.moves()  # a line passes through b3
    assert "a1 d3" not in position.moves()
    assert "c4 e6" not in position.moves()


def test_rule_2_some_dots_inside_may_be_used() -> None:
    position = replay("a1 c3", cols=5, rows=5)
    assert "b2 e5" in position.moves()  # c3 is used, the other three are free


def test_rule_2_a_line_may_pass_through_a_free_dot() -> None:
    # Here it turns at b2, the only dot inside the first rectangle.
    assert replay("a1 c3", "b2 d5", cols=5, rows=5).history == ("a1 c3", "b2 d5")


@pytest.mark.parametrize("players", range(2, 9))
def test_rule_3_only_the_seat_that_draws_the_last_rectangle_wins_and_scores_a_point(players: int) -> None:
    position = replay("a1 c3", cols=5, rows=5, players=players)
    assert position.scores == (0,) * players
    assert position.seat == 1
    position = position.play("b2 d5")
    assert position.is_over
    assert position.outcome is not None
    assert position.outcome.winners == (1,)
    assert position.scores == (0, 1) + (0,) * (players - 2)


def test_rule_3_the_game_ends_without_a_legal_rectangle_even_if_free_dots_are_left() -> None:
    position = replay("a1 c3", cols=4, rows=4)
    assert position.is_over
    assert str(position).count("•") == 8  # free dots
    assert position.moves() == []
    assert position.seat is None


def test_seats_take_turns_in_order() -> None:
    position = replay(players=3)
    seats = []
    for move in ("a1 c3", "f1 h3", "a6 c8", "f6 h8"):
        seats.append(position.seat)
        position = position.play(move)
    assert seats == [0, 1, 2, 0]


def test_r20_shared_drawn_edges_may_serve_as_sides() -> None:
    position = replay("b2 d5", "d3 f5", cols=6, rows=6, sides="shared")
    assert str(position).splitlines()[1:4] == [" 5 • ┌───┬───┐", " 4 • │ • │ • │", " 3 • │ • ├───┘"]
    assert "d3 f5" not in replay("b2 d5", cols=6, rows=6).moves()


def test_r20_shared_one_new_edge_is_enough() -> None:
    position = replay("a1 f4", "d2 f4", cols=6, rows=6, sides="shared")
    assert str(position).splitlines()[2:6] == [
        " 4 ┌─────┬───┐",
        " 3 │ • • │ • │",
        " 2 │ • • └───┤",
        " 1 └─────────┘",
    ]
    position = position.play("a1 d4")  # only d1 to d2 is new
    assert str(position).splitlines()[4:6] == [" 2 │ • • ├───┤", " 1 └─────┴───┘"]


def test_r20_shared_the_new_line_may_turn_corners() -> None:
    position = replay("b2 d5", "d3 f5", "b3 f5", cols=6, rows=6, sides="shared")
    assert str(position).splitlines()[1:5] == [
        " 5 • ┌───┬───┐",
        " 4 • │ • │ • │",
        " 3 • ├───┼───┘",
        " 2 • └───┘ • •",
    ]


def test_r20_shared_the_new_line_may_not_be_broken() -> None:
    position = replay("a1 c3", "d2 f5", cols=6, rows=6, sides="shared")
    assert "b2 d5" in position.moves()  # new: from b2 round to d2 and no further
    assert "b2 e5" not in position.moves()  # d2 e2 and d5 e5 are drawn: two pieces are left
    with pytest.raises(fc.IllegalMoveError, match="2 separate pieces"):
        position.play("b2 e5")


def test_r20_shared_an_entirely_new_outline_is_allowed() -> None:
    assert "a1 c3" in replay("d4 f6", cols=6, rows=6, sides="shared").moves()


def test_r20_shared_at_least_one_edge_must_be_new() -> None:
    position = replay("b2 d5", "d3 f5", cols=6, rows=6, sides="shared", enclose="any")
    assert position.why("d3 f5") == (
        "nothing-new",
        "all its sides are already drawn: a move adds at least one new line",
    )


def test_r20_with_enclose_any_a_dot_inside_need_not_be_free_but_there_must_be_one() -> None:
    options = {"cols": 5, "rows": 5}
    assert "b2 d4" not in replay("a1 c3", **options).moves()
    assert "b2 d4" in replay("a1 c3", enclose="any", **options).moves()
    assert "a1 b5" not in replay(enclose="any", **options).moves()


def test_r21_strict_an_illegal_rectangle_puts_its_seat_out() -> None:
    position = replay("b2 d4", "a1 c3", cols=7, rows=7, players=3, strict=True)
    assert str(position) == str(replay("b2 d4", cols=7, rows=7))  # nothing was drawn
    assert not position.is_over
    assert position.seat == 2
    assert position.play("e5 g7").seat == 0
    assert position.play("e5 g7").play("e1 g3").seat == 2  # seat 1 is skipped


def test_r21_strict_the_last_seat_left_wins_at_once() -> None:
    position = replay("a1 b2", "a1 b2", players=3, strict=True)
    assert position.outcome is not None
    assert position.outcome.winners == (2,)
    assert position.scores == (0, 0, 1)
    assert position.moves() == []


def test_r21_strict_the_last_rectangle_still_wins_after_a_forfeit() -> None:
    position = replay("a1 b2", "a1 c3", cols=4, rows=4, players=3, strict=True)
    assert position.outcome is not None
    assert position.outcome.winners == (1,)
    assert position.outcome.reason == "no rectangle is left to draw"


def test_r21_strict_moves_lists_the_legal_ones_but_a_page_offers_all_rectangles() -> None:
    position = replay("b2 d4", cols=7, rows=7, strict=True)
    assert position.moves() == replay("b2 d4", cols=7, rows=7).moves()
    assert len(position.offered_moves()) == 21 * 21  # pairs of columns times pairs of rows


def test_r21_strict_an_illegal_rectangle_may_be_played_but_not_with_its_corners_reversed() -> None:
    position = replay("b2 d4", cols=7, rows=7, strict=True)
    assert position.why("a1 c3") is None
    with pytest.raises(fc.NotationError):
        position.play("c3 a1")


def test_r21_an_illegal_rectangle_is_refused_unless_strict() -> None:
    position = replay("b2 d4", cols=7, rows=7)
    with pytest.raises(fc.IllegalMoveError, match="dot b2 is not free"):
        position.play("a1 c3")
    assert position.seat == 1  # the same seat may try again


@pytest.mark.parametrize(
    ("cols", "rows", "nimber"),
    [
        (3, 3, 1),
        (3, 4, 1),
        (3, 5, 1),
        (3, 6, 2),
        (4, 4, 1),
        (4, 5, 2),
        (4, 6, 2),
        (5, 5, 0),
        pytest.param(6, 6, 4, marks=pytest.mark.compiled),
    ],
)
def test_nimbers_of_empty_fields_are_as_known(cols: int, rows: int, nimber: int) -> None:
    @cache
    def compute_nimber(position: fc.Position) -> int:
        """Return the nimber of a position: the smallest number, from 0, that no move leads to."""
        options = {compute_nimber(reset_turn(position.play(move))) for move in position.moves()}
        return next(n for n in range(len(options) + 1) if n not in options)

    def reset_turn(position: fc.Position) -> fc.Position:
        """Return the position with seat 0 to move, so that equal fields are cached once."""
        return position.game.position("0" + position.text[1:])

    assert compute_nimber(fc.game("sqez", cols=cols, rows=rows).start()) == nimber


def test_the_record_of_a_position_does_not_depend_on_the_order_of_moves() -> None:
    first = replay("a1 c3", "f1 h3", "a6 c8", "f6 h8")
    second = replay("f6 h8", "a6 c8", "f1 h3", "a1 c3")
    assert first == second
    assert first.states.tobytes() == second.states.tobytes()


@pytest.mark.compiled
@pytest.mark.parametrize("sides", ["own", "shared"])
def test_pick_draws_legal_moves_uniformly(sides: str) -> None:
    position = replay("a1 d4", "e2 g8", sides=sides)
    n, each = len(position.moves()), 300
    rng, states = new_rng(11), position.states.copy()
    counts = Counter(int(compiled_api.pick(states, 0, rng)) for _ in range(n * each))
    chi_square = sum((count - each) ** 2 / each for count in counts.values())
    # The statistic has a mean of nearly n and a variance of 2n; five standard deviations practically never happen.
    assert set(counts) == set(compiled_api.list_legal(states, 0).tolist())
    assert abs(chi_square - n) < 5 * math.sqrt(2 * n)


def test_the_largest_empty_field_has_29241_different_moves_as_bound_says() -> None:
    # 171 pairs of columns at least two steps apart times as many pairs of rows.
    position = replay(cols=20, rows=20)
    assert len(position.moves()) == 29241
    out = np.zeros(29241, np.int64)
    assert compiled_api.legal(position.states, 0, out) == compiled_api.bound(position.states, 0) == 29241
    assert len(set(out.tolist())) == 29241
