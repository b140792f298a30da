"""The targets of the comparison, and its figures as tables for people."""

import statistics
import sys
from collections.abc import Mapping, Sequence
from typing import Any

from rich.console import Console
from rich.table import Table as RichTable

from benchmarks.load.comparison import ECHO, TARGET_RATE
from benchmarks.load.workload import MAX_P99_MS, has_kept_up

OURS, MEMORY, FILES = "ours", "memory", "files"
MAX_KIB_PER_SOCKET, MAX_IDLE_SHARE, MAX_PAUSE_MS = 25.0, 0.05, 50.0
MIN_RATE_RATIO_MEMORY, MIN_RATE_RATIO_FILES = 1.0, 10.0
NONE = "–"
Rows = list[list[str]]


def list_equal_rates(rates: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Compare processor time per move where we and boardgame.io in memory kept up with the same rate.

    Return for each rate "asked_per_s", both times in ms, "ours" and "memory", and their "ratio".
    """
    times: dict[str, dict[float, float]] = {
        name: {
            step["asked_per_s"]: step["server_cpu_ms_per_move"] for step in rates[name]["steps"] if has_kept_up(step)
        }
        for name in (OURS, MEMORY)
        if name in rates
    }
    if len(times) < 2:
        return []
    return [
        {"asked_per_s": rate, **(row := {name: times[name][rate] for name in times}), "ratio": row[OURS] / row[MEMORY]}
        for rate in sorted(times[OURS].keys() & times[MEMORY].keys())
    ]


def check_targets(result: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return for each target its "name", "target" and "measured" value as text, and whether it is "met".

    None means that it could not be measured: a server is missing, or was not measured.
    """
    rates, sockets = result["rates"], result["sockets"].get(OURS, {})
    highest = {name: rates[name]["highest"] for name in rates}
    rows: list[dict[str, Any]] = []

    def add(name: str, target: str, measured: str | None, *, is_met: bool) -> None:
        rows.append({"name": name, "target": target, "measured": measured, "met": None if measured is None else is_met})

    equal = [row["ratio"] for row in list_equal_rates(rates)]
    ratio = statistics.median(equal) if equal else 0.0
    name = "processor time per stored move / boardgame.io in memory"
    add(f"{name}, at equal rates", "≤ 1.00", f"{ratio:.2f}" if equal else None, is_met=ratio <= 1)
    ours, memory, files = (highest.get(key) for key in (OURS, MEMORY, FILES))
    both = bool(ours and memory)
    ratio = ours["server_cpu_ms_per_move"] / memory["server_cpu_ms_per_move"] if ours and memory else 0.0
    add(f"{name}, each at its highest rate", "≤ 1.00", f"{ratio:.2f}" if both else None, is_met=ratio <= 1)
    ratio = ours["asked_per_s"] / memory["asked_per_s"] if ours and memory else 0.0
    name = f"moves/s at p99 {MAX_P99_MS:g} ms / boardgame.io"
    target = f"≥ {MIN_RATE_RATIO_MEMORY:.1f}"
    add(f"{name} in memory", target, f"{ratio:.2f}" if both else None, is_met=ratio >= MIN_RATE_RATIO_MEMORY)
    # Without any rate with which the files kept up, the lowest that was tried is more than they can do.
    least = min((step["asked_per_s"] for step in rates[FILES]["steps"]), default=0.0) if FILES in rates else 0.0
    base = files["asked_per_s"] if files else least
    ratio = ours["asked_per_s"] / base if ours and base else 0.0
    measured = f"{'' if files else '> '}{ratio:.1f}" if ratio else None
    target = f"≥ {MIN_RATE_RATIO_FILES:g}"
    add(f"{name} in files", target, measured, is_met=ratio >= MIN_RATE_RATIO_FILES)

    count = sockets.get("sockets", 0)
    played = sockets.get("while_played")
    p99 = played["acknowledged_ms"]["p99"] if played else 0.0
    kept_up = bool(played) and has_kept_up(played)
    name = f"p99 with {count:,} sockets and {TARGET_RATE:g} moves/s"
    add(name, f"≤ {MAX_P99_MS:g} ms", f"{p99:g} ms" if played else None, is_met=kept_up)
    memory_each = sockets.get("kib_per_socket")
    measured = None if memory_each is None else f"{memory_each:g} KiB"
    add("memory per socket", f"≤ {MAX_KIB_PER_SOCKET:g} KiB", measured, is_met=(memory_each or 0) <= MAX_KIB_PER_SOCKET)
    share = sockets.get("idle_cpu_share")
    measured = None if share is None else f"{share:.1%}"
    name = f"share of a core for {count:,} idle sockets"
    add(name, f"≤ {MAX_IDLE_SHARE:.0%}", measured, is_met=(share or 0) <= MAX_IDLE_SHARE)
    pause = sockets["pauses_ms"]["worst"] if "pauses_ms" in sockets else None
    measured = None if pause is None else f"{pause:g} ms"
    add("longest pause meanwhile", f"≤ {MAX_PAUSE_MS:g} ms", measured, is_met=(pause or 0) <= MAX_PAUSE_MS)
    return rows


def build_target_rows(targets: Sequence[Mapping[str, Any]]) -> Rows:
    """Return the targets as rows of text under TARGET_HEADER."""
    verdicts = {True: "met", False: "missed", None: "not measured"}
    return [[row["name"], row["target"], row["measured"] or NONE, verdicts[row["met"]]] for row in targets]


def build_rate_rows(rates: Mapping[str, Any]) -> Rows:
    """Return all steps as rows of text under RATE_HEADER, by rate, then by server."""
    rows = []
    steps = [(step["asked_per_s"], name, step) for name in rates for step in rates[name]["steps"]]
    order = list(rates)
    for rate, name, step in sorted(steps, key=lambda item: (item[0], order.index(item[1]))):
        row = [f"{rate:g}", rates[name]["name"]]
        if "failed" in step:
            rows.append([*row, *[NONE] * 5, f"failed: {step['failed']}"])
            continue
        own = step["acknowledged_ms"]
        note = "kept up" if has_kept_up(step) else "fell behind"
        note += "; the load generator was the limit" if step["client_is_limit"] else ""
        rows.append(
            [
                *row,
                f"{step['moves_per_s']:g}",
                f"{own['p50']:g}",
                f"{own['p99']:g}",
                f"{step['server_cpu_ms_per_move']:.2f}",
                f"{step['client_cpu_share']:.0%}",
                note,
            ]
        )
    return rows


def build_socket_rows(sockets: Mapping[str, Any]) -> Rows:
    """Return the cost of open sockets as rows of text under SOCKET_HEADER."""
    rows = []
    for cost in sockets.values():
        row = [cost["name"], f"{cost['sockets']:,}"]
        if "failed" in cost:
            rows.append([*row, *[NONE] * 7, f"failed: {cost['failed']}"])
            continue
        played, pauses = cost["while_played"], cost["pauses_ms"]
        own = played["acknowledged_ms"]
        rows.append(
            [
                *row,
                f"{cost['opening_s']:g}",
                f"{cost['kib_per_socket']:g}",
                f"{cost['idle_cpu_share']:.1%}",
                f"{cost['beats_per_socket_and_s']:g}, {cost['cpu_us_per_beat']:g} µs",
                f"{own['p50']:g}",
                f"{own['p99']:g}",
                f"{played['server_cpu_ms_per_move']:.2f}",
                f"p99 {pauses['p99']:g}, longest {pauses['worst']:g}",
            ]
        )
    return rows


TARGET_HEADER = ["figure", "target", "measured", "result"]
RATE_HEADER = ["asked/s", "server", "moves/s", "p50 ms", "p99 ms", "CPU ms/move", "load generator", "result"]
SOCKET_HEADER = [
    *("server", "sockets", "opened in s", "KiB each", "idle CPU", "beats/s each, CPU of one"),
    *("p50 ms", "p99 ms", "CPU ms/move", "pauses, ms"),
]
EQUAL_HEADER = ["moves/s", "fourcorners", "boardgame.io in memory", "ratio"]


def build_equal_rows(rates: Mapping[str, Any]) -> Rows:
    """Return the comparison at equal rates as rows of text under EQUAL_HEADER."""
    return [
        [f"{row['asked_per_s']:g}", f"{row[OURS]:.2f} ms", f"{row[MEMORY]:.2f} ms", f"{row['ratio']:.2f}"]
        for row in list_equal_rates(rates)
    ]


def describe_echo(rates: Mapping[str, Any]) -> str:
    """Return the processor time per move of the bare echo in ms as text; "–" if it was not measured."""
    steps = [step for step in rates.get(ECHO, {}).get("steps", []) if "failed" not in step]
    return f"{min(step['server_cpu_ms_per_move'] for step in steps):.2f}" if steps else NONE


def print_tables(tables: Sequence[tuple[str, Sequence[str], Rows]]) -> None:
    """Print tables, each with a title, a header and rows, to stderr."""
    console = Console(file=sys.stderr, width=140)
    for title, header, rows in tables:
        table = RichTable(title=title, title_justify="left")
        for name in header:
            table.add_column(name)
        for row in rows:
            table.add_row(*row)
        console.print(table)


def print_comparison(result: Mapping[str, Any]) -> None:
    """Print the figures of a comparison and its targets to stderr."""
    echo = describe_echo(result["rates"])
    print_tables(
        [
            (
                f"Moves ({result['tables']} tables; latency from when a move was due)",
                RATE_HEADER,
                build_rate_rows(result["rates"]),
            ),
            (
                f"Processor time per move at equal rates (bare echo: {echo} ms)",
                EQUAL_HEADER,
                build_equal_rows(result["rates"]),
            ),
            ("Open sockets", SOCKET_HEADER, build_socket_rows(result["sockets"])),
            ("Targets", TARGET_HEADER, build_target_rows(result["targets"])),
        ]
    )
