"""The calibration of estimates, with parameters fitted by `python -m benchmarks.calibration --fit`."""

from fourcorners.builtin.squarin_off.rules import BLOCKED, SIDES, count_edges, find_boxes_beside, is_free
from fourcorners.core.arrays import State
from fourcorners.players.calibration import Calibration

_WITH_BLOCKERS = Calibration(trust=0.678, growth=0.028, limit=2.0, turn=0.375, gain_trust=0.879, turn_gain=0.53)
_BEFORE_CHAINS = Calibration(trust=0.273, growth=0.208, limit=3.0, turn=0.942, gain_trust=0.138, turn_gain=1.204)
_CHAINS = Calibration(trust=0.768, growth=0.333, limit=4.0, turn=0.388, gain_trust=0.83, turn_gain=1.356)


def find_calibration(s: State) -> Calibration:
    """Return the parameters for positions with blockers, for those with safe edges left, or for those without."""
    if int(s.blockers_left) > 0:
        return _WITH_BLOCKERS
    return _BEFORE_CHAINS if has_safe_edge(s) else _CHAINS


def has_safe_edge(s: State) -> bool:
    """Return whether some free edge neither gives away nor completes a box of value; for Python only."""
    boxes, values = s.box.tolist(), s.value.tolist()

    def can_gain_side(box: int) -> bool:
        """Return whether one more side of a box gives nothing away."""
        return not values[box] or bool(boxes[box] & BLOCKED) or boxes[box] & SIDES < 2

    for edge in range(int(count_edges(s))):
        if is_free(s, edge):
            below, above = find_boxes_beside(s, edge)
            if can_gain_side(int(below)) and can_gain_side(int(above)):
                return True
    return False
