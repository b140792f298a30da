"""What came of the puzzle of each day, for streaks. A released migration is frozen."""

import sqlalchemy as sa
from alembic import op

revision = "0017"
down_revision = "0016"


def upgrade() -> None:
    """Create the table with its indexes."""
    op.create_table(
        "daily_results",
        sa.Column("player", sa.String(64), primary_key=True),
        sa.Column("day", sa.String(10), primary_key=True),
        sa.Column("found", sa.Boolean, nullable=False),
        sa.Column("at", sa.Float, nullable=False),
    )
    op.create_index("daily_results_by_day", "daily_results", ["day", "found"])
    op.create_index("daily_results_by_time", "daily_results", ["at"])
