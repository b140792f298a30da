"""Results name the seat that resigned or ran out of time, not its player. A released migration is frozen."""

import re

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"

_NAMED = re.compile(
    r"(?P<win>seats? [0-9]+(?: and [0-9]+)* wins? [0-9-]+): .*(?P<clause> resigned| ran out of time)", re.DOTALL
)


def upgrade() -> None:
    """Replace the names in `tables.result`, which deleted accounts have left there too."""
    tables = sa.table("tables", sa.column("id", sa.String), sa.column("result", sa.Text))
    columns: list[sa.ColumnClause[object]] = [sa.column(name) for name in ("table_id", "version", "seat", "text")]
    events = sa.table("events", *columns)
    connection = op.get_bind()
    ended = sa.or_(tables.c.result.endswith(" resigned"), tables.c.result.endswith(" ran out of time"))
    for table_id, result in connection.execute(sa.select(tables.c.id, tables.c.result).where(ended)).all():
        named = _NAMED.fullmatch(result)
        if named is None:
            continue
        # The result names the player who left last.
        left = sa.select(events.c.seat).where(events.c.table_id == table_id, events.c.text.in_(["!resign", "!time"]))
        seat = connection.scalar(left.order_by(events.c.version.desc()).limit(1))
        reason = "" if seat is None else f": seat {seat}{named['clause']}"
        connection.execute(tables.update().where(tables.c.id == table_id).values(result=named["win"] + reason))
    if connection.dialect.name == "sqlite":
        # The file may still hold what accounts have left that were deleted earlier: the server writes it anew.
        op.execute("PRAGMA application_id = 1")
