"""Store first attempts at puzzles, the ratings that follow from them, and what came of the puzzles of days."""

from typing import NamedTuple

import sqlalchemy as sa

from fourcorners.web.domain.ratings import Standing, limit_change, rate_parties
from fourcorners.web.store import schema
from fourcorners.web.store.database import Database, insert_if_absent

_attempts, _daily, _ratings, _players, _sets = (
    schema.puzzle_attempts,
    schema.daily_results,
    schema.puzzle_ratings,
    schema.players,
    schema.puzzle_sets,
)
MOST_CHANGE = 50
"""By how many Elo points an attempt changes a player's rating at most: the first puzzles say little of a strength."""
_STANDING = (_ratings.c.mu, _ratings.c.sigma, _ratings.c.games, _ratings.c.won)


class Attempt(NamedTuple):
    """The first attempt of a player at a puzzle, at a server time in seconds; `initial` is a new puzzle's standing."""

    player: str
    game: str
    puzzle: str
    solved: bool
    at: float
    initial: Standing


class PuzzleStore(Database):
    """Attempts at puzzles, and ratings by game of players and puzzles."""

    def add_attempt(self, attempt: Attempt) -> tuple[Standing, Standing] | None:
        """Store the first attempt of a player at a puzzle as a game between the two, which changes the puzzle's
        standing only if the player has an account; return the standing of the player before and after it, None if it
        was not the first one. Raise StoreError.
        """

        def work(connection: sa.Connection) -> tuple[Standing, Standing] | None:
            row = {name: getattr(attempt, name) for name in ("player", "game", "puzzle", "solved", "at")}
            if not insert_if_absent(connection, _attempts, row):
                return None
            firsts = {attempt.player: Standing(), attempt.puzzle: attempt.initial}
            for holder in sorted(firsts):
                first = {"game": attempt.game, "holder": holder, "changed": attempt.at, **firsts[holder]._asdict()}
                insert_if_absent(connection, _ratings, first)
            # As in `rate_game`, rows are locked in the same order by all.
            these = (_ratings.c.game == attempt.game, _ratings.c.holder.in_(list(firsts)))
            query = sa.select(_ratings.c.holder, *_STANDING).where(*these).order_by(_ratings.c.holder).with_for_update()
            old = {holder: Standing(*standing) for holder, *standing in connection.execute(query)}
            ranks = [0, 1] if attempt.solved else [1, 0]
            holders = (attempt.player, attempt.puzzle)
            rated = rate_parties([[old[holder]] for holder in holders], ranks)
            rated[0][0] = limit_change(old[attempt.player], rated[0][0], MOST_CHANGE)
            is_account = sa.select(_players.c.id).where(
                _players.c.id == attempt.player, _players.c.account.is_not(None)
            )
            has_account = connection.execute(is_account).first() is not None
            for holder, (new,) in zip(holders, rated, strict=True):
                # Anyone can be a new guest for every attempt.
                if holder == attempt.puzzle and not has_account:
                    continue
                this = (_ratings.c.game == attempt.game, _ratings.c.holder == holder)
                connection.execute(_ratings.update().where(*this).values(changed=attempt.at, **new._asdict()))
            return old[attempt.player], rated[0][0]

        return self.write_now(attempt.puzzle, work)

    def read_attempts(self, player: str, game: str) -> dict[str, bool]:
        """Return by id whether a player has solved each puzzle that was tried; raise StoreError."""
        mine = (_attempts.c.player == player, _attempts.c.game == game)
        return dict(self.fetch_all(sa.select(_attempts.c.puzzle, _attempts.c.solved).where(*mine)))

    def find_last_game(self, player: str) -> str | None:
        """Return the game of the puzzle that a player has tried last; None before the first attempt. Raise
        StoreError.
        """
        mine = sa.select(_attempts.c.game).where(_attempts.c.player == player)
        row = self.fetch_first(mine.order_by(_attempts.c.at.desc()).limit(1))
        return None if row is None else str(row.game)

    def read_puzzle_standing(self, game: str, holder: str) -> Standing | None:
        """Return the standing of a player or a puzzle; None before the first attempt. Raise StoreError."""
        row = self.fetch_first(sa.select(*_STANDING).where(_ratings.c.game == game, _ratings.c.holder == holder))
        return None if row is None else Standing(*row)

    def read_puzzle_standings(self, game: str, puzzles: list[str]) -> dict[str, Standing]:
        """Return the standings of those of some puzzles that have one; raise StoreError."""
        query = sa.select(_ratings.c.holder, *_STANDING).where(_ratings.c.game == game)
        rows = self.fetch_by_ids(query, _ratings.c.holder, puzzles)
        return {holder: Standing(*standing) for holder, *standing in rows}

    def add_daily_result(self, player: str, day: str, at: float, *, found: bool) -> None:
        """Store whether a player has found the puzzle of a day, or was shown it; what is stored stays. Raise
        StoreError.
        """
        row = {"player": player, "day": day, "found": found, "at": at}
        self.write_now(player, lambda connection: insert_if_absent(connection, _daily, row))

    def read_daily_result(self, player: str, day: str) -> bool | None:
        """Return whether a player has found the puzzle of a day; None while it is open. Raise StoreError."""
        row = self.fetch_first(sa.select(_daily.c.found).where(_daily.c.player == player, _daily.c.day == day))
        return None if row is None else bool(row.found)

    def list_days_found(self, player: str, limit: int) -> list[str]:
        """List the last days on which a player has found the puzzle of the day, the latest first; raise StoreError."""
        mine = sa.select(_daily.c.day).where(_daily.c.player == player, _daily.c.found == sa.true())
        return [row.day for row in self.fetch_all(mine.order_by(_daily.c.day.desc()).limit(limit))]

    def count_finders(self, day: str) -> int:
        """Return how many players have found the puzzle of a day; raise StoreError."""
        query = sa.select(sa.func.count().label("count"))
        row = self.fetch_first(query.where(_daily.c.day == day, _daily.c.found == sa.true()))
        return 0 if row is None else int(row.count)

    def delete_guest_attempts(self, before: float) -> None:
        """Delete what players without an account have tried before a server time; raise StoreError."""

        def work(connection: sa.Connection) -> None:
            accounts = sa.select(_players.c.id).where(_players.c.account.is_not(None))
            connection.execute(_attempts.delete().where(_attempts.c.at < before, _attempts.c.player.not_in(accounts)))
            connection.execute(_daily.delete().where(_daily.c.at < before, _daily.c.player.not_in(accounts)))
            # Puzzles keep their ratings: their ids are shorter than those of players.
            guests = sa.and_(sa.func.length(_ratings.c.holder) > sa.literal(32), _ratings.c.holder.not_in(accounts))
            connection.execute(_ratings.delete().where(_ratings.c.changed < before, guests))

        self.write_now("", work)


def transfer_puzzles(connection: sa.Connection, guest: str, player: str) -> None:
    """Give an account the attempts that a guest has made at other puzzles and on other days, and its sets, in the
    caller's transaction. The guest's ratings are deleted: merging them would count attempts twice.
    """
    for relation, *keys in ((_attempts, "game", "puzzle"), (_daily, "day")):
        mine = relation.alias()
        same = sa.exists().where(mine.c.player == player, *(mine.c[key] == relation.c[key] for key in keys))
        connection.execute(relation.delete().where(relation.c.player == guest, same))
        connection.execute(relation.update().where(relation.c.player == guest).values(player=player))
    connection.execute(_ratings.delete().where(_ratings.c.holder == guest))
    connection.execute(_sets.update().where(_sets.c.owner == guest).values(owner=player))
