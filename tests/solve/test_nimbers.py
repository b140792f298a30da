"""The nimber search: known values, a slow reference, memory, slices, sums, another game; the same interpreted."""

from __future__ import annotations

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
from fourcorners.core.nimber_protocol import length_of
from fourcorners.solve import nimber_table
from fourcorners.solve.nimbers import NimberSolver, NimberTask
from tests.reference.nimber import SqezNimbers, cram_following, nimber
from tests.reference.sqez import corners_of, outline

MEMORY = 1 << 22
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
    (7, 7, 1, 117),
    (8, 8, 3, 674),
    (8, 9, 0, 7667),
]


def task(position: fc.Position, memory: int = MEMORY) -> NimberTask:
    return NimberSolver(position.game, memory).create_task(position)


def solve(one: NimberTask, budget: int = 1000) -> int | None:
    while not one.advance(budget):
        pass
    return one.nimber


def field(cols: int, rows: int, sides: str = "own", enclose: str = "free") -> fc.Position:
    return fc.game("sqez", cols=cols, rows=rows, sides=sides, enclose=enclose).start()


@pytest.mark.compiled
@pytest.mark.parametrize(("cols", "rows", "value", "nodes"), KNOWN)
def test_known_nimbers_of_empty_fields(cols: int, rows: int, value: int, nodes: int) -> None:
    for position in (field(cols, rows), field(rows, cols)):
        one = task(position)
        assert (solve(one), one.nodes) == (value, nodes)
        assert one.lower == one.upper == (1 if value else -1)


@pytest.mark.compiled
@pytest.mark.slow
def test_nimbers_of_larger_fields() -> None:
    found = [task(field(*size), 1 << 28) for size in ((9, 9), (9, 10))]
    assert [solve(one) for one in found] == [0, 6]
    assert [one.nodes for one in found] == [11853, 256780]


@pytest.mark.parametrize(("cols", "rows", "sides", "enclose"), [(5, 5, "own", "free"), (3, 4, "shared", "free")])
def test_interpreted_it_expands_as_much(
    cols: int, rows: int, sides: str, enclose: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(config, "DISABLE_JIT", 1)
    one = task(field(cols, rows, sides, enclose))
    nodes = {"own": 1, "shared": 3}
    assert (solve(one), one.nodes) == (SqezNimbers(cols, rows, sides, enclose).of([]), nodes[sides])


@pytest.mark.compiled
@pytest.mark.parametrize(("sides", "enclose"), READINGS)
def test_interpreted_and_compiled_expand_the_same_parts(
    sides: str, enclose: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    size = (4, 5) if sides == "own" else (3, 4)
    compiled = task(field(*size, sides, enclose))
    solve(compiled)
    monkeypatch.setattr(config, "DISABLE_JIT", 1)
    plain = task(field(*size, sides, enclose))
    solve(plain)
    assert (plain.nimber, plain.nodes, plain._stack.words.tolist()[:40]) == (
        compiled.nimber,
        compiled.nodes,
        compiled._stack.words.tolist()[:40],
    )
    assert plain._solver.table.store.tolist() == compiled._solver.table.store.tolist()


def compare(cols: int, rows: int, sides: str, enclose: str, games: int, simple: int) -> int:
    """Compare all positions of random games with the slow reference, from where at most so many moves are legal."""
    reference = SqezNimbers(cols, rows, sides, enclose)
    rng = random.Random(f"{cols} {rows} {sides} {enclose}")
    method = NimberSolver(fc.game("sqez", cols=cols, rows=rows, sides=sides, enclose=enclose), 1 << 24)
    compared = 0
    for _ in range(games):
        position = field(cols, rows, sides, enclose)
        reference.game = type(reference.game)(cols=cols, rows=rows, sides=sides, enclose=enclose)
        while not position.is_over:
            moves = position.moves()
            if len(moves) <= simple:
                one = method.create_task(position)
                drawn = frozenset(reference.game.drawn)
                assert solve(one) == reference.of(drawn), position.text
                assert one.lower == one.upper == (1 if one.nimber else -1)
                reference.game.drawn = set(drawn)
                compared += 1
            move = rng.choice(moves)
            reference.game.touched = {dot for edge in reference.game.drawn for dot in edge}
            reference.game.reasons = None
            reference.game.play(move)
            position = position.play(move)
        assert (solve(method.create_task(position)), method.create_task(position).lower) == (0, 0)
    return compared


# How many moves a position may have for the slow reference to take it; all of them for small fields.
SIMPLE = {"own free": 500, "own any": 40, "shared free": 10, "shared any": 7}
FIELDS = [(3, 3), (3, 4), (4, 3), (3, 5), (4, 4), (4, 5), (5, 4), (5, 5)]


@pytest.mark.parametrize(("sides", "enclose"), READINGS)
def test_interpreted_a_few_random_positions_are_worth_what_the_slow_reference_says(
    sides: str, enclose: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(config, "DISABLE_JIT", 1)
    cols, rows, simple = {"own free": (5, 5, 36), "own any": (4, 4, 9)}.get(f"{sides} {enclose}", (4, 4, 4))
    assert compare(cols, rows, sides, enclose, games=3, simple=simple) >= 3


@pytest.mark.compiled
@pytest.mark.parametrize(("sides", "enclose"), READINGS)
def test_random_positions_are_worth_what_the_slow_reference_says(sides: str, enclose: str) -> None:
    found = [compare(*size, sides, enclose, 30, SIMPLE[f"{sides} {enclose}"]) for size in FIELDS]
    assert min(found) >= 30
    assert sum(found) >= 250


@pytest.mark.compiled
@pytest.mark.slow
@pytest.mark.parametrize(("sides", "enclose"), READINGS)
def test_many_random_positions_are_worth_what_the_slow_reference_says(sides: str, enclose: str) -> None:
    fields = [*FIELDS, (5, 6), (6, 6), (7, 6)]
    simple = SIMPLE[f"{sides} {enclose}"]
    most = [simple if size in FIELDS else min(simple, 12) for size in fields]
    found = [compare(*size, sides, enclose, 400, least) for size, least in zip(fields, most, strict=True)]
    assert sum(found) >= 4000


def line(position: fc.Position, seed: int) -> list[fc.Position]:
    """The positions of a random game."""
    rng = random.Random(seed)
    positions = [position]
    while not positions[-1].is_over:
        positions.append(positions[-1].play(rng.choice(positions[-1].moves())))
    return positions


def count_parts(one: NimberTask) -> int:
    at = count = 0
    while at < one._top:
        at += int(length_of(one._stack.words[at]))
        count += 1
    return count


@pytest.mark.compiled
@pytest.mark.parametrize(
    ("enclose", "rows", "first"), [("free", 3, "f1 h3"), ("free", 4, "d1 f4"), ("any", 3, "e1 g3")]
)
def test_the_parts_of_a_long_field_add_up(enclose: str, rows: int, first: str) -> None:
    # A rectangle as high as the field leaves one part on each side.
    cols = 11 if rows == 4 else 14
    position = field(cols, rows, "own", enclose).play(first)
    one = task(position)
    assert count_parts(one) >= 2
    reference = SqezNimbers(cols, rows, "own", enclose)
    assert solve(one) == reference.of(outline(corners_of(first)))


@pytest.mark.compiled
def test_the_end_of_a_game_on_the_largest_field_is_the_mex_of_what_follows() -> None:
    position = next(one for one in line(field(20, 20), 1) if len(one.moves()) <= 60)
    assert not position.is_over
    values = {solve(task(position.play(move))) for move in position.moves()}
    assert solve(task(position)) == next(n for n in range(100) if n not in values)


@pytest.mark.compiled
def test_slices_of_any_size_expand_the_same_parts() -> None:
    whole, bits = task(field(7, 7)), task(field(7, 7))
    solve(whole)
    steps = 1
    while not bits.advance(1):
        steps += 1
        assert (bits.lower, bits.upper) == (-1, 1) or bits.lower == 1
    assert steps >= bits.nodes - 1
    assert (bits.nimber, bits.nodes) == (whole.nimber, whole.nodes)


@pytest.mark.compiled
def test_whether_a_move_wins_needs_no_nimber() -> None:
    position = field(6, 6)
    method = NimberSolver(position.game, MEMORY)
    nodes, winning = 0, []
    for move in position.moves():
        one = method.create_task(position.play(move))
        one.aim(0)
        solve(one)
        nodes += one.nodes
        full = task(position.play(move))
        assert one.lower == one.upper == (1 if solve(full) else -1)
        assert one.nimber in {None, full.nimber}
        winning += [move] if one.upper < 0 else []
    assert winning
    assert nodes == 15
    assert solve(method.create_task(position)) == 4


@pytest.mark.compiled
def test_too_little_memory_is_said_and_leaves_what_is_proven() -> None:
    with pytest.raises(SolverLimit, match="memory is full") as caught:
        solve(task(field(8, 8), 1 << 12))
    assert (caught.value.lower, caught.value.upper) == (-1, 1)
    assert 0 < caught.value.nodes < 674


@pytest.mark.compiled
def test_a_field_too_large_to_begin_with_is_refused_at_once() -> None:
    with pytest.raises(SolverLimit, match="too large: 29241 moves hang together"):
        task(field(20, 20))


def test_a_game_that_is_over_is_worth_nothing() -> None:
    one = task(field(3, 3).play("a1 c3"))
    assert one.advance(1)
    assert (one.nimber, one.lower, one.upper, one.nodes) == (0, 0, 0, 0)


def test_a_strict_game_that_a_forfeit_ended_is_worth_nothing() -> None:
    position = fc.game("sqez", cols=5, rows=5, strict=True).start().play("a1 b2")
    assert position.is_over
    assert task(position).advance(1)


@pytest.mark.compiled
def test_two_callers_at_once_do_not_disturb_each_other() -> None:
    position = field(8, 8)
    method = NimberSolver(position.game, MEMORY, 2)
    tasks = [method.create_task(position), method.create_task(position.play(position.moves()[7]))]
    alone = solve(task(position.play(position.moves()[7])))
    with ThreadPoolExecutor(2) as pool:
        assert list(pool.map(lambda one: solve(one, 3), tasks)) == [3, alone]
    assert 0 < method.fill < 1


def test_a_pool_mistakes_no_part_for_another() -> None:
    pool = nimber_table.create_table(1 << 13, np.zeros(0, np.uint8))
    rng = random.Random(1)
    parts = []
    while True:
        length = rng.randrange(1, 4)
        words = np.array([rng.randrange(2, 5) << 8 | length, *(rng.randrange(3) for _ in range(length - 1))], np.uint64)
        value = sum(int(word) * 5**i for i, word in enumerate(words)) % 50
        if not nimber_table.store_part(pool, words, 0, np.uint64(value)):
            break
        parts.append((words, value))
        if len(parts) > 2000:
            break
    assert len({words.tobytes() for words, _ in parts}) > 30
    assert all(int(nimber_table.look_up(pool, words, 0)) == value for words, value in parts)


PROGRAM = """
import sys
from fourcorners.core import dispatch
from fourcorners.core.errors import SolverLimit
from fourcorners.core.game import Game
from fourcorners.solve.nimbers import NimberSolver
from fourcorners_cram import SPEC

dispatch.bind([(SPEC.rules, SPEC.evaluate, SPEC.exact)])
memory, budget = map(int, sys.argv[1:3])
for text in sys.argv[3:]:
    cols, rows, *position = text.split(" ", 2)
    game = Game(SPEC, {"cols": int(cols), "rows": int(rows)})
    start = game.position(position[0]) if position else game.start()
    task = NimberSolver(game, memory).create_task(start)
    try:
        while not task.advance(budget):
            pass
    except SolverLimit as error:
        print(-1, error.nodes)
    else:
        print(task.nimber, task.nodes)
"""
CRAM_MEMORY = 1 << 24


def cram(*boards: str, memory: int = CRAM_MEMORY, budget: int = 1000, compiled: bool = True) -> list[list[int]]:
    """Solve boards of Cram in a process of their own: the nimber, -1 if the memory is too small, and the nodes."""
    package = Path(__file__).parents[1] / "cram"
    env = {**os.environ, "PYTHONPATH": os.pathsep.join([str(package), *sys.path])}
    if not compiled:
        env["NUMBA_DISABLE_JIT"] = "1"
    command = [sys.executable, "-c", PROGRAM, str(memory), str(budget), *boards]
    run = subprocess.run(command, env=env, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    return [[int(number) for number in line.split()] for line in run.stdout.splitlines()]


def cram_texts(count: int, sizes: tuple[tuple[int, int], ...] = ((3, 3), (4, 3), (4, 4), (5, 3))) -> list[str]:
    rng = random.Random(2)
    texts = []
    for _ in range(count):
        cols, rows = rng.choice(sizes)
        cells = ["".join(rng.choice("...x") for _ in range(cols)) for _ in range(rows)]
        texts.append(f"{cols} {rows} {'/'.join(cells)} {rng.randrange(2)}")
    return texts


def cram_cells(text: str) -> frozenset[tuple[int, int]]:
    rows = text.split(" ")[2].split("/")
    return frozenset((x, y) for y, row in enumerate(rows) for x, sign in enumerate(row) if sign == ".")


@pytest.mark.parametrize("mode", ["interpreted", pytest.param("compiled", marks=pytest.mark.compiled)])
def test_random_positions_of_another_game(mode: str) -> None:
    texts = cram_texts(20 if mode == "interpreted" else 400)
    known: dict[frozenset[tuple[int, int]], int] = {}
    expected = [nimber(cram_cells(text), cram_following, known) for text in texts]
    assert len(set(expected)) >= 3
    assert [value for value, _ in cram(*texts, compiled=mode == "compiled")] == expected


@pytest.mark.compiled
def test_what_is_found_beforehand_is_what_a_search_finds() -> None:
    # With a row of taken cells above it the same set of cells lies on a board that is worth a table.
    small = cram_texts(60, ((5, 5),))
    large = [f"5 7 xxxxx/xxxxx/{text.split(' ', 2)[2]}" for text in small]
    searched, looked_up = cram(*small), cram(*large, memory=1 << 27)
    assert [value for value, _ in searched] == [value for value, _ in looked_up]
    assert sum(nodes for _, nodes in searched) > 1000
    assert sum(nodes for _, nodes in looked_up) == 0


@pytest.mark.compiled
def test_published_nimbers_of_another_game() -> None:
    # Lemoine and Viennot, "Nimbers are inevitable".
    assert cram("4 5", "5 6") == [[2, 550], [2, 7285]]
    assert cram("5 7", memory=1 << 27) == [[1, 15475]]


@pytest.mark.compiled
@pytest.mark.slow
@pytest.mark.parametrize(("board", "value"), [("7 7", 1), ("6 7", 5)])
def test_published_nimbers_of_the_largest_boards_of_another_game(board: str, value: int) -> None:
    [[found, _]] = cram(board, memory=6 << 30)
    assert found == value


@pytest.mark.compiled
def test_proof_numbers_do_not_depend_on_the_slices() -> None:
    assert cram("4 5", budget=1) == cram("4 5")


@pytest.mark.compiled
def test_proof_numbers_end_when_the_memory_is_full() -> None:
    [[value, nodes]] = cram("5 6", memory=1 << 13)
    assert value == -1
    assert 0 < nodes < 7285


@pytest.mark.compiled
def test_a_part_of_another_game_that_answers_itself_is_not_searched() -> None:
    # The middle of 3x5 is not free: that board, too, is its own answer after half a turn.
    assert cram("4 4", "8 8", "5 3 ...../..x../..... 0") == [[0, 0]] * 3
