"""The schema with which migrations begin, in SQLite and PostgreSQL. A released migration is frozen."""

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = None


def upgrade() -> None:
    """Create all tables and indexes."""
    if op.get_bind().dialect.name == "sqlite":
        # Programs from before Alembic refuse databases with a number greater than 1.
        op.execute("PRAGMA user_version = 2")
    op.create_table(
        "analyses",
        sa.Column("id", sa.String(32), primary_key=True),
        sa.Column("owner", sa.String(64), nullable=False),
        sa.Column("text", sa.Text, nullable=False),
        sa.Column("created", sa.Float, nullable=False),
        sa.Column("seen", sa.Float, nullable=False),
    )
    op.create_index("analyses_by_owner", "analyses", ["owner"])
    op.create_index("analyses_by_use", "analyses", ["seen"])
    op.create_table(
        "beats",
        sa.Column("process", sa.String(32), primary_key=True),
        sa.Column("at", sa.Float, nullable=False),
    )
    op.create_table(
        "challenges",
        sa.Column("challenge", sa.String(64), primary_key=True),
        sa.Column("session", sa.String(64), nullable=False),
        sa.Column("at", sa.Float, nullable=False),
    )
    op.create_index("challenges_by_time", "challenges", ["at"])
    op.create_table(
        "known_devices",
        sa.Column("device", sa.String(64), primary_key=True),
        sa.Column("player", sa.String(64), nullable=False),
        sa.Column("seen", sa.Float, nullable=False),
    )
    op.create_index("known_devices_by_player", "known_devices", ["player"])
    op.create_table(
        "outages",
        sa.Column("began", sa.Float, primary_key=True, autoincrement=False),
        sa.Column("ended", sa.Float, nullable=False),
    )
    op.create_table(
        "passkeys",
        sa.Column("id", sa.Text, primary_key=True),
        sa.Column("player", sa.String(64), nullable=False),
        sa.Column("key", sa.Text, nullable=False),
        sa.Column("uses", sa.BigInteger, nullable=False),
        sa.Column("created", sa.Float, nullable=False),
        sa.Column("seen", sa.Float, nullable=False),
    )
    op.create_index("passkeys_by_player", "passkeys", ["player"])
    op.create_table(
        "players",
        sa.Column("id", sa.String(64), primary_key=True),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("account", sa.String(64), unique=True),
        sa.Column("password", sa.Text),
        sa.Column("created", sa.Float, nullable=False),
        sa.Column("seen", sa.Float, nullable=False),
        sa.Column("skeleton", sa.Text),
        sa.Column("puzzle_consent", sa.Boolean, nullable=False, server_default=sa.false()),
    )
    op.create_index("players_by_skeleton", "players", ["skeleton"], unique=True)
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
    op.create_index("puzzle_sets_by_expiry", "puzzle_sets", ["expires"])
    op.create_index("puzzle_sets_by_owner", "puzzle_sets", ["owner"])
    op.create_table(
        "ratings",
        sa.Column("player", sa.String(64), primary_key=True),
        sa.Column("game", sa.String(64), primary_key=True),
        sa.Column("seats", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("mu", sa.Float, nullable=False),
        sa.Column("sigma", sa.Float, nullable=False),
        sa.Column("games", sa.Integer, nullable=False),
        sa.Column("won", sa.Float, nullable=False),
        sa.Column("changed", sa.Float, nullable=False),
    )
    op.create_index("ratings_by_game", "ratings", ["game", "seats", "mu"])
    op.create_table(
        "recovery_codes",
        sa.Column("code", sa.String(64), primary_key=True),
        sa.Column("player", sa.String(64), nullable=False),
        sa.Column("created", sa.Float, nullable=False),
    )
    op.create_index("recovery_codes_by_player", "recovery_codes", ["player"])
    op.create_table(
        "reports",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("table_id", sa.String(32), nullable=False),
        sa.Column("number", sa.Integer),
        sa.Column("reporter", sa.String(64), nullable=False),
        sa.Column("about", sa.Text, nullable=False),
        sa.Column("text", sa.Text, nullable=False),
        sa.Column("at", sa.Float, nullable=False),
        sa.Column("done", sa.Boolean, nullable=False),
    )
    op.create_index("reports_by_table", "reports", ["table_id"])
    op.create_table(
        "results",
        sa.Column("table_id", sa.String(32), primary_key=True),
        sa.Column("game", sa.String(64), nullable=False),
        sa.Column("seats", sa.Integer, nullable=False),
        sa.Column("at", sa.Float, nullable=False),
        sa.Column("moved", sa.JSON, nullable=False),
    )
    op.create_table(
        "sessions",
        sa.Column("secret", sa.String(64), primary_key=True),
        sa.Column("player", sa.String(64), nullable=False),
        sa.Column("created", sa.Float, nullable=False),
        sa.Column("seen", sa.Float, nullable=False),
    )
    op.create_index("sessions_by_player", "sessions", ["player"])
    op.create_table(
        "sign_in_attempts",
        sa.Column("account", sa.String(64), primary_key=True),
        sa.Column("source", sa.String(64), primary_key=True),
        sa.Column("failures", sa.Integer, nullable=False),
        sa.Column("retry_at", sa.Float, nullable=False),
        sa.Column("at", sa.Float, nullable=False),
    )
    op.create_index("sign_in_attempts_by_time", "sign_in_attempts", ["at"])
    op.create_table(
        "tables",
        sa.Column("id", sa.String(32), primary_key=True),
        sa.Column("kind", sa.String(8), nullable=False),
        sa.Column("game", sa.String(64), nullable=False),
        sa.Column("options", sa.JSON, nullable=False),
        sa.Column("deck", sa.JSON, nullable=False),
        sa.Column("owner", sa.String(64), nullable=False),
        sa.Column("settings", sa.JSON, nullable=False),
        sa.Column("date", sa.String(10), nullable=False),
        sa.Column("created", sa.Float, nullable=False),
        sa.Column("changed", sa.Float, nullable=False),
        sa.Column("turn", sa.Integer),
        sa.Column("result", sa.Text, nullable=False),
        sa.Column("nonce", sa.String(64), nullable=False, server_default=""),
        sa.Column("started", sa.Float),
        sa.Column("version", sa.Integer, nullable=False, server_default="0"),
        sa.Column("deadline", sa.Float),
        sa.Column("computer", sa.Boolean, nullable=False, server_default=sa.false()),
        sa.Column("public", sa.Boolean, nullable=False, server_default=sa.false()),
        sa.Column("lease_by", sa.String(32), nullable=False, server_default=""),
        sa.Column("lease_until", sa.Float, nullable=False, server_default="0"),
        sa.Column("waiting_until", sa.Float, nullable=False, server_default="0"),
    )
    op.create_index("tables_by_change", "tables", ["changed"])
    op.create_index("tables_by_owner", "tables", ["owner", "changed"])
    # SQLite uses a partial index only for queries with the same condition, literals included.
    true = "1" if op.get_bind().dialect.name == "sqlite" else "true"
    for name, column, condition in (
        ("tables_by_deadline", "deadline", "deadline IS NOT NULL"),
        ("tables_in_lobby", "changed", f"public = {true} AND result = ''"),
        ("tables_of_computers", "lease_until", f"computer = {true}"),
        ("tables_unfinished", "changed", "kind = 'live' AND result = ''"),
    ):
        where = sa.text(condition)
        op.create_index(name, "tables", [column], sqlite_where=where, postgresql_where=where)
    op.create_table(
        "chairs",
        sa.Column("table_id", sa.String(32), sa.ForeignKey("tables.id"), primary_key=True),
        sa.Column("seat", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("kind", sa.String(32), nullable=False),
        sa.Column("player", sa.String(64)),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("taken", sa.Boolean, nullable=False),
        sa.Column("plan", sa.JSON),
    )
    op.create_index("chairs_by_player", "chairs", ["player"])
    op.create_table(
        "chat",
        sa.Column("table_id", sa.String(32), sa.ForeignKey("tables.id"), primary_key=True),
        sa.Column("number", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("player", sa.String(64), nullable=False),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("text", sa.Text, nullable=False),
        sa.Column("at", sa.Float, nullable=False),
    )
    op.create_index("chat_by_player", "chat", ["player"])
    op.create_table(
        "events",
        sa.Column("table_id", sa.String(32), sa.ForeignKey("tables.id"), primary_key=True),
        sa.Column("version", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("seat", sa.Integer, nullable=False),
        sa.Column("text", sa.Text, nullable=False),
        sa.Column("client_id", sa.String(64), nullable=False),
        sa.Column("at", sa.Float, nullable=False),
        sa.Column("credit", sa.Float, nullable=False, server_default="0"),
        sa.UniqueConstraint("table_id", "seat", "client_id"),
    )
    op.create_table(
        "reviews",
        sa.Column("table_id", sa.String(32), sa.ForeignKey("tables.id"), primary_key=True),
        sa.Column("version", sa.Integer, nullable=False),
        sa.Column("format", sa.String(32), nullable=False),
        sa.Column("text", sa.Text, nullable=False),
        sa.Column("at", sa.Float, nullable=False),
    )
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
