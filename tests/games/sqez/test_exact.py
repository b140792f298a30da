"""What exact play knows of Sqez: parts, and what is left of them, against the rules themselves."""

from __future__ import annotations

import random
from itertools import pairwise

import numpy as np
import pytest
from numba import config

import fourcorners as fc
from fourcorners.core import dispatch, nimber_protocol
from fourcorners.core.bits import ONE
from fourcorners.core.dispatch import States
from fourcorners.core.jit import kernel
from fourcorners.core.nimber_protocol import SINGLE, Ends, Words, length_of
from fourcorners.games.sqez.exact import conflict_graph
from fourcorners.solve.nimber_search import divide
from fourcorners.solve.nimbers import NimberSolver, NimberTask

Part = tuple[int, ...]


@kernel
def expand(states: States, words: Words, out: Words, ends: Ends) -> int:
    return nimber_protocol.options(states[0], words, 0, out, ends)


def cut(words: Words, end: int) -> list[Part]:
    found: list[Part] = []
    at = 0
    while at < end:
        length = int(length_of(np.uint64(words[at])))
        found.append(tuple(int(word) for word in words[at : at + length]))
        at += length
    return sorted(found)


def parts_of(position: fc.Position) -> list[Part]:
    out = np.zeros(1 << 16, np.uint64)
    return cut(out, int(divide(np.array(position.states), 0, out)))


def options_of(position: fc.Position, part: Part) -> list[list[Part]]:
    if part == (int(SINGLE),):
        return [[]]
    out, ends = np.zeros(1 << 18, np.uint64), np.zeros(1 << 10, np.int64)
    n = int(expand(np.array(position.states), np.array(part, np.uint64), out, ends))
    assert n >= 0
    bounds = [0, *ends[:n].tolist()]
    return [cut(out[begin:], end - begin) for begin, end in pairwise(bounds)]


def position_of(*moves: str, cols: int = 5, rows: int = 5, **options: str) -> fc.Position:
    position = fc.game("sqez", cols=cols, rows=rows, **options).start()
    for move in moves:
        position = position.play(move)
    return position


def nimber_of(method: NimberSolver, position: fc.Position) -> int:
    return solve(method.create_task(position))


def solve(one: NimberTask) -> int:
    while not one.advance(1000):
        pass
    assert one.nimber is not None
    return one.nimber


@pytest.fixture
def _interpreted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(config, "DISABLE_JIT", 1)


@pytest.mark.usefixtures("_interpreted")
def test_rectangles_that_all_exclude_each_other_are_one() -> None:
    # Rule 2: on four by four dots every rectangle takes from all others an edge or the last dot.
    assert parts_of(position_of(cols=4, rows=4)) == [(int(SINGLE),)]
    assert parts_of(position_of(cols=3, rows=3)) == [(int(SINGLE),)]


@pytest.mark.usefixtures("_interpreted")
def test_a_game_that_is_over_has_no_parts() -> None:
    assert parts_of(position_of("a1 c3", cols=3, rows=3)) == []


@pytest.mark.usefixtures("_interpreted")
def test_what_lies_apart_are_two_parts() -> None:
    # The rectangle in the middle leaves room for one to its left and for one to its right.
    position = position_of("d1 f3", cols=9, rows=3)
    assert parts_of(position) == [(int(SINGLE),), (int(SINGLE),)]


@pytest.mark.usefixtures("_interpreted")
def test_a_part_too_large_for_a_tangle_is_a_patch_however_it_lies() -> None:
    wide, high = parts_of(position_of(cols=7, rows=6)), parts_of(position_of(cols=6, rows=7))
    assert wide == high
    assert np.uint64(wide[0][0]) & conflict_graph.IS_TANGLE == 0
    assert np.uint64(parts_of(position_of())[0][0]) & conflict_graph.IS_TANGLE == conflict_graph.IS_TANGLE


IMAGES = 8


def image(move: str, size: int, which: int) -> str:
    """The move on a square field that is flipped and turned."""
    corners = []
    for dot in move.split(" "):
        x, y = "abcdefghijklmnopqrst".index(dot[0]), int(dot[1:]) - 1
        x, y = (size - 1 - x if which & 1 else x), (size - 1 - y if which & 2 else y)
        corners.append((y, x) if which & 4 else (x, y))
    (x1, y1), (x2, y2) = corners
    return (
        f"{'abcdefghijklmnopqrst'[min(x1, x2)]}{min(y1, y2) + 1} {'abcdefghijklmnopqrst'[max(x1, x2)]}{max(y1, y2) + 1}"
    )


@pytest.mark.compiled
@pytest.mark.parametrize("sides", ["own", "shared"])
@pytest.mark.parametrize("enclose", ["free", "any"])
def test_images_have_the_same_large_parts(sides: str, enclose: str) -> None:
    rng = random.Random(4)
    patches = 0
    for _ in range(20):
        move = rng.choice(position_of(cols=7, rows=7).moves())
        found = [
            [
                part
                for part in parts_of(one)
                if np.uint64(part[0]) & conflict_graph.IS_TANGLE == 0 and part != (int(SINGLE),)
            ]
            for one in (
                position_of(image(move, 7, which), cols=7, rows=7, sides=sides, enclose=enclose)
                for which in range(IMAGES)
            )
        ]
        assert all(one == found[0] for one in found)
        patches += len(found[0])
    assert patches >= 5


@pytest.mark.compiled
@pytest.mark.parametrize("sides", ["own", "shared"])
@pytest.mark.parametrize("enclose", ["free", "any"])
def test_the_options_of_the_parts_are_the_moves_of_the_position(sides: str, enclose: str) -> None:
    rng = random.Random(5)
    method = NimberSolver(fc.game("sqez", cols=5, rows=5, sides=sides, enclose=enclose), 1 << 24)
    compared = same = 0
    for _ in range(30):
        position = position_of(sides=sides, enclose=enclose)
        while not position.is_over:
            moves = position.moves()
            if len(moves) <= (40 if sides == "own" else 8):
                mine = parts_of(position)
                played = {tuple(parts_of(position.play(move))) for move in moves}
                options = {
                    tuple(sorted([*mine[:i], *mine[i + 1 :], *option]))
                    for i, part in enumerate(mine)
                    for option in options_of(position, part)
                }
                compared += 1
                same += played == options
                # A tangle that is written in two ways is worth the same in both.
                values = {nimber_of(method, position.play(move)) for move in moves}
                assert {worth(method, position, option) for option in options} == values
            position = position.play(rng.choice(moves))
    assert compared >= 30
    assert same >= 0.9 * compared


def worth(method: NimberSolver, position: fc.Position, option: tuple[Part, ...]) -> int:
    """The nimber of a sum of parts, found by putting them in the place of a position's own."""
    total = 0
    for part in option:
        one = method.create_task(position)
        one._stack.words[: len(part)] = part
        one._open, one._known, one._top, one.nimber = [0], 0, len(part), None
        one._conclude()
        total ^= solve(one)
    return total


@pytest.mark.usefixtures("_interpreted")
def test_drawing_takes_away_the_rectangles_with_a_common_edge_and_those_without_a_dot() -> None:
    t = np.zeros((conflict_graph.ROWS, conflict_graph.ROOM), np.uint64)
    # Rectangles 0 and 1 share an edge; 0 wipes the only dot of 2, which nothing else touches.
    t[conflict_graph.KILLS, :3] = [0b011, 0b011, 0b100]
    t[conflict_graph.KILLERS, :3] = t[conflict_graph.KILLS, :3]
    t[conflict_graph.WIPES, 0], t[conflict_graph.NEEDS, 2], t[conflict_graph.WIPERS, 0] = ONE, ONE, ONE
    assert int(conflict_graph.reduce(t, np.uint64(0b111), 1)) == 0b111
    assert t[conflict_graph.KILLS, :3].tolist() == [0b111, 0b011, 0b100]
    assert t[conflict_graph.NEEDS, 2] == 0


@pytest.mark.usefixtures("_interpreted")
def test_a_rectangle_that_does_what_another_does_is_left_out() -> None:
    t = np.zeros((conflict_graph.ROWS, conflict_graph.ROOM), np.uint64)
    t[conflict_graph.KILLS, :3] = [0b011, 0b111, 0b110]
    t[conflict_graph.KILLERS, :3] = t[conflict_graph.KILLS, :3]
    assert int(conflict_graph.reduce(t, np.uint64(0b111), 0)) == 0b111
    t[conflict_graph.KILLS, :3] = t[conflict_graph.KILLERS, :3] = 0b111
    assert int(conflict_graph.reduce(t, np.uint64(0b111), 0)) == 0b001


@pytest.mark.usefixtures("_interpreted")
def test_the_stubs_find_the_game_by_its_record() -> None:
    out = np.zeros(1 << 12, np.uint64)
    s = dispatch.view_record(np.array(position_of(cols=3, rows=3).states))
    assert nimber_protocol.split(s, out) == 1
    assert nimber_protocol.split(s, out[:1]) == -1
