"""`fourcorners tables`: the games that a server keeps, for its operator."""

from __future__ import annotations

import dataclasses
import json
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from fourcorners.cli.common import fail
from fourcorners.cli.storage_options import DatabaseAddress, DataFolder, opened, said, when
from fourcorners.core.errors import quote

if TYPE_CHECKING:
    from fourcorners.web.store import StoredTable, Store

_TRIES = 5
_DASHES = {"ignore_unknown_options": True}
"""An id may begin with a dash, and is no option for that."""
app = typer.Typer(
    help="List, show, close, export and delete the games that a server keeps, also while it runs.",
    no_args_is_help=True,
)
TableId = Annotated[str, typer.Argument(metavar="TABLE", help="The table's id, as it stands in its address.")]


@app.command(name="list")
def list_(
    data: DataFolder = None,
    database: DatabaseAddress = "",
    running: Annotated[bool, typer.Option("--running", help="Only games that are not over.")] = False,
    limit: Annotated[int, typer.Option(min=1, help="How many at most, the last changed first.")] = 50,
) -> None:
    """List games, the last changed first: id, game, when it changed, how it stands, and who sits there."""
    with opened(data, database) as store:
        for saved in store.listed(limit, running=running):
            names = ", ".join(said(chair.name) if chair.taken else "(free)" for chair in saved.chairs)
            print(saved.id, saved.game, when(saved.changed), _state(saved), names, sep="\t")


@app.command(context_settings=_DASHES)
def show(table: TableId, data: DataFolder = None, database: DatabaseAddress = "") -> None:
    """Show what is known of a game, and nothing that is hidden in it."""
    with opened(data, database) as store:
        saved = _loaded(store, table)
    print(f"table:    {saved.id}")
    print(f"game:     {saved.game} {json.dumps(saved.options)}")
    print(f"settings: {json.dumps(saved.settings)}")
    print(f"made:     {when(saved.created)}")
    print(f"started:  {'-' if saved.started is None else when(saved.started)}")
    print(f"changed:  {when(saved.changed)}")
    print(f"version:  {saved.version}")
    print(f"state:    {_state(saved)}")
    if saved.deadline is not None:
        print(f"deadline: {when(saved.deadline)}")
    for chair in saved.chairs:
        print(f"seat {chair.seat}:   {chair.kind}, {said(chair.name) if chair.taken else 'free'}")


@app.command(context_settings=_DASHES)
def close(table: TableId, data: DataFolder = None, database: DatabaseAddress = "") -> None:
    """End a game that is not over as abandoned; who has it open sees that within seconds."""
    from fourcorners.web.domain import actions
    from fourcorners.web.domain.clocks import ServerTime
    from fourcorners.web.domain.table import Table
    from fourcorners.web.store import ConflictError

    with opened(data, database) as store:
        now = ServerTime(store.last_time()).now
        for _ in range(_TRIES):
            replayed = Table(_loaded(store, table))
            deed = None if replayed.study else actions.close(replayed, now())
            if deed is None:
                fail(f"table {table} is over already")
            try:
                store.append(table, deed.event, replayed.summary(deed.event.at), deed.chairs).result()
            except ConflictError:
                # Somebody moved meanwhile.
                continue
            print(f"table {table} is closed")
            return
    fail(f"table {table} could not be closed: somebody plays there very quickly; try again")


@app.command(context_settings=_DASHES)
def export(
    table: TableId,
    data: DataFolder = None,
    database: DatabaseAddress = "",
    to: Annotated[Path | None, typer.Option(help="The file to write; usually the standard output.")] = None,
    everything: Annotated[
        bool, typer.Option("--everything", help="All that is stored, as JSON, with what is hidden; only for you.")
    ] = False,
) -> None:
    """Write a game's record; of one that is not over, what everybody may know."""
    from fourcorners.web.domain.table import Table

    with opened(data, database) as store:
        saved = _loaded(store, table)
    if everything:
        kept = dataclasses.asdict(saved)
        kept["chairs"] = [chair._asdict() for chair in saved.chairs]
        kept["events"] = [event._asdict() for event in saved.events]
        text = json.dumps(kept, ensure_ascii=False, indent=1) + "\n"
    else:
        text = str(Table(saved).record(""))
    if to is None:
        print(text, end="")
    else:
        to.write_text(text, encoding="utf-8")


@app.command(context_settings=_DASHES)
def delete(
    table: TableId,
    data: DataFolder = None,
    database: DatabaseAddress = "",
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
) -> None:
    """Delete a game for ever; ratings that came of it and what was reported of it stay."""
    with opened(data, database) as store:
        saved = _loaded(store, table)
        if not yes:
            typer.confirm(f"Delete {saved.game} {table}, {_state(saved)}, for ever?", abort=True)
        store.delete(table).result()
    print(f"table {table} is deleted")


def _loaded(store: Store, table: str) -> StoredTable:
    saved = store.load(table)
    if saved is None:
        fail(f"there is no table {quote(table)}")
    return saved


def _state(saved: StoredTable) -> str:
    if saved.result:
        return saved.result
    if saved.kind == "study":
        return "a record"
    if saved.started is None:
        return "waits for players"
    waits = "" if saved.deadline is None else f", {max(0.0, saved.deadline - time.time()):.0f} s left"
    return f"seat {saved.turn} to move{waits}"
