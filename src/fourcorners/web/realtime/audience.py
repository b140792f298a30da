"""The audience of a table: the connections that watch it, what each of them shows, and who is present."""

from fourcorners.web.application.updates import Update, Watcher
from fourcorners.web.domain.clocks import ServerTime
from fourcorners.web.domain.table import Table
from fourcorners.web.protocol.server_messages import Presence, ServerMessage, encode
from fourcorners.web.protocol.snapshots import Snapshot, SnapshotCache


class Audience:
    """The watchers of one table. `shown_version` is the version that they were shown last."""

    def __init__(self, version: int, time: ServerTime) -> None:
        """Start without watchers, at the present version of the table; snapshots read their clocks at `time`."""
        self.watchers: list[Watcher] = []
        self.shown_version = version
        self._time = time
        self._snapshots = SnapshotCache(version)
        self._presence: Presence | None = None

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

    def is_seen_by(self, player: str) -> bool:
        """Return whether a player has the table open, where it can be seen."""
        return any(watcher.player == player and watcher.is_visible for watcher in self.watchers)

    def clear_snapshots(self) -> None:
        """Forget the snapshots to free their memory, or because they are wrong although the version is the same."""
        self._snapshots = SnapshotCache(self._snapshots.version)

    def send_to_all(self, message: ServerMessage) -> None:
        """Send every watcher the same message."""
        text = encode(message)
        for watcher in list(self.watchers):
            watcher.send(text)

    def send_to_seat(self, table: Table, seat: int, message: ServerMessage) -> None:
        """Send a message to all connections of the player who holds a seat, and to no one else."""
        text = encode(message)
        for watcher in list(self.watchers):
            if seat in table.player_seats(watcher.player):
                watcher.send(text)

    def announce_presence(self, table: Table, newcomer: Watcher | None = None) -> None:
        """Send which seats are connected and how many others watch: to all if that changed, else to a `newcomer`."""
        players = {watcher.player for watcher in self.watchers}
        seats = [chair.player in players for chair in table.chairs]
        presence = Presence(chairs=seats, watching=len(players - table.players))
        if presence != self._presence:
            self._presence = presence
            self.send_to_all(presence)
        elif newcomer is not None:
            newcomer.send(encode(presence))

    def broadcast(self, update: Update) -> None:
        """Send the update's watchers their messages, cancel their queries, and note what they and all show now."""
        for watcher, snapshot, text in update.messages:
            # An answer about the old position may reveal something about the new one.
            watcher.cancel_queries()
            watcher.send(text)
            watcher.snapshot = snapshot
        self.shown_version = update.snapshots.version
        self._snapshots = update.snapshots

    def draw_snapshot(self, table: Table, watcher: Watcher) -> Snapshot:
        """Return a watcher's view, cached for the table's version. Needs the session's lock; may run in a thread."""
        if self._snapshots.version != table.version:
            self._snapshots = SnapshotCache(table.version)
        return self._snapshots.find_or_build(table, watcher.player, watcher.wanted_seat, self._time.now())
