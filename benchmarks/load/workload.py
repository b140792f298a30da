"""Put load on a server and measure it: moves at a given rate over many tables, and idle sockets."""

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

from benchmarks.load.clients import EDGES, GameServer, PlayerClient, ScriptedMove, generate_game

T = TypeVar("T")
SETTLE_SECONDS = 1.0
IDLE_SECONDS = 8.0
"""How long idle sockets are observed; they only answer heartbeats."""
MIN_RATE_SHARE = 0.9
"""The share of the requested rate that a server must reach to keep up."""
MAX_P99_MS = 50.0
_CONCURRENT_JOINS = 20
_GAMES = 40
_TICKS = os.sysconf("SC_CLK_TCK")


def read_cpu_seconds(pid: int) -> float:
    """Return the processor time that a process has used so far, in seconds; Linux only. Raise OSError."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2].split()
    return (int(fields[11]) + int(fields[12])) / _TICKS


def read_rss_kib(pid: int) -> int:
    """Return the resident memory of a process in KiB; Linux only. Raise OSError if there is no such process."""
    status = Path(f"/proc/{pid}/status").read_text()
    return int(next(line.split()[1] for line in status.splitlines() if line.startswith("VmRSS:")))


async def run_all(coroutines: Sequence[Coroutine[Any, Any, T]]) -> list[T]:
    """Run coroutines concurrently; return their results in order. The first error cancels the others and is raised."""
    try:
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(coroutine) for coroutine in coroutines]
    except ExceptionGroup as errors:
        raise errors.exceptions[0] from None
    return [task.result() for task in tasks]


class ScriptedMatch:
    """A prepared game that two clients play move by move."""

    def __init__(self, clients: tuple[PlayerClient, PlayerClient], moves: Sequence[ScriptedMove]) -> None:
        """Start before the first of the moves; `clients` are by seat and have joined."""
        self.clients = clients
        self._moves = moves
        self.plies = 0

    async def play_next(self) -> tuple[float, float]:
        """Play the next move, of which there must be one, once the mover has seen the previous ones.

        Return when it was acknowledged and when the opponent saw it, by `time.perf_counter`. Raise RuntimeError if the
        server refuses it or closes a socket, TimeoutError.
        """
        move = self._moves[self.plies]
        mover, opponent = self.clients[move.seat], self.clients[1 - move.seat]
        await mover.wait_for_version(self.plies)
        self.plies += 1

        async def play_and_time() -> float:
            """Play the move; return when it was acknowledged."""
            await mover.play(move)
            return time.perf_counter()

        acknowledged, seen = await run_all([play_and_time(), opponent.wait_for_version(self.plies)])
        return acknowledged, seen


async def start_matches(server: GameServer, count: int) -> list[ScriptedMatch]:
    """Create `count` games and let their players join, `_CONCURRENT_JOINS` games at a time; return their matches.

    At most `_GAMES` different games are prepared, and repeated. Errors of the server's clients are passed on.
    """
    games = [generate_game(seed)[0] for seed in range(min(count, _GAMES))]
    limit = asyncio.Semaphore(_CONCURRENT_JOINS)

    async def start_match(number: int) -> ScriptedMatch:
        """Create one game and let both players join; `number`, from 0, chooses its moves."""
        async with limit:
            clients = await server.create_match()
            await run_all([client.join() for client in clients])
            return ScriptedMatch(clients, games[number % len(games)])

    return await run_all([start_match(number) for number in range(count)])


async def close_matches(matches: Sequence[ScriptedMatch]) -> None:
    """Disconnect all clients, and ignore errors."""
    await asyncio.gather(*(client.close() for match in matches for client in match.clients), return_exceptions=True)


async def play_at_rate(
    server: GameServer, matches: Sequence[ScriptedMatch], rate: float, seconds: float
) -> dict[str, Any]:
    """Play `rate` moves per second for `seconds`, or until no moves are left, evenly over the matches.

    Return rates, latencies (see `compute_percentiles`) and processor times by name. Latencies count from when a move
    was due, even if it was sent late, so that a slow server does not look better than it is (coordinated omission).
    Every match needs enough moves for its share, which must not all be 0, and keeps its progress. The first error of a
    client is raised.
    """
    count = min(int(rate * seconds), sum(EDGES - match.plies for match in matches))
    acknowledged: list[float] = []
    seen: list[float] = []
    # A pause of this process for garbage collection would count as one of the server's.
    gc.collect()
    gc.disable()
    server_cpu, client_cpu = read_cpu_seconds(server.pid), time.process_time()
    began = time.perf_counter() + 0.2  # leaves time to start all tasks before the first move is due

    async def play_match(match: ScriptedMatch, numbers: Sequence[int]) -> None:
        """Play a move of the match for each of these numbers of all moves, when it is due; keep both latencies."""
        for number in numbers:
            due = began + number / rate
            await asyncio.sleep(max(0.0, due - time.perf_counter()))
            acknowledged_at, seen_at = await match.play_next()
            acknowledged.append(acknowledged_at - due)
            seen.append(seen_at - due)

    shares = [range(count)[index :: len(matches)] for index in range(len(matches))]
    try:
        await run_all([play_match(match, numbers) for match, numbers in zip(matches, shares, strict=True)])
    finally:
        gc.enable()
    elapsed = time.perf_counter() - began
    server_cpu, client_cpu = read_cpu_seconds(server.pid) - server_cpu, time.process_time() - client_cpu
    return {
        "asked_per_s": round(rate, 1),
        "moves": count,
        "moves_per_s": round(count / elapsed, 1),
        "acknowledged_ms": compute_percentiles(acknowledged),
        "seen_ms": compute_percentiles(seen),
        "server_cpu_ms_per_move": round(1000 * server_cpu / count, 3),
        "server_cpu_share": round(server_cpu / elapsed, 2),
        "client_cpu_share": round(client_cpu / elapsed, 2),
    }


def compute_percentiles(times: Sequence[float]) -> dict[str, float]:
    """Return "p50", "p95", "p99" and "worst" (the maximum) of times, at least one, in seconds, as milliseconds."""
    ordered = sorted(times)
    shares = {"p50": 0.5, "p95": 0.95, "p99": 0.99, "worst": 1.0}
    last = len(ordered) - 1
    return {name: round(1000 * ordered[min(last, int(share * len(ordered)))], 1) for name, share in shares.items()}


def has_kept_up(step: dict[str, Any]) -> bool:
    """Return whether the server kept up in a step of `find_max_rate`; False if the step failed.

    That is, 99% of the moves were acknowledged within MAX_P99_MS, and MIN_RATE_SHARE of the asked rate was reached.
    """
    if "failed" in step:
        return False
    is_fast = step["acknowledged_ms"]["p99"] <= MAX_P99_MS
    return bool(is_fast and step["moves_per_s"] >= MIN_RATE_SHARE * step["asked_per_s"])


async def find_max_rate(
    server: GameServer, tables: int, seconds: float, first_rate: float, halvings: int
) -> list[dict[str, Any]]:
    """Double the rate, from `first_rate` moves per second, until the server falls behind, then bisect `halvings` times.

    Return every step in order: the result of `play_at_rate` over at least `tables` fresh matches for `seconds`, or the
    rate as "asked_per_s" and the error as "failed". A failure ends the search, unless it is in a bisection.
    """
    steps: list[dict[str, Any]] = []

    async def try_rate(rate: float) -> bool:
        """Measure a rate over fresh matches, append the step to `steps`, and return whether the server kept up."""
        matches: list[ScriptedMatch] = []
        try:
            # There must be enough moves left for the whole time.
            matches = await start_matches(server, max(tables, int(rate * (seconds + SETTLE_SECONDS) / EDGES) + 1))
            await play_at_rate(server, matches, rate, SETTLE_SECONDS)  # does not count
            steps.append(await play_at_rate(server, matches, rate, seconds))
        except (OSError, RuntimeError, TimeoutError, WebSocketException) as error:
            steps.append({"asked_per_s": rate, "failed": str(error) or type(error).__name__})
        finally:
            await close_matches(matches)
        print_progress(f"  {steps[-1]}")
        return has_kept_up(steps[-1])

    low, high = 0.0, first_rate
    while await try_rate(high):
        low, high = high, 2 * high
    if "failed" in steps[-1]:
        # The server may have died.
        return steps
    for _ in range(halvings):
        middle = (low + high) / 2
        if await try_rate(middle):
            low = middle
        else:
            high = middle
    return steps


async def measure_idle(server: GameServer, sockets: int) -> tuple[dict[str, Any], list[ScriptedMatch]]:
    """Open an even number of idle sockets, two at a table; return their cost by name, and the matches, still open.

    "kib_per_socket" is resident memory of the server, "idle_cpu_share" the share of one core. Takes about ten seconds
    more than joining; the errors of `start_matches` are passed on.
    """
    rss_before = read_rss_kib(server.pid)
    matches = await start_matches(server, sockets // 2)
    await asyncio.sleep(SETTLE_SECONDS)
    rss, cpu = read_rss_kib(server.pid), read_cpu_seconds(server.pid)
    await asyncio.sleep(IDLE_SECONDS)
    cpu = read_cpu_seconds(server.pid) - cpu
    cost = {
        "sockets": sockets,
        "rss_before_kib": rss_before,
        "rss_kib": rss,
        "kib_per_socket": round((rss - rss_before) / sockets, 1),
        "idle_cpu_share": round(cpu / IDLE_SECONDS, 3),
    }
    return cost, matches


def print_progress(text: str) -> None:
    """Print a line to stderr at once."""
    print(text, file=sys.stderr, flush=True)


def raise_file_limit() -> int:
    """Raise the limit of open files of this process and its children to the hard limit; return that."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    return hard


async def play_whole_game(server: GameServer, seed: int) -> tuple[list[int], list[int]]:
    """Play the game of a seed to its end; return the final scores by seat that the first client saw, and the correct.

    Raise RuntimeError or TimeoutError if the server refuses a move or does not answer.
    """
    moves, scores = generate_game(seed)
    match = ScriptedMatch(await server.create_match(), moves)
    await run_all([client.join() for client in match.clients])
    for _ in moves:
        await match.play_next()
    await close_matches([match])
    return match.clients[0].scores, scores
