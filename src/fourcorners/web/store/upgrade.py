"""Run the migrations with Alembic, which takes a quarter of a second to import."""

from pathlib import Path

import sqlalchemy as sa
from alembic.config import Config
from alembic.runtime.environment import EnvironmentContext
from alembic.runtime.migration import MigrationContext, RevisionStep
from alembic.script import ScriptDirectory

from fourcorners.web.domain.rows import StoreError

_FIRST_REVISION, _LEGACY_VERSION = "0001", 1
"""Databases from before Alembic have the first revision's schema, and this number as `PRAGMA user_version`."""


def upgrade(connection: sa.Connection, migrations: Path, newest: str, location: str) -> None:
    """Upgrade a database to revision `newest` with the scripts of a folder, in the connection's transaction.

    Raise StoreError, naming `location`, if a newer program wrote the database; errors of SQLAlchemy pass through.
    """
    script = ScriptDirectory(str(migrations), version_locations=[str(migrations / "versions")])
    current = MigrationContext.configure(connection).get_current_revision()
    known = {revision.revision for revision in script.walk_revisions()}
    is_sqlite = connection.dialect.name == "sqlite"
    legacy_version = int(connection.exec_driver_sql("PRAGMA user_version").scalar_one()) if is_sqlite else 0
    if is_sqlite and current is None and not legacy_version and sa.inspect(connection).get_table_names():
        raise StoreError(f"the database in {location} belongs to another program: move it away, or name another folder")
    if current not in {None, *known} or (current is None and legacy_version > _LEGACY_VERSION):
        raise StoreError(f"the games in {location} were stored by a newer version of this program")

    def list_steps(revision: object, context: MigrationContext) -> list[RevisionStep]:
        """List the steps to run; a legacy database is first marked as being of the first revision."""
        if current is None and legacy_version == _LEGACY_VERSION:
            context.stamp(script, _FIRST_REVISION)
            return script._upgrade_revs(newest, _FIRST_REVISION)  # noqa: SLF001  # as in alembic.command.upgrade
        return script._upgrade_revs(newest, current)  # type: ignore[arg-type]  # noqa: SLF001

    with EnvironmentContext(Config(), script, fn=list_steps) as environment:
        environment.configure(connection=connection)
        environment.run_migrations()
