"""Chains and loops: those of drawn boards, and of random ones against a search written separately."""

from __future__ import annotations

import random
import re
from typing import Any, NamedTuple

import numpy as np
import pytest

import fourcorners as fc
from fourcorners.core.dispatch import States, view_record
from fourcorners.core.jit import kernel
from fourcorners.core.scene import Element, add_overlay, diff_scenes
from fourcorners.games.squarin_off.notation import format_box
from fourcorners.games.squarin_off.rules import BOX_SLOTS
from fourcorners.games.squarin_off.strategy import chains
from fourcorners.games.squarin_off.strategy.chains import Numbers


class Run(NamedTuple):
    """A chain or loop: its boxes from end to end, and what there is to say of it."""

    boxes: tuple[str, ...]
    points: int
    loop: bool
    joined: int
    ready: int


def buffers() -> tuple[Numbers, Numbers, Numbers]:
    return np.zeros(BOX_SLOTS, np.int64), np.zeros(BOX_SLOTS, np.int64), np.zeros((BOX_SLOTS, chains.COLUMNS), np.int64)


def found(position: fc.Position) -> list[Run]:
    run_of, order, runs = buffers()
    s = position.record
    count = chains.find_chains(s, run_of, order, runs)
    result = []
    for number, run in enumerate(runs[:count].tolist()):
        boxes = order[run[chains.START] :][: run[chains.LENGTH]].tolist()
        assert sorted(boxes) == np.flatnonzero(run_of == number).tolist()
        names = tuple(format_box(s, box) for box in boxes)
        result.append(
            Run(names, run[chains.POINTS], bool(run[chains.IS_LOOP]), run[chains.JUNCTION_ENDS], run[chains.CAPTURABLE])
        )
    return result


def by_hand(position: fc.Position) -> set[tuple[frozenset[str], int, bool, int, int]]:
    """Find the runs in the drawn board: `str(position)` is lines of dots, dashes and bars."""
    options: Any = position.game.options
    high, wide = options.rows, options.cols
    lines = [line[3:].ljust(4 * wide + 1) for line in str(position).splitlines()[: 2 * high + 1]]

    def ways(x: int, y: int) -> list[tuple[int, int]]:
        middle = 2 * (high - y) - 1
        sides = {
            (x, y + 1): lines[middle - 1][4 * x + 1],
            (x, y - 1): lines[middle + 1][4 * x + 1],
            (x - 1, y): lines[middle][4 * x],
            (x + 1, y): lines[middle][4 * x + 4],
        }
        return [place for place, sign in sides.items() if sign == " "]

    def alive(x: int, y: int) -> bool:
        return bool(0 <= x < wide and 0 <= y < high and lines[2 * (high - y) - 1][4 * x + 1] != "#")

    open_ = {(x, y): ways(x, y) for x in range(wide) for y in range(high) if alive(x, y)}
    links = {place for place, out in open_.items() if len(out) in {1, 2}}
    result = set()
    left = set(links)
    while left:
        group = {left.pop()}
        while more := {near for place in group for near in open_[place] if near in links} - group:
            group |= more
        left -= group
        edges = sum(near in group for place in group for near in open_[place])
        joined = sum(near in open_ and near not in links for place in group for near in open_[place])
        points = sum(int(options.values[high - 1 - y][x]) for x, y in group)
        names = frozenset(f"{'abcdefghijklmnopqrstu'[x]}{y + 1}" for x, y in group)
        ready = sum(len(open_[place]) == 1 for place in group)
        result.add((names, points, edges == 2 * len(group), joined, ready))
    return result


def random_position(rng: random.Random, *, blockers: bool = True) -> fc.Position:
    cols, rows = rng.randint(1, 5), rng.randint(1, 5)
    values = ["".join(rng.choice("0123456789") for _ in range(cols)) for _ in range(rows)]
    options: dict[str, Any] = {"blockers": 3 if blockers else 0, "values": values}
    position = fc.game("squarin-off", cols=cols, rows=rows, **options).start()
    for _ in range(rng.randrange(2 * cols * rows + cols + rows)):
        moves = position.moves()
        edges = [move for move in moves if "#" not in move]
        if not moves:
            break
        position = position.play(rng.choice(moves if rng.random() < 0.05 else edges))
    return position


def drawn(board: str, **options: Any) -> fc.Position:
    """Set up a board from its lines, top first."""
    lines = board.split()
    cols, rows = len(lines[0]), len(lines) // 2
    return fc.game("squarin-off", cols=cols, rows=rows, blockers=2, **options).position(f"0 2,2 {'/'.join(lines)}")


def test_a_chain_between_two_grounds_is_independent() -> None:
    position = drawn("--- ._._._. ---")
    assert found(position) == [Run(("c1", "b1", "a1"), 3, False, 0, 0)]


def test_a_chain_that_can_be_taken() -> None:
    assert found(drawn("--- |_._._. ---")) == [Run(("c1", "b1", "a1"), 3, False, 0, 1)]
    assert found(drawn("--- |_._._| ---")) == [Run(("c1", "b1", "a1"), 3, False, 0, 2)]
    assert found(drawn("- |_. -")) == [Run(("a1",), 1, False, 0, 1)]


def test_a_loop_has_no_end() -> None:
    runs = found(drawn("-- |_._| .. |_._| --", values=["12", "34"]))
    assert [(set(run.boxes), run[1:]) for run in runs] == [({"a1", "a2", "b1", "b2"}, (10, True, 0, 0))]


def test_chains_meet_at_a_junction() -> None:
    # The middle box has three free sides: left, right and below.
    position = drawn("--- ._._._. -.- |_|_|_| ...")
    runs = found(position)
    assert {(frozenset(run.boxes), run.joined) for run in runs} == {
        (frozenset({"a2"}), 1),
        (frozenset({"c2"}), 1),
        (frozenset({"b1"}), 1),
        (frozenset({"a1"}), 0),
        (frozenset({"c1"}), 0),
    }


def test_a_blocked_box_is_ground() -> None:
    game = fc.game("squarin-off", cols=3, rows=1, blockers=2)
    position = game.replay(["a1b1", "b1c1", "a2b2", "b2c2", "#c1 c1d1"])
    assert found(position) == [Run(("b1", "a1"), 2, False, 0, 0)]


@pytest.mark.parametrize("blockers", [True, False])
def test_random_boards_as_by_hand(blockers: bool) -> None:
    rng = random.Random(4)
    kinds = set()
    for _ in range(60):
        position = random_position(rng, blockers=blockers)
        runs = found(position)
        assert {(frozenset(run.boxes), *run[1:]) for run in runs} == by_hand(position), str(position)
        for run in runs:
            kinds |= {("loop", run.loop), ("joined", run.joined), ("ready", run.ready)}
            assert all(are_neighbours(*pair) for pair in zip(run.boxes, run.boxes[1:], strict=False))
    assert {("joined", 0), ("joined", 1), ("joined", 2), ("ready", 0), ("ready", 1), ("ready", 2)} <= kinds


def are_neighbours(one: str, other: str) -> bool:
    return abs(ord(one[0]) - ord(other[0])) + abs(int(one[1:]) - int(other[1:])) == 1


@kernel
def find(states: States, i: int, run_of: Numbers, order: Numbers, runs: Numbers) -> int:
    return chains.find_chains(states[i], run_of, order, runs)


@pytest.mark.compiled
def test_compiled_finds_the_same() -> None:
    rng = random.Random(5)
    for _ in range(100):
        position = random_position(rng)
        one, other = buffers(), buffers()
        states = position.states.copy()
        count = find(states, 0, *one)
        assert count == chains.find_chains(view_record(states), *other)
        for a, b in zip(one, other, strict=True):
            assert a.tolist() == b.tolist()


def outlines(position: fc.Position) -> dict[str, Element]:
    overlay = position.view().overlay()
    assert overlay is not None
    assert overlay.name == "Chains"
    return {element.id: element for element in overlay.elements}


def test_outlines_are_labelled_with_lengths_and_points() -> None:
    shown = outlines(drawn("-- |_._| .. |_._| --"))
    assert [element.label for element in shown.values()] == ["loop of 4 boxes: a1 b1 b2 a2"]
    assert ">4</text>" in shown["so-ra1"].markup
    valued = outlines(drawn("--- ._._._. ---", values=["123"]))
    assert [element.label for element in valued.values()] == ["chain of 3 boxes worth 6: c1 b1 a1"]
    assert ">3·6</text>" in valued["so-ra1"].markup
    joined = outlines(drawn("--- ._._._. -.- |_|_|_| ..."))
    assert "joined to others" in joined["so-ra2"].label
    assert "so-joined" in joined["so-ra2"].classes


def test_every_outline_is_closed_and_lies_in_its_boxes() -> None:
    rng = random.Random(6)
    for _ in range(25):
        for element in outlines(random_position(rng)).values():
            assert element.classes.startswith("overlay ")
            path = re.findall(r'd="([^"]*)"', element.markup)[0]
            assert path.count("M") == path.count("Z") == (2 if element.label.startswith("loop") else 1)


def test_an_overlay_travels_in_patches() -> None:
    before = fc.game("dots-and-boxes", cols=3, rows=1).replay(["a1b1", "b1c1", "c1d1", "a2b2", "b2c2"])
    after = before.play("c2d2")
    scenes = []
    for position in (before, after):
        overlay = position.view().overlay()
        assert overlay is not None
        scenes.append(add_overlay(position.view().scene(), overlay))
    patch = diff_scenes(*scenes)
    assert patch is not None
    assert {"so-ra1"} <= patch["board"]["set"].keys()
    ids = [element.id for element in scenes[1].board.elements]
    assert len(ids) == len(set(ids))
