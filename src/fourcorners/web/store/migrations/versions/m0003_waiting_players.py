"""Until when the owner of a table counts as waiting for any opponent. A released migration is frozen."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    """Add the column; nobody waits at the tables that exist."""
    op.add_column("tables", sa.Column("waiting_until", sa.Float, nullable=False, server_default="0"))
