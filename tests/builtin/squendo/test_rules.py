"""The rules of Squendo, one by one; rule numbers and rulings (R1 to R22) are those of the rulebook."""

import numpy as np
import pytest

import fourcorners as fc
from fourcorners.builtin.squendo import rules
from fourcorners.builtin.squendo.options import TILES, SquendoOptions
from fourcorners.builtin.squendo.placements import encode_key, set_stack
from fourcorners.core import compiled_api, dispatch
from fourcorners.core.bits import new_rng
from fourcorners.core.errors import OptionError

SIMPLE_DECK = [
    colour + pattern + symbol for pattern in ("0", "1", "2a", "2o", "3", "4") for symbol in "ox" for colour in "RBG"
]


def make_deck(*first: str) -> list[str]:
    """Return a deck for two or three seats that begins with these tiles, then has the others as in SIMPLE_DECK."""
    return [*first, *(tile for tile in SIMPLE_DECK if tile not in first)]


def replay(moves: str, first: str, **options: object) -> fc.Position:
    """Return the position after moves, separated by ",, ", with a deck that begins with the tiles `first`.

    The tiles are separated by spaces. Raise IllegalMoveError if a move is illegal.
    """
    return fc.game("squendo", **options).replay(
        [move.strip() for move in moves.split(",, ")], deck=make_deck(*first.split())
    )


def list_continuations(position: fc.Position, beginning: str) -> list[str]:
    """List how the legal moves with this beginning go on, in their order; the beginning itself is left out."""
    return [move.removeprefix(beginning).strip() for move in position.moves() if move.startswith(beginning)]


def count_points(rows: str, **options: object) -> tuple[int, ...]:
    """Return the points of a drawn table, by seat, with three players unless the options say otherwise.

    Each row is a word, the topmost first: a capital is a single tile, a small letter a double stack, `.` a free place.
    Edges are ignored, since they do not score.
    """
    chosen = SquendoOptions.make({"players": 3, **options})
    states = np.zeros(1, rules.DTYPE)
    s = dispatch.view_record(states)
    s.players, s.maximal, s.lines = chosen.players, chosen.rectangles == "maximal", chosen.lines
    left = {colour: [tile for tile in range(48) if TILES[tile][0] == colour] for colour in "RBGY"}
    for row, line in enumerate(reversed(rows.split())):
        for col, sign in enumerate(line):
            if sign != ".":
                # Under a double stack lies the last tile, 48 in this field: which one it is does not score.
                set_stack(s, encode_key(col, row), left[sign.upper()].pop(), 0, 0 if sign.isupper() else 48)
    out = np.zeros(rules.MAX_SEATS, np.int64)
    rules.points(s, out)
    return tuple(int(value) for value in out[: chosen.players])


# Rule 1, R13: the tiles


def test_each_colour_has_every_pattern_with_both_symbols() -> None:
    assert len(set(TILES)) == 48
    for colour in "RBGY":
        own = [tile[1:] for tile in TILES if tile[0] == colour]
        assert own == [pattern + symbol for pattern in ("0", "1", "2a", "2o", "3", "4") for symbol in "ox"]


@pytest.mark.parametrize(("pattern", "rotations"), [("0", 1), ("1", 4), ("2a", 4), ("2o", 2), ("3", 4), ("4", 1)])
def test_of_rotations_that_look_the_same_only_the_smallest_is_a_move(pattern: str, rotations: int) -> None:
    position = fc.game("squendo").start(deck=make_deck(f"R{pattern}x"))
    assert list_continuations(position, f"R{pattern}x") == [f"0,0 r{rotation}" for rotation in range(rotations)]


# Rule 2, R14: the deal


def test_seat_0_draws_the_first_four_tiles_and_seat_1_the_next_four_and_seat_0_begins() -> None:
    assert SIMPLE_DECK[:9] == ["R0o", "B0o", "G0o", "R0x", "B0x", "G0x", "R1o", "B1o", "G1o"]
    position = fc.game("squendo").start(deck=SIMPLE_DECK)
    assert "hands R0o,R0x,B0o,G0o R1o,B0x,B1o,G0x; pile G1o,R1x,B1x" in position.text
    assert position.seat == 0


def test_with_two_seats_green_is_laid_but_scores_for_neither_and_is_a_neutral_fact() -> None:
    position = replay("G0o 0,0 r0", "G0o")
    assert position.scores == (0, 0)
    assert "neutral colour" in {name for _, name, _ in position.view().facts()}


@pytest.mark.parametrize(("players", "count"), [(2, 36), (3, 36), (4, 48)])
def test_a_deck_has_all_tiles_of_the_colours_in_play_in_an_order_that_depends_on_the_seed(
    players: int, count: int
) -> None:
    game = fc.game("squendo", players=players)
    assert sorted(game.deck(seed=1)) == sorted(TILES[:count])
    assert game.deck(seed=1) != game.deck(seed=2)


@pytest.mark.parametrize(
    ("wrong", "named"),
    [
        (SIMPLE_DECK[:-1], "G4x is missing"),
        ([*SIMPLE_DECK[:-1], "R0o"], "'R0o' 2 times"),
        ([*SIMPLE_DECK[:-1], "Y0o"], "'Y0o' is not among"),
        ([], "R0o and 35 more are missing"),
        ([*SIMPLE_DECK, "nonsense"], "'nonsense' is not among"),
    ],
)
def test_a_deck_that_is_no_permutation_of_the_tiles_in_play_is_refused(wrong: list[str], named: str) -> None:
    with pytest.raises(OptionError, match="deck") as caught:
        fc.game("squendo").start(deck=wrong)
    assert named in str(caught.value)


# Rule 3: laying


def test_the_first_tile_goes_to_0_0() -> None:
    assert {move.split(" ")[1] for move in fc.game("squendo").start(deck=SIMPLE_DECK).moves()} == {"0,0"}


def test_later_tiles_go_next_to_a_tile_or_on_top() -> None:
    position = replay("R0o 0,0 r0", "R0o R1o R1x R2ax B0o")
    assert list_continuations(position, "B0o") == ["-1,0 r0", "0,-1 r0", "0,0 r0", "0,1 r0", "1,0 r0"]


def test_edges_must_agree_with_the_visible_neighbours() -> None:
    # R2ax has black edges north and east.
    position = replay("R2ax 0,0 r0", "R2ax R1o R1x R0x B1o")
    assert list_continuations(position, "B1o 1,0") == ["r3"]
    assert list_continuations(position, "B1o 0,1") == ["r2"]
    assert list_continuations(position, "B1o -1,0") == ["r0", "r2", "r3"]


def test_a_covered_tile_no_longer_constrains_its_neighbours() -> None:
    position = replay("R0o 0,0 r0,, B4o 0,0 r0", "R0o R1o R4x R0x B4o")
    assert list_continuations(position, "R4x 1,0") == ["r0"]
    assert not list_continuations(position, "R0x 1,0")


def test_a_tile_on_top_must_have_the_symbol_of_the_tile_below() -> None:
    position = replay("R0o 0,0 r0", "R0o R1o R1x R0x B0o B0x")
    assert list_continuations(position, "B0o 0,0") == ["r0"]
    assert not list_continuations(position, "B0x 0,0")


# Rule 4: stacks of three


TRIPLE = "R2ax 0,0 r0,, B1o 1,0 r3,, R0o 0,-1 r0,, B2ax 1,-1 r1,, R1o 0,-1 r2"
HANDS = "R2ax R0o R1o R2ao B1o B2ax B0o B4x"


def test_a_move_that_makes_a_stack_of_three_says_what_becomes_of_it() -> None:
    # North and east of 0,-1 the edges are white; R1o may be left in the two turns that fit (R15).
    assert list_continuations(replay(TRIPLE, HANDS), "B0o 0,-1") == [
        "leave:B0o r0",
        "leave:R0o r0",
        "leave:R0o r0 take:B0o",
        "leave:R1o r2",
        "leave:R1o r2 take:B0o",
        "leave:R1o r3",
        "leave:R1o r3 take:B0o",
    ]


def test_r16_with_take_any_a_tile_of_any_colour_can_be_taken_back() -> None:
    position = replay(TRIPLE, HANDS, take="any")
    assert list_continuations(position, "B0o 0,-1 leave:B0o") == ["r0", "r0 take:R0o", "r0 take:R1o"]


def test_leaving_a_tile_without_taking_one_back_discards_two_tiles() -> None:
    position = replay(f"{TRIPLE},, B0o 0,-1 leave:B0o r0", HANDS)
    assert "0,-1=B0or0 " in position.text
    assert (None, "discarded", "2") in position.view().facts()


def test_after_taking_a_tile_back_no_tile_is_drawn_and_one_is_discarded() -> None:
    before = replay(f"{TRIPLE},, B4x 2,-1 r0", HANDS)
    position = before.play("R2ao 0,-1 leave:R1o r3 take:R0o")
    assert position.record.pile_size == before.record.pile_size
    assert "R0o" in position.text.split("hands ")[1].split(" ")[0]
    assert (None, "discarded", "1") in position.view().facts()


def test_the_tile_just_laid_can_be_taken_back() -> None:
    position = replay(f"{TRIPLE},, B0o 0,-1 leave:R0o r0 take:B0o", HANDS)
    assert "B0o" in position.text.split("hands ")[1].split(" ")[1]


def test_r17_others_do_not_see_which_tile_is_taken_back_but_know_which_two_it_may_be() -> None:
    position = replay(f"{TRIPLE},, B4x 2,-1 r0,, R2ao 0,-1 leave:R1o r3 take:R0o", HANDS)
    shown = "R2ao 0,-1 leave:R1o r3 take:?"
    assert position.view(0).history[-1] == position.history[-1] == "R2ao 0,-1 leave:R1o r3 take:R0o"
    assert position.view(1).history[-1] == position.view().history[-1] == shown
    # For all that the others know, it is one of two red tiles; the other three tiles of the hand are any.
    assert "known R0o+R2ao,*,*,*" in position.view(1).text


# Rule 5, R18: drawing, passing, the end


def test_the_hand_is_filled_to_four_while_the_pile_lasts() -> None:
    position = replay("R0o 0,0 r0", "R0o")
    assert position.record.hand_size.tolist()[:2] == [4, 4]
    assert position.record.pile_size == 27  # of 36 tiles one lies on the table and eight are in hands


# No all-white tile fits next to or on top of these two.
WALL = "table 0,0=R4or0 1,0=G4or0; hands {} {}; pile -; known {} {}; turn {}; passed {}"


def test_r18_a_seat_may_pass_only_if_none_of_its_tiles_fits() -> None:
    game = fc.game("squendo")
    stuck = game.position(WALL.format("R0o,R0x", "B4o", "*,*", "*", 0, "-"))
    assert stuck.moves() == ["pass"]
    free = game.position(WALL.format("R0o,R1x", "B4o", "*,*", "*", 0, "-"))
    assert "pass" not in free.moves()


def test_r18_a_seat_without_tiles_is_skipped() -> None:
    position = fc.game("squendo", players=3).position(
        "table 0,0=R4or0; hands R4x - G4o,G4x; pile -; known * - *,*; turn 0; passed -"
    )
    assert position.play("R4x 1,0 r0").seat == 2


def test_r18_the_game_ends_when_pile_and_hands_are_empty() -> None:
    last = fc.game("squendo").position(WALL.format("R4x", "-", "*", "-", 0, "-"))
    position = last.play("R4x 2,0 r0")
    assert position.outcome == fc.Outcome((0,), "the pile and all hands are empty")


def test_r18_the_game_ends_when_every_seat_that_holds_tiles_has_passed_in_a_row() -> None:
    position = fc.game("squendo").position(WALL.format("R0o", "B0o", "*", "*", 0, "-")).play("pass")
    assert not position.is_over
    position = position.play("pass")
    assert position.outcome == fc.Outcome((0,), "no player who still has tiles can lay one")


def test_r18_a_placement_resets_the_passes() -> None:
    position = fc.game("squendo").position(WALL.format("R0o", "B0o,B4o", "*", "*,*", 0, "-"))
    for move in ("pass", "B4o 2,0 r0", "pass"):
        assert not position.is_over
        position = position.play(move)
    # Seat 0 passed after the placement, so it is seat 1's turn: the game is not over, though seat 0 has passed twice.
    assert position.seat == 1


def test_a_pass_reveals_that_the_tiles_in_the_hand_fit_nowhere() -> None:
    position = fc.game("squendo").position(WALL.format("R0o", "B0o,B4o", "*", "*,*", 0, "-")).play("pass")
    # Of the three tiles that were never laid, only R0o and B0o fit nowhere.
    # Slot 3, the only one of seat 0 in use, has the tiles that its tile may be.
    assert int(position.view(1).record.slot[3]) == 1 << TILES.index("R0o") | 1 << TILES.index("B0o")


# Rule 6, R19: points


@pytest.mark.parametrize(
    ("rows", "red"),
    [
        ("RR RR", 10),
        ("RRR RRR", 30),
        ("RRRR RRRR RRRR", 180),
        ("RRRRR", 5),
        ("RRr RRR", 32),
        ("RRR RBR RRR", 8),
        ("RR. RRR .RR", 20),
        ("R.r", 3),
        ("RRR RRB", 11),
    ],
)
def test_every_filled_rectangle_scores(rows: str, red: int) -> None:
    assert count_points(rows)[0] == red


@pytest.mark.parametrize(
    ("rows", "red"), [("RRR RRR", 10), ("RRRR RRRR RRRR", 10), ("RR. RRR .RR", 20), ("RRR RRR .RR", 20), ("RRRRR", 5)]
)
def test_r19_with_maximal_only_rectangles_that_are_in_no_larger_one_score(rows: str, red: int) -> None:
    assert count_points(rows, rectangles="maximal")[0] == red


@pytest.mark.parametrize(
    ("rows", "kind", "red"),
    [
        ("RRR", "every", 3),
        ("RRRR", "every", 10),
        ("RRRRR", "every", 30),
        ("R R R R", "every", 10),
        ("RRRR RRRR", "every", 80),
        ("RRRRR", "maximal", 10),
        ("RRRR RRRR", "maximal", 10),
        ("RRRRr RR...", "maximal", 22),
    ],
)
def test_r19_with_lines_straight_lines_of_four_score(rows: str, kind: str, red: int) -> None:
    assert count_points(rows, lines=True, rectangles=kind)[0] == red


def test_each_seat_scores_its_own_colour() -> None:
    assert count_points("RRB RRB GgB", players=3) == (10, 3, 3)
    assert count_points("RRB RRB GgB", players=2) == (10, 3)


# The functions of every game


@pytest.mark.compiled
def test_pick_chooses_uniformly_among_all_legal_actions_and_no_others() -> None:
    position = replay(TRIPLE, HANDS)
    states = position.states
    rng = new_rng(5)
    legal = np.zeros(rules.bound(position.record), np.int64)
    n = rules.legal(position.record, legal)
    counts = dict.fromkeys(legal[:n].tolist(), 0)
    rounds = 400 * n
    for _ in range(rounds):
        counts[int(compiled_api.pick(states, 0, rng))] += 1  # KeyError for an illegal action
    chi_square = sum((count - 400) ** 2 / 400 for count in counts.values())
    # The statistic has a mean of nearly n and a variance of 2n; five standard deviations practically never happen.
    assert chi_square < n + 5 * (2 * n) ** 0.5


def test_the_record_of_a_position_does_not_depend_on_the_order_of_moves() -> None:
    position = replay(
        "R0o 0,0 r0,, B0o 0,1 r0,, R0x 1,0 r0,, B0x -1,0 r0", "R0o R0x R1o R1x B0o B0x B1o B1x G0o G1o G1x G2ao"
    )
    twin = replay(
        "R0o 0,0 r0,, B0x -1,0 r0,, R0x 1,0 r0,, B0o 0,1 r0", "R0o R0x R1o R1x B0o B0x B1o B1x G0o G1o G1x G2ao"
    )
    assert position == twin


def test_a_row_of_five_or_more_tiles_can_be_laid_and_survives_a_round_trip_as_text() -> None:
    # The all-white tiles come first in the deck: they fit next to each other, in a row that leads away from 0,0.
    tiles = sorted((tile for tile in TILES if tile[1] == "0"), key=lambda tile: tile[0])
    order = [*tiles, *(tile for tile in TILES if tile not in tiles)]
    position = fc.game("squendo", players=4).start(deck=order)
    col = 0
    while not position.is_over and col < 8:
        own = [move for move in position.moves() if f" {col},0 " in move and "leave" not in move]
        if not own:
            break
        position = position.play(own[0])
        col += 1
    assert col > 4
    assert fc.game("squendo", players=4).position(position.text) == position
