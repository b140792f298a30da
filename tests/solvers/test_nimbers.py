"""The nimber search: known values, a slow reference, memory, slices and sums, for Sqez and Cram."""

import os
import random
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from numba import config

import fourcorners as fc
from fourcorners.core.errors import SolverLimit
from fourcorners.solvers import nimber_table
from fourcorners.solvers.nimber_protocol import length_of
from fourcorners.solvers.nimbers import NimberSolver, NimberTask
from tests.reference.nimber import SqezNimbers, compute_nimber, list_cram_options
from tests.reference.sqez import list_outline, parse_corners

MEMORY = 1 << 22
# Options of Sqez, sides and enclose.
READINGS = [(sides, enclose) for sides in ("own", "shared") for enclose in ("free", "any")]

# Fields with their nimbers and the number of parts expanded; the last one was not known before.
KNOWN = [
    (3, 3, 1, 0),
    (3, 4, 1, 0),
    (3, 5, 1, 0),
    (3, 6, 2, 1),
    (4, 4, 1, 0),
    (4, 5, 2, 1),
    (4, 6, 2, 1),
    (5, 5, 0, 1),
    (5, 6, 0, 4),
    (6, 6, 4, 27),
    (6, 7, 1, 62),
    (7, 7, 1, 115),
    (8, 8, 3, 663),
    (8, 9, 0, 7742),
]


def create_task(position: fc.Position, memory: int = MEMORY) -> NimberTask:
    """Return the task of a position with a new solver; raise SolverLimit if the position is too large."""
    return NimberSolver(position.game, memory).create_task(position)


def run_task_to_its_end(task: NimberTask, budget: int = 1000) -> int | None:
    """Run a task to the end, `budget` nodes at a time; return its nimber, None if it only decided who wins.

    Raise SolverLimit if the memory is too small or a nimber too large.
    """
    while not task.advance(budget):
        pass
    return task.nimber


def start_field(cols: int, rows: int, sides: str = "own", enclose: str = "free") -> fc.Position:
    """Return the empty field of a game of Sqez for two seats."""
    return fc.game("sqez", cols=cols, rows=rows, sides=sides, enclose=enclose).start()


@pytest.mark.compiled
@pytest.mark.parametrize(
    ("cols", "rows", "value", "nodes"),
    [*KNOWN[:-1], pytest.param(*KNOWN[-1], marks=pytest.mark.ci)],
)
def test_known_nimbers_and_node_counts_of_empty_fields(cols: int, rows: int, value: int, nodes: int) -> None:
    for position in (start_field(cols, rows), start_field(rows, cols)):
        task = create_task(position)
        assert (run_task_to_its_end(task), task.nodes) == (value, nodes)
        assert task.lower == task.upper == (1 if value else -1)


@pytest.mark.compiled
@pytest.mark.slow
def test_known_nimbers_and_node_counts_of_larger_fields() -> None:
    tasks = [create_task(start_field(*size), 1 << 28) for size in ((9, 9), (9, 10))]
    assert [run_task_to_its_end(task) for task in tasks] == [0, 6]
    assert [task.nodes for task in tasks] == [11853, 256780]


@pytest.mark.parametrize(("cols", "rows", "sides", "enclose"), [(5, 5, "own", "free"), (3, 4, "shared", "free")])
def test_interpreted_search_finds_the_nimber_with_the_known_number_of_parts(
    cols: int, rows: int, sides: str, enclose: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(config, "DISABLE_JIT", 1)
    task = create_task(start_field(cols, rows, sides, enclose))
    nodes = {"own": 1, "shared": 3}
    assert (run_task_to_its_end(task), task.nodes) == (
        SqezNimbers(cols, rows, sides, enclose).compute([]),
        nodes[sides],
    )


@pytest.mark.compiled
@pytest.mark.parametrize(("sides", "enclose"), READINGS)
def test_interpreted_and_compiled_expand_the_same_parts(
    sides: str, enclose: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    size = (4, 5) if sides == "own" else (3, 4)
    compiled = create_task(start_field(*size, sides, enclose))
    run_task_to_its_end(compiled)
    monkeypatch.setattr(config, "DISABLE_JIT", 1)
    interpreted = create_task(start_field(*size, sides, enclose))
    run_task_to_its_end(interpreted)
    assert (interpreted.nimber, interpreted.nodes, interpreted._stack.words.tolist()[:40]) == (
        compiled.nimber,
        compiled.nodes,
        compiled._stack.words.tolist()[:40],
    )
    assert interpreted._solver.table.store.tolist() == compiled._solver.table.store.tolist()


def compare_nimbers_in_games(cols: int, rows: int, sides: str, enclose: str, games: int, simple: int) -> int:
    """Assert that positions of `games` random games of Sqez have the nimbers of the slow reference.

    Compare those in which at most `simple` moves are legal; return how many there were. The end of each game is always
    checked, and not counted.
    """
    reference = SqezNimbers(cols, rows, sides, enclose)
    rng = random.Random(f"{cols} {rows} {sides} {enclose}")
    solver = NimberSolver(fc.game("sqez", cols=cols, rows=rows, sides=sides, enclose=enclose), 1 << 24)
    compared = 0
    for _ in range(games):
        position = start_field(cols, rows, sides, enclose)
        reference.game = type(reference.game)(cols=cols, rows=rows, sides=sides, enclose=enclose)
        while not position.is_over:
            moves = position.moves()
            if len(moves) <= simple:
                task = solver.create_task(position)
                drawn = frozenset(reference.game.drawn)
                assert run_task_to_its_end(task) == reference.compute(drawn), position.text
                assert task.lower == task.upper == (1 if task.nimber else -1)
                reference.game.drawn = set(drawn)
                compared += 1
            move = rng.choice(moves)
            reference.game.touched = {dot for edge in reference.game.drawn for dot in edge}
            reference.game.reasons = None
            reference.game.play(move)
            position = position.play(move)
        assert (run_task_to_its_end(solver.create_task(position)), solver.create_task(position).lower) == (0, 0)
    return compared


# How many legal moves a position may have to be compared with the slow reference.
SIMPLE = {"own free": 500, "own any": 40, "shared free": 10, "shared any": 7}
FIELDS = [(3, 3), (3, 4), (4, 3), (3, 5), (4, 4), (4, 5), (5, 4), (5, 5)]


@pytest.mark.parametrize(("sides", "enclose"), READINGS)
def test_interpreted_nimbers_of_a_few_random_positions_agree_with_the_reference(
    sides: str, enclose: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(config, "DISABLE_JIT", 1)
    cols, rows, simple = {"own free": (5, 5, 36), "own any": (4, 4, 9)}.get(f"{sides} {enclose}", (4, 4, 4))
    assert compare_nimbers_in_games(cols, rows, sides, enclose, games=3, simple=simple) >= 3


@pytest.mark.compiled
@pytest.mark.parametrize(("sides", "enclose"), READINGS)
def test_nimbers_of_random_positions_agree_with_the_reference(sides: str, enclose: str) -> None:
    counts = [compare_nimbers_in_games(*size, sides, enclose, 30, SIMPLE[f"{sides} {enclose}"]) for size in FIELDS]
    assert min(counts) >= 30
    assert sum(counts) >= 250


@pytest.mark.compiled
@pytest.mark.slow
@pytest.mark.parametrize(("sides", "enclose"), READINGS)
def test_nimbers_of_many_random_positions_agree_with_the_reference(sides: str, enclose: str) -> None:
    fields = [*FIELDS, (5, 6), (6, 6), (7, 6)]
    simple = SIMPLE[f"{sides} {enclose}"]
    limits = [simple if size in FIELDS else min(simple, 12) for size in fields]
    counts = [
        compare_nimbers_in_games(*size, sides, enclose, 400, limit) for size, limit in zip(fields, limits, strict=True)
    ]
    assert sum(counts) >= 4000


def play_random_game(position: fc.Position, seed: int) -> list[fc.Position]:
    """Return the positions of a random game from a position, which is the first, to its end."""
    rng = random.Random(seed)
    positions = [position]
    while not positions[-1].is_over:
        positions.append(positions[-1].play(rng.choice(positions[-1].moves())))
    return positions


def count_parts(task: NimberTask) -> int:
    """Return how many parts the position of a task has, as the game divides it: equal ones count, too."""
    at = count = 0
    while at < task._top:
        at += int(length_of(task._stack.words[at]))
        count += 1
    return count


@pytest.mark.compiled
@pytest.mark.parametrize(
    ("enclose", "rows", "first"), [("free", 3, "f1 h3"), ("free", 4, "d1 f4"), ("any", 3, "e1 g3")]
)
def test_nimber_of_a_divided_field_is_the_sum_of_its_parts(enclose: str, rows: int, first: str) -> None:
    # A rectangle as high as the field leaves one part on each side.
    cols = 11 if rows == 4 else 14
    position = start_field(cols, rows, "own", enclose).play(first)
    task = create_task(position)
    assert count_parts(task) >= 2
    reference = SqezNimbers(cols, rows, "own", enclose)
    assert run_task_to_its_end(task) == reference.compute(list_outline(parse_corners(first)))


@pytest.mark.compiled
def test_nimber_on_the_largest_field_is_the_mex_of_its_options() -> None:
    position = next(candidate for candidate in play_random_game(start_field(20, 20), 1) if len(candidate.moves()) <= 60)
    assert not position.is_over
    values = {run_task_to_its_end(create_task(position.play(move))) for move in position.moves()}
    assert run_task_to_its_end(create_task(position)) == next(n for n in range(100) if n not in values)


@pytest.mark.compiled
def test_node_count_does_not_depend_on_slices() -> None:
    whole, sliced = create_task(start_field(7, 7)), create_task(start_field(7, 7))
    run_task_to_its_end(whole)
    steps = 1
    while not sliced.advance(1):
        steps += 1
        # The first seat wins, which may be known before the nimber.
        assert (sliced.lower, sliced.upper) == (-1, 1) or sliced.lower == 1
    # Every slice but the last expanded one part at most.
    assert steps >= sliced.nodes - 1
    assert (sliced.nimber, sliced.nodes) == (whole.nimber, whole.nodes)


@pytest.mark.compiled
def test_task_with_an_aim_finds_the_outcome_with_few_nodes() -> None:
    position = start_field(6, 6)
    solver = NimberSolver(position.game, MEMORY)
    nodes, winning = 0, []
    for move in position.moves():
        task = solver.create_task(position.play(move))
        task.aim(0)
        run_task_to_its_end(task)
        nodes += task.nodes
        full = create_task(position.play(move))
        assert task.lower == task.upper == (1 if run_task_to_its_end(full) else -1)
        assert task.nimber in {None, full.nimber}
        winning += [move] if task.upper < 0 else []
    assert winning
    # All moves together; the nimber of the field alone takes 27 (see KNOWN).
    assert nodes == 15
    # What these tasks left in the memory is right.
    assert run_task_to_its_end(solver.create_task(position)) == 4


@pytest.mark.compiled
def test_full_memory_raises_with_valid_bounds() -> None:
    with pytest.raises(SolverLimit, match="memory is full") as caught:
        run_task_to_its_end(create_task(start_field(8, 8), 1 << 12))
    assert (caught.value.lower, caught.value.upper) == (-1, 1)
    # With enough memory it takes 663 (see KNOWN).
    assert 0 < caught.value.nodes < 674


@pytest.mark.parametrize("mode", ["interpreted", pytest.param("compiled", marks=pytest.mark.compiled)])
def test_part_without_a_nimber_that_a_word_can_represent_is_given_up(
    mode: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(config, "DISABLE_JIT", int(mode == "interpreted"))
    task = create_task(start_field(4, 6))
    knowledge = nimber_table.NOTHING_KNOWN
    for nimber in range(nimber_table.MAX_NIMBER + 1):
        knowledge = nimber_table.exclude(knowledge, nimber)
    assert nimber_table.store_part(task._solver.table, task._stack.words, 0, knowledge)
    # The error is raised again, whenever the task is continued.
    for _ in range(2):
        with pytest.raises(SolverLimit, match="a nimber above 57"):
            run_task_to_its_end(task)


@pytest.mark.compiled
def test_field_with_too_many_moves_is_refused_at_once() -> None:
    with pytest.raises(SolverLimit, match="too large: a component has 29241 moves"):
        create_task(start_field(20, 20))


def test_finished_game_has_nimber_zero() -> None:
    task = create_task(start_field(3, 3).play("a1 c3"))
    assert task.advance(1)
    assert (task.nimber, task.lower, task.upper, task.nodes) == (0, 0, 0, 0)


def test_strict_game_ended_by_a_forfeit_is_solved_at_once() -> None:
    position = fc.game("sqez", cols=5, rows=5, strict=True).start().play("a1 b2")
    assert position.is_over
    assert create_task(position).advance(1)


@pytest.mark.compiled
def test_two_concurrent_tasks_of_a_solver_find_the_right_nimbers() -> None:
    position = start_field(8, 8)
    solver = NimberSolver(position.game, MEMORY, 2)
    tasks = [solver.create_task(position), solver.create_task(position.play(position.moves()[7]))]
    alone = run_task_to_its_end(create_task(position.play(position.moves()[7])))
    with ThreadPoolExecutor(2) as pool:
        assert list(pool.map(lambda task: run_task_to_its_end(task, 3), tasks)) == [3, alone]
    assert 0 < solver.fill < 1


def test_part_table_returns_what_was_stored_for_each_part() -> None:
    table = nimber_table.create_table(1 << 13)
    rng = random.Random(1)
    parts = []
    # There are only 39 different parts, so most are stored again and again.
    for _ in range(2000):
        length = rng.randrange(1, 4)
        words = np.array([rng.randrange(2, 5) << 8 | length, *(rng.randrange(3) for _ in range(length - 1))], np.uint64)
        # A nimber that depends on the words alone.
        value = sum(int(word) * 5**i for i, word in enumerate(words)) % 50
        assert nimber_table.store_part(table, words, 0, np.uint64(value))
        parts.append((words, value))
    assert len({words.tobytes() for words, _ in parts}) == table.counts[nimber_table.FILLED] == 39
    assert all(int(nimber_table.look_up(table, words, 0)) == value for words, value in parts)


# Print a line for each board of Cram in the arguments: its nimber and the nodes.
PROGRAM = """
import sys
from fourcorners.core import dispatch
from fourcorners.core.game import Game
from fourcorners.solvers.nimbers import NimberSolver
from fourcorners_cram import SPEC

dispatch.register_games([(SPEC.rules, *SPEC.list_modules())])
for text in sys.argv[1:]:
    cols, rows, *position = text.split(" ", 2)
    game = Game(SPEC, {"cols": int(cols), "rows": int(rows)})
    start = game.position(position[0]) if position else game.start()
    task = NimberSolver(game, 1 << 24).create_task(start)
    while not task.advance(1000):
        pass
    print(task.nimber, task.nodes)
"""


def solve_cram(*boards: str, compiled: bool = True) -> list[list[int]]:
    """Solve boards of Cram in a new process; return for each the nimber and the nodes.

    A board is its columns, rows and, unless it is empty, the line of a position: `4 5` or `5 3 ...../..x../..... 0`.
    Fail if the process does.
    """
    package = Path(__file__).parents[1] / "cram"
    env = {**os.environ, "PYTHONPATH": os.pathsep.join([str(package), *sys.path])}
    if not compiled:
        env["NUMBA_DISABLE_JIT"] = "1"
    command = [sys.executable, "-c", PROGRAM, *boards]
    run = subprocess.run(command, env=env, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    return [[int(number) for number in line.split()] for line in run.stdout.splitlines()]


def draw_cram_positions(count: int) -> list[str]:
    """Return random positions of Cram as `solve_cram` takes them, always the same, on small boards.

    A quarter of the cells is taken, on average.
    """
    rng = random.Random(2)
    texts = []
    for _ in range(count):
        cols, rows = rng.choice(((3, 3), (4, 3), (4, 4), (5, 3)))
        cells = ["".join(rng.choice("...x") for _ in range(cols)) for _ in range(rows)]
        texts.append(f"{cols} {rows} {'/'.join(cells)} {rng.randrange(2)}")
    return texts


def parse_cram_cells(text: str) -> frozenset[tuple[int, int]]:
    """Return the free cells of a text of `draw_cram_positions`, as column and row (0 is the first, the top one)."""
    rows = text.split(" ")[2].split("/")
    return frozenset((x, y) for y, row in enumerate(rows) for x, sign in enumerate(row) if sign == ".")


@pytest.mark.parametrize(
    "mode", ["interpreted", pytest.param("compiled", marks=[pytest.mark.compiled, pytest.mark.ci])]
)
def test_nimbers_of_random_cram_positions_agree_with_the_reference(mode: str) -> None:
    texts = draw_cram_positions(20 if mode == "interpreted" else 200)
    known: dict[frozenset[tuple[int, int]], int] = {}
    expected = [compute_nimber(parse_cram_cells(text), list_cram_options, known) for text in texts]
    assert len(set(expected)) >= 3
    assert [value for value, _ in solve_cram(*texts, compiled=mode == "compiled")] == expected


@pytest.mark.ci
@pytest.mark.compiled
def test_cram_has_the_published_nimbers_with_the_known_node_counts() -> None:
    # Lemoine and Viennot, "Nimbers are inevitable".
    assert solve_cram("4 5", "5 5", "5 6") == [[2, 1074], [0, 1946], [2, 62817]]


@pytest.mark.ci
@pytest.mark.compiled
def test_symmetric_cram_boards_have_nimber_zero_without_search() -> None:
    # The middle of 3x5 is not free: that board, too, is its own answer after half a turn.
    assert solve_cram("4 4", "8 8", "5 3 ...../..x../..... 0") == [[0, 0]] * 3
