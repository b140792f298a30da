"""The servers' beats, and the times in which none was alive."""

from __future__ import annotations

from typing import NamedTuple

import sqlalchemy as sa

from fourcorners.web.store import schema
from fourcorners.web.store.database import Database, insert_if_absent, upsert

_KEPT = 24 * 3600.0
_beats, _outages = schema.beats, schema.outages


class Outage(NamedTuple):
    """A time in which no server was alive; no clock ran."""

    began: float
    ended: float


class HeartbeatStore(Database):
    """What keeps clocks fair when servers come and go."""

    def last_time(self) -> float:
        """Return the latest time that is stored, 0 if none is."""
        latest = [sa.select(sa.func.max(column)) for column in (_beats.c.at, schema.tables.c.changed)]
        with self.read() as connection:
            return max(float(connection.scalar(chosen) or 0.0) for chosen in latest)

    def started(self, process: str, now: float, grace: float) -> Outage | None:
        """Note that a process is alive; if the last beat of any is longer ago than `grace`, record the outage.

        Of processes that start at once one records it, and the others are told of it as well.
        """

        def work(connection: sa.Connection) -> Outage | None:
            latest = connection.scalar(sa.select(sa.func.max(_beats.c.at)))
            upsert(connection, _beats, {"process": process, "at": now})
            connection.execute(_beats.delete().where(_beats.c.at < now - _KEPT))
            if latest is None or now - latest <= grace:
                return None
            insert_if_absent(connection, _outages, {"began": latest, "ended": now})
            ended = connection.scalar(sa.select(_outages.c.ended).where(_outages.c.began == latest))
            return Outage(latest, now if ended is None else ended)

        return self.write_now("", work)

    def outages_between(self, begin: float, end: float) -> list[Outage]:
        """List the outages that fall into a time, in part at least, in their order."""
        chosen = _outages.select().where(_outages.c.ended > begin, _outages.c.began < end).order_by(_outages.c.began)
        with self.read() as connection:
            return [Outage(*row) for row in connection.execute(chosen)]
