"""The games that have a value network: their boards, their players, and the positions that the network sees."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchmarks.value_network.fitting import Settings
from fourcorners.builtin.square_off import evaluate as square_off_knowledge
from fourcorners.builtin.square_off.rules import count_free
from fourcorners.builtin.square_off.strategy import features as square_off_features
from fourcorners.builtin.square_off.strategy import value_network as square_off_network
from fourcorners.builtin.squendo import evaluate as squendo_knowledge
from fourcorners.builtin.squendo.options import MAX_SEATS
from fourcorners.builtin.squendo.strategy import features as squendo_features
from fourcorners.builtin.squendo.strategy import value_network as squendo_network
from fourcorners.core.arrays import States
from fourcorners.core.jit import kernel, rare

Floats = NDArray[np.float64]
Describe = Callable[[States, Floats, Floats, Floats], None]
"""Write the inputs, (n, seats, features), the points now, (n, seats), and the part of the game that is left, (n,), of n
positions; the part is -1 if no network is asked about the position.
"""


class Subject(NamedTuple):
    """A game: options of the boards that are played in turn, the weights in self-play that differ from those of the
    strongest level, what describes positions, the numbers of seats and features in its arrays, the settings of the
    fit, and the written file.
    """

    boards: tuple[Mapping[str, str], ...]
    weights: Mapping[int, float]
    describe: Describe
    seats: int
    features: int
    settings: Settings
    target: Path


@rare
@kernel
def _describe_square_off(states: States, inputs: Floats, points: Floats, part: Floats) -> None:
    for i in range(len(states)):
        part[i] = -1.0
        if square_off_knowledge.is_quiet(states[i]):
            square_off_features.compute_features(states[i], inputs[i], points[i])
            part[i] = count_free(states[i]) / square_off_network.SCALE


@rare
@kernel
def _describe_squendo(states: States, inputs: Floats, points: Floats, part: Floats) -> None:
    for i in range(len(states)):
        squendo_features.compute_features(states[i], inputs[i], points[i])
        part[i] = squendo_features.count_tiles_left(states[i]) / squendo_network.SCALE


SUBJECTS = {
    "square-off": Subject(
        ({}, {}, {}, {"size": "6"}),
        {},
        _describe_square_off,
        2,
        square_off_features.INPUT_COUNT,
        Settings(hidden=32, rounds=1, epochs=8, decay=2e-5),
        Path(square_off_network.__file__).with_name("network_weights.py"),
    ),
    "squendo": Subject(
        ({}, {}, {}, {"players": "4"}),
        {squendo_knowledge.BELIEF: 0.0},  # weighing worlds would take longer than so few simulations
        _describe_squendo,
        MAX_SEATS,
        squendo_features.INPUT_COUNT,
        Settings(hidden=16, rounds=3, epochs=10, decay=1e-3),
        Path(squendo_network.__file__).with_name("network_weights.py"),
    ),
}
