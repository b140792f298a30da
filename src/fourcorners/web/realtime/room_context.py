"""What the rooms of a server share, and what they know of the sockets that come."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Executor
from typing import NamedTuple, Protocol

from fourcorners.web.application import rating_results
from fourcorners.web.domain.clocks import Outage, ServerTime
from fourcorners.web.domain.table import Table
from fourcorners.web.engine.move_service import MoveService
from fourcorners.web.metrics import Metrics
from fourcorners.web.protocol.snapshots import Frame
from fourcorners.web.store import Store


class Watcher(Protocol):
    """What a room knows of a socket."""

    owner: str
    wish: int | None
    frame: Frame | None

    def send(self, text: str) -> None:
        """Queue a message; never blocks."""

    def leave_off(self) -> None:
        """Ask no longer about the position that was shown."""

    def let_go(self, code: int, reason: str) -> None:
        """Close the socket once all that is queued is sent."""


class House(NamedTuple):
    """What all rooms share: the store, the threads for rules and pictures, who thinks for the computers, and the clock.

    `shared` says whether other servers work on the same games; `tell` lets them know that a table has a new version.
    """

    store: Store
    board: Executor
    move_service: MoveService
    time: ServerTime
    process: str
    pace: float
    outages: list[Outage]
    shared: bool
    tell: Callable[[str, int], None]
    metrics: Metrics


def load(house: House, table_id: str) -> Table | None:
    """Read a table from the store; None if there is none."""
    saved = house.store.load_table(table_id)
    if saved is None:
        return None
    table = Table(saved, house.outages)
    if table.match.is_over and saved.settings.get("rated"):
        table.moved = rating_results.told(table, house.store.read_rating_changes(table_id))
    return table
