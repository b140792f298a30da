"""Exact play of Squarin' Off, compared with retrograde analysis, with the slow reference and with known values."""

import functools
import random
from typing import Any

import numpy as np
import pytest
from numba import config

import fourcorners as fc
from fourcorners.core.errors import SolverLimit
from tests.builtin.squarin_off.exact.retrograde import (
    Layout,
    compare_with_solver,
    draw_layout,
    list_edges,
    tabulate_values,
)
from tests.builtin.squarin_off.exact.test_chain_endgame import solve_every_order
from tests.reference.squarin_off import Reference
from tests.solvers.exhaustive import ExhaustiveSearch, play_copy

# Columns and rows: boards whose edges can all be free in a table, and boards of which only a part can.
SIZES = [(1, 1), (2, 1), (1, 3), (5, 1), (2, 2), (3, 2), (2, 3)]
PARTS = [(3, 3), (4, 3), (2, 5), (4, 4), (5, 5)]


def test_interpreted_solver_agrees_with_retrograde_analysis(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(config, "DISABLE_JIT", 1)
    rng = random.Random(1)
    # A board of one box has only 16 states.
    assert compare_with_solver(rng, draw_layout(rng, 1, 1, 4), 100, with_blockers=False) == 16
    assert compare_with_solver(rng, draw_layout(rng, 2, 2, 6), 30, with_blockers=False) == 30
    assert compare_with_solver(rng, draw_layout(rng, 2, 1, 4, blockers=2), 30, with_blockers=True) == 30


def compare_layouts(seed: int, layouts: int, count: int) -> tuple[int, int]:
    """Assert that solver and table agree on `count` random states of many small boards and parts of larger ones.

    All boards are compared `layouts` times with other layouts, and so are boards with a free ring, in all their states.
    Return how many states without and with blockers were compared.
    """
    rng = random.Random(seed)
    without = with_some = 0
    for k in range(layouts):
        blocked = (0.0, 0.0, 0.2)[k % 3]
        for sizes, limit, limit_with_blockers in ((SIZES, 17, 9), (PARTS, 16, 6)):
            for cols, rows in sizes:
                layout = draw_layout(rng, cols, rows, limit, blocked=blocked)
                without += compare_with_solver(rng, layout, count, with_blockers=False)
                layout = draw_layout(rng, cols, rows, limit_with_blockers, blocked=blocked, blockers=2)
                with_some += compare_with_solver(rng, layout, count, with_blockers=True)
        for ring, limit in ((2, 9), (3, 13), (4, 16)):
            layout = draw_layout(rng, ring + 1, ring, limit, ring=ring)
            without += compare_with_solver(rng, layout, 1 << limit, with_blockers=False)
    return without, with_some


@pytest.mark.ci
@pytest.mark.compiled
def test_solver_agrees_with_retrograde_analysis_on_random_states() -> None:
    without, with_some = compare_layouts(2, 1, 1000)
    assert without > 8_000 and with_some > 8_000


@pytest.mark.slow
@pytest.mark.compiled
def test_solver_agrees_with_retrograde_analysis_on_two_million_states() -> None:
    without, with_some = compare_layouts(3, 60, 5000)
    assert without > 1_000_000 and with_some > 1_000_000


def compare_boards_with_loops(seed: int, layouts: int) -> int:
    """Assert that solver and table agree on `layouts` boards of a cheap loop, whose handout matters, beside dear boxes.

    Return how many states were compared.
    """
    rng = random.Random(seed)
    compared = 0
    for _ in range(layouts):
        # The ring of eight boxes lies in the lower three rows, boxes 0 to 8; its strings are the first eight edges. The
        # other nine edges have boxes of the upper two rows beside them, so they do not touch the ring.
        layout = draw_layout(rng, 3, 5, 17, ring=3)
        apart = [pair for pair in list_edges(3, 5) if min(pair) >= 9]
        layout.edges[8:] = rng.sample(apart, 9)
        layout.value[:9] = [rng.choice((0, 0, 1, 1, 2)) for _ in range(9)]
        layout.value[9:] = [rng.randint(2, 9) for _ in range(6)]
        compared += compare_with_solver(rng, layout, 1000, with_blockers=False, always=(1 << 8) - 1)
    return compared


@pytest.mark.ci
@pytest.mark.compiled
def test_solver_agrees_with_retrograde_analysis_on_cheap_loops_beside_dear_boxes() -> None:
    assert compare_boards_with_loops(11, 40) == 40_000


@pytest.mark.ci
@pytest.mark.compiled
def test_values_are_right_with_a_tiny_transposition_table() -> None:
    rng = random.Random(4)
    assert compare_with_solver(rng, draw_layout(rng, 3, 2, 17), 3000, with_blockers=False, memory=64) == 3000
    assert compare_with_solver(rng, draw_layout(rng, 4, 4, 17), 1000, with_blockers=False, memory=1024) == 1000
    assert compare_with_solver(rng, draw_layout(rng, 3, 2, 9, blockers=2), 1000, with_blockers=True, memory=64) == 1000


@functools.cache
def tabulate_board(cols: int, rows: int, values: tuple[str, ...]) -> Any:
    """Return the values of all sets of free edges of a whole board, an array of shape (1, 1, 1, 2**edges).
    The last index is a mask of edges; `values` are the option of that name. At most 17 edges.
    """
    whole = draw_layout(random.Random(0), cols, rows, 17)
    value = np.array([int(digit) for line in reversed(values) for digit in line], np.int64)
    return tabulate_values(Layout(**{**whole._asdict(), "value": value}), with_blockers=False)


def pack_free_edges(position: fc.Position) -> int:
    """Return the set of free edges, a mask, of a board with 64 edges at most."""
    return int(position.record.free[0])


def start_random_game(rng: random.Random, cols: int, rows: int) -> fc.Position:
    """Return the start of a game for two without blockers, on a board with random values."""
    values = ["".join(rng.choice("0112359") for _ in range(cols)) for _ in range(rows)]
    return fc.game("squarin-off", cols=cols, rows=rows, blockers=0, values=values).start()


def compare_games_with_table(seed: int, games: int) -> int:
    """Assert that the values of all moves, and the best moves, in random games for two are as tabulated.

    The games have no blockers and are played on the boards of SIZES by turns. Return how many positions were checked.
    """
    rng = random.Random(seed)
    positions = 0
    for k in range(games):
        position = start_random_game(rng, *SIZES[k % len(SIZES)])
        options: Any = position.game.options
        table = tabulate_board(options.cols, options.rows, options.values)[0, 0, 0]
        while not position.is_over:
            seat = position.seat or 0
            found = fc.solve(position, threads=1, memory=1 << 20, every_move=True)
            assert found.remaining_margin == table[pack_free_edges(position)], position.text
            expected = {}
            for move in position.moves():
                after = position.play(move)
                gain = sum(
                    (new - old) * (1 if i == seat else -1)
                    for i, (old, new) in enumerate(zip(position.scores, after.scores, strict=True))
                )
                expected[move] = gain + table[pack_free_edges(after)] * (1 if after.seat == seat else -1)
            assert found.values == expected, position.text
            assert found.moves == tuple(sorted(move for move in expected if expected[move] == found.remaining_margin))
            positions += 1
            position = position.play(rng.choice(position.moves()))
    return positions


@pytest.mark.compiled
def test_values_of_all_moves_and_the_best_moves_in_random_games_are_exact() -> None:
    assert compare_games_with_table(5, 14) > 100


@pytest.mark.slow
@pytest.mark.compiled
def test_values_of_all_moves_and_the_best_moves_in_many_random_games_are_exact() -> None:
    assert compare_games_with_table(6, 210) > 2000


# Rule 3 and R7: one or both seats have blockers left, in both editions.
BLOCKERS: list[dict[str, Any]] = [
    {"cols": 1, "rows": 1, "blockers": 1},
    {"cols": 2, "rows": 1, "blockers": [2, 1]},
    {"cols": 1, "rows": 3, "blockers": [1, 1]},
    {"cols": 3, "rows": 1, "blockers": [2, 2]},
    {"cols": 1, "rows": 4, "blockers": [0, 2]},
    {"cols": 2, "rows": 2, "blockers": [1, 1]},
    {"cols": 2, "rows": 2, "blockers": [0, 1]},
]


def compare_blocker_endgames(options: dict[str, Any], seed: int, games: int, edges: int) -> int:
    """Assert that solver and brute force agree on positions of at most `edges` free edges of random games.

    Return how many of these positions had room for a blocker.
    """
    with_blockers = 0
    for number in range(games):
        rng = random.Random(seed + number)
        values = ["".join(rng.choice("01123") for _ in range(options["cols"])) for _ in range(options["rows"])]
        chosen = {**options, "edition": rng.choice(("2016", "classic")), "values": values}
        position, slow = fc.game("squarin-off", **chosen).start(), Reference(**chosen)
        exhaustive = ExhaustiveSearch(position.game.options.parties)
        while not position.is_over:
            if len(slow.free) <= edges:
                seat = position.seat or 0
                found = fc.solve(position, threads=1, memory=1 << 20, every_move=True)
                current = slow.scores[seat] - slow.scores[1 - seat]
                assert found.remaining_margin == exhaustive.solve(slow)[seat] - current, position.text
                expected = {move: exhaustive.solve(play_copy(slow, move))[seat] - current for move in slow.moves()}
                assert found.values == expected, position.text
                with_blockers += int(position.record.blocker_moves) > 0
            # Mostly edges, so that blockers are left near the end.
            move = rng.choice(position.moves() if rng.random() < 0.1 else sorted(slow.free))
            position = position.play(move)
            slow.play(move)
    return with_blockers


def test_interpreted_solver_agrees_with_brute_force_on_blockers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(config, "DISABLE_JIT", 1)
    assert compare_blocker_endgames(BLOCKERS[0], 0, 2, 4) >= 2


@pytest.mark.compiled
@pytest.mark.parametrize("options", BLOCKERS, ids=str)
def test_endgames_with_blockers_agree_with_brute_force(options: dict[str, Any]) -> None:
    assert compare_blocker_endgames(options, 7, 4, 6) >= 4


@pytest.mark.slow
@pytest.mark.compiled
@pytest.mark.parametrize("options", [*BLOCKERS, {"cols": 3, "rows": 2, "blockers": [1, 1]}], ids=str)
def test_many_endgames_with_blockers_agree_with_brute_force(options: dict[str, Any]) -> None:
    assert compare_blocker_endgames(options, 100, 12, 8) >= 12


@pytest.mark.compiled
def test_values_are_right_where_positions_with_and_without_blockers_share_one_table() -> None:
    # With a blocker any margin is possible. Without one all margins have the same parity, on which the search relies,
    # although bounds in the shared table may have the other parity.
    game = fc.game("squarin-off", cols=4, rows=3, blockers=[1, 0], values=["1151", "9051", "1015"], edition="classic")
    position = game.position("0 1,0 .-.-/._._|_._|/.-../._|_._|_./.--./._._|_._|/-...")
    found = fc.solve(position, threads=1, memory=1 << 24, every_move=True)
    assert found.remaining_margin == 27
    seat = position.seat or 0
    for move, worth in found.values.items():
        after = position.play(move)
        alone = fc.solve(after, threads=1, memory=1 << 22, moves=False).remaining_margin
        gained = after.scores[seat] - after.scores[1 - seat] - position.scores[seat] + position.scores[1 - seat]
        assert worth == gained + (alone if after.seat == seat else -alone)


@pytest.mark.compiled
@pytest.mark.parametrize("edition", ["2016", "classic"])
def test_a_position_with_large_values_has_margin_42_in_both_editions(edition: str) -> None:
    # The larger the values, the more questions about the margin the solver asks until its bounds meet.
    values = ["903", "919", "092"]
    game = fc.game("squarin-off", cols=3, rows=3, blockers=1, values=values, edition=edition)
    position = game.position("1 1,1 ..-/|_._._./.../|_._._|/-.-/|0|_|_./---").play("a4b4")
    assert fc.solve(position, threads=1, memory=1 << 22, moves=False).remaining_margin == 42


# The known margins of the rules page by rows and columns: quick boards, then slow ones.
KNOWN = {
    **{(1, cols): value for cols, value in enumerate((-1, 0, -1, 0, -1, 0), 1)},
    **{(2, cols): value for cols, value in enumerate((2, -2, 2, -2), 2)},
    (3, 3): -3,
}
SLOW = {(2, 6): 2, (3, 4): 0}


def solve_start(cols: int, rows: int) -> int:
    """Return the margin of seat 0 at the start of Dots and Boxes."""
    return fc.solve(fc.game("dots-and-boxes", cols=cols, rows=rows).start(), moves=False).remaining_margin


@pytest.mark.compiled
@pytest.mark.parametrize(("rows", "cols"), KNOWN)
def test_margins_of_small_boards_and_of_the_same_boards_turned_are_as_known(rows: int, cols: int) -> None:
    assert solve_start(cols, rows) == solve_start(rows, cols) == KNOWN[rows, cols]


@pytest.mark.slow
@pytest.mark.compiled
@pytest.mark.parametrize(("rows", "cols"), SLOW)
def test_margins_of_larger_boards_and_of_the_same_boards_turned_are_as_known(rows: int, cols: int) -> None:
    assert solve_start(cols, rows) == solve_start(rows, cols) == SLOW[rows, cols]


@pytest.mark.compiled
@pytest.mark.parametrize("values", ["1", None])
def test_a_board_of_independent_chains_is_solved_in_fewer_than_20000_nodes(values: str | None) -> None:
    # A chain in each row of the whole board: all horizontal edges are drawn.
    given = {} if values is None else {"values": values}
    position = fc.game("squarin-off", blockers=0, **given).start()
    horizontals = [f"{a}{row}{b}{row}" for row in range(1, 12) for a, b in zip("abcdefghij", "bcdefghijk", strict=True)]
    for move in horizontals:
        position = position.play(move)
    rows = [[int(digit) for digit in line] for line in position.game.options.values]  # type: ignore[attr-defined]
    # T and r: the party that opens a chain cuts it at the end that leaves the dearer two boxes as the handout.
    chains = [(sum(row), max(row[0] + row[1], row[-1] + row[-2])) for row in rows]
    found = fc.solve(position, threads=1, memory=1 << 22)
    assert found.remaining_margin == solve_every_order(tuple(sorted(chains)), {})
    assert found.nodes < 20_000
    assert found.moves


@pytest.mark.compiled
def test_a_position_that_is_too_large_is_refused_with_bounds() -> None:
    # The bounds are the value of the whole board, for either side: 60 + 2 * 28 + 3 * 12 points on the standard one.
    for options, left in ((({"blockers": 0}), 152), ({}, 152), ({"cols": 20, "rows": 20, "blockers": 0}, 400)):
        position = fc.game("squarin-off", **options).start()
        with pytest.raises(SolverLimit, match="too large to be solved: more than 64 of its free edges") as caught:
            fc.solve(position)
        assert (caught.value.lower, caught.value.upper) == (-left, left)


@pytest.mark.compiled
@pytest.mark.parametrize(
    "options",
    [
        {"cols": 2, "rows": 1, "players": 3, "blockers": 0},
        {"cols": 1, "rows": 1, "players": 4, "blockers": [1, 0, 0, 1]},
        {"cols": 2, "rows": 1, "players": 4, "blockers": 0, "teams": True},
        {"cols": 1, "rows": 2, "players": 4, "blockers": [1, 0, 0, 0], "teams": True, "values": ["2", "1"]},
    ],
    ids=str,
)
def test_values_with_three_or_four_seats_and_teams_agree_with_brute_force(options: dict[str, Any]) -> None:
    position, slow = fc.game("squarin-off", **options).start(), Reference(**options)
    exhaustive = ExhaustiveSearch(position.game.options.parties)
    found = fc.solve(position, memory=1 << 22, every_move=True)
    payoffs = exhaustive.solve(slow)
    assert found.remaining_margin == payoffs[0]
    assert found.values == {move: exhaustive.solve(play_copy(slow, move))[0] for move in slow.moves()}
    # With two teams a single value says everything.
    assert found.margins == (None if options.get("teams") else payoffs)


def play_best_moves_and_check_margin(position: fc.Position, rng: random.Random) -> None:
    """Assert that the solver's moves, chosen at random among the best to the end, reach the margin it predicts."""
    seat = position.seat or 0
    before = position.scores[seat] - position.scores[1 - seat]
    predicted = fc.solve(position, memory=1 << 22, moves=False).remaining_margin
    while not position.is_over:
        position = position.play(rng.choice(fc.solve(position, memory=1 << 22).moves))
    assert position.scores[seat] - position.scores[1 - seat] == before + predicted


@pytest.mark.ci
@pytest.mark.compiled
def test_best_moves_reach_the_predicted_margin() -> None:
    rng = random.Random(9)
    for _ in range(3):
        play_best_moves_and_check_margin(start_random_game(rng, 3, 2), rng)
    play_best_moves_and_check_margin(fc.game("dots-and-boxes", cols=3, rows=3).start(), rng)
    late = start_random_game(rng, 3, 3)
    for _ in range(6):
        late = late.play(rng.choice(late.moves()))
    play_best_moves_and_check_margin(late, rng)


@pytest.mark.slow
@pytest.mark.compiled
def test_best_moves_reach_the_predicted_margin_on_larger_boards() -> None:
    rng = random.Random(10)
    for _ in range(10):
        play_best_moves_and_check_margin(start_random_game(rng, 3, 3), rng)
    for edition in ("2016", "classic"):
        play_best_moves_and_check_margin(
            fc.game("squarin-off", cols=2, rows=2, blockers=1, edition=edition, values="12 30").start(), rng
        )


@pytest.mark.compiled
def test_parts_that_fit_one_by_one_can_be_too_large_together() -> None:
    # The wall halves the board; each half has fewer than 64 free edges.
    wall = [f"e{row}e{row + 1}" for row in range(1, 7)]
    position = fc.game("dots-and-boxes", cols=8, rows=6).replay(wall)
    with pytest.raises(SolverLimit, match="more than 64 of its free edges matter"):
        fc.solve(position)
