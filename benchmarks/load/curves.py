"""How our server scales over tables and over watchers of one table, and what PostgreSQL and Redis add."""

import asyncio
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.load.clients import CreateServer, GameServer
from benchmarks.load.costs import CostPlan, measure_costs
from benchmarks.load.processes import read_memory_kib
from benchmarks.load.targets import NONE, Rows, print_tables
from benchmarks.load.workload import (
    CLIENT_ERRORS,
    ScriptedMatch,
    Tables,
    close_matches,
    has_kept_up,
    measure_step,
    play_whole_game,
    print_progress,
    raise_file_limit,
    start_matches,
)

_MIN_COUNT = 300
_RESERVE = 400
"""File descriptors that the server keeps free or needs for other things than sockets."""


@dataclass(frozen=True)
class Plan:
    """What to measure: at each point the rates, in order, until the server falls behind, for `seconds` each.

    The first rate is that at which latencies are compared.
    """

    tables: tuple[int, ...] = (10, 30, 100, 300, 1000, 3000, 10_000)
    table_rates: tuple[float, ...] = (200, 400, 700, 1000, 1400, 2000, 2800)
    watchers: tuple[int, ...] = (1, 4, 16, 32, 64)
    watcher_rates: tuple[float, ...] = (20, 50, 100, 200, 400)
    seconds: float = 3.0
    costs: CostPlan = field(default_factory=CostPlan)


QUICK = Plan((10, 20), (50,), (1, 4), (10,), 1.0, CostPlan(10, 50.0, 2.0, 1.0))


async def measure_curves(create_server: CreateServer, folder: Path, prefix: list[str], plan: Plan) -> dict[str, Any]:
    """Return the points of both curves, "tables" and "watchers", and "costs"; raise RuntimeError if no server starts.

    A point has its "steps", "highest" and "first" (None if there is none), and its memory.
    """
    tables = [await measure_table_point(create_server, count, plan) for count in plan.tables]
    watchers = [await measure_watcher_point(create_server, count, plan) for count in plan.watchers]
    return {"tables": tables, "watchers": watchers, "costs": await measure_costs(folder, prefix, plan.costs)}


async def climb(tables: Tables, rates: Sequence[float], seconds: float) -> dict[str, Any]:
    """Try growing rates until the server falls behind; return the "steps", the "highest" one and the "first"."""
    steps = []
    for rate in rates:
        steps.append(await measure_step(tables, rate, seconds, 1))
        del steps[-1]["rounds"]  # the only one is the step itself
        if not has_kept_up(steps[-1]):
            break
    kept_up = [step for step in steps if has_kept_up(step)]
    return {"steps": steps, "highest": kept_up[-1] if kept_up else None, "first": steps[0]}


async def measure_table_point(create_server: CreateServer, count: int, plan: Plan) -> dict[str, Any]:
    """Measure a fresh server with `count` open tables; as far as files allow, both players are connected.

    Moves are played at these; at the others the opponent has left. Return the point, or the error as "failed".
    """
    print_progress(f"{count:,} tables")
    both = max(0, min(count, raise_file_limit() - _RESERVE - count))
    server = create_server()
    await server.start()
    matches: list[ScriptedMatch] = []
    tables = Tables(server, both)
    try:
        await play_whole_game(server, 1)
        before, began = read_memory_kib(server.pid), time.perf_counter()
        await tables.prepare(1)
        matches = await open_lonely_tables(server, count - both)
        opening, memory = time.perf_counter() - began, read_memory_kib(server.pid)
        point = {
            "count": count,
            "sockets": 2 * both + len(matches),
            "opening_s": round(opening, 1),
            "memory_mib": round(memory / 1024, 1),
            "kib_per_table": round((memory - before) / count, 1),
            **await climb(tables, plan.table_rates, plan.seconds),
        }
    except CLIENT_ERRORS as error:
        point = {"count": count, "failed": str(error) or type(error).__name__}
    finally:
        await tables.close()
        await close_matches(matches)
        await server.stop()
    return point


async def open_lonely_tables(server: GameServer, count: int) -> list[ScriptedMatch]:
    """Start games whose second player leaves at once, a hundred at a time; raise what clients raise."""
    matches: list[ScriptedMatch] = []
    while len(matches) < count:
        started = await start_matches(server, min(100, count - len(matches)))
        for match in started:
            match.players[1].close()
        matches += started
        await asyncio.sleep(0)
    return matches


async def measure_watcher_point(create_server: CreateServer, count: int, plan: Plan) -> dict[str, Any]:
    """Measure a fresh server with one table that `count` others watch; return the point, or the error as "failed"."""
    print_progress(f"{count} watchers of one table")
    server = create_server()
    await server.start()
    tables = Tables(server, 1, count)
    try:
        await play_whole_game(server, 1)
        await tables.prepare(1)
        point = {
            "count": count,
            "sockets": count + 2,
            "memory_mib": round(read_memory_kib(server.pid) / 1024, 1),
            **await climb(tables, plan.watcher_rates, plan.seconds),
        }
    except CLIENT_ERRORS as error:
        point = {"count": count, "failed": str(error) or type(error).__name__}
    finally:
        await tables.close()
        await server.stop()
    return point


TABLE_HEADER = [
    *("tables", "sockets", "opened in s", "memory MiB", "KiB per table"),
    *("p50 ms", "p99 ms", "CPU ms/move", "most moves/s", "p99 ms there", "CPU ms/move there", "the limit"),
]
WATCHER_HEADER = [
    *("watchers", "memory MiB", "p50 ms", "p99 ms", "all saw it p99 ms", "CPU ms/move"),
    *("most moves/s", "p99 ms there", "CPU ms/move there", "the limit"),
]


def describe_limit(point: Mapping[str, Any]) -> str:
    """Return what ended the climb of a point."""
    last = point["steps"][-1]
    if "failed" in last:
        return f"failed: {last['failed']}"
    if last["client_is_limit"]:
        return "load generator"
    return "not reached" if has_kept_up(last) else "server"


def _list_latencies(step: Mapping[str, Any], *, seen: bool = False) -> list[str]:
    """Return the median, the 99th percentile and the processor time of a step as text."""
    if "failed" in step:
        return [NONE] * (4 if seen else 3)
    own = step["acknowledged_ms"]
    times = [own["p50"], own["p99"], *([step["seen_ms"]["p99"]] if seen else [])]
    return [*(f"{value:g}" for value in times), f"{step['server_cpu_ms_per_move']:.2f}"]


def _list_highest(point: Mapping[str, Any]) -> list[str]:
    """Return the highest rate of a point with its latency and processor time, and the limit, as text."""
    step = point["highest"]
    if step is None:
        return [NONE, NONE, NONE, describe_limit(point)]
    cpu = f"{step['server_cpu_ms_per_move']:.2f}"
    return [f"{step['asked_per_s']:g}", f"{step['acknowledged_ms']['p99']:g}", cpu, describe_limit(point)]


def build_table_rows(points: Sequence[Mapping[str, Any]]) -> Rows:
    """Return the points of the curve over tables as rows of text under TABLE_HEADER."""
    rows = []
    for point in points:
        if "failed" in point:
            rows.append([f"{point['count']:,}", *[NONE] * 10, point["failed"]])
            continue
        start = [f"{point['count']:,}", f"{point['sockets']:,}", f"{point['opening_s']:g}", f"{point['memory_mib']:g}"]
        # What a few tables need is lost in what a server needs anyway.
        each = f"{point['kib_per_table']:g}" if point["count"] >= _MIN_COUNT else NONE
        rows.append([*start, each, *_list_latencies(point["first"]), *_list_highest(point)])
    return rows


def build_watcher_rows(points: Sequence[Mapping[str, Any]]) -> Rows:
    """Return the points of the curve over watchers as rows of text under WATCHER_HEADER."""
    rows = []
    for point in points:
        if "failed" in point:
            rows.append([str(point["count"]), *[NONE] * 8, point["failed"]])
            continue
        start = [str(point["count"]), f"{point['memory_mib']:g}"]
        rows.append([*start, *_list_latencies(point["first"], seen=True), *_list_highest(point)])
    return rows


COST_HEADER = ["cost of a move", "measured"]


def build_cost_rows(costs: Mapping[str, Any]) -> Rows:
    """Return the costs with PostgreSQL and Redis as rows of text under COST_HEADER."""
    if "failed" in costs:
        return [["not measured", costs["failed"]]]
    rows = [
        ("processor time of the server", f"{costs['server_cpu_ms']:.2f} ms"),
        ("processor time of a second server, which only hears of it", f"{costs['other_server_cpu_ms']:.3f} ms"),
        ("processor time of PostgreSQL", f"{costs['postgresql_cpu_ms']:.2f} ms"),
        ("processor time of Redis, for two servers", f"{costs['redis_cpu_ms']:.3f} ms"),
        ("transactions of PostgreSQL", f"{costs['transactions']:.2f}"),
        ("write-ahead log of PostgreSQL", f"{costs['wal_bytes']:,.0f} bytes"),
        ("messages published through Redis", f"{costs['redis_messages']:.2f}"),
        ("bytes to and from both players", f"{costs['client_bytes']:,.0f} bytes"),
    ]
    return [list(row) for row in rows]


def print_curves(result: Mapping[str, Any]) -> None:
    """Print the figures of the curves to stderr."""
    print_tables(
        [
            ("Tables", TABLE_HEADER, build_table_rows(result["tables"])),
            ("Watchers of one table", WATCHER_HEADER, build_watcher_rows(result["watchers"])),
            ("With PostgreSQL and Redis", COST_HEADER, build_cost_rows(result["costs"])),
        ]
    )
