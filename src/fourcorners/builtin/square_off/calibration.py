"""The calibration of estimates, with parameters fitted by `python -m benchmarks.calibration --fit`."""

from fourcorners.core.arrays import State
from fourcorners.players.calibration import Calibration

_CALIBRATION = Calibration(trust=1.851, growth=0.204, limit=4.0, turn=-0.44, gain_trust=0.91, turn_gain=-0.121)


def find_calibration(s: State) -> Calibration:
    """Return the same parameters for all positions."""
    return _CALIBRATION
