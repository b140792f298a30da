"""The rules of Squarin' Off, one by one; the numbers in test names are those of the rules page."""

import math
from collections import Counter
from typing import Any

import numpy as np
import pytest

import fourcorners as fc
from fourcorners.builtin.squarin_off.rules import MAX_SEATS
from fourcorners.core import compiled_api
from fourcorners.core.bits import new_rng

SMALL: dict[str, Any] = {"cols": 2, "rows": 1, "blockers": 1}


def replay(*moves: str, **options: Any) -> fc.Position:
    """Return the position after legal moves of a game with these options."""
    return fc.game("squarin-off", **options).replay(moves)


def read_position(text: str, **options: Any) -> fc.Position:
    """Return the position with this text, in which several spaces count as one."""
    return fc.game("squarin-off", **options).position(" ".join(text.split()))


def draw_board(position: fc.Position) -> list[str]:
    """Return the lines of the board as text, without the names and the seats below it."""
    return str(position).splitlines()[: 2 * position.game.options.model_dump()["rows"] + 1]


def test_the_board_as_text_shows_edges_a_blocker_and_dots_named_like_squares_of_a_chessboard() -> None:
    assert str(replay("c2c3", "a1b1", "#a3 a4b4", cols=3, rows=3, blockers=1)).splitlines() == [
        " 4 +---+   +   +",
        "    ###",
        " 3 +   +   +   +",
        "           |",
        " 2 +   +   +   +",
        "",
        " 1 +---+   +   +",
        "   a   b   c   d",
        "A Black: 0, blockers 0",
        "B White: 0, blockers 1  to move",
    ]


def test_rule_1_an_edge_that_completes_nothing_ends_the_turn() -> None:
    position = replay("a1b1", **SMALL)
    assert (position.seat, position.scores) == (1, (0, 0))
    assert "a1b1" not in position.moves()


def test_rule_1_completing_a_box_scores_it_and_keeps_the_turn() -> None:
    position = replay("a1b1", "b1b2", "a2b2", "a1a2", **SMALL)
    assert (position.seat, position.scores) == (1, (0, 1))
    assert draw_board(position) == [" 2 +---+   +", "   | B |", " 1 +---+   +"]


def test_rule_1_one_edge_may_complete_two_boxes() -> None:
    position = replay("a1b1", "b1c1", "a2b2", "b2c2", "a1a2", "c1c2", "b1b2", **SMALL)
    assert position.scores == (2, 0)
    assert position.outcome == fc.Outcome((0,), "all edges are drawn")


def test_r4_completing_a_box_is_not_compulsory() -> None:
    position = replay("a1b1", "b1b2", "a2b2", **SMALL)
    assert position.play("c1c2").seat == 0


def test_r5_edges_with_only_blocked_boxes_beside_them_must_be_drawn_too() -> None:
    position = replay("#a1 a1b1", "a2b2", "a1a2", "b1b2", cols=1, rows=1, blockers=1)
    assert position.is_over
    assert position.scores == (0, 0)
    assert position.outcome == fc.Outcome((0, 1), "all edges are drawn")
    assert not replay("#a1 a1b1", "a2b2", "a1a2", cols=1, rows=1, blockers=1).is_over


def test_rule_2_the_standard_board_has_60_boxes_of_1_point_28_of_2_and_12_of_3() -> None:
    s = fc.game("squarin-off").start().record
    printed = Counter(int(s.value[11 * (row + 1) + column + 1]) for row in range(10) for column in range(10))
    assert printed == {1: 60, 2: 28, 3: 12}


def test_rule_2_the_standard_layout_is_symmetric_left_to_right_and_top_to_bottom() -> None:
    lines = fc.game("squarin-off").options.model_dump()["values"]
    assert list(lines) == list(lines[::-1]) == [line[::-1] for line in lines]


@pytest.mark.parametrize("values", [["12", "34"], ("12", "34"), "12\n34", "12 34"])
def test_rule_2_the_first_line_of_a_layout_is_the_top_row(values: object) -> None:
    lower_left = replay("a1b1", "a1a2", "a2b2", "b1b2", cols=2, rows=2, values=values)
    assert lower_left.scores == (0, 3)


def test_rule_2_a_box_worth_nothing_keeps_the_turn() -> None:
    position = replay("a1b1", "b1b2", "a2b2", "a1a2", values="0", **SMALL)
    assert (position.seat, position.scores) == (1, (0, 0))


def test_rule_2_on_sizes_other_than_10_x_10_all_boxes_count_one() -> None:
    assert fc.game("squarin-off", cols=10, rows=9) == fc.game("squarin-off", cols=10, rows=9, values="1")
    assert fc.game("squarin-off") != fc.game("squarin-off", values="1")


@pytest.mark.parametrize(("players", "limit"), [(2, 6), (3, 4), (4, 3)])
def test_rule_3_a_full_set_of_blockers_is_the_default_and_the_limit(players: int, limit: int) -> None:
    assert replay(players=players).text.split()[1] == ",".join([str(limit)] * players)
    with pytest.raises(
        fc.OptionError, match=f"blockers: {limit + 1} is not allowed; it must be a number from 0 to {limit}"
    ):
        fc.game("squarin-off", players=players, blockers=limit + 1)


def test_rule_3_a_blocker_goes_on_a_box_together_with_one_of_its_edges() -> None:
    start = replay(**SMALL)
    with_blocker = [move for move in start.moves() if move.startswith("#")]
    assert with_blocker == [
        *("#a1 a1a2", "#a1 a1b1", "#a1 a2b2", "#a1 b1b2"),
        *("#b1 b1b2", "#b1 b1c1", "#b1 b2c2", "#b1 c1c2"),
    ]
    assert start.play("#a1 b1b2").text == "1 0,1 ../.#|_./.."


def test_rule_3_blockers_may_not_touch() -> None:
    position = replay("#c3 c3d3", cols=5, rows=5)
    boxes = {move.split(" ")[0] for move in position.moves() if move.startswith("#")}
    near = {f"#{column}{row}" for column in "bcd" for row in (2, 3, 4)}
    assert boxes == {f"#{column}{row}" for column in "abcde" for row in range(1, 6)} - near


def test_rule_3_a_completed_box_takes_no_blocker() -> None:
    position = replay("a1b1", "b1b2", "a2b2", "a1a2", **SMALL)
    assert {move.split(" ")[0] for move in position.moves()} >= {"#b1"}
    assert "#a1" not in {move.split(" ")[0] for move in position.moves()}


def test_rule_3_a_blocked_box_scores_nothing_and_earns_no_edge() -> None:
    # A blocker laid with the fourth edge, then one laid with the first: drawing the fourth does not keep the turn.
    position = replay("a1b1", "a1a2", "a2b2", "#a1 b1b2", **SMALL)
    assert position.scores == (0, 0)
    position = replay("#a1 a1b1", "a1a2", "a2b2", "b1b2", **SMALL)
    assert (position.scores, position.seat) == ((0, 0), 0)


def test_rule_3_without_blockers_left_there_are_only_edges() -> None:
    position = replay("#a1 a1b1", "c1d1", cols=3, rows=1, blockers=1)
    assert position.seat == 0
    assert not any(move.startswith("#") for move in position.moves())
    assert any(move.startswith("#") for move in position.play("d1d2").moves())


def test_r7_each_seat_may_have_its_own_number_of_blockers() -> None:
    start = replay(cols=3, rows=1, blockers=[0, 2])
    assert not any(move.startswith("#") for move in start.moves())
    assert "#a1 a1b1" in start.play("c1d1").moves()


# Box a1 has three edges; a blocker on b1 with the edge between the two completes a1.
COMPLETES = ("a1b1", "a2b2", "a1a2", "#b1 b1b2")


def test_rule_4_in_2016_a_blocker_ends_the_turn_whatever_it_completed() -> None:
    position = replay(*COMPLETES, **SMALL)
    assert (position.seat, position.scores) == (0, (0, 1))


def test_r8_in_the_classic_edition_the_turn_goes_on_after_a_blocker_only_if_a_box_was_completed() -> None:
    assert replay(*COMPLETES, edition="classic", **SMALL).seat == 1
    assert replay("#a1 a1b1", edition="classic", **SMALL).seat == 1


@pytest.mark.parametrize(
    ("options", "names"),
    [
        ({}, ("Black", "White")),
        ({"players": 4}, ("Black", "White", "Blue", "Yellow")),
        ({"players": 3, "edition": "classic"}, ("Red", "Green", "Black")),
        ({"players": 4, "edition": "classic", "teams": True}, ("Red", "Green", "Red", "Green")),
    ],
)
def test_rule_4_each_edition_has_its_colours_and_partners_share_them(
    options: dict[str, Any], names: tuple[str, ...]
) -> None:
    assert fc.game("squarin-off", **options).seat_names == names


def test_three_seats_take_turns() -> None:
    position = replay(cols=3, rows=3, players=3)
    seats = [position.seat]
    for move in ("a1b1", "b1c1", "c1d1"):
        position = position.play(move)
        seats.append(position.seat)
    assert seats == [0, 1, 2, 0]


def test_rule_6_partners_share_their_points() -> None:
    moves = ("a1b1", "a1a2", "a2b2", "b1b2", "b1c1", "b2c2", "c1c2")
    alone = replay(*moves, cols=3, rows=1, players=4, blockers=0)
    teams = replay(*moves, cols=3, rows=1, players=4, blockers=0, teams=True)
    assert alone.scores == (0, 1, 0, 1)
    assert teams.scores == (0, 2, 0, 2)


def test_rule_6_positions_do_not_say_which_partner_completed_a_box() -> None:
    options: dict[str, Any] = {"cols": 2, "rows": 2, "players": 4, "teams": True, "blockers": 0}
    text = "{} 0,0,0,0 ../._._./--/|_._./-."
    first = read_position(text.format(0), **options).play("b1b2")
    third = read_position(text.format(2), **options).play("b1b2")
    assert first.text.split(" ")[1:] == third.text.split(" ")[1:]
    assert first.scores == third.scores == (1, 0, 1, 0)


def test_partners_with_own_chips_mark_boxes_with_their_own_and_share_points() -> None:
    options: dict[str, Any] = {"cols": 3, "rows": 1, "players": 4, "blockers": 0, "teams": True, "chips": "own"}
    moves = ("a1b1", "a2b2", "b1c1", "b2c2", "a1a2", "c1c2", "c1d1", "b1b2")
    own = replay(*moves, **options)
    shared = replay(*moves, **{**options, "chips": "shared"})
    assert own.game.seat_names == ("Black", "White", "Blue", "Yellow")
    assert own.text.partition(" ")[2] == "0,0,0,0 --./|3|3|_./---"
    assert shared.text.partition(" ")[2] == "0,0,0,0 --./|1|1|_./---"
    assert own.scores == shared.scores == (0, 2, 0, 2)
    assert own.game.position(own.text) == own
    assert "D Yellow: 2" in str(own)
    assert 'class="so-b so-v1 so-o3 so-yellow' in own.svg()


def test_chips_of_their_own_need_teams() -> None:
    with pytest.raises(fc.OptionError, match="chips: own is not allowed without teams"):
        fc.game("squarin-off", players=4, chips="own")
    with pytest.raises(fc.OptionError, match="chips"):
        fc.game("squarin-off", players=4, teams=True, chips="both")
    assert fc.game("squarin-off", players=4, teams=True, chips="shared").given_options() == {
        "players": 4,
        "teams": True,
    }


def test_rule_6_teams_need_four_seats_and_first_and_third_play_second_and_fourth() -> None:
    with pytest.raises(fc.OptionError, match="teams: true is not allowed"):
        fc.game("squarin-off", players=3, teams=True)
    assert fc.game("squarin-off", players=4, teams=True).options.parties == ((0, 2), (1, 3))


def test_rule_7_dots_and_boxes_is_a_preset_without_blockers() -> None:
    game = fc.game("dots-and-boxes", cols=3, rows=2)
    assert game == fc.game("squarin-off", cols=3, rows=2, values="1", blockers=0)
    assert len(game.start().moves()) == 17
    assert fc.game("dots-and-boxes").given_options() == {}
    with pytest.raises(fc.OptionError, match="blockers"):
        fc.game("dots-and-boxes", blockers=1)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"cols": 0}, "cols: 0 is not allowed; it must be a whole number from 1 to 20"),
        ({"rows": 21}, "rows: 21 is not allowed"),
        ({"players": 5}, "players: 5 is not allowed; it must be 2 or 3 or 4"),
        ({"blockers": True}, "blockers: True is not allowed"),
        ({"blockers": [1, 2, 3]}, "a list of 2 such numbers"),
        ({"blockers": [1, -1]}, r"blockers: \[1, -1\] is not allowed"),
        ({"values": "12"}, "values: '12' is not allowed; it must be 10 lines of 10 digits"),
        ({"values": ["1" * 10] * 9}, "values: .* 10 lines of 10 digits"),
        ({"values": ["1" * 9 + "x"] * 10}, "values: .* 10 lines of 10 digits"),
        ({"values": "1 " * 600}, "values: .* is not allowed"),
        ({"edition": "1986"}, "edition: '1986' is not allowed; it must be 2016 or classic"),
        ({"teams": 1}, "teams: 1 is not allowed"),
    ],
)
def test_options_out_of_range_are_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(fc.OptionError, match=message):
        fc.game("squarin-off", **options)


@pytest.mark.parametrize(
    ("texts", "given"),
    [
        ({"cols": "8", "rows": "", "blockers": "3"}, {"cols": 8, "blockers": 3}),
        (
            {"players": "3", "blockers": "4, 2 0", "edition": "classic"},
            {"players": 3, "blockers": [4, 2, 0], "edition": "classic"},
        ),
        ({"cols": "3", "rows": "2", "values": "123\r\n456"}, {"cols": 3, "rows": 2, "values": ["123", "456"]}),
        ({"cols": "3", "rows": "1", "values": "222"}, {"cols": 3, "rows": 1, "values": "2"}),
        ({"players": "4", "teams": "true"}, {"players": 4, "teams": True}),
    ],
)
def test_options_are_parsed_from_texts_and_written_back(texts: dict[str, str], given: dict[str, Any]) -> None:
    options_type = type(fc.game("squarin-off").options)
    options = options_type.parse(texts)
    assert options.given_options() == given
    assert options_type.make(given) == options


def set_up_mixed_position() -> fc.Position:
    """Return a position with drawn and free edges, a blocked and an owned box, and room for one more blocker."""
    return read_position("0 2,1 .../|_.#._./.-./._._._./-.-/._|_|0|/-.-", cols=3, rows=3, blockers=2, edition="classic")


@pytest.mark.compiled
def test_picked_moves_are_uniformly_distributed() -> None:
    position = set_up_mixed_position()
    rng, samples = new_rng(5), 18_000
    counts = Counter(int(compiled_api.pick(position.states, 0, rng)) for _ in range(samples))
    legal = np.zeros(compiled_api.bound(position.states, 0), np.int64)
    n = compiled_api.legal(position.states, 0, legal)
    assert set(counts) == set(legal[:n].tolist())
    expected = samples / n
    chi_squared = sum((count - expected) ** 2 / expected for count in counts.values())
    # The mean of the chi-squared distribution plus five standard deviations.
    assert chi_squared < (n - 1) + 5 * math.sqrt(2 * (n - 1))


@pytest.mark.compiled
def test_a_game_on_the_largest_board_takes_840_plies_and_scores_every_unblocked_box() -> None:
    states = fc.game("squarin-off", cols=20, rows=20, players=MAX_SEATS, values="9").start().states.copy()
    rng, points = new_rng(3), np.zeros(MAX_SEATS, np.int64)
    plies = 0
    while compiled_api.status(states, 0, points) >= 0:
        compiled_api.play(states, 0, compiled_api.pick(states, 0, rng))
        plies += 1
    # Each seat began with three blockers, and the board has 2 * 20 * 21 edges.
    blocked = 3 * MAX_SEATS - int(states["blockers"].sum())
    assert plies == 840
    assert points.sum() == 9 * (400 - blocked)


def test_the_order_of_blockers_leaves_no_trace_in_the_record() -> None:
    one = replay("#a1 a1b1", "#c1 d1d2", "#a3 a3a4", "c3d3", cols=3, rows=3, blockers=2)
    two = replay("#a3 a3a4", "#c1 d1d2", "#a1 a1b1", "c3d3", cols=3, rows=3, blockers=2)
    assert one == two
    assert one.record.tobytes() == two.record.tobytes()
