"""Ratings and the results that they come from."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

import sqlalchemy as sa

from fourcorners.web.domain.ratings import LADDER_SIGMAS, Standing, initial_standing
from fourcorners.web.domain.seats import COMPUTER
from fourcorners.web.store import schema
from fourcorners.web.store.database import Database, insert_if_absent

RatingChanges = dict[str, list[float]]
"""What a game did to ratings, by player: mu and sigma before, mu and sigma after."""
RatingFunction = Callable[[Sequence[Sequence[Standing]], Sequence[int]], Sequence[Sequence[Standing]]]
_ratings, _results, _players, _chairs = schema.ratings, schema.results, schema.players, schema.chairs
_STANDING = (_ratings.c.mu, _ratings.c.sigma, _ratings.c.games, _ratings.c.won)


class LadderEntry(NamedTuple):
    """A line of a ladder; `account` is the name of an account, None for a computer's level."""

    player: str
    account: str | None
    standing: Standing


class RatedGame(NamedTuple):
    """A rated game of a player; `moved` has all who played it."""

    table_id: str
    game: str
    seats: int
    at: float
    moved: RatingChanges


class LadderStore(Database):
    """Who is how good."""

    def standings(self, players: Iterable[str], game: str, seats: int) -> dict[str, Standing]:
        """Read the standings of those who have one."""
        with self.read() as connection:
            return _standings(connection, list(players), game, seats)

    def standings_of(self, player: str) -> list[tuple[str, int, Standing]]:
        """List a player's standings with game and number of seats, those of the most games first."""
        chosen = sa.select(_ratings.c.game, _ratings.c.seats, *_STANDING).where(_ratings.c.player == player)
        with self.read() as connection:
            found = connection.execute(chosen.order_by(_ratings.c.games.desc(), _ratings.c.game, _ratings.c.seats))
            return [(game, seats, Standing(*standing)) for game, seats, *standing in found]

    def ladder(self, game: str, seats: int, limit: int) -> list[LadderEntry]:
        """List accounts and computers by what they are at least, very likely; guests come and go and are left out."""
        chosen = (
            sa.select(_ratings.c.player, _players.c.name, *_STANDING)
            .select_from(_ratings.outerjoin(_players, _players.c.id == _ratings.c.player))
            .where(_ratings.c.game == game, _ratings.c.seats == seats, _ratings.c.games > 0)
            .where(sa.or_(_players.c.account.is_not(None), _ratings.c.player.startswith(COMPUTER)))
            .order_by((_ratings.c.mu - LADDER_SIGMAS * _ratings.c.sigma).desc(), _ratings.c.player)
            .limit(limit)
        )
        with self.read() as connection:
            return [LadderEntry(one, name, Standing(*rest)) for one, name, *rest in connection.execute(chosen)]

    def ladders(self) -> list[tuple[str, int]]:
        """List the games and numbers of seats of which there are ratings."""
        chosen = sa.select(_ratings.c.game, _ratings.c.seats).where(_ratings.c.games > 0).distinct()
        with self.read() as connection:
            return [(game, seats) for game, seats in connection.execute(chosen.order_by(*chosen.selected_columns))]

    def result(self, table_id: str) -> RatingChanges | None:
        """Read what a table's game did to ratings; None if it was not rated."""
        with self.read() as connection:
            return connection.scalar(sa.select(_results.c.moved).where(_results.c.table_id == table_id))

    def results_of(self, player: str, limit: int) -> list[RatedGame]:
        """List a player's rated games, the last first."""
        played = sa.select(_chairs.c.table_id).where(_chairs.c.player == player)
        chosen = _results.select().where(_results.c.table_id.in_(played))
        with self.read() as connection:
            found = connection.execute(chosen.order_by(_results.c.at.desc(), _results.c.table_id).limit(limit))
            return [RatedGame(*row) for row in found]


def rate_game(
    connection: sa.Connection,
    table_id: str,
    game: str,
    seats: int,
    at: float,
    parties: Sequence[Sequence[str]],
    ranks: Sequence[int],
    rate: RatingFunction,
) -> None:
    """Rate a game in the transaction of its last event, unless that was done before."""
    row = {"table_id": table_id, "game": game, "seats": seats, "at": at, "moved": {}}
    if not insert_if_absent(connection, _results, row):
        return
    everybody = sorted({one for party in parties for one in party})
    for one in everybody:
        # So that there is a row to be held for everybody: two first games may end at once.
        standing = initial_standing(one)._asdict()
        insert_if_absent(connection, _ratings, {"player": one, "game": game, "seats": seats, "changed": at, **standing})
    old = _standings(connection, everybody, game, seats, hold=True)
    rated = rate([[old[one] for one in party] for party in parties], ranks)
    moved: RatingChanges = {}
    for party, standings in zip(parties, rated, strict=True):
        for one, new in zip(party, standings, strict=True):
            moved[one] = [old[one].mu, old[one].sigma, new.mu, new.sigma]
            mine = (_ratings.c.player == one, _ratings.c.game == game, _ratings.c.seats == seats)
            connection.execute(_ratings.update().where(*mine).values(changed=at, **new._asdict()))
    connection.execute(_results.update().where(_results.c.table_id == table_id).values(moved=moved))


def _standings(
    connection: sa.Connection, players: Sequence[str], game: str, seats: int, *, hold: bool = False
) -> dict[str, Standing]:
    chosen = sa.select(_ratings.c.player, *_STANDING).where(
        _ratings.c.player.in_(players), _ratings.c.game == game, _ratings.c.seats == seats
    )
    if hold:
        # In one order, so that two games that end at once do not wait for each other; SQLite has one writer anyway.
        chosen = chosen.order_by(_ratings.c.player).with_for_update()
    return {one: Standing(*standing) for one, *standing in connection.execute(chosen)}
