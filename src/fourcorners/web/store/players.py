"""Players and how they are known: guests by a secret, accounts by sessions and a password.

A guest's id is the hash of its secret, so that guests cost nothing until they do something; a row among the sessions
says otherwise of a secret that was used to sign in, or that was a guest's who has an account now.
"""

from __future__ import annotations

import secrets
from typing import Any, NamedTuple

import sqlalchemy as sa

from fourcorners.web.domain.names import DELETED, fold_name
from fourcorners.web.domain.rows import ConflictError
from fourcorners.web.store import schema
from fourcorners.web.store.database import Database, upsert

MAX_SESSIONS = 50
_FORGOTTEN_AFTER = 400 * 24 * 3600.0
_LINE_DELETED = "(deleted)"
_players, _sessions, _chairs, _results = schema.players, schema.sessions, schema.chairs, schema.results
_tables, _chat, _reports, _ratings = schema.tables, schema.chat, schema.reports, schema.ratings


class Profile(NamedTuple):
    """A player; a guest's `account` is None, and its name is empty until it has given one."""

    id: str
    name: str
    account: str | None
    created: float


class Credentials(NamedTuple):
    """Whose an account is, and the hash of its password."""

    player: str
    password: str


class Session(NamedTuple):
    """A device that is signed in; `secret` is the hash of what that device sends."""

    secret: str
    player: str
    created: float
    seen: float


class PlayerStore(Database):
    """Players, their sessions and accounts."""

    def player_of(self, secret: str) -> str:
        """Return whose a secret is, given its hash."""
        session = self.session(secret)
        return secret if session is None else session.player

    def session(self, secret: str) -> Session | None:
        """Read the session of a secret, given its hash; None for a guest's."""
        with self.read() as connection:
            row = connection.execute(_sessions.select().where(_sessions.c.secret == secret)).first()
        return None if row is None else Session(*row)

    def sessions_of(self, player: str) -> list[Session]:
        """List where a player is signed in, the last seen first."""
        chosen = _sessions.select().where(_sessions.c.player == player).order_by(_sessions.c.seen.desc())
        with self.read() as connection:
            return [Session(*row) for row in connection.execute(chosen)]

    def seen(self, secret: str, at: float) -> None:
        """Note, without waiting for it, that a session is in use."""
        chosen = _sessions.update().where(_sessions.c.secret == secret)
        self.write(secret, lambda connection: _do(connection, chosen.values(seen=at)))

    def profile(self, player: str) -> Profile:
        """Read who a player is; of a guest that has done nothing yet only the id is known."""
        with self.read() as connection:
            row = connection.execute(_players.select().where(_players.c.id == player)).first()
        return Profile(player, "", None, 0.0) if row is None else _profile(row)

    def find(self, account: str) -> Profile | None:
        """Find an account by its name, however it is written."""
        with self.read() as connection:
            row = connection.execute(_players.select().where(_players.c.account == fold_name(account))).first()
        return None if row is None else _profile(row)

    def accounts(self, limit: int) -> list[Profile]:
        """List accounts by name."""
        chosen = _players.select().where(_players.c.account.is_not(None)).order_by(_players.c.account).limit(limit)
        with self.read() as connection:
            return [_profile(row) for row in connection.execute(chosen)]

    def credentials(self, account: str) -> Credentials | None:
        """Read what is needed to sign in."""
        chosen = sa.select(_players.c.id, _players.c.password).where(_players.c.account == fold_name(account))
        with self.read() as connection:
            row = connection.execute(chosen).first()
        return None if row is None else Credentials(*row)

    def remember_guest(self, player: str, name: str, at: float) -> None:
        """Keep a guest's name; an account's stays as it is."""

        def work(connection: sa.Connection) -> None:
            row = _row(connection, player)
            if row is None:
                _do(connection, _players.insert().values(id=player, name=name, created=at, seen=at))
            elif row.account is None:
                _do(connection, _players.update().where(_players.c.id == player).values(name=name, seen=at))

        self.write_now(player, work)

    def register(self, player: str, name: str, password: str, at: float, old: str, new: str) -> None:
        """Make a guest an account with a session; raise ConflictError if the name is taken.

        `old` and `new` are hashes of secrets: the guest's, which is nobody's any more afterwards, so that somebody who
        gave it to the guest cannot use the account, and that of the new session.
        """

        def work(connection: sa.Connection) -> None:
            row = _row(connection, player)
            if row is not None and row.account is not None:
                raise ConflictError("this player has an account already")
            taken = sa.select(_players.c.id).where(_players.c.account == fold_name(name))
            if connection.scalar(taken) is not None:
                raise ConflictError("this name is taken")
            known = {"name": name, "account": fold_name(name), "password": password, "seen": at}
            upsert(connection, _players, {"id": player, "created": at if row is None else row.created, **known})
            upsert(connection, _sessions, {"secret": old, "player": _fresh(), "created": at, "seen": at})
            upsert(connection, _sessions, {"secret": new, "player": player, "created": at, "seen": at})

        self.write_now(player, work)

    def sign_in(self, player: str, new: str, at: float, guest: str | None = None) -> list[str]:
        """Begin a session of an account; what a guest has at tables becomes the account's.

        Return the tables that it brought along. A guest's ratings are dropped: merging them would rate games twice.
        """

        def work(connection: sa.Connection) -> list[str]:
            row = _row(connection, player)
            if row is None or row.account is None:
                raise ConflictError("this account is gone")
            upsert(connection, _sessions, {"secret": new, "player": player, "created": at, "seen": at})
            _do(connection, _players.update().where(_players.c.id == player).values(seen=at))
            _thin_out(connection, player, at)
            before = None if guest is None else _row(connection, guest)
            if guest in {None, player} or (before is not None and before.account is not None):
                return []
            tables = _hand_over(connection, str(guest), player)
            _do(connection, _ratings.delete().where(_ratings.c.player == guest))
            _do(connection, _players.delete().where(_players.c.id == guest))
            return tables

        return self.write_now(player, work)

    def sign_out(self, secret: str) -> None:
        """End a session, given the hash of its secret."""
        self.write_now(
            secret, lambda connection: _do(connection, _sessions.delete().where(_sessions.c.secret == secret))
        )

    def sign_out_others(self, player: str, secret: str) -> None:
        """End all sessions of an account but one."""
        others = _sessions.delete().where(_sessions.c.player == player, _sessions.c.secret != secret)
        self.write_now(player, lambda connection: _do(connection, others))

    def set_password(self, player: str, password: str, before: str | None = None) -> None:
        """Change an account's password; given the one `before`, only if it still is that one."""
        chosen = _players.update().where(_players.c.id == player, _players.c.account.is_not(None))
        if before is not None:
            chosen = chosen.where(_players.c.password == before)
        self.write_now(player, lambda connection: _do(connection, chosen.values(password=password)))

    def tables_of(self, player: str) -> list[str]:
        """List the ids of all tables at which a player sits or that it set up, the oldest first."""
        with self.read() as connection:
            chosen = sa.select(_tables.c.id).where(_theirs(player)).order_by(_tables.c.created, _tables.c.id)
            return list(connection.scalars(chosen))

    def unfinished_of(self, player: str) -> list[str]:
        """List the ids of the open and running games at which a player sits."""
        seated = sa.select(_chairs.c.table_id).where(_chairs.c.player == player)
        with self.read() as connection:
            chosen = sa.select(_tables.c.id).where(schema.unfinished, _tables.c.id.in_(seated))
            return list(connection.scalars(chosen.order_by(_tables.c.created, _tables.c.id)))

    def export(self, player: str) -> dict[str, Any]:
        """Read all that is kept about a player but the games themselves, and no secrets."""

        def rows(relation: sa.Table, mine: sa.ColumnElement[bool], *left_out: str) -> list[dict[str, Any]]:
            columns = [column for column in relation.c if column.name not in left_out]
            return [dict(row) for row in connection.execute(sa.select(*columns).where(mine)).mappings()]

        with self.read() as connection:
            known = rows(_players, _players.c.id == player, "id", "password")
            played = sa.select(_chairs.c.table_id).where(_chairs.c.player == player)
            results = rows(_results, _results.c.table_id.in_(played))
            return {
                **(known[0] if known else {"name": "", "account": None}),
                "sessions": rows(_sessions, _sessions.c.player == player, "secret", "player"),
                "ratings": rows(_ratings, _ratings.c.player == player, "player"),
                "results": [{**row, "moved": row["moved"].get(player)} for row in results],
                "chairs": rows(_chairs, _chairs.c.player == player, "player"),
                "chat": rows(_chat, _chat.c.player == player, "player"),
                "reports": rows(_reports, _reports.c.reporter == player, "reporter", "done"),
            }

    def delete_player(self, player: str) -> list[str]:
        """Forget who a player is; games and results stay, as somebody's of whom nothing is known.

        Return the tables that this changed.
        """

        def work(connection: sa.Connection) -> list[str]:
            into = _fresh()
            tables = _hand_over(connection, player, into, name=DELETED)
            _do(connection, _chat.update().where(_chat.c.player == into).values(text=_LINE_DELETED))
            for relation in (_sessions, _ratings):
                _do(connection, relation.delete().where(relation.c.player == player))
            _do(connection, _players.delete().where(_players.c.id == player))
            return tables

        return self.write_now(player, work)


def _do(connection: sa.Connection, change: sa.Executable) -> None:
    connection.execute(change)


def _row(connection: sa.Connection, player: str) -> sa.Row[Any] | None:
    return connection.execute(_players.select().where(_players.c.id == player).with_for_update()).first()


def _profile(row: sa.Row[Any]) -> Profile:
    # The account's column has the name as it is compared; people see it as it was written.
    return Profile(row.id, row.name, None if row.account is None else row.name, row.created)


def _fresh() -> str:
    return secrets.token_hex(32)


def _theirs(player: str) -> sa.ColumnElement[bool]:
    seated = sa.select(_chairs.c.table_id).where(_chairs.c.player == player)
    owned = sa.select(_tables.c.id).where(_tables.c.owner == player)
    return _tables.c.id.in_(seated.union(owned).scalar_subquery())


def _thin_out(connection: sa.Connection, player: str, at: float) -> None:
    mine = _sessions.c.player == player
    kept = sa.select(_sessions.c.secret).where(mine).order_by(_sessions.c.seen.desc()).limit(MAX_SESSIONS)
    secrets_kept = list(connection.scalars(kept))
    old = sa.or_(_sessions.c.seen < at - _FORGOTTEN_AFTER, _sessions.c.secret.not_in(secrets_kept))
    _do(connection, _sessions.delete().where(mine, old))


def _hand_over(connection: sa.Connection, player: str, into: str, name: str | None = None) -> list[str]:
    """Make all that a player has at tables another one's, there called by a name if one is given."""
    tables = list(connection.scalars(sa.select(_tables.c.id).where(_theirs(player))))
    played = sa.select(_chairs.c.table_id).where(_chairs.c.player == player)
    for row in connection.execute(_results.select().where(_results.c.table_id.in_(played))).all():
        if player in row.moved and into not in row.moved:
            moved = {into if one == player else one: change for one, change in row.moved.items()}
            _do(connection, _results.update().where(_results.c.table_id == row.table_id).values(moved=moved))
    called = {} if name is None else {"name": name}
    _do(connection, _chairs.update().where(_chairs.c.player == player).values(player=into, **called))
    _do(connection, _chat.update().where(_chat.c.player == player).values(player=into, **called))
    _do(connection, _tables.update().where(_tables.c.owner == player).values(owner=into))
    _do(connection, _reports.update().where(_reports.c.reporter == player).values(reporter=into))
    return tables
