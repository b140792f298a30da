"""What servers that share a database tell each other: that a table has changed, and nothing of how."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

Heard = Callable[[str, int], None]
"""Is told a table and its new version; -1 for something that was said or planned there."""


class Wake(Protocol):
    """A way to wake up the other servers, if there may be `others`."""

    others: bool

    def tell(self, table_id: str, version: int) -> None:
        """Tell the others of a table's new version; never blocks, and may get lost."""

    async def start(self, heard: Heard) -> None:
        """Listen for what the others tell."""

    async def close(self) -> None:
        """Listen no longer."""


class Alone:
    """There are no others."""

    others = False

    def tell(self, table_id: str, version: int) -> None:
        """Tell nobody."""

    async def start(self, heard: Heard) -> None:
        """Listen to nobody."""

    async def close(self) -> None:
        """Nothing was opened."""
