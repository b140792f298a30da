"""Writes that depend on the password of an account, which another request may change meanwhile."""

import sqlalchemy as sa

from fourcorners.web.domain.rows import ConflictError
from fourcorners.web.store import schema


def lock_account(connection: sa.Connection, player: str, password: str | None) -> None:
    """Lock the row of an account until the transaction ends, so that its password stays as it is.

    Raise ConflictError if the account is gone or its password no longer has the hash `password`, unless that is None.
    """
    columns = (schema.players.c.account, schema.players.c.password)
    query = sa.select(*columns).where(schema.players.c.id == player).with_for_update()
    row = connection.execute(query).first()
    if row is None or row.account is None:
        raise ConflictError("this account no longer exists")
    if password not in {None, row.password}:
        raise ConflictError("the password of this account has been changed")
