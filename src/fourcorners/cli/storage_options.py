"""Options that say where games are stored, and the operator's access to that store."""

from __future__ import annotations

import contextlib
import datetime as dt
import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import platformdirs
from typer import Option

from fourcorners.cli.common import fail, require_extra
from fourcorners.web.settings import NO_ADDRESS

if TYPE_CHECKING:
    from fourcorners.web.store import Store


def _require_server(folder: Path | None) -> Path | None:
    """Exit with status 1 and an error if the packages of the server are missing; return the folder."""
    require_extra("server", "this command needs")
    return folder


DataFolder = Annotated[
    Path | None,
    Option(
        "--data",
        help="The folder for the games; by default, your system’s folder for application data.",
        envvar="FOURCORNERS_DATA",
        # Every command that has this option uses the store.
        callback=_require_server,
        readable=False,  # the store reports what it cannot use in one sentence
    ),
]
DatabaseAddress = Annotated[
    str,
    Option(
        "--database",
        help="A PostgreSQL database for the games, postgresql://user@host/name, instead of a folder.",
        envvar="FOURCORNERS_DATABASE",
    ),
]
MAX_LISTED = 1_000_000
"""The most rows that a command lists; databases refuse numbers of more than 64 bits."""
OutputFile = Annotated[Path | None, Option("--to", help="The file to write; by default, standard output.")]
AssumeYes = Annotated[bool, Option("--yes", help="Do not ask for confirmation.")]


def data_folder() -> Path:
    """Return the default folder for games, which may not exist yet."""
    return platformdirs.user_data_path("fourcorners")


@contextlib.contextmanager
def open_store(data: Path | None, database: str) -> Iterator[Store]:
    """Yield the store of a database or, if "", of a folder (None: the default), even while a server uses it.

    Exit with status 1 and an error if there is none, or for a StoreError, even one within the with statement.
    """
    # Imported here because the web's libraries take half a second, which other commands should not cost.
    from fourcorners.web.store import Store, StoreError
    from fourcorners.web.store.engine import DATABASE_FILE

    folder = data or data_folder()
    if database and "://" not in database:
        fail(NO_ADDRESS)
    if not database and not os.path.lexists(folder / DATABASE_FILE):
        fail(f"there are no games in {folder}: name another folder with --data, or a database with --database")
    try:
        with contextlib.closing(Store(database or folder)) as store:
            yield store
    except StoreError as error:
        fail(str(error))


def format_time(at: float) -> str:
    """Format a Unix time in seconds as date and time in UTC, such as "2026-11-21 08:15:00"."""
    return dt.datetime.fromtimestamp(at, dt.UTC).strftime("%Y-%m-%d %H:%M:%S")


def sanitise(text: str) -> str:
    """Return a user's text as one line that is safe to print: a space for each character that is not printable."""
    return "".join(character if character.isprintable() else " " for character in text)
