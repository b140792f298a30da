"""What the watchers of a table receive when it changes: for each of them a snapshot and a message."""

from collections.abc import Iterable
from typing import NamedTuple, Protocol

from fourcorners.web.domain.table import Table
from fourcorners.web.protocol.codec import EncodedMessage
from fourcorners.web.protocol.snapshots import Snapshot, SnapshotCache, UpdateCache


class Watcher(Protocol):
    """A connection of a player to a table: a socket, or a program that asks over HTTP.

    `wide_network` is a network around its address, "" for this machine, `wanted_seat` the seat as which it asks to see
    the table, `snapshot` what it shows, and `is_visible` says whether someone can see that.
    """

    player: str
    wide_network: str
    wanted_seat: int | None
    snapshot: Snapshot | None
    is_visible: bool

    def send(self, text: EncodedMessage) -> None:
        """Queue a message; never blocks."""

    def cancel_queries(self) -> None:
        """Cancel the questions about the position that is shown."""

    def disconnect(self, code: int, reason: str) -> None:
        """Close the connection once everything queued is sent."""


class Update(NamedTuple):
    """A version of a table as it will be shown: the snapshots, and for each watcher its snapshot and message."""

    snapshots: SnapshotCache
    messages: list[tuple[Watcher, Snapshot, EncodedMessage]]


def draw_update(table: Table, watchers: Iterable[Watcher], now: float) -> Update:
    """Draw a table at server time `now` for all watchers, without sending or changing anything. May run in a thread."""
    snapshots, updates, messages = SnapshotCache(table.version), UpdateCache(), []
    for watcher in list(watchers):
        snapshot = snapshots.find_or_build(table, watcher.player, watcher.wanted_seat, now)
        messages.append((watcher, snapshot, updates.find_or_build(watcher.snapshot, snapshot)))
    return Update(snapshots, messages)
