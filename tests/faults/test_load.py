"""The load test of `scripts/load`: moves are played and seen on every server, sockets stay open, figures add up."""

import asyncio
import copy
import os
import subprocess
import sys
from collections.abc import Coroutine
from pathlib import Path
from typing import Any

import pytest

from benchmarks import attacks
from benchmarks.load import workload
from benchmarks.load.clients import EDGES, GameServer, SocketClient, generate_game
from benchmarks.load.comparison import Plan, halve, measure_sockets
from benchmarks.load.costs import measure_costs
from benchmarks.load.curves import QUICK, measure_table_point, measure_watcher_point, open_lonely_tables
from benchmarks.load.echo import EchoServer
from benchmarks.load.our_server import OurServer
from benchmarks.load.processes import list_tree, read_cpu_seconds, read_memory_kib
from benchmarks.load.targets import check_targets, list_equal_rates
from benchmarks.load.workload import (
    Tables,
    close_matches,
    compute_medians,
    compute_percentiles,
    has_kept_up,
    measure_idle,
    measure_step,
    play_at_rate,
    play_whole_game,
    start_matches,
)


@pytest.fixture
def short_observation(monkeypatch: pytest.MonkeyPatch) -> None:
    # Long observation makes measurements exact, but these tests only count.
    monkeypatch.setattr(workload, "SETTLE_SECONDS", 0.1)


def run_on(server: GameServer, measure: Coroutine[Any, Any, None]) -> None:
    """Run a coroutine while a server runs."""

    async def run() -> None:
        await server.start()
        try:
            await measure
        finally:
            await server.stop()

    asyncio.run(run())


def test_generated_game_draws_every_edge_once_with_the_numbers_of_boardgame_io() -> None:
    moves, scores = generate_game(1)
    # Each edge once, and one point for each of the 5 x 5 boxes.
    assert sorted(move.edge for move in moves) == list(range(EDGES))
    by_text = {move.text: move.edge for move in moves}
    # The 30 horizontal edges are numbered row by row, then the 30 vertical ones row by row.
    assert [by_text[text] for text in ("a1b1", "e1f1", "a2b2", "e6f6", "a1a2", "f1f2", "a2a3", "f5f6")] == [
        *(0, 4, 5, 29),
        *(30, 35, 36, 59),
    ]
    assert sum(scores) == 25


def test_percentiles_of_seconds_are_in_milliseconds_and_include_the_worst_time() -> None:
    assert compute_percentiles([0.003, 0.001, 0.002]) == {"p50": 2.0, "p95": 3.0, "p99": 3.0, "worst": 3.0}


def test_medians_of_rounds_are_taken_for_each_figure() -> None:
    rounds = [
        {"rate": 10.0, "times": {"p99": p99}, "client_is_limit": is_limit}
        for p99, is_limit in ((3.0, True), (1.0, False), (50.0, False))
    ]
    assert compute_medians(rounds) == {"rate": 10.0, "times": {"p99": 3.0}, "client_is_limit": False}


class FramesClient(SocketClient):
    """Keeps the texts that it receives."""

    def __init__(self) -> None:
        super().__init__()
        self.texts: list[bytes] = []

    def handle_message(self, text: bytes) -> None:
        self.texts.append(text)


@pytest.mark.parametrize("size", [1, 7, 100_000])
def test_client_reads_frames_of_all_lengths_however_they_are_cut(size: int) -> None:
    texts = [b"", b"x" * 125, b"y" * 126, b"z" * 70_000]
    heads = [b"\x81\x00", b"\x81\x7d", b"\x81\x7e\x00\x7e", b"\x81\x7f" + (70_000).to_bytes(8)]
    stream = b"HTTP/1.1 101 Switching Protocols\r\n\r\n" + b"".join(map(bytes.__add__, heads, texts))
    client = FramesClient()
    for start in range(0, len(stream), size):
        client.data_received(stream[start : start + size])
    assert client.texts == texts
    assert client.received_bytes == len(stream)


def test_client_fails_with_what_the_server_says() -> None:
    async def refuse() -> None:
        client = FramesClient()
        client.data_received(b"HTTP/1.1 403 Forbidden\r\n\r\n")
        with pytest.raises(RuntimeError, match="403 Forbidden"):
            await client.wait_for_update()

    async def close() -> None:
        client = FramesClient()
        client.data_received(b"HTTP/1.1 101 Switching Protocols\r\n\r\n\x88\x05\x11\x4dbad")
        with pytest.raises(RuntimeError, match="4429 bad"):
            await client.wait_for_version(1)

    asyncio.run(refuse())
    asyncio.run(close())


def test_processor_time_and_memory_include_descendants() -> None:
    grandchild = "sum(range(5_000_000)); print(flush=True); input()"
    child = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {grandchild!r}])"
    with subprocess.Popen([sys.executable, "-c", child], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None and process.stdin is not None
        process.stdout.readline()
        tree = list_tree(process.pid)
        assert tree[0] == process.pid and len(tree) == 2
        # Adding five million numbers takes more than a hundredth of a second anywhere.
        assert read_cpu_seconds(process.pid) >= read_cpu_seconds(tree[1]) > 0.01
        assert read_memory_kib(process.pid) > read_memory_kib(tree[1]) > 0
        process.stdin.close()
    assert read_memory_kib(tree[1]) == 0


@pytest.mark.compiled
@pytest.mark.usefixtures("short_observation")
def test_small_load_plays_all_moves_at_a_rate_and_keeps_idle_sockets_open(tmp_path: Path) -> None:
    server = OurServer(tmp_path)

    async def load() -> None:
        scores, correct = await play_whole_game(server, 1)
        assert scores == correct
        matches = await start_matches(server, 3, watchers=2)
        step = await play_at_rate(server, matches, 30.0, 1.0)
        # 30 moves a second for one second, spread evenly over the three games.
        assert step["moves"] == 30
        assert [match.plies for match in matches] == [10, 10, 10]
        clients = [client for match in matches for client in match.clients]
        assert [client.version for client in clients] == [10] * 3 * 4
        await close_matches(matches)
        cost, matches = await measure_idle(server, 20, 0.1)
        assert cost["sockets"] == 20 == sum(len(match.clients) for match in matches)
        await close_matches(matches)

    run_on(server, load())


@pytest.mark.usefixtures("short_observation")
def test_tables_start_new_games_when_games_end_and_a_step_has_the_medians_of_its_rounds() -> None:
    server = EchoServer()

    async def load() -> None:
        tables = Tables(server, 2, watchers=1)
        await tables.prepare(70)
        assert [table.moves_left for table in tables.all] == [120, 120]
        assert len(tables.clients) == 2 * 2 * 3
        step = await measure_step(tables, 200.0, 0.5, 3)
        assert [one["moves"] for one in step["rounds"]] == [100] * 3
        # Each table had three games, and half of the 20 moves to settle and of the 300 that count.
        assert [table.moves_left for table in tables.all] == [20, 20]
        await tables.prepare(EDGES)
        assert [[match.plies for match in table.matches] for table in tables.all] == [[40, 0], [40, 0]]
        await tables.close()
        assert tables.clients == []

    run_on(server, load())


@pytest.mark.usefixtures("short_observation")
def test_step_reports_the_failure_of_a_server() -> None:
    server = EchoServer()

    async def load() -> None:
        tables = Tables(server, 2)
        await tables.prepare(30)
        await server.stop()
        step = await measure_step(tables, 20.0, 0.5, 1)
        assert step["asked_per_s"] == 20.0
        assert not has_kept_up(step)
        assert "failed" in step

    run_on(server, load())


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


@pytest.mark.usefixtures("short_observation")
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


@pytest.mark.compiled
@pytest.mark.usefixtures("short_observation")
def test_sockets_are_played_on_and_probed_for_pauses(tmp_path: Path) -> None:
    plan = Plan(sockets=100, socket_seconds=1.0)
    cost = asyncio.run(measure_sockets(lambda: OurServer(tmp_path), plan))
    assert cost["sockets"] == 100
    assert cost["while_played"]["moves"] == 250
    # One in 12.5 ms, and all are answered.
    assert cost["pauses_ms"]["pings"] == cost["pauses_ms"]["answers"] == 80


@pytest.mark.compiled
@pytest.mark.usefixtures("short_observation")
def test_point_of_a_curve_has_its_sockets_and_the_rates_that_were_tried(tmp_path: Path) -> None:
    folders = iter(range(100))

    def create() -> OurServer:
        return OurServer(tmp_path / str(next(folders)))

    point = asyncio.run(measure_table_point(create, 10, QUICK))
    assert (point["count"], point["sockets"]) == (10, 20)
    assert point["first"]["moves"] == point["steps"][0]["moves"] == 50
    point = asyncio.run(measure_watcher_point(create, 3, QUICK))
    assert (point["count"], point["sockets"]) == (3, 5)
    assert point["first"]["moves"] == 10


@pytest.mark.compiled
def test_costs_of_a_move_include_postgresql_and_redis(tmp_path: Path) -> None:
    costs = asyncio.run(measure_costs(tmp_path, [], QUICK.costs))
    assert costs["moves"] == 100
    # A message for each move, besides the servers' own heartbeats.
    assert costs["redis_messages"] >= 0.9
    # A move's texts in the log, and its messages to two players.
    assert costs["wal_bytes"] > 100
    assert costs["client_bytes"] > 100
    assert costs["transactions"] > 0


@pytest.mark.usefixtures("short_observation")
def test_lonely_table_has_one_player_left() -> None:
    server = EchoServer()

    async def load() -> None:
        matches = await open_lonely_tables(server, 3)
        for match in matches:
            with pytest.raises(RuntimeError, match="the client closed the socket"):
                await match.players[1].wait_for_version(1)
        # The others still get what they send.
        for match in matches:
            match.players[0].send_move(ScriptedMove(0, "", 0))
            await match.players[0].wait_for_answer()
        await close_matches(matches)

    run_on(server, load())


@pytest.mark.compiled
@pytest.mark.parametrize("name", ["none", "empty pings", "endless headers"])
def test_attack_prints_a_line_with_what_was_sent(name: str) -> None:
    root = Path(attacks.__file__).resolve().parents[1]
    completed = subprocess.run(
        [sys.executable, "-m", "benchmarks.attacks", "--seconds", "0.5", "--only", name],
        cwd=root,
        env={**os.environ, "PYTHONPATH": f"{root / 'src'}:{root}"},
        capture_output=True,
        check=True,
        text=True,
    )
    lines = completed.stdout.splitlines()
    assert "rules compiled" in lines[0]
    assert lines[-1].startswith(f"| {name} | ")
    sent = float(lines[-1].split(" | ")[-1].removesuffix(" MB/s |"))
    assert (sent > 0) == (name != "none")
