"""Logs of the moves that test clients send, and the check that the database agrees with them."""

import json
import math
import time
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import sqlalchemy as sa

from fourcorners.core import catalogue
from fourcorners.core.errors import GameError
from fourcorners.core.match import Match, apply_event
from fourcorners.web.store.engine import create_engine

SIT = "@sit"
_IDS: sa.BindParameter[list[str]] = sa.bindparam("ids", expanding=True)
_EVENTS = sa.text(
    "SELECT table_id, version, seat, text, client_id FROM events WHERE table_id IN :ids ORDER BY table_id, version"
).bindparams(_IDS)
_TABLES = sa.text("SELECT id, game, options, deck FROM tables WHERE id IN :ids").bindparams(_IDS)


class SentMove(NamedTuple):
    """A move as a client sent it; `version` is that of the board it was made for."""

    table: str
    id: str
    version: int
    text: str


class Read(NamedTuple):
    """What a client was shown when it asked for a table at `begin`, in monotonic time; `via` names the way.

    The version is -1 if the answer was that there is no such table.
    """

    table: str
    version: int
    begin: float
    via: str


@dataclass
class MoveLog:
    """The moves that one client sent, and the server's answers.

    `sent` is in the order of sending, by the move's id. `stale` and `refused` (with the sentence) hold ids as well.
    `answers` counts the answers by type. `done_at` has the monotonic time of each acknowledgement, by the move's id.
    """

    sent: dict[str, SentMove] = field(default_factory=dict)
    done: dict[str, int] = field(default_factory=dict)
    """The version that each acknowledged move produced, by its id and in the order of the answers."""
    stale: set[str] = field(default_factory=set)
    refused: dict[str, str] = field(default_factory=dict)
    answers: Counter[str] = field(default_factory=Counter)
    done_at: dict[str, float] = field(default_factory=dict)
    reads: list[Read] = field(default_factory=list)

    def log_move(self, move: SentMove) -> None:
        """Log a move before it is sent."""
        self.sent[move.id] = move

    def log_answer(self, message: dict[str, Any]) -> None:
        """Log a message of type "done", "stale" or "refused" with the `id` of a move that has been logged as sent.

        If a repeated "done" names another version than the first, it is only counted, as "done with another version".
        """
        kind, name = message["type"], message["id"]
        self.answers[kind] += 1
        if kind == "done" and name not in self.done:
            self.done[name] = message["version"]
            self.done_at[name] = time.monotonic()
        elif kind == "done" and self.done[name] != message["version"]:
            self.answers["done with another version"] += 1
        elif kind == "stale":
            self.stale.add(name)
        elif kind == "refused":
            self.refused[name] = message["sentence"]


class Event(NamedTuple):
    """One row of the events in the database."""

    table: str
    version: int
    seat: int
    text: str
    client_id: str


@dataclass
class ConsistencyReport:
    """Differences between the database and the logs; all lists, which hold sentences, should be empty."""

    moves: int = 0
    """Acknowledged moves."""
    unacknowledged: int = 0
    """Stored moves whose acknowledgement was lost."""
    lost: list[str] = field(default_factory=list)
    duplicated: list[str] = field(default_factory=list)
    out_of_order: list[str] = field(default_factory=list)
    unsent: list[str] = field(default_factory=list)
    gaps: list[str] = field(default_factory=list)
    illegal: list[str] = field(default_factory=list)
    diverged: list[str] = field(default_factory=list)
    stale: list[str] = field(default_factory=list)
    """Reads of a version that was older than one acknowledged to anyone before the read began."""
    unstored: list[str] = field(default_factory=list)
    """Reads of a version that is not stored."""

    @property
    def faults(self) -> dict[str, list[str]]:
        """The lists that are not empty, by name."""
        return {name: value for name, value in vars(self).items() if isinstance(value, list) and value}


Plies = list[list[Any]]


def check_consistency(
    database: str | Path,
    table_ids: Collection[str],
    logs: Iterable[MoveLog],
    boards: Iterable[tuple[str, int, Plies]] = (),
) -> ConsistencyReport:
    """Compare the tables `table_ids` of a database with the logs of all clients, and with the boards they saw last.

    `boards` are (table, version, plies), and `database` is a folder or an address. Other tables are ignored. Return all
    differences. Raise errors of SQLAlchemy, and GameError if a table's game cannot be set up.
    """
    logs = list(logs)
    events, tables = _read_database(database, table_ids)
    by_table: dict[str, list[Event]] = defaultdict(list)
    for event in events:
        by_table[event.table].append(event)
    report = ConsistencyReport(moves=sum(log.sent[name].text != SIT for log in logs for name in log.done))
    _check_moves(report, events, logs)
    for table, events_of_table in by_table.items():
        versions = [event.version for event in events_of_table]
        if versions != list(range(1, len(events_of_table) + 1)):
            report.gaps.append(f"{table}: {versions}")
    boards_by_table: dict[str, list[tuple[int, Plies]]] = defaultdict(list)
    for table, version, plies in boards:
        boards_by_table[table].append((version, plies))
    for table, row in tables.items():
        _check_boards(report, table, row, by_table[table], boards_by_table[table])
    _check_reads(report, {table: len(by_table[table]) for table in table_ids}, logs)
    return report


def _check_moves(report: ConsistencyReport, events: Sequence[Event], logs: Sequence[MoveLog]) -> None:
    """Add lost, duplicated and reordered moves to the report, and stored ones that no one sent or the server rejected.

    `events` are in the order of tables and versions. Also counts the stored moves whose acknowledgement was lost.
    """
    stored: dict[tuple[str, str], list[Event]] = defaultdict(list)
    for event in events:
        stored[event.table, event.client_id].append(event)
    sent = {(move.table, move.id) for log in logs for move in log.sent.values()}
    for event in events:
        # Events by the server itself have ids that no client can send.
        if (event.table, event.client_id) not in sent and not event.client_id.startswith("="):
            report.unsent.append(str(event))
    for log in logs:
        latest: dict[str, int] = {}
        for name, move in log.sent.items():
            rows = stored[move.table, name]
            if len(rows) > 1:
                report.duplicated.append(str(rows))
            if name not in log.done:
                report.unacknowledged += len(rows)
            if rows and (name in log.stale or name in log.refused) and name not in log.done:
                report.unsent.append(f"{rows[0]} was not accepted")
        for name, version in log.done.items():
            move = log.sent[name]
            rows = stored[move.table, name]
            if not rows or rows[0].text != move.text:
                report.lost.append(f"{move} acknowledged as version {version}, stored: {rows}")
            elif rows[0].version != version or version <= latest.get(move.table, 0):
                report.out_of_order.append(f"{move} acknowledged as version {version}, stored: {rows}")
            latest[move.table] = version


def _check_reads(report: ConsistencyReport, newest: dict[str, int], logs: Sequence[MoveLog]) -> None:
    """Add reads of versions that were too old or are not stored to the report; `newest` has the stored versions.

    Reads of other tables are ignored.
    """
    acknowledged: dict[str, list[tuple[float, int]]] = defaultdict(list)
    for log in logs:
        for name, version in log.done.items():
            acknowledged[log.sent[name].table].append((log.done_at[name], version))
    for history in acknowledged.values():
        history.sort()
        # From here on, the second number is the newest version that was acknowledged by that time.
        for index, (at, version) in enumerate(history[1:], 1):
            history[index] = (at, max(version, history[index - 1][1]))
    for read in (read for log in logs for read in log.reads if read.table in newest):
        history = acknowledged[read.table]
        earlier = bisect_left(history, (read.begin, -math.inf))
        if earlier and read.version < history[earlier - 1][1]:
            report.stale.append(f"{read}, but version {history[earlier - 1][1]} had been acknowledged")
        if read.version > newest[read.table]:
            report.unstored.append(f"{read}, but the newest version is {newest[read.table]}")


def _check_boards(
    report: ConsistencyReport,
    table: str,
    row: dict[str, Any],
    events: Sequence[Event],
    boards: list[tuple[int, Plies]],
) -> None:
    """Replay a table's events and compare the boards (version, plies) that clients saw; change `report`.

    `row` holds `game`, `options` and `deck`. The first illegal event is added to `illegal` and ends the check; without
    one, boards that differ, or whose version is not stored, are added to `diverged`.
    """
    game = catalogue.game(row["game"], **row["options"])
    match = Match(game, [f"seat {seat}" for seat in range(game.seats)], deck=row["deck"] or None)
    versions = {version for version, _ in boards}
    replayed = {0: _list_plies(match)}
    try:
        for event in events:
            if not event.text.startswith("@"):
                apply_event(match, event.seat, event.text)
            if event.version in versions:
                replayed[event.version] = _list_plies(match)
    except GameError as error:
        report.illegal.append(f"{table}: {error}")
        return
    for version, plies in boards:
        if replayed.get(version) != plies:
            report.diverged.append(f"{table} at version {version}: {plies}, but {replayed.get(version)} is stored")


def _list_plies(match: Match) -> Plies:
    """Return the plies of a match as the messages to a page have them: [seat, move] for each."""
    return [list(ply) for ply in match.position.plies]


def _read_database(database: str | Path, table_ids: Collection[str]) -> tuple[list[Event], dict[str, dict[str, Any]]]:
    """Return the events of tables by table and version, and the `game`, `options` and `deck` of each table by its id.

    Does not migrate the database; raises errors of SQLAlchemy.
    """
    engine = create_engine(database)
    try:
        with engine.connect() as connection:
            events = [Event(*row) for row in connection.execute(_EVENTS, {"ids": list(table_ids)})]
            tables = {
                row.id: {"game": row.game, "options": _parse_json(row.options), "deck": _parse_json(row.deck)}
                for row in connection.execute(_TABLES, {"ids": list(table_ids)})
            }
    finally:
        engine.dispose()
    return events, tables


def _parse_json(value: Any) -> Any:
    """Return the value of a JSON column."""
    # SQLite returns text, but the driver of PostgreSQL returns parsed values.
    return json.loads(value) if isinstance(value, str) else value
