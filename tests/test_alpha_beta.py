"""Alpha-beta with iterative deepening: against the solver, against plain minimax, and within budgets."""

import json
import random
import sys
import threading
from typing import Any

import pytest
from numba import config

import fourcorners as fc
from benchmarks.alpha_beta.__main__ import main
from benchmarks.alpha_beta.iterative_deepening import IterativeDeepening, can_search
from fourcorners.core.slices import Budget

SMALL = [
    pytest.param("dots-and-boxes", {"cols": 2, "rows": 2}, marks=pytest.mark.ci),
    pytest.param(
        "squarin-off",
        {"cols": 2, "rows": 1, "players": 4, "teams": True, "blockers": 1},
        marks=pytest.mark.ci,
    ),
    pytest.param("square-off", {"size": 4}, marks=pytest.mark.ci),
    ("sqez", {"cols": 5, "rows": 5}),
]


def create_search(position: fc.Position) -> IterativeDeepening:
    """Return a search of what the seat to move sees, without weights; the game must not be over."""
    return IterativeDeepening(position.view(position.seat))


def play_near_end(name: str, options: dict[str, Any], seed: int, left: int) -> fc.Position:
    """Return the position of a random game, always the same, `left` plies before its end, or its start if shorter."""
    rng = random.Random(seed)
    line = [fc.game(name, **options).start()]
    while not line[-1].is_over:
        line.append(line[-1].play(rng.choice(line[-1].moves())))
    return line[max(0, len(line) - 1 - left)]


def solve_final_margin(position: fc.Position) -> int:
    """Return the final margin of the seat to move, in a game of two parties, with exact play; there must be one."""
    seat = position.seat
    assert seat is not None
    rival = next(party[0] for party in position.game.options.parties if seat not in party)
    return (
        fc.solve(position, moves=False, memory=1 << 20).remaining_margin
        + position.scores[seat]
        - position.scores[rival]
    )


def test_interpreted_search_proves_the_final_margin(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(config, "DISABLE_JIT", 1)
    position = play_near_end("dots-and-boxes", {"cols": 2, "rows": 1}, 1, 4)
    deepening = create_search(position)
    deepening.run(None, None)
    assert deepening.is_solved
    best = deepening.rank_actions()[0]
    assert best.margin == solve_final_margin(position)


def search_to_the_end(position: fc.Position) -> IterativeDeepening:
    """Return a search that has proven the value of a position within two million nodes; assert that it has."""
    deepening = create_search(position)
    deepening.run(2_000_000, None)
    assert deepening.is_solved
    return deepening


@pytest.mark.compiled
@pytest.mark.parametrize(("name", "options"), SMALL)
def test_search_proves_the_same_margin_as_the_solver(name: str, options: dict[str, Any]) -> None:
    for seed in range(6):
        position = play_near_end(name, options, seed, 8)
        best = search_to_the_end(position).rank_actions()[0]
        assert best.margin == solve_final_margin(position)
        assert best.solved


@pytest.mark.ci
@pytest.mark.compiled
def test_margin_at_depths_1_to_4_is_the_minimax_value_of_that_depth() -> None:
    for seed in range(4):
        position = play_near_end("square-off", {"size": 4, "swap": False, "symmetry": "none"}, seed, 12)
        deepening = create_search(position)
        for depth in range(1, 5):
            assert deepening._deepen(Budget())
            assert deepening.depth == depth
            assert deepening.rank_actions()[0].margin == compute_minimax(position, depth)


def compute_minimax(position: fc.Position, depth: int) -> int:
    """Return the lead of the seat to move, of two seats, by minimax to a depth of 1 or more plies without pruning.

    Leaves are worth the lead as it stands. As in the search, a forced move costs no depth.
    """
    seat = position.seat
    assert seat is not None and depth > 0
    best = -100  # below every lead
    for move in position.moves():
        after = position.play(move)
        lead = after.scores[seat] - after.scores[1 - seat]
        if after.seat is not None and depth > 1:
            deeper = depth if len(position.moves()) == 1 else depth - 1
            lead = compute_minimax(after, deeper) if after.seat == seat else -compute_minimax(after, deeper)
        best = max(best, lead)
    return best


@pytest.mark.compiled
def test_budget_of_nodes_is_used_up_exactly_and_equal_ones_give_equal_results() -> None:
    position = fc.game("square-off").start()
    first, second = create_search(position), create_search(position)
    first.run(20_000, None)
    second.run(20_000, None)
    assert first.rank_actions() == second.rank_actions()
    assert first.simulations == second.simulations == 20_000


@pytest.mark.compiled
def test_search_stopped_at_once_has_a_move() -> None:
    stop = threading.Event()
    stop.set()
    position = fc.game("square-off").start()
    deepening = create_search(position)
    deepening.run(None, 3600.0, stop)
    best = deepening.rank_actions()[0]
    assert best.visits > 0
    assert position.game.spec.notation.format(position.record, best.action) in position.moves()


@pytest.mark.compiled
def test_position_with_thousands_of_moves_can_be_searched() -> None:
    position = fc.game("sqez", cols=20, rows=20).start()
    deepening = create_search(position)
    deepening.run(3_000, None)
    assert deepening.simulations >= 3_000


def test_only_games_of_two_parties_that_hide_nothing_can_be_searched() -> None:
    for name, options, expected in [
        ("squendo", {}, False),
        ("squarin-off", {"players": 3}, False),
        ("squarin-off", {"players": 4, "teams": True}, True),
        ("sqez", {}, True),
    ]:
        assert can_search(fc.game(name, **options).start(seed=1).view(0)) == expected


@pytest.mark.compiled
def test_match_is_played_from_both_seats_and_reported_as_json(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    options = ["-o", "cols=2", "-o", "rows=2", "--games", "4", "--seconds", "0.01"]
    monkeypatch.setattr(sys, "argv", ["benchmarks.alpha_beta", "dots-and-boxes", "1", *options])
    main()
    output, errors = capsys.readouterr()
    assert json.loads(output)["games"] == 4
    assert len(errors.splitlines()) == 2
    monkeypatch.setattr(sys, "argv", ["benchmarks.alpha_beta", "squendo"])
    with pytest.raises(SystemExit):
        main()
