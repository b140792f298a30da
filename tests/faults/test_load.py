"""The load test of `scripts/load` on our server: moves are played and seen, and sockets stay open."""

import asyncio
from pathlib import Path

import pytest

from benchmarks.load import workload
from benchmarks.load.clients import EDGES, generate_game
from benchmarks.load.our_server import OurServer
from benchmarks.load.workload import (
    close_matches,
    compute_percentiles,
    measure_idle,
    play_at_rate,
    play_whole_game,
    start_matches,
)

pytestmark = pytest.mark.compiled


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


def test_small_load_plays_a_whole_game_and_all_moves_at_a_rate_and_keeps_idle_sockets_open(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Long observation makes measurements exact, but this test only counts open sockets.
    monkeypatch.setattr(workload, "SETTLE_SECONDS", 0.1)
    monkeypatch.setattr(workload, "IDLE_SECONDS", 0.1)

    async def load() -> None:
        """Play on a server of its own, hold idle sockets, and fail where the result is not as expected."""
        server = OurServer(tmp_path)
        await server.start()
        try:
            scores, correct = await play_whole_game(server, 1)
            assert scores == correct
            matches = await start_matches(server, 3)
            step = await play_at_rate(server, matches, 30.0, 1.0)
            # 30 moves a second for one second, spread evenly over the three games.
            assert step["moves"] == 30
            assert [match.plies for match in matches] == [10, 10, 10]
            for client in (client for match in matches for client in match.clients):
                await client.wait_for_version(10)
                assert client.version == 10
            await close_matches(matches)
            cost, matches = await measure_idle(server, 20)
            assert cost["sockets"] == 20 == sum(len(match.clients) for match in matches)
            await close_matches(matches)
        finally:
            await server.stop()

    asyncio.run(load())
