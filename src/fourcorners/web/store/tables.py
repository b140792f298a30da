"""Store tables with their chairs and events, and list them."""

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any

import sqlalchemy as sa
from sqlalchemy.dialects import sqlite

from fourcorners.web.domain.clocks import DAY
from fourcorners.web.domain.rows import Chair, ConflictError, StoredTable, Summary, TableEvent
from fourcorners.web.domain.seats import PERSON
from fourcorners.web.domain.shuffle import SeatChoice
from fourcorners.web.store import schema
from fourcorners.web.store.database import Database, make_work
from fourcorners.web.store.write_result import WriteResult
from fourcorners.web.store.writer import Work

_tables, _chairs, _events = schema.tables, schema.chairs, schema.events
_UNREAD = {"computer", "public", "lease_by", "lease_until", "position"}
_COLUMNS = [column for column in _tables.c if column.name not in _UNREAD]
AWAKE_SECONDS, GUESTS_AWAKE_SECONDS = DAY, 3600.0
_insert_event = _events.insert()
# The condition on the version rejects gaps. The primary key of the events rejects the second writer of a version.
_update_row = (
    _tables.update()
    .where(_tables.c.id == sa.bindparam("updated_id"), _tables.c.version == sa.bindparam("old_version"))
    .values({name: sa.bindparam(name) for name in Summary._fields})
)


class TableStore(Database):
    """Tables, their chairs, their events and the leases on their computers' moves."""

    def add_table(self, table: StoredTable) -> WriteResult[None]:
        """Store a new table with events and at least one chair; the result is a ConflictError if the table exists."""
        row = {name: value for name, value in vars(table).items() if name not in {"chairs", "events"}}
        row["computer"] = table.computers_turn
        row["public"] = table.kind == "live" and table.settings.get("visibility") == "public"

        def work(connection: sa.Connection) -> None:
            connection.execute(_tables.insert(), row)
            connection.execute(_chairs.insert(), [_build_row(table.id, chair) for chair in table.chairs])
            if table.events:
                connection.execute(_insert_event, [_build_row(table.id, event) for event in table.events])

        return self.write(table.id, work)

    def append_event(
        self,
        table_id: str,
        event: TableEvent,
        summary: Summary,
        chairs: Sequence[Chair] = (),
        extra_work: Work[None] | None = None,
    ) -> WriteResult[None]:
        """Store one event, the table's new summary and the chairs that the event changed, in one transaction.

        A chair is stored whole: its `plan` replaces the seat's premoves. `extra_work` writes more in the same
        transaction; it must do nothing else, because it runs again when a transaction is retried. The write fails with
        ConflictError, and nothing is written, if the event's version is not the table's next one, if the seat has used
        the event's client id before, or if there is no such table or chair; with StoreError if anything else fails.
        """
        item = (table_id, event, summary)
        if not chairs and extra_work is None:
            return self.writer.submit_batchable(table_id, item, _append_events)

        def work(connection: sa.Connection) -> None:
            _append_events(connection, [item])
            for chair in chairs:
                _update_chair(connection, table_id, chair.seat, chair._asdict())
            if extra_work is not None:
                extra_work(connection)

        return self.write(table_id, work)

    def settle(self, table_id: str) -> WriteResult[bool]:
        """Find out whether all transactions that have written to a table have ended, even those of lost connections. If
        the result is True, each of them is committed, and confirmed by a synchronous replica if there is one, or can
        never be. Nothing waits for those that are under way, because all other writes would wait, too.
        """
        query = sa.select(_tables.c.version).where(_tables.c.id == table_id)

        def work(connection: sa.Connection) -> bool:
            # Every transaction that appends an event holds this lock until its commit is confirmed. PostgreSQL writes
            # the lock to its log, so that the commit of this transaction waits for the replica, too.
            if connection.execute(query.with_for_update(skip_locked=True)).first() is not None:
                return True
            return connection.execute(query).first() is None  # without a table there is no lock

        return self.write(table_id, work)

    def save_premoves(self, table_id: str, seat: int, plan: dict[str, Any] | None) -> WriteResult[None]:
        """Replace a seat's premoves; None clears them. The result is a ConflictError if there is no such seat."""
        return self.write(table_id, lambda connection: _update_chair(connection, table_id, seat, {"plan": plan}))

    def claim_lease(self, table_id: str, process: str, until: float, now: float) -> bool:
        """Give a process the exclusive right to compute a table's computer moves until a time, or extend its own.

        Times are server time in seconds. Return whether it holds the lease now: not if another process's lease has not
        ended at `now`, or if there is no such table. Block until the commit; raise StoreError.
        """
        free = sa.or_(_tables.c.lease_by == process, _tables.c.lease_until <= now)
        update = _tables.update().where(_tables.c.id == table_id, free)
        return self.write_now(table_id, make_work(update.values(lease_by=process, lease_until=until)))

    def release_lease(self, table_id: str, process: str) -> WriteResult[bool]:
        """Release a table's lease if this process holds it; the result is whether it did."""
        update = _tables.update().where(_tables.c.id == table_id, _tables.c.lease_by == process)
        return self.write(table_id, make_work(update.values(lease_by="", lease_until=0.0)))

    def delete_table(self, table_id: str) -> WriteResult[None]:
        """Delete a table, if it exists, with its chairs, events, chat and review; reports, result and ratings stay."""

        def work(connection: sa.Connection) -> None:
            for relation in (schema.reviews, schema.chat, schema.notifications, _chairs, _events):
                connection.execute(relation.delete().where(relation.c.table_id == table_id))
            connection.execute(_tables.delete().where(_tables.c.id == table_id))

        return self.write(table_id, work)

    def load_table(self, table_id: str) -> StoredTable | None:
        """Read a table with its chairs and events, as of one moment; None if there is none. Raise StoreError."""
        with self.read() as connection:
            tables = _read_tables(connection, sa.select(*_COLUMNS).where(_tables.c.id == table_id), with_events=True)
            return tables[0] if tables else None

    def read_row(self, table_id: str) -> StoredTable | None:
        """Read a table with its chairs, without events; None if there is none. Raise StoreError."""
        tables = self._list_tables(_tables.c.id == table_id, 1)
        return tables[0] if tables else None

    def read_events_since(self, table_id: str, version: int) -> list[TableEvent]:
        """List a table's events after a version, 0 for all, oldest first; raise StoreError."""
        with self.read() as connection:
            return _read_events(connection, table_id, version)

    def read_premoves(self, table_id: str) -> dict[int, dict[str, Any]]:
        """Return the premoves by seat, without seats that have none; empty for an unknown table. Raise StoreError."""
        with self.read() as connection:
            chairs = _read_chairs(connection, [table_id])[table_id]
        return {chair.seat: chair.plan for chair in chairs if chair.plan is not None}

    def read_versions(self, ids: Iterable[str]) -> dict[str, int]:
        """Return the version of each table, leaving out ids without a table."""
        rows = self.fetch_by_ids(sa.select(_tables.c.id, _tables.c.version), _tables.c.id, ids)
        return {row.id: row.version for row in rows}

    def find_positions(self, hashes: Iterable[int], now: float, table_id: str = "") -> set[int]:
        """Return those of some hashes that are of the positions of games in progress, except of the one at a table.

        A game is in progress while a clock runs, or for `AWAKE_SECONDS` after its last change; if no one in it has an
        account, for `GUESTS_AWAKE_SECONDS`, as guests can leave many behind. Raise StoreError.
        """
        row, players = _tables.c, schema.players
        account = sa.and_(_chairs.c.player == players.c.id, players.c.account.is_not(None))
        has_account = sa.exists().where(_chairs.c.table_id == row.id, account)
        is_kept = sa.and_(has_account, sa.or_(row.deadline.is_not(None), row.changed > now - AWAKE_SECONDS))
        is_awake = sa.or_(row.changed > now - GUESTS_AWAKE_SECONDS, is_kept)
        query = sa.select(row.position).where(row.id != table_id, is_awake)
        return {found.position for found in self.fetch_by_ids(query, row.position, hashes)}

    def read_chairs(self, table_id: str) -> list[Chair]:
        """Return the chairs of a table in the order of the seats, none without such a table; raise StoreError."""
        with self.read() as connection:
            return _read_chairs(connection, [table_id])[table_id]

    def list_player_tables(self, player: str, limit: int) -> list[StoredTable]:
        """List the tables where a player has a chair or which it set up, last changed first, without events."""
        return self._list_tables(schema.belongs_to(player), limit)

    def list_lobby_tables(self, limit: int, *, started: bool) -> list[StoredTable]:
        """List the public games that run or, if not `started`, wait for players; last changed first, without events."""
        condition = _tables.c.started.is_not(None) if started else _tables.c.started.is_(None)
        return self._list_tables(sa.and_(schema.in_lobby, condition), limit)

    def list_tables(self, limit: int, *, running: bool = False) -> list[StoredTable]:
        """List all tables, or only unfinished games; last changed first, without events."""
        return self._list_tables(schema.unfinished if running else sa.true(), limit)

    def list_table_ids(self, player: str) -> list[str]:
        """List the ids of all tables where a player has a chair or which the player set up, oldest first."""
        return self._list_ids(None, schema.belongs_to(player), _tables.c.created, _tables.c.id)

    def list_puzzle_table_ids(self) -> list[str]:
        """List the ids of the games with a result from which puzzles may be made, oldest first; raise StoreError.

        At least one person has played, and each seat of a person belongs to its own account that consents. Where
        an account has several seats, others may have played at its screen, whom no one has asked.
        """
        players = schema.players
        consents = sa.and_(players.c.id == _chairs.c.player, players.c.account.is_not(None), players.c.puzzle_consent)
        chairs = sa.select(_chairs.c.table_id).outerjoin(players, consents).where(_chairs.c.kind == PERSON)
        agreed = chairs.group_by(_chairs.c.table_id).having(sa.func.count() == sa.func.count(players.c.id.distinct()))
        finished = sa.and_(_tables.c.kind == "live", _tables.c.result != "", _tables.c.id.in_(agreed))
        return self._list_ids(None, finished, _tables.c.created, _tables.c.id)

    def list_unfinished_table_ids(self, player: str) -> list[str]:
        """List the ids of the open and running games where a player has a chair, oldest first; raise StoreError."""
        seated = sa.and_(schema.unfinished, _tables.c.id.in_(schema.select_seated(player)))
        return self._list_ids(None, seated, _tables.c.created, _tables.c.id)

    def _list_tables(self, condition: sa.ColumnElement[bool], limit: int) -> list[StoredTable]:
        """List up to `limit` tables that meet a condition, without events, last changed first; raise StoreError."""
        query = sa.select(*_COLUMNS).where(condition).order_by(_tables.c.changed.desc(), _tables.c.id).limit(limit)
        with self.read() as connection:
            return _read_tables(connection, query)

    def extend_waiting(self, ids: Iterable[str], until: float) -> WriteResult[bool]:
        """Let the owners of tables count as waiting for an opponent until a server time; the result is whether any of
        the tables exists.
        """
        return self.write(
            "", make_work(_tables.update().where(_tables.c.id.in_(list(ids))).values(waiting_until=until))
        )

    def list_chosen_colours(self, ids: Iterable[str]) -> dict[str, list[tuple[int, str]]]:
        """Return by table id the seats and letters of the colours that players have chosen when they sat down, in that
        order; tables without any are left out. Raise StoreError.
        """
        query = sa.select(_events.c.table_id, _events.c.version, _events.c.seat, _events.c.text)
        rows = self.fetch_by_ids(query.where(_events.c.text.startswith("@sit ")), _events.c.table_id, ids)
        chosen: dict[str, list[tuple[int, str]]] = {}
        for row in sorted(rows, key=lambda row: int(row.version)):
            if colour := SeatChoice.parse(row.text).colour:
                chosen.setdefault(row.table_id, []).append((row.seat, colour))
        return chosen

    def list_due_tables(self, now: float, limit: int) -> list[str]:
        """List the ids of unfinished tables whose deadline is not after `now`, earliest deadline first."""
        return self._list_ids(limit, sa.and_(_tables.c.deadline <= now, _tables.c.result == ""), _tables.c.deadline)

    def set_deadline(self, table_id: str, deadline: float | None, version: int | None = None) -> WriteResult[bool]:
        """Store when a clock runs out, in seconds of server time; None means never. If `version` is given, only while
        that is the table's version. The result is whether there was such a table.
        """
        update = _tables.update().where(_tables.c.id == table_id)
        if version is not None:
            update = update.where(_tables.c.version == version)
        return self.write(table_id, make_work(update.values(deadline=deadline)))

    def list_computer_turns(self, now: float, limit: int) -> list[str]:
        """List the ids of up to `limit` tables where a computer is to move and no lease lasts beyond `now`."""
        free = sa.and_(schema.computers_turn, _tables.c.lease_until <= now)
        return self._list_ids(limit, free, _tables.c.lease_until)

    def list_idle_tables(self, changed_before: float, limit: int) -> list[str]:
        """List the ids of unfinished games without a deadline that last changed before a time, oldest first."""
        idle = sa.and_(schema.unfinished, _tables.c.changed < changed_before, _tables.c.deadline.is_(None))
        return self._list_ids(limit, idle, _tables.c.changed)

    def list_waiting_table_ids(self, player: str, limit: int, but: str = "") -> list[str]:
        """List the ids of the games, except the one at a table, in which another person waits for a player's move,
        longest first; raise StoreError.
        """
        other = _chairs.alias()
        is_turn = (_chairs.c.table_id == _tables.c.id, _chairs.c.player == player, _chairs.c.seat == _tables.c.turn)
        # Seats that were given up are played by a computer.
        others = (other.c.table_id == _tables.c.id, other.c.player.is_not(None), other.c.player != player)
        mine = _tables.c.id.in_(schema.select_seated(player))
        running = (schema.unfinished, mine, _tables.c.started.is_not(None), _tables.c.computer == sa.false())
        condition = sa.and_(*running, _tables.c.id != but, sa.exists().where(*is_turn), sa.exists().where(*others))
        return self._list_ids(limit, condition, _tables.c.changed)

    def _list_ids(self, limit: int | None, condition: sa.ColumnElement[bool], *order: sa.Column[Any]) -> list[str]:
        query = sa.select(_tables.c.id).where(condition).order_by(*order).limit(limit)
        return [row.id for row in self.fetch_all(query)]


def _append_events(connection: sa.Connection, items: Sequence[tuple[str, TableEvent, Summary]]) -> None:
    """Insert (table id, event, summary) items, at least one, and update their tables.

    The items of a table must be in order of version. Raise IntegrityError if a version or a seat's client id exists or
    a table does not, ConflictError if a version is not the next one; then the caller must roll back all items.
    """
    dialect = connection.dialect
    events = [_build_row(table_id, event) for table_id, event, _ in items]
    rows = [{"updated_id": key, "old_version": event.version - 1, **summary._asdict()} for key, event, summary in items]
    # For each batch SQLAlchemy would need as much time to prepare the statements and values as the database to write.
    connection.exec_driver_sql(_render(_insert_event, dialect), events)
    if connection.exec_driver_sql(_render(_update_row, dialect), rows).rowcount != len(rows):
        raise ConflictError("the table has changed in the meantime")


@lru_cache(maxsize=16)
def _render(statement: sa.Insert | sa.Update, dialect: sa.Dialect) -> str:
    """Return a statement as text for a driver, with values by name. The driver takes them as they are, so columns are
    texts, numbers and booleans only.
    """
    named = sqlite.dialect(paramstyle="named") if dialect.name == "sqlite" else dialect
    return str(statement.compile(dialect=named))


def _update_chair(connection: sa.Connection, table_id: str, seat: int, values: dict[str, Any]) -> None:
    """Set columns of a chair, by name; raise ConflictError if there is no such chair."""
    update = _chairs.update().where(_chairs.c.table_id == table_id, _chairs.c.seat == seat)
    if connection.execute(update.values(values)).rowcount != 1:
        raise ConflictError("there is no such chair")


def _build_row(table_id: str, item: TableEvent | Chair) -> dict[str, Any]:
    return {"table_id": table_id, **item._asdict()}


def _read_tables(connection: sa.Connection, query: sa.Select[Any], *, with_events: bool = False) -> list[StoredTable]:
    """Run a query for `_COLUMNS` of tables and return them in its order with chairs and, if wanted, events."""
    rows = connection.execute(query).mappings().all()
    chairs = _read_chairs(connection, [row["id"] for row in rows])
    events = {row["id"]: _read_events(connection, row["id"], 0) if with_events else [] for row in rows}
    return [StoredTable(**row, chairs=chairs[row["id"]], events=events[row["id"]]) for row in rows]


def _read_chairs(connection: sa.Connection, ids: list[str]) -> dict[str, list[Chair]]:
    """Return the chairs by table id, in order of seats; every id has a list, empty if there is no such table.

    The limits of the callers must bound `ids`: they go into one query, whose parameters databases limit, SQLite often
    to 32,766. The columns of `schema.chairs` after the first must have the order of `Chair`'s fields.
    """
    chairs: dict[str, list[Chair]] = {table_id: [] for table_id in ids}
    query = _chairs.select().where(_chairs.c.table_id.in_(ids)).order_by(_chairs.c.seat)
    for table_id, *chair in connection.execute(query):
        chairs[table_id].append(Chair(*chair))
    return chairs


def _read_events(connection: sa.Connection, table_id: str, version: int) -> list[TableEvent]:
    query = _events.select().where(_events.c.table_id == table_id, _events.c.version > version)
    return [TableEvent(*tuple(row)[1:]) for row in connection.execute(query.order_by(_events.c.version))]
