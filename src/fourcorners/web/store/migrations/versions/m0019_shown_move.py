"""The move at which a shared analysis opens, with the values shown there. A released migration is frozen."""

import sqlalchemy as sa
from alembic import op

revision = "0019"
down_revision = "0018"


def upgrade() -> None:
    """Add the column."""
    op.add_column("analyses", sa.Column("shown", sa.Text, nullable=False, server_default=""))
