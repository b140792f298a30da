"""The audience of a table: the connections that watch it, what each of them shows, and who is present."""

from fourcorners.web.application.updates import Update, Watcher, draw_update
from fourcorners.web.domain.clocks import ServerTime
from fourcorners.web.domain.table import Table
from fourcorners.web.protocol.codec import EncodedMessage
from fourcorners.web.protocol.server_messages import Presence, ServerMessage, encode
from fourcorners.web.protocol.snapshots import Snapshot, SnapshotCache


class Audience:
    """The watchers of one table. `shown_version` is the version that they were shown last."""

    def __init__(self, version: int, time: ServerTime) -> None:
        """Start without watchers, at a version of the table."""
        self.watchers: list[Watcher] = []
        self.shown_version = version
        self._time = time
        self._snapshots = SnapshotCache(version)
        self._presence: EncodedMessage | None = None

    def add(self, watcher: Watcher) -> None:
        """Add a watcher, unless it is here already."""
        if watcher not in self.watchers:
            self.watchers.append(watcher)

    def remove(self, watcher: Watcher) -> bool:
        """Remove a watcher; return whether it was here."""
        if watcher not in self.watchers:
            return False
        self.watchers.remove(watcher)
        return True

    def clear_snapshots(self, version: int | None = None) -> None:
        """Forget the snapshots to free their memory, or because they are wrong although the version is the same."""
        self._snapshots = SnapshotCache(self._snapshots.version if version is None else version)

    def send_to_all(self, message: ServerMessage) -> None:
        """Send every watcher the same message."""
        self._send_text(encode(message))

    def _send_text(self, text: EncodedMessage) -> None:
        for watcher in list(self.watchers):
            watcher.send(text)

    def send_to_seat(self, table: Table, seat: int, message: ServerMessage) -> None:
        """Send a message to the connections of the player at one seat only."""
        text = encode(message)
        for watcher in list(self.watchers):
            if seat in table.player_seats(watcher.player):
                watcher.send(text)

    def announce_presence(self, table: Table, newcomer: Watcher | None = None) -> None:
        """Send everybody who is connected, if that has changed, and in any case to a newcomer."""
        players = {watcher.player for watcher in self.watchers}
        seats = [chair.player in players for chair in table.chairs]
        text = encode(Presence(chairs=seats, watching=len(players - table.players)))
        if text != self._presence:
            self._presence = text
            self._send_text(text)
        elif newcomer is not None:
            newcomer.send(text)

    def draw(self, table: Table) -> Update:
        """Draw the table for all watchers. Runs in a thread, and changes nothing here."""
        return draw_update(table, self.watchers, self._time.now())

    def broadcast(self, update: Update) -> None:
        """Send every watcher the message that was drawn for it."""
        for watcher, snapshot, text in update.messages:
            # An answer about the old position may reveal something about the new one.
            watcher.cancel_queries()
            watcher.send(text)
            watcher.snapshot = snapshot
        self.shown_version = update.snapshots.version
        self._snapshots = update.snapshots

    def draw_snapshot(self, table: Table, watcher: Watcher) -> Snapshot:
        """Return the table as one watcher sees it now. Runs in a thread."""
        if self._snapshots.version != table.version:
            self._snapshots = SnapshotCache(table.version)
        return self._snapshots.find_or_build(table, watcher.player, watcher.wanted_seat, self._time.now())
