"""How far estimates can be trusted: parameters fitted by `python -m benchmarks.calibration --fit`."""

from fourcorners.core.calibration import Calibration
from fourcorners.core.dispatch import State

_CALIBRATION = Calibration(trust=1.173, growth=0.172, limit=3.0, turn=-0.014)


def find_calibration(s: State) -> Calibration:
    """Return the same parameters for all positions."""
    return _CALIBRATION
