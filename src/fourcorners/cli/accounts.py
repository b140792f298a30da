"""`fourcorners accounts`: manage the accounts on a server, for its operator."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Annotated

import typer
from typer import Argument, Option

from fourcorners.cli.common import fail, write_output
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
from fourcorners.core.errors import quote
from fourcorners.core.plurals import pluralise

if TYPE_CHECKING:
    from fourcorners.web.store import Store
    from fourcorners.web.store.players import Profile

_HELP = "List, export and delete accounts and set their passwords, even while the server is running."
app = typer.Typer(help=_HELP, no_args_is_help=True)
Name = Annotated[str, Argument(metavar="NAME", help="The account’s name.")]


@app.command(name="list")
def list_(
    data: DataFolder = None,
    database: DatabaseAddress = "",
    limit: Annotated[int, Option(min=1, max=MAX_LISTED, help="The maximum number of accounts.")] = 1000,
) -> None:
    """List accounts, sorted by name in any case: name, time of creation (UTC), label in the log, separated by tabs."""
    from fourcorners.web.auth.security_log import label_account

    with open_store(data, database) as store:
        for profile in store.list_accounts(limit):
            print(sanitise(profile.name), format_time(profile.created), label_account(profile.id), sep="\t")


@app.command()
def export(name: Name, data: DataFolder = None, database: DatabaseAddress = "", to: OutputFile = None) -> None:
    """Export what is stored about an account as JSON, with its tables' ids, no secrets; exit with 1 if unknown."""
    with open_store(data, database) as store:
        player = _require_account(store, name).id
        kept = {**store.export_player(player), "tables": store.list_table_ids(player)}
    write_output(json.dumps(kept, ensure_ascii=False, indent=1) + "\n", to, private=True)


@app.command()
def delete(name: Name, data: DataFolder = None, database: DatabaseAddress = "", yes: AssumeYes = False) -> None:
    """Delete an account permanently, after confirmation; games with others remain, without a name.

    Running games are not resigned, unlike on the account page: they last until a clock or `tables close` ends them.
    If there is no such account or the answer is no, exit with status 1.
    """
    with open_store(data, database) as store:
        profile = _require_account(store, name)
        shown = sanitise(profile.name)
        if not yes:
            typer.confirm(f"Permanently delete the account {shown}?", abort=True)
        tables = store.delete_player(profile.id)
    played = pluralise(len(tables), "it had played at or set up {} table", "it had played at or set up {} tables")
    print(f"the account {shown} has been deleted; {played}")


@app.command(name="set-password")
def set_password(name: Name, data: DataFolder = None, database: DatabaseAddress = "") -> None:
    """Set an account's password, from a prompt or standard input. Sign out all of its devices, and delete its passkeys
    and recovery codes.

    If there is no such account or the password is not allowed, change nothing and exit with status 1.
    """
    from fourcorners.web.auth.passwords import BadPasswordError, PasswordService, validate_new_password

    with open_store(data, database) as store:
        profile = _require_account(store, name)
        if sys.stdin.isatty():
            password = typer.prompt("New password", hide_input=True, confirmation_prompt=True)
        else:
            password = sys.stdin.readline().rstrip("\r\n")
        try:
            validate_new_password(password, profile.name)
        except BadPasswordError as error:
            fail(str(error))
        store.change_password(profile.id, PasswordService().hash(password))
    print(f"{sanitise(profile.name)} has a new password and must sign in again everywhere")


def _require_account(store: Store, name: str) -> Profile:
    """Return the account with a name, in any spelling, or exit with status 1 and an error; raise StoreError."""
    return store.find_account(name) or fail(f"there is no account {quote(name)}")
