"""The value network of Square Off: it predicts by how many marked men each seat will lead at the end."""

import math

import numpy as np

from fourcorners.builtin.square_off.rules import count_free
from fourcorners.builtin.square_off.strategy.features import INPUT_COUNT, compute_features
from fourcorners.builtin.square_off.strategy.network_weights import INPUT, OUTPUT, SPREAD, SPREAD_GROWTH
from fourcorners.core import value_network
from fourcorners.core.arrays import Estimates, State
from fourcorners.core.jit import jitable

SCALE = 64.0
"""The number of free cells for which the network's output is not scaled."""


@jitable
def predict(s: State, out: Estimates) -> float:
    """Write points of both seats into `out`, (2,), whose difference is expected at the end, and return their spread, a
    softmax temperature. The board must have one word, and neither colour may be able to complete a square at once.
    """
    inputs = np.empty((2, INPUT_COUNT))
    compute_features(s, inputs, out)
    part = count_free(s) / SCALE
    value_network.add_gains(inputs, part, INPUT, OUTPUT, out)
    return SPREAD * math.exp(SPREAD_GROWTH * part)
