"""Store chat lines and reports."""

from collections.abc import Iterable
from typing import NamedTuple

import sqlalchemy as sa

from fourcorners.web.domain.rows import NO_TABLE, ChatLine, ConflictError
from fourcorners.web.store import schema
from fourcorners.web.store.database import Database, make_work
from fourcorners.web.store.write_result import WriteResult

LINES_READ = 100
LINES_KEPT = 1000
MAX_REPORTS_PER_TABLE = 100
MAX_REPORTS_PER_REPORTER = 5
_chat, _reports = schema.chat, schema.reports


class Report(NamedTuple):
    """A complaint about a table or, if `number` is set, about that chat line; `about` quotes it, `at` is in seconds."""

    id: int
    table_id: str
    number: int | None
    reporter: str
    about: str
    text: str
    at: float
    done: bool


class ChatStore(Database):
    """Chat lines and reports."""

    def add_chat_line(self, table_id: str, player: str, name: str, text: str, at: float) -> WriteResult[ChatLine]:
        """Append a line to a table's chat and delete all but its last `LINES_KEPT` lines; the result is the line.

        `player` is the sender's id, `name` the name to show, `at` server time in seconds. A table's lines count from 1.
        The write fails with ConflictError if the table is gone, or StoreError (database fails, queue full or closed).
        """

        def work(connection: sa.Connection) -> ChatLine:
            # Lock the table's row so that no other process assigns the same number.
            table = sa.select(schema.tables.c.id).where(schema.tables.c.id == table_id).with_for_update()
            if connection.scalar(table) is None:
                raise ConflictError(NO_TABLE)
            mine = _chat.c.table_id == table_id
            last = connection.scalar(sa.select(sa.func.max(_chat.c.number)).where(mine)) or 0
            line = ChatLine(last + 1, player, name, text, at)
            connection.execute(_chat.insert().values(table_id=table_id, **line._asdict()))
            connection.execute(_chat.delete().where(mine, _chat.c.number <= line.number - LINES_KEPT))
            return line

        return self.write(table_id, work)

    def list_chat_lines(self, table_id: str, after: int = 0) -> list[ChatLine]:
        """List the last `LINES_READ` of a table's lines with numbers above `after`, oldest first; raise StoreError."""
        query = _chat.select().where(_chat.c.table_id == table_id, _chat.c.number > after)
        rows = self.fetch_all(query.order_by(_chat.c.number.desc()).limit(LINES_READ))
        return [ChatLine(*row[1:]) for row in reversed(rows)]

    def read_last_chat_numbers(self, ids: Iterable[str]) -> dict[str, int]:
        """Return the number of the last chat line by table id, without the tables that have none; raise StoreError."""
        query = sa.select(_chat.c.table_id, sa.func.max(_chat.c.number)).group_by(_chat.c.table_id)
        return dict(self.fetch_by_ids(query, _chat.c.table_id, ids))

    def add_report(
        self, table_id: str, number: int | None, reporter: str, about: str, text: str, at: float
    ) -> WriteResult[bool]:
        """Store a report of the chat line `number` or, if that is None, of the table; the result is whether it was.

        It was not if the table, or the reporter (a player id) at this table, has reached the limit of reports. `about`
        quotes what is reported, `text` is the reporter's own. The table need not exist.
        """

        def work(connection: sa.Connection) -> bool:
            mine = _reports.c.table_id == table_id
            own = sa.func.count().filter(_reports.c.reporter == reporter)
            total, total_own = connection.execute(sa.select(sa.func.count(), own).where(mine)).one()
            if total >= MAX_REPORTS_PER_TABLE or total_own >= MAX_REPORTS_PER_REPORTER:
                return False
            row = {"table_id": table_id, "number": number, "reporter": reporter, "about": about, "text": text, "at": at}
            connection.execute(_reports.insert().values(done=False, **row))
            return True

        return self.write(table_id, work)

    def list_open_reports(self, limit: int) -> list[Report]:
        """List the `limit` oldest open reports, which no one has dealt with yet, in order of arrival."""
        query = _reports.select().where(_reports.c.done == sa.false()).order_by(_reports.c.id).limit(limit)
        return [Report(*row) for row in self.fetch_all(query)]

    def close_report(self, report_id: int) -> WriteResult[bool]:
        """Mark a report as dealt with; the result is False if it was not open or does not exist."""
        update = _reports.update().where(_reports.c.id == report_id, _reports.c.done == sa.false())
        return self.write("", make_work(update.values(done=True)))
