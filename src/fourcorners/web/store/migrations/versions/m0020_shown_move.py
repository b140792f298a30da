"""The move at which a shared analysis opens, with the values shown there. A released migration is frozen."""

import sqlalchemy as sa
from alembic import op

revision = "0020"
down_revision = "0019"


def upgrade() -> None:
    """Add the column."""
    op.add_column("analyses", sa.Column("shown", sa.Text, nullable=False, server_default=""))
