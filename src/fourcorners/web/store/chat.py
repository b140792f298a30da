"""What is said at tables, and what is reported of it."""

from __future__ import annotations

from collections.abc import Iterable
from concurrent.futures import Future
from typing import NamedTuple

import sqlalchemy as sa

from fourcorners.web.domain.rows import ChatLine, ConflictError
from fourcorners.web.store import schema
from fourcorners.web.store.database import Database

READ_LINES = 100
KEPT_LINES = 1000
KEPT_REPORTS = 100
KEPT_OF_ONE = 5
_AT_ONCE = 500
_chat, _reports = schema.chat, schema.reports


class Report(NamedTuple):
    """What somebody found wrong at a table, perhaps in the line `number`; `about` is what was reported."""

    id: int
    table_id: str
    number: int | None
    reporter: str
    about: str
    text: str
    at: float
    done: bool


class ChatStore(Database):
    """Chat and reports."""

    def say(self, table_id: str, player: str, name: str, text: str, at: float) -> Future[ChatLine]:
        """Store a line of chat; of a table's lines the last thousand are kept."""

        def work(connection: sa.Connection) -> ChatLine:
            # The table's row is held meanwhile, so that no other process gives the same number.
            table = sa.select(schema.tables.c.id).where(schema.tables.c.id == table_id).with_for_update()
            if connection.scalar(table) is None:
                raise ConflictError("this table is gone")
            mine = _chat.c.table_id == table_id
            last = connection.scalar(sa.select(sa.func.max(_chat.c.number)).where(mine)) or 0
            line = ChatLine(last + 1, player, name, text, at)
            connection.execute(_chat.insert().values(table_id=table_id, **line._asdict()))
            connection.execute(_chat.delete().where(mine, _chat.c.number <= line.number - KEPT_LINES))
            return line

        return self.write(table_id, work)

    def said(self, table_id: str, after: int = 0) -> list[ChatLine]:
        """Read the last hundred lines of a table at most, those after a number."""
        chosen = _chat.select().where(_chat.c.table_id == table_id, _chat.c.number > after)
        with self.read() as connection:
            found = connection.execute(chosen.order_by(_chat.c.number.desc()).limit(READ_LINES))
            return [ChatLine(*tuple(row)[1:]) for row in found][::-1]

    def last_lines(self, ids: Iterable[str]) -> dict[str, int]:
        """Read the numbers of tables' last lines; those where nothing was said are left out."""
        asked = list(ids)
        found: dict[str, int] = {}
        with self.read() as connection:
            for first in range(0, len(asked), _AT_ONCE):
                some = _chat.c.table_id.in_(asked[first : first + _AT_ONCE])
                chosen = sa.select(_chat.c.table_id, sa.func.max(_chat.c.number)).where(some)
                found |= {row[0]: row[1] for row in connection.execute(chosen.group_by(_chat.c.table_id))}
        return found

    def report(
        self, table_id: str, number: int | None, reporter: str, about: str, text: str, at: float
    ) -> Future[bool]:
        """Store a report; tell whether it was taken, as only so many of one table are, and few of one player there."""

        def work(connection: sa.Connection) -> bool:
            mine = _reports.c.table_id == table_id
            own = sa.func.count().filter(_reports.c.reporter == reporter)
            every, of_one = connection.execute(sa.select(sa.func.count(), own).where(mine)).one()
            if every >= KEPT_REPORTS or of_one >= KEPT_OF_ONE:
                return False
            row = {"table_id": table_id, "number": number, "reporter": reporter, "about": about, "text": text, "at": at}
            connection.execute(_reports.insert().values(done=False, **row))
            return True

        return self.write(table_id, work)

    def reports(self, limit: int) -> list[Report]:
        """List what was reported and is not settled, the oldest first."""
        chosen = _reports.select().where(_reports.c.done == sa.false()).order_by(_reports.c.id).limit(limit)
        with self.read() as connection:
            return [Report(*row) for row in connection.execute(chosen)]

    def settle(self, report_id: int) -> Future[bool]:
        """Note that a report has been seen to; tell whether there was one that had not been."""
        open_ = _reports.update().where(_reports.c.id == report_id, _reports.c.done == sa.false())

        def work(connection: sa.Connection) -> bool:
            return connection.execute(open_.values(done=True)).rowcount == 1

        return self.write("", work)
