"""Calibration: corrections of a search's estimates, so that they agree with exact values on average."""

import math
from typing import NamedTuple

LEAST_CHANCE = 0.01
"""The least distance from 0 and 1 of an unproven chance of winning."""
REFERENCE = 300.0
"""The number of simulations at which `trust` is given."""
_FEWEST, _MOST = 30.0, 30_000.0  # the measured range of simulations


class Calibration(NamedTuple):
    """Parameters fitted to positions of known value; the defaults correct nothing.

    In log odds, the share of won simulations is multiplied by `trust` at 300 simulations, and every tenfold number of
    simulations adds `growth` to that factor. Log odds are clipped at `limit`. Between two parties, if the one to move
    has won less than half of the simulations, `limit_behind` replaces the limit if it is smaller. Being to move adds
    `turn`. The gain that a search expects from here to the end is multiplied by `gain_trust`, and being to move adds
    `turn_gain` points.
    """

    trust: float = 1.0
    growth: float = 0.0
    limit: float = 20.0
    limit_behind: float = 20.0
    turn: float = 0.0
    gain_trust: float = 1.0
    turn_gain: float = 0.0

    def correct_win(self, win: float, simulations: int, parties: int) -> float:
        """Return the chance, 0 to 1, that the party to move wins, given its share of `simulations`, 1 or more.

        A larger share never lowers the chance.

        Between two parties, all parameters apply. With more, neither `turn` nor `limit_behind` applies, and equal
        chances stay equal, so the chances of all parties still sum to about 1.
        """
        trust = max(0.0, self.trust + self.growth * compute_tenfold(simulations))
        even = -math.log(parties - 1)
        least = -min(self.limit, self.limit_behind) if parties == 2 else -self.limit
        odds = min(max(compute_log_odds(win, simulations) - even, least), self.limit)
        odds = even + trust * odds + (self.turn if parties == 2 else 0.0)
        return min(max(1.0 / (1.0 + math.exp(-odds)), LEAST_CHANCE), 1.0 - LEAST_CHANCE)

    def correct_gain(self, gain: float, parties: int) -> float:
        """Return the expected gain of the margin from here to the end, in points, given a search's estimate."""
        return self.gain_trust * gain + (self.turn_gain if parties == 2 else 0.0)


def compute_log_odds(win: float, simulations: int) -> float:
    """Return the log odds of a share of simulations, 0 to 1.

    Half a game more won and half a game more lost keep them finite.
    """
    return math.log((win * simulations + 0.5) / ((1.0 - win) * simulations + 0.5))


def compute_tenfold(simulations: int) -> float:
    """Return the decimal logarithm of a number of simulations over `REFERENCE`, within the measured range."""
    return math.log10(min(max(simulations, _FEWEST), _MOST) / REFERENCE)
