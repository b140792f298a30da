"""The features of a position of Square Off, compared with a list of all squares, and the value network."""

import random
from collections.abc import Iterator
from functools import cache

import numpy as np
import pytest
from numpy.typing import NDArray

import fourcorners as fc
from fourcorners.builtin.square_off.board import has_cell
from fourcorners.builtin.square_off.evaluate import is_quiet
from fourcorners.builtin.square_off.options import list_cells, list_squares
from fourcorners.builtin.square_off.strategy import features, value_network
from fourcorners.builtin.square_off.strategy.network_weights import INPUT, OUTPUT, SPREAD, SPREAD_GROWTH
from fourcorners.core import dispatch
from fourcorners.core.arrays import Estimates, State, States
from fourcorners.core.jit import kernel, rare
from tests.builtin.square_off.positions import play_random_positions

Floats = NDArray[np.float64]


@cache
def list_quiet_positions() -> list[fc.Position]:
    """Return quiet positions on boards of one word, some of them after a swap."""
    found = [position for position in play_random_positions(80) if position.record.side <= 8]
    for seed in range(10):
        # After so few moves, positions are quiet.
        rng = random.Random(seed)
        position = fc.game("square-off").start().play(rng.choice(["b2", "c3", "d4"])).play("swap")
        for _ in range(rng.randrange(8)):
            position = position.play(rng.choice(position.moves()))
        found.append(position)
    found = [position for position in found if is_quiet(position.record)]
    assert len(found) > 20
    return found


def compute_features(s: State) -> tuple[Floats, Floats]:
    """Return the inputs, in arrays that had other numbers before, and the points."""
    inputs, now = np.full((2, features.INPUT_COUNT), 7.0), np.full(2, 7.0)
    features.compute_features(s, inputs, now)
    return inputs, now


def count_features(position: fc.Position, colour: int) -> Iterator[float]:
    """Yield the features of the seat with a colour, counted one square and one cell after another."""
    s, size = position.record, int(position.record.side)
    cells = list_cells(size)
    men = [{cell for cell in cells if has_cell(s.men[c], cell)} for c in (colour, 1 - colour)]
    marked = {cell for cell in cells if has_cell(s.marks[colour], cell)}
    free = {cell for cell in cells if has_cell(s.free, cell)}
    kinds: dict[tuple[int, int], list[set[int]]] = {}
    for square in map(set, list_squares(size)):
        kinds.setdefault((len(square & men[0]), len(square & men[1])), []).append(square)

    def count_on(kind: tuple[int, int], cell: int) -> int:
        return sum(cell in square for square in kinds.get(kind, []))

    singles = kinds.get((1, 0), [])
    pairs = kinds.get((2, 0), []) + kinds.get((4, 0), [])
    yield len(singles)
    yield len(pairs)
    yield sum(3 + len(square & men[0] - marked) for square in singles)
    yield sum(2 + len(square & men[0] - marked) for square in pairs)
    for kind in ((1, 0), (2, 0)):
        for least in (1, 2, 3):
            yield sum(count_on(kind, cell) >= least for cell in free)
    for other, least, others in (((1, 0), 1, 1), ((1, 0), 1, 2), ((1, 0), 2, 1), ((0, 2), 1, 1), ((0, 1), 1, 1)):
        yield sum(count_on((2, 0), cell) >= least and count_on(other, cell) >= others for cell in free)
    yield sum(count_on((2, 0), cell) >= 1 and count_on((0, 0), cell) >= 1 for cell in free)
    yield sum(any(count_on((k, 0), cell) for k in (0, 1, 2)) for cell in free)
    yield len(kinds.get((0, 0), []))


def test_features_are_counts_of_squares_and_cells() -> None:
    for position in list_quiet_positions():
        s = position.record
        inputs, now = compute_features(s)
        assert tuple(now) == position.scores
        counted = [list(count_features(position, colour)) for colour in (0, 1)]
        for seat in (0, 1):
            colour = seat ^ int(s.swapped)
            own, other = counted[colour], counted[1 - colour]
            described = [*own[:-1], *other[:-1], 1.0, own[-1], int(s.free[0]).bit_count()]
            nothing = [0.0] * len(described)
            expected = nothing + described if seat == position.seat else described + nothing
            assert inputs[seat].tolist() == expected


def test_seats_that_exchange_colours_exchange_what_is_predicted() -> None:
    for position in list_quiet_positions():
        s = dispatch.view_record(position.states.copy())
        before, after = np.zeros(2), np.zeros(2)
        spread = value_network.predict(s, before)
        s.swapped = 1 - int(s.swapped)
        assert value_network.predict(s, after) == spread
        assert after[::-1].tolist() == before.tolist()


def test_the_prediction_is_the_output_of_the_network_in_numpy() -> None:
    for position in list_quiet_positions():
        inputs, now = compute_features(position.record)
        part = int(position.record.free[0]).bit_count() / value_network.SCALE
        units = inputs @ INPUT[:-1] + INPUT[-1]
        expected = now + part * (units[:, -1] + np.maximum(units[:, :-1], 0.0) @ OUTPUT)
        points = np.zeros(2)
        spread = value_network.predict(position.record, points)
        assert points.tolist() == pytest.approx(expected.tolist())
        assert spread == pytest.approx(SPREAD * np.exp(SPREAD_GROWTH * part))


@rare
@kernel
def call_predict(states: States, out: Estimates) -> float:
    """Write the points predicted for `states[0]` into `out`, and return their spread."""
    return value_network.predict(states[0], out)


@pytest.mark.compiled
def test_compiled_and_interpreted_predictions_agree() -> None:
    for position in list_quiet_positions():
        found = []
        for call in (call_predict, call_predict.run_interpreted):
            out = np.zeros(2)
            spread = call(position.states.copy(), out)
            found.append([*out.tolist(), spread])
        assert found[0] == pytest.approx(found[1])
