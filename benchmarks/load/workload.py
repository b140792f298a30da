"""Put load on a server and measure it: moves at a given rate over many tables, and idle sockets."""

import asyncio
import gc
import resource
import statistics
import sys
import time
from collections.abc import Coroutine, Sequence
from typing import Any, TypeVar

import httpx

from benchmarks.load.clients import EDGES, TIMEOUT, GameServer, PlayerClient, ScriptedMove, Seats, generate_game
from benchmarks.load.processes import read_cpu_seconds, read_machine_cpu_seconds, read_memory_kib

T = TypeVar("T")
SETTLE_SECONDS = 1.0
MIN_RATE_SHARE = 0.9
"""The share of the requested rate that a server must reach to keep up."""
MAX_P99_MS = 50.0
MAX_CLIENT_SHARE, MAX_CLIENT_LAG_MS = 0.85, 15.0
"""Above this share of its core, or if one in a hundred timers is later than this, the load generator is the limit."""
CLIENT_ERRORS = OSError, EOFError, RuntimeError, TimeoutError, httpx.HTTPError
"""What the clients of a server raise that fails."""
_LAG_EVERY = 0.01
_CONCURRENT_JOINS = 20
_GAMES = 40
_LEAD = 0.2
"""Seconds before the first move is due, in which all tasks start."""


async def run_all(coroutines: Sequence[Coroutine[Any, Any, T]]) -> list[T]:
    """Run coroutines concurrently; return their results in order. The first error cancels the others and is raised."""
    try:
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(coroutine) for coroutine in coroutines]
    except ExceptionGroup as errors:
        raise errors.exceptions[0] from None
    return [task.result() for task in tasks]


class ScriptedMatch:
    """A prepared game that two clients play move by move, while others may watch."""

    def __init__(self, seats: Seats, moves: Sequence[ScriptedMove]) -> None:
        """Start before the first of the moves; the clients have joined."""
        self.players, self.watchers = seats
        self._moves = moves
        self.plies = 0

    @property
    def clients(self) -> list[PlayerClient]:
        """All clients, the players first, by seat."""
        return [*self.players, *self.watchers]

    async def play_next(self) -> tuple[float, float]:
        """Play the next move, of which there must be one, once the mover has seen the previous ones.

        Return when it was acknowledged and when the last of the others saw it, by `time.perf_counter`. Raise
        RuntimeError if the server refuses it or closes a socket.
        """
        move = self._moves[self.plies]
        mover, opponent = self.players[move.seat], self.players[1 - move.seat]
        await mover.wait_for_version(self.plies)
        self.plies += 1
        mover.send_move(move)
        acknowledged = await mover.wait_for_answer()
        seen = await opponent.wait_for_version(self.plies)
        for watcher in self.watchers:
            seen = max(seen, await watcher.wait_for_version(self.plies))
        return acknowledged, seen


async def start_matches(server: GameServer, count: int, watchers: int = 0) -> list[ScriptedMatch]:
    """Create `count` games and let everyone join, `_CONCURRENT_JOINS` games at a time; return their matches.

    At most `_GAMES` different games are prepared, and repeated. Raise what clients raise, TimeoutError if a game takes
    longer than TIMEOUT to start.
    """
    games = [generate_game(seed)[0] for seed in range(min(count, _GAMES))]
    limit = asyncio.Semaphore(_CONCURRENT_JOINS)

    async def start_match(number: int) -> ScriptedMatch:
        """Create one game and let all clients join; `number`, from 0, chooses its moves."""
        async with limit, asyncio.timeout(TIMEOUT):
            seats = await server.create_match(watchers)
            await run_all([client.join() for client in seats.players])
            await run_all([client.join() for client in seats.watchers])
            return ScriptedMatch(seats, games[number % len(games)])

    return await run_all([start_match(number) for number in range(count)])


async def close_matches(matches: Sequence[ScriptedMatch]) -> None:
    """Disconnect all clients, and let the event loop notice."""
    for match in matches:
        for client in match.clients:
            client.close()
    await asyncio.sleep(0)


class Table:
    """A place where prepared games are played one after another."""

    def __init__(self) -> None:
        """Start without games."""
        self.matches: list[ScriptedMatch] = []

    @property
    def moves_left(self) -> int:
        """How many moves all matches have left."""
        return sum(EDGES - match.plies for match in self.matches)

    async def play_next(self) -> tuple[float, float]:
        """Play the next move, of which there must be one, as `ScriptedMatch.play_next`."""
        return await next(match for match in self.matches if match.plies < EDGES).play_next()


class Tables:
    """A number of tables at which games go on as long as necessary."""

    def __init__(self, server: GameServer, count: int, watchers: int = 0) -> None:
        """Prepare tables with this many watchers each."""
        self.server = server
        self.all = [Table() for _ in range(count)]
        self._watchers = watchers

    @property
    def clients(self) -> list[PlayerClient]:
        """All clients of all games that are open."""
        return [client for table in self.all for match in table.matches for client in match.clients]

    async def prepare(self, moves: int) -> None:
        """Leave finished games, and start others so that each table has at least this many moves left."""
        for table in self.all:
            await close_matches([match for match in table.matches if match.plies == EDGES])
            table.matches = [match for match in table.matches if match.plies < EDGES]
        missing = [table for table in self.all for _ in range(-(-(moves - table.moves_left) // EDGES))]
        for table, match in zip(missing, await start_matches(self.server, len(missing), self._watchers), strict=True):
            table.matches.append(match)

    async def close(self) -> None:
        """Disconnect all clients and forget their games."""
        for table in self.all:
            await close_matches(table.matches)
            table.matches = []


async def measure_own_lag(lags: list[float]) -> None:
    """Append how late the timers of this process are, in seconds, until cancelled."""
    while True:
        due = time.perf_counter() + _LAG_EVERY
        await asyncio.sleep(_LAG_EVERY)
        lags.append(max(0.0, time.perf_counter() - due))


async def play_at_rate(
    server: GameServer, tables: Sequence[ScriptedMatch | Table], rate: float, seconds: float
) -> dict[str, Any]:
    """Play `rate` moves per second for `seconds`, evenly over the tables, which must have enough moves left.

    Return rates, latencies (see `compute_percentiles`) and processor times by name. Latencies count from when a move
    was due, even if it was sent late, so that a slow server does not look better than it is (coordinated omission).
    "other_cpu_share" is what other programs used of a core: on an idle machine nearly nothing. "client_is_limit" says
    that this process was too busy, so that the figures are its own. Raise what clients raise, TimeoutError if the moves
    take TIMEOUT longer than they should.
    """
    count = int(rate * seconds)
    acknowledged: list[float] = []
    seen: list[float] = []
    lags: list[float] = [0.0]
    # A pause of this process for garbage collection would count as one of the server's.
    gc.collect()
    gc.disable()
    lag_task = asyncio.create_task(measure_own_lag(lags))
    server_cpu, client_cpu, machine_cpu = read_cpu_seconds(server.pid), time.process_time(), read_machine_cpu_seconds()
    began = time.perf_counter() + _LEAD

    async def play_table(table: ScriptedMatch | Table, numbers: Sequence[int]) -> None:
        """Play a move at the table for each of these numbers of all moves, when it is due; keep both latencies."""
        for number in numbers:
            due = began + number / rate
            await asyncio.sleep(max(0.0, due - time.perf_counter()))
            acknowledged_at, seen_at = await table.play_next()
            acknowledged.append(acknowledged_at - due)
            seen.append(seen_at - due)

    shares = [range(count)[index :: len(tables)] for index in range(len(tables))]
    try:
        async with asyncio.timeout(seconds + TIMEOUT):
            await run_all([play_table(table, share) for table, share in zip(tables, shares, strict=True) if share])
    finally:
        lag_task.cancel()
        gc.enable()
    elapsed = time.perf_counter() - began
    server_cpu, client_cpu = read_cpu_seconds(server.pid) - server_cpu, time.process_time() - client_cpu
    machine_cpu = read_machine_cpu_seconds() - machine_cpu
    client_share, lag = client_cpu / (elapsed + _LEAD), compute_percentiles(lags)["p99"]
    return {
        "asked_per_s": round(rate, 1),
        "moves": count,
        "moves_per_s": round(count / elapsed, 1),
        "acknowledged_ms": compute_percentiles(acknowledged),
        "seen_ms": compute_percentiles(seen),
        "server_cpu_ms_per_move": round(1000 * server_cpu / count, 3),
        "server_cpu_share": round(server_cpu / (elapsed + _LEAD), 2),
        "client_cpu_share": round(client_share, 2),
        "other_cpu_share": round(max(0.0, machine_cpu - server_cpu - client_cpu) / (elapsed + _LEAD), 2),
        "client_lag_p99_ms": lag,
        "client_is_limit": client_share > MAX_CLIENT_SHARE or lag > MAX_CLIENT_LAG_MS,
    }


def compute_percentiles(times: Sequence[float]) -> dict[str, float]:
    """Return "p50", "p95", "p99" and "worst" (the maximum) of times, at least one, in seconds, as milliseconds."""
    ordered = sorted(times)
    shares = {"p50": 0.5, "p95": 0.95, "p99": 0.99, "worst": 1.0}
    last = len(ordered) - 1
    return {name: round(1000 * ordered[min(last, int(share * len(ordered)))], 1) for name, share in shares.items()}


def compute_medians(rounds: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Return results of `play_at_rate` with the median of each figure; the client is the limit if it mostly was."""
    result: dict[str, Any] = {}
    for name, value in rounds[0].items():
        values = [one[name] for one in rounds]
        if isinstance(value, dict):
            result[name] = compute_medians(values)
        elif isinstance(value, bool):
            result[name] = statistics.median_low(values)
        else:
            result[name] = round(statistics.median(values), 3)
    return result


def has_kept_up(step: dict[str, Any]) -> bool:
    """Return whether the server kept up in a step; False if the step failed.

    That is, 99% of the moves were acknowledged within MAX_P99_MS, and MIN_RATE_SHARE of the asked rate was reached.
    """
    if "failed" in step:
        return False
    is_fast = step["acknowledged_ms"]["p99"] <= MAX_P99_MS
    return bool(is_fast and step["moves_per_s"] >= MIN_RATE_SHARE * step["asked_per_s"])


async def measure_step(tables: Tables, rate: float, seconds: float, rounds: int) -> dict[str, Any]:
    """Play at a rate for some rounds of `seconds`; return the medians, and the results as "rounds".

    A round in which the server falls far behind is the last. If clients fail, return the rate as "asked_per_s" and the
    error as "failed"; the tables are empty then.
    """
    results: list[dict[str, Any]] = []
    try:
        # In each of the rounds, and before, a table may get one move more than on average.
        await tables.prepare(int(rate * (rounds * seconds + SETTLE_SECONDS) / len(tables.all)) + rounds + 2)
        await play_at_rate(tables.server, tables.all, rate, SETTLE_SECONDS)  # does not count
        for _ in range(rounds):
            results.append(await play_at_rate(tables.server, tables.all, rate, seconds))
            if results[-1]["acknowledged_ms"]["p99"] > 4 * MAX_P99_MS:
                break
    except CLIENT_ERRORS as error:
        await tables.close()
        step: dict[str, Any] = {"asked_per_s": rate, "failed": str(error) or type(error).__name__}
    else:
        step = {**compute_medians(results), "rounds": results}
    print_progress(f"  {describe_step(tables.server.name, step)}")
    return step


def describe_step(name: str, step: dict[str, Any]) -> str:
    """Return the result of `measure_step` for the server of this name as a line."""
    if "failed" in step:
        return f"{name}, {step['asked_per_s']:g} moves/s: failed: {step['failed']}"
    verdict = "kept up" if has_kept_up(step) else "fell behind"
    if step["client_is_limit"]:
        verdict += "; the load generator was the limit"
    own = step["acknowledged_ms"]
    return (
        f"{name}, {step['asked_per_s']:g} moves/s: p50 {own['p50']:g}, p99 {own['p99']:g} ms, "
        f"{step['server_cpu_ms_per_move']:.2f} ms of processor time per move, {verdict} "
        f"(load generator {step['client_cpu_share']:.0%}, other programs {step['other_cpu_share']:.0%} of a core)"
    )


async def measure_idle(
    server: GameServer, sockets: int, settle_seconds: float, seconds: float
) -> tuple[dict[str, Any], list[ScriptedMatch]]:
    """Open an even number of idle sockets, two at a table; return their cost by name, and the matches, still open.

    "kib_per_socket" is memory of the server, "idle_cpu_share" the share of one core, "opening_s" how long opening took,
    for games and sockets. Idle sockets receive beats, the heartbeats of the server. They are observed for `seconds`,
    after `settle_seconds`; raise what clients raise.
    """
    before = read_memory_kib(server.pid)
    began = time.perf_counter()
    matches = await start_matches(server, sockets // 2)
    opening = time.perf_counter() - began
    await asyncio.sleep(settle_seconds)
    memory, cpu = read_memory_kib(server.pid), read_cpu_seconds(server.pid)
    clients = [client for match in matches for client in match.clients]
    traffic, beats = count_bytes(clients), sum(client.received_frames for client in clients)
    await asyncio.sleep(seconds)
    cpu = read_cpu_seconds(server.pid) - cpu
    beats = sum(client.received_frames for client in clients) - beats
    cost = {
        "sockets": sockets,
        "opening_s": round(opening, 1),
        "memory_before_kib": before,
        "memory_kib": memory,
        "kib_per_socket": round((memory - before) / sockets, 1),
        "idle_cpu_share": round(cpu / seconds, 3),
        "beats_per_socket_and_s": round(beats / sockets / seconds, 3),
        "cpu_us_per_beat": round(1e6 * cpu / beats, 1) if beats else 0.0,
        "idle_bytes_per_socket_and_s": round((count_bytes(clients) - traffic) / sockets / seconds, 1),
    }
    return cost, matches


def count_bytes(clients: Sequence[PlayerClient]) -> int:
    """Return how many bytes clients have sent and received; packet headers are not counted."""
    return sum(client.received_bytes + client.sent_bytes for client in clients)


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

    Raise RuntimeError if the server refuses a move, TimeoutError if it does not answer.
    """
    moves, scores = generate_game(seed)
    match = ScriptedMatch(await server.create_match(), moves)
    async with asyncio.timeout(TIMEOUT):
        await run_all([client.join() for client in match.players])
        for _ in moves:
            await match.play_next()
        # The answer to the last move may come before its state.
        await match.players[0].wait_for_version(len(moves))
    await close_matches([match])
    return match.players[0].scores, scores
