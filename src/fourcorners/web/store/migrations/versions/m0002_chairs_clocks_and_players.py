"""Chairs with their players, clocks, chat, accounts, ratings and server heartbeats. A released migration is frozen."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """Add the new tables, columns and indexes, and move the players of each table to its chairs."""
    _add_columns()
    _add_chairs()
    _copy_players()
    op.drop_column("tables", "names")
    op.drop_column("tables", "kinds")
    _add_indexes()
    _add_chat()
    _add_players()
    _add_heartbeats()
    if op.get_bind().dialect.name == "sqlite":
        # Versions from before Alembic read this number, and refuse databases with a newer one.
        op.execute("PRAGMA user_version = 2")


def _add_columns() -> None:
    """Add the columns that did not exist yet to `tables` and `events`."""
    for column in (
        sa.Column("nonce", sa.String(64), nullable=False, server_default=""),
        sa.Column("started", sa.Float, nullable=True),
        sa.Column("version", sa.Integer, nullable=False, server_default="0"),
        sa.Column("deadline", sa.Float, nullable=True),
        sa.Column("computer", sa.Boolean, nullable=False, server_default=sa.false()),
        sa.Column("public", sa.Boolean, nullable=False, server_default=sa.false()),
        sa.Column("lease_by", sa.String(32), nullable=False, server_default=""),
        sa.Column("lease_until", sa.Float, nullable=False, server_default="0"),
    ):
        op.add_column("tables", column)
    op.add_column("events", sa.Column("credit", sa.Float, nullable=False, server_default="0"))


def _add_chairs() -> None:
    """Create `chairs` with its index."""
    op.create_table(
        "chairs",
        sa.Column("table_id", sa.String(32), sa.ForeignKey("tables.id"), primary_key=True),
        sa.Column("seat", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("kind", sa.String(32), nullable=False),
        sa.Column("player", sa.String(64), nullable=True),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("taken", sa.Boolean, nullable=False),
        sa.Column("plan", sa.JSON, nullable=True),
    )
    op.create_index("chairs_by_player", "chairs", ["player"])


def _copy_players() -> None:
    """Make a chair for each seat of each table, a person's for the owner; set `computer`, `started` and `version`."""
    columns: list[sa.ColumnClause[object]] = [sa.column(name) for name in ("id", "kind", "owner", "turn", "result")]
    lists: list[sa.ColumnClause[object]] = [sa.column("names", sa.JSON), sa.column("kinds", sa.JSON)]
    tables = sa.table("tables", *columns, *lists, sa.column("computer", sa.Boolean))
    names = ("table_id", "seat", "kind", "player", "name", "taken")
    chairs = sa.table("chairs", *(sa.column(name, sa.Boolean if name == "taken" else None) for name in names))
    connection = op.get_bind()
    old = connection.execute(sa.select(*columns, *lists)).mappings().all()
    rows = []
    for table in old:
        for seat, (kind, name) in enumerate(zip(table["kinds"], table["names"], strict=True)):
            # At a study table nobody plays, although its seats were marked as persons.
            player = table["owner"] if kind == "person" and table["kind"] == "live" else None
            rows.append(dict(zip(names, (table["id"], seat, kind, player, name, True), strict=True)))
    if rows:
        connection.execute(chairs.insert(), rows)
    waiting = [
        {"table": table["id"]}
        for table in old
        if table["turn"] is not None and not table["result"] and table["kinds"][table["turn"]].startswith("computer:")
    ]
    if waiting:
        connection.execute(tables.update().where(tables.c.id == sa.bindparam("table")).values(computer=True), waiting)
    op.execute("UPDATE tables SET started = created")
    op.execute("UPDATE tables SET version = (SELECT count(*) FROM events WHERE events.table_id = tables.id)")


def _add_indexes() -> None:
    """Create the partial indexes of `tables`; they must agree with `fourcorners.web.store.schema`."""
    # SQLite uses a partial index only for queries with the same condition, literals included.
    yes, running = sa.true(), sa.column("result") == sa.literal_column("''")
    public, computer = (sa.column(name, sa.Boolean) for name in ("public", "computer"))
    for name, column, condition in (
        ("tables_by_deadline", "deadline", sa.column("deadline").is_not(None)),
        ("tables_in_lobby", "changed", sa.and_(public == yes, running)),
        ("tables_unfinished", "changed", sa.and_(sa.column("kind") == sa.literal_column("'live'"), running)),
        ("tables_of_computers", "lease_until", computer == yes),
    ):
        op.create_index(name, "tables", [column], sqlite_where=condition, postgresql_where=condition)


def _add_chat() -> None:
    """Create `chat` and `reports` with their indexes."""
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
        "reports",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("table_id", sa.String(32), nullable=False),
        sa.Column("number", sa.Integer, nullable=True),
        sa.Column("reporter", sa.String(64), nullable=False),
        sa.Column("about", sa.Text, nullable=False),
        sa.Column("text", sa.Text, nullable=False),
        sa.Column("at", sa.Float, nullable=False),
        sa.Column("done", sa.Boolean, nullable=False),
    )
    op.create_index("reports_by_table", "reports", ["table_id"])


def _add_players() -> None:
    """Create `players`, `sessions`, `ratings` and `results`, and the indexes of `sessions` and `ratings`."""
    op.create_table(
        "players",
        sa.Column("id", sa.String(64), primary_key=True),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("account", sa.String(64), nullable=True, unique=True),
        sa.Column("password", sa.Text, nullable=True),
        sa.Column("created", sa.Float, nullable=False),
        sa.Column("seen", sa.Float, nullable=False),
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
        "results",
        sa.Column("table_id", sa.String(32), primary_key=True),
        sa.Column("game", sa.String(64), nullable=False),
        sa.Column("seats", sa.Integer, nullable=False),
        sa.Column("at", sa.Float, nullable=False),
        sa.Column("moved", sa.JSON, nullable=False),
    )


def _add_heartbeats() -> None:
    """Create `beats` and `outages`."""
    op.create_table(
        "beats", sa.Column("process", sa.String(32), primary_key=True), sa.Column("at", sa.Float, nullable=False)
    )
    op.create_table(
        "outages",
        sa.Column("began", sa.Float, primary_key=True, autoincrement=False),
        sa.Column("ended", sa.Float, nullable=False),
    )
