"""Try whether the database can store games."""

import secrets
from typing import Any

import sqlalchemy as sa

from fourcorners.web.store import schema
from fourcorners.web.store.database import Database

_ROOM = 16_384
"""The bytes for which there must be room: those of a new table and many moves. A few fit into a full database, too."""
_results = schema.results


class ProbeStore(Database):
    """A check that writes and leaves nothing behind."""

    def check_writing(self) -> None:
        """Check that all relations have their columns, and that a row of `_ROOM` bytes can be stored.

        The row is written and deleted in one transaction of the writer, so no one sees it. Block until the commit;
        raise StoreError if that fails or takes too long.
        """
        row: dict[str, Any] = {"table_id": f"probe-{secrets.token_hex(8)}", "game": "", "seats": 0, "at": 0.0}
        row["moved"] = "x" * _ROOM

        def work(connection: sa.Connection) -> None:
            for relation in schema.metadata.sorted_tables:
                connection.execute(sa.select(relation).where(sa.false()))
            connection.execute(_results.insert(), row)
            connection.execute(_results.delete().where(_results.c.table_id == row["table_id"]))

        self.write_now("", work)
