"""What players believe was done, and whether the database agrees."""

import json
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import sqlalchemy as sa

from fourcorners.core import catalogue
from fourcorners.core.errors import GameError
from fourcorners.core.match import Match, replay_line
from fourcorners.web.store.engine import create_engine

SIT = "@sit"
_EVENTS = sa.text("SELECT table_id, version, seat, text, client_id FROM events ORDER BY table_id, version")
_TABLES = sa.text("SELECT id, game, options, deck FROM tables")


class Sent(NamedTuple):
    """A move as it was sent."""

    table: str
    id: str
    version: int
    text: str


@dataclass
class Ledger:
    """One player's account: what it sent, and what it was told of it."""

    sent: dict[str, Sent] = field(default_factory=dict)
    done: dict[str, int] = field(default_factory=dict)
    """By id, in the order told: the version that the move made."""
    stale: set[str] = field(default_factory=set)
    refused: dict[str, str] = field(default_factory=dict)
    answers: Counter[str] = field(default_factory=Counter)

    def send(self, move: Sent) -> None:
        """Note a move before it is sent."""
        self.sent[move.id] = move

    def answer(self, message: dict[str, Any]) -> None:
        """Note what the server says of a move; what was done can be said again, but not otherwise."""
        kind, name = message["type"], message["id"]
        self.answers[kind] += 1
        if kind == "done" and name not in self.done:
            self.done[name] = message["version"]
        elif kind == "done" and self.done[name] != message["version"]:
            self.answers["done otherwise"] += 1
        elif kind == "stale":
            self.stale.add(name)
        elif kind == "refused":
            self.refused[name] = message["sentence"]


class Event(NamedTuple):
    """One row of a table's log."""

    table: str
    version: int
    seat: int
    text: str
    client_id: str


@dataclass
class Verdict:
    """What the database holds against the ledgers; all but `moves` and `unsaid` should be empty."""

    moves: int = 0
    """Acknowledged moves."""
    unsaid: int = 0
    """Moves that are stored and whose acknowledgement was lost."""
    lost: list[str] = field(default_factory=list)
    doubled: list[str] = field(default_factory=list)
    out_of_order: list[str] = field(default_factory=list)
    invented: list[str] = field(default_factory=list)
    gaps: list[str] = field(default_factory=list)
    illegal: list[str] = field(default_factory=list)
    drifted: list[str] = field(default_factory=list)

    @property
    def faults(self) -> dict[str, list[str]]:
        """What is wrong, by its name."""
        return {name: value for name, value in vars(self).items() if isinstance(value, list) and value}


Plies = list[list[Any]]


def verdict(
    database: str | Path, of: Collection[str], ledgers: Iterable[Ledger], boards: Iterable[tuple[str, int, Plies]] = ()
) -> Verdict:
    """Compare some tables of a database with all ledgers, and with boards as last seen: table, version, plies."""
    ledgers = list(ledgers)
    events, tables = _read(database)
    events = [event for event in events if event.table in of]
    tables = {table: setting for table, setting in tables.items() if table in of}
    by_table: dict[str, list[Event]] = defaultdict(list)
    for event in events:
        by_table[event.table].append(event)
    found = Verdict(moves=sum(ledger.sent[name].text != SIT for ledger in ledgers for name in ledger.done))
    _check_moves(found, events, ledgers)
    for table, told in by_table.items():
        versions = [event.version for event in told]
        if versions != list(range(1, len(told) + 1)):
            found.gaps.append(f"{table}: {versions}")
    shown: dict[str, list[tuple[int, Plies]]] = defaultdict(list)
    for table, version, plies in boards:
        shown[table].append((version, plies))
    for table, setting in tables.items():
        _check_board(found, table, setting, by_table[table], shown[table])
    return found


def _check_moves(found: Verdict, events: Sequence[Event], ledgers: Sequence[Ledger]) -> None:
    stored: dict[tuple[str, str], list[Event]] = defaultdict(list)
    for event in events:
        stored[event.table, event.client_id].append(event)
    sent = {(move.table, move.id) for ledger in ledgers for move in ledger.sent.values()}
    for event in events:
        # What the server does by itself has ids that no client can send.
        if (event.table, event.client_id) not in sent and not event.client_id.startswith("="):
            found.invented.append(str(event))
    for ledger in ledgers:
        latest: dict[str, int] = {}
        for name, move in ledger.sent.items():
            rows = stored[move.table, name]
            if len(rows) > 1:
                found.doubled.append(str(rows))
            if name not in ledger.done:
                found.unsaid += len(rows)
            if rows and (name in ledger.stale or name in ledger.refused) and name not in ledger.done:
                found.invented.append(f"{rows[0]} was not accepted")
        for name, version in ledger.done.items():
            move = ledger.sent[name]
            rows = stored[move.table, name]
            if not rows or rows[0].text != move.text:
                found.lost.append(f"{move} acknowledged as version {version}, stored: {rows}")
            elif rows[0].version != version or version <= latest.get(move.table, 0):
                found.out_of_order.append(f"{move} acknowledged as version {version}, stored: {rows}")
            latest[move.table] = version


def _check_board(
    found: Verdict, table: str, setting: dict[str, Any], told: Sequence[Event], shown: list[tuple[int, Plies]]
) -> None:
    game = catalogue.game(setting["game"], **setting["options"])
    match = Match(game, [f"seat {seat}" for seat in range(game.seats)], deck=setting["deck"] or None)
    wanted = {version for version, _ in shown}
    boards = {0: _plies(match)}
    try:
        for event in told:
            if not event.text.startswith("@"):
                replay_line(match, event.seat, event.text)
            if event.version in wanted:
                boards[event.version] = _plies(match)
    except GameError as error:
        found.illegal.append(f"{table}: {error}")
        return
    for version, plies in shown:
        if boards.get(version) != plies:
            found.drifted.append(f"{table} at version {version}: {plies} where {boards.get(version)} is stored")


def _plies(match: Match) -> Plies:
    return [list(ply) for ply in match.position.plies]


def _read(database: str | Path) -> tuple[list[Event], dict[str, dict[str, Any]]]:
    engine = create_engine(database)
    try:
        with engine.connect() as connection:
            events = [Event(*row) for row in connection.execute(_EVENTS)]
            tables = {
                row.id: {"game": row.game, "options": _json(row.options), "deck": _json(row.deck)}
                for row in connection.execute(_TABLES)
            }
    finally:
        engine.dispose()
    return events, tables


def _json(value: Any) -> Any:
    # SQLite keeps text where PostgreSQL's driver gives what the text means.
    return json.loads(value) if isinstance(value, str) else value
