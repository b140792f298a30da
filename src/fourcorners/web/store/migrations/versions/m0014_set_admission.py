"""Whether a set of puzzles takes new names, or any answers at all. A released migration is frozen."""

import sqlalchemy as sa
from alembic import op

revision = "0014"
down_revision = "0013"


def upgrade() -> None:
    """Add the column to `puzzle_sets`, which admit everyone."""
    op.add_column("puzzle_sets", sa.Column("admits", sa.String(8), nullable=False, server_default="all"))
