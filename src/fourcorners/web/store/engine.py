"""Create the SQLAlchemy engine for SQLite in a folder or for PostgreSQL at an address."""

import json
import sqlite3
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from fourcorners.core import extras
from fourcorners.web.domain.rows import NoRoomError, StoreError, UnstorableTextError
from fourcorners.web.settings import NO_ADDRESS
from fourcorners.web.store.files import open_files, prepare_folder

DATABASE_FILE = "fourcorners.db"
WRITE_OPTION = "writes"
"""Execution option of connections that write: in SQLite they take the write lock when their transaction begins."""
DAMAGE = (UnicodeDecodeError, json.JSONDecodeError)
"""What the driver and SQLAlchemy raise, besides their own errors, for text and JSON in a damaged file."""
_DISK_FULL = "53100"
"""The error code of PostgreSQL for a full disk."""
_READS_ONLY = "reads-only"
"""Note on a connection to a full disk, which reads the file without a log and is used only once."""
_TIMEOUT = 10
"""Seconds to wait for a connection, or in SQLite for the write lock."""
_STATEMENT_TIMEOUT, _LOCK_TIMEOUT = "10s", "5s"
"""What PostgreSQL itself enforces; `postgresql.ANSWER_TIMEOUT` is a little longer."""
_POOL = {"pool_size": 5, "max_overflow": 5, "pool_timeout": _TIMEOUT, "pool_pre_ping": True, "pool_recycle": 1800}


def create_engine(database: str | Path) -> sa.Engine:
    """Create an engine for a folder, which is made if necessary, or for an address postgresql://…; do not connect. Text
    with :// is an address. Raise StoreError for one that cannot be used, OSError for files that cannot be made.

    Statements raise UnstorableTextError for a text with the character NUL.
    """
    is_address = isinstance(database, str) and "://" in database
    engine = _create_postgresql_engine(str(database)) if is_address else _create_sqlite_engine(Path(database))

    @sa.event.listens_for(engine, "before_cursor_execute")
    def _refuse_nul(_connection: object, _cursor: object, _statement: str, given: Any, _: object, many: bool) -> None:  # noqa: FBT001  # as SQLAlchemy calls it
        for values in given if many else [given]:
            for value in values.values() if isinstance(values, dict) else values:
                if isinstance(value, str) and "\0" in value:
                    raise UnstorableTextError

    return engine


def describe_location(engine: sa.Engine) -> str:
    """Return the absolute folder or the address postgresql://HOST:PORT/NAME of a database, without any password."""
    url = engine.url
    if engine.dialect.name == "sqlite":
        return str(Path(url.database or "").parent)
    # Assembled from parts, because passwords may also stand in the query of the address.
    hosts = url.query.get("host", "")
    server = url.host or (hosts if isinstance(hosts, str) else ",".join(hosts)) or "localhost"
    return f"postgresql://{server}{f':{url.port}' if url.port else ''}/{url.database or ''}"


def describe_error(error: BaseException) -> str:
    """Return the first line of an error's message; of SQLAlchemy's errors, without the statement and its values. For
    the errors in `DAMAGE`, whose messages quote what they could not read, return a fixed sentence.
    """
    if isinstance(error, DAMAGE):
        return "the database is damaged"
    origin = getattr(error, "orig", None) or error
    if getattr(origin, "sqlite_errorcode", 0) == sqlite3.SQLITE_NOTADB:
        return f"{DATABASE_FILE} is not a database"
    message = getattr(getattr(origin, "diag", None), "message_primary", None) or getattr(origin, "strerror", None)
    return str(message or origin).strip().partition("\n")[0]


def _create_sqlite_engine(folder: Path) -> sa.Engine:
    """Create an engine for the file in a folder, made if it is missing: WAL, full synchronisation; raise OSError, or
    StoreError if the file is cut off. A transaction fails with StoreError if the files are no longer in their place.
    """
    prepare_folder(folder)
    files = open_files((folder / DATABASE_FILE).absolute())
    # Built from an absolute path: as text, a folder's name might contain characters with a meaning in URLs.
    address = sa.URL.create("sqlite", database=str(files.path))
    engine = sa.create_engine(address, connect_args={"timeout": _TIMEOUT}, hide_parameters=True)

    @sa.event.listens_for(engine, "do_connect")
    def _connect(dialect: sa.Dialect, record: Any, args: tuple[Any, ...], options: dict[str, Any]) -> Any:
        files.check()
        connection = dialect.connect(*args, **options)
        try:
            # The driver's implicit transactions break savepoints, so SQLAlchemy begins every transaction itself.
            connection.isolation_level = None
            # With `secure_delete`, what is deleted is overwritten with zeros and not merely marked as free.
            for setting in ("journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON", "secure_delete=ON"):
                connection.execute(f"PRAGMA {setting}")
        except BaseException as error:
            connection.close()
            if not is_without_room(error) or files.has_log:
                raise
            # The index of the log takes 32 KiB. Without a log, nothing is missing from the file itself.
            connection = dialect.connect(f"{files.path.as_uri()}?immutable=1", uri=True, **options)
            connection.isolation_level = None
            record.info[_READS_ONLY] = True
        return connection

    @sa.event.listens_for(engine, "connect")
    def _add_connection(_connection: Any, _record: object) -> None:
        files.add_connection()

    @sa.event.listens_for(engine, "close")
    def _remove_connection(_connection: Any, _record: object) -> None:
        files.remove_connection()

    @sa.event.listens_for(engine, "close_detached")
    def _remove_detached_connection(_connection: Any) -> None:
        files.remove_connection()

    @sa.event.listens_for(engine, "checkin")
    def _drop_reading_connection(_connection: Any, record: Any) -> None:
        # It would not notice what is written once there is room again.
        if record.info.get(_READS_ONLY):
            record.invalidate()

    @sa.event.listens_for(engine, "begin")
    def _begin(connection: sa.Connection) -> None:
        files.check()
        # A transaction that reads before it writes would fail if another process wrote in between.
        writes = connection.get_execution_options().get(WRITE_OPTION)
        if writes and connection.info.get(_READS_ONLY):
            raise NoRoomError(f"there is no room to store games in {folder}")
        connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")

    @sa.event.listens_for(engine, "commit")
    def _check_before_commit(_connection: sa.Connection) -> None:
        files.check_writing()

    return engine


def is_without_room(error: BaseException) -> bool:
    """Return whether an error of a driver, or SQLAlchemy's around it, says that a disk or quota is full, or fails."""
    origin = getattr(error, "orig", None) or error
    code = getattr(origin, "sqlite_errorcode", 0) & 0xFF  # the rest of an extended code is a detail
    return code in {sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR} or getattr(origin, "sqlstate", None) == _DISK_FULL


def _create_postgresql_engine(address: str) -> sa.Engine:
    """Create an engine with timeouts on connections, answers, statements and locks; raise StoreError for an unusable
    address, or without the driver.
    """
    # The URL parser would take what follows the first @ for the host, and error messages would show it.
    if address.count("@") > 1:
        raise StoreError("--database or FOURCORNERS_DATABASE has more than one @: write @ in a password as %40")
    try:
        url = sa.make_url(address)
    except (sa.exc.ArgumentError, ValueError):
        raise StoreError(NO_ADDRESS) from None
    if url.drivername not in {"postgresql", "postgresql+psycopg"}:
        raise StoreError(
            f"games are stored in a folder or at postgresql://user@host/name, not with {url.drivername!r}: "
            "change --database or FOURCORNERS_DATABASE"
        )
    try:
        extras.require("postgresql", "a database of PostgreSQL needs")
    except extras.MissingExtraError as error:
        raise StoreError(error.message) from None
    url = url.set(drivername="postgresql+psycopg")
    # The operating system's own timeouts are many minutes.
    defaults = {"connect_timeout": _TIMEOUT, "tcp_user_timeout": 1000 * _TIMEOUT, "application_name": "fourcorners"}
    arguments = {name: value for name, value in defaults.items() if name not in url.query}
    engine = sa.create_engine(url, connect_args=arguments, hide_parameters=True, **_POOL)

    # Only servers with PostgreSQL need its driver, which SQLAlchemy has just loaded.
    from fourcorners.web.store.postgresql import BoundedConnection  # noqa: PLC0415

    @sa.event.listens_for(engine, "do_connect")
    def _connect(_dialect: object, _record: object, args: tuple[Any, ...], options: dict[str, Any]) -> Any:
        return BoundedConnection.connect(*args, **options)

    @sa.event.listens_for(engine, "connect")
    def _configure(connection: Any, _: object) -> None:
        connection.execute(f"SET statement_timeout = '{_STATEMENT_TIMEOUT}'")
        connection.execute(f"SET lock_timeout = '{_LOCK_TIMEOUT}'")
        connection.execute(f"SET idle_in_transaction_session_timeout = '{_STATEMENT_TIMEOUT}'")
        connection.commit()

    return engine
