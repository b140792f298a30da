"""Labels: the same as single solves, on positions near the ends of random games."""

import random
from typing import Any

import numpy as np
import pytest

import fourcorners as fc
from fourcorners.envs import Batch
from fourcorners.envs.encoding import Encoding
from fourcorners.solvers import quick_labels

MEMORY = 1 << 22
# A game, its options, the number of last plies from which positions are taken, and their number.
GAMES: list[tuple[str, dict[str, Any], int, int]] = [
    ("dots-and-boxes", {"cols": 3, "rows": 3}, 7, 8),
    ("squarin-off", {"cols": 2, "rows": 2}, 5, 5),
    ("squarin-off", {"cols": 3, "rows": 1, "blockers": 1}, 6, 12),
    ("squarin-off", {"cols": 2, "rows": 2, "blockers": 0, "players": 3}, 5, 5),
    ("square-off", {"size": 4}, 4, 4),
    ("squendo", {"players": 2}, 1, 2),
    ("sqez", {"cols": 5, "rows": 4}, 2, 3),
    ("sqez", {"cols": 5, "rows": 5, "players": 3}, 2, 4),
]
IDS = [f"{name}{''.join(f'-{value}' for value in options.values())}" for name, options, _, _ in GAMES]


def play_late_positions(game: fc.Game, plies: int, count: int) -> list[fc.Position]:
    """Return positions of random games, at most this number of plies before their ends; the last one is an end."""
    rng = random.Random(1)
    found = []
    for number in range(count):
        line = [game.start(seed=number)]
        while not line[-1].is_over:
            line.append(line[-1].play(rng.choice(line[-1].moves())))
        found.append(line[max(0, len(line) - 1 - rng.randint(1, plies))] if number < count - 1 else line[-1])
    return found


def compare_with_solutions(game: fc.Game, positions: list[fc.Position], *, few_nodes: int = 2) -> None:
    """Assert that labels equal solutions, and that with few nodes their bounds contain them."""
    encoding, single = Encoding(game), fc.Solver(game, MEMORY)
    plain, full = (fc.Solver(game, MEMORY).label(positions, every_move=every) for every in (False, True))
    bounded = [fc.Solver(game, MEMORY).label(positions, every_move=every, nodes=few_nodes) for every in (False, True)]
    assert plain.offsets is None and plain.actions is None and plain.values is None and plain.is_best is None
    for i, position in enumerate(positions):
        solution = single.solve(position, every_move=True)
        value = 0 if position.is_over else solution.remaining_margin
        for labels in (plain, full):
            assert (labels.value[i], labels.lower[i], labels.upper[i], labels.exact[i]) == (value, value, value, True)
        for labels in bounded:
            assert labels.lower[i] <= value <= labels.upper[i]
            assert labels.exact[i] == (labels.lower[i] == labels.upper[i])
            assert labels.value[i] == (value if labels.exact[i] else 0)
        for labels in (plain, full, *bounded):
            assert labels.best[i] == -1 or encoding.find_move(position, int(labels.best[i])) in solution.moves
        assert (plain.best[i] == -1) == (full.best[i] == -1) == position.is_over
        few = bounded[1]
        assert full.offsets is not None and full.actions is not None and full.values is not None
        assert full.is_best is not None and few.actions is not None and few.lowers is not None
        assert few.uppers is not None
        own = slice(full.offsets[i], full.offsets[i + 1])
        moves = [encoding.find_move(position, int(index)) for index in full.actions[own]]
        assert dict(zip(moves, full.values[own], strict=True)) == solution.values
        assert sorted(np.array(moves)[full.is_best[own]]) == list(solution.moves)
        assert full.best[i] == next(iter(full.actions[own][full.is_best[own]]), -1)
        for k, move in enumerate(moves, own.start):
            assert few.lowers[k] <= solution.values[move] <= few.uppers[k] <= few.upper[i]


@pytest.mark.parametrize(("name", "options", "plies", "count"), GAMES, ids=IDS)
def test_labels_equal_solutions_and_bounds_contain_them(
    name: str, options: dict[str, Any], plies: int, count: int
) -> None:
    game = fc.game(name, **options)
    compare_with_solutions(game, play_late_positions(game, plies, count))


@pytest.mark.compiled
def test_compiled_labels_equal_solutions() -> None:
    game = fc.game("dots-and-boxes")
    compare_with_solutions(game, play_late_positions(game, 22, 60))


@pytest.mark.slow
@pytest.mark.compiled
@pytest.mark.parametrize(
    ("name", "options", "plies", "count"),
    [
        ("dots-and-boxes", {}, 22, 6000),
        ("dots-and-boxes", {"cols": 4, "rows": 3}, 18, 2000),
        ("squarin-off", {"cols": 3, "rows": 3}, 8, 400),
        ("squarin-off", {"cols": 3, "rows": 3, "blockers": 0, "values": ["123", "456", "789"]}, 16, 600),
        ("square-off", {"size": 4}, 8, 300),
        ("squendo", {"players": 2}, 3, 80),
        ("squendo", {"players": 3}, 2, 20),
        ("sqez", {"cols": 5, "rows": 5}, 6, 600),
    ],
)
def test_labels_of_10000_positions_equal_solutions(name: str, options: dict[str, Any], plies: int, count: int) -> None:
    game = fc.game(name, **options)
    compare_with_solutions(game, play_late_positions(game, plies, count))


def test_search_that_the_compiled_one_leaves_open_is_finished(monkeypatch: pytest.MonkeyPatch) -> None:
    game = fc.game("dots-and-boxes", cols=2, rows=2)
    monkeypatch.setattr(quick_labels, "_MOST_NODES", 1)
    compare_with_solutions(game, [game.start(), *play_late_positions(game, 8, 4)], few_nodes=3)


def test_table_that_grows_between_records_changes_no_label() -> None:
    game = fc.game("dots-and-boxes", cols=2, rows=2)
    positions = play_late_positions(game, 11, 30)
    solver, expected = fc.Solver(game, 1 << 16), fc.Solver(game, MEMORY).label(positions)
    backend: Any = solver._backend
    backend.table = np.zeros((2, 8), np.uint64)
    assert (solver.label(positions).value == expected.value).all()
    assert len(backend.table) > 2


def test_solver_keeps_what_it_has_found() -> None:
    start = fc.game("dots-and-boxes", cols=2, rows=2).start()
    solver = fc.Solver(start.game, MEMORY)
    assert solver.solve(start, moves=False).nodes > 0
    assert solver.solve(start, moves=False).nodes == 0
    assert solver.label([start], nodes=1).exact.all()


def test_limit_of_nodes_of_a_solve_raises_with_bounds() -> None:
    start = fc.game("dots-and-boxes", cols=3, rows=3).start()
    with pytest.raises(fc.SolverLimit, match="not solved within 5 nodes") as raised:
        fc.Solver(start.game, MEMORY).solve(start, nodes=5)
    assert raised.value.lower < raised.value.upper


def test_batch_has_the_labels_of_its_positions() -> None:
    game = fc.game("dots-and-boxes", cols=2, rows=1)
    batch = Batch(game, 6, seed=1, auto_reset=False)
    for _ in range(5):
        batch.step(batch.sample())
    found = fc.Solver(game, MEMORY).label(batch)
    assert (found.value == fc.Solver(game, MEMORY).label([batch.position(i) for i in range(6)]).value).all()
    while not batch.done.all():
        batch.step(batch.sample())
    assert fc.Solver(game, MEMORY).label(batch).exact.all()


def test_no_positions_have_no_labels() -> None:
    found = fc.Solver(fc.game("sqez"), MEMORY).label([], every_move=True)
    assert found.value.shape == (0,) and found.offsets is not None and found.offsets.tolist() == [0]


def test_wrong_arguments_get_one_sentence() -> None:
    game = fc.game("dots-and-boxes", cols=2, rows=1)
    solver, other = fc.Solver(game, MEMORY), fc.game("dots-and-boxes", cols=1, rows=2)
    wrong: Any
    for wrong in (5, None, game.start(), [game.start(), game.start().view()], [other.start()], Batch(other, 1, seed=1)):
        with pytest.raises(fc.OptionError, match=r"is not allowed; it must be a list of Positions of .*, or a batch"):
            solver.label(wrong)
    with pytest.raises(fc.OptionError, match=r"nodes: 0 is not allowed; it must be None, or 1 or more"):
        solver.label([game.start()], nodes=0)
    with pytest.raises(fc.OptionError, match="every_move: 1 is not allowed"):
        solver.label([game.start()], every_move=1)  # type: ignore[arg-type]
    with pytest.raises(fc.OptionError, match="but this solver is for"):
        solver.solve(other.start())
    with pytest.raises(fc.GameError, match="cannot be solved: it is not a Position"):
        solver.solve(None)  # type: ignore[arg-type]
    with pytest.raises(fc.OptionError, match="game: 'sqez' is not allowed; it must be a Game"):
        fc.Solver("sqez")  # type: ignore[arg-type]
    with pytest.raises(fc.OptionError, match="memory: 5 is not allowed"):
        fc.Solver(game, 5)
    with pytest.raises(fc.OptionError, match="threads: 3 is not allowed"):
        fc.Solver(game, threads=3)
