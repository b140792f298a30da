"""The load test of `scripts/load`: moves are played and seen on every server, sockets stay open, figures add up."""

import asyncio
import os
import re
import subprocess
import sys
from collections.abc import Coroutine
from pathlib import Path
from typing import Any

import pytest
from websockets.asyncio.server import ServerConnection, serve
from websockets.datastructures import Headers
from websockets.http11 import Request, Response

from benchmarks import attacks
from benchmarks.load import sites, workload
from benchmarks.load.boardgame_io import BoardgameIoClient
from benchmarks.load.clients import EDGES, HOST, GameServer, ScriptedMove, SocketClient, generate_game
from benchmarks.load.comparison import Plan, measure_sockets
from benchmarks.load.costs import measure_costs
from benchmarks.load.curves import QUICK, measure_table_point, measure_watcher_point, open_lonely_tables
from benchmarks.load.echo import EchoClient, EchoServer
from benchmarks.load.our_server import OurServer
from benchmarks.load.probe import read_probe, start_probe
from benchmarks.load.processes import list_tree, read_cpu_seconds, read_memory_kib
from benchmarks.load.sites import measure_sites
from benchmarks.load.workload import (
    Tables,
    close_matches,
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


def test_the_probe_greets_a_server_as_its_clients_do() -> None:
    """socket.io closes a socket that has not greeted it within 45 seconds, which is earlier than a probe may end."""

    async def test() -> None:
        greetings: list[str | bytes] = []

        async def serve_client(socket: ServerConnection) -> None:
            greetings.append(await socket.recv())
            await socket.wait_closed()

        async with serve(serve_client, HOST, 0) as server:
            port = server.sockets[0].getsockname()[1]
            result = await read_probe(await start_probe(port, BoardgameIoClient(port, "match"), 0.1))
        assert (result["pings"], result["answers"]) == (8, 8)
        assert greetings == 8 * ["40/dots-and-boxes,"]

    asyncio.run(test())


def test_a_probe_that_fails_says_why() -> None:
    async def test() -> None:
        def refuse(_: ServerConnection, __: Request) -> Response:
            return Response(403, "Forbidden", Headers())

        async with serve(lambda _: asyncio.sleep(0), HOST, 0, process_request=refuse) as server:
            port = server.sockets[0].getsockname()[1]
            with pytest.raises(RuntimeError, match=r"the probe for pauses failed: .*403 Forbidden"):
                await read_probe(await start_probe(port, EchoClient(port, 7), 0.1))

    asyncio.run(test())


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


@pytest.mark.ci
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
        cost, matches = await measure_idle(server, 20, 0.1, 0.1)
        assert cost["sockets"] == 20 == sum(len(match.clients) for match in matches)
        await close_matches(matches)

    run_on(server, load())


@pytest.mark.ci
@pytest.mark.usefixtures("short_observation")
def test_tables_start_new_games_when_games_end_and_a_step_has_the_medians_of_its_rounds(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(workload, "MAX_P99_MS", 1e6)  # on a busy machine, too, no round is the last
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


@pytest.mark.ci
@pytest.mark.compiled
@pytest.mark.usefixtures("short_observation")
def test_sockets_are_played_on_and_probed_for_pauses(tmp_path: Path) -> None:
    plan = Plan(sockets=100, quiet_seconds=0.1, idle_seconds=0.1, socket_seconds=1.0)
    cost = asyncio.run(measure_sockets(lambda: OurServer(tmp_path), plan))
    assert cost["sockets"] == 100
    assert cost["while_played"]["moves"] == 250
    # One in 12.5 ms, and all are answered.
    assert cost["pauses_ms"]["pings"] == cost["pauses_ms"]["answers"] == 80


@pytest.mark.ci
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


@pytest.mark.ci
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


@pytest.mark.ci
@pytest.mark.compiled
@pytest.mark.usefixtures("short_observation")
def test_moves_are_played_on_one_server_and_on_two_behind_the_proxy(tmp_path: Path) -> None:
    result = asyncio.run(measure_sites(tmp_path, sites.QUICK, None))
    assert {count: rates["steps"][0]["moves"] for count, rates in result["rates"].items()} == {"1": 10, "2": 10}


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


@pytest.mark.ci
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
    assert "failed" not in lines[-1], completed.stdout + completed.stderr
    assert "rules compiled" in lines[0]
    assert lines[-1].startswith(f"| {name} | ")
    sent = re.search(r"([0-9.]+) MB/s", lines[-1])
    assert sent is not None
    assert (float(sent[1]) > 0) == (name != "none")
