"""Max^n against exhaustive search: small boards, several seats, teams, passes, skipped seats, forfeits."""

import random
import re
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from numba import config

import fourcorners as fc
from fourcorners.core.errors import SolverLimit
from fourcorners.solvers.maxn import MaxNSolver, MaxNTask
from fourcorners.solvers.solver_run import SolveBudget, SolverRun
from tests.reference import REFERENCES, Game
from tests.solvers.exhaustive import ExhaustiveSearch, play_copy

MEGABYTE = 1 << 20


def create_reference(name: str, options: dict[str, Any], deck: list[str] | None = None) -> Game:
    """Return the slow reference of a game at its start; `deck` is None for a game without one."""
    reference: Game = REFERENCES[name].Reference(deck, **options)
    return reference


def solve_with_new_solver(position: fc.Position, memory: int = 4 * MEGABYTE, budget: int = 1 << 20) -> MaxNTask:
    """Return the finished task of a position, of a new solver; assert that `budget` nodes finish it.

    `memory` is in bytes; raise SolverLimit if it is too small for the game.
    """
    task = MaxNSolver(position.game, memory).create_task(position)
    assert task.advance(budget)
    return task


def check_payoffs(position: fc.Position, reference: Game, exhaustive: ExhaustiveSearch, solver: MaxNSolver) -> int:
    """Assert that a position has the payoffs, margins and value of exhaustive search; return the nodes of the task.

    `reference` is the same position, of the game of `exhaustive` and `solver`, which remember what they find.
    """
    task = solver.create_task(position)
    while not task.advance(1000):
        pass
    expected = exhaustive.solve(reference)
    assert task.payoffs == expected, position.text
    assert task.margins == tuple(expected[exhaustive.seats[seat]] for seat in range(position.game.seats))
    party = exhaustive.seats[position.seat or 0]
    own = [position.scores[seats[0]] for seats in exhaustive.parties]
    now = own.pop(party) - max(own)
    assert task.lower == task.upper == (0 if position.is_over else expected[party] - now)
    return task.nodes


# A board, and the ply from which on its positions are compared.
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


def check_payoffs_in_random_games(
    name: str, options: dict[str, Any], plies: int, games: int, seed: int = 0
) -> tuple[int, int]:
    """Call `check_payoffs` for all positions of `games` random games from ply `plies` on, with the end of each.

    The seeds are `seed` and those after it. Return how many positions there were, and the nodes of all tasks.
    """
    game = fc.game(name, **options)
    exhaustive, solver = ExhaustiveSearch(game.options.parties), MaxNSolver(game, 4 * MEGABYTE)
    positions = nodes = 0
    for number in range(games):
        rng = random.Random(seed + number)
        position, reference = game.start(), create_reference(name, options)
        for ply in range(1000):
            if ply >= plies:
                nodes += check_payoffs(position, reference, exhaustive, solver)
                positions += 1
            if position.is_over:
                break
            move = rng.choice(position.moves())
            position = position.play(move)
            reference.play(move)
    return positions, nodes


@pytest.mark.parametrize(("name", "options", "plies"), [BOARDS[0], BOARDS[4]])
def test_small_boards_interpreted_agree_with_exhaustive_search(
    name: str, options: dict[str, Any], plies: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(config, "DISABLE_JIT", 1)
    smaller = {"cols": 4, "rows": 4} if name == "sqez" else {"cols": 1, "rows": 1}
    positions, _ = check_payoffs_in_random_games(name, options | smaller, plies, 1)
    assert positions > 1


@pytest.mark.compiled
@pytest.mark.parametrize(("name", "options", "plies"), BOARDS)
def test_payoffs_agree_with_exhaustive_search(name: str, options: dict[str, Any], plies: int) -> None:
    positions, nodes = check_payoffs_in_random_games(name, options, plies, 3)
    assert positions >= 6
    assert nodes > 0


@pytest.mark.slow
@pytest.mark.compiled
@pytest.mark.parametrize(("name", "options", "plies"), BOARDS)
def test_payoffs_of_many_games_agree_with_exhaustive_search(name: str, options: dict[str, Any], plies: int) -> None:
    positions, _ = check_payoffs_in_random_games(name, options, max(0, plies - 1), 25, seed=50)
    assert positions >= 50


@pytest.mark.compiled
def test_payoffs_after_forfeits_agree_with_exhaustive_search() -> None:
    # R21: an illegal drawing puts its seat out, and the others go on.
    options = {"cols": 5, "rows": 5, "players": 4, "strict": True}
    game = fc.game("sqez", **options)
    exhaustive, solver = ExhaustiveSearch(game.options.parties), MaxNSolver(game, 4 * MEGABYTE)
    lines = [["a1 b2"], ["a1 c3", "a1 c3"], ["a1 b2", "a1 b2"], ["a1 b2", "b2 d4", "a1 b2"], ["a1 b2"] * 3]
    finished = 0
    for line in lines:
        reference = create_reference("sqez", options)
        for move in line:
            reference.play(move)
        position = game.replay(line)
        check_payoffs(position, reference, exhaustive, solver)
        finished += position.is_over
    # Three forfeits end a game of four seats.
    assert finished == 1


@pytest.mark.compiled
def test_tie_for_the_mover_is_decided_in_favour_of_the_next_seat() -> None:
    position = fc.game("sqez", cols=6, rows=6, players=3).start()
    solver = MaxNSolver(position.game, 4 * MEGABYTE)
    found = set()
    for move in position.moves():
        task = solver.create_task(position.play(move))
        assert task.advance(10_000)
        found.add(task.margins)
    # The first seat cannot win; which of the others does is left to it.
    assert found == {(-1, 1, -1), (-1, -1, 1)}
    assert solve_with_new_solver(position).margins == (-1, 1, -1)


@pytest.mark.compiled
@pytest.mark.parametrize(("name", "options", "plies"), BOARDS[1:3] + BOARDS[4:])
def test_best_move_is_found_even_if_worse_moves_are_listed_first(
    name: str, options: dict[str, Any], plies: int
) -> None:
    game = fc.game(name, **options)
    exhaustive, solver = ExhaustiveSearch(game.options.parties), MaxNSolver(game, 4 * MEGABYTE)
    rng = random.Random(7)
    worse_first_moves = 0
    for _ in range(6):
        position, reference = game.start(), create_reference(name, options)
        for _ in range(plies):
            move = rng.choice(position.moves())
            position = position.play(move)
            reference.play(move)
        while position.seat is not None:
            party = exhaustive.seats[position.seat]
            worth = {move: exhaustive.solve(play_copy(reference, move))[party] for move in position.moves()}
            worst_first = sorted(worth, key=lambda move: worth[move])
            move, _ = SolverRun(solver, SolveBudget()).find_best_move(position, worst_first)
            assert worth[move] == max(worth.values()), position.text
            worse_first_moves += worth[worst_first[0]] < worth[move]
            move = rng.choice(worst_first)
            position = position.play(move)
            reference.play(move)
    assert worse_first_moves > 0


def test_error_at_the_limit_has_the_proven_value_if_only_the_best_move_is_missing() -> None:
    game = fc.game("squarin-off", cols=2, rows=2, players=3, blockers=0)
    position = game.position("0 0,0,0 ../._._|/--/|_._./--")
    task = solve_with_new_solver(position)
    solver = SolverRun(MaxNSolver(game, 4 * MEGABYTE), SolveBudget(nodes=task.nodes))
    with pytest.raises(SolverLimit, match="the best moves are not known") as limit:
        solver.find_best_move(position, position.moves())
    assert limit.value.lower == limit.value.upper == task.lower == task.upper


@pytest.mark.compiled
def test_teams_have_the_payoffs_of_two_seats() -> None:
    position = fc.game("squarin-off", cols=2, rows=2, players=4, teams=True, blockers=0).start()
    task = solve_with_new_solver(position)
    for_two_seats = fc.game("dots-and-boxes", cols=2, rows=2).start()
    assert task.payoffs == solve_with_new_solver(for_two_seats).payoffs == (2, -2)
    assert task.margins == (2, -2, 2, -2)


@pytest.mark.compiled
@pytest.mark.parametrize(("rows", "cols", "margin"), [(1, 1, -1), (1, 2, 0), (1, 3, -1), (1, 4, 0), (2, 2, 2)])
def test_margins_of_two_parties_are_known_values(rows: int, cols: int, margin: int) -> None:
    assert solve_with_new_solver(fc.game("dots-and-boxes", cols=cols, rows=rows).start()).lower == margin


def start_three_parties() -> fc.Position:
    """Return the start of a small game of Squarin' Off for three seats, each for itself."""
    return fc.game("squarin-off", cols=2, rows=2, players=3, blockers=0, values=["31", "02"]).start()


@pytest.mark.compiled
def test_results_do_not_depend_on_slices_and_bounds_only_tighten() -> None:
    whole = solve_with_new_solver(start_three_parties())
    sliced = MaxNSolver(create_game(), 4 * MEGABYTE).create_task(start_three_parties())
    bounds = [(sliced.lower, sliced.upper)]
    while not sliced.advance(7):
        bounds.append((sliced.lower, sliced.upper))
    assert (sliced.margins, sliced.nodes) == (whole.margins, whole.nodes)
    assert sliced.lower == sliced.upper == whole.lower
    assert len(bounds) > 20
    assert all(lower <= whole.lower <= upper for lower, upper in bounds)
    lowers, uppers = zip(*bounds, strict=True)
    assert list(lowers) == sorted(lowers) and list(uppers) == sorted(uppers, reverse=True)
    assert len(set(lowers)) > 1


def create_game() -> fc.Game:
    return start_three_parties().game


@pytest.mark.compiled
def test_small_memory_takes_more_nodes_for_the_same_margins() -> None:
    position = start_three_parties().play("a1b1").play("a2b2")
    min_memory = int(re.findall(r"(\d+) bytes", get_refusal(position, 1000).message)[0])
    small, large = MaxNSolver(position.game, min_memory), MaxNSolver(position.game, 16 * MEGABYTE)
    tasks = [solver.create_task(position) for solver in (small, large)]
    for task in tasks:
        while not task.advance(10_000):
            pass
    assert tasks[0].margins == tasks[1].margins
    assert tasks[0].nodes > tasks[1].nodes
    # The small table is full, so that entries are replaced.
    assert small.fill > 0.9
    assert 0 < large.fill < 0.5


def get_refusal(position: fc.Position, memory: int) -> SolverLimit:
    """Return the error that refuses a memory of `memory` bytes, too small; assert that 0 is strictly in its bounds."""
    with pytest.raises(SolverLimit) as caught:
        MaxNSolver(position.game, memory).create_task(position)
    assert caught.value.lower < 0 < caught.value.upper
    return caught.value


def test_memory_too_small_for_any_search_is_refused() -> None:
    assert "too small" in get_refusal(start_three_parties(), 1000).message


def test_position_of_another_game_is_refused() -> None:
    solver = MaxNSolver(start_three_parties().game, MEGABYTE)
    with pytest.raises(ValueError, match="this memory is for"):
        solver.create_task(fc.game("sqez", players=3).start())


@pytest.mark.compiled
def test_two_workers_can_share_a_task() -> None:
    solver = MaxNSolver(create_game(), 4 * MEGABYTE)
    task = solver.create_task(start_three_parties())

    def work(worker: int) -> None:
        """Advance the task as a worker, 50 nodes at a time, until it is done."""
        while not task.advance(50, worker):
            pass

    with ThreadPoolExecutor(2) as pool:
        list(pool.map(work, range(2)))
    assert task.margins == solve_with_new_solver(start_three_parties()).margins


@pytest.mark.compiled
def test_interpreted_and_compiled_searches_agree(monkeypatch: pytest.MonkeyPatch) -> None:
    position = fc.game("squarin-off", cols=1, rows=2, players=3, blockers=[1, 0, 0]).replay(["a1b1", "a2b2"])
    found = []
    for disabled in (0, 1):
        monkeypatch.setattr(config, "DISABLE_JIT", disabled)
        task = solve_with_new_solver(position)
        found.append((task.margins, task.nodes))
    assert found[0] == found[1]
