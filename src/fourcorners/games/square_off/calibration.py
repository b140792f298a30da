"""How far estimates can be trusted: parameters fitted by `python -m benchmarks.calibration --fit`."""

from fourcorners.core.calibration import Calibration
from fourcorners.core.dispatch import State

_CALIBRATION = Calibration(trust=1.592, limit=20.0, turn=-0.505, gain_trust=0.907, turn_gain=-0.047)


def find_calibration(s: State) -> Calibration:
    """Return the same parameters for all positions."""
    return _CALIBRATION
