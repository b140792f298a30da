"""Contests: how much better one way of playing a game is than another, from games with seats and openings balanced.

Openings are random, and every opening is played once for each way the two sides can be seated. The interval is that of
the mean over openings, which takes into account that the games of one opening are alike. The sequential test is the
generalised one (GSPRT): the mean score of an opening is taken to be normal.
"""

from __future__ import annotations

import math
import random
import threading
from collections.abc import Callable, Iterator
from statistics import fmean, variance
from typing import NamedTuple

from fourcorners.core.errors import OptionError, quote
from fourcorners.core.game import Game
from fourcorners.core.levels import Level
from fourcorners.core.reading import Position
from fourcorners.players.computer import Computer

PLAIN = Level("plain", "knows the rules alone", 10_000_000, 1.0)
"""The tree search without anything that a game knows of itself."""
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
    """Read a side: a level's number, `top`, `plain` or one of the game's baselines; raise OptionError."""
    levels = {str(number): level for number, level in enumerate(game.spec.levels, 1)}
    styles = levels | {"top": game.spec.levels[-1], "plain": PLAIN} | dict(game.spec.baselines)
    if text not in styles:
        raise OptionError("player", f"{quote(text)} is not allowed; it may be {', '.join(styles)}")
    return Side(text, styles[text], nodes, seconds)


class Score(NamedTuple):
    """What the first side of a contest has won, opening by opening: its mean share of the win, from 0 to 1."""

    openings: tuple[float, ...]
    games: int

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
        low, high = _expected(null), _expected(other)
        return (high - low) * (2 * self.mean - low - high) / (2 * self.deviation**2)


def elo(share: float) -> float:
    """Return the Elo difference at which so large a share of the win is expected."""
    if share <= 0.0 or share >= 1.0:
        return _MOST_ELO if share > 0.0 else -_MOST_ELO
    return max(-_MOST_ELO, min(_MOST_ELO, 400 * math.log10(share / (1 - share))))


def _expected(difference: float) -> float:
    return 1 / (1 + 10 ** (-difference / 400))


class Played(NamedTuple):
    """One game of a contest: which opening, the seats of the first side, its share of the win, and the moves."""

    opening: int
    seats: tuple[int, ...]
    share: float
    plies: int


def seatings(game: Game) -> list[tuple[int, ...]]:
    """List the seats that the first side has in turn: every party once; the others are the second side's."""
    return list(game.options.parties)


def games_of(
    game: Game, first: Side, second: Side, opening: int, plies: int, seed: int, stop: threading.Event | None = None
) -> Iterator[Played]:
    """Play the games of one opening, of so many random plies; end early, within a game, when `stop` is set."""
    start = _opened(game, plies, random.Random(f"{seed}/{opening}"))
    for number, seats in enumerate(seatings(game)):
        position = _played(start, first, second, seats, (seed * _SALT + 1009 * opening + number) % (1 << 64), stop)
        if position is None:
            return
        outcome = position.outcome
        winners = outcome.winners if outcome else ()
        winning = [party for party in game.options.parties if set(party) & set(winners)]
        share = 1 / len(winning) if seats in winning else 0.0
        yield Played(opening, seats, share, len(position.history))


def _opened(game: Game, plies: int, rng: random.Random) -> Position:
    """Return a position after so many random plies, or fewer, in which the game is not over."""
    position = game.start(seed=rng.getrandbits(32))
    for _ in range(plies):
        after = position.play(rng.choice(position.moves()))
        if after.is_over:
            break
        position = after
    return position


def _played(
    position: Position, first: Side, second: Side, seats: tuple[int, ...], seed: int, stop: threading.Event | None
) -> Position | None:
    """Play a game to its end; None if it was stopped."""
    players = {
        seat: (first if seat in seats else second).computer(seed ^ (seat + 1)) for seat in range(position.game.seats)
    }
    while position.seat is not None:
        choice = players[position.seat].choose(position, stop)
        if stop is not None and stop.is_set():
            return None
        position = position.play(choice.move)
    return position


def contest(
    game: Game,
    first: Side,
    second: Side,
    openings: int,
    *,
    plies: int = 2,
    seed: int = 1,
    tell: Callable[[Score], None] | None = None,
) -> Score:
    """Play a contest of so many openings; `tell` hears the score after each."""
    shares: list[float] = []
    games = 0
    for opening in range(openings):
        played = list(games_of(game, first, second, opening, plies, seed))
        shares.append(fmean(each.share for each in played))
        games += len(played)
        if tell is not None:
            tell(Score(tuple(shares), games))
    return Score(tuple(shares), games)
