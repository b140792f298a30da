"""Ratings of players and computers for each game and number of seats: which games count and what they change.

The model is that of Weng and Lin (2011), "A Bayesian approximation method for online ranking", in the Bradley-Terry
variant that compares every party with every other one, as `openskill` computes it.
"""

import math
import re
from collections.abc import Sequence
from typing import NamedTuple

from openskill.models import BradleyTerryFull

from fourcorners.core import catalogue
from fourcorners.core.errors import GameError
from fourcorners.core.match import Match
from fourcorners.web.domain.level_points import find_level_points
from fourcorners.web.domain.seats import COMPUTER, PERSON, parse_strength

MU, SIGMA, BETA = 25.0, 25 / 3, 25 / 6
PROVISIONAL_SIGMA = 6.25
"""A player's sigma is larger than this during the first 10 games of two, or 5 games of three or more."""
LADDER_SIGMAS = 2.0
"""The ladder orders players by mu minus this many sigmas."""
INITIAL_POINTS, MIN_POINTS = 1500, 100
POINTS_PER_MU = 400 / math.log(10) / (math.sqrt(2) * BETA)
"""The Elo points of one unit of mu: between well-known players 400 points are odds of ten to one."""
MIN_PLIES = 2

_MODEL = BradleyTerryFull(mu=MU, sigma=SIGMA, beta=BETA)
_COMPUTER_IDENTITY = re.compile(rf"{COMPUTER}([a-z0-9-]+):([0-9]{{1,2}})", re.ASCII)


class Standing(NamedTuple):
    """The estimated strength `mu`, its uncertainty `sigma`, the number of games, and the wins (draws are shared)."""

    mu: float = MU
    sigma: float = SIGMA
    games: int = 0
    won: float = 0.0

    @property
    def provisional(self) -> bool:
        """Whether there are too few games for a reliable rating."""
        return self.sigma > PROVISIONAL_SIGMA


def rating_points(standing: Standing) -> int:
    """Return the rating that pages show, in Elo points: 1500 for a new player, at least 100."""
    return max(MIN_POINTS, INITIAL_POINTS + round(POINTS_PER_MU * (standing.mu - MU)))


def rating_uncertainty(standing: Standing) -> int:
    """Return how far, in Elo points, the ladder places a player below the rating: see `LADDER_SIGMAS`."""
    return round(LADDER_SIGMAS * POINTS_PER_MU * standing.sigma)


def computer_identity(game_id: str, level: int) -> str:
    """Return the ladder identity of a computer's level; no player's id has this form."""
    return f"{COMPUTER}{game_id}:{level}"


def parse_computer_level(identity: str) -> int | None:
    """Return the level of a computer's ladder identity; None for any other text, such as a player's."""
    found = _COMPUTER_IDENTITY.fullmatch(identity)
    return int(found[2]) if found else None


def ladder_identity(game_id: str, kind: str, player: str | None) -> str | None:
    """Return the ladder identity of the holder of a seat of this `kind`: the player's id, or a computer's level. None
    for an open seat, and for a computer with seconds per move, whose strength depends on the machine's load.
    """
    if kind == PERSON:
        return player
    level = parse_strength(kind, catalogue.game(game_id).spec).level
    return None if level is None else computer_identity(game_id, level)


def initial_standing(identity: str) -> Standing:
    """Return the standing of a ladder identity, of a player or a computer, before its first game.

    A computer's level starts with its measured strength and half the uncertainty of a person. Its games move it a
    quarter as fast, and its uncertainty shrinks quickly because it plays very often.
    """
    found = _COMPUTER_IDENTITY.fullmatch(identity)
    if found is None:
        return Standing()
    points = find_level_points(found[1], int(found[2])).points
    return Standing(MU + (points - INITIAL_POINTS) / POINTS_PER_MU, SIGMA / 2)


def rate_parties(parties: Sequence[Sequence[Standing]], ranks: Sequence[int]) -> list[list[Standing]]:
    """Return new standings in the shape of `parties`; `ranks` is by party, 0 the best. Each member of the best parties
    gets one win divided by the number of these parties.
    """
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


def limit_change(old: Standing, new: Standing, most: int) -> Standing:
    """Return a new standing, which is not further than this many Elo points from the old one."""
    change = most / POINTS_PER_MU
    return new._replace(mu=min(max(new.mu, old.mu - change), old.mu + change))


def rank_parties(match: Match) -> list[int]:
    """Return the rank of each of the game's parties, in their order: 0 for the best, equal ranks for a draw.

    The winners come first, then the others by points, then the parties that resigned or ran out of time: the first to
    leave is the last. A party has left when the last of its seats has. Raise GameError while the match runs.
    """
    outcome = match.outcome
    if outcome is None:
        raise GameError("this game is not over, so it has no ranks", "running")
    left_order = {seat: number for number, seat in enumerate(match.out)}
    keys = []
    for party in match.game.options.parties:
        if party[0] in outcome.winners:
            keys.append((0, 0))
        elif all(seat in left_order for seat in party):
            keys.append((2, -max(left_order[seat] for seat in party)))
        else:
            keys.append((1, -int(match.position.scores[party[0]])))
    return [sum(better < key for better in keys) for key in keys]


def explain_unrated(match: Match, kinds: Sequence[str], holders: Sequence[str | None], *, wanted: bool) -> str:
    """Return a clause that says why a match does not count for ratings; empty if it does. `kinds` and `holders` are the
    kinds and the ladder identities of the seats, `wanted` is the table's setting.
    """
    if not wanted:
        return "this table is not rated"
    if not match.is_over:
        return "the game was not finished"
    if kinds.count(PERSON) > 1 and (reason := _explain_absence(match)):
        return reason
    if None in holders:
        return "a seat at this table has no rating"
    if PERSON not in kinds:
        return "only computers played"
    if len(set(holders)) < len(holders):
        return "one player held two seats"
    return ""


def _explain_absence(match: Match) -> str:
    """Return a clause that says that a player may not have come to a match between people; empty if all have.

    Against computers a player who leaves at once loses, or could leave until the better seat comes.
    """
    if len(match.positions) <= MIN_PLIES:
        return f"fewer than {MIN_PLIES} moves were played"
    late = {event.seat for event in match.events if event.text == "!time"}
    return "a player never moved" if late - {ply.seat for ply in match.position.plies} else ""
