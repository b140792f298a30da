"""Bring a database to this version's relations when it is opened, by one process of those that start."""

from __future__ import annotations

from pathlib import Path

import sqlalchemy as sa
from alembic.config import Config
from alembic.runtime.environment import EnvironmentContext
from alembic.runtime.migration import MigrationContext, RevisionStep
from alembic.script import ScriptDirectory

from fourcorners.web.domain.rows import StoreError
from fourcorners.web.store.engine import WRITE_OPTION, describe_location

_STEPS = Path(__file__).resolve().parent / "migrations"
_LOCK = 0x46434E52
_PATIENCE = 120
"""Seconds for which a process waits while another one migrates, and for which a step may run."""
_OLDEST, _OLD_NUMBER = "0001", 1


def migrate(engine: sa.Engine) -> None:
    """Bring a database to the newest relations; raise StoreError if it is of a newer version."""
    script = ScriptDirectory(str(_STEPS), version_locations=[str(_STEPS / "versions")])
    newest = script.get_current_head()
    with engine.connect() as connection:
        if MigrationContext.configure(connection).get_current_revision() == newest:
            return
    with engine.execution_options(**{WRITE_OPTION: True}).connect() as connection:
        if engine.dialect.name == "sqlite":
            _wait_in_sqlite(connection)
        with connection.begin():
            if engine.dialect.name == "postgresql":
                _lock_postgresql(connection)
            _upgrade(connection, script, newest, describe_location(engine))


def _wait_in_sqlite(connection: sa.Connection) -> None:
    # The next transaction takes the writer's place when it begins, and waits so long for it.
    driver = connection.connection.driver_connection
    if driver is not None:
        driver.execute(f"PRAGMA busy_timeout = {1000 * _PATIENCE}")
    connection.detach()


def _lock_postgresql(connection: sa.Connection) -> None:
    connection.exec_driver_sql(f"SET LOCAL statement_timeout = '{_PATIENCE}s'")
    connection.exec_driver_sql(f"SET LOCAL lock_timeout = '{_PATIENCE}s'")
    connection.exec_driver_sql(f"SELECT pg_advisory_xact_lock({_LOCK})")


def _upgrade(connection: sa.Connection, script: ScriptDirectory, newest: str | None, place: str) -> None:
    current = MigrationContext.configure(connection).get_current_revision()
    known = {step.revision for step in script.walk_revisions()}
    number = 0
    if connection.dialect.name == "sqlite":
        number = int(connection.exec_driver_sql("PRAGMA user_version").scalar_one())
    if current not in {None, *known} or (current is None and number > _OLD_NUMBER):
        raise StoreError(f"the games in {place} were stored by a newer version of this program")

    def steps(revision: object, context: MigrationContext) -> list[RevisionStep]:
        if current is None and number == _OLD_NUMBER:
            # From before the steps were counted: it has what the first of them makes.
            context.stamp(script, _OLDEST)
            return script._upgrade_revs(str(newest), _OLDEST)  # noqa: SLF001  # what alembic's own command calls
        return script._upgrade_revs(str(newest), current)  # type: ignore[arg-type]  # noqa: SLF001

    with EnvironmentContext(Config(), script, fn=steps) as environment:
        environment.configure(connection=connection)
        environment.run_migrations()
