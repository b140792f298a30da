"""Max^n against trying everything: small boards, several seats, teams, passes, skipped seats, forfeits."""

from __future__ import annotations

import random
import re
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from numba import config

import fourcorners as fc
from fourcorners.core.errors import SolverLimit
from fourcorners.solve.maxn import MaxNSolver, MaxNTask
from fourcorners.solve.solver import SolveBudget, Solver
from tests.reference import REFERENCES, Game
from tests.solve.brute import Brute, after

MEGABYTE = 1 << 20


def reference(name: str, options: dict[str, Any], deck: list[str] | None = None) -> Game:
    made: Game = REFERENCES[name].Reference(deck, **options)
    return made


def solved(position: fc.Position, memory: int = 4 * MEGABYTE, budget: int = 1 << 20) -> MaxNTask:
    task = MaxNSolver(position.game, memory).create_task(position)
    assert task.advance(budget)
    return task


def agree(position: fc.Position, slow: Game, brute: Brute, method: MaxNSolver) -> int:
    """Compare one position; return its nodes."""
    task = method.create_task(position)
    while not task.advance(1000):
        pass
    expected = brute.value(slow)
    assert task.payoffs == expected, position.text
    assert task.margins == tuple(expected[brute.seats[seat]] for seat in range(position.game.seats))
    party = brute.seats[position.seat or 0]
    own = [position.scores[seats[0]] for seats in brute.parties]
    now = own.pop(party) - max(own)
    assert task.lower == task.upper == (0 if position.is_over else expected[party] - now)
    return task.nodes


# A board, and from which ply on its positions are compared.
BOARDS: list[tuple[str, dict[str, Any], int]] = [
    ("sqez", {"cols": 5, "rows": 5, "players": 3}, 0),
    ("sqez", {"cols": 4, "rows": 5, "players": 4, "sides": "shared"}, 1),
    ("sqez", {"cols": 5, "rows": 4, "players": 5, "enclose": "any"}, 0),
    ("sqez", {"cols": 5, "rows": 5, "players": 4, "strict": True}, 0),
    ("squarin-off", {"cols": 2, "rows": 1, "players": 3, "blockers": 0}, 0),
    ("squarin-off", {"cols": 1, "rows": 2, "players": 3, "blockers": 1}, 2),
    ("squarin-off", {"cols": 2, "rows": 1, "players": 4, "blockers": [1, 0, 1, 0], "edition": "classic"}, 1),
    ("squarin-off", {"cols": 1, "rows": 2, "players": 4, "blockers": 1, "teams": True}, 2),
    ("squarin-off", {"cols": 2, "rows": 2, "players": 4, "blockers": 1, "teams": True, "values": ["12", "13"]}, 6),
    ("squarin-off", {"cols": 2, "rows": 2, "players": 3, "blockers": 1, "values": ["31", "02"]}, 6),
]


def compare(name: str, options: dict[str, Any], plies: int, games: int, seed: int = 0) -> tuple[int, int]:
    """Compare all positions of random games from a ply on; return how many, and the nodes of the search."""
    game = fc.game(name, **options)
    brute, method = Brute(game.options.parties), MaxNSolver(game, 4 * MEGABYTE)
    positions = nodes = 0
    for number in range(games):
        rng = random.Random(seed + number)
        position, slow = game.start(), reference(name, options)
        for ply in range(1000):
            if ply >= plies:
                nodes += agree(position, slow, brute, method)
                positions += 1
            if position.is_over:
                break
            move = rng.choice(position.moves())
            position = position.play(move)
            slow.play(move)
    return positions, nodes


@pytest.mark.parametrize(("name", "options", "plies"), [BOARDS[0], BOARDS[4]])
def test_small_boards_interpreted(
    name: str, options: dict[str, Any], plies: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(config, "DISABLE_JIT", 1)
    smaller = {"cols": 4, "rows": 4} if name == "sqez" else {"cols": 1, "rows": 1}
    positions, _ = compare(name, options | smaller, plies, 1)
    assert positions > 1


@pytest.mark.compiled
@pytest.mark.parametrize(("name", "options", "plies"), BOARDS)
def test_payoffs_are_those_of_trying_everything(name: str, options: dict[str, Any], plies: int) -> None:
    positions, nodes = compare(name, options, plies, 3)
    assert positions >= 6
    assert nodes > 0


@pytest.mark.slow
@pytest.mark.compiled
@pytest.mark.parametrize(("name", "options", "plies"), BOARDS)
def test_payoffs_of_more_games(name: str, options: dict[str, Any], plies: int) -> None:
    positions, _ = compare(name, options, max(0, plies - 1), 25, seed=50)
    assert positions >= 50


@pytest.mark.compiled
def test_seats_that_have_forfeited_are_left_out() -> None:
    # R21: an illegal drawing puts its seat out, and the others go on.
    options = {"cols": 5, "rows": 5, "players": 4, "strict": True}
    game = fc.game("sqez", **options)
    brute, method = Brute(game.options.parties), MaxNSolver(game, 4 * MEGABYTE)
    lines = [["a1 b2"], ["a1 c3", "a1 c3"], ["a1 b2", "a1 b2"], ["a1 b2", "b2 d4", "a1 b2"], ["a1 b2"] * 3]
    over = 0
    for line in lines:
        slow = reference("sqez", options)
        for move in line:
            slow.play(move)
        position = game.replay(line)
        agree(position, slow, brute, method)
        over += position.is_over
    assert over == 1


@pytest.mark.compiled
def test_of_equally_good_moves_the_best_for_the_next_seat_is_chosen() -> None:
    position = fc.game("sqez", cols=6, rows=6, players=3).start()
    method = MaxNSolver(position.game, 4 * MEGABYTE)
    found = set()
    for move in position.moves():
        task = method.create_task(position.play(move))
        assert task.advance(10_000)
        found.add(task.margins)
    # The first seat cannot win; which of the others does is left to it.
    assert found == {(-1, 1, -1), (-1, -1, 1)}
    assert solved(position).margins == (-1, 1, -1)


@pytest.mark.compiled
@pytest.mark.parametrize(("name", "options", "plies"), BOARDS[1:3] + BOARDS[4:])
def test_a_best_move_is_found_though_worse_ones_are_looked_at_first(
    name: str, options: dict[str, Any], plies: int
) -> None:
    game = fc.game(name, **options)
    brute, method = Brute(game.options.parties), MaxNSolver(game, 4 * MEGABYTE)
    rng = random.Random(7)
    worse_ones = 0
    for _ in range(6):
        position, slow = game.start(), reference(name, options)
        for _ in range(plies):
            move = rng.choice(position.moves())
            position = position.play(move)
            slow.play(move)
        while position.seat is not None:
            party = brute.seats[position.seat]
            worth = {move: brute.value(after(slow, move))[party] for move in position.moves()}
            worst_first = sorted(worth, key=lambda move: worth[move])
            move, _ = Solver(method, SolveBudget()).find_best_move(position, worst_first)
            assert worth[move] == max(worth.values()), position.text
            worse_ones += worth[worst_first[0]] < worth[move]
            move = rng.choice(worst_first)
            position = position.play(move)
            slow.play(move)
    assert worse_ones > 0


@pytest.mark.compiled
def test_teams_are_two_parties() -> None:
    position = fc.game("squarin-off", cols=2, rows=2, players=4, teams=True, blockers=0).start()
    task = solved(position)
    two = fc.game("dots-and-boxes", cols=2, rows=2).start()
    assert task.payoffs == solved(two).payoffs == (2, -2)
    assert task.margins == (2, -2, 2, -2)


@pytest.mark.compiled
@pytest.mark.parametrize(("rows", "cols", "margin"), [(1, 1, -1), (1, 2, 0), (1, 3, -1), (1, 4, 0), (2, 2, 2)])
def test_two_parties_get_the_known_margins(rows: int, cols: int, margin: int) -> None:
    assert solved(fc.game("dots-and-boxes", cols=cols, rows=rows).start()).lower == margin


def position_of_three() -> fc.Position:
    return fc.game("squarin-off", cols=2, rows=2, players=3, blockers=0, values=["31", "02"]).start()


@pytest.mark.compiled
def test_slices_do_not_matter() -> None:
    whole = solved(position_of_three())
    sliced = MaxNSolver(whole_game(), 4 * MEGABYTE).create_task(position_of_three())
    bounds = [(sliced.lower, sliced.upper)]
    while not sliced.advance(7):
        bounds.append((sliced.lower, sliced.upper))
    assert (sliced.margins, sliced.nodes) == (whole.margins, whole.nodes)
    assert sliced.lower == sliced.upper == whole.lower
    assert len(bounds) > 20
    assert all(lower <= whole.lower <= upper for lower, upper in bounds)
    assert [lower for lower, _ in bounds] == sorted(lower for lower, _ in bounds)
    assert len({lower for lower, _ in bounds}) > 1


def whole_game() -> fc.Game:
    return position_of_three().game


@pytest.mark.compiled
def test_a_small_memory_takes_longer_and_finds_the_same() -> None:
    position = position_of_three().play("a1b1").play("a2b2")
    least = int(re.findall(r"(\d+) bytes", refusal(position, 1000).message)[0])
    small, large = MaxNSolver(position.game, least), MaxNSolver(position.game, 16 * MEGABYTE)
    tasks = [method.create_task(position) for method in (small, large)]
    for task in tasks:
        while not task.advance(10_000):
            pass
    assert tasks[0].margins == tasks[1].margins
    assert tasks[0].nodes > tasks[1].nodes
    assert small.fill > 0.9
    assert 0 < large.fill < 0.5


def refusal(position: fc.Position, memory: int) -> SolverLimit:
    with pytest.raises(SolverLimit) as caught:
        MaxNSolver(position.game, memory).create_task(position)
    assert caught.value.lower < 0 < caught.value.upper
    return caught.value


def test_a_memory_too_small_for_any_search_is_refused() -> None:
    assert "too small" in refusal(position_of_three(), 1000).message


def test_positions_of_another_game_are_refused() -> None:
    method = MaxNSolver(position_of_three().game, MEGABYTE)
    with pytest.raises(ValueError, match="this memory is for"):
        method.create_task(fc.game("sqez", players=3).start())


@pytest.mark.compiled
def test_two_workers_take_turns() -> None:
    method = MaxNSolver(whole_game(), 4 * MEGABYTE)
    task = method.create_task(position_of_three())

    def work(worker: int) -> None:
        while not task.advance(50, worker):
            pass

    with ThreadPoolExecutor(2) as pool:
        list(pool.map(work, range(2)))
    assert task.margins == solved(position_of_three()).margins


@pytest.mark.compiled
def test_interpreted_and_compiled_find_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    position = fc.game("squarin-off", cols=1, rows=2, players=3, blockers=[1, 0, 0]).replay(["a1b1", "a2b2"])
    found = []
    for disabled in (0, 1):
        monkeypatch.setattr(config, "DISABLE_JIT", disabled)
        task = solved(position)
        found.append((task.margins, task.nodes))
    assert found[0] == found[1]
