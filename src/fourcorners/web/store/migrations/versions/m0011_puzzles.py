"""Attempts at puzzles, their ratings, and sets of them for pupils. A released migration is frozen."""

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"


def upgrade() -> None:
    """Create `puzzle_attempts`, `puzzle_ratings`, `puzzle_sets` and `set_results`."""
    op.create_table(
        "puzzle_attempts",
        sa.Column("player", sa.String(64), primary_key=True),
        sa.Column("game", sa.String(64), primary_key=True),
        sa.Column("puzzle", sa.String(32), primary_key=True),
        sa.Column("solved", sa.Boolean, nullable=False),
        sa.Column("at", sa.Float, nullable=False),
    )
    op.create_index("puzzle_attempts_by_time", "puzzle_attempts", ["at"])
    op.create_table(
        "puzzle_ratings",
        sa.Column("game", sa.String(64), primary_key=True),
        sa.Column("holder", sa.String(64), primary_key=True),
        sa.Column("mu", sa.Float, nullable=False),
        sa.Column("sigma", sa.Float, nullable=False),
        sa.Column("games", sa.Integer, nullable=False),
        sa.Column("won", sa.Float, nullable=False),
        sa.Column("changed", sa.Float, nullable=False),
    )
    op.create_index("puzzle_ratings_by_holder", "puzzle_ratings", ["holder"])
    op.create_table(
        "puzzle_sets",
        sa.Column("id", sa.String(32), primary_key=True),
        sa.Column("owner", sa.String(64), nullable=False),
        sa.Column("secret", sa.String(64), nullable=False),
        sa.Column("title", sa.Text, nullable=False),
        sa.Column("items", sa.JSON, nullable=False),
        sa.Column("created", sa.Float, nullable=False),
        sa.Column("expires", sa.Float, nullable=False),
    )
    op.create_index("puzzle_sets_by_owner", "puzzle_sets", ["owner"])
    op.create_index("puzzle_sets_by_expiry", "puzzle_sets", ["expires"])
    op.create_table(
        "set_results",
        sa.Column("set_id", sa.String(32), sa.ForeignKey("puzzle_sets.id"), primary_key=True),
        sa.Column("pupil", sa.String(64), primary_key=True),
        sa.Column("item", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("solved", sa.Boolean, nullable=False),
        sa.Column("shown", sa.Boolean, nullable=False),
        sa.Column("tries", sa.Integer, nullable=False),
        sa.Column("at", sa.Float, nullable=False),
    )
