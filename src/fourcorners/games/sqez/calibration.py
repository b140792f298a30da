"""How far estimates can be trusted: parameters fitted by `python -m benchmarks.calibration --fit`."""

from fourcorners.core.calibration import Calibration
from fourcorners.core.dispatch import State

_CALIBRATION = Calibration(trust=2.761, turn=-0.947)


def find_calibration(s: State) -> Calibration:
    """Return the same parameters for all positions."""
    return _CALIBRATION
