"""Contests: how much better one way of playing a game is than another, from games with seats and openings balanced.

Openings are random, and every opening is played once for each way the two sides can be seated. The interval is that of
the mean over openings, which takes into account that the games of one opening are alike. The sequential test is the
generalised one (GSPRT): the mean score of an opening is taken to be normal.
"""

from __future__ import annotations

import math
import random
import threading
from statistics import fmean, variance
from typing import NamedTuple

from fourcorners.core.errors import OptionError, quote
from fourcorners.core.game import Game
from fourcorners.core.levels import Level
from fourcorners.core.position import Position
from fourcorners.players.computer import Computer

PLAIN = Level("plain", "knows the rules alone", 10_000_000, 1.0)
"""The tree search without anything that a game knows of itself."""
ALPHA_BETA = PLAIN._replace(name="alpha-beta", alpha_beta=True)
"""The same without simulations."""
_Z95 = 1.96
_MOST_ELO = 1200.0
_SALT = 0x9E3779B97F4A7C15


class Side(NamedTuple):
    """One side of a contest: a way of playing, and what a move may take where that is not the way's own."""

    name: str
    style: Level
    nodes: int | None = None
    seconds: float | None = None

    def computer(self, seed: int) -> Computer:
        """Return a player for one game; without a budget of time it plays by the seed."""
        timed = self.seconds is not None or (self.nodes is None and self.style.nodes > 0)
        return Computer.playing(self.style, self.seconds, self.nodes, None if timed else seed)


def side(game: Game, text: str, nodes: int | None = None, seconds: float | None = None) -> Side:
    """Read a side: a level's number, `top`, `plain`, `alpha-beta` or one of the game's baselines; raise OptionError."""
    levels = {str(number): level for number, level in enumerate(game.spec.levels, 1)}
    general = {"top": game.spec.levels[-1], "plain": PLAIN, "alpha-beta": ALPHA_BETA}
    styles = levels | general | dict(game.spec.baselines)
    if text not in styles:
        raise OptionError("player", f"{quote(text)} is not allowed; it may be {', '.join(styles)}")
    return Side(text, styles[text], nodes, seconds)


class Score(NamedTuple):
    """What the first side of a contest has won, opening by opening: its mean share of the win, from 0 to 1."""

    openings: tuple[float, ...]
    games: int
    parties: int = 2

    @property
    def mean(self) -> float:
        """The first side's share of all games."""
        return fmean(self.openings)

    @property
    def deviation(self) -> float:
        """The standard deviation of the mean."""
        n = len(self.openings)
        if n < 2:
            return 0.5
        # Where nothing but wins was seen the sample says nothing of its spread: half a game is added each way.
        spread = max(variance(self.openings), 0.25 / (n + 1))
        return math.sqrt(spread / n)

    @property
    def interval(self) -> tuple[float, float]:
        """The 95% interval of the mean."""
        return max(0.0, self.mean - _Z95 * self.deviation), min(1.0, self.mean + _Z95 * self.deviation)

    def evidence(self, null: float, other: float) -> float:
        """Return the logarithm of how much likelier the score is with the Elo difference `other` than with `null`."""
        low, high = expected(null, self.parties), expected(other, self.parties)
        return (high - low) * (2 * self.mean - low - high) / (2 * self.deviation**2)


def elo(share: float, parties: int = 2) -> float:
    """Return the Elo difference at which so large a share of the win is expected, of one among so many parties.

    The others are alike: each of n parties wins with odds of 10^(d/400) to n - 1 (Bradley and Terry).
    """
    if share <= 0.0 or share >= 1.0:
        return _MOST_ELO if share > 0.0 else -_MOST_ELO
    return max(-_MOST_ELO, min(_MOST_ELO, 400 * math.log10((parties - 1) * share / (1 - share))))


def expected(difference: float, parties: int = 2) -> float:
    """Return the share that is expected of who is so many Elo better than all the others."""
    return 1 / (1 + (parties - 1) * 10 ** (-difference / 400))


class Played(NamedTuple):
    """One game of a contest: which opening, the seats of the first side, its share of the win, and how many moves."""

    opening: int
    seats: tuple[int, ...]
    share: float
    plies: int


class Contest(NamedTuple):
    """Who plays what: openings have so many random plies, and all chance comes from the seed."""

    game: Game
    first: Side
    second: Side
    plies: int = 2
    seed: int = 1

    @property
    def seatings(self) -> tuple[tuple[int, ...], ...]:
        """The seats that the first side has in turn, those of one party each; the second side has the others."""
        return self.game.options.parties

    def play(self, opening: int, seats: tuple[int, ...], stop: threading.Event | None = None) -> Played | None:
        """Play one game; None if `stop` was set before it ended."""
        position = self._opened(opening)
        number = self.seatings.index(seats)
        seed = (self.seed * _SALT + 1009 * opening + number) % (1 << 64)
        players = {
            seat: (self.first if seat in seats else self.second).computer(seed ^ (seat + 1))
            for seat in range(self.game.seats)
        }
        while position.seat is not None:
            choice = players[position.seat].choose(position, stop)
            if stop is not None and stop.is_set():
                return None
            position = position.play(choice.move)
        winners = set(position.outcome.winners) if position.outcome else set()
        winning = [party for party in self.seatings if winners & set(party)]
        return Played(opening, seats, 1 / len(winning) if seats in winning else 0.0, len(position.history))

    def _opened(self, opening: int) -> Position:
        """Return the position after the random plies of an opening, or fewer, in which the game is not over."""
        rng = random.Random(f"{self.seed}/{opening}")
        position = self.game.start(seed=rng.getrandbits(32))
        for _ in range(self.plies):
            after = position.play(rng.choice(position.moves()))
            if after.is_over:
                break
            position = after
        return position

    def score(self, openings: int) -> Score:
        """Play so many openings, one game after the other."""
        games = [self.play(opening, seats) for opening in range(openings) for seats in self.seatings]
        shares = [game.share for game in games if game is not None]
        each = len(self.seatings)
        return Score(tuple(fmean(shares[i : i + each]) for i in range(0, len(shares), each)), len(shares), each)
