"""Ratings of players and computers, for each game and number of seats: which games count, and what they change.

The model is that of Weng and Lin (2011), "A Bayesian approximation method for online ranking", after Bradley and Terry
with every party compared to every other, as `openskill` computes it.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from openskill.models import BradleyTerryFull

from fourcorners.core import catalogue
from fourcorners.core.errors import GameError
from fourcorners.core.match import Match
from fourcorners.web.domain.seats import COMPUTER, DEFAULT_LEVEL, PERSON, parse_strength

MU, SIGMA, BETA = 25.0, 25 / 3, 25 / 6
PROVISIONAL_SIGMA = 6.25
"""A player's doubt is larger during the first 10 games of two, or 5 of three or more."""
LADDER_SIGMAS = 2.0
"""How many times its doubt is taken from a rating for the order of a ladder."""
INITIAL_POINTS, MIN_POINTS = 1500, 100
POINTS_PER_MU = 400 / math.log(10) / (math.sqrt(2) * BETA)
"""The Elo points of one unit: between well-known players 400 points are odds of ten to one."""
POINTS_PER_LEVEL = 100
"""The Elo points from a computer's level to the next, until games tell better."""
MIN_PLIES = 2

_MODEL = BradleyTerryFull(mu=MU, sigma=SIGMA, beta=BETA)
_COMPUTER = re.compile(rf"{COMPUTER}([a-z0-9-]+):([0-9]{{1,2}})", re.ASCII)


class Standing(NamedTuple):
    """How good somebody is thought to be, with what doubt; how many games, and how much was won (draws are shared)."""

    mu: float = MU
    sigma: float = SIGMA
    games: int = 0
    won: float = 0.0

    @property
    def provisional(self) -> bool:
        """Whether there are too few games to go by."""
        return self.sigma > PROVISIONAL_SIGMA

    @property
    def conservative(self) -> float:
        """What orders a ladder: what somebody is at least, very likely."""
        return self.mu - LADDER_SIGMAS * self.sigma


def rating_points(standing: Standing) -> int:
    """Return the rating as people read it: in Elo points, 1500 for a new player."""
    return max(MIN_POINTS, INITIAL_POINTS + round(POINTS_PER_MU * (standing.mu - MU)))


def computer_identity(game_id: str, level: int) -> str:
    """Name a computer's level on the ladder; no player's id looks like it."""
    return f"{COMPUTER}{game_id}:{level}"


def parse_computer_level(identity: str) -> int | None:
    """Return the level that an identity on the ladder names; None for a player's."""
    found = _COMPUTER.fullmatch(identity)
    return int(found[2]) if found else None


def ladder_identity(game_id: str, kind: str, player: str | None) -> str | None:
    """Return who holds a seat on the ladder; None for nobody, and for computers that are given seconds a move."""
    if kind == PERSON:
        return player
    # Its strength would be that of the machine and of how busy it is.
    level = parse_strength(kind, catalogue.game(game_id).spec).level
    return None if level is None else computer_identity(game_id, level)


def initial_standing(identity: str) -> Standing:
    """Return the standing before the first game.

    A computer's level begins near where it belongs, with half of a person's doubt. So games move it, a quarter as fast,
    to where the people here put it; and its doubt soon is small, as it plays so many.
    """
    level = parse_computer_level(identity)
    return Standing() if level is None else Standing(MU + (level - DEFAULT_LEVEL) * POINTS_PER_LEVEL / POINTS_PER_MU, SIGMA / 2)


def rate(parties: Sequence[Sequence[Standing]], ranks: Sequence[int]) -> list[list[Standing]]:
    """Return the standings after a game: 0 is the first rank, and equal ranks are a draw between those parties."""
    teams = [[_MODEL.rating(standing.mu, standing.sigma) for standing in party] for party in parties]
    rated = _MODEL.rate(teams, ranks=[float(rank) for rank in ranks])
    best = min(ranks)
    share = 1 / ranks.count(best)
    return [
        [
            Standing(new.mu, new.sigma, old.games + 1, old.won + (share if rank == best else 0.0))
            for old, new in zip(party, team, strict=True)
        ]
        for party, team, rank in zip(parties, rated, ranks, strict=True)
    ]


def rank_parties(match: Match) -> list[int]:
    """Rank the parties of a match that is over, from 0; raise GameError while it runs.

    The winners come first, then the others by points, and last the parties that gave up or ran out of time: the
    first to leave is the worst. A party has left when the last of its seats has.
    """
    outcome = match.outcome
    if outcome is None:
        raise GameError("this game is not over, so nobody has a rank", "running")
    left = {seat: number for number, seat in enumerate(match.out)}
    keys = []
    for party in match.game.options.parties:
        if party[0] in outcome.winners:
            keys.append((0, 0))
        elif all(seat in left for seat in party):
            keys.append((2, -max(left[seat] for seat in party)))
        else:
            keys.append((1, -int(match.position.scores[party[0]])))
    return [sum(other < key for other in keys) for key in keys]


def explain_unrated(match: Match, kinds: Sequence[str], holders: Sequence[str | None], *, wanted: bool) -> str:
    """Say why a match that has ended does not count; empty if it does.

    `kinds` and `holders` are the seats' kinds and identities on the ladder, `wanted` the table's setting.
    """
    if not wanted:
        return "this table is not rated"
    if not match.is_over:
        return "the game was not finished"
    if len(match.positions) <= MIN_PLIES:
        return f"fewer than {MIN_PLIES} moves were played"
    if None in holders:
        return "somebody at this table is not on the ladder"
    if PERSON not in kinds:
        return "nobody but computers played"
    if len(set(holders)) < len(holders):
        return "two seats had the same player"
    return ""


def standings_after(
    match: Match, holders: Sequence[str], before: Mapping[str, Standing]
) -> dict[str, tuple[Standing, Standing]]:
    """Rate a match that counts: return the standings before and after it of all who held seats.

    Who is not in `before` has played no game of this kind yet.
    """
    parties = [[holders[seat] for seat in party] for party in match.game.options.parties]
    old = [[before.get(one) or initial_standing(one) for one in party] for party in parties]
    new = rate(old, rank_parties(match))
    return {
        one: (was, now)
        for party, olds, news in zip(parties, old, new, strict=True)
        for one, was, now in zip(party, olds, news, strict=True)
    }
