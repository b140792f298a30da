"""Tables with their chairs and events: what is written of them, and the lists that are read."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from concurrent.futures import Future
from typing import Any

import sqlalchemy as sa

from fourcorners.web.domain.rating_results import RatedResult
from fourcorners.web.domain.ratings import rate
from fourcorners.web.domain.rows import Chair, ConflictError, StoredTable, Summary, TableEvent
from fourcorners.web.store import schema
from fourcorners.web.store.database import Database
from fourcorners.web.store.ladder import rate_game

_tables, _chairs, _events = schema.tables, schema.chairs, schema.events
_AT_ONCE = 500
_COLUMNS = [column for column in _tables.c if column.name not in {"computer", "public", "lease_by", "lease_until"}]
_insert_event = _events.insert()
# A row is written by who knows the version before: two that write at once cannot both.
_update_row = (
    _tables.update()
    .where(_tables.c.id == sa.bindparam("of"), _tables.c.version == sa.bindparam("before"))
    .values({name: sa.bindparam(name) for name in Summary._fields})
)


class TableStore(Database):
    """The tables."""

    def add(self, saved: StoredTable) -> Future[None]:
        """Store a new table with its chairs and events."""
        row = {name: value for name, value in vars(saved).items() if name not in {"chairs", "events"}}
        row["computer"] = saved.computers_turn
        row["public"] = saved.kind == "live" and saved.settings.get("visibility") == "public"

        def work(connection: sa.Connection) -> None:
            connection.execute(_tables.insert(), row)
            connection.execute(_chairs.insert(), [_of(saved.id, chair) for chair in saved.chairs])
            if saved.events:
                connection.execute(_insert_event, [_of(saved.id, event) for event in saved.events])

        return self.write(saved.id, work)

    def append(
        self,
        table_id: str,
        event: TableEvent,
        summary: Summary,
        chairs: Sequence[Chair] = (),
        result: RatedResult | None = None,
    ) -> Future[None]:
        """Store one event, with the chairs that it changed and the rated result of the game that it ended.

        The future fails with ConflictError, and nothing is written, if the event does not follow the table's last one
        or if its seat has used this client id already.
        """
        item = (table_id, event, summary)
        if not chairs and result is None:
            return self.writer.submit_one(table_id, item, _append)

        def work(connection: sa.Connection) -> None:
            _append(connection, [item])
            for chair in chairs:
                _set(connection, table_id, chair.seat, chair._asdict())
            if result is not None:
                rate_game(connection, *result, rate)

        return self.write(table_id, work)

    def set_plan(self, table_id: str, seat: int, plan: dict[str, Any] | None) -> Future[None]:
        """Store what a seat wants to answer, which is no event."""
        return self.write(table_id, lambda connection: _set(connection, table_id, seat, {"plan": plan}))

    def claim(self, table_id: str, process: str, until: float, now: float) -> bool:
        """Let a process alone think at a table until a time; tell whether it may, as no other one does."""
        free = sa.or_(_tables.c.lease_by == process, _tables.c.lease_until <= now)
        chosen = _tables.update().where(_tables.c.id == table_id, free)

        def work(connection: sa.Connection) -> bool:
            return connection.execute(chosen.values(lease_by=process, lease_until=until)).rowcount == 1

        return self.write_now(table_id, work)

    def release(self, table_id: str, process: str) -> Future[None]:
        """Let another process think at a table, if this one held it."""
        chosen = _tables.update().where(_tables.c.id == table_id, _tables.c.lease_by == process)

        def work(connection: sa.Connection) -> None:
            connection.execute(chosen.values(lease_by="", lease_until=0.0))

        return self.write(table_id, work)

    def delete(self, table_id: str) -> Future[None]:
        """Forget a table; what was reported of it and the ratings that came of it stay."""

        def work(connection: sa.Connection) -> None:
            for relation in (schema.chat, _chairs, _events):
                connection.execute(relation.delete().where(relation.c.table_id == table_id))
            connection.execute(_tables.delete().where(_tables.c.id == table_id))

        return self.write(table_id, work)

    def load(self, table_id: str) -> StoredTable | None:
        """Read a table with its chairs and events."""
        with self.read() as connection:
            found = _listed(connection, sa.select(*_COLUMNS).where(_tables.c.id == table_id), with_events=True)
            return found[0] if found else None

    def since(self, table_id: str, version: int) -> list[TableEvent]:
        """Read a table's events after a version."""
        with self.read() as connection:
            return _told(connection, table_id, version)

    def chairs(self, table_id: str) -> list[Chair]:
        """Read a table's chairs."""
        with self.read() as connection:
            return _seated(connection, [table_id]).get(table_id, [])

    def plans(self, table_id: str) -> dict[int, dict[str, Any]]:
        """Read the plans of a table by seat."""
        return {chair.seat: chair.plan for chair in self.chairs(table_id) if chair.plan is not None}

    def heads(self, ids: Iterable[str]) -> dict[str, int]:
        """Read the versions of tables; those that are gone are left out."""
        asked = list(ids)
        found: dict[str, int] = {}
        with self.read() as connection:
            for first in range(0, len(asked), _AT_ONCE):
                some = _tables.c.id.in_(asked[first : first + _AT_ONCE])
                rows = connection.execute(sa.select(_tables.c.id, _tables.c.version).where(some))
                found |= {row.id: row.version for row in rows}
        return found

    def of_player(self, player: str, limit: int) -> list[StoredTable]:
        """List the tables at which a player has a chair or that it set up, the last changed first."""
        seated = sa.select(_chairs.c.table_id).where(_chairs.c.player == player)
        owned = sa.select(_tables.c.id).where(_tables.c.owner == player)
        return self._list(_tables.c.id.in_(seated.union(owned).scalar_subquery()), limit)

    def lobby(self, limit: int, *, begun: bool) -> list[StoredTable]:
        """List the running games that everybody may see, or those that wait for players, the last changed first."""
        started = _tables.c.started.is_not(None) if begun else _tables.c.started.is_(None)
        return self._list(sa.and_(schema.in_lobby, started), limit)

    def listed(self, limit: int, *, running: bool = False) -> list[StoredTable]:
        """List tables, the last changed first: all, or the games that are not over."""
        return self._list(schema.unfinished if running else sa.true(), limit)

    def _list(self, chosen: sa.ColumnElement[bool], limit: int) -> list[StoredTable]:
        ordered = sa.select(*_COLUMNS).where(chosen).order_by(_tables.c.changed.desc(), _tables.c.id).limit(limit)
        with self.read() as connection:
            return _listed(connection, ordered)

    def due(self, now: float, limit: int) -> list[str]:
        """List the tables on which a clock has run out, the longest waiting first."""
        due = sa.and_(_tables.c.deadline <= now, _tables.c.result == "")
        return self._ids(due, _tables.c.deadline, limit)

    def put_off(self, table_id: str, deadline: float | None, version: int | None = None) -> Future[None]:
        """Store when a clock will fall, where nothing has happened since a version."""
        chosen = _tables.update().where(_tables.c.id == table_id)
        if version is not None:
            chosen = chosen.where(_tables.c.version == version)

        def work(connection: sa.Connection) -> None:
            connection.execute(chosen.values(deadline=deadline))

        return self.write(table_id, work)

    def computers_waiting(self, now: float, limit: int) -> list[str]:
        """List the tables at which a computer is to move and for which no process thinks."""
        waiting = sa.and_(schema.computers_turn, _tables.c.lease_until <= now)
        return self._ids(waiting, _tables.c.lease_until, limit)

    def idle_since(self, then: float, limit: int) -> list[str]:
        """List the open and running games that no clock ends and that have not changed since a time."""
        idle = sa.and_(schema.unfinished, _tables.c.changed < then, _tables.c.deadline.is_(None))
        return self._ids(idle, _tables.c.changed, limit)

    def _ids(self, chosen: sa.ColumnElement[bool], order: sa.Column[Any], limit: int) -> list[str]:
        with self.read() as connection:
            return list(connection.scalars(sa.select(_tables.c.id).where(chosen).order_by(order).limit(limit)))

    def made_since(self, since: float, owner: str | None = None) -> int:
        """Count the tables made since a time, by one owner or by all."""
        # What was made since then changed since then, and by that the tables are indexed.
        newer = (_tables.c.changed >= since, _tables.c.created >= since)
        chosen = sa.select(sa.func.count()).select_from(_tables).where(*newer)
        if owner is not None:
            chosen = chosen.where(_tables.c.owner == owner)
        with self.read() as connection:
            return int(connection.execute(chosen).scalar_one())


def _append(connection: sa.Connection, items: Sequence[tuple[str, TableEvent, Summary]]) -> None:
    connection.execute(_insert_event, [_of(table_id, event) for table_id, event, _ in items])
    rows = [{"of": of, "before": event.version - 1, **summary._asdict()} for of, event, summary in items]
    if connection.execute(_update_row, rows).rowcount != len(rows):
        raise ConflictError("this does not follow on what happened last at the table")


def _set(connection: sa.Connection, table_id: str, seat: int, values: dict[str, Any]) -> None:
    chosen = _chairs.update().where(_chairs.c.table_id == table_id, _chairs.c.seat == seat)
    if connection.execute(chosen.values(values)).rowcount != 1:
        raise ConflictError("there is no such chair")


def _of(table_id: str, item: TableEvent | Chair) -> dict[str, Any]:
    return {"table_id": table_id, **item._asdict()}


def _listed(connection: sa.Connection, chosen: sa.Select[Any], *, with_events: bool = False) -> list[StoredTable]:
    rows = connection.execute(chosen).mappings().all()
    seated = _seated(connection, [row["id"] for row in rows])
    told = {row["id"]: _told(connection, row["id"], 0) if with_events else [] for row in rows}
    return [StoredTable(**row, chairs=seated[row["id"]], events=told[row["id"]]) for row in rows]


def _seated(connection: sa.Connection, ids: list[str]) -> dict[str, list[Chair]]:
    found: dict[str, list[Chair]] = {table_id: [] for table_id in ids}
    chosen = _chairs.select().where(_chairs.c.table_id.in_(ids)).order_by(_chairs.c.seat)
    for table_id, *chair in connection.execute(chosen):
        found[table_id].append(Chair(*chair))
    return found


def _told(connection: sa.Connection, table_id: str, version: int) -> list[TableEvent]:
    chosen = _events.select().where(_events.c.table_id == table_id, _events.c.version > version)
    return [TableEvent(*tuple(event)[1:]) for event in connection.execute(chosen.order_by(_events.c.version))]
