"""Driving a server: moves at a given rate over many tables, and sockets that do nothing."""

from __future__ import annotations

import asyncio
import gc
import os
import resource
import sys
import time
from collections.abc import Coroutine, Sequence
from pathlib import Path
from typing import Any, TypeVar

from websockets.exceptions import WebSocketException

from benchmarks.load.lines import EDGES, Seat, Served, Turn, random_game

T = TypeVar("T")
SETTLE = 1.0
IDLE = 8.0
"""Seconds for which sockets do nothing but what keeps them open."""
AT_ONCE = 20
BEHIND = 0.9
"""The share of the moves asked for that a server must reach, not to be behind."""
P99_MS = 50.0
_TICKS = os.sysconf("SC_CLK_TCK")
_SCRIPTS = 40


def cpu_seconds(pid: int) -> float:
    """Return the processor time that a process has used."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2].split()
    return (int(fields[11]) + int(fields[12])) / _TICKS


def rss_kib(pid: int) -> int:
    """Return the memory that a process holds, in KiB."""
    status = Path(f"/proc/{pid}/status").read_text()
    return int(next(line.split()[1] for line in status.splitlines() if line.startswith("VmRSS:")))


async def together(doing: Sequence[Coroutine[Any, Any, T]]) -> list[T]:
    """Do all at once; the first to fail ends the others."""
    try:
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(one) for one in doing]
    except ExceptionGroup as errors:
        raise errors.exceptions[0] from None
    return [task.result() for task in tasks]


class Board:
    """One game between two seats as it is played."""

    def __init__(self, seats: tuple[Seat, Seat], turns: Sequence[Turn]) -> None:
        self.seats = seats
        self._turns = turns
        self.plies = 0

    async def move(self) -> tuple[float, float]:
        """Play the next move; return when it was acknowledged, and when the opponent saw it."""
        turn = self._turns[self.plies]
        mover, other = self.seats[turn.seat], self.seats[1 - turn.seat]
        await mover.seen(self.plies)
        self.plies += 1

        async def acknowledged() -> float:
            await mover.play(turn)
            return time.perf_counter()

        first, second = await together([acknowledged(), other.seen(self.plies)])
        return first, second


async def boards(server: Served, count: int) -> list[Board]:
    """Set up so many games and let their players come."""
    games = [random_game(seed)[0] for seed in range(min(count, _SCRIPTS))]
    gate = asyncio.Semaphore(AT_ONCE)

    async def one(number: int) -> Board:
        async with gate:
            seats = await server.table()
            await together([seat.open() for seat in seats])
            return Board(seats, games[number % len(games)])

    return await together([one(number) for number in range(count)])


async def leave(playing: Sequence[Board]) -> None:
    """Let everybody go."""
    await asyncio.gather(*(seat.close() for board in playing for seat in board.seats), return_exceptions=True)


async def at_rate(server: Served, playing: Sequence[Board], rate: float, seconds: float) -> dict[str, Any]:
    """Play moves at a rate, evenly over the tables; times count from when a move was due, sent or not."""
    count = min(int(rate * seconds), sum(EDGES - board.plies for board in playing))
    acknowledged: list[float] = []
    seen: list[float] = []
    # A pause of ours would count as one of the server's.
    gc.collect()
    gc.disable()
    cpu, own, began = cpu_seconds(server.pid), time.process_time(), time.perf_counter() + 0.2

    async def play(board: Board, numbers: Sequence[int]) -> None:
        for number in numbers:
            due = began + number / rate
            await asyncio.sleep(max(0.0, due - time.perf_counter()))
            first, second = await board.move()
            acknowledged.append(first - due)
            seen.append(second - due)

    each = [range(count)[index :: len(playing)] for index in range(len(playing))]
    try:
        await together([play(board, numbers) for board, numbers in zip(playing, each, strict=True)])
    finally:
        gc.enable()
    took = time.perf_counter() - began
    cpu, own = cpu_seconds(server.pid) - cpu, time.process_time() - own
    return {
        "asked_per_s": round(rate, 1),
        "moves": count,
        "moves_per_s": round(count / took, 1),
        "acknowledged_ms": percentiles(acknowledged),
        "seen_ms": percentiles(seen),
        "server_cpu_ms_per_move": round(1000 * cpu / count, 3),
        "server_cpu_share": round(cpu / took, 2),
        "client_cpu_share": round(own / took, 2),
    }


def percentiles(times: Sequence[float]) -> dict[str, float]:
    """Return the median, and what 95 and 99 of 100 do not exceed, in milliseconds."""
    ordered = sorted(times)
    at = {"p50": 0.5, "p95": 0.95, "p99": 0.99, "worst": 1.0}
    return {
        name: round(1000 * ordered[min(len(ordered) - 1, int(share * len(ordered)))], 1) for name, share in at.items()
    }


def good(step: dict[str, Any]) -> bool:
    """Tell whether a server kept up: its p99 is low enough, and it did what was asked."""
    if "failed" in step:
        return False
    return bool(step["acknowledged_ms"]["p99"] <= P99_MS and step["moves_per_s"] >= BEHIND * step["asked_per_s"])


async def most(server: Served, tables: int, seconds: float, first: float, halvings: int) -> list[dict[str, Any]]:
    """Double the rate until the server is behind, then look between; return all steps."""
    steps: list[dict[str, Any]] = []

    async def step(rate: float) -> bool:
        playing: list[Board] = []
        try:
            # The games must last for as long.
            playing = await boards(server, max(tables, int(rate * (seconds + SETTLE) / EDGES) + 1))
            await at_rate(server, playing, rate, SETTLE)
            steps.append(await at_rate(server, playing, rate, seconds))
        except (OSError, RuntimeError, TimeoutError, WebSocketException) as error:
            steps.append({"asked_per_s": rate, "failed": str(error) or type(error).__name__})
        finally:
            await leave(playing)
        say(f"  {steps[-1]}")
        return good(steps[-1])

    low, high = 0.0, first
    while await step(high):
        low, high = high, 2 * high
    if "failed" in steps[-1]:
        # It may not be there any more.
        return steps
    for _ in range(halvings):
        middle = (low + high) / 2
        if await step(middle):
            low = middle
        else:
            high = middle
    return steps


async def idle(server: Served, sockets: int) -> tuple[dict[str, Any], list[Board]]:
    """Open so many sockets, two at a table, and say what they cost."""
    before = rss_kib(server.pid)
    playing = await boards(server, sockets // 2)
    await asyncio.sleep(SETTLE)
    after, used = rss_kib(server.pid), cpu_seconds(server.pid)
    await asyncio.sleep(IDLE)
    used = cpu_seconds(server.pid) - used
    cost = {
        "sockets": sockets,
        "rss_before_kib": before,
        "rss_kib": after,
        "kib_per_socket": round((after - before) / sockets, 1),
        "idle_cpu_share": round(used / IDLE, 3),
    }
    return cost, playing


def say(text: str) -> None:
    """Tell how far it is."""
    print(text, file=sys.stderr, flush=True)


def raise_file_limit() -> int:
    """Let this process and its children open as many files as it may; return how many."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    return hard


async def whole_game(server: Served, seed: int) -> tuple[list[int], list[int]]:
    """Play a game to its end; return the scores there, and what they should be."""
    turns, scores = random_game(seed)
    board = Board(await server.table(), turns)
    await together([seat.open() for seat in board.seats])
    for _ in turns:
        await board.move()
    await leave([board])
    return board.seats[0].scores, scores
