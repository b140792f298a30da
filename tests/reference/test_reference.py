"""The slow references, checked by known perft counts, known exact results and positions set up by hand."""

import random
from collections import Counter
from copy import deepcopy
from functools import cache
from itertools import product
from typing import Any

import pytest

from tests.reference import REFERENCES, Game, draw_setup, sqez, squarin_off, squendo, squendo_tiles


def list_ordered_deck(colours: str) -> list[str]:
    """Return the tiles of the deck of the known perft counts, in drawing order; `colours` are letters such as "RBG"."""
    patterns = ("0", "1", "2a", "2o", "3", "4")
    return [colour + pattern + symbol for pattern, symbol, colour in product(patterns, "ox", colours)]


def perft(game: Game, depth: int) -> int:
    """Return the number of sequences of `depth` legal moves, at least 1, from here; the game stays as it is."""
    if depth == 1:
        return len(game.moves())
    total = 0
    for move in game.moves():
        later = deepcopy(game)
        later.play(move)
        total += perft(later, depth - 1)
    return total


@pytest.mark.parametrize(
    ("game", "deck", "options", "counts"),
    [
        ("squarin-off", None, {"cols": 2, "rows": 2, "blockers": 0}, (12, 132, 1320)),
        ("squarin-off", None, {"cols": 3, "rows": 3, "blockers": 1}, (60, 2720)),
        ("squarin-off", None, {}, (620,)),
        ("square-off", None, {}, (64, 4096)),
        ("square-off", None, {"size": 4}, (16, 256, 4272)),
        ("sqez", None, {"cols": 4, "rows": 4}, (9, 0)),
        ("sqez", None, {"cols": 5, "rows": 5}, (36, 64)),
        ("sqez", None, {"cols": 6, "rows": 6}, (100, 1532)),
        ("sqez", None, {}, (441,)),
        ("sqez", None, {"cols": 4, "rows": 4, "sides": "shared"}, (9, 40, 88)),
        ("sqez", None, {"cols": 5, "rows": 5, "enclose": "any"}, (36, 148)),
        ("squendo", list_ordered_deck("RBG"), {}, (4, 154, 6476)),
        ("squendo", list_ordered_deck("RBG"), {"take": "any"}, (4, 154, 7152)),
        ("squendo", list_ordered_deck("RBGY"), {"players": 4}, (4, 64, 5376)),
    ],
)
def test_perft_counts_are_as_known(
    game: str, deck: list[str] | None, options: dict[str, Any], counts: tuple[int, ...]
) -> None:
    for depth, count in enumerate(counts, start=1):
        assert perft(REFERENCES[game].Reference(deck, **options), depth) == count


# Somewhat more games with rare moves than it takes to exercise every key.
GAMES = {"squarin-off": 40, "square-off": 50, "squendo": 30, "sqez": 60}


@pytest.mark.parametrize("game", [pytest.param(name, marks=[pytest.mark.ci] * (name == "squendo")) for name in GAMES])
def test_games_with_rare_moves_exercise_every_rule_and_list_sorted_moves_until_they_are_over(game: str) -> None:
    module = REFERENCES[game]
    used: Counter[str] = Counter()
    for number in range(GAMES[game]):
        rng = random.Random(f"{game} {number}")
        deck, options = draw_setup(game, rng)
        reference = module.Reference(deck, **options)
        while not reference.is_over:
            moves = reference.moves()
            assert moves == sorted(set(moves))
            assert moves
            assert reference.seat in range(options.get("players", 2))
            move = module.choose_rare_move(reference, rng)
            # In a strict game of Sqez an illegal move may be played: its seat forfeits.
            assert move in moves or options.get("strict")
            reference.play(move)
        assert reference.moves() == []
        assert reference.seat is None
        used += reference.used
    assert set(used) == set(module.KEYS)


@pytest.mark.parametrize(("cols", "rows", "margin"), [(1, 1, -1), (2, 1, 0), (1, 3, -1)])
def test_exact_margins_of_dots_and_boxes_are_as_known(cols: int, rows: int, margin: int) -> None:
    @cache
    def compute_margin(drawn: frozenset[str]) -> int:
        """Return the margin of the seat to move from a set of drawn edges to the end."""
        reference = squarin_off.Reference(cols=cols, rows=rows, blockers=0, values=["1" * cols] * rows)
        reference.free -= drawn
        # Seat 0 is to move. It does not matter who owns the boxes completed before, as only gains count.
        reference.owner = {box: 0 for box, edges in reference.edges.items() if edges <= drawn}
        before = reference.scores[0]
        margins = []
        for edge in reference.moves():
            later = deepcopy(reference)
            later.play(edge)
            gained = later.scores[0] - before
            rest = compute_margin(drawn | {edge})
            margins.append(gained + rest if later.turn == 0 else -rest)
        return max(margins, default=0)

    assert compute_margin(frozenset()) == margin


@pytest.mark.parametrize(
    ("cols", "rows", "nimber"),
    [(3, 3, 1), (4, 3, 1), (5, 3, 1), (6, 3, 2), (4, 4, 1), (5, 4, 2), (4, 6, 2), (5, 5, 0)],
)
def test_nimbers_of_sqez_are_as_known(cols: int, rows: int, nimber: int) -> None:
    known: dict[frozenset[sqez.Edge], int] = {}

    def compute_nimber(reference: sqez.Reference) -> int:
        """Return the nimber of a position, the least number that no move leads to."""
        key = frozenset(reference.drawn)
        if key not in known:
            later_nimbers = set()
            for move in reference.moves():
                later = deepcopy(reference)
                later.play(move)
                later_nimbers.add(compute_nimber(later))
            known[key] = next(number for number in range(len(later_nimbers) + 1) if number not in later_nimbers)
        return known[key]

    assert compute_nimber(sqez.Reference(cols=cols, rows=rows)) == nimber


def replay(game: str, moves: str, **options: Any) -> Any:
    """Return the reference of a game after moves, joined by ", ", which must be legal unless the game is strict."""
    reference = REFERENCES[game].Reference(**options)
    for move in moves.split(", "):
        assert move in reference.moves() or options.get("strict")
        reference.play(move)
    return reference


@pytest.mark.parametrize(("edition", "next_seat"), [("2016", 1), ("classic", 0)])
def test_a_blocker_move_that_completes_another_box_keeps_the_turn_in_the_classic_edition_only(
    edition: str, next_seat: int
) -> None:
    game = replay("squarin-off", "a1b1, a1a2, a2b2, b1c1, #b1 b1b2", cols=2, rows=1, edition=edition)
    assert game.owner == {"a1": 0}
    assert game.scores == (1, 0)
    assert game.seat == next_seat


def test_a_blocker_needs_an_open_box_with_no_blocker_around_it() -> None:
    game = replay("squarin-off", "a1b1, a1a2, a2b2, b1b2, #d1 d1e1", cols=6, rows=2)
    boxes = {move.split(" ")[0] for move in game.moves() if move.startswith("#")}
    assert boxes == {"#b1", "#a2", "#b2", "#f1", "#f2"}


def test_partners_share_their_points() -> None:
    game = replay("squarin-off", "a1b1, a1a2, a2b2, b1b2, b1c1", cols=2, rows=1, players=4, teams=True, values="35")
    assert game.scores == (0, 3, 0, 3)


def test_after_a_swap_seat_1_plays_white_and_may_use_the_symmetry_right() -> None:
    game = replay("square-off", "b2, swap, g7")
    assert (game.white_seat, game.seat) == (1, 1)
    assert "g7 a1" in game.moves()
    game.play("g7 a1")
    assert game.white == {(1, 1), (6, 6)}
    assert game.black == {(0, 0)}
    assert "swap" not in game.moves()


def test_a_swap_is_not_legal_after_the_second_move_or_without_the_option() -> None:
    assert "swap" not in replay("square-off", "b2, c3, d4").moves()
    assert "swap" not in replay("square-off", "b2", swap=False).moves()


@pytest.mark.parametrize(("marks", "scores"), [(None, (4, 4)), ("current", (4, 0))])
def test_a_replaced_man_keeps_its_mark_unless_only_current_marks_count(
    marks: str | None, scores: tuple[int, int]
) -> None:
    moves = "a1, d1, b1, c1, a2, d2, b2, c2, c2 a4"
    game = replay("square-off", moves, size=4, marks=marks)
    assert game.black == {(3, 0), (2, 0), (3, 1), (0, 3)}
    assert game.scores == scores


def test_the_right_returns_by_default_but_with_symmetry_once_it_can_be_used_only_once() -> None:
    # After a1, d1 the right is used so that Black can be symmetric again at once.
    again = "a1, d1, d1 a4, d4"
    assert any(move.startswith("d4 ") for move in replay("square-off", again, size=4).moves())
    assert not any(" " in move for move in replay("square-off", again, size=4, symmetry="once").moves())


@pytest.mark.parametrize(
    ("cols", "rows", "options", "points"),
    [
        (2, 2, {}, 10),
        (3, 2, {}, 30),
        (4, 3, {}, 180),
        (4, 3, {"rectangles": "maximal"}, 10),
        (4, 1, {}, 4),
        (4, 1, {"lines": True}, 10),
        (5, 1, {"lines": True}, 30),
        (5, 1, {"lines": True, "rectangles": "maximal"}, 10),
        (1, 3, {"lines": True}, 3),
        (4, 2, {"lines": True}, 80),
        (4, 2, {"lines": True, "rectangles": "maximal"}, 10),
    ],
)
def test_rectangles_score_as_known(cols: int, rows: int, options: dict[str, Any], points: int) -> None:
    """Red tiles fill a rectangle of `cols` x `rows`; then one of them covers a blue tile, and a green one covers both.
    In the end the stack is neither Red's nor Blue's.
    """
    game = squendo.Reference(**options)
    red = [tile for tile in squendo_tiles.list_tiles(2) if tile.startswith("R")]
    game.stacks = {(col, row): [f"{red.pop()} r0"] for col in range(cols) for row in range(rows)}
    assert game.scores == (points, 0)
    # A double stack counts in addition to its rectangle; without a rectangle there is one single tile less.
    game.stacks[0, 0].insert(0, "B0o r0")
    singles_before = 0 if points >= 10 else 1
    assert game.scores == (points + 2 - singles_before, 0)
    game.stacks[0, 0].append("G0o r0")
    # Only the visible tile of a stack scores.
    assert game.scores[1] == 0


def test_black_edges_turn_clockwise() -> None:
    assert [sorted(squendo_tiles.find_black_edges("R2ax", turn)) for turn in range(4)] == [
        ["E", "N"],
        ["E", "S"],
        ["S", "W"],
        ["N", "W"],
    ]


def test_a_tile_has_as_many_rotations_as_look_different() -> None:
    assert [len(squendo_tiles.list_rotations(f"R{pattern}x")) for pattern in ("0", "1", "2a", "2o", "3", "4")] == [
        1,
        4,
        4,
        2,
        4,
        1,
    ]


def test_after_a_triple_only_tiles_of_the_own_colour_may_be_taken_back_unless_take_is_any() -> None:
    # Seat 0 is Red; the stack has a red and a blue tile, and it lays another red one.
    for take, takeable in ((None, {"R0x", "R1x"}), ("any", {"R0x", "R1x", "B0x"})):
        game = squendo.Reference(take=take)
        game.stacks = {(0, 0): ["R0x r0", "B0x r0"]}
        game.hands[0] = {"R1x"}
        taken = {move.split("take:")[1] for move in game.moves() if "take:" in move}
        assert taken == takeable
        # The tile that was just laid may be taken back, too.
        assert "R1x 0,0 leave:B0x r0 take:R1x" in game.moves()


def test_seats_without_tiles_are_skipped_and_passes_of_all_others_end_the_game() -> None:
    # The black edges of the tiles in hand do not agree with the white ones of the tile on the table.
    game = squendo.Reference(players=3)
    game.pile = []
    game.stacks = {(0, 0): ["R0x r0"]}
    game.hands = [{"R4o"}, set(), {"G4o"}]
    assert game.moves() == ["pass"]
    game.play("pass")
    assert game.seat == 2
    game.play("pass")
    assert game.is_over
    # Red has the only tile on the table.
    assert game.scores == (1, 0, 0)


def test_a_hand_that_fits_nowhere_must_pass() -> None:
    game = squendo.Reference(
        [*list_ordered_deck("RBGY")[:4], "R4x", "B4x", "G4x", "Y4x", *list_ordered_deck("RBGY")[4:-4]], players=4
    )
    game.play("R0o 0,0 r0")
    # Seat 1 was dealt the four all-black tiles with an x, and R0o is all white.
    assert game.moves() == ["pass"]
    game.play("pass")
    assert game.seat == 2


def test_with_shared_sides_there_must_be_a_new_line_and_it_must_be_unbroken() -> None:
    # The drawn rectangle has columns 1 to 3 and rows 0 to 2.
    game = replay("sqez", "b1 d3", cols=5, rows=5, sides="shared", enclose="any")
    assert game.find_reason(((0, 0), (3, 2))) is None
    assert game.find_reason(((0, 0), (2, 2))) == "the new line is broken"
    assert game.find_reason(((0, 0), (4, 2))) == "the new line is broken"
    assert game.find_reason(((1, 0), (3, 2))) == "nothing new to draw"


def test_an_illegal_move_puts_its_seat_out_in_a_strict_game_and_the_last_seat_wins() -> None:
    game = replay("sqez", "a1 c3, a1 c3, a1 c3", cols=5, rows=5, players=4, strict=True)
    assert game.out == {1, 2}
    assert game.seat == 3
    game.play("a1 b2")
    assert game.is_over
    assert game.scores == (1, 0, 0, 0)


def test_the_last_seat_to_draw_wins_though_another_has_forfeited() -> None:
    game = replay("sqez", "a1 b2, a1 c3", cols=3, rows=3, players=3, strict=True)
    assert game.is_over
    assert game.scores == (0, 1, 0)
