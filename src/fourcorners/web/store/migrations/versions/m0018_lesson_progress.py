"""How far players are in lessons. A released migration is frozen."""

import sqlalchemy as sa
from alembic import op

revision = "0018"
down_revision = "0017"


def upgrade() -> None:
    """Create the table with its index."""
    op.create_table(
        "lesson_progress",
        sa.Column("player", sa.String(64), primary_key=True),
        sa.Column("lesson", sa.String(128), primary_key=True),
        sa.Column("steps", sa.Integer, nullable=False),
        sa.Column("at", sa.Float, nullable=False),
    )
    op.create_index("lesson_progress_by_time", "lesson_progress", ["at"])
