"""Store the servers' heartbeats, and the outages during which no server was alive."""

import sqlalchemy as sa

from fourcorners.web.domain.clocks import DAY, Outage
from fourcorners.web.store import schema
from fourcorners.web.store.database import Database, insert_if_absent, upsert

_BEATS_KEPT = DAY
_beats, _outages = schema.beats, schema.outages


class HeartbeatStore(Database):
    """Heartbeats and outages, which keep game clocks fair when servers stop and start."""

    def read_latest_time(self) -> float:
        """Return the latest server time of any heartbeat or table change, in seconds, 0 if none; raise StoreError."""
        latest = [sa.select(sa.func.max(column)) for column in (_beats.c.at, schema.tables.c.changed)]
        with self.read() as connection:
            return max(float(connection.scalar(query) or 0.0) for query in latest)

    def record_heartbeat(self, process: str, now: float, grace: float) -> Outage | None:
        """Record that a process is alive; if no process was for more than `grace` seconds, record and return an outage.

        An outage is (last heartbeat, `now`) in seconds of server time; the first heartbeat of all ends none. Of several
        processes that start at once, one records it, and the others return the same one or None. Also delete heartbeats
        older than a day. Raise StoreError, perhaps although it was committed.
        """

        def work(connection: sa.Connection) -> Outage | None:
            latest = connection.scalar(sa.select(sa.func.max(_beats.c.at)))  # read before the upsert adds `now`
            upsert(connection, _beats, {"process": process, "at": now})
            connection.execute(_beats.delete().where(_beats.c.at < now - _BEATS_KEPT))
            if latest is None or now - latest <= grace:
                return None
            insert_if_absent(connection, _outages, {"began": latest, "ended": now})
            ended = connection.scalar(sa.select(_outages.c.ended).where(_outages.c.began == latest))
            return latest, now if ended is None else ended

        return self.write_now("", work)

    def list_outages(self, begin: float, end: float) -> list[Outage]:
        """List the outages (began, ended) that overlap a period, which is more than to touch it, by time."""
        query = _outages.select().where(_outages.c.ended > begin, _outages.c.began < end).order_by(_outages.c.began)
        return [(began, ended) for began, ended in self.fetch_all(query)]
