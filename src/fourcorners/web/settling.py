"""The end of a game: what is written with its last event."""

from __future__ import annotations

from collections.abc import Callable

import sqlalchemy as sa

from fourcorners.web.table import Table


def of(table: Table) -> Callable[[sa.Connection], None] | None:
    """Return what rates a table's game in the transaction of its last event; None if it does not count."""
    return None
