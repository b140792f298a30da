"""Whether puzzles may be made from the games of an account: not without a yes. A released migration is frozen."""

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"


def upgrade() -> None:
    """Add the column to `players`."""
    op.add_column("players", sa.Column("puzzle_consent", sa.Boolean, nullable=False, server_default=sa.false()))
