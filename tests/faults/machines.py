"""The soak test across machines: servers, PostgreSQL, its replica and Redis lose each other, pause and fail over."""

from __future__ import annotations

import asyncio
import contextlib
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.faults.cluster import Postgres, Redis
from tests.faults.games import Games, summarise_check, summarise_times
from tests.faults.move_log import ConsistencyReport, check_consistency
from tests.faults.proxy import BOTH, Direction, Proxy
from tests.faults.reader import Reader
from tests.faults.server_process import ServerProcess
from tests.servers import find_free_port, prepare_postgresql

SERVERS = 2
KINDS = {
    "server-kill": "kill -9 of one of the servers, which is started again",
    "server-pause": "one of the servers is stopped and goes on later (SIGSTOP, SIGCONT)",
    "database-cut": "a server's connections to PostgreSQL are reset, and new ones refused for a while",
    "database-partition": "nothing passes between PostgreSQL and one server or all, in one direction or both",
    "database-pause": "PostgreSQL is stopped and goes on later",
    "database-restart": "PostgreSQL is shut down and started again",
    "database-crash": "kill -9 of all processes of PostgreSQL, which is started again and recovers",
    "failover": "kill -9 of the primary; the replica is promoted, and the servers are led to it",
    "failover-silent": "the primary can no longer be reached, its connections stay open; the replica is promoted",
    "failover-pause": "the primary is stopped and cut off, the replica is promoted, and the old one goes on",
    "failover-behind": "the replica has missed what the primary did before it was killed, and is promoted",
    "replica-partition": "nothing passes between the primary and its replica, so that no commit is confirmed",
    "redis-partition": "nothing passes between Redis and one server or all",
    "redis-pause": "Redis is stopped and goes on later",
    "redis-crash": "kill -9 of Redis, which is started again",
}
_READERS = 3
"""Reads at a time: those from a server that has lost its database wait long for their answer."""
_MISSED, _MISSED_WITHIN = 50, 2.0
"""Moves that the replica misses before "failover-behind", and the seconds for which it is cut off."""
_CHECK_EVERY = 10
"""Finished tables are checked during the run once there are this many, and after each fault."""


@dataclass(frozen=True)
class MachineSettings:
    """The length of a run: `moves` acknowledged moves and all faults, or `seconds`. Each of the `kinds` of faults
    happens `repeats` times; those that last do so for up to `longest` seconds. `tables` games are played at a time.
    """

    moves: int = 50_000
    seconds: float = 7200.0
    tables: int = 16
    kinds: tuple[str, ...] = tuple(KINDS)
    repeats: int = 4
    longest: float = 15.0
    seed: int = 1
    synchronous: bool = True
    """Whether commits wait for the replica; without that, failovers lose moves."""


class Machines:
    """Servers on one PostgreSQL with a replica, and one Redis, each reached through its own proxy.

    `database_links` and `redis_links` lead from a server to the primary and to Redis, in the order of `servers`, and
    `replica_link` leads from the replica to the primary.
    """

    def __init__(self, programs: Path, folder: Path, user: int | None, *, servers: int, synchronous: bool) -> None:
        """Prepare them; all keep their data in `folder`. The other arguments are those of `Postgres`."""
        self.primary, self.replica = (Postgres(programs, folder, user, synchronous=synchronous) for _ in range(2))
        self._data = folder / "servers"
        self._data.mkdir()
        self.redis = Redis(self._data)
        self.replica_link = Proxy(self.primary.port, is_http=False)
        self.database_links = [Proxy(self.primary.port, is_http=False) for _ in range(servers)]
        self.redis_links = [Proxy(self.redis.port, is_http=False) for _ in range(servers)]
        self.servers: list[ServerProcess] = []

    async def start(self, stack: contextlib.AsyncExitStack) -> None:
        """Start everything; it is killed when the stack is closed. If something does not start, raise RuntimeError,
        inside an ExceptionGroup if it is a server.
        """
        for daemon in (self.primary, self.replica, self.redis):
            stack.push_async_callback(daemon.kill)
        await self.primary.create()
        await self.primary.start()
        await self.redis.start()
        for link in (self.replica_link, *self.database_links, *self.redis_links):
            await stack.enter_async_context(link)
        await self._attach_replica()
        for number, (database, redis) in enumerate(zip(self.database_links, self.redis_links, strict=True)):
            folder = self._data / f"server-{number}"
            folder.mkdir()
            server = ServerProcess(
                folder,
                f"postgresql://postgres@127.0.0.1:{database.port}/postgres",
                redis=f"redis://127.0.0.1:{redis.port}/0",
            )
            self.servers.append(server)
        async with asyncio.TaskGroup() as tasks:
            for server in self.servers:
                tasks.create_task(self._start_server(server, stack))

    async def _start_server(self, server: ServerProcess, stack: contextlib.AsyncExitStack) -> None:
        """Start a server, which is killed when the stack is closed; one that does not start kills itself."""
        await server.start()
        stack.push_async_callback(server.kill)

    async def _attach_replica(self) -> None:
        """Make `replica` a synchronous replica of the primary, and wait until it confirms commits."""
        await self.replica.copy(self.replica_link.port)
        await self.replica.start()
        await self.primary.wait_for_replica()

    async def promote_replica(self) -> None:
        """Promote the replica and lead the servers to it; the old primary becomes `replica`, but goes on as it is."""
        self.primary, self.replica = self.replica, self.primary
        await self.primary.promote()
        for link in (self.replica_link, *self.database_links):
            link.target = self.primary.port

    async def rebuild_replica(self) -> None:
        """Kill the old primary after a failover, and make it the new replica."""
        await self.replica.kill()
        await self._attach_replica()


class MachineSoak(Games):
    """Games through all servers while faults happen between the machines.

    `gaps` has, by kind of fault, the longest time in seconds without the acknowledgement of a move.
    """

    def __init__(self, machines: Machines, settings: MachineSettings) -> None:
        """Prepare to play on machines that run."""
        super().__init__(settings.moves, settings.seconds, settings.tables, settings.seed)
        self.machines = machines
        self.settings = settings
        self.gaps: dict[str, float] = {}
        self.check_count = 0
        self.early_faults: list[str] = []
        self._down: set[int] = set()
        self._fault = "no fault"
        self._last_move: float | None = None
        self._checked = 0

    def choose_server(self) -> ServerProcess:
        """Choose one of the servers that answer, as a load balancer does; any one if none does."""
        numbers = [number for number in range(SERVERS) if number not in self._down] or range(SERVERS)
        return self.machines.servers[self.random.choice(numbers)]

    def choose_port(self) -> int:
        """Choose the port of a server as `choose_server` does."""
        return self.choose_server().port

    def count_move(self) -> None:
        """Count an acknowledged move, and the time without one before it for the fault that happens now."""
        now = time.monotonic()
        if self._last_move is not None:
            self.gaps[self._fault] = max(self.gaps.get(self._fault, 0.0), now - self._last_move)
        self._last_move = now
        super().count_move()

    async def inject_faults(self) -> None:
        """Inject all faults in random order, spread evenly over the moves, and check the finished games in between.

        Stop when the test is done, or when clients do not recover or a check fails, which also ends the test. Raise
        RuntimeError if something does not start again.
        """
        kinds = [kind for kind in self.settings.kinds for _ in range(self.settings.repeats)]
        self.random.shuffle(kinds)
        self.is_injecting = True
        for index, kind in enumerate(kinds, 1):
            await self.wait_for_moves(index * self.moves // (len(kinds) + 1))
            if self.is_done.is_set():
                return
            self._fault = kind
            await self._injections[kind]()
            self.counts[kind] += 1
            await self.measure_recovery(kind)
            if self.unrecovered:
                self.finish()
                return
            # The fault counts until everyone plays again.
            await self.wait_for_moves(self.move_count + len(self.players) // 2)
            self._report_progress(f"{index}/{len(kinds)} {kind}")
            self._fault = "no fault"
            await self._check_finished()
        self.is_injecting = False

    def _report_progress(self, fault: str) -> None:
        """Write a line to standard error, because a run takes many minutes."""
        sys.stderr.write(f"{fault}: {self.move_count} moves, {self.gaps.get(self._fault, 0.0):.1f} s without any\n")
        sys.stderr.flush()

    @property
    def _injections(self) -> dict[str, Callable[[], Awaitable[None]]]:
        """The functions that inject each kind of fault, and return once it is over."""
        machines = self.machines
        return {
            "server-kill": self._kill_server,
            "server-pause": self._pause_server,
            "database-cut": lambda: self._choose(machines.database_links).refuse_connections(self._choose_seconds()),
            "database-partition": lambda: self._separate(machines.database_links),
            "database-pause": lambda: self._pause(machines.primary),
            "database-restart": self._restart_database,
            "database-crash": lambda: self._crash(machines.primary),
            "failover": self._fail_over,
            "failover-silent": self._fail_over_silently,
            "failover-pause": self._fail_over_from_paused,
            "failover-behind": self._fail_over_behind,
            "replica-partition": lambda: machines.replica_link.blackhole(self._choose_seconds()),
            "redis-partition": lambda: self._separate(machines.redis_links),
            "redis-pause": lambda: self._pause(machines.redis),
            "redis-crash": lambda: self._crash(machines.redis),
        }

    def _choose(self, links: Sequence[Proxy]) -> Proxy:
        return self.random.choice(links)

    def _choose_seconds(self) -> float:
        """Choose how long a fault lasts."""
        return self.random.uniform(0.02, 1.0) * self.settings.longest

    @contextlib.contextmanager
    def _take_down(self, number: int) -> Iterator[ServerProcess]:
        """Send no new client to a server during the block; yield the server."""
        self._down.add(number)
        try:
            yield self.machines.servers[number]
        finally:
            self._down.discard(number)

    async def _kill_server(self) -> None:
        with self._take_down(self.random.randrange(SERVERS)) as server:
            await server.kill()
            await server.start()

    async def _pause_server(self) -> None:
        with self._take_down(self.random.randrange(SERVERS)) as server:
            server.pause()
            try:
                await asyncio.sleep(self._choose_seconds())
            finally:
                server.resume()

    async def _separate(self, links: Sequence[Proxy]) -> None:
        """Let nothing pass on one link or all, in one direction or both."""
        chosen = self.random.choice([links, [self._choose(links)]])
        directions = self.random.choice([BOTH, (Direction.UP,), (Direction.DOWN,)])
        seconds = self._choose_seconds()
        await asyncio.gather(*(link.blackhole(seconds, directions) for link in chosen))

    async def _pause(self, daemon: Postgres | Redis) -> None:
        daemon.pause()
        try:
            await asyncio.sleep(self._choose_seconds())
        finally:
            daemon.resume()

    async def _crash(self, daemon: Postgres | Redis) -> None:
        await daemon.kill()
        await daemon.start()

    async def _restart_database(self) -> None:
        await self.machines.primary.stop()
        await self.machines.primary.start()

    async def _fail_over(self) -> None:
        await self.machines.primary.kill()
        await self._finish_failover()

    async def _finish_failover(self) -> None:
        await self.machines.promote_replica()
        await self.machines.rebuild_replica()

    async def _fail_over_silently(self) -> None:
        self._isolate_primary()
        for link in self.machines.database_links:
            link.silence_connections()
        await self._finish_failover()

    async def _fail_over_from_paused(self) -> None:
        self._isolate_primary()
        old = self.machines.primary
        old.pause()
        for link in self.machines.database_links:
            link.cut_connections()
        await self.machines.promote_replica()
        old.resume()
        await asyncio.sleep(min(2.0, self._choose_seconds()))
        await self.machines.rebuild_replica()

    async def _fail_over_behind(self) -> None:
        moves, partition = self.move_count, asyncio.create_task(self.machines.replica_link.blackhole(_MISSED_WITHIN))
        # Without a replica that must confirm commits, moves are acknowledged meanwhile.
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self.wait_for_moves(moves + _MISSED), _MISSED_WITHIN / 2)
        await self.machines.primary.kill()
        self.machines.replica_link.cut_connections()
        await partition
        await self._finish_failover()

    def _isolate_primary(self) -> None:
        """Let no new connection reach the primary, as the promotion of a replica requires first."""
        closed = find_free_port()
        for link in self.machines.database_links:
            link.target = closed

    async def _check_finished(self) -> None:
        """Check the games that have finished since the last check, and end the test if a move is lost or misplaced."""
        finished = self.finished_players[self._checked :]
        if len(finished) < 2 * _CHECK_EVERY:
            return
        self._checked += len(finished)
        self.check_count += 1
        check = await asyncio.to_thread(check_games, self.machines.primary.address, finished)
        if check.faults:
            self.early_faults += [f"{name}: {values[:5]}" for name, values in check.faults.items()]
            self.finish()


def check_games(database: str, players: Sequence[Any], readers: Sequence[Reader] = ()) -> ConsistencyReport:
    """Compare the games of players, given as (log, last board), with a database, and with what readers were shown."""
    boards = [board for _, board in players]
    logs = [log for log, _ in players] + [reader.log for reader in readers]
    return check_consistency(
        database, {table for table, _, _ in boards}, logs, [board for board in boards if board[1] >= 0]
    )


@contextlib.asynccontextmanager
async def run_machines(*, servers: int = SERVERS, synchronous: bool = True) -> AsyncIterator[Machines]:
    """Run all machines during the block; raise RuntimeError or MissingServerError if something does not start."""
    with prepare_postgresql() as prepared:
        async with contextlib.AsyncExitStack() as stack:
            machines = Machines(*prepared, servers=servers, synchronous=synchronous)
            await machines.start(stack)
            yield machines


async def run_machine_soak(settings: MachineSettings) -> dict[str, Any]:
    """Run the soak test across machines; return its results as JSON values, as `build_report` does."""
    async with run_machines(synchronous=settings.synchronous) as machines:
        soak = MachineSoak(machines, settings)
        ports = [server.port for server in machines.servers]
        reader = Reader(lambda: [player.seating for player in soak.players], ports, settings.seed)
        start = time.monotonic()
        reading = [asyncio.create_task(reader.read_tables()) for _ in range(_READERS)]
        try:
            await soak.run()
        finally:
            for task in reading:
                task.cancel()
            ends = await asyncio.gather(*reading, return_exceptions=True)
        for end in ends:
            if isinstance(end, Exception):
                raise end
        seconds = time.monotonic() - start
        check = await asyncio.to_thread(check_games, machines.primary.address, soak.finished_players, [reader])
    return build_report(soak, reader, check, seconds)


def build_report(soak: MachineSoak, reader: Reader, check: ConsistencyReport, seconds: float) -> dict[str, Any]:
    """Return the results as JSON values: counts, times in seconds by kind of fault, and the first five of each fault.

    "lost" to "unstored" count faults, "faults" quotes them; "diverged" includes boards that clients saw go wrong.
    """
    reads = sum(len(log.reads) for log, _ in soak.finished_players) + len(reader.log.reads)
    diverged = len(check.diverged) + soak.counts["boards that differed"] + soak.counts["boards that went back"]
    return {
        **summarise_check(check),
        "diverged": diverged,
        "reads": reads,
        "readers": dict(sorted(reader.counts.items())),
        "injected": {kind: soak.counts[kind] for kind in soak.settings.kinds},
        "longest_without_acknowledgement_s": {kind: round(gap, 2) for kind, gap in sorted(soak.gaps.items())},
        "recovery_times": summarise_times(soak.recovery_times),
        "not_recovered": soak.unrecovered,
        "checks_during_the_run": soak.check_count,
        "early_faults": soak.early_faults,
        "players": dict(sorted((name, count) for name, count in soak.counts.items() if name not in KINDS)),
        "seconds": round(seconds, 1),
        "moves_per_second": round(check.moves / seconds, 1),
        "faults": {name: values[:5] for name, values in check.faults.items()},
    }
