"""What is stored of a table, as the rest of the program sees it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple

_COMPUTER = "computer:"


class StoreError(Exception):
    """The database cannot be opened or used; the message is a sentence for people."""


class ConflictError(StoreError):
    """Somebody else was quicker: what was to be written does not follow on what is stored."""


class TableEvent(NamedTuple):
    """One event as it is stored; `version` counts the table's events, this one included.

    `credit` is time in seconds that is not charged to the seat to move.
    """

    version: int
    seat: int
    text: str
    client_id: str
    at: float
    credit: float = 0.0


class Chair(NamedTuple):
    """A seat and who holds it: free if `player` is None, kept for that player until `taken`."""

    seat: int
    kind: str
    player: str | None
    name: str
    taken: bool
    plan: dict[str, Any] | None = None


@dataclass(frozen=True)
class StoredTable:
    """A table as it is stored; lists of tables leave the events out."""

    id: str
    kind: str
    game: str
    options: dict[str, Any]
    deck: list[str]
    nonce: str
    settings: dict[str, Any]
    owner: str
    date: str
    created: float
    started: float | None
    changed: float
    version: int
    turn: int | None
    deadline: float | None
    result: str
    chairs: list[Chair]
    events: list[TableEvent] = field(default_factory=list)

    @property
    def names(self) -> list[str]:
        """Who sits there, by seat."""
        return [chair.name for chair in self.chairs]

    @property
    def kinds(self) -> list[str]:
        """What sits there, by seat."""
        return [chair.kind for chair in self.chairs]

    @property
    def computers_turn(self) -> bool:
        """Whether the seat to move is a computer's; once there are events, their summaries say it."""
        return self.turn is not None and self.chairs[self.turn].kind.startswith(_COMPUTER)


class Summary(NamedTuple):
    """What is written to a table's row with every event.

    `computer` says whether the turn is one that a computer plays, also for a seat whose person gave up.
    """

    changed: float
    version: int
    turn: int | None
    deadline: float | None
    result: str
    started: float | None
    computer: bool
