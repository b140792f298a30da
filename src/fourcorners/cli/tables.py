"""`fourcorners tables`: manage the games on a server, for its operator."""

from __future__ import annotations

import dataclasses
import hashlib
import json
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from typer import Argument, Option

from fourcorners.cli.common import fail, fail_to_write, replace_file, write_output
from fourcorners.cli.storage_options import (
    MAX_LISTED,
    AssumeYes,
    DatabaseAddress,
    DataFolder,
    OutputFile,
    format_time,
    open_store,
    sanitise,
)
from fourcorners.core import catalogue
from fourcorners.core.errors import GameError, quote
from fourcorners.core.plurals import pluralise
from fourcorners.study.results import describe_result

if TYPE_CHECKING:
    from fourcorners.web.store import Store, StoredTable

_MAX_TRIES = 5  # to close a game whose players keep moving
_ALLOW_DASH = {"ignore_unknown_options": True}
"""For commands whose argument, the id of a table, may begin with a dash."""
_HELP = "List, show, close, export and delete games, even while the server is running."
app = typer.Typer(help=_HELP, no_args_is_help=True)
TableId = Annotated[str, Argument(metavar="TABLE", help="The id of the table, as in its URL.")]


@app.command(name="list")
def list_(
    data: DataFolder = None,
    database: DatabaseAddress = "",
    running: Annotated[bool, Option("--running", help="List only games that are not over.")] = False,
    limit: Annotated[int, Option(min=1, max=MAX_LISTED, help="The maximum number of games.")] = 50,
) -> None:
    """List games, most recently changed first: id, game, last change (UTC), state and players, separated by tabs."""
    with open_store(data, database) as store:
        for saved in store.list_tables(limit, running=running):
            names = ", ".join(sanitise(chair.name) if chair.taken else "(free)" for chair in saved.chairs)
            print(saved.id, saved.game, format_time(saved.changed), _describe_state(saved), names, sep="\t")


@app.command(context_settings=_ALLOW_DASH)
def show(table: TableId, data: DataFolder = None, database: DatabaseAddress = "") -> None:
    """Show what is stored about a game, except hidden information; exit with status 1 if there is no such table."""
    with open_store(data, database) as store:
        saved = _require_table(store, table)
    print(f"table:    {saved.id}")
    print(f"game:     {saved.game} {json.dumps(saved.options)}")
    print(f"settings: {json.dumps(saved.settings)}")
    print(f"created:  {format_time(saved.created)}")
    print(f"started:  {'-' if saved.started is None else format_time(saved.started)}")
    print(f"changed:  {format_time(saved.changed)}")
    print(f"version:  {saved.version}")
    print(f"state:    {_describe_state(saved)}")
    if saved.deadline is not None:
        print(f"deadline: {format_time(saved.deadline)}")
    for chair in saved.chairs:
        print(f"seat {chair.seat}:   {chair.kind}, {sanitise(chair.name) if chair.taken else 'open'}")


@app.command(context_settings=_ALLOW_DASH)
def close(table: TableId, data: DataFolder = None, database: DatabaseAddress = "") -> None:
    """Close a running game without a result, which players see within seconds; exit with status 1 if that fails."""
    from fourcorners.web.domain import actions
    from fourcorners.web.domain.clocks import ServerTime
    from fourcorners.web.domain.table import Table
    from fourcorners.web.store import ConflictError

    with open_store(data, database) as store:
        now = ServerTime(store.read_latest_time()).now
        for _ in range(_MAX_TRIES):
            replayed = Table(_require_table(store, table))
            change = None if replayed.study else actions.close_table(replayed, now())
            if change is None:
                fail(f"table {table} is over already")
            try:
                store.append_event(table, change.event, replayed.summarise(change.event.at), change.chairs).result()
            except ConflictError:
                continue  # someone has moved in the meantime
            print(f"table {table} has been closed")
            return
    fail(f"table {table} could not be closed because its players kept moving: try again")


@app.command(context_settings=_ALLOW_DASH)
def export(
    table: TableId,
    data: DataFolder = None,
    database: DatabaseAddress = "",
    to: OutputFile = None,
    everything: Annotated[
        bool,
        Option("--everything", help="Write everything stored, as JSON, including what is hidden; not for players."),
    ] = False,
) -> None:
    """Export a game's record (before the end, what everyone may know); exit with 1 if unknown, 2 if it is illegal."""
    from fourcorners.web.domain.table import Table

    with open_store(data, database) as store:
        saved = _require_table(store, table)
    if everything:
        rows = {name: [row._asdict() for row in getattr(saved, name)] for name in ("chairs", "events")}
        stored = dataclasses.asdict(saved) | rows
        text = json.dumps(stored, ensure_ascii=False, indent=1) + "\n"
    else:
        text = str(Table(saved).build_record(""))
    write_output(text, to, private=True)


@app.command(name="export-for-puzzles")
def export_for_puzzles(
    folder: Annotated[Path, Argument(metavar="FOLDER", help="A new or empty folder.")],
    data: DataFolder = None,
    database: DatabaseAddress = "",
) -> None:
    """Write the finished games of consenting players, without names, as records from which puzzles can be made.

    Each person in a game must have an account whose owner agrees at this moment, so games of guests are left out. The
    folder must be new or empty, so that no game is left there whose players no longer agree.
    """
    from fourcorners.core.match import Record
    from fourcorners.web.domain.table import Table

    unreadable = 0
    with open_store(data, database) as store:
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            is_empty = not any(folder.iterdir())
        except FileExistsError:
            fail(f"{folder} is not a folder: name a new folder")
        except OSError as error:
            fail(f"{folder} cannot be used: {error.strerror or error}")
        if not is_empty:
            fail(f"{folder} is not empty: name a new folder")
        for table_id in store.list_puzzle_table_ids():
            saved = store.load_table(table_id)
            try:
                match = None if saved is None else Table(saved).match
                # It may have been closed without a result, or a takeback has resumed it since it was listed.
                if match is None or not match.is_over:
                    continue
                played = match.record()
                text = str(Record(played.game, played.lines, deck=played.deck))
                Record.parse(text)
            except GameError:
                unreadable += 1
                continue
            # The table's id would lead to the names, and a number would change with other games.
            name = hashlib.sha256(text.encode()).hexdigest()[:16]
            path = folder / f"{name}.txt"
            try:
                replace_file(path, text, private=True)
            except OSError as error:
                fail_to_write(path, error)
        written = len(list(folder.iterdir()))
    print(f"{pluralise(written, 'wrote {} game', 'wrote {} games')} to {folder}")
    if unreadable:
        sentence = "left out {} game that could not be replayed", "left out {} games that could not be replayed"
        print(pluralise(unreadable, *sentence), file=sys.stderr)


@app.command(context_settings=_ALLOW_DASH)
def delete(table: TableId, data: DataFolder = None, database: DatabaseAddress = "", yes: AssumeYes = False) -> None:
    """Delete a game permanently, after confirmation; its effect on ratings and any reports about it remain.

    If there is no such table or the answer is no, exit with status 1.
    """
    with open_store(data, database) as store:
        saved = _require_table(store, table)
        if not yes:
            typer.confirm(f"Permanently delete {saved.game} {table}, {_describe_state(saved)}?", abort=True)
        store.delete_table(table).result()
    print(f"table {table} has been deleted")


def _require_table(store: Store, table: str) -> StoredTable:
    """Return a stored table by its id, or exit with status 1 and an error; raise StoreError."""
    return store.load_table(table) or fail(f"there is no table {quote(table)}")


def _describe_state(saved: StoredTable) -> str:
    """Return a game's result, "a record" for a study, or that it waits for players, or whose turn and seconds left."""
    names = [sanitise(chair.name) for chair in saved.chairs]
    try:
        game = catalogue.game(saved.game, **saved.options)
    except GameError:
        game = None  # stored by another version
    if saved.result:
        return describe_result(saved.result, names, game, has_reason=True, is_stored=True)
    if saved.kind == "study":
        return "a record"
    if saved.started is None:
        return "waiting for players"
    time_left = "" if saved.deadline is None else f", {max(0.0, saved.deadline - time.time()):.0f} s left"
    return f"{names[saved.turn or 0]} to move{time_left}"
