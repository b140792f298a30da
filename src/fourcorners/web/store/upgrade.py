"""Run the migrations with Alembic, which takes a quarter of a second to import."""

from pathlib import Path

import sqlalchemy as sa
from alembic.config import Config
from alembic.runtime.environment import EnvironmentContext
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory

from fourcorners.web.domain.rows import StoreError

_LEGACY_VERSION = 1
"""What `PRAGMA user_version` says of the oldest databases, which Alembic has not marked."""
_EARLIER_COMMIT = "2b0d5a8cc7a0"
"""A commit that upgrades databases from before the first migration to its revision."""


def upgrade(connection: sa.Connection, migrations: Path, newest: str, location: str) -> None:
    """Upgrade a database to revision `newest` with the scripts of a folder, in the connection's transaction.

    Raise StoreError, naming `location`, if a newer program wrote the database, another one, or one that is older than
    the first migration; errors of SQLAlchemy pass through.
    """
    script = ScriptDirectory(str(migrations), version_locations=[str(migrations / "versions")])
    revisions = MigrationContext.configure(connection).get_current_heads()
    current = max(revisions, default=None)
    known = {revision.revision for revision in script.walk_revisions()}
    is_sqlite = connection.dialect.name == "sqlite"
    legacy_version = int(connection.exec_driver_sql("PRAGMA user_version").scalar_one()) if is_sqlite else 0
    if is_sqlite and current is None and not legacy_version and sa.inspect(connection).get_table_names():
        raise StoreError(f"the database in {location} belongs to another program: move it away, or name another folder")
    if legacy_version == _LEGACY_VERSION or (current is not None and current < min(known)):
        raise StoreError(
            f"the games in {location} were stored by a version from before 28 November 2026: upgrade them once with "
            f"commit {_EARLIER_COMMIT} of this program, as docs/deploy.md describes"
        )
    if current not in {None, *known} or (current is None and legacy_version):
        raise StoreError(f"the games in {location} were stored by a newer version of this program")
    if len(revisions) > 1:
        # Until 29 November 2026, upgrades from before Alembic left revision 0001 beside the last one.
        connection.execute(sa.text("DELETE FROM alembic_version WHERE version_num <> :current"), {"current": current})
    # Alembic's own command lists the steps in the same way.
    steps = script._upgrade_revs(newest, current)  # type: ignore[arg-type]  # noqa: SLF001
    with EnvironmentContext(Config(), script, fn=lambda _revision, _context: steps) as environment:
        environment.configure(connection=connection)
        environment.run_migrations()
