"""The figures of `scripts/load`: medians, targets, the search for the highest rate, the report and the estimate."""

import asyncio
import copy
import json
from pathlib import Path
from typing import Any

import pytest

from benchmarks.load import estimate, report
from benchmarks.load.comparison import Plan, halve
from benchmarks.load.echo import EchoServer
from benchmarks.load.targets import check_targets, list_equal_rates
from benchmarks.load.workload import Tables, compute_medians, compute_percentiles, has_kept_up


def test_percentiles_of_seconds_are_in_milliseconds_and_include_the_worst_time() -> None:
    assert compute_percentiles([0.003, 0.001, 0.002]) == {"p50": 2.0, "p95": 3.0, "p99": 3.0, "worst": 3.0}


def test_medians_of_rounds_are_taken_for_each_figure() -> None:
    rounds = [
        {"rate": 10.0, "times": {"p99": p99}, "client_is_limit": is_limit}
        for p99, is_limit in ((3.0, True), (1.0, False), (50.0, False))
    ]
    assert compute_medians(rounds) == {"rate": 10.0, "times": {"p99": 3.0}, "client_is_limit": False}


def build_step(rate: float, cpu: float, p99: float = 10.0) -> dict[str, Any]:
    latency = {"p50": 1.0, "p95": p99, "p99": p99, "worst": p99}
    return {
        "asked_per_s": rate,
        "moves": 300,
        "moves_per_s": rate,
        "acknowledged_ms": latency,
        "seen_ms": latency,
        "server_cpu_ms_per_move": cpu,
        "server_cpu_share": 0.5,
        "client_cpu_share": 0.1,
        "other_cpu_share": 0.0,
        "client_lag_p99_ms": 1.0,
        "client_is_limit": False,
    }


def build_comparison() -> dict[str, Any]:
    """Return figures with which all targets are met."""
    ours = [build_step(100, 0.9), build_step(1200, 0.5), build_step(1600, 0.5, p99=90.0)]
    memory = [build_step(100, 1.0), build_step(1200, 1.0)]
    files = [build_step(100, 3.0)]
    rates = {
        name: {"name": name, "steps": steps, "highest": [step for step in steps if has_kept_up(step)][-1]}
        for name, steps in (("ours", ours), ("memory", memory), ("files", files))
    }
    socket_figures = {
        "name": "ours",
        "sockets": 5000,
        "opening_s": 30.0,
        "kib_per_socket": 20.0,
        "idle_cpu_share": 0.04,
        "idle_bytes_per_socket_and_s": 5.0,
        "beats_per_socket_and_s": 0.1,
        "cpu_us_per_beat": 100.0,
        "memory_before_kib": 200 * 1024,
        "while_played": build_step(250, 0.5),
        "pauses_ms": {"pings": 100, "answers": 100, "p50": 0.2, "p95": 1.0, "p99": 2.0, "worst": 30.0},
    }
    return {"tables": 100, "rates": rates, "sockets": {"ours": socket_figures}}


def test_processor_time_is_compared_at_equal_rates_with_which_both_kept_up() -> None:
    rows = list_equal_rates(build_comparison()["rates"])
    assert [(row["asked_per_s"], row["ratio"]) for row in rows] == [(100, 0.9), (1200, 0.5)]


def test_targets_are_met_missed_or_not_measured() -> None:
    result = build_comparison()
    assert [row["met"] for row in check_targets(result)] == [True] * 8
    worse = copy.deepcopy(result)
    for step in worse["rates"]["ours"]["steps"]:
        step["server_cpu_ms_per_move"] = 1.5
    worse["rates"]["ours"]["highest"] = build_step(900, 1.5)
    figures = worse["sockets"]["ours"]
    figures.update(kib_per_socket=26.0, idle_cpu_share=0.06, while_played=build_step(250, 1.0, p99=51.0))
    figures["pauses_ms"]["worst"] = 51.0
    assert [row["met"] for row in check_targets(worse)] == [False] * 8
    alone = {**result, "rates": {"ours": result["rates"]["ours"]}, "sockets": {"ours": {"failed": "no memory"}}}
    assert [row["met"] for row in check_targets(alone)] == [None] * 8


def test_peer_that_keeps_up_with_no_rate_counts_as_slower_than_the_lowest() -> None:
    result = build_comparison()
    result["rates"]["files"] = {"name": "files", "steps": [build_step(100, 3.0, p99=80.0)], "highest": None}
    assert check_targets(result)[3]["measured"] == "> 12.0"


def test_highest_rate_is_searched_for_between_success_and_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    async def measure(tables: Tables, rate: float, seconds: float, rounds: int) -> dict[str, Any]:
        """Keep up with 700 moves/s."""
        asked.append(rate)
        return build_step(rate, 1.0, p99=10.0 if rate <= 700 else 90.0)

    monkeypatch.setattr("benchmarks.load.comparison.measure_step", measure)
    steps = [build_step(600, 1.0), build_step(800, 1.0, p99=90.0)]
    asyncio.run(halve(steps, Tables(EchoServer(), 0), Plan(halvings=2)))
    assert asked == [700, 750]


def build_curves() -> dict[str, Any]:
    """Return figures of two points of each curve, and round costs of a move."""

    def build_point(count: int, highest: dict[str, Any] | None) -> dict[str, Any]:
        steps = [build_step(200, 1.0), build_step(400, 1.0, p99=90.0)]
        figures = {"count": count, "sockets": 2 * count, "opening_s": 1.0, "memory_mib": 150.0, "kib_per_table": 90.0}
        return {**figures, "steps": steps, "highest": highest, "first": steps[0]}

    costs = {
        "server_cpu_ms": 1.0,
        "other_server_cpu_ms": 0.01,
        "postgresql_cpu_ms": 0.1,
        "redis_cpu_ms": 0.002,
        "transactions": 0.5,
        "wal_bytes": 1000.0,
        "redis_messages": 1.0,
        "client_bytes": 2000.0,
    }
    points = [build_point(10, build_step(200, 1.0)), build_point(1000, None), {"count": 3000, "failed": "no memory"}]
    return {"kind": "curves", "tables": points, "watchers": points, "costs": costs}


MACHINE = {"processor": "Test", "cores": 2, "memory_gib": 8, "system": "Linux 6", "python": "3.11"}


def test_report_writes_all_tables_and_plots_and_nothing_else(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = {"quick": False, "pinned": True, "files": 20_000, "machine": {**MACHINE, "load_average": 0.1}}
    comparison = {**run, **build_comparison(), "kind": "comparison"}
    comparison["targets"] = check_targets(comparison)
    curves = {**run, **build_curves()}
    for name, figures in (("comparison", comparison), ("curves", curves)):
        tmp_path.joinpath(name).write_text(json.dumps(figures))
    document = tmp_path / "performance.md"
    document.write_text(report.DOCUMENT.read_text())
    monkeypatch.setattr(report, "DOCUMENT", document)
    monkeypatch.setattr(report, "PICTURES", tmp_path)
    report.main(str(tmp_path / "comparison"), str(tmp_path / "curves"))
    text = document.read_text()
    assert "| memory per socket | ≤ 25 KiB | 20 KiB | met |" in text
    assert "The machine was busy" not in text
    # 47,619 moves/s need 47.6 cores, 100,000 heartbeats/s 10, together at 60 % 96 processes.
    assert "| processes, one for each core | both / 60% | 96 |" in text
    for name in ("tables", "watchers"):
        plot = tmp_path.joinpath(f"performance-{name}.svg").read_text()
        assert f">{name}</text>" in plot
        # Writing the same figures again changes nothing.
        report.main(str(tmp_path / "comparison"), str(tmp_path / "curves"))
        assert tmp_path.joinpath(f"performance-{name}.svg").read_text() == plot
    assert document.read_text() == text
    with pytest.raises(ValueError, match="give the output"):
        report.main(str(tmp_path / "curves"), str(tmp_path / "comparison"))


def test_report_writes_the_most_moves_of_one_and_two_servers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rates = {
        f"{count}": {"name": f"{count} servers", "highest": build_step(100.0 * count, 1.0), "steps": []}
        for count in (1, 2)
    }
    run = {"kind": "sites", "quick": False, "pinned": False, "machine": {**MACHINE, "load_average": 0.1}}
    tmp_path.joinpath("sites").write_text(json.dumps({**run, "share": 0.4, "rates": rates}))
    document = tmp_path / "performance.md"
    before = report.DOCUMENT.read_text()
    document.write_text(before)
    monkeypatch.setattr(report, "DOCUMENT", document)
    report.main(str(tmp_path / "sites"))
    text = document.read_text()
    assert "| 2 servers | 200 |" in text
    assert text.partition("<!-- sites -->")[0] == before.partition("<!-- sites -->")[0]


def test_report_says_that_a_machine_was_busy_or_a_run_short() -> None:
    run = {"quick": True, "pinned": False, "machine": {**MACHINE, "load_average": 0.1}, **build_curves()}
    assert "A quick run" in report.describe_run(run)
    assert "The machine was busy" not in report.describe_run(run)
    run["tables"][0]["steps"][0]["other_cpu_share"] = 0.5  # it is among the watchers, too
    assert "in 2 of 8 measurements" in report.describe_run(run)


def test_limits_are_ordered_and_each_is_where_its_part_is_used_up() -> None:
    costs = estimate.read_costs(build_comparison(), build_curves())
    rows = estimate.build_limit_rows(costs)
    counts = [int(row[1].split()[0].replace(",", "")) for row in rows]
    assert counts == sorted(counts)
    by_name = {row[0]: row[1] for row in rows}
    # 0.6 of 32 cores are 19.2; at 0.1 ms a move these are 192,000 moves/s, so 1.92 million tables of 2.1 sockets.
    assert by_name["processor of PostgreSQL, 32 cores"] == "4,000,000 sockets"
    # 0.6 / 0.01 ms are 60,000 moves/s, so 600,000 tables of 2.1 sockets.
    assert by_name["a process hears of each move at any table, through Redis"] == "1,300,000 sockets"
