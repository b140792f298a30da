"""Exact play of Squarin' Off: against tables of every set of edges, the slow reference, and known values."""

import functools
import random
from typing import Any

import numpy as np
import pytest
from numba import config

import fourcorners as fc
from fourcorners.core.errors import SolverLimit
from fourcorners.games.squarin_off.exact.chain_endgame import NO_HANDOUT, solve_chains
from tests.games.squarin_off.retrograde import Layout, compare, draw, edges_of, worth_of_all
from tests.reference.squarin_off import Reference
from tests.solve.brute import Brute, after

SIZES = [(1, 1), (2, 1), (1, 3), (5, 1), (2, 2), (3, 2), (2, 3)]
PARTS = [(3, 3), (4, 3), (2, 5), (4, 4), (5, 5)]


def test_every_set_of_edges_interpreted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(config, "DISABLE_JIT", 1)
    rng = random.Random(1)
    assert compare(rng, draw(rng, 1, 1, 4), 100, in_hand=False) == 16
    assert compare(rng, draw(rng, 2, 2, 6), 30, in_hand=False) == 30
    assert compare(rng, draw(rng, 2, 1, 4, blockers=2), 30, in_hand=True) == 30


def compare_many(seed: int, layouts: int, count: int) -> tuple[int, int]:
    """Compare random states of small boards and of parts of larger ones; return how many without and with blockers."""
    rng = random.Random(seed)
    without = within = 0
    for k in range(layouts):
        blocked = (0.0, 0.0, 0.2)[k % 3]
        for cols, rows in SIZES:
            without += compare(rng, draw(rng, cols, rows, 17, blocked=blocked), count, in_hand=False)
            within += compare(rng, draw(rng, cols, rows, 9, blocked=blocked, blockers=2), count, in_hand=True)
        for cols, rows in PARTS:
            without += compare(rng, draw(rng, cols, rows, 16, blocked=blocked), count, in_hand=False)
            within += compare(rng, draw(rng, cols, rows, 6, blocked=blocked, blockers=2), count, in_hand=True)
        for ring, most in ((2, 9), (3, 13), (4, 16)):
            without += compare(rng, draw(rng, ring + 1, ring, most, ring=ring), 1 << most, in_hand=False)
    return without, within


@pytest.mark.compiled
def test_random_sets_of_edges() -> None:
    without, within = compare_many(2, 3, 1000)
    assert without > 25_000 and within > 30_000


@pytest.mark.slow
@pytest.mark.compiled
def test_a_million_sets_of_edges() -> None:
    without, within = compare_many(3, 60, 5000)
    assert without > 1_000_000 and within > 1_000_000


def check_loops(seed: int, layouts: int) -> int:
    """Compare loops of cheap boxes beside dear ones: only then it matters what of a loop can be left over."""
    rng = random.Random(seed)
    compared = 0
    for _ in range(layouts):
        layout = draw(rng, 3, 5, 17, ring=3)
        apart = [pair for pair in edges_of(3, 5) if min(pair) >= 9]
        layout.edges[8:] = rng.sample(apart, 9)
        layout.value[:9] = [rng.choice((0, 0, 1, 1, 2)) for _ in range(9)]
        layout.value[9:] = [rng.randint(2, 9) for _ in range(6)]
        compared += compare(rng, layout, 1000, in_hand=False, always=(1 << 8) - 1)
    return compared


@pytest.mark.compiled
def test_loops() -> None:
    assert check_loops(11, 40) == 40_000


@pytest.mark.compiled
def test_a_table_too_small_for_all_gives_the_same_values() -> None:
    rng = random.Random(4)
    assert compare(rng, draw(rng, 3, 2, 17), 3000, in_hand=False, memory=64) == 3000
    assert compare(rng, draw(rng, 4, 4, 17), 1000, in_hand=False, memory=1024) == 1000
    assert compare(rng, draw(rng, 3, 2, 9, blockers=2), 1000, in_hand=True, memory=64) == 1000


# Positions as they are read, played and drawn up, on whole boards.
@functools.cache
def table(cols: int, rows: int, values: tuple[str, ...]) -> Any:
    whole = draw(random.Random(0), cols, rows, 17)
    value = np.array([int(digit) for line in reversed(values) for digit in line], np.int64)
    return worth_of_all(Layout(**{**whole._asdict(), "value": value}), in_hand=False)


def free_edges(position: fc.Position) -> int:
    return int(position.record.free[0])


def random_game(rng: random.Random, cols: int, rows: int) -> fc.Position:
    values = ["".join(rng.choice("0112359") for _ in range(cols)) for _ in range(rows)]
    return fc.game("squarin-off", cols=cols, rows=rows, blockers=0, values=values).start()


def check_positions(seed: int, games: int) -> int:
    """Compare the value of every move in every position of random games; return how many positions."""
    rng = random.Random(seed)
    positions = 0
    for k in range(games):
        position = random_game(rng, *SIZES[k % len(SIZES)])
        options: Any = position.game.options
        worth = table(options.cols, options.rows, options.values)[0, 0, 0]
        while not position.is_over:
            seat = position.seat or 0
            found = fc.solve(position, threads=1, memory=1 << 20, every_move=True)
            assert found.value == worth[free_edges(position)], position.text
            expected = {}
            for move in position.moves():
                then = position.play(move)
                gain = sum(
                    (after - before) * (1 if i == seat else -1)
                    for i, (before, after) in enumerate(zip(position.scores, then.scores, strict=True))
                )
                expected[move] = gain + worth[free_edges(then)] * (1 if then.seat == seat else -1)
            assert found.values == expected, position.text
            assert found.moves == tuple(sorted(move for move in expected if expected[move] == found.value))
            positions += 1
            position = position.play(rng.choice(position.moves()))
    return positions


@pytest.mark.compiled
def test_values_of_all_moves_in_random_games() -> None:
    assert check_positions(5, 14) > 100


@pytest.mark.slow
@pytest.mark.compiled
def test_values_of_all_moves_in_more_random_games() -> None:
    assert check_positions(6, 210) > 2000


# Rule 3 and R7: blockers in hand, of one seat or both, in both editions.
HANDS: list[dict[str, Any]] = [
    {"cols": 1, "rows": 1, "blockers": 1},
    {"cols": 2, "rows": 1, "blockers": [2, 1]},
    {"cols": 1, "rows": 3, "blockers": [1, 1]},
    {"cols": 3, "rows": 1, "blockers": [2, 2]},
    {"cols": 1, "rows": 4, "blockers": [0, 2]},
    {"cols": 2, "rows": 2, "blockers": [1, 1]},
    {"cols": 2, "rows": 2, "blockers": [0, 1]},
]


def check_hands(options: dict[str, Any], seed: int, games: int, edges: int) -> int:
    """Compare late positions of random games to trying everything; return in how many a blocker could be laid."""
    in_hand = 0
    for number in range(games):
        rng = random.Random(seed + number)
        values = ["".join(rng.choice("01123") for _ in range(options["cols"])) for _ in range(options["rows"])]
        chosen = {**options, "edition": rng.choice(("2016", "classic")), "values": values}
        position, slow = fc.game("squarin-off", **chosen).start(), Reference(**chosen)
        brute = Brute(position.game.options.parties)
        while not position.is_over:
            if len(slow.free) <= edges:
                seat = position.seat or 0
                found = fc.solve(position, threads=1, memory=1 << 20, every_move=True)
                now = slow.scores[seat] - slow.scores[1 - seat]
                assert found.value == brute.value(slow)[seat] - now, position.text
                then = {move: brute.value(after(slow, move))[seat] - now for move in slow.moves()}
                assert found.values == then, position.text
                in_hand += int(position.record.blocker_moves) > 0
            # Mostly edges, so that blockers are in hand near the end.
            move = rng.choice(position.moves() if rng.random() < 0.1 else sorted(slow.free))
            position = position.play(move)
            slow.play(move)
    return in_hand


def test_blockers_interpreted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(config, "DISABLE_JIT", 1)
    assert check_hands(HANDS[0], 0, 2, 4) >= 2


@pytest.mark.compiled
@pytest.mark.parametrize("options", HANDS, ids=str)
def test_blockers_in_hand(options: dict[str, Any]) -> None:
    assert check_hands(options, 7, 4, 6) >= 4


@pytest.mark.slow
@pytest.mark.compiled
@pytest.mark.parametrize("options", [*HANDS, {"cols": 3, "rows": 2, "blockers": [1, 1]}], ids=str)
def test_blockers_in_hand_in_more_games(options: dict[str, Any]) -> None:
    assert check_hands(options, 100, 12, 8) >= 12


@pytest.mark.compiled
def test_positions_with_and_without_blockers_share_what_was_found() -> None:
    # The blocker makes any margin possible; without it all margins have one parity, which the table must not spoil.
    game = fc.game("squarin-off", cols=4, rows=3, blockers=[1, 0], values=["1151", "9051", "1015"], edition="classic")
    position = game.position("0 1,0 .-.-/._._|_._|/.-../._|_._|_./.--./._._|_._|/-...")
    found = fc.solve(position, threads=1, memory=1 << 24, every_move=True)
    assert found.value == 27
    seat = position.seat or 0
    for move, worth in found.values.items():
        after = position.play(move)
        alone = fc.solve(after, threads=1, memory=1 << 22, moves=False).value
        gained = after.scores[seat] - after.scores[1 - seat] - position.scores[seat] + position.scores[1 - seat]
        assert worth == gained + (alone if after.seat == seat else -alone)


@pytest.mark.compiled
@pytest.mark.parametrize("edition", ["2016", "classic"])
def test_large_values_take_many_questions(edition: str) -> None:
    values = ["903", "919", "092"]
    game = fc.game("squarin-off", cols=3, rows=3, blockers=1, values=values, edition=edition)
    position = game.position("1 1,1 ..-/|_._._./.../|_._._|/-.-/|0|_|_./---").play("a4b4")
    assert fc.solve(position, threads=1, memory=1 << 22, moves=False).value == 42


# rules.md, known values, rows x cols: of the boards that are quick, then of those that are not.
KNOWN = {
    **{(1, cols): value for cols, value in enumerate((-1, 0, -1, 0, -1, 0), 1)},
    **{(2, cols): value for cols, value in enumerate((2, -2, 2, -2), 2)},
    (3, 3): -3,
}
LONGER = {(2, 6): 2, (3, 4): 0}


def margin(cols: int, rows: int) -> int:
    return fc.solve(fc.game("dots-and-boxes", cols=cols, rows=rows).start(), moves=False).value


@pytest.mark.compiled
@pytest.mark.parametrize(("rows", "cols"), KNOWN)
def test_known_margins(rows: int, cols: int) -> None:
    assert margin(cols, rows) == margin(rows, cols) == KNOWN[rows, cols]


@pytest.mark.slow
@pytest.mark.compiled
@pytest.mark.parametrize(("rows", "cols"), LONGER)
def test_known_margins_of_larger_boards(rows: int, cols: int) -> None:
    assert margin(cols, rows) == margin(rows, cols) == LONGER[rows, cols]


Gift = tuple[int, int]


def in_any_order(gifts: tuple[Gift, ...], known: dict[tuple[Gift, ...], int]) -> int:
    """What gifts are worth to whoever must hand one out: the opponent takes all and moves on, or leaves r."""
    if not gifts:
        return 0
    if gifts not in known:
        found = []
        for i, (total, back) in enumerate(gifts):
            rest = in_any_order(gifts[:i] + gifts[i + 1 :], known)
            taken = total + rest
            found.append(-(taken if back == NO_HANDOUT else max(taken, total - 2 * back - rest)))
        known[gifts] = max(found)
    return known[gifts]


def test_gifts_against_every_order() -> None:
    rng = random.Random(8)
    refused = 0
    known: dict[tuple[Gift, ...], int] = {}
    for _ in range(400):
        backs = rng.sample([0, 2, 4, 5, 9, NO_HANDOUT], rng.choice((1, 2, 3, 3, 3, 4)))
        chosen = rng.choices(backs, k=rng.randint(1, 7))
        gifts = [(rng.randint(0, 8) + (0 if back == NO_HANDOUT else back), back) for back in chosen]
        columns = np.array(gifts, np.int16)
        counted, value = solve_chains(columns[:, 0], columns[:, 1], len(gifts))
        assert counted == (len({back for _, back in gifts}) <= 3)
        refused += not counted
        assert not counted or value == in_any_order(tuple(sorted(gifts)), known), gifts
    assert refused > 5


@pytest.mark.compiled
@pytest.mark.parametrize("values", ["1", None])
def test_many_chains_are_counted_out(values: str | None) -> None:
    # A chain in each row of the whole board: all horizontal edges are drawn.
    given = {} if values is None else {"values": values}
    position = fc.game("squarin-off", blockers=0, **given).start()
    horizontals = [f"{a}{row}{b}{row}" for row in range(1, 12) for a, b in zip("abcdefghij", "bcdefghijk", strict=True)]
    for move in horizontals:
        position = position.play(move)
    rows = [[int(digit) for digit in line] for line in position.game.options.values]  # type: ignore[attr-defined]
    gifts = [(sum(row), max(row[0] + row[1], row[-1] + row[-2])) for row in rows]
    found = fc.solve(position, threads=1, memory=1 << 22)
    assert found.value == in_any_order(tuple(sorted(gifts)), {})
    assert found.nodes < 20_000
    assert found.moves


@pytest.mark.compiled
def test_what_is_too_large_is_refused_with_bounds() -> None:
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
def test_three_seats_and_teams(options: dict[str, Any]) -> None:
    position, slow = fc.game("squarin-off", **options).start(), Reference(**options)
    brute = Brute(position.game.options.parties)
    found = fc.solve(position, memory=1 << 22, every_move=True)
    payoffs = brute.value(slow)
    assert found.value == payoffs[0]
    assert found.values == {move: brute.value(after(slow, move))[0] for move in slow.moves()}
    assert found.margins == (None if options.get("teams") else payoffs)


def play_out(position: fc.Position, rng: random.Random) -> None:
    """Let the solver's moves meet each other: what is predicted comes about, from every position on."""
    seat = position.seat or 0
    before = position.scores[seat] - position.scores[1 - seat]
    predicted = fc.solve(position, memory=1 << 22, moves=False).value
    while not position.is_over:
        position = position.play(rng.choice(fc.solve(position, memory=1 << 22).moves))
    assert position.scores[seat] - position.scores[1 - seat] == before + predicted


@pytest.mark.compiled
def test_solver_moves_reach_what_is_predicted() -> None:
    rng = random.Random(9)
    for _ in range(3):
        play_out(random_game(rng, 3, 2), rng)
    play_out(fc.game("dots-and-boxes", cols=3, rows=3).start(), rng)
    late = random_game(rng, 3, 3)
    for _ in range(6):
        late = late.play(rng.choice(late.moves()))
    play_out(late, rng)


@pytest.mark.slow
@pytest.mark.compiled
def test_more_solver_moves_reach_what_is_predicted() -> None:
    rng = random.Random(10)
    for _ in range(10):
        play_out(random_game(rng, 3, 3), rng)
    for edition in ("2016", "classic"):
        play_out(fc.game("squarin-off", cols=2, rows=2, blockers=1, edition=edition, values="12 30").start(), rng)


@pytest.mark.compiled
def test_parts_that_fit_one_by_one_may_be_too_large_together() -> None:
    wall = [f"e{row}e{row + 1}" for row in range(1, 7)]
    position = fc.game("dots-and-boxes", cols=8, rows=6).replay(wall)
    with pytest.raises(SolverLimit, match="more than 64 of its free edges matter"):
        fc.solve(position)
