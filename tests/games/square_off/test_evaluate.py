"""What a player of Square Off sees at first sight: planes, counts, priors, playouts; what solving takes."""

from __future__ import annotations

import math
import random
from itertools import product

import numpy as np
import pytest

import fourcorners as fc
from fourcorners.core import dispatch
from fourcorners.core.bits import Rng, new_rng
from fourcorners.core.dispatch import Priors, State, States, Weights
from fourcorners.core.jit import kernel
from fourcorners.games.square_off import evaluate
from fourcorners.games.square_off.exact import margin
from fourcorners.games.square_off.levels import LEVELS
from fourcorners.games.square_off.options import list_cells
from fourcorners.games.square_off.board import has_cell
from fourcorners.games.square_off.strategy.square_counts import at, count_squares
from fourcorners.games.square_off.strategy.square_potential import find_completing_cells, count_new_marks, find_key_cells, has_bit, count_squares_through

TOP, JUDGE = LEVELS[-1], LEVELS[3]


def board(rows: str, turn: str = "w", **options: object) -> fc.Position:
    """Read a board from lines of `w`, `b`, `W`, `B` and dots, the top row first."""
    lines = rows.split()
    text = "/".join(line.replace(".", "1") for line in lines)
    while "11" in text or any(f"{n}1" in text for n in range(1, len(lines))):
        for n in range(len(lines) - 1, 0, -1):
            text = text.replace("1" * (n + 1), str(n + 1))
    return fc.game("square-off", size=len(lines), **options).position(f"{text} {turn} 0 -")


def cell(position: fc.Position, name: str) -> int:
    return int(position.game.spec.notation.parse(position.record, name))


def open_to(s: State, colour: int, square: frozenset[int]) -> bool:
    return not any(has_cell(s.men[1 - colour], corner) for corner in square)


def random_positions(count: int) -> list[fc.Position]:
    found = []
    for number in range(count):
        rng = random.Random(number)
        position = fc.game("square-off", size=rng.choice([4, 6, 8, 8, 10, 14])).start()
        for _ in range(rng.randrange(int(position.record.side) ** 2)):
            position = position.play(rng.choice(position.moves()))
        found.append(position)
    return found


@pytest.mark.parametrize("number", range(12))
def test_planes_and_counts_are_those_of_all_squares(number: int) -> None:
    position = random_positions(number + 1)[number]
    s, size = position.record, int(position.record.side)
    squares = margin.list_squares(size)
    colour = number & 1
    men = [{c for c in list_cells(size) if has_cell(s.men[each], c)} for each in (0, 1)]
    for here in list_cells(size):
        if not has_cell(s.free, here):
            continue
        mine = [square for square in squares if here in square]
        counts = [[len(square & men[each]) for square in mine if open_to(s, each, square)] for each in (0, 1)]
        own, other = counts[colour], counts[1 - colour]
        planes = [has_bit(plane, here) for plane in find_key_cells(s, colour, here >> 6)]
        forks = [sum(count >= 2 for count in each) > 1 for each in (own, other)]
        assert planes[:2] == [has_bit(plane, here) for plane in find_completing_cells(s, colour, here >> 6)]
        assert planes == [3 in own, 3 in other, *forks, bool(own or other)]
        found = [int(at(count, np.uint64(here & 63))) for count in count_squares(s, colour, here >> 6)]
        expected = [own.count(0), own.count(1), sum(n >= 2 for n in own), other.count(1), sum(n >= 2 for n in other)]
        assert found == [n if n < 16 else 8 + n % 8 for n in expected]
        assert count_squares_through(s, here) == len(mine)


@pytest.mark.parametrize("number", range(8))
def test_fresh_is_what_playing_marks(number: int) -> None:
    position = random_positions(number + 1)[number]
    seat = position.seat
    if seat is None:
        return
    colour = int(position.record.placed) & 1
    for move in position.moves():
        if move != "swap" and " " not in move:
            gained = position.play(move).scores[seat] - position.scores[seat]
            assert count_new_marks(position.record, colour, cell(position, move)) == gained


def priors(position: fc.Position, weights: tuple[float, ...]) -> dict[str, float]:
    s, notation = position.record, position.game.spec.notation
    actions = np.zeros(dispatch.bound(s), np.int64)
    n = dispatch.legal(s, actions)
    out = np.full(n, np.nan)
    dispatch.prior(s, actions, n, np.array(weights), out)
    return {notation.format(s, int(action)): float(worth) for action, worth in zip(actions, out, strict=False)}


def test_the_first_cells_go_by_the_squares_through_them() -> None:
    found = priors(fc.game("square-off", swap=False).start(), JUDGE.weights)
    best = {move for move, worth in found.items() if worth == max(found.values())}
    assert best == {"b2", "c3", "f3", "g2", "b7", "c6", "f6", "g7"}
    assert found["b2"] > found["a1"] > found["d1"]


def test_completing_more_is_better_and_so_is_blocking_more() -> None:
    position = board("""
        ........
        ........
        ....bb..
        ....b...
        .....w..
        ww......
        w.......
        .....b..
    """)
    found = priors(position, TOP.weights)
    ranked = sorted(found, key=lambda move: -found[move])
    assert ranked[:2] == ["b2", "f5"]


def test_the_right_is_worth_more_where_the_black_man_goes_to_a_poor_cell() -> None:
    position = fc.game("square-off").replay(["b2", "g2"])
    found = priors(position, TOP.weights)
    assert found["g2 d1"] > found["g2 b7"]
    assert not any(math.isnan(worth) for worth in found.values())


def chosen(position: fc.Position, weights: tuple[float, ...], seeds: int = 12) -> set[str]:
    """Return what a player who does not look ahead plays, for so many seeds."""
    s = position.record
    return {
        position.game.spec.notation.format(s, int(dispatch.rollout(s, np.array(weights), new_rng(seed))))
        for seed in range(seeds)
    }


@pytest.mark.parametrize(("level", "size"), list(product(range(6), (4, 8, 10))))
def test_playouts_make_legal_moves_to_the_end(level: int, size: int) -> None:
    weights = np.array(LEVELS[level].weights)
    position = fc.game("square-off", size=size).start()
    rng = new_rng(level)
    while not position.is_over:
        action = int(dispatch.rollout(position.record, weights, rng))
        position = position.play(position.game.spec.notation.format(position.record, action))


def test_whoever_judges_the_first_man_takes_over_a_good_one_only() -> None:
    game = fc.game("square-off")
    assert chosen(game.replay(["b2"]), JUDGE.weights) == {"swap"}
    assert "swap" not in chosen(game.replay(["d1"]), JUDGE.weights)
    assert chosen(game.replay(["d1"]), LEVELS[0].weights) > {"swap"}


def test_the_first_man_is_the_best_that_is_not_taken_over() -> None:
    fair = {"b1", "a2", "d3", "c4"}
    found = priors(fc.game("square-off").start(), TOP.weights)
    assert fair <= {move for move, worth in found.items() if worth == max(found.values())}
    start = fc.game("square-off").start()
    for move in chosen(start, JUDGE.weights):
        assert count_squares_through(start.record, cell(start, move)) == 6
    answers = priors(start.play("b2"), TOP.weights)
    assert max(answers, key=lambda move: answers[move]) == "swap"
    assert priors(start.play("d2"), TOP.weights)["swap"] == 0
    assert chosen(fc.game("square-off", size=4).start(), JUDGE.weights) <= set(start.moves())


def test_the_right_sends_the_black_man_to_the_poorest_cell() -> None:
    position = fc.game("square-off").replay(["b2", "g2"])
    (move,) = chosen(position, JUDGE.weights)
    assert move.split()[0] == "g2"
    assert count_squares_through(position.record, cell(position, move.split()[1])) == 4


def foreseen(position: fc.Position, weights: tuple[float, ...]) -> tuple[int, ...] | None:
    out = np.zeros(2, np.int64)
    seen = dispatch.foresee(position.record, np.array(weights), new_rng(1), out)
    return tuple(out.tolist()) if seen else None


def test_a_playout_stops_when_no_square_can_be_completed() -> None:
    settled = board("wwbb bbww bbww wwb.", "b")
    assert foreseen(settled, TOP.weights) == settled.scores
    assert foreseen(settled, JUDGE.weights) is None
    assert foreseen(fc.game("square-off").start(), TOP.weights) is None
    assert foreseen(board("wwwb w.bb bwbw bw.b"), TOP.weights) is None


def test_the_effort_of_solving_is_about_right() -> None:
    assert 200 < margin.estimate_cost(fc.game("square-off", size=4).start().record) < 100_000
    assert margin.estimate_cost(fc.game("square-off").start().record) > 1e10
    assert margin.estimate_cost(fc.game("square-off", size=16).start().record) == float("inf")


@kernel
def see(
    states: States, weights: Weights, actions: dispatch.Actions, out: Priors, points: dispatch.Points, rng: Rng
) -> int:
    """Call all that the game knows."""
    s = states[0]
    n = dispatch.legal(s, actions)
    dispatch.prior(s, actions, n, weights, out)
    foreseen = dispatch.foresee(s, weights, rng, points)
    return dispatch.rollout(s, weights, rng) * 2 + foreseen


@pytest.mark.compiled
def test_compiled_it_is_the_same() -> None:
    for number, position in enumerate(random_positions(40)):
        if position.is_over:
            continue
        weights = np.array(LEVELS[number % len(LEVELS)].weights)
        states = position.view(position.seat).states
        results = []
        for call in (see, see.interpreted):
            actions, out = np.zeros(600, np.int64), np.zeros(600)
            points, rng = np.zeros(2, np.int64), new_rng(number)
            code = call(np.array(states), weights, actions, out, points, rng)
            results.append((int(code), out.tolist(), points.tolist(), int(rng[0])))
        assert results[0] == results[1]


def test_every_weight_has_its_own_place() -> None:
    names = [name for name in vars(evaluate) if name.isupper() and not name.startswith("_") and name != "NUMBER"]
    own = [getattr(evaluate, name) for name in names if isinstance(getattr(evaluate, name), int)]
    assert set(range(evaluate.NUMBER)) <= set(own)
