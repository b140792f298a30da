"""Bring a database to the current schema when it is opened; of several processes that start, one does it."""

from pathlib import Path

import sqlalchemy as sa

from fourcorners.web.store.engine import WRITE_OPTION, describe_location
from fourcorners.web.store.schema import metadata

_MIGRATIONS = Path(__file__).resolve().parent / "migrations"
_ADVISORY_LOCK = 0x46434E52
_TIMEOUT = 120
"""Seconds that a process waits for another one's migration, and that a statement of a migration may take."""
_ANSWER_MARGIN = 5.0
"""Seconds by which PostgreSQL gives up earlier than this program, so that its error arrives."""
_USER_VERSION = 2
"""Programs from before Alembic refuse SQLite databases with a number greater than 1."""

# As Alembic declares it: a new database is marked without importing Alembic.
_revisions = sa.Table("alembic_version", sa.MetaData(), sa.Column("version_num", sa.String(32), nullable=False))
_revisions.append_constraint(sa.PrimaryKeyConstraint("version_num", name="alembic_version_pkc"))


def migrate(engine: sa.Engine) -> None:
    """Create the schema in an empty database, or run the missing migrations, in one transaction.

    The transaction holds SQLite's write lock or a PostgreSQL advisory lock, so that one process migrates while the
    others wait. Raise StoreError if a newer program wrote the database; errors of SQLAlchemy and OSError pass through.
    A failed migration changes nothing.
    """
    newest = _find_newest_revision()
    with engine.connect() as connection:
        if _read_revision(connection) == newest:
            return
    with engine.execution_options(**{WRITE_OPTION: True}).connect() as connection:
        driver = connection.connection.driver_connection
        # This connection waits longer for locks and answers, and must not return to the pool.
        connection.detach()
        if engine.dialect.name == "sqlite" and driver is not None:
            driver.execute(f"PRAGMA busy_timeout = {1000 * _TIMEOUT}")
        elif driver is not None:
            driver.answer_timeout = _TIMEOUT + _ANSWER_MARGIN
        with connection.begin():
            if engine.dialect.name == "postgresql":
                for setting in ("statement_timeout", "lock_timeout"):
                    connection.exec_driver_sql(f"SET LOCAL {setting} = '{_TIMEOUT}s'")
                connection.exec_driver_sql(f"SELECT pg_advisory_xact_lock({_ADVISORY_LOCK})")
            if _is_new(connection):
                _create_schema(connection, newest)
            elif _read_revision(connection) != newest:
                # Imported here because Alembic takes a quarter of a second, which few starts need.
                from fourcorners.web.store.upgrade import upgrade  # noqa: PLC0415

                upgrade(connection, _MIGRATIONS, newest, describe_location(engine))


def _create_schema(connection: sa.Connection, revision: str) -> None:
    """Create in an empty database what all migrations together would."""
    metadata.create_all(connection)
    _revisions.create(connection)
    connection.execute(_revisions.insert().values(version_num=revision))
    if connection.dialect.name == "sqlite":
        connection.exec_driver_sql(f"PRAGMA user_version = {_USER_VERSION}")


def _find_newest_revision() -> str:
    """Return the revision of the last migration, whose file is named `mREVISION_…`."""
    return max(path.stem[1:].partition("_")[0] for path in (_MIGRATIONS / "versions").glob("m*.py"))


def _read_revision(connection: sa.Connection) -> str | None:
    """Return the revision of a database as Alembic notes it, None if it has none.

    Until 29 November 2026, upgrades from before Alembic left revision 0001 beside the last one.
    """
    if not sa.inspect(connection).has_table(_revisions.name):
        return None
    return connection.execute(sa.select(sa.func.max(_revisions.c.version_num))).scalar()


def _is_new(connection: sa.Connection) -> bool:
    """Return whether a database has no tables, and no program has noted its own version."""
    is_sqlite = connection.dialect.name == "sqlite"
    has_version = is_sqlite and bool(connection.exec_driver_sql("PRAGMA user_version").scalar_one())
    return not has_version and not sa.inspect(connection).get_table_names()
