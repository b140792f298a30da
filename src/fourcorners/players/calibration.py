"""Calibration: corrects what a search estimates, so that it agrees with exact values in the long run."""

import math
from typing import NamedTuple

LEAST_CHANCE = 0.01
"""No chance of winning that is not proven is closer to 0 or 1 than this."""
REFERENCE = 300.0
"""The number of simulations at which `trust` is given."""
_FEWEST, _MOST = 30.0, 30_000.0  # beyond these numbers of simulations nothing was measured


class Calibration(NamedTuple):
    """Parameters fitted to positions of known value; the defaults correct nothing.

    In log odds, the share of simulations that were won counts `trust` times, at 300 simulations, and every tenfold
    number of simulations adds `growth` times. Log odds beyond `limit` say nothing more. Between two parties, if the
    one to move has won less than half of the simulations, `limit_behind` counts instead if it is smaller. Having the
    move adds `turn`. What a search expects to gain from here to the end counts `gain_trust` times, and having the move
    adds `turn_gain` points.
    """

    trust: float = 1.0
    growth: float = 0.0
    limit: float = 20.0
    limit_behind: float = 20.0
    turn: float = 0.0
    gain_trust: float = 1.0
    turn_gain: float = 0.0

    def correct_win(self, win: float, simulations: int, parties: int) -> float:
        """Return the chance, 0 to 1, that the party to move wins, given the share of `simulations`, 1 or more, that it
        won. A larger share never makes the chance smaller.

        Between two parties all parameters count. Among more, neither having the move nor `limit_behind` counts, and
        equal chances stay equal: so the chances of all parties, each given its own, still sum to about 1.
        """
        trust = max(0.0, self.trust + self.growth * compute_tenfold(simulations))
        even = -math.log(parties - 1)
        least = -min(self.limit, self.limit_behind) if parties == 2 else -self.limit
        odds = min(max(compute_log_odds(win, simulations) - even, least), self.limit)
        odds = even + trust * odds + (self.turn if parties == 2 else 0.0)
        return min(max(1.0 / (1.0 + math.exp(-odds)), LEAST_CHANCE), 1.0 - LEAST_CHANCE)

    def correct_gain(self, gain: float, parties: int) -> float:
        """Return the expected gain of the margin from here to the end, in points, given what a search expects."""
        return self.gain_trust * gain + (self.turn_gain if parties == 2 else 0.0)


def compute_log_odds(win: float, simulations: int) -> float:
    """Return the log odds of a share of simulations, 0 to 1, as if half a game more had been won, and half a game more
    lost: so they are finite.
    """
    return math.log((win * simulations + 0.5) / ((1.0 - win) * simulations + 0.5))


def compute_tenfold(simulations: int) -> float:
    """Return how many tenfold steps a number of simulations is away from `REFERENCE`, as far as was measured."""
    return math.log10(min(max(simulations, _FEWEST), _MOST) / REFERENCE)
