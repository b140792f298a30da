"""Store the sets of puzzles that teachers share, and what pupils have solved."""

from collections.abc import Iterable
from typing import Any, NamedTuple

import sqlalchemy as sa

from fourcorners.web.domain.rows import ConflictError
from fourcorners.web.store import schema
from fourcorners.web.store.database import Database, insert_if_absent, make_work

MAX_SETS, MAX_PUPILS, MAX_TRIES = 30, 120, 999
"""How many sets one player may have, how many pupils a set, and up to where tries at one item are counted."""
CLOSED = "this set is closed"
ALL, LISTED, NONE = "all", "listed", "none"
"""Whose answers a set counts: everyone's with the link, those of the names that it has already, or no one's."""
_sets, _results = schema.puzzle_sets, schema.set_results


class StoredSet(NamedTuple):
    """A set of puzzles: `items` are JSON objects, `secret` is the hash of the key in the owner's link, `admits` is ALL,
    LISTED or NONE; times are server times in seconds.
    """

    id: str
    owner: str
    secret: str
    title: str
    items: list[dict[str, Any]]
    created: float
    expires: float
    admits: str = ALL


class SetResult(NamedTuple):
    """What a pupil has done about an item, counted from 0: it is `solved`, or the solution was `shown` before that."""

    pupil: str
    item: int
    solved: bool
    shown: bool
    tries: int
    at: float


class PuzzleSetStore(Database):
    """Sets of puzzles and the results of pupils."""

    def add_set(self, stored: StoredSet) -> None:
        """Store a new set; raise ConflictError if its owner has `MAX_SETS` already, StoreError."""

        def work(connection: sa.Connection) -> None:
            mine = sa.select(sa.func.count()).where(_sets.c.owner == stored.owner, _sets.c.expires > stored.created)
            if (connection.scalar(mine) or 0) >= MAX_SETS:
                raise ConflictError(f"you can have at most {MAX_SETS} sets: delete one first")
            connection.execute(_sets.insert().values(stored._asdict()))

        self.write_now(stored.id, work)

    def load_set(self, set_id: str, now: float) -> StoredSet | None:
        """Return a set that has not expired; None if there is none. Raise StoreError."""
        row = self.fetch_first(_sets.select().where(_sets.c.id == set_id, _sets.c.expires > now))
        return None if row is None else StoredSet(*row)

    def list_sets(self, owner: str, now: float) -> list[StoredSet]:
        """List a player's sets that have not expired, the newest first; raise StoreError."""
        mine = _sets.select().where(_sets.c.owner == owner, _sets.c.expires > now)
        return [StoredSet(*row) for row in self.fetch_all(mine.order_by(_sets.c.created.desc(), _sets.c.id))]

    def add_result(self, set_id: str, result: SetResult) -> None:
        """Count a try of a pupil at an item; what is solved or was shown stays so. Raise ConflictError if the set is
        gone or closed, or if the pupil is new and the set takes no new ones or has `MAX_PUPILS`, and StoreError.
        """

        def work(connection: sa.Connection) -> None:
            # The lock keeps the set, and the number of its pupils, until the commit.
            admits = connection.scalar(sa.select(_sets.c.admits).where(_sets.c.id == set_id).with_for_update())
            if admits is None:
                raise ConflictError("this set no longer exists")
            if admits == NONE:
                raise ConflictError(CLOSED)
            pupils = set(connection.scalars(sa.select(_results.c.pupil).where(_results.c.set_id == set_id).distinct()))
            if result.pupil not in pupils:
                if admits == LISTED:
                    raise ConflictError("this set accepts no new names")
                if len(pupils) >= MAX_PUPILS:
                    raise ConflictError(f"this set is full: it has {MAX_PUPILS} pupils")
            row = {"set_id": set_id, **result._asdict()}
            if insert_if_absent(connection, _results, row):
                return
            this = (_results.c.set_id == set_id, _results.c.pupil == result.pupil, _results.c.item == result.item)
            old = connection.execute(_results.select().where(*this).with_for_update()).one()
            if not (old.solved or old.shown):
                tries = min(MAX_TRIES, old.tries + result.tries)
                values = {"solved": result.solved, "shown": result.shown, "tries": tries, "at": result.at}
                connection.execute(_results.update().where(*this).values(values))

        self.write_now(set_id, work)

    def set_admission(self, set_id: str, admits: str) -> None:
        """Store whose answers a set counts from now on; raise StoreError."""
        self.write_now(set_id, make_work(_sets.update().where(_sets.c.id == set_id).values(admits=admits)))

    def remove_pupils(self, set_id: str, pupils: Iterable[str]) -> None:
        """Delete all results of some pupils of a set, and so their names; raise StoreError."""
        theirs = sa.and_(_results.c.set_id == set_id, _results.c.pupil.in_(list(pupils)))
        self.write_now(set_id, make_work(_results.delete().where(theirs)))

    def has_pupil(self, set_id: str, pupil: str) -> bool:
        """Return whether a set has results under a name; raise StoreError."""
        theirs = _results.select().where(_results.c.set_id == set_id, _results.c.pupil == pupil)
        return self.fetch_first(theirs.limit(1)) is not None

    def list_results(self, set_id: str) -> list[SetResult]:
        """List the results of a set by pupil and item; raise StoreError."""
        query = _results.select().where(_results.c.set_id == set_id).order_by(_results.c.pupil, _results.c.item)
        return [SetResult(*tuple(row)[1:]) for row in self.fetch_all(query)]

    def delete_set(self, set_id: str) -> None:
        """Delete a set with its results; raise StoreError."""
        self.write_now(set_id, lambda connection: _delete_sets(connection, _sets.c.id == set_id))

    def delete_expired_sets(self, now: float) -> None:
        """Delete the sets that have expired, with their results; raise StoreError."""
        self.write_now("", lambda connection: _delete_sets(connection, _sets.c.expires <= now))


def _delete_sets(connection: sa.Connection, condition: sa.ColumnElement[bool]) -> None:
    """Delete the sets that meet a condition, with their results, in the caller's transaction."""
    chosen = sa.select(_sets.c.id).where(condition).scalar_subquery()
    connection.execute(_results.delete().where(_results.c.set_id.in_(chosen)))
    connection.execute(_sets.delete().where(condition))
