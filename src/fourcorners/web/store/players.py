"""Store players, their sessions and accounts.

A guest's player id is the hash of the guest's secret, so that a guest needs no row until it does something. A row in
`sessions` overrides this rule: for secrets used to sign in, and for the old secret of a guest who has an account now.
"""

import secrets
from typing import Any, NamedTuple

import sqlalchemy as sa

from fourcorners.core.skeletons import skeletonise
from fourcorners.web.domain.clocks import DAY
from fourcorners.web.domain.names import fold_name
from fourcorners.web.domain.rows import ConflictError
from fourcorners.web.store import schema
from fourcorners.web.store.account_lock import lock_account
from fourcorners.web.store.database import Database, make_work, mark_remains, upsert
from fourcorners.web.store.lessons import transfer_progress
from fourcorners.web.store.notifications import delete_ended_subscriptions, transfer_subscriptions
from fourcorners.web.store.personal_data import (
    PERSONAL_DATA,
    Person,
    Reference,
    erase_person,
    export_rows,
    replace_key,
)
from fourcorners.web.store.puzzles import transfer_puzzles

MAX_SESSIONS = 50
_LARGEST_REWRITTEN = 2**25
"""A larger file, in bytes, is rewritten only when the server starts, as players would have to wait meanwhile."""
SESSION_LIFETIME = 400 * DAY
"""After this many seconds without use a session ends, and the cookie with its secret."""
_players, _sessions, _tables, _ratings = schema.players, schema.sessions, schema.tables, schema.ratings


class Profile(NamedTuple):
    """A player. `account` is the account's name, None for a guest; `name` is empty until a guest has chosen one.
    `puzzle_consent` says whether puzzles may be made from the account's games.
    """

    id: str
    name: str
    account: str | None
    created: float
    puzzle_consent: bool = False


class Credentials(NamedTuple):
    """The player that owns an account, and the hash of the account's password."""

    player: str
    password: str


class Session(NamedTuple):
    """A device or program that is signed in; `secret` is the hash of the secret that it sends."""

    secret: str
    player: str
    created: float
    seen: float


class PlayerStore(Database):
    """Players, sessions and accounts. Every parameter called `secret` is the hash of a secret."""

    def read_session(self, secret: str) -> Session | None:
        """Return the session of a secret; None if it has none, which makes it a guest's. Raise StoreError."""
        row = self.fetch_first(_sessions.select().where(_sessions.c.secret == secret))
        return None if row is None else Session(*row)

    def list_sessions(self, player: str) -> list[Session]:
        """List a player's sessions, last seen first."""
        query = _sessions.select().where(_sessions.c.player == player).order_by(_sessions.c.seen.desc())
        return [Session(*row) for row in self.fetch_all(query)]

    def touch_session(self, secret: str, at: float) -> None:
        """Record when a session was last used, without waiting for the write or reporting its failure."""
        self.write(secret, make_work(_sessions.update().where(_sessions.c.secret == secret).values(seen=at)))

    def read_profile(self, player: str) -> Profile:
        """Return a player's profile; for an unknown player that of a guest without a name."""
        row = self.fetch_first(_players.select().where(_players.c.id == player))
        return Profile(player, "", None, 0.0) if row is None else _build_profile(row)

    def find_account(self, account: str) -> Profile | None:
        """Return the account of a name, in any spelling that `fold_name` treats as equal; None if there is none."""
        if "\0" in account:
            return None  # no account has it, and the query would be refused
        row = self.fetch_first(_players.select().where(_players.c.account == fold_name(account)))
        return None if row is None else _build_profile(row)

    def find_name_holder(self, name: str) -> Profile | None:
        """Return the account that has a name, in any spelling, or else the one whose name looks like it; else None."""
        found = [_players.c.account == fold_name(name), _players.c.skeleton == skeletonise(name)]
        row = self.fetch_first(_players.select().where(sa.or_(*found)).order_by(found[0].desc()))
        return None if row is None else _build_profile(row)

    def list_accounts(self, limit: int) -> list[Profile]:
        """List the first `limit` accounts in the order of their folded names."""
        query = _players.select().where(_players.c.account.is_not(None)).order_by(_players.c.account).limit(limit)
        return [_build_profile(row) for row in self.fetch_all(query)]

    def read_credentials(self, account: str) -> Credentials | None:
        """Return the player and the password hash of an account, found as by `find_account`; None if there is none."""
        query = sa.select(_players.c.id, _players.c.password).where(_players.c.account == fold_name(account))
        row = self.fetch_first(query)
        return None if row is None else Credentials(*row)

    def read_password_hash(self, player: str) -> str | None:
        """Return the hash of the password of an account; None for a guest."""
        row = self.fetch_first(sa.select(_players.c.password).where(_players.c.id == player))
        return None if row is None else row.password

    def save_guest_name(self, player: str, name: str, at: float) -> None:
        """Store the name of a guest, last seen (and created, if new) at `at`; do nothing for an account. Block."""

        def work(connection: sa.Connection) -> None:
            row = _lock_player(connection, player)
            if row is None:
                connection.execute(_players.insert().values(id=player, name=name, created=at, seen=at))
            elif row.account is None:
                connection.execute(_players.update().where(_players.c.id == player).values(name=name, seen=at))

        self.write_now(player, work)

    def register_account(
        self, player: str, name: str, password: str, at: float, old_secret: str, new_secret: str
    ) -> None:
        """Turn the guest `player` into an account with one session, under the same player id.

        `password` and both secrets are hashes. `old_secret` is the guest's: it becomes that of a new, empty guest, so
        that it gives no access to the account. `new_secret` is the session's. Raise ConflictError if a name
        that `fold_name` treats as equal or that looks alike is taken or the player has an account; otherwise StoreError
        if it fails.
        """

        def work(connection: sa.Connection) -> None:
            row = _lock_player(connection, player)
            if row is not None and row.account is not None:
                raise ConflictError("this player already has an account")
            keys = {"account": fold_name(name), "skeleton": skeletonise(name)}
            equal = sa.or_(*(_players.c[column] == key for column, key in keys.items()))
            if connection.scalar(sa.select(_players.c.id).where(equal)) is not None:
                raise ConflictError("this name is taken")
            values = {"name": name, **keys, "password": password, "seen": at}
            upsert(connection, _players, {"id": player, "created": at if row is None else row.created, **values})
            upsert(connection, _sessions, {"secret": old_secret, "player": _new_player_id(), "created": at, "seen": at})
            upsert(connection, _sessions, {"secret": new_secret, "player": player, "created": at, "seen": at})
            # The browser has the new secret now.
            transfer_subscriptions(connection, player, player, new_secret)

        self.write_now(player, work)

    def sign_in(
        self,
        player: str,
        secret: str,
        at: float,
        guest: str | None = None,
        password: str | None = None,
        session: str | None = None,
    ) -> list[str]:
        """Add a session with this secret to the account `player` and give it what `guest` has, see `_transfer_tables`.

        Return the ids of the tables where the guest had a chair or which it set up. The guest and its ratings are
        deleted: merging ratings would count games twice. A `guest` that is an account is left alone. The account's
        expired and surplus sessions end. Raise ConflictError if the account is gone or, given `password`, its password
        has another hash or, given `session`, it has no session of this secret; StoreError if the write fails.
        """

        def work(connection: sa.Connection) -> list[str]:
            lock_account(connection, player, password)
            if session is not None:
                mine = sa.select(_sessions.c.secret).where(_sessions.c.secret == session, _sessions.c.player == player)
                if connection.scalar(mine) is None:
                    raise ConflictError("this session has ended")
            upsert(connection, _sessions, {"secret": secret, "player": player, "created": at, "seen": at})
            connection.execute(_players.update().where(_players.c.id == player).values(seen=at))
            _prune_sessions(connection, player, at)
            guest_row = None if guest is None else _lock_player(connection, guest)
            if guest in {None, player} or (guest_row is not None and guest_row.account is not None):
                return []
            tables = _transfer_tables(connection, str(guest), player)
            connection.execute(_ratings.delete().where(_ratings.c.player == guest))
            transfer_puzzles(connection, str(guest), player)
            transfer_progress(connection, str(guest), player, at)
            transfer_subscriptions(connection, str(guest), player, secret)
            analyses = schema.analyses
            connection.execute(analyses.update().where(analyses.c.owner == guest).values(owner=player))
            connection.execute(_players.delete().where(_players.c.id == guest))
            return tables

        return self.write_now(player, work)

    def sign_out(self, secret: str) -> None:
        """Delete the session of a secret, if there is one, and end its notifications."""
        subscriptions = schema.push_subscriptions

        def work(connection: sa.Connection) -> None:
            connection.execute(_sessions.delete().where(_sessions.c.secret == secret))
            connection.execute(subscriptions.delete().where(subscriptions.c.session == secret))

        self.write_now(secret, work)

    def sign_out_others(self, player: str, secret: str) -> None:
        """Delete all sessions of a player but this one, and end their notifications."""
        others = _sessions.delete().where(_sessions.c.player == player, _sessions.c.secret != secret)

        def work(connection: sa.Connection) -> None:
            connection.execute(others)
            delete_ended_subscriptions(connection, player)

        self.write_now(player, work)

    def replace_password_hash(self, player: str, password: str, before: str) -> bool:
        """Store another hash of an account's password, if the hash `before` is stored; return whether it was."""
        update = _players.update().where(_players.c.id == player, _players.c.password == before)
        return self.write_now(player, make_work(update.values(password=password)))

    def save_puzzle_consent(self, player: str, *, consents: bool) -> bool:
        """Store whether puzzles may be made from an account's games; return whether there is such an account. Block."""
        account = _players.update().where(_players.c.id == player, _players.c.account.is_not(None))
        return self.write_now(player, make_work(account.values(puzzle_consent=consents)))

    def export_player(self, player: str) -> dict[str, Any]:
        """Return everything stored about a player as JSON values, except secrets and the games themselves.

        The keys are `name`, `account` (folded; None for a guest), `created` and `seen`, the last two not for an unknown
        player, and lists of rows: those of `personal_data`, such as `sessions` and `chat`. Raise StoreError.
        """
        with self.read() as connection:
            account = connection.scalar(sa.select(_players.c.account).where(_players.c.id == player))
            rows = export_rows(connection, Person(player, account))
        profile = rows.pop("profile")
        return {**(profile[0] if profile else {"name": "", "account": None}), **rows}

    def delete_player(self, player: str, password: str | None = None) -> list[str]:
        """Erase all that is stored about a player; games with others, their results and reports stay, under a random id
        and the name `DELETED`. See `personal_data` for what that means for each column.

        Return the ids of the tables where the player had a chair or which it set up, some of them deleted, but not of
        those where it only chatted; none for an unknown player. Block until the commit. Raise ConflictError if, given
        `password`, the player has no account whose password has this hash; otherwise StoreError if it fails.
        """

        def work(connection: sa.Connection) -> list[str]:
            if password is not None:
                lock_account(connection, player, password)
            # As in `sign_in`: without the lock, a session added by another process meanwhile would remain.
            row = _lock_player(connection, player)
            mark_remains(connection)
            return erase_person(connection, Person(player, None if row is None else row.account), _new_player_id())

        tables = self.write_now(player, work)
        self.erase_remains(_LARGEST_REWRITTEN)
        return tables


def _lock_player(connection: sa.Connection, player: str) -> sa.Row[Any] | None:
    """Return a player's row, locked until the transaction ends; None if there is none."""
    return connection.execute(_players.select().where(_players.c.id == player).with_for_update()).first()


def _build_profile(row: sa.Row[Any]) -> Profile:
    # The column `account` holds the folded name, which is only for comparing.
    return Profile(row.id, row.name, None if row.account is None else row.name, row.created, row.puzzle_consent)


def _new_player_id() -> str:
    """Return a random id of the same form as the hash of a secret, which no known secret has."""
    return secrets.token_hex(32)


def _prune_sessions(connection: sa.Connection, player: str, at: float) -> None:
    """Delete a player's sessions that have expired at time `at`, and all but the `MAX_SESSIONS` last seen."""
    mine = _sessions.c.player == player
    latest = sa.select(_sessions.c.secret).where(mine).order_by(_sessions.c.seen.desc()).limit(MAX_SESSIONS)
    kept = list(connection.scalars(latest))
    old = sa.or_(_sessions.c.seen < at - SESSION_LIFETIME, _sessions.c.secret.not_in(kept))
    connection.execute(_sessions.delete().where(mine, old))
    delete_ended_subscriptions(connection, player)


def _transfer_tables(connection: sa.Connection, player: str, new_player: str) -> list[str]:
    """Give a player's chairs, tables, results, chat and reports to another one, in the caller's transaction.

    Return the ids of the tables where the player had a chair or which it set up. A result in which the other player
    took part too stays as it is.
    """
    tables = list(connection.scalars(sa.select(_tables.c.id).where(schema.belongs_to(player))))
    for entry in PERSONAL_DATA:
        for name, new in (entry.erased or {}).items():
            mine = entry.find(Person(player, None))
            if new is Reference.KEY:
                replace_key(connection, entry.relation.c[name], mine, player, new_player)
            elif new is Reference.ID:
                connection.execute(entry.relation.update().where(mine).values({name: new_player}))
    return tables
