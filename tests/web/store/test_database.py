"""Insert and overwrite rows in a database."""

import sqlalchemy as sa

from fourcorners.web.store import Store, schema
from fourcorners.web.store.database import insert_if_absent, upsert


def test_upsert_overwrites_an_existing_row_and_insert_if_absent_does_not(store: Store) -> None:
    def write_rows(connection: sa.Connection) -> list[bool]:
        """Upsert "p" twice, then insert "p" and "q" if absent; return which of these two were inserted."""
        upsert(connection, schema.beats, {"process": "p", "at": 1.0})
        upsert(connection, schema.beats, {"process": "p", "at": 2.0})
        return [insert_if_absent(connection, schema.beats, {"process": name, "at": 3.0}) for name in ("p", "q")]

    assert store.write_now("", write_rows) == [False, True]
    with store.read() as connection:
        assert sorted(connection.execute(schema.beats.select())) == [("p", 2.0), ("q", 3.0)]
