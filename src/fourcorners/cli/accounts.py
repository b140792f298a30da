"""`fourcorners accounts`: the people who have an account on a server, for its operator."""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from fourcorners.cli.common import fail
from fourcorners.cli.storage_options import DatabaseAddress, DataFolder, opened, said, when
from fourcorners.core.errors import quote

if TYPE_CHECKING:
    from fourcorners.web.store import Store
    from fourcorners.web.store.players import Profile

app = typer.Typer(
    help="List, export and delete accounts, and set their passwords, also while the server runs.",
    no_args_is_help=True,
)
Name = Annotated[str, typer.Argument(metavar="NAME", help="The account's name.")]


@app.command(name="list")
def list_(
    data: DataFolder = None,
    database: DatabaseAddress = "",
    limit: Annotated[int, typer.Option(min=1, help="How many at most, by name.")] = 1000,
) -> None:
    """List accounts by name, and since when there has been each."""
    with opened(data, database) as store:
        for profile in store.accounts(limit):
            print(said(profile.name), when(profile.created), sep="\t")


@app.command()
def export(
    name: Name,
    data: DataFolder = None,
    database: DatabaseAddress = "",
    to: Annotated[Path | None, typer.Option(help="The file to write; usually the standard output.")] = None,
) -> None:
    """Write all that is kept about an account, as JSON, as its owner can read it too; no password."""
    with opened(data, database) as store:
        player = _found(store, name).id
        kept = {**store.export(player), "tables": store.tables_of(player)}
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
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
) -> None:
    """Delete an account for ever; its games and results stay, as somebody's of whom nothing is known."""
    with opened(data, database) as store:
        profile = _found(store, name)
        if not yes:
            typer.confirm(f"Delete the account {said(profile.name)} for ever?", abort=True)
        tables = store.delete_player(profile.id)
    print(f"the account {said(profile.name)} is deleted; it had sat at {len(tables)} tables")


@app.command(name="set-password")
def set_password(name: Name, data: DataFolder = None, database: DatabaseAddress = "") -> None:
    """Set an account's password, which is asked for or read from the standard input; its devices are signed out."""
    from fourcorners.web.auth.passwords import BadPasswordError, PasswordService, validate_new_password

    with opened(data, database) as store:
        profile = _found(store, name)
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
    print(f"{said(profile.name)} has a new password, and signs in again everywhere")


def _found(store: Store, name: str) -> Profile:
    profile = store.find(name)
    if profile is None:
        fail(f"there is no account {quote(name)}")
    return profile
