"""The value network of Squendo: it predicts every seat's points at the end of the game from its `features`."""

import math

import numpy as np

from fourcorners.builtin.squendo.options import MAX_SEATS
from fourcorners.builtin.squendo.strategy.features import INPUT_COUNT, compute_features, count_tiles_left
from fourcorners.builtin.squendo.strategy.network_weights import INPUT, OUTPUT, SPREAD, SPREAD_GROWTH
from fourcorners.core import value_network
from fourcorners.core.arrays import Estimates, State
from fourcorners.core.jit import jitable

SCALE = 36.0
"""The number of tiles left for which the network's output is not scaled."""


@jitable
def predict(s: State, out: Estimates) -> float:
    """Write the expected points of every seat at the end into `out`, (MAX_SEATS,); nothing may be hidden.

    Return their spread, a softmax temperature T: a seat wins with a chance proportional to exp(points / T).
    """
    inputs = np.empty((MAX_SEATS, INPUT_COUNT))
    compute_features(s, inputs, out)
    part = count_tiles_left(s) / SCALE
    value_network.add_gains(inputs[: np.int64(s.players)], part, INPUT, OUTPUT, out)
    return SPREAD * math.exp(SPREAD_GROWTH * part)
