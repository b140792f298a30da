"""`fourcorners accounts`: manage the accounts on a server, for its operator."""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from fourcorners.cli.common import fail
from fourcorners.cli.storage_options import (
    DatabaseAddress,
    DataFolder,
    format_time,
    open_store,
    strip_control_characters,
)
from fourcorners.core.errors import quote

if TYPE_CHECKING:
    from fourcorners.web.store import Store
    from fourcorners.web.store.players import Profile

app = typer.Typer(
    help="List, export and delete accounts and set their passwords, even while the server is running.",
    no_args_is_help=True,
)
Name = Annotated[str, typer.Argument(metavar="NAME", help="The account's name.")]


@app.command(name="list")
def list_(
    data: DataFolder = None,
    database: DatabaseAddress = "",
    limit: Annotated[int, typer.Option(min=1, help="The maximum number of accounts.")] = 1000,
) -> None:
    """List accounts by name, with the time when each was created."""
    with open_store(data, database) as store:
        for profile in store.list_accounts(limit):
            print(strip_control_characters(profile.name), format_time(profile.created), sep="\t")


@app.command()
def export(
    name: Name,
    data: DataFolder = None,
    database: DatabaseAddress = "",
    to: Annotated[Path | None, typer.Option(help="The file to write; by default, standard output.")] = None,
) -> None:
    """Write everything stored about an account, except the password, as JSON, as its owner can also do."""
    with open_store(data, database) as store:
        player = _require_account(store, name).id
        kept = {**store.export_player(player), "tables": store.list_table_ids(player)}
    text = json.dumps(kept, ensure_ascii=False, indent=1) + "\n"
    if to is None:
        print(text, end="")
    else:
        to.write_text(text, encoding="utf-8")


@app.command()
def delete(
    name: Name,
    data: DataFolder = None,
    database: DatabaseAddress = "",
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask for confirmation.")] = False,
) -> None:
    """Delete an account permanently; its games and results remain, without a name."""
    with open_store(data, database) as store:
        profile = _require_account(store, name)
        if not yes:
            typer.confirm(f"Permanently delete the account {strip_control_characters(profile.name)}?", abort=True)
        tables = store.delete_player(profile.id)
    print(
        f"the account {strip_control_characters(profile.name)} has been deleted; it had played at {len(tables)} tables"
    )


@app.command(name="set-password")
def set_password(name: Name, data: DataFolder = None, database: DatabaseAddress = "") -> None:
    """Set an account's password, from a prompt or standard input, and sign out all of its devices."""
    from fourcorners.web.auth.passwords import BadPasswordError, PasswordService, validate_new_password

    with open_store(data, database) as store:
        profile = _require_account(store, name)
        if sys.stdin.isatty():
            password = typer.prompt("New password", hide_input=True, confirmation_prompt=True)
        else:
            password = sys.stdin.readline().rstrip("\r\n")
        passwords = PasswordService()
        try:
            validate_new_password(password, profile.name)
            store.set_password(profile.id, asyncio.run(passwords.hash(password)))
        except BadPasswordError as error:
            fail(str(error))
        finally:
            passwords.close()
        store.sign_out_others(profile.id, "")
    print(f"{strip_control_characters(profile.name)} has a new password and must sign in again everywhere")


def _require_account(store: Store, name: str) -> Profile:
    """Return the account with a name, or exit with an error."""
    profile = store.find_account(name)
    if profile is None:
        fail(f"there is no account {quote(name)}")
    return profile
