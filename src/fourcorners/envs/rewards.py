"""The rewards at the end of a game."""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from fourcorners.core.arrays import Points
from fourcorners.core.game import Game
from fourcorners.core.jit import jitable_no_alloc

WIN, MARGIN, POINTS = 0, 1, 2
REWARDS: Mapping[str, int] = {"win": WIN, "margin": MARGIN, "points": POINTS}
"""The kinds of rewards, by name."""


def number_parties(game: Game) -> NDArray[np.int64]:
    """Return the number of the party of each seat, (seats,)."""
    parties = np.zeros(game.seats, np.int64)
    for party, members in enumerate(game.options.parties):
        parties[list(members)] = party
    return parties


@jitable_no_alloc
def write_rewards(points: Points, parties: NDArray[np.int64], count: int, kind: int, out: NDArray[np.float32]) -> None:
    """Write the rewards of a finished game with these `points` by seat; `count` is the number of parties.

    WIN: the losing parties pay 1 / (count - 1) each, and the winning ones share it. MARGIN: the points less the mean of
    the other parties'. POINTS: the points.
    """
    seats = len(parties)
    size = seats // count  # parties are of equal size
    total, best, winners = 0, points[0], 0
    for seat in range(seats):
        total += points[seat]
        if points[seat] > best:
            best, winners = points[seat], 0
        winners += points[seat] == best
    winners //= size
    for seat in range(seats):
        if kind == POINTS:
            out[seat] = np.float32(points[seat])
        elif kind == MARGIN:
            others = total // size - points[seat]
            out[seat] = np.float32(points[seat]) - np.float32(others) / np.float32(count - 1)
        elif points[seat] == best:
            out[seat] = np.float32(count - winners) / np.float32(winners * (count - 1))
        else:
            out[seat] = np.float32(-1) / np.float32(count - 1)
