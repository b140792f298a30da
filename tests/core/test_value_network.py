"""The network that predicts what seats gain."""

import numpy as np
import pytest

from fourcorners.core.value_network import add_gains, read_parameters


def test_gains_come_from_hidden_units_and_the_linear_path() -> None:
    # One hidden unit, which is 2a - b + 1 if that is positive, and the linear path 3a + b - 2.
    first = read_parameters("2 3 -1 1 1 -2").reshape(3, 2)
    out = np.array([10.0, 20.0, 30.0])
    add_gains(np.array([[1.0, 0.0], [0.0, 4.0]]), 0.5, first, read_parameters("10"), out)
    assert out.tolist() == pytest.approx([10.0 + 0.5 * (10 * 3 + 1), 20.0 + 0.5 * (10 * 0 + 2), 30.0])


def test_nothing_is_gained_at_the_end() -> None:
    out = np.array([3.0])
    add_gains(np.ones((1, 2)), 0.0, np.ones((3, 2)), np.ones(1), out)
    assert out.tolist() == [3.0]
