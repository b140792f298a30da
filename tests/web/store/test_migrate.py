"""Migrate databases of earlier versions, refuse newer ones, and report unusable folders and addresses."""

import json
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import sqlalchemy as sa
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory

from fourcorners.web.domain.rows import Chair, TableEvent
from fourcorners.web.store import ConflictError, Store, StoredTable, StoreError, migrate
from fourcorners.web.store.engine import create_engine
from fourcorners.web.store.schema import metadata
from fourcorners.web.store.upgrade import upgrade
from tests.servers import create_database

# The schema of versions from before Alembic.
LEGACY_SCHEMA = """
CREATE TABLE tables (
    id VARCHAR(32) NOT NULL, kind VARCHAR(8) NOT NULL, game VARCHAR(64) NOT NULL, options JSON NOT NULL,
    deck JSON NOT NULL, names JSON NOT NULL, kinds JSON NOT NULL, owner VARCHAR(64) NOT NULL,
    settings JSON NOT NULL, date VARCHAR(10) NOT NULL, created FLOAT NOT NULL, changed FLOAT NOT NULL,
    turn INTEGER, result TEXT NOT NULL, PRIMARY KEY (id)
);
CREATE INDEX tables_by_owner ON tables (owner, changed);
CREATE INDEX tables_by_change ON tables (changed);
CREATE TABLE events (
    table_id VARCHAR(32) NOT NULL, version INTEGER NOT NULL, seat INTEGER NOT NULL, text TEXT NOT NULL,
    client_id VARCHAR(64) NOT NULL, at FLOAT NOT NULL, PRIMARY KEY (table_id, version),
    UNIQUE (table_id, seat, client_id), FOREIGN KEY(table_id) REFERENCES tables (id)
);
PRAGMA user_version = 1;
"""


@pytest.fixture(params=["sqlite", "postgresql"])
def database(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str | Path]:
    """Yield an empty SQLite folder or PostgreSQL address of this test, without the schema that `web/conftest` adds."""
    if request.param == "sqlite":
        yield tmp_path
    else:
        with create_database(request.getfixturevalue("postgresql")) as address:
            yield address


@pytest.fixture
def legacy_folder(tmp_path: Path) -> Path:
    """A folder of this test with three games of Square Off as the legacy version stored them, set up by "me".

    "runs" waits for the computer after one move, "over" has ended by resignation, "look" is a study without moves.
    """
    connection = sqlite3.connect(tmp_path / "fourcorners.db")
    connection.executescript(LEGACY_SCHEMA)
    mixed, persons = ["person", "computer:3"], ["person", "person"]
    for table_id, kind, kinds, turn, result in (
        ("runs", "live", mixed, 1, ""),
        ("over", "live", mixed, None, "seat 0 wins 1–0: resignation"),
        ("look", "study", persons, 1, ""),
    ):
        lists = (json.dumps(value) for value in ({"size": 4}, [], ["Ä", "Computer 3"], kinds))
        settings = json.dumps({"confirm": True})
        row = (table_id, kind, "square-off", *lists, "me", settings, "2026-11-01", 5.0, 8.0, turn, result)
        connection.execute(f"INSERT INTO tables VALUES ({','.join('?' * 14)})", row)
    events = [("runs", 1, 0, "a1", "x", 6.0), ("over", 1, 1, "b2", "=1", 6.0), ("over", 2, 0, "!resign", "y", 7.0)]
    connection.executemany("INSERT INTO events VALUES (?, ?, ?, ?, ?, ?)", events)
    connection.commit()
    connection.close()
    return tmp_path


def test_games_of_the_legacy_version_are_migrated(legacy_folder: Path) -> None:
    """They do not say who has a seat: a person's seat is given to the owner, those of a study to nobody."""
    store = Store(legacy_folder)
    runs, over, look = (store.load_table(table_id) for table_id in ("runs", "over", "look"))
    assert runs == StoredTable(
        id="runs",
        kind="live",
        game="square-off",
        options={"size": 4},
        deck=[],
        nonce="",
        settings={"confirm": True},
        owner="me",
        date="2026-11-01",
        created=5.0,
        started=5.0,
        changed=8.0,
        version=1,
        turn=1,
        deadline=None,
        result="",
        chairs=[
            Chair(0, "person", "me", "Ä", taken=True),
            Chair(1, "computer:3", None, "Computer 3", taken=True),
        ],
        events=[TableEvent(1, 0, "a1", "x", 6.0)],
    )
    assert over is not None and look is not None
    assert (over.version, over.result, over.events[1].text) == (2, "seat 0 wins 1–0: resignation", "!resign")
    assert [chair.player for chair in look.chairs] == [None, None]
    assert store.list_computer_turns(0.0, 9) == ["runs"]
    assert {table.id for table in store.list_player_tables("me", 9)} == {"runs", "over", "look"}
    store.close()


def describe_schema(connection: sa.Connection) -> dict[str, object]:
    """Return all that a database declares, in an order that does not depend on when it was declared."""
    inspector = sa.inspect(connection)
    described: dict[str, object] = {}
    for table in inspector.get_table_names():
        columns = {
            column["name"]: (str(column["type"]), column["nullable"], column["default"])
            for column in inspector.get_columns(table)
        }
        described[table] = (
            columns,
            inspector.get_pk_constraint(table),
            inspector.get_foreign_keys(table),
            sorted(map(str, inspector.get_unique_constraints(table))),
            {
                index["name"]: (
                    index["column_names"],
                    index["unique"],
                    {name: str(value) for name, value in index.get("dialect_options", {}).items()},
                )
                for index in inspector.get_indexes(table)
            },
        )
    if connection.dialect.name == "sqlite":
        described["user_version"] = connection.exec_driver_sql("PRAGMA user_version").scalar_one()
    described["revisions"] = connection.exec_driver_sql("SELECT * FROM alembic_version").all()
    return described


def test_migrations_produce_the_declared_schema_which_new_databases_have(database: str | Path, tmp_path: Path) -> None:
    migrated = create_engine(tmp_path / "migrated" if isinstance(database, Path) else database)
    with migrated.begin() as connection:
        upgrade(connection, migrate._MIGRATIONS, migrate._find_newest_revision(), "")
    with migrated.connect() as connection:
        assert compare_metadata(MigrationContext.configure(connection), metadata) == []
        expected = describe_schema(connection)
        assert set(expected) > {*metadata.tables, "alembic_version"}
    if isinstance(database, str):
        with migrated.begin() as connection:
            connection.exec_driver_sql("DROP SCHEMA public CASCADE")
            connection.exec_driver_sql("CREATE SCHEMA public")
    migrated.dispose()
    store = Store(database)
    with store.engine.connect() as connection:
        assert describe_schema(connection) == expected
    store.close()


def test_results_of_earlier_versions_lose_the_names_that_deleted_accounts_have_left_in_them(tmp_path: Path) -> None:
    """The seat comes from the events. The file is written anew when the server starts, so that no byte has the name."""
    engine = create_engine(tmp_path)
    with engine.begin() as migrating:
        upgrade(migrating, migrate._MIGRATIONS, "0003", "")
    engine.dispose()
    connection = sqlite3.connect(tmp_path / "fourcorners.db")
    expected = {
        "by Ada": ("seat 1 wins 0-0: Zephyrine resigned", "seat 1 wins 0-0: seat 0 resigned"),
        "late": ("seat 0 wins 3-4: Zephyrine ran out of time", "seat 0 wins 3-4: seat 1 ran out of time"),
        "last of two": ("seat 2 wins 1-1-1: Zephyrine resigned", "seat 2 wins 1-1-1: seat 1 resigned"),
        "lost": ("seat 0 wins 3-4: Zephyrine resigned", "seat 0 wins 3-4"),
        "full": ("seats 0 and 2 win 3-4-3: everything has been played",) * 2,
        "draw": ("draw 2-2: the players agreed on a draw",) * 2,
        "runs": ("", ""),
    }
    for table_id, (result, _) in expected.items():
        row = (table_id, "live", "sqez", "{}", "[]", "me", "{}", "2026-11-01", 5.0, 8.0, None, result)
        names = "id, kind, game, options, deck, owner, settings, date, created, changed, turn, result"
        connection.execute(f"INSERT INTO tables ({names}) VALUES ({','.join('?' * 12)})", row)
    events = [
        ("by Ada", 1, 1, "!offer-draw"),
        ("by Ada", 2, 0, "!resign"),
        ("late", 1, 1, "!time"),
        ("last of two", 1, 0, "!resign"),
        ("last of two", 2, 1, "!resign"),
    ]
    statement = "INSERT INTO events (table_id, version, seat, text, client_id, at) VALUES (?, ?, ?, ?, ?, 6.0)"
    connection.executemany(statement, [(*event, str(event[1])) for event in events])
    connection.commit()
    connection.close()
    store = Store(tmp_path)
    assert {table.id: table.result for table in store.list_tables(9)} == {
        table_id: result for table_id, (_, result) in expected.items()
    }
    store.erase_remains()
    assert not [path for path in tmp_path.iterdir() if b"Zephyrine" in path.read_bytes()]
    store.close()


def test_of_old_accounts_that_look_alike_the_oldest_keeps_others_from_looking_like_it(tmp_path: Path) -> None:
    engine = create_engine(tmp_path)
    with engine.begin() as migrating:
        upgrade(migrating, migrate._MIGRATIONS, "0005", "")
    engine.dispose()
    connection = sqlite3.connect(tmp_path / "fourcorners.db")
    rows = [("young", "AnnaI", "annai", 2.0), ("old", "Annal", "annal", 1.0), ("guest", "Anna1", None, 0.0)]
    connection.executemany("INSERT INTO players (id, name, account, created, seen) VALUES (?, ?, ?, ?, 3.0)", rows)
    connection.commit()
    connection.close()
    store = Store(tmp_path)
    holders = [store.find_name_holder(name) for name in ("Anna1", "annal", "AnnaI", "Berta")]
    assert [holder and holder.id for holder in holders] == ["old", "old", "young", None]
    with pytest.raises(ConflictError):
        store.register_account("guest", "Anna1", "hash", 4.0, "a", "b")
    store.close()


def test_revision_of_a_new_database_is_the_last_migration_of_alembic() -> None:
    script = ScriptDirectory(str(migrate._MIGRATIONS), version_locations=[str(migrate._MIGRATIONS / "versions")])
    assert migrate._find_newest_revision() == script.get_current_head()


def test_neither_creating_a_database_nor_opening_it_again_imports_alembic(tmp_path: Path) -> None:
    program = (
        "import sys; from fourcorners.web.store import Store\n"
        "for _ in range(2): Store(sys.argv[1]).close()\n"
        "print([name for name in sys.modules if name.split('.')[0] == 'alembic'])"
    )
    result = subprocess.run([sys.executable, "-c", program, str(tmp_path)], check=True, capture_output=True, text=True)
    assert result.stdout == "[]\n"


def test_failed_migration_changes_nothing_and_can_be_repeated(
    legacy_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise sa.exc.OperationalError("insert", {}, Exception("the disk is full"))

    with monkeypatch.context() as patch:
        patch.setattr("alembic.operations.Operations.drop_column", fail)
        with pytest.raises(StoreError, match="the disk is full"):
            Store(legacy_folder)
    connection = sqlite3.connect(legacy_folder / "fourcorners.db")
    assert connection.execute("SELECT names FROM tables WHERE id = 'over'").fetchone() == ('["\\u00c4", "Computer 3"]',)
    names = {row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    connection.close()
    assert names == {"tables", "events"}
    # Without the failure, the same folder is migrated.
    test_games_of_the_legacy_version_are_migrated(legacy_folder)


def test_stores_that_open_a_new_database_at_the_same_time_all_work(database: str | Path) -> None:
    with ThreadPoolExecutor(8) as pool:
        stores = list(pool.map(Store, [database] * 8))
    for number, store in enumerate(stores):
        # Any write shows that the store works; there is no such table to lease.
        assert store.claim_lease("missing", str(number), 1.0, 0.0) is False
        store.close()


def test_database_of_a_newer_version_is_refused_in_one_sentence(database: str | Path) -> None:
    store = Store(database)
    with store.engine.begin() as connection:
        connection.execute(sa.text("UPDATE alembic_version SET version_num = '9999'"))
    store.close()
    with pytest.raises(StoreError, match="stored by a newer version of this program") as raised:
        Store(database)
    assert str(raised.value).count(".") <= 1


def test_database_of_an_unknown_legacy_version_is_refused(tmp_path: Path) -> None:
    connection = sqlite3.connect(tmp_path / "fourcorners.db")
    connection.execute("PRAGMA user_version = 99")
    connection.close()
    with pytest.raises(StoreError, match="newer version"):
        Store(tmp_path)


def test_migrated_database_has_a_number_that_legacy_programs_refuse(legacy_folder: Path) -> None:
    Store(legacy_folder).close()
    connection = sqlite3.connect(legacy_folder / "fourcorners.db")
    # Programs from before Alembic refuse a database with a number greater than 1.
    assert connection.execute("PRAGMA user_version").fetchone() == (2,)
    connection.close()


@pytest.mark.parametrize("name", ["what?mode=memory", "50%41", "a#b", "file:games"])
def test_folder_name_may_contain_characters_with_a_meaning_in_urls(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.chdir(tmp_path)
    Store(Path(name)).close()
    assert (tmp_path / name / "fourcorners.db").is_file()


def test_folder_that_cannot_be_created_is_reported(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(StoreError, match="cannot be stored in"):
        Store(tmp_path / "file" / "games")


def test_file_that_is_no_database_is_reported(tmp_path: Path) -> None:
    (tmp_path / "fourcorners.db").write_text("this is no database, whatever its name says" * 100)
    with pytest.raises(StoreError, match="cannot be stored in"):
        Store(tmp_path)


@pytest.mark.parametrize(
    ("address", "words"),
    [
        ("mysql://me:s3cret@host/games", "not with 'mysql'"),
        ("postgresql+asyncpg://me:s3cret@host/games", "not with 'postgresql\\+asyncpg'"),
        ("postgresql://me:s3cret@host:port/games", "not a database address"),
        ("postgresql://me:s3cret@127.0.0.1:1/games", "cannot be stored in postgresql://127.0.0.1:1/games"),
        (
            "postgresql://127.0.0.1:1/games?user=me&password=s3cret",
            "cannot be stored in postgresql://127.0.0.1:1/games",
        ),
        (
            "postgresql://me:s3cret@/games?host=127.0.0.1:1&host=127.0.0.1:2",
            "cannot be stored in postgresql://127.0.0.1:1,127.0.0.1:2/games",
        ),
        ("postgresql://me:p@s3cret@127.0.0.1:1/games", "more than one @"),
        ("postgresql://me:p@127.0.0.1:1/s3cret@games", "more than one @"),
    ],
)
def test_unusable_address_is_reported_and_logged_without_its_password(
    address: str, words: str, caplog: pytest.LogCaptureFixture
) -> None:
    """With two @ any part before the last one may belong to the password, so that none is repeated."""
    with pytest.raises(StoreError, match=words) as raised:
        Store(address)
    assert "s3cret" not in f"{raised.value} {caplog.text}"
