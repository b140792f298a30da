"""Store analyses that someone shares by a link; they never change."""

from typing import NamedTuple

import sqlalchemy as sa

from fourcorners.web.domain.clocks import DAY
from fourcorners.web.store import schema
from fourcorners.web.store.database import Database, make_work
from fourcorners.web.store.write_result import WriteResult

MAX_LENGTH = 300_000
"""The longest analysis that is stored, in characters."""
MAX_PER_PLAYER = 1000
"""How many analyses of one player are kept."""
UNUSED_AFTER = 365 * DAY
"""Seconds after which an analysis that no one has opened is deleted."""
GUESTS_UNUSED_AFTER = 30 * DAY
"""The same for analyses of guests: anyone can create any number of guests."""
SEEN_EVERY = DAY
"""How often it is noted, at most, that someone has opened one."""
_DELETED_AT_ONCE = 100
_analyses, _players = schema.analyses, schema.players


class StoredAnalysis(NamedTuple):
    """The text of an analysis, when someone last opened it, and what is shown of it, as it was given."""

    text: str
    seen: float
    shown: str


class AnalysisStore(Database):
    """Analyses that are shared."""

    def add_analysis(self, analysis_id: str, owner: str, text: str, now: float, shown: str = "") -> WriteResult[bool]:
        """Store the text of an analysis under a new id, shared by a player at a server time in seconds, and what is
        shown of it; delete some that no one uses any more. The result is False if the player has too many. It must not
        be longer than `MAX_LENGTH`.
        """
        row = {"id": analysis_id, "owner": owner, "text": text, "created": now, "seen": now, "shown": shown}

        def work(connection: sa.Connection) -> bool:
            accounts = sa.select(_players.c.id).where(_players.c.account.is_not(None))
            is_of_guest = sa.and_(_analyses.c.seen < now - GUESTS_UNUSED_AFTER, _analyses.c.owner.not_in(accounts))
            unused = sa.select(_analyses.c.id).where(sa.or_(_analyses.c.seen < now - UNUSED_AFTER, is_of_guest))
            ids = list(connection.scalars(unused.order_by(_analyses.c.seen).limit(_DELETED_AT_ONCE)))
            if ids:
                connection.execute(_analyses.delete().where(_analyses.c.id.in_(ids)))
            count = sa.select(sa.func.count()).select_from(_analyses).where(_analyses.c.owner == owner)
            if (connection.scalar(count) or 0) >= MAX_PER_PLAYER:
                return False
            connection.execute(_analyses.insert(), row)
            return True

        return self.write("", work)

    def load_analysis(self, analysis_id: str) -> StoredAnalysis | None:
        """Return an analysis; None if there is none. Raise StoreError."""
        query = sa.select(_analyses.c.text, _analyses.c.seen, _analyses.c.shown).where(_analyses.c.id == analysis_id)
        row = self.fetch_first(query)
        return None if row is None else StoredAnalysis(row.text, row.seen, row.shown)

    def touch_analysis(self, analysis_id: str, now: float) -> WriteResult[bool]:
        """Note that someone has opened an analysis; the result is whether there is one."""
        return self.write("", make_work(_analyses.update().where(_analyses.c.id == analysis_id).values(seen=now)))
