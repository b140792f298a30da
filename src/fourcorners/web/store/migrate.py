"""Migrate a database to the current schema when it is opened; of several processes that start, one does it."""

from pathlib import Path

import sqlalchemy as sa
from alembic.config import Config
from alembic.runtime.environment import EnvironmentContext
from alembic.runtime.migration import MigrationContext, RevisionStep
from alembic.script import ScriptDirectory

from fourcorners.web.domain.rows import StoreError
from fourcorners.web.store.engine import WRITE_OPTION, describe_location

_MIGRATIONS = Path(__file__).resolve().parent / "migrations"
_ADVISORY_LOCK = 0x46434E52
_TIMEOUT = 120
"""Seconds that a process waits for another one's migration, and that a statement of a migration may take."""
_FIRST_REVISION, _LEGACY_VERSION = "0001", 1
"""Databases from before Alembic have the first revision's schema, and this number as `PRAGMA user_version`."""


def migrate(engine: sa.Engine) -> None:
    """Run the missing migrations in one transaction, all of them for an empty database.

    The transaction holds SQLite's write lock or a PostgreSQL advisory lock, so that one process migrates while the
    others wait. Raise StoreError if a newer program wrote the database; errors of SQLAlchemy and OSError pass through.
    A failed migration changes nothing.
    """
    script = ScriptDirectory(str(_MIGRATIONS), version_locations=[str(_MIGRATIONS / "versions")])
    newest = script.get_current_head()
    with engine.connect() as connection:
        if MigrationContext.configure(connection).get_current_revision() == newest:
            return
    with engine.execution_options(**{WRITE_OPTION: True}).connect() as connection:
        driver = connection.connection.driver_connection
        if engine.dialect.name == "sqlite" and driver is not None:
            # This connection waits longer for the write lock, and must not return to the pool.
            driver.execute(f"PRAGMA busy_timeout = {1000 * _TIMEOUT}")
            connection.detach()
        with connection.begin():
            if engine.dialect.name == "postgresql":
                for setting in ("statement_timeout", "lock_timeout"):
                    connection.exec_driver_sql(f"SET LOCAL {setting} = '{_TIMEOUT}s'")
                connection.exec_driver_sql(f"SELECT pg_advisory_xact_lock({_ADVISORY_LOCK})")
            _upgrade(connection, script, newest, describe_location(engine))


def _upgrade(connection: sa.Connection, script: ScriptDirectory, newest: str | None, location: str) -> None:
    """Upgrade the database to revision `newest`; raise StoreError, naming `location`, if a newer program wrote it."""
    current = MigrationContext.configure(connection).get_current_revision()
    known = {revision.revision for revision in script.walk_revisions()}
    is_sqlite = connection.dialect.name == "sqlite"
    legacy_version = int(connection.exec_driver_sql("PRAGMA user_version").scalar_one()) if is_sqlite else 0
    if current not in {None, *known} or (current is None and legacy_version > _LEGACY_VERSION):
        raise StoreError(f"the games in {location} were stored by a newer version of this program")

    def list_steps(revision: object, context: MigrationContext) -> list[RevisionStep]:
        """List the steps to run; a legacy database is first marked as being of the first revision."""
        if current is None and legacy_version == _LEGACY_VERSION:
            context.stamp(script, _FIRST_REVISION)
            return script._upgrade_revs(str(newest), _FIRST_REVISION)  # noqa: SLF001  # as in alembic.command.upgrade
        return script._upgrade_revs(str(newest), current)  # type: ignore[arg-type]  # noqa: SLF001

    with EnvironmentContext(Config(), script, fn=list_steps) as environment:
        environment.configure(connection=connection)
        environment.run_migrations()
