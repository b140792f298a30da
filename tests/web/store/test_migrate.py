"""Create and migrate databases, refuse those of other versions, and report unusable folders and addresses."""

import contextlib
import gzip
import json
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import psycopg
import pytest
import sqlalchemy as sa
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory

import fourcorners as fc
from fourcorners.web.engine.warmup import Warmup
from fourcorners.web.store import Store, StoreError, migrate
from fourcorners.web.store.engine import DATABASE_FILE, create_engine
from fourcorners.web.store.schema import metadata
from fourcorners.web.store.upgrade import upgrade
from tests.servers import create_database
from tests.web.accounts import sign_in
from tests.web.client import Browser, Server

FIRST_REVISION = "0012"
DATABASES = Path(__file__).parents[2] / "data/databases"
"""Databases that servers of 28 November 2026 have left, of SQLite as its file, of PostgreSQL as statements."""


@pytest.fixture(params=["sqlite", "postgresql"])
def database(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str | Path]:
    """Yield an empty SQLite folder or PostgreSQL address of this test, without the schema that `web/conftest` adds."""
    if request.param == "sqlite":
        yield tmp_path
    else:
        with create_database(request.getfixturevalue("postgresql")) as address:
            yield address


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


def describe_database(database: str | Path) -> list[list[object]]:
    """Return all tables of a database with their columns and rows, without opening it as a server does."""
    engine = create_engine(database)
    with engine.connect() as connection:
        tables = sa.MetaData()
        tables.reflect(connection)
        described: list[list[object]] = [
            [table.name, table.columns.keys(), sorted(map(repr, connection.execute(sa.select(table)).all()))]
            for table in tables.sorted_tables
        ]
    engine.dispose()
    return described


def empty(database: str | Path) -> None:
    """Remove everything from a closed database."""
    if isinstance(database, Path):
        (database / DATABASE_FILE).unlink()
    else:
        with psycopg.connect(database, autocommit=True) as connection:
            connection.execute("DROP SCHEMA public CASCADE")
            connection.execute("CREATE SCHEMA public")


def fill(database: str | Path) -> None:
    """Fill an empty database with that of the first revision: of a server on which Anna and Bob played."""
    if isinstance(database, Path):
        (database / DATABASE_FILE).write_bytes(gzip.decompress((DATABASES / f"{FIRST_REVISION}.db.gz").read_bytes()))
    else:
        with psycopg.connect(database, autocommit=True) as connection:
            connection.execute(gzip.decompress((DATABASES / f"{FIRST_REVISION}.sql.gz").read_bytes()))


def test_migrations_and_earlier_databases_get_the_declared_schema_which_new_databases_have(
    database: str | Path,
) -> None:
    migrated = create_engine(database)
    with migrated.begin() as connection:
        upgrade(connection, migrate._MIGRATIONS, migrate._find_newest_revision(), "")
    with migrated.connect() as connection:
        assert compare_metadata(MigrationContext.configure(connection), metadata) == []
        expected = describe_schema(connection)
        assert set(expected) > {*metadata.tables, "alembic_version"}
    migrated.dispose()
    for prepare in (lambda _: None, fill):
        empty(database)
        prepare(database)
        store = Store(database)
        with store.engine.connect() as connection:
            assert describe_schema(connection) == expected
        store.close()


def test_what_the_first_revision_has_stored_is_there(database: str | Path) -> None:
    fill(database)
    store = Store(database)
    anna, bob = (store.find_account(name) for name in ("anna", "bob"))
    assert anna is not None and bob is not None
    assert (anna.name, anna.puzzle_consent, bob.puzzle_consent) == ("Anna", True, False)
    tables = store.list_tables(99)
    assert len(tables) == len(store.list_table_ids(anna.id)) == 9
    [rated] = [table.id for table in tables if table.settings.get("rated") and table.result]
    assert [line.text for line in store.list_chat_lines(rated)] == ["Good game!"]
    assert [(report.table_id, report.text) for report in store.list_open_reports(9)] == [(rated, "This is rude.")]
    review = store.load_review(rated)
    assert review is not None and len(json.loads(review.text)["moves"]) == 4
    assert [entry.account for entry in store.read_ladder("dots-and-boxes", 2, 9)] == ["Bob", "Anna"]
    assert store.read_rating_changes(rated) is not None
    assert list(store.read_attempts(anna.id, "dots-and-boxes").values()) == [True]
    [homework] = store.list_sets(anna.id, 0.0)
    assert homework.title == "Homework"
    assert [(result.pupil, result.solved) for result in store.list_results(homework.id)] == [("Cleo", True)]
    exported = store.export_player(anna.id)
    assert [len(exported[kind]) for kind in ("analyses", "passkeys")] == [1, 1]
    store.close()


def test_every_game_of_the_first_revision_replays_and_goes_on(
    database: str | Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Both players sign in with their passwords, take the seats that are free, and move; premoves are played."""
    monkeypatch.setattr(Warmup, "start", lambda _: None)
    fill(database)
    with (
        Server(tmp_path, database="" if isinstance(database, Path) else database) as server,
        Browser(server) as anna,
        Browser(server) as bob,
    ):
        for browser, name in ((anna, "Anna"), (bob, "Bob")):
            assert sign_in(browser.http, name).status_code == 303
        store = server.context.store
        for table in store.list_tables(99):
            state = anna.http.get(f"/api/tables/{table.id}").json()
            assert (state["version"], state["over"]) == (table.version, table.result != "")
            if table.result:
                # This also checks the record's result.
                fc.Record.replay(anna.http.get(f"/api/tables/{table.id}/record").text)
                continue
            for browser in (anna, bob):
                if not browser.http.get(f"/api/tables/{table.id}").json()["started"]:
                    with browser.open_table(table.id) as socket:
                        socket.send_command("sit")
            states = [browser.http.get(f"/api/tables/{table.id}").json() for browser in (anna, bob)]
            [(mover, state)] = [(who, at) for who, at in zip((anna, bob), states, strict=True) if at["mine"]]
            game, view = fc.game(state["game"]["id"], **state["game"]["options"]), state["view"]
            with mover.open_table(table.id) as socket:
                socket.move(game.view(view["text"], view["seat"]).moves()[0])
                if table.game == "square-off":
                    while socket.state["version"] < table.version + 2:
                        socket.receive_next()
                    assert store.read_events_since(table.id, table.version + 1)[0].text == "d3"


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


@pytest.fixture
def later_migration(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The file of a migration of a later version, which adds a column to `tables`."""
    later = tmp_path / "later"
    shutil.copytree(migrate._MIGRATIONS, later)
    migration = later / "versions" / "m9999_note.py"
    migration.write_text(f"""
import sqlalchemy as sa
from alembic import op
revision, down_revision = "9999", "{migrate._find_newest_revision()}"
def upgrade():
    op.add_column("tables", sa.Column("note", sa.Text, nullable=False, server_default=""))
    op.execute("UPDATE tables SET note = 'new'")
""")
    monkeypatch.setattr(migrate, "_MIGRATIONS", later)
    return migration


def check_later_migration(database: str | Path) -> None:
    """Assert that the later version opens a database of the first revision twice, with a new column and all games."""
    for _ in range(2):
        store = Store(database)
        with store.engine.connect() as connection:
            assert connection.exec_driver_sql("SELECT DISTINCT note FROM tables").scalars().all() == ["new"]
            assert connection.exec_driver_sql("SELECT * FROM alembic_version").scalars().all() == ["9999"]
        assert len(store.list_tables(99)) == 9
        store.close()


def test_failed_migration_changes_nothing_and_can_be_repeated(database: str | Path, later_migration: Path) -> None:
    fill(database)
    before = describe_database(database)
    right = later_migration.read_text()
    later_migration.write_text(right.replace("UPDATE tables", "UPDATE missing"))
    with pytest.raises(StoreError, match="missing"):
        Store(database)
    assert describe_database(database) == before
    later_migration.write_text(right)
    check_later_migration(database)


def test_database_that_also_has_a_removed_revision_opens_and_is_migrated(
    database: str | Path, request: pytest.FixtureRequest
) -> None:
    """Until 29 November 2026, upgrades from before Alembic left 0001 beside the last revision."""
    fill(database)
    engine = create_engine(database)
    with engine.begin() as connection:
        connection.execute(sa.text("INSERT INTO alembic_version VALUES ('0001')"))
    engine.dispose()
    Store(database).close()
    request.getfixturevalue("later_migration")
    check_later_migration(database)


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


@pytest.mark.parametrize("revision", ["0001", "0011"])
def test_database_from_before_the_first_revision_is_refused_in_one_sentence_and_stays_as_it_is(
    database: str | Path, revision: str
) -> None:
    fill(database)
    engine = create_engine(database)
    with engine.begin() as connection:
        connection.execute(sa.text("UPDATE alembic_version SET version_num = :revision"), {"revision": revision})
    engine.dispose()
    assert_refused(database)


def test_database_from_before_alembic_is_refused_in_one_sentence_and_stays_as_it_is(tmp_path: Path) -> None:
    with contextlib.closing(sqlite3.connect(tmp_path / DATABASE_FILE)) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("CREATE TABLE tables (id VARCHAR(32) NOT NULL)")
        connection.execute("PRAGMA user_version = 1")
    assert_refused(tmp_path)


def assert_refused(database: str | Path) -> None:
    """Assert that a store over a database from before the first revision names the way out, and changes nothing."""
    before = describe_database(database)
    content = (database / DATABASE_FILE).read_bytes() if isinstance(database, Path) else b""
    with pytest.raises(StoreError, match=r"upgrade them once with commit [0-9a-f]{12} .* docs/deploy\.md") as raised:
        Store(database)
    assert "\n" not in str(raised.value)
    assert describe_database(database) == before
    assert not isinstance(database, Path) or (database / DATABASE_FILE).read_bytes() == content


def test_database_of_an_unknown_legacy_version_is_refused(tmp_path: Path) -> None:
    connection = sqlite3.connect(tmp_path / "fourcorners.db")
    connection.execute("PRAGMA user_version = 99")
    connection.close()
    with pytest.raises(StoreError, match="newer version"):
        Store(tmp_path)


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
