"""Store reviews of finished games: one for each table."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import sqlalchemy as sa

from fourcorners.web.store import schema
from fourcorners.web.store.database import Database, upsert
from fourcorners.web.store.write_result import WriteResult

MAX_LENGTH = 4 * 2**20
"""The longest review that is stored, in characters."""
_reviews, _chairs, _tables = schema.reviews, schema.chairs, schema.tables


class StoredReview(NamedTuple):
    """A review as JSON `text` in a `format`, of what was played up to a version of the table, made at a server time in
    seconds.
    """

    version: int
    format: str
    text: str
    at: float


class ReviewStore(Database):
    """Reviews of finished games."""

    def save_review(
        self, table_id: str, review: StoredReview, names: Sequence[str], *, replaces: bool = False
    ) -> WriteResult[bool]:
        """Store the review of a table unless there is one of this version in this format that it does not replace; the
        result is whether it was stored. It is not if the table is gone, if it is longer than `MAX_LENGTH`, or if the
        players are no longer called `names`: the review has their names in it, which someone may have had erased
        meanwhile.
        """

        def work(connection: sa.Connection) -> bool:
            # The lock keeps the table, and what other servers store about it, until the commit.
            table = sa.select(_tables.c.id).where(_tables.c.id == table_id).with_for_update()
            if connection.scalar(table) is None or len(review.text) > MAX_LENGTH:
                return False
            chairs = sa.select(_chairs.c.name).where(_chairs.c.table_id == table_id).order_by(_chairs.c.seat)
            same = sa.select(_reviews.c.version, _reviews.c.format).where(_reviews.c.table_id == table_id)
            stored = connection.execute(same).first()
            is_stored = stored == (review.version, review.format) and not replaces
            if list(connection.scalars(chairs)) != list(names) or is_stored:
                return False
            row: dict[str, Any] = {"table_id": table_id, **review._asdict()}
            upsert(connection, _reviews, row)
            return True

        return self.write(table_id, work)

    def load_review(self, table_id: str) -> StoredReview | None:
        """Return the review of a table; None if there is none. Raise StoreError."""
        row = self.fetch_first(_reviews.select().where(_reviews.c.table_id == table_id))
        return None if row is None else StoredReview(*tuple(row)[1:])
