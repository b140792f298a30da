"""What the points of every seat will probably be at the end, by a small network over `features`.

It has one hidden layer of rectified linear units, and a direct path from the inputs. All seats share its parameters, so
it treats them alike. Its output counts in proportion to the tiles that are left: at the end it predicts the points.
"""

import math

import numpy as np

from fourcorners.core.dispatch import Estimates, State
from fourcorners.core.jit import jitable
from fourcorners.games.squendo.options import MAX_SEATS
from fourcorners.games.squendo.strategy.features import INPUT_COUNT, count_tiles_left, describe
from fourcorners.games.squendo.strategy.network_weights import INPUT, OUTPUT, SPREAD, SPREAD_GROWTH

TILES = 36.0
"""The number of tiles with which the output counts fully."""
_WIDTH = INPUT.shape[1]  # the hidden units, and the direct path


@jitable
def predict(s: State, out: Estimates) -> float:
    """Write the points that every seat will probably have at the end into `out`, (MAX_SEATS,); nothing may be hidden.

    Return their spread T: seats win with chances in proportion to exp(points / T).
    """
    inputs = np.empty((MAX_SEATS, INPUT_COUNT))
    units = np.empty(_WIDTH)
    describe(s, inputs, out)
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
