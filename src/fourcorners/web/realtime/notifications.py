"""The notifications of a room: what players who do not have the table open are told of its changes."""

from fourcorners.web.application.table_session import TableSession
from fourcorners.web.application.updates import Watcher
from fourcorners.web.domain.notifications import find_moment, list_notifications
from fourcorners.web.domain.table import Table
from fourcorners.web.realtime.audience import Audience


class RoomNotifications:
    """The notifications of one table. They are only noted here, without waiting for the store: they may not delay a
    move, and `NotificationSender` sends them.
    """

    def __init__(self, table: Table, session: TableSession, audience: Audience) -> None:
        """Serve a session and its audience; the players know the table as it is now."""
        self._session = session
        self._audience = audience
        self._moment = find_moment(table)

    def follow(self, table: Table) -> None:
        """Take up a change of which another server notifies the players. Needs the session's lock."""
        self._moment = find_moment(table)

    def note_change(self, table: Table, actor: str = "") -> None:
        """Note what others are told of a change that this server has stored, made by a player. Needs the session's
        lock.
        """
        kinds = list_notifications(table, self._moment, actor)
        self._moment = find_moment(table)
        missing = {player: kind for player, kind in kinds.items() if not self._audience.is_seen_by(player)}
        context = self._session.context
        if missing:
            context.store.note_notifications(table.id, missing, context.time.now())
        if actor and len(table.players) > 1 and not self._audience.is_seen_by(actor):
            # A program has made the move without opening the table.
            context.store.forget_notification(actor, table.id)

    def note_loss(self, table: Table, player: str) -> None:
        """Note that it may be a player's turn who has not seen that, because the connection was lost without a word."""
        waits = table.seat is not None and table.chairs[table.seat].player == player and len(table.players) > 1
        if waits and not self._audience.is_seen_by(player):
            context = self._session.context
            context.store.note_notifications(table.id, {player: "turn"}, context.time.now())

    def note_opening(self, table: Table, watcher: Watcher) -> None:
        """Note that a player sees the table, so that there can be another notification. Needs the session's lock."""
        if watcher.is_visible and len(table.players) > 1 and watcher.player in table.players:
            self._session.context.store.forget_notification(watcher.player, table.id)
