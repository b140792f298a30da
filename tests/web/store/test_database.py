"""Insert and overwrite rows in a database."""

import sqlalchemy as sa

from fourcorners.web.store import Store, schema
from fourcorners.web.store.database import insert_if_absent, upsert


def test_only_upsert_overwrites_existing_rows(store: Store) -> None:
    def work(connection: sa.Connection) -> list[bool]:
        upsert(connection, schema.beats, {"process": "p", "at": 1.0})
        upsert(connection, schema.beats, {"process": "p", "at": 2.0})
        return [insert_if_absent(connection, schema.beats, {"process": name, "at": 3.0}) for name in ("p", "q")]

    assert store.write_now("", work) == [False, True]
    with store.read() as connection:
        assert sorted(connection.execute(schema.beats.select())) == [("p", 2.0), ("q", 3.0)]
