"""The database's two relations: tables, and the events from which each is replayed."""

from __future__ import annotations

import sqlalchemy as sa

SCHEMA_VERSION = 1

metadata = sa.MetaData()

tables = sa.Table(
    "tables",
    metadata,
    sa.Column("id", sa.String(32), primary_key=True),
    sa.Column("kind", sa.String(8), nullable=False),
    sa.Column("game", sa.String(64), nullable=False),
    sa.Column("options", sa.JSON, nullable=False),
    sa.Column("deck", sa.JSON, nullable=False),
    sa.Column("names", sa.JSON, nullable=False),
    sa.Column("kinds", sa.JSON, nullable=False),
    sa.Column("owner", sa.String(64), nullable=False),
    sa.Column("settings", sa.JSON, nullable=False),
    sa.Column("date", sa.String(10), nullable=False),
    sa.Column("created", sa.Float, nullable=False),
    # What lists of tables show, and which tables wait for the computer; written with every event.
    sa.Column("changed", sa.Float, nullable=False),
    sa.Column("turn", sa.Integer, nullable=True),
    sa.Column("result", sa.Text, nullable=False),
    sa.Index("tables_by_owner", "owner", "changed"),
    sa.Index("tables_by_change", "changed"),
)

events = sa.Table(
    "events",
    metadata,
    sa.Column("table_id", sa.ForeignKey("tables.id"), primary_key=True),
    sa.Column("version", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("seat", sa.Integer, nullable=False),
    sa.Column("text", sa.Text, nullable=False),
    sa.Column("client_id", sa.String(64), nullable=False),
    sa.Column("at", sa.Float, nullable=False),
    sa.UniqueConstraint("table_id", "seat", "client_id"),
)
