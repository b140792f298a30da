"""The features of a position with known hands, and the value network of the strongest level."""

import random
from collections.abc import Iterator

import numpy as np
import pytest
from numpy.typing import NDArray

import fourcorners as fc
from fourcorners.builtin.squendo import rules
from fourcorners.builtin.squendo.placements import unpack_key, unpack_top, unpack_under
from fourcorners.builtin.squendo.strategy import features, value_network
from fourcorners.builtin.squendo.strategy.network_weights import INPUT, OUTPUT, SPREAD, SPREAD_GROWTH
from fourcorners.core import dispatch
from fourcorners.core.arrays import Estimates, States
from fourcorners.core.jit import kernel, rare

Floats = NDArray[np.float64]


def list_positions(players: int, seed: int) -> Iterator[States]:
    """Yield the records of a game of random moves, without its end."""
    rng = random.Random(seed)
    position = fc.game("squendo", players=players).start(seed=seed)
    while not position.is_over:
        yield position.states
        position = position.play(rng.choice(position.moves()))


def compute_features(states: States) -> tuple[Floats, Floats]:
    """Return the inputs and the present points of the seats that play."""
    s = dispatch.view_record(states.copy())
    inputs, now = np.zeros((rules.MAX_SEATS, features.INPUT_COUNT)), np.zeros(rules.MAX_SEATS)
    features.compute_features(s, inputs, now)
    return inputs[: int(s.players)], now[: int(s.players)]


def predict(states: States) -> tuple[Floats, float]:
    """Return the points that are predicted for the seats that play, and their spread."""
    s = dispatch.view_record(states.copy())
    out = np.zeros(rules.MAX_SEATS)
    spread = float(value_network.predict(s, out))
    return out[: int(s.players)], spread


def exchange_seats(states: States) -> States:
    """Return a record of two seats in which these have exchanged colours, hands and the turn."""
    changed = states.copy()
    s = dispatch.view_record(changed)

    def recolour(tiles: int) -> int:
        return tiles >> 24 << 24 | (tiles & 0xFFF) << 12 | tiles >> 12 & 0xFFF

    def rename(tile: int) -> int:
        return tile + 12 if 1 <= tile <= 12 else tile - 12 if 13 <= tile <= 24 else tile

    for i in range(int(s.place_count)):
        place = int(s.place[i])
        top, under = unpack_top(place), unpack_under(place)
        s.place[i] = place & ~(63 << 8 | 63 << 2) | rename(under) << 8 | rename(top) << 2
    s.hand[0], s.hand[1] = np.uint64(recolour(int(s.hand[1]))), np.uint64(recolour(int(s.hand[0])))
    s.hand_size[0], s.hand_size[1] = int(s.hand_size[1]), int(s.hand_size[0])
    s.unlaid = np.uint64(recolour(int(s.unlaid)))
    s.seat = 1 - int(s.seat)
    return changed


def test_seats_that_exchange_everything_exchange_what_is_predicted() -> None:
    count = 0
    for states in list_positions(2, 1):
        (before, spread), (after, same) = predict(states), predict(exchange_seats(states))
        assert after[::-1].tolist() == pytest.approx(before.tolist())
        assert same == spread
        count += 1
    assert count > 30


@pytest.mark.parametrize("players", [2, 3, 4])
def test_the_prediction_is_the_output_of_the_network_in_numpy(players: int) -> None:
    for states in list_positions(players, players):
        inputs, now = compute_features(states)
        part = features.count_tiles_left(dispatch.view_record(states)) / value_network.SCALE
        units = inputs @ INPUT[:-1] + INPUT[-1]
        expected = now + part * (units[:, -1] + np.maximum(units[:, :-1], 0.0) @ OUTPUT)
        points, spread = predict(states)
        assert points.tolist() == pytest.approx(expected.tolist())
        assert spread == pytest.approx(SPREAD * np.exp(SPREAD_GROWTH * part))


@pytest.mark.parametrize("players", [2, 3, 4])
def test_counts_agree_with_the_legal_moves_and_the_visible_tiles(players: int) -> None:
    """The places where a seat's own tiles fit are counted again by listing its moves."""
    for states in list_positions(players, 7):
        inputs, _ = compute_features(states)
        for seat in range(players):
            work = states.copy()
            s = dispatch.view_record(work)
            s.seat = seat
            s.hand[seat] &= np.uint64(0xFFF << 12 * seat)
            actions = np.zeros(rules.bound(s), np.int64)
            listed = actions[: rules.legal(s, actions)].tolist()
            keys = {rules.decode_action(action)[1] for action in listed if action != rules.PASS}
            targets = inputs[seat, features.TARGETS : features.TARGETS + 7]
            assert targets.sum() == len(keys)
            stacks = [int(place) for place in s.place[: int(s.place_count)] if unpack_top(int(place))]
            free = keys - {unpack_key(place) for place in stacks}
            assert targets[0] == len(free)
            own = [place for place in stacks if (unpack_top(place) - 1) // 12 == seat]
            doubles = sum(unpack_under(place) > 0 for place in own)
            assert inputs[seat, features.DOUBLES] == doubles
            assert inputs[seat, features.SINGLES] == len(own) - doubles


def test_tiles_of_a_colour_are_in_hands_or_the_pile_or_were_laid() -> None:
    for states in list_positions(3, 5):
        inputs, _ = compute_features(states)
        s = dispatch.view_record(states)
        for seat in range(3):
            unlaid_or_held = int(s.unlaid) | int(s.hand[0]) | int(s.hand[1]) | int(s.hand[2])
            found = inputs[seat, [features.OWN_IN_HAND, features.OWN_ELSEWHERE, features.OWN_IN_PILE]]
            assert found.sum() == (unlaid_or_held >> 12 * seat & 0xFFF).bit_count()


@rare
@kernel
def call_predict(states: States, out: Estimates) -> float:
    """Write the points predicted for `states[0]` into `out`, and return their spread."""
    return value_network.predict(states[0], out)


@pytest.mark.compiled
def test_compiled_and_interpreted_predictions_agree() -> None:
    for states in list_positions(4, 3):
        found = []
        for call in (call_predict, call_predict.run_interpreted):
            out = np.zeros(rules.MAX_SEATS)
            spread = call(states.copy(), out)
            found.append([*out.tolist(), spread])
        assert found[0] == pytest.approx(found[1])
