"""The load test of `scripts/load` on our server: moves are played and seen, and sockets stay open."""

import asyncio
from pathlib import Path

import pytest

from benchmarks.load import drive
from benchmarks.load.drive import at_rate, boards, idle, leave, percentiles, whole_game
from benchmarks.load.lines import EDGES, random_game
from benchmarks.load.ours import Ours

pytestmark = pytest.mark.compiled


def test_edges_are_numbered_as_in_boardgame_io() -> None:
    turns, scores = random_game(1)
    assert sorted(turn.edge for turn in turns) == list(range(EDGES))
    by_text = {turn.text: turn.edge for turn in turns}
    assert [by_text[text] for text in ("a1b1", "e1f1", "a2b2", "e6f6", "a1a2", "f1f2", "a2a3", "f5f6")] == [
        *(0, 4, 5, 29),
        *(30, 35, 36, 59),
    ]
    assert sum(scores) == 25


def test_percentiles_are_in_milliseconds() -> None:
    assert percentiles([0.003, 0.001, 0.002]) == {"p50": 2.0, "p95": 3.0, "p99": 3.0, "worst": 3.0}


def test_small_load_plays_all_moves_and_keeps_all_sockets(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # Long observation makes measurements exact, but this test only counts open sockets.
    monkeypatch.setattr(drive, "SETTLE", 0.1)
    monkeypatch.setattr(drive, "IDLE", 0.1)

    async def load() -> None:
        server = Ours(tmp_path)
        await server.start()
        try:
            scores, right = await whole_game(server, 1)
            assert scores == right
            playing = await boards(server, 3)
            step = await at_rate(server, playing, 30.0, 1.0)
            assert step["moves"] == 30
            assert [board.plies for board in playing] == [10, 10, 10]
            for seat in (seat for board in playing for seat in board.seats):
                await seat.seen(10)
                assert seat.version == 10
            await leave(playing)
            cost, playing = await idle(server, 20)
            assert cost["sockets"] == 20 == sum(len(board.seats) for board in playing)
            await leave(playing)
        finally:
            await server.stop()

    asyncio.run(load())
