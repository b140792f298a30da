"""The database schema: tables with chairs, events, chat and reviews, players with ratings, server heartbeats.

Changes need a migration; a test compares this schema with what the migrations produce.
"""

from typing import Any

import sqlalchemy as sa

metadata = sa.MetaData()

tables = sa.Table(
    "tables",
    metadata,
    sa.Column("id", sa.String(32), primary_key=True),
    sa.Column("kind", sa.String(8), nullable=False),
    sa.Column("game", sa.String(64), nullable=False),
    sa.Column("options", sa.JSON, nullable=False),
    sa.Column("deck", sa.JSON, nullable=False),
    sa.Column("owner", sa.String(64), nullable=False),
    sa.Column("settings", sa.JSON, nullable=False),
    sa.Column("date", sa.String(10), nullable=False),
    sa.Column("created", sa.Float, nullable=False),
    # Derived from the events and updated with each one, for lists and for the background tasks.
    sa.Column("changed", sa.Float, nullable=False),
    sa.Column("turn", sa.Integer, nullable=True),
    sa.Column("result", sa.Text, nullable=False),
    # The secret for shuffling, revealed when the game is over; empty for games without hidden information.
    sa.Column("nonce", sa.String(64), nullable=False, server_default=""),
    sa.Column("started", sa.Float, nullable=True),
    sa.Column("version", sa.Integer, nullable=False, server_default="0"),
    sa.Column("deadline", sa.Float, nullable=True),
    # Whether a computer is to move, including one that replaces a person who resigned.
    sa.Column("computer", sa.Boolean, nullable=False, server_default=sa.false()),
    # Copied from the settings, because the lobby's index needs a column.
    sa.Column("public", sa.Boolean, nullable=False, server_default=sa.false()),
    sa.Column("lease_by", sa.String(32), nullable=False, server_default=""),
    sa.Column("lease_until", sa.Float, nullable=False, server_default="0"),
    # Until when an owner who waits for any opponent counts as present; extended by the server of the connection.
    sa.Column("waiting_until", sa.Float, nullable=False, server_default="0"),
    # A hash of the position of a running game with which engines must not help.
    sa.Column("position", sa.BigInteger, nullable=True),
)

# Conditions shared by queries and partial indexes: SQLite uses a partial index only for the very same condition.
in_lobby = sa.and_(tables.c.public == sa.true(), tables.c.result == sa.literal_column("''"))
unfinished = sa.and_(tables.c.kind == sa.literal_column("'live'"), tables.c.result == sa.literal_column("''"))
computers_turn = tables.c.computer == sa.true()


def _index(name: str, column: sa.Column[Any], condition: sa.ColumnElement[bool] | None = None) -> None:
    sa.Index(name, column, sqlite_where=condition, postgresql_where=condition)


sa.Index("tables_by_owner", tables.c.owner, tables.c.changed)
_index("tables_by_change", tables.c.changed)
_index("tables_by_deadline", tables.c.deadline, tables.c.deadline.is_not(None))
_index("tables_in_lobby", tables.c.changed, in_lobby)
_index("tables_unfinished", tables.c.changed, unfinished)
_index("tables_of_computers", tables.c.lease_until, computers_turn)
_index("tables_by_position", tables.c.position, tables.c.position.is_not(None))

chairs = sa.Table(
    "chairs",
    metadata,
    sa.Column("table_id", sa.ForeignKey("tables.id"), primary_key=True),
    sa.Column("seat", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("kind", sa.String(32), nullable=False),
    sa.Column("player", sa.String(64), nullable=True),
    sa.Column("name", sa.Text, nullable=False),
    sa.Column("taken", sa.Boolean, nullable=False),
    sa.Column("plan", sa.JSON(none_as_null=True), nullable=True),
    sa.Index("chairs_by_player", "player"),
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
    sa.Column("credit", sa.Float, nullable=False, server_default="0"),
    # A digest that tells a command sent again from another one with the same id; empty for the server's own events.
    sa.Column("command", sa.String(32), nullable=False, server_default=""),
    sa.UniqueConstraint("table_id", "seat", "client_id"),
)

# Analyses that someone shares by a link; the id is the secret. They never change; unused ones are deleted.
analyses = sa.Table(
    "analyses",
    metadata,
    sa.Column("id", sa.String(32), primary_key=True),
    sa.Column("owner", sa.String(64), nullable=False),
    sa.Column("text", sa.Text, nullable=False),
    sa.Column("created", sa.Float, nullable=False),
    sa.Column("seen", sa.Float, nullable=False),
    # The move at which it opens and what Values showed there, as JSON; empty in those from before there was this.
    sa.Column("shown", sa.Text, nullable=False, server_default=""),
    sa.Index("analyses_by_owner", "owner"),
    sa.Index("analyses_by_use", "seen"),
)

chat = sa.Table(
    "chat",
    metadata,
    sa.Column("table_id", sa.ForeignKey("tables.id"), primary_key=True),
    sa.Column("number", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("player", sa.String(64), nullable=False),
    sa.Column("name", sa.Text, nullable=False),
    sa.Column("text", sa.Text, nullable=False),
    sa.Column("at", sa.Float, nullable=False),
    sa.Index("chat_by_player", "player"),
)


# Of a finished game, as JSON. A takeback can resume the game: the review is of what was played up to a version. It has
# the names of the players in it.
reviews = sa.Table(
    "reviews",
    metadata,
    sa.Column("table_id", sa.ForeignKey("tables.id"), primary_key=True),
    sa.Column("version", sa.Integer, nullable=False),
    sa.Column("format", sa.String(32), nullable=False),
    sa.Column("text", sa.Text, nullable=False),
    sa.Column("at", sa.Float, nullable=False),
)


def select_seated(player: str) -> sa.Select[tuple[str]]:
    """Build the query for the ids of the tables where a player has a chair."""
    return sa.select(chairs.c.table_id).where(chairs.c.player == player)


def belongs_to(player: str) -> sa.ColumnElement[bool]:
    """Build the condition that a player has a chair at a table or set it up."""
    owned = sa.select(tables.c.id).where(tables.c.owner == player)
    return tables.c.id.in_(select_seated(player).union(owned).scalar_subquery())


# No foreign key: a report stays for the operator when its table is deleted.
reports = sa.Table(
    "reports",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("table_id", sa.String(32), nullable=False),
    sa.Column("number", sa.Integer, nullable=True),
    sa.Column("reporter", sa.String(64), nullable=False),
    sa.Column("about", sa.Text, nullable=False),
    sa.Column("text", sa.Text, nullable=False),
    sa.Column("at", sa.Float, nullable=False),
    sa.Column("done", sa.Boolean, nullable=False),
    sa.Index("reports_by_table", "table_id"),
)

players = sa.Table(
    "players",
    metadata,
    sa.Column("id", sa.String(64), primary_key=True),
    sa.Column("name", sa.Text, nullable=False),
    sa.Column("account", sa.String(64), nullable=True, unique=True),
    sa.Column("password", sa.Text, nullable=True),
    sa.Column("created", sa.Float, nullable=False),
    sa.Column("seen", sa.Float, nullable=False),
    # Equal for accounts whose names look alike, so that there is only one; an older version allowed several, of which
    # the first has it.
    sa.Column("skeleton", sa.Text, nullable=True),
    # Of accounts only: whether puzzles may be made from the games that they have played.
    sa.Column("puzzle_consent", sa.Boolean, nullable=False, server_default=sa.false()),
    sa.Index("players_by_skeleton", "skeleton", unique=True),
)

sessions = sa.Table(
    "sessions",
    metadata,
    sa.Column("secret", sa.String(64), primary_key=True),
    sa.Column("player", sa.String(64), nullable=False),
    sa.Column("created", sa.Float, nullable=False),
    sa.Column("seen", sa.Float, nullable=False),
    sa.Index("sessions_by_player", "player"),
)

# A device is the hash of a browser's secret and of the player, so that one secret has many.
known_devices = sa.Table(
    "known_devices",
    metadata,
    sa.Column("device", sa.String(64), primary_key=True),
    sa.Column("player", sa.String(64), nullable=False),
    sa.Column("seen", sa.Float, nullable=False),
    sa.Index("known_devices_by_player", "player"),
)

recovery_codes = sa.Table(
    "recovery_codes",
    metadata,
    sa.Column("code", sa.String(64), primary_key=True),
    sa.Column("player", sa.String(64), nullable=False),
    sa.Column("created", sa.Float, nullable=False),
    sa.Index("recovery_codes_by_player", "player"),
)

# The id and the public key are in base64url; the device says how often the passkey was used, in unsigned 32 bits.
passkeys = sa.Table(
    "passkeys",
    metadata,
    sa.Column("id", sa.Text, primary_key=True),
    sa.Column("player", sa.String(64), nullable=False),
    sa.Column("key", sa.Text, nullable=False),
    sa.Column("uses", sa.BigInteger, nullable=False),
    sa.Column("created", sa.Float, nullable=False),
    sa.Column("seen", sa.Float, nullable=False),
    sa.Index("passkeys_by_player", "player"),
)

# Hashes of random bytes that a passkey is to sign, and of the secret of the browser that got them.
challenges = sa.Table(
    "challenges",
    metadata,
    sa.Column("challenge", sa.String(64), primary_key=True),
    sa.Column("session", sa.String(64), nullable=False),
    sa.Column("at", sa.Float, nullable=False),
    sa.Index("challenges_by_time", "at"),
)

ratings = sa.Table(
    "ratings",
    metadata,
    sa.Column("player", sa.String(64), primary_key=True),
    sa.Column("game", sa.String(64), primary_key=True),
    sa.Column("seats", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("mu", sa.Float, nullable=False),
    sa.Column("sigma", sa.Float, nullable=False),
    sa.Column("games", sa.Integer, nullable=False),
    sa.Column("won", sa.Float, nullable=False),
    sa.Column("changed", sa.Float, nullable=False),
    sa.Index("ratings_by_game", "game", "seats", "mu"),
)

# The first attempt of a player at a puzzle, which alone counts.
puzzle_attempts = sa.Table(
    "puzzle_attempts",
    metadata,
    sa.Column("player", sa.String(64), primary_key=True),
    sa.Column("game", sa.String(64), primary_key=True),
    sa.Column("puzzle", sa.String(32), primary_key=True),
    sa.Column("solved", sa.Boolean, nullable=False),
    sa.Column("at", sa.Float, nullable=False),
    sa.Index("puzzle_attempts_by_time", "at"),
)

# What came of the puzzle of a day: found, at any try and on that day, or shown. It names no puzzle, so that streaks
# survive other files of puzzles, in which earlier days have others.
daily_results = sa.Table(
    "daily_results",
    metadata,
    sa.Column("player", sa.String(64), primary_key=True),
    sa.Column("day", sa.String(10), primary_key=True),
    sa.Column("found", sa.Boolean, nullable=False),
    sa.Column("at", sa.Float, nullable=False),
    sa.Index("daily_results_by_day", "day", "found"),
    sa.Index("daily_results_by_time", "at"),
)

# How many steps of a lesson, named GAME/ID, a player has done.
lesson_progress = sa.Table(
    "lesson_progress",
    metadata,
    sa.Column("player", sa.String(64), primary_key=True),
    sa.Column("lesson", sa.String(128), primary_key=True),
    sa.Column("steps", sa.Integer, nullable=False),
    sa.Column("at", sa.Float, nullable=False),
    sa.Index("lesson_progress_by_time", "at"),
)

# The holder is a player, or a puzzle by its id, which is shorter than any player's.
puzzle_ratings = sa.Table(
    "puzzle_ratings",
    metadata,
    sa.Column("game", sa.String(64), primary_key=True),
    sa.Column("holder", sa.String(64), primary_key=True),
    sa.Column("mu", sa.Float, nullable=False),
    sa.Column("sigma", sa.Float, nullable=False),
    sa.Column("games", sa.Integer, nullable=False),
    sa.Column("won", sa.Float, nullable=False),
    sa.Column("changed", sa.Float, nullable=False),
    sa.Index("puzzle_ratings_by_holder", "holder"),
)

# The secret is the hash of that in the owner's link.
puzzle_sets = sa.Table(
    "puzzle_sets",
    metadata,
    sa.Column("id", sa.String(32), primary_key=True),
    sa.Column("owner", sa.String(64), nullable=False),
    sa.Column("secret", sa.String(64), nullable=False),
    sa.Column("title", sa.Text, nullable=False),
    sa.Column("items", sa.JSON, nullable=False),
    sa.Column("created", sa.Float, nullable=False),
    sa.Column("expires", sa.Float, nullable=False),
    # Whose answers count: everyone’s, those of the names that are listed already, or no one’s.
    sa.Column("admits", sa.String(8), nullable=False, server_default="all"),
    sa.Index("puzzle_sets_by_owner", "owner"),
    sa.Index("puzzle_sets_by_expiry", "expires"),
)

# Pupils have no account: they type a name.
set_results = sa.Table(
    "set_results",
    metadata,
    sa.Column("set_id", sa.ForeignKey("puzzle_sets.id"), primary_key=True),
    sa.Column("pupil", sa.String(64), primary_key=True),
    sa.Column("item", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("solved", sa.Boolean, nullable=False),
    sa.Column("shown", sa.Boolean, nullable=False),
    sa.Column("tries", sa.Integer, nullable=False),
    sa.Column("at", sa.Float, nullable=False),
)

results = sa.Table(
    "results",
    metadata,
    sa.Column("table_id", sa.String(32), primary_key=True),
    sa.Column("game", sa.String(64), nullable=False),
    sa.Column("seats", sa.Integer, nullable=False),
    sa.Column("at", sa.Float, nullable=False),
    sa.Column("moved", sa.JSON, nullable=False),
)

# The key pair with which this server signs what it sends to push services: one row, with the private key in base64url.
push_keys = sa.Table(
    "push_keys",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("private", sa.String(64), nullable=False),
    sa.Column("created", sa.Float, nullable=False),
)

# A browser that gets notifications, by the hash of its address at a push service. It belongs to a session, given by the
# hash of its secret, and ends with it. `key` and `auth` are in base64url, as the browser gives them.
push_subscriptions = sa.Table(
    "push_subscriptions",
    metadata,
    sa.Column("id", sa.String(64), primary_key=True),
    sa.Column("player", sa.String(64), nullable=False),
    sa.Column("session", sa.String(64), nullable=False),
    sa.Column("endpoint", sa.Text, nullable=False),
    sa.Column("key", sa.String(100), nullable=False),
    sa.Column("auth", sa.String(40), nullable=False),
    sa.Column("created", sa.Float, nullable=False),
    sa.Index("push_subscriptions_by_player", "player"),
)

# What a player is told of a table while it is closed. A row stays, once sent, until the player opens the table, so that
# there is one for a table.
notifications = sa.Table(
    "notifications",
    metadata,
    sa.Column("player", sa.String(64), primary_key=True),
    sa.Column("table_id", sa.String(32), primary_key=True),
    sa.Column("kind", sa.String(16), nullable=False),
    sa.Column("at", sa.Float, nullable=False),
    sa.Column("sent", sa.Boolean, nullable=False),
)
unsent = notifications.c.sent == sa.false()
_index("notifications_unsent", notifications.c.at, unsent)

beats = sa.Table(
    "beats", metadata, sa.Column("process", sa.String(32), primary_key=True), sa.Column("at", sa.Float, nullable=False)
)

outages = sa.Table(
    "outages",
    metadata,
    sa.Column("began", sa.Float, primary_key=True, autoincrement=False),
    sa.Column("ended", sa.Float, nullable=False),
)
