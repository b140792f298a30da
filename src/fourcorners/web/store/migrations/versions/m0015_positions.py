"""Hashes of the positions of running games, with which engines must not help. A released migration is frozen."""

import sqlalchemy as sa
from alembic import op

revision = "0015"
down_revision = "0014"


def upgrade() -> None:
    """Add the column to `tables`, which the next move of each game fills."""
    op.add_column("tables", sa.Column("position", sa.BigInteger, nullable=True))
    known = sa.text("position IS NOT NULL")
    op.create_index("tables_by_position", "tables", ["position"], sqlite_where=known, postgresql_where=known)
