"""Digests of commands, as an id does not tell one command from another. A released migration is frozen."""

import sqlalchemy as sa
from alembic import op

revision = "0013"
down_revision = "0012"


def upgrade() -> None:
    """Add the column to `events`, empty for those that there are."""
    op.add_column("events", sa.Column("command", sa.String(32), nullable=False, server_default=""))
