"""The rows that the store keeps of a table, and the errors of storing them."""

from dataclasses import dataclass, field
from typing import Any, NamedTuple

from fourcorners.web.domain.seats import COMPUTER

PAIRING = "pairing"
"""The setting of a table at which its owner waits for any opponent: the name of its speed."""


class StoreError(Exception):
    """The database cannot be opened, read or written; the message is a sentence for people."""


SERVER_FAULT = "Something went wrong on the server. Try again."
"""What people read of a fault of the program."""
NO_TABLE = "this table no longer exists"
WAITING = "waiting for players"
NO_DATABASE = "The database is not available. Try again later."
NO_ROOM = "The server is out of storage space. Try again later."
"""What people read of a StoreError, whose own sentence may name hosts, and of a NoRoomError."""


class UnstorableTextError(Exception):
    """A text contains the character NUL, which PostgreSQL cannot store, so no database stores it."""


class NoTableError(LookupError):
    """There is no such table, or no longer."""


class UnsentWriteError(StoreError):
    """A write was refused, or dropped, before it began: it is certainly not stored."""


class NoRoomError(StoreError):
    """The disk or quota is full, or the disk fails: nothing can be stored for now, but what is stored can be read."""


class ConflictError(StoreError):
    """The stored data rules out a write: another came first, a name or id is taken, or the row to change is gone."""


class TableEvent(NamedTuple):
    """One event of a table as it is stored.

    `version` numbers the table's events from 1. `text` is a move, a match event such as `!resign`, or a table event
    such as `@sit`. `client_id` names the command that caused it, once for each seat. `at` is the server time in seconds
    at which the command arrived; `credit` is the time in seconds that is not charged to the seat to move. `command` is
    the digest of a client's command, see `domain.command_digest`; it is empty in the server's own events and in those
    of earlier versions.
    """

    version: int
    seat: int
    text: str
    client_id: str
    at: float
    credit: float = 0.0
    command: str = ""


class Chair(NamedTuple):
    """A seat and who holds it.

    While `taken` is False, the chair is reserved for `player` or, if that is None, open. `kind` is "person" or a
    computer, which has no `player`, such as "computer:3". `plan` holds the seat's premoves, see `domain.premoves`.
    """

    seat: int
    kind: str
    player: str | None
    name: str
    taken: bool
    plan: dict[str, Any] | None = None


class ChatLine(NamedTuple):
    """A line of chat; `number` counts the lines of its table from 1, `at` is server time in seconds."""

    number: int
    player: str
    name: str
    text: str
    at: float


@dataclass(frozen=True)
class StoredTable:
    """A table as it is stored; lists of tables are read without events.

    Its owner, if waiting for any opponent, counts as present until the server time `waiting_until`.
    """

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
    waiting_until: float = 0.0

    @property
    def names(self) -> list[str]:
        """The name at each seat; empty where the seat is open."""
        return [chair.name for chair in self.chairs]

    @property
    def kinds(self) -> list[str]:
        """The kind of player at each seat."""
        return [chair.kind for chair in self.chairs]

    @property
    def needs_account(self) -> bool:
        """Whether guests cannot sit down: quick pairing offers them casual games only."""
        return bool(self.settings.get(PAIRING)) and bool(self.settings.get("rated"))

    def list_seats(self, player: str) -> list[int]:
        """List the seats that a player has taken."""
        return [chair.seat for chair in self.chairs if chair.player == player and chair.taken]

    @property
    def computers_turn(self) -> bool:
        """Whether a computer is to move at a new table; later `Summary.computer` says it."""
        return self.turn is not None and self.chairs[self.turn].kind.startswith(COMPUTER)


class Summary(NamedTuple):
    """The columns of a table's row that every event updates.

    `computer` tells whether a computer plays the turn, which includes the seat of a person who resigned. `position` is
    a hash of the position if no one may get help with it, see `Table.summarise`.
    """

    changed: float
    version: int
    turn: int | None
    deadline: float | None
    result: str
    started: float | None
    computer: bool
    position: int | None = None
