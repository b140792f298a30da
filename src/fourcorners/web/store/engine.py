"""How a database is reached: SQLite in a folder, or PostgreSQL at an address."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import sqlalchemy as sa

from fourcorners.web.domain.rows import StoreError

DATABASE_FILE = "fourcorners.db"
WRITE_OPTION = "writes"
"""The execution option of connections that write: they take SQLite's one writer's place when they begin."""
_WAIT = 10
_STATEMENT, _LOCK = "15s", "5s"
_POOL = {"pool_size": 5, "max_overflow": 5, "pool_timeout": _WAIT, "pool_pre_ping": True, "pool_recycle": 1800}


def create_engine(database: str | Path) -> sa.Engine:
    """Make an engine for a folder or for an address that begins with postgresql://; raise StoreError."""
    if isinstance(database, str) and "://" in database:
        return _postgresql(database)
    return _sqlite(Path(database))


def describe_location(engine: sa.Engine) -> str:
    """Say which database that is, without a password."""
    url = engine.url
    if engine.dialect.name == "sqlite":
        return str(Path(url.database or "").parent)
    # Not the address's own text: parts of it may be secrets wherever they stand.
    server = url.host or url.query.get("host") or "localhost"
    return f"postgresql://{server}{f':{url.port}' if url.port else ''}/{url.database or ''}"


def describe_error(error: BaseException) -> str:
    """Say what went wrong in the database's words, without the values it was about."""
    origin = getattr(error, "orig", None) or error
    told = getattr(getattr(origin, "diag", None), "message_primary", None)
    if told is None:
        told = getattr(origin, "strerror", None) or str(origin)
    return str(told).strip().partition("\n")[0]


def _sqlite(folder: Path) -> sa.Engine:
    folder.mkdir(parents=True, exist_ok=True)
    # Given in parts and from the root, as a folder's name may hold signs that have a meaning in an address.
    address = sa.URL.create("sqlite", database=str((folder / DATABASE_FILE).absolute()))
    engine = sa.create_engine(address, connect_args={"timeout": _WAIT}, hide_parameters=True)

    @sa.event.listens_for(engine, "connect")
    def _connected(connection: Any, _: object) -> None:
        # The driver's own transactions know no savepoints; SQLAlchemy begins them itself.
        connection.isolation_level = None
        for setting in ("journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON"):
            connection.execute(f"PRAGMA {setting}")

    @sa.event.listens_for(engine, "begin")
    def _began(connection: sa.Connection) -> None:
        # Who reads first and writes then is turned away if another process wrote in between.
        writes = connection.get_execution_options().get(WRITE_OPTION)
        connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")

    return engine


def _postgresql(address: str) -> sa.Engine:
    # What stands behind a password's own @ would pass for the host's name, and be told.
    if address.count("@") > 1:
        raise StoreError("this address of a database has more than one @: in a password it is written as %40")
    try:
        url = sa.make_url(address)
    except (sa.exc.ArgumentError, ValueError):
        raise StoreError("this is no address of a database: postgresql://user@host/name is one") from None
    if url.drivername not in {"postgresql", "postgresql+psycopg"}:
        kind = url.drivername
        raise StoreError(f"games are stored in a folder or at postgresql://user@host/name, not with {kind!r}")
    url = url.set(drivername="postgresql+psycopg")
    # A server that is not answered for is given up, rather than waited for as long as the system would.
    waits = {"connect_timeout": _WAIT, "tcp_user_timeout": 1000 * _WAIT, "application_name": "fourcorners"}
    given = {name: value for name, value in waits.items() if name not in url.query}
    engine = sa.create_engine(url, connect_args=given, hide_parameters=True, **_POOL)

    @sa.event.listens_for(engine, "connect")
    def _connected(connection: Any, _: object) -> None:
        connection.execute(f"SET statement_timeout = '{_STATEMENT}'")
        connection.execute(f"SET lock_timeout = '{_LOCK}'")
        connection.execute(f"SET idle_in_transaction_session_timeout = '{_STATEMENT}'")
        connection.commit()

    return engine
