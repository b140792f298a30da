"""The calibration of estimates, with parameters fitted by `python -m benchmarks.calibration --fit`."""

from fourcorners.builtin.square_off.strategy.square_potential import count_words
from fourcorners.core.arrays import State
from fourcorners.players.calibration import Calibration

_NETWORK = Calibration(trust=1.745, growth=0.262, limit=4.0, turn=-0.176)
_PLAYOUTS = Calibration(trust=1.851, growth=0.204, limit=4.0, turn=-0.44, gain_trust=0.91, turn_gain=-0.121)
"""Fitted to 8 x 8 boards before the network, which boards of more than one word do not have.

Levels below 16 have no network on smaller boards either, but its calibration.
"""


def find_calibration(s: State) -> Calibration:
    """Return the parameters for the board."""
    return _NETWORK if count_words(s) == 1 else _PLAYOUTS
