"""A small neural network that predicts every seat's points at the end of the game from its `features`.

It has one hidden layer of rectified linear units, and a linear path from the inputs to the output. All seats share its
parameters, so it treats them alike. The output is the further gain of a seat for TILES remaining tiles, and scales with
the number of remaining tiles, so at the end of a game the prediction equals the points.
"""

import math

import numpy as np

from fourcorners.builtin.squendo.options import MAX_SEATS
from fourcorners.builtin.squendo.strategy.features import INPUT_COUNT, compute_features, count_tiles_left
from fourcorners.builtin.squendo.strategy.network_weights import INPUT, OUTPUT, SPREAD, SPREAD_GROWTH
from fourcorners.core.arrays import Estimates, State
from fourcorners.core.jit import jitable

TILES = 36.0
"""The number of tiles left for which the output is not scaled."""
_WIDTH = INPUT.shape[1]  # the hidden units and the linear path


@jitable
def predict(s: State, out: Estimates) -> float:
    """Write the expected points of every seat at the end into `out`, (MAX_SEATS,); nothing may be hidden.

    Return their spread, a softmax temperature T: a seat wins with a chance proportional to exp(points / T).
    """
    inputs = np.empty((MAX_SEATS, INPUT_COUNT))
    units = np.empty(_WIDTH)
    compute_features(s, inputs, out)
    part = count_tiles_left(s) / TILES
    for seat in range(np.int64(s.players)):
        for j in range(_WIDTH):
            units[j] = INPUT[INPUT_COUNT, j]
        for i in range(INPUT_COUNT):
            value = inputs[seat, i]
            if value != 0.0:
                for j in range(_WIDTH):
                    units[j] += INPUT[i, j] * value
        total = units[_WIDTH - 1]
        for j in range(_WIDTH - 1):
            total += max(0.0, units[j]) * OUTPUT[j]
        out[seat] += part * total
    return SPREAD * math.exp(SPREAD_GROWTH * part)
