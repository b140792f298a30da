"""Attempts to sign in are rate limits, which are not stored. A released migration is frozen."""

from alembic import op

revision = "0016"
down_revision = "0015"


def upgrade() -> None:
    """Drop the table of attempts with its index."""
    op.drop_table("sign_in_attempts")
