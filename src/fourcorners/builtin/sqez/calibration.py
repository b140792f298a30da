"""The calibration of estimates, with parameters fitted by `python -m benchmarks.calibration --fit`."""

from fourcorners.core.arrays import State
from fourcorners.players.calibration import Calibration

_CALIBRATION = Calibration(trust=2.835, limit=1.5, turn=-1.05)


def find_calibration(s: State) -> Calibration:
    """Return the same parameters for all positions."""
    return _CALIBRATION
