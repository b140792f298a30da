"""Store the browsers that get notifications through push services, and what players are told of closed tables."""

from collections.abc import Callable, Mapping
from typing import NamedTuple

import sqlalchemy as sa

from fourcorners.web.store import schema
from fourcorners.web.store.database import Database, insert_if_absent, make_work, upsert
from fourcorners.web.store.write_result import WriteResult

MAX_SUBSCRIPTIONS = 20
"""A player's browsers that get notifications; a further one replaces the oldest."""
_keys, _subscriptions, _notifications = schema.push_keys, schema.push_subscriptions, schema.notifications


class Subscription(NamedTuple):
    """A browser that gets notifications; `id` is the hash of `endpoint`, `session` that of the secret it uses here."""

    id: str
    player: str
    session: str
    endpoint: str
    key: str
    auth: str
    created: float


class Notification(NamedTuple):
    """A notification about a table: its `kind` (see `domain.notifications`) and `at`, the server time in seconds."""

    player: str
    table_id: str
    kind: str
    at: float


class NotificationStore(Database):
    """The key pair for push services, subscriptions and notifications."""

    def read_push_key(self, create: Callable[[], str], now: float) -> str:
        """Return the private key of all servers of this database, which the first call stores; raise StoreError."""
        query = sa.select(_keys.c.private)
        if (row := self.fetch_first(query)) is None:
            new = {"id": 1, "private": create(), "created": now}
            # Another server may be faster; then its key is the one.
            self.write_now("", lambda connection: insert_if_absent(connection, _keys, new))
            row = self.fetch_first(query)
        return str(row.private)

    def add_subscription(self, subscription: Subscription) -> None:
        """Store a browser that gets notifications, in place of what was stored of its session or its endpoint; forget
        all but the `MAX_SUBSCRIPTIONS` newest of the player.
        """

        def work(connection: sa.Connection) -> None:
            same = _subscriptions.c.session == subscription.session
            connection.execute(_subscriptions.delete().where(same, _subscriptions.c.id != subscription.id))
            upsert(connection, _subscriptions, subscription._asdict())
            mine = _subscriptions.c.player == subscription.player
            newest = sa.select(_subscriptions.c.id).where(mine).order_by(_subscriptions.c.created.desc())
            kept = list(connection.scalars(newest.limit(MAX_SUBSCRIPTIONS)))
            connection.execute(_subscriptions.delete().where(mine, _subscriptions.c.id.not_in(kept)))

        self.write_now(subscription.player, work)

    def list_subscriptions(self, player: str) -> list[Subscription]:
        """List a player's browsers that get notifications, newest first, without those that were signed out."""
        mine = (_subscriptions.c.player == player, ~_has_ended())
        query = _subscriptions.select().where(*mine).order_by(_subscriptions.c.created.desc())
        return [Subscription(*row) for row in self.fetch_all(query)]

    def delete_subscription(self, player: str, id_: str) -> bool:
        """Delete one of a player's subscriptions; return whether there was one."""
        mine = (_subscriptions.c.player == player, _subscriptions.c.id == id_)
        return self.write_now(player, make_work(_subscriptions.delete().where(*mine)))

    def end_subscription(self, player: str, session: str) -> bool:
        """Delete the subscription of a player's session; return whether there was one."""
        mine = (_subscriptions.c.player == player, _subscriptions.c.session == session)
        return self.write_now(player, make_work(_subscriptions.delete().where(*mine)))

    def delete_guest_subscriptions(self, before: float) -> None:
        """Delete what players without an account and without a running game subscribed before a server time; raise
        StoreError.
        """
        players, chairs, tables = schema.players, schema.chairs, schema.tables
        accounts = sa.select(players.c.id).where(players.c.account.is_not(None))
        mine = (chairs.c.player == _subscriptions.c.player, chairs.c.table_id == tables.c.id)
        idle = (_subscriptions.c.player.not_in(accounts), ~sa.exists().where(*mine, schema.unfinished))
        self.write_now("", make_work(_subscriptions.delete().where(_subscriptions.c.created < before, *idle)))

    def note_notifications(self, table_id: str, kinds: Mapping[str, str], now: float) -> WriteResult[None]:
        """Note a notification about a table for those of some players, given by id, who have a subscription and have
        not been told anything about the table since they opened it. It replaces one that is not sent yet.
        """

        def work(connection: sa.Connection) -> None:
            query = sa.select(_subscriptions.c.player).where(_subscriptions.c.player.in_(kinds)).distinct()
            for player in list(connection.scalars(query)):
                key = {"player": player, "table_id": table_id}
                new = key | {"kind": kinds[player], "at": now, "sent": False}
                if not insert_if_absent(connection, _notifications, new):
                    same = (_notifications.c.player == player, _notifications.c.table_id == table_id)
                    update = _notifications.update().where(*same, schema.unsent)
                    connection.execute(update.values(kind=kinds[player]))

        return self.write(table_id, work)

    def forget_notification(self, player: str, table_id: str) -> WriteResult[bool]:
        """Delete what a player was, or is to be, told of a table; the result is whether there was something."""
        same = (_notifications.c.player == player, _notifications.c.table_id == table_id)
        return self.write(table_id, make_work(_notifications.delete().where(*same)))

    def list_unsent_notifications(self, limit: int) -> list[Notification]:
        """List what players are to be told, oldest first."""
        columns = [_notifications.c[name] for name in Notification._fields]
        query = sa.select(*columns).where(schema.unsent).order_by(_notifications.c.at).limit(limit)
        return [Notification(*row) for row in self.fetch_all(query)]

    def claim_notification(self, player: str, table_id: str) -> bool:
        """Mark what a player is to be told of a table as sent; return False if it has been already, or forgotten. So
        one of several servers sends it.
        """
        same = (_notifications.c.player == player, _notifications.c.table_id == table_id)
        return self.write_now(
            table_id, make_work(_notifications.update().where(*same, schema.unsent).values(sent=True))
        )


def delete_ended_subscriptions(connection: sa.Connection, player: str) -> None:
    """Delete those of a player's subscriptions whose session has ended, in the caller's transaction."""
    connection.execute(_subscriptions.delete().where(_subscriptions.c.player == player, _has_ended()))


def transfer_subscriptions(connection: sa.Connection, guest: str, player: str, session: str) -> None:
    """Give a guest's subscription to an account that it has signed in to with a new session; forget what the guest was
    told. In the caller's transaction.
    """
    mine = _subscriptions.update().where(_subscriptions.c.player == guest)
    connection.execute(mine.values(player=player, session=session))
    connection.execute(_notifications.delete().where(_notifications.c.player == guest))


def _has_ended() -> sa.ColumnElement[bool]:
    """Build the condition that the session of a subscription has ended; a guest's, whose hash is the player, never."""
    sessions = schema.sessions
    same = (sessions.c.secret == _subscriptions.c.session, sessions.c.player == _subscriptions.c.player)
    return sa.and_(_subscriptions.c.session != _subscriptions.c.player, ~sa.exists().where(*same))
