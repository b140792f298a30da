"""A small neural network that predicts how seats will gain on each other until the end of the game.

Its inputs are features of the position for each seat. It has one hidden layer of rectified linear units, and a linear
path from the inputs to the output. All seats share its parameters, so it treats them alike. The output is multiplied by
the part of the game that is left, so that at the end the expected gain is 0. Only differences between seats are fitted:
the gains of all seats may be too small or too large together, and even negative. `python -m benchmarks.value_network`
fits the parameters of a game.
"""

import numpy as np
from numpy.typing import NDArray

from fourcorners.core.arrays import Estimates
from fourcorners.core.jit import jitable

Floats = NDArray[np.float64]


def read_parameters(numbers: str) -> Floats:
    """Return the numbers in a text, separated by blanks, as an array with one dimension."""
    return np.array(numbers.split(), float)


@jitable
def add_gains(inputs: Floats, part: float, first: Floats, output: Floats, out: Estimates) -> None:
    """Add each seat's expected gain until the end to its points in `out`.

    `inputs` is (seats, n), `part` the part of the game that is left, from 0. `first` is (n + 1, h + 1): the weights of
    the h hidden units, and in the last column those of the linear path; the last row is added to the sums. `output` is
    (h,), the weights of the hidden units in the output.
    """
    count, width = inputs.shape[1], first.shape[1]
    units = np.empty(width)
    for seat in range(len(inputs)):
        for j in range(width):
            units[j] = first[count, j]
        for i in range(count):
            value = inputs[seat, i]
            if value != 0.0:
                for j in range(width):
                    units[j] += first[i, j] * value
        total = units[width - 1]
        for j in range(width - 1):
            total += max(0.0, units[j]) * output[j]
        out[seat] += part * total
