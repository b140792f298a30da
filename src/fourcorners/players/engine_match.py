"""Engine matches: measure the strength of one computer player against another, with seats and openings balanced.

Openings are random, and every opening is played once with each seating of the two sides. The confidence interval is for
the mean over openings, because games with the same opening are correlated. The sequential test is a generalised
sequential probability ratio test (GSPRT), which assumes that the mean score of an opening is normally distributed.
"""

import math
import random
import threading
from statistics import fmean, variance
from typing import NamedTuple

from fourcorners.core.errors import OptionError, quote
from fourcorners.core.game import Game, Position
from fourcorners.players.computer import Computer
from fourcorners.players.computer_play import ComputerPlay
from fourcorners.players.levels import Level

PLAIN = Level("plain", "knows only the rules", 10_000_000, 1.0)  # tree search without knowledge beyond the rules
_Z95 = 1.96
_MAX_ELO = 1200.0
_SALT = 0x9E3779B97F4A7C15  # spreads the seeds of games and moves over 64 bits


class Side(NamedTuple):
    """One side of an engine match: a level, and limits that replace its own, for each move or for a whole game."""

    name: str
    level: Level
    nodes: int | None = None
    seconds: float | None = None
    seconds_per_game: float | None = None

    @property
    def is_timed(self) -> bool:
        """Whether the time of its moves is limited, so that no seed can repeat them."""
        has_time = self.seconds is not None or self.seconds_per_game is not None
        return self.level.nodes > 0 and (has_time or self.nodes is None)

    def create_computer(self, seed: int) -> Computer:
        """Return a player for one game, without a seed if its time is limited; raise OptionError for invalid limits."""
        seed_or_none = None if self.is_timed else seed
        return Computer.from_level(
            self.level, self.seconds, self.nodes, seed_or_none, seconds_per_game=self.seconds_per_game
        )


def change_seed(player: Computer) -> None:
    """Give a player another seed for its next move; do nothing if it has none.

    With one seed for all moves, a level with some knowledge at half of its moves would have it in half of its games.
    """
    if player.seed is not None:
        player.seed += _SALT


def parse_side(
    game: Game,
    text: str,
    nodes: int | None = None,
    seconds: float | None = None,
    seconds_per_game: float | None = None,
) -> Side:
    """Parse a side: the number of a level, `top`, `simulations`, `plain` or a baseline of the game.

    `simulations` is the strongest level without the engine for two parties.

    Unless all are None, `nodes` and `seconds` limit each move, and `seconds_per_game` all moves of a game, in place of
    the level's limits; `create_computer` checks them. Raise OptionError if there is no such side.
    """
    play = game.spec.part(ComputerPlay)
    numbered = {str(number): level for number, level in enumerate(play.levels, 1)}
    top = play.levels[-1]
    general = {"top": top, "simulations": top._replace(estimates=0.0), "plain": PLAIN}
    levels = numbered | general | dict(play.baselines)
    if text not in levels:
        raise OptionError("player", f"{quote(text)} is not allowed; it must be {', '.join(levels)}")
    return Side(text, levels[text], nodes, seconds, seconds_per_game)


class Score(NamedTuple):
    """The score of the first side: for each opening, its mean share of the win, from 0 to 1.

    `games` is the number of games in these openings, and `parties` the number of the game's parties. Without an
    opening, all other figures except the standard error raise StatisticsError.
    """

    openings: tuple[float, ...]
    games: int
    parties: int = 2

    @property
    def mean(self) -> float:
        """The mean share of the first side."""
        return fmean(self.openings)

    @property
    def standard_error(self) -> float:
        """The standard error of the mean over openings, above 0; 0.5 for fewer than two openings."""
        n = len(self.openings)
        # A sample of only wins has no spread, so the variance is at least 0.25 / (n + 1).
        return math.sqrt(max(variance(self.openings), 0.25 / (n + 1)) / n) if n > 1 else 0.5

    @property
    def interval(self) -> tuple[float, float]:
        """The 95% confidence interval of the mean."""
        return max(0.0, self.mean - _Z95 * self.standard_error), min(1.0, self.mean + _Z95 * self.standard_error)

    def log_likelihood_ratio(self, null: float, alternative: float) -> float:
        """Return the log-likelihood ratio of two Elo differences given this score: positive favours `alternative`."""
        low, high = expected_share(null, self.parties), expected_share(alternative, self.parties)
        return (high - low) * (2 * self.mean - low - high) / (2 * self.standard_error**2)


def elo_difference(share: float, parties: int = 2) -> float:
    """Return the Elo difference at which one of several parties is expected to have this share of the win.

    The other parties are equally strong: one party wins against n - 1 others with odds of 10^(d/400) to n - 1 (Bradley
    and Terry). The result is clipped to ±1200, including for shares of 0 or less and 1 or more.
    """
    if share <= 0.0 or share >= 1.0:
        return _MAX_ELO if share > 0.0 else -_MAX_ELO
    return max(-_MAX_ELO, min(_MAX_ELO, 400 * math.log10((parties - 1) * share / (1 - share))))


def expected_share(difference: float, parties: int = 2) -> float:
    """Return the expected share of the win, from 0 to 1, of a party with an Elo difference to all others."""
    return 1 / (1 + (parties - 1) * 10 ** (-difference / 400))


class PlayedGame(NamedTuple):
    """One game: the number of its opening, the seats of the first side, its share of the win, and the plies played."""

    opening: int
    seats: tuple[int, ...]
    share: float
    plies: int


class EngineMatch(NamedTuple):
    """A match of two sides. Openings have `plies` random plies, fewer if the game ends; the seed determines them."""

    game: Game
    first: Side
    second: Side
    plies: int = 2
    seed: int = 1

    @property
    def seatings(self) -> tuple[tuple[int, ...], ...]:
        """The seatings: the seats of one party, which the first side takes; the second side takes all others."""
        return self.game.options.parties

    def play(self, opening: int, seats: tuple[int, ...], stop: threading.Event | None = None) -> PlayedGame | None:
        """Play one game with the first side on `seats`, one of `seatings`; return None if `stop` is set before its end.

        `opening` is the number of the opening, from 0. The call blocks; several threads may play games of one match.
        Raise ValueError for other `seats`, and OptionError for limits that a Computer refuses.
        """
        position = self.play_opening(opening)
        seating = self.seatings.index(seats)
        # One seed for each game: there are fewer seatings than 1009.
        seed = (self.seed * _SALT + 1009 * opening + seating) % (1 << 64)
        sides = [self.first if seat in seats else self.second for seat in range(self.game.seats)]
        # Both sides may be the same level, so each seat has a different seed.
        players = [side.create_computer(seed ^ (seat + 1)) for seat, side in enumerate(sides)]
        while position.seat is not None:
            player = players[position.seat]
            move = player.choose_move(position, stop)
            change_seed(player)
            if stop is not None and stop.is_set():
                return None
            position = position.play(move)
        winners = set(position.outcome.winners) if position.outcome else set()
        winning = [party for party in self.seatings if winners & set(party)]
        return PlayedGame(opening, seats, 1 / len(winning) if seats in winning else 0.0, len(position.history))

    def play_opening(self, opening: int) -> Position:
        """Return the position after an opening's random plies, or the last position before the end of the game."""
        return play_opening(self.game, self.plies, random.Random(f"{self.seed}/{opening}"))


def play_opening(game: Game, plies: int, rng: random.Random) -> Position:
    """Return the position after random plies from the start, or the last position before the end of the game."""
    position = game.start(seed=rng.getrandbits(32))
    for _ in range(plies):
        following = position.play(rng.choice(position.moves()))
        if following.is_over:
            break
        position = following
    return position
