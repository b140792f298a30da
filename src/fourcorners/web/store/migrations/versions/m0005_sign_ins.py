"""Devices on which people have signed in before, and failed attempts to sign in. A released migration is frozen."""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    """Create `known_devices` and `sign_in_attempts` with their indexes."""
    op.create_table(
        "known_devices",
        sa.Column("device", sa.String(64), primary_key=True),
        sa.Column("player", sa.String(64), nullable=False),
        sa.Column("seen", sa.Float, nullable=False),
    )
    op.create_index("known_devices_by_player", "known_devices", ["player"])
    op.create_table(
        "sign_in_attempts",
        sa.Column("account", sa.String(64), primary_key=True),
        sa.Column("source", sa.String(64), primary_key=True),
        sa.Column("failures", sa.Integer, nullable=False),
        sa.Column("retry_at", sa.Float, nullable=False),
        sa.Column("at", sa.Float, nullable=False),
    )
    op.create_index("sign_in_attempts_by_time", "sign_in_attempts", ["at"])
