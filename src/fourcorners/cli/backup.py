"""`fourcorners backup` and `fourcorners restore`: all games and accounts in one file."""

import contextlib
import os
import shlex
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Annotated, NoReturn, cast

from typer import Argument, Option

from fourcorners.cli.common import fail
from fourcorners.cli.storage_options import DatabaseAddress, DataFolder, data_folder, open_store
from fourcorners.core.plurals import pluralise

_EXCLUSIVE_WITHIN = 1.0  # seconds to wait until no one else has the database open
_LOCK_TIMEOUT = 30.0  # seconds to wait for a lock on a database in use
_SCRATCH_FOLDER = "restore.part"
_REQUIRED_TABLES = {"tables", "chairs", "events"}  # some tables that every version has


def backup(
    file: Annotated[Path, Argument(metavar="FILE", help="The file to write.", readable=False)],
    data: DataFolder = None,
    database: DatabaseAddress = "",
    force: Annotated[bool, Option("--force", help="Overwrite the file if it exists.")] = False,
) -> None:
    """Copy all games and accounts into a file, even while the server is running.

    If there are no games, or the file already exists (without --force) or cannot be written, exit with status 1. For
    PostgreSQL, exit with status 1 and name the PostgreSQL command to use instead.
    """
    if database:
        _refuse_postgresql(database, lambda address: ["pg_dump", "--format=custom", f"--file={file}", address])
    # Imported here because the web's libraries take half a second, which other commands should not cost.
    from fourcorners.web.store.files import create_private_file

    if os.path.lexists(file) and not force:
        fail(f"the file {file} already exists: choose another name, or use --force")
    if os.path.lexists(file) and not file.is_file():
        fail(f"{file} is not a file: choose another name")
    part = file.with_name(f"{file.name}.part")
    with open_store(data, database) as store:
        _refuse_database_file(file, Path(store.engine.url.database or ""))
        try:
            part.unlink(missing_ok=True)
            create_private_file(part)
            with store.engine.connect() as old, _connect(part) as new:
                # A consistent snapshot, even while others write.
                cast("sqlite3.Connection", old.connection.driver_connection).backup(new)
                new.execute("PRAGMA journal_mode = DELETE")
                _check_intact(new, part)
            _flush(part)
            part.replace(file)
        except (OSError, sqlite3.Error) as error:
            fail(f"{file} could not be written: {getattr(error, 'strerror', None) or error}")
        finally:
            with contextlib.suppress(OSError):
                part.unlink(missing_ok=True)
    size = pluralise(file.stat().st_size, "{} byte", "{} bytes")
    print(f"saved all games and accounts in {file} ({size})")


def restore(
    file: Annotated[Path, Argument(metavar="FILE", help="A backup file.", readable=False)],
    data: DataFolder = None,
    database: DatabaseAddress = "",
    force: Annotated[bool, Option("--force", help="Replace the existing games.")] = False,
) -> None:
    """Replace all games and accounts with those of a backup, while no server is running.

    The previous data is kept in a file next to the new one. If the file is not a backup, a server is running, or there
    are games already (without --force), replace nothing and exit with status 1. For PostgreSQL, exit with status 1 and
    name the PostgreSQL command to use instead.
    """
    # Imported here because the web's libraries take half a second, which other commands should not cost.
    from fourcorners.web.store import Store, StoreError
    from fourcorners.web.store.engine import DATABASE_FILE
    from fourcorners.web.store.files import PREVIOUS_SUFFIX, create_private_file, lock_folder, prepare_folder, tighten

    if database:
        options = ["pg_restore", "--clean", "--if-exists"]
        _refuse_postgresql(database, lambda address: [*options, f"--dbname={address}", str(file)])
    if not os.access(file, os.R_OK) or not file.is_file():
        fail(f"there is no file {file}, or this user may not read it")
    folder = data or data_folder()
    target = folder / DATABASE_FILE
    with contextlib.ExitStack() as stack:
        try:
            prepare_folder(folder)
            stack.enter_context(lock_folder(folder))
            scratch = stack.enter_context(_make_scratch_folder(folder))
        except StoreError as error:
            fail(str(error))
        except OSError as error:
            fail(f"games cannot be stored in {folder}: {error.strerror or error}")
        if os.path.lexists(target):
            if not force:
                fail(f"{folder} already contains games: use --force to replace them")
            if not target.is_file():
                fail(f"{target} is not a file: move it away first")
            _refuse_database_file(file, target)
            _merge_journal(target)
        elif (log := target.with_name(f"{DATABASE_FILE}-wal")).exists():
            # SQLite would add it to the database that is restored.
            fail(f"{log} belongs to a database that is gone: move it away first")
        restored = scratch / DATABASE_FILE
        try:
            create_private_file(restored)
            with _connect(file) as old, _connect(restored) as new:
                _check_intact(old, file)
                old.backup(new)
            # Opening it as a server does migrates a backup of an older version and refuses one of a newer version.
            Store(scratch).close()
            with _connect(restored) as new:
                new.execute("PRAGMA journal_mode = DELETE")
            _flush(restored)
            if target.exists():
                tighten(target)
                target.replace(target.with_suffix(PREVIOUS_SUFFIX))
            restored.replace(target)
        except (OSError, sqlite3.Error, StoreError) as error:
            fail(f"{file} cannot be restored: {getattr(error, 'strerror', None) or error}")
    print(f"restored all games and accounts in {folder} from {file}")


def _refuse_database_file(file: Path, database: Path) -> None:
    """Exit with status 1 and an error if the file of a backup is the database itself."""
    if os.access(file, os.F_OK) and file.samefile(database):
        fail(f"{file} is the database itself, not a backup: name another file")


@contextlib.contextmanager
def _make_scratch_folder(parent: Path) -> Iterator[Path]:
    """Yield an empty folder that only this user can read, and remove it at the end; if this program is killed before,
    the next one removes it.
    """
    folder = parent / _SCRATCH_FOLDER
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(mode=0o700)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _refuse_postgresql(database: str, build_command: Callable[[str], list[str]]) -> NoReturn:
    """Exit with status 1 and an error that names the PostgreSQL command to use, which asks for the password itself.
    `build_command` returns the words of the command for the address `database`, which must answer, without password.
    """
    with open_store(None, database) as store:
        url = store.engine.url.set(drivername="postgresql", password=None)
    kept = {name: url.query[name] for name in ("host", "port", "sslmode") if name in url.query}
    command = build_command(url.set(query=kept).render_as_string())
    fail(f"use PostgreSQL's own tool: {shlex.join(command)}")


def _connect(path: Path, timeout: float = _LOCK_TIMEOUT) -> contextlib.closing[sqlite3.Connection]:
    """Open an SQLite database, made if missing, in autocommit mode for a with statement; wait `timeout` s for locks."""
    return contextlib.closing(sqlite3.connect(path, timeout=timeout, isolation_level=None))


def _check_intact(connection: sqlite3.Connection, path: Path) -> None:
    """Exit with status 1 unless the database has our tables and passes SQLite's check; raise sqlite3.DatabaseError."""
    names = {row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    if not names >= _REQUIRED_TABLES:
        fail(f"{path} is not a backup of this program")
    (answer,) = connection.execute("PRAGMA quick_check").fetchone()
    if answer != "ok":
        fail(f"{path} is damaged: {answer}")


def _merge_journal(target: Path) -> None:
    """Merge a database's write-ahead log into its file, or exit with status 1 if it is in use or damaged. A log that
    remained would be taken for a part of the database that replaces this one.
    """
    try:
        with _connect(target, _EXCLUSIVE_WITHIN) as connection:
            # SQLite refuses this while another connection has the database open.
            connection.execute("PRAGMA journal_mode = DELETE")
    except sqlite3.DatabaseError as error:
        if error.sqlite_errorcode == sqlite3.SQLITE_BUSY:
            fail(f"the games in {target.parent} are in use: stop the server first")
        fail(f"{target} is damaged, or this user may not write it ({error}): move it away first")


def _flush(path: Path) -> None:
    """Block until a file's content is on the disk; raise OSError."""
    with path.open("rb+") as file:
        os.fsync(file.fileno())
