"""What a move costs with PostgreSQL, which flushes to the disk, and with Redis between two servers."""

import asyncio
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import psycopg
import redis

from benchmarks.load.our_server import OurServer
from benchmarks.load.processes import read_cpu_seconds
from benchmarks.load.workload import CLIENT_ERRORS, Tables, count_bytes, play_at_rate, play_whole_game, print_progress
from tests.servers import MissingServerError, run_postgres, run_redis

_STATISTICS_DELAY = 2.0
"""Seconds after which PostgreSQL's statistics are up to date: a session reports at most once a second."""


@dataclass(frozen=True)
class CostPlan:
    """Play at a rate over some tables, after both servers have been observed for `idle_seconds` without moves."""

    tables: int = 100
    rate: float = 250.0
    seconds: float = 20.0
    idle_seconds: float = 10.0


class Counters(NamedTuple):
    """What has been used so far, by both servers, PostgreSQL and Redis; processor time is in seconds."""

    server_cpu: float
    other_server_cpu: float
    postgresql_cpu: float
    redis_cpu: float
    transactions: float
    wal_bytes: float
    redis_messages: float
    client_bytes: float


class Meter:
    """Reads the counters of two servers over one PostgreSQL and one Redis."""

    def __init__(self, servers: tuple[OurServer, OurServer], database: str, events: str, tables: Tables) -> None:
        """Connect to both by their addresses; raise psycopg.Error or redis.RedisError."""
        self._servers, self._tables = servers, tables
        self._database = psycopg.connect(database, autocommit=True)
        self._events = redis.Redis.from_url(events, decode_responses=True)
        pid = self._query("SELECT pg_backend_pid()")
        # Its parent has all processes of PostgreSQL.
        self._postgresql = int(Path(f"/proc/{int(pid)}/stat").read_text().rpartition(") ")[2].split()[1])

    def _query(self, text: str) -> float:
        row = self._database.execute(text.encode()).fetchone()
        assert row is not None
        return float(row[0])

    def read(self) -> Counters:
        """Return the counters; raise psycopg.Error or redis.RedisError."""
        used: Any = self._events.info("cpu")
        calls: Any = self._events.info("commandstats")
        return Counters(
            read_cpu_seconds(self._servers[0].pid),
            read_cpu_seconds(self._servers[1].pid),
            read_cpu_seconds(self._postgresql),
            used["used_cpu_user"] + used["used_cpu_sys"],
            self._query("SELECT xact_commit FROM pg_stat_database WHERE datname = current_database()"),
            self._query("SELECT pg_current_wal_insert_lsn() - '0/0'::pg_lsn"),
            calls.get("cmdstat_publish", {}).get("calls", 0),
            count_bytes(self._tables.clients),
        )

    def close(self) -> None:
        """Disconnect."""
        self._database.close()
        self._events.close()


async def measure_costs(folder: Path, prefix: list[str], plan: CostPlan) -> dict[str, Any]:
    """Return the costs of a move by name, times in ms; or why they could not be measured, as "failed".

    What both servers do without moves is subtracted. `prefix` pins the first server to a core; the second, PostgreSQL
    and Redis share the core of this process.
    """
    print_progress("PostgreSQL and Redis")
    try:
        with run_postgres(durable=True) as database, run_redis() as events:
            return await _measure_over(folder, prefix, database, events, plan)
    except (*CLIENT_ERRORS, MissingServerError, AssertionError, psycopg.Error, redis.RedisError) as error:
        return {"failed": str(error) or type(error).__name__}


async def _measure_over(folder: Path, prefix: list[str], database: str, events: str, plan: CostPlan) -> dict[str, Any]:
    servers = (
        OurServer(folder / "first", database, prefix, events),
        OurServer(folder / "second", database, (), events),
    )
    tables = Tables(servers[0], plan.tables)
    await servers[0].start()
    try:
        await servers[1].start()
        meter = Meter(servers, database, events, tables)
        try:
            await play_whole_game(servers[0], 1)
            await tables.prepare(int(plan.rate * (plan.seconds + 1) / plan.tables) + 2)
            await play_at_rate(servers[0], tables.all, plan.rate, 1.0)  # does not count
            await asyncio.sleep(_STATISTICS_DELAY)
            before = meter.read()
            await asyncio.sleep(plan.idle_seconds)
            between = meter.read()
            moves = (await play_at_rate(servers[0], tables.all, plan.rate, plan.seconds))["moves"]
            await asyncio.sleep(_STATISTICS_DELAY)
            after = meter.read()
        finally:
            meter.close()
    finally:
        await tables.close()
        for server in servers:
            await server.stop()
    idle_share = (plan.seconds + _STATISTICS_DELAY) / plan.idle_seconds
    result: dict[str, Any] = {"moves": moves, "rate": plan.rate, "tables": plan.tables}
    for name, start, middle, end in zip(Counters._fields, before, between, after, strict=True):
        each = max(0.0, (end - middle) - (middle - start) * idle_share) / moves
        result[f"{name}_ms" if name.endswith("_cpu") else name] = round(
            1000 * each if name.endswith("_cpu") else each, 4
        )
    print_progress(f"  {result}")
    return result
