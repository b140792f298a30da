"""Where games are kept, as commands are told it, and the store that is opened there for an operator."""

from __future__ import annotations

import contextlib
import datetime as dt
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import platformdirs
import typer

from fourcorners.cli.common import fail

if TYPE_CHECKING:
    from fourcorners.web.store import Store

DataFolder = Annotated[
    Path | None,
    typer.Option(
        "--data",
        help="The folder that keeps the games; usually where your system keeps such data.",
        envvar="FOURCORNERS_DATA",
    ),
]
DatabaseAddress = Annotated[
    str,
    typer.Option(
        "--database",
        help="postgresql://user@host/name, a database that keeps the games instead of a folder.",
        envvar="FOURCORNERS_DATABASE",
    ),
]


def data_folder() -> Path:
    """Return the folder in which games are usually kept."""
    return platformdirs.user_data_path("fourcorners")


@contextlib.contextmanager
def opened(data: Path | None, database: str) -> Iterator[Store]:
    """Open the store for an operator's command, beside a server that may run; or end with a sentence."""
    # The web's libraries take half a second to import, which no other command should cost.
    from fourcorners.web.store import Store, StoreError
    from fourcorners.web.store.engine import DATABASE_FILE

    folder = data or data_folder()
    if not database and not (folder / DATABASE_FILE).exists():
        fail(f"there are no games in {folder}: name another folder with --data, or a database with --database")
    try:
        store = Store(database or folder)
    except StoreError as error:
        fail(str(error))
    try:
        yield store
    except StoreError as error:
        fail(str(error))
    finally:
        store.close()


def when(at: float) -> str:
    """Write a time, in the world's."""
    return dt.datetime.fromtimestamp(at, dt.UTC).strftime("%Y-%m-%d %H:%M:%S")


def said(text: str) -> str:
    """Return what somebody wrote as one line that a terminal takes for nothing but text."""
    return "".join(sign if sign.isprintable() else " " for sign in text)
