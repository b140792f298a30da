"""Store ratings and the rated games that changed them."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import sqlalchemy as sa

from fourcorners.web.domain.ratings import LADDER_SIGMAS, Standing, initial_standing
from fourcorners.web.domain.seats import COMPUTER
from fourcorners.web.store import schema
from fourcorners.web.store.database import Database, insert_if_absent

RatingChanges = dict[str, list[float]]
"""By player: mu and sigma before a game, then mu and sigma after it."""
RatingFunction = Callable[[Sequence[Sequence[Standing]], Sequence[int]], Sequence[Sequence[Standing]]]
"""Takes the standings of each party's players and the parties' ranks (0 is best); returns the new standings."""
_ratings, _results, _players = schema.ratings, schema.results, schema.players
_STANDING = (_ratings.c.mu, _ratings.c.sigma, _ratings.c.games, _ratings.c.won)


class LadderEntry(NamedTuple):
    """One row of a ladder; `account` is the account's name, or None for a computer level."""

    player: str
    account: str | None
    standing: Standing


class RatedGame(NamedTuple):
    """A rated game that ended at server time `at`; `moved` holds the rating changes of all its players."""

    table_id: str
    game: str
    seats: int
    at: float
    moved: RatingChanges


class LadderStore(Database):
    """Ratings by player, game and number of seats, and the results of rated games."""

    def list_player_standings(self, player: str) -> list[tuple[str, int, Standing]]:
        """List a player's standings as (game, seats, standing), most games first; raise StoreError."""
        query = sa.select(_ratings.c.game, _ratings.c.seats, *_STANDING).where(_ratings.c.player == player)
        rows = self.fetch_all(query.order_by(_ratings.c.games.desc(), _ratings.c.game, _ratings.c.seats))
        return [(game, seats, Standing(*standing)) for game, seats, *standing in rows]

    def read_ladder(self, game: str, seats: int, limit: int) -> list[LadderEntry]:
        """List the `limit` best accounts and computer levels; guests are left out because they come and go.

        The order is by mu - `LADDER_SIGMAS` x sigma, highest first, a value that the player's strength very probably
        exceeds. Empty if no one has played this game with this number of seats. Raise StoreError.
        """
        query = (
            sa.select(_ratings.c.player, _players.c.name, *_STANDING)
            .select_from(_ratings.outerjoin(_players, _players.c.id == _ratings.c.player))
            .where(_ratings.c.game == game, _ratings.c.seats == seats, _ratings.c.games > 0)
            .where(sa.or_(_players.c.account.is_not(None), _ratings.c.player.startswith(COMPUTER)))
            .order_by((_ratings.c.mu - LADDER_SIGMAS * _ratings.c.sigma).desc(), _ratings.c.player)
            .limit(limit)
        )
        return [LadderEntry(player, name, Standing(*standing)) for player, name, *standing in self.fetch_all(query)]

    def list_ladders(self) -> list[tuple[str, int]]:
        """List the (game, seats) pairs for which a rated game was played, in this order; raise StoreError."""
        query = sa.select(_ratings.c.game, _ratings.c.seats).where(_ratings.c.games > 0).distinct()
        return [(game, seats) for game, seats in self.fetch_all(query.order_by(*query.selected_columns))]

    def read_rating_changes(self, table_id: str) -> RatingChanges | None:
        """Return how a table's game changed the ratings; None if it was not rated. Raise StoreError."""
        with self.read() as connection:
            return connection.scalar(sa.select(_results.c.moved).where(_results.c.table_id == table_id))

    def list_rated_games(self, player: str, limit: int) -> list[RatedGame]:
        """List the last `limit` rated games of tables where a player has a chair, newest first; raise StoreError."""
        query = _results.select().where(_results.c.table_id.in_(schema.select_seated(player)))
        newest = query.order_by(_results.c.at.desc(), _results.c.table_id).limit(limit)
        return [RatedGame(*row) for row in self.fetch_all(newest)]


def rate_game(  # every parameter is a separate fact about the finished game
    connection: sa.Connection,
    table_id: str,
    game: str,
    seats: int,
    at: float,
    parties: Sequence[Sequence[str]],
    ranks: Sequence[int],
    rate: RatingFunction,
) -> None:
    """Store a game's result and its players' new ratings; do nothing if the table's game is rated already.

    Runs in the transaction that stores the game's last event, at server time `at`. `parties` lists the player ids of
    each party, where no one occurs twice, `ranks` their places (0 is best, equal for a tie). `rate` computes the new
    standings, of a first game from the initial one. Rating rows stay locked on PostgreSQL. Raise SQLAlchemy's errors.
    """
    row = {"table_id": table_id, "game": game, "seats": seats, "at": at, "moved": {}}
    if not insert_if_absent(connection, _results, row):
        return
    players = sorted({player for party in parties for player in party})
    for player in players:
        # Two first games of a player may end at once; a row must exist for the lock to separate them.
        start = {"player": player, "game": game, "seats": seats, "changed": at, **initial_standing(player)._asdict()}
        insert_if_absent(connection, _ratings, start)
    # All transactions lock rows in the same order, so that they cannot deadlock. SQLite has a single writer anyway.
    these = (_ratings.c.player.in_(players), _ratings.c.game == game, _ratings.c.seats == seats)
    query = sa.select(_ratings.c.player, *_STANDING).where(*these).order_by(_ratings.c.player).with_for_update()
    old = {player: Standing(*standing) for player, *standing in connection.execute(query)}
    rated = rate([[old[player] for player in party] for party in parties], ranks)
    moved: RatingChanges = {}
    for party, standings in zip(parties, rated, strict=True):
        for player, new in zip(party, standings, strict=True):
            moved[player] = [old[player].mu, old[player].sigma, new.mu, new.sigma]
            mine = (_ratings.c.player == player, _ratings.c.game == game, _ratings.c.seats == seats)
            connection.execute(_ratings.update().where(*mine).values(changed=at, **new._asdict()))
    connection.execute(_results.update().where(_results.c.table_id == table_id).values(moved=moved))
