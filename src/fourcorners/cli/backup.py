"""`fourcorners backup` and `fourcorners restore`: all games and accounts in one file."""

from __future__ import annotations

import contextlib
import os
import shlex
import sqlite3
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from fourcorners.cli.common import fail
from fourcorners.cli.storage_options import DatabaseAddress, DataFolder, data_folder, opened

if TYPE_CHECKING:
    from fourcorners.web.store import Store

_ALONE_WITHIN = 1.0
_WAIT = 30.0
_BEFORE = "before-restore.db"
_OURS = {"tables", "chairs", "events"}


def backup(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="The file to write.")],
    data: DataFolder = None,
    database: DatabaseAddress = "",
    force: Annotated[bool, typer.Option("--force", help="Write over the file if there is one.")] = False,
) -> None:
    """Copy all games and accounts into a file, also while the server runs.

    With PostgreSQL this only says which of its own commands does it.
    """
    if database:
        with opened(data, database) as store:
            command = ["pg_dump", "--format=custom", f"--file={file}", _address(store)]
        fail(f"PostgreSQL has a program for this: {shlex.join(command)}")
    if file.exists() and not force:
        fail(f"there is a file {file} already: name another one, or say --force")
    with opened(data, database) as store:
        source = store.engine.url.database or ""
    part = file.with_name(f"{file.name}.part")
    part.unlink(missing_ok=True)
    try:
        with _connected(Path(source)) as old, _connected(part) as new:
            # One moment of it, while others go on writing.
            old.backup(new)
            new.execute("PRAGMA journal_mode = DELETE")
            _check_whole(new, part)
        _flush(part)
        part.replace(file)
    except sqlite3.Error as error:
        fail(f"{file} could not be written: {error}")
    finally:
        part.unlink(missing_ok=True)
    print(f"all games and accounts are in {file} ({file.stat().st_size} bytes)")


def restore(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A file that backup wrote.")],
    data: DataFolder = None,
    database: DatabaseAddress = "",
    force: Annotated[bool, typer.Option("--force", help="Put it in the place of the games that there are.")] = False,
) -> None:
    """Put a backup in the place of all games and accounts, while no server runs.

    What was there before is kept beside it. With PostgreSQL this only says which of its own commands does it.
    """
    # The web's libraries take half a second to import, which no other command should cost.
    from fourcorners.web.store import Store, StoreError
    from fourcorners.web.store.engine import DATABASE_FILE

    if database:
        with opened(data, database) as store:
            command = ["pg_restore", "--clean", "--if-exists", f"--dbname={_address(store)}", str(file)]
        fail(f"PostgreSQL has a program for this: {shlex.join(command)}")
    if not file.is_file():
        fail(f"there is no file {file}")
    folder = data or data_folder()
    folder.mkdir(parents=True, exist_ok=True)
    target = folder / DATABASE_FILE
    if target.exists():
        if not force:
            fail(f"there are games in {folder} already: say --force to put the backup in their place")
        _settle(target)
    with tempfile.TemporaryDirectory(dir=folder) as beside:
        made = Path(beside) / DATABASE_FILE
        try:
            with _connected(file) as old, _connected(made) as new:
                _check_whole(old, file)
                old.backup(new)
            # Opened as a server opens it: an older one is brought to this version, a newer one refused.
            Store(Path(beside)).close()
        except (sqlite3.Error, StoreError) as error:
            fail(f"{file} cannot be restored: {error}")
        with _connected(made) as new:
            new.execute("PRAGMA journal_mode = DELETE")
        _flush(made)
        if target.exists():
            target.replace(target.with_suffix(f".{_BEFORE}"))
        made.replace(target)
    print(f"all games and accounts in {folder} are those of {file}")


def _address(store: Store) -> str:
    """Write the database's address for PostgreSQL's programs, without a password: they ask, or know it already."""
    url = store.engine.url.set(drivername="postgresql", password=None)
    kept = {name: url.query[name] for name in ("host", "port", "sslmode") if name in url.query}
    return url.set(query=kept).render_as_string()


@contextlib.contextmanager
def _connected(path: Path) -> Iterator[sqlite3.Connection]:
    with contextlib.closing(sqlite3.connect(path, timeout=_WAIT, isolation_level=None)) as connection:
        yield connection


def _check_whole(connection: sqlite3.Connection, path: Path) -> None:
    names = {row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    if not names >= _OURS:
        fail(f"{path} is no backup of this program")
    (answer,) = connection.execute("PRAGMA quick_check").fetchone()
    if answer != "ok":
        fail(f"{path} is damaged: {answer}")


def _settle(target: Path) -> None:
    """Bring all of a database into its one file, as what lay beside it would be taken for a part of the next one."""
    try:
        with contextlib.closing(sqlite3.connect(target, timeout=_ALONE_WITHIN)) as connection:
            # Refused as long as anybody else has it open.
            connection.execute("PRAGMA journal_mode = DELETE")
    except sqlite3.OperationalError:
        fail(f"the games in {target.parent} are in use: stop the server first")
    except sqlite3.DatabaseError as error:
        fail(f"{target} is damaged ({error}): move it away first")


def _flush(path: Path) -> None:
    with path.open("rb+") as file:
        os.fsync(file.fileno())
