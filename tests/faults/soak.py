"""The soak test: many moves over a bad network to a server that is killed again and again, with a report as JSON."""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import random
import statistics
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.faults.move_log import ConsistencyReport, MoveLog, check_consistency
from tests.faults.player import Player, Seating
from tests.faults.power_loss import run_power_loss
from tests.faults.proxy import Direction, Fault, FaultPlan, Proxy
from tests.faults.server_process import ServerProcess

GAME = {"game": "dots-and-boxes", "cols": "8", "rows": "8", "seat_0": "person"}
ODDS = {
    Fault.DELAY: 0.01,
    Fault.DUPLICATE: 0.02,
    Fault.TRUNCATE: 0.0015,
    Fault.CUT_BEFORE: 0.0015,
    Fault.CUT_AFTER: 0.0015,
}
RECOVERY_TIMEOUT = 60.0
MAX_KILL_DELAY = 0.02
"""Maximum seconds from a message to killing the server, which is then about to store the move or has just done so."""
_FINISH_TIMEOUT = 30.0
_POWER_LOSS_MOVES = 36


@dataclass(frozen=True)
class SoakSettings:
    """The length of a soak test and the number of faults of each kind.

    It ends after `moves` acknowledged moves and all faults, or after `seconds`. `tables` games are played at a time.
    """

    moves: int = 100_000
    seconds: float = 7200.0
    tables: int = 12
    kills: int = 100
    restarts: int = 40
    outages: int = 400
    silences: int = 10
    seed: int = 1

    @classmethod
    def scale(cls, moves: int, **others: Any) -> SoakSettings:
        """Return settings with faults in proportion to the moves; `others` can be `seconds`, `tables` and `seed`."""
        faults = {"kills": max(2, moves // 1000), "restarts": max(1, moves // 2500), "outages": max(4, moves // 250)}
        return cls(moves, **faults, silences=moves // 10_000, **others)


@dataclass
class Soak:
    """A running soak test: `run` plays, and its results are in the fields afterwards.

    `finished_players` holds (log, last board) of every client, `tables` the ids of all tables, `recovery_times` and
    `stops` are in seconds, and `unrecovered` holds a sentence for each failure.
    """

    server: ServerProcess
    proxy: Proxy
    settings: SoakSettings
    move_count: int = 0
    players: list[Player] = field(default_factory=list)
    """The clients that are playing now."""
    finished_players: list[tuple[MoveLog, tuple[str, int, list[list[Any]]]]] = field(default_factory=list)
    tables: set[str] = field(default_factory=set)
    counts: Counter[str] = field(default_factory=Counter)
    recovery_times: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    stops: list[float] = field(default_factory=list)
    unrecovered: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        """Seed the random generator and create the events that tasks wait for."""
        self.random = random.Random(self.settings.seed)
        self.is_done = asyncio.Event()
        self._is_injecting = False
        self._progressed = asyncio.Event()

    def count_move(self) -> None:
        """Count an acknowledged move, and wake `inject_faults`; finish if there are enough and no faults are left."""
        self.move_count += 1
        self._progressed.set()
        if self.move_count >= self.settings.moves and not self._is_injecting:
            self.finish()

    def finish(self) -> None:
        """End the test: no new games and faults, and all clients stop once their commands are answered."""
        self.is_done.set()
        self._progressed.set()
        for player in self.players:
            player.stop()

    async def play_tables(self, number: int) -> None:
        """Play at one table after another until the test is done; try again while the server is down.

        The remainder of `number` by 4 selects the clients: 0 and 2 are two tabs of one browser, of which the second one
        plays both seats or its own; 1 and 3 are two browsers, of which the second one takes an open seat by link.
        """
        cookies: list[str] = []
        while not self.is_done.is_set():
            try:
                while len(cookies) < 2:
                    cookies.append(await self.server.create_visitor())
                by_link = number % 2 == 1
                second = "open" if by_link else "person"
                table = await self.server.create_table(cookie=cookies[0], seat_1=second, **GAME)
            except (OSError, EOFError, RuntimeError):
                await asyncio.sleep(0.2)
                continue
            self.tables.add(table)
            # Even numbers are two tabs of one browser; in every other pair the second tab plays both seats.
            seats = (frozenset({0}), frozenset({0, 1} if number % 4 == 0 else {1}))
            seatings = [Seating(table, cookies[seat if by_link else 0], seats[seat]) for seat in range(2)]
            await self._play_table(seatings)
            self.counts["tables"] += 1

    async def _play_table(self, seatings: Sequence[Seating]) -> None:
        """Play one game with a client for each seating, and keep their logs and boards, even if it is cancelled."""
        players = [
            Player(lambda: self.proxy.port, seating, self.random.getrandbits(32), self.count_move)
            for seating in seatings
        ]
        self.players += players
        try:
            await asyncio.gather(*(player.play() for player in players))
        finally:
            for player in players:
                self.players.remove(player)
                self.counts.update(player.counts)
                self.finished_players.append((player.log, player.board))

    async def inject_faults(self) -> None:
        """Inject all faults in random order, spread evenly over the moves, or stop when the test is done.

        Until all are injected, `count_move` does not finish the test. Raise RuntimeError if the server does not stop or
        start.
        """
        settings = self.settings
        injections = {
            "kill": self._kill_server,
            "restart": self._restart_server,
            "outage": self._interrupt_network,
            "silence": self._silence_connections,
        }
        kinds = ["kill"] * settings.kills + ["restart"] * settings.restarts
        kinds += ["outage"] * settings.outages + ["silence"] * settings.silences
        self.random.shuffle(kinds)
        self._is_injecting = True
        for index, kind in enumerate(kinds, 1):
            await self._wait_for_moves(index * settings.moves // (len(kinds) + 1))
            if self.is_done.is_set():
                return
            await injections[kind]()
        self._is_injecting = False

    async def _wait_for_moves(self, moves: int) -> None:
        """Wait until this number of moves has been acknowledged, or the test is done."""
        while self.move_count < moves and not self.is_done.is_set():
            self._progressed.clear()
            await self._progressed.wait()

    async def _kill_server(self) -> None:
        """Kill the server up to `MAX_KILL_DELAY` seconds after a client's message, start it, measure the recovery.

        It is killed as well if no client sends a message for 5 seconds. Raise RuntimeError as `ServerProcess` does.
        """
        passed = asyncio.Event()
        self.proxy.on_message = lambda direction, _: passed.set() if direction is Direction.UP else None
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(passed.wait(), 5)
        self.proxy.on_message = None
        await asyncio.sleep(self.random.uniform(0, MAX_KILL_DELAY))
        await self.server.kill()
        self.counts["kills"] += 1
        await self.server.start()
        await self._measure_recovery("server killed")

    async def _restart_server(self) -> None:
        """Stop the server by a signal, note how long that takes, start it again and measure the recovery.

        Raise RuntimeError as `ServerProcess` does.
        """
        self.stops.append(await self.server.stop())
        self.counts["restarts"] += 1
        await self.server.start()
        await self._measure_recovery("server restarted")

    async def _interrupt_network(self) -> None:
        """Interrupt the network in a random way for up to 2 seconds, and measure the recovery.

        After a refusal the clients are told that the network is up; otherwise they must notice it.
        """
        self.counts["outages"] += 1
        seconds = self.random.uniform(0.1, 2.0)
        kind = self.random.choice(["cut", "refuse", "blackhole", "one direction", "other direction"])
        if kind == "cut":
            self.proxy.cut_connections()
        elif kind == "refuse":
            await self.proxy.refuse_connections(seconds)
            for player in self.players:
                player.notify_online()
        elif kind == "blackhole":
            await self.proxy.blackhole(seconds)
        else:
            await self.proxy.blackhole(seconds, (Direction.UP if kind == "one direction" else Direction.DOWN,))
        await self._measure_recovery("network")

    async def _silence_connections(self) -> None:
        """Make all connections dead without closing them, and measure how long the clients take to reconnect."""
        self.counts["silences"] += 1
        self.proxy.silence_connections()
        await self._measure_recovery("dead connections", reconnected=True)

    async def _measure_recovery(self, kind: str, *, reconnected: bool = False) -> None:
        """Measure how long each client takes to show the latest board again, and add it to `recovery_times[kind]`.

        With `reconnected`, all clients must do so on new connections. Those that take longer than `RECOVERY_TIMEOUT`
        seconds are noted in `unrecovered`. Clients that are up to date already are not counted.
        """
        start = time.monotonic()
        # The latest version that any client has, by table.
        latest: Counter[str] = Counter()
        for player in self.players:
            latest[player.seating.table] = max(latest[player.seating.table], player.version)
        # A client that has finished and only waits for the other one receives no more boards.
        playing = [player for player in self.players if not player.is_finished]
        waits = [player.wait_for_version(latest[player.seating.table], reconnected=reconnected) for player in playing]
        waits = [wait for wait in waits if not wait.done()]

        async def record_time(wait: asyncio.Future[None]) -> None:
            """Add the seconds until this future is done; add nothing if it is cancelled, as when a game ends."""
            with contextlib.suppress(asyncio.CancelledError):
                await wait
                self.recovery_times[kind].append(time.monotonic() - start)

        tasks = [asyncio.create_task(record_time(wait)) for wait in waits]
        if not tasks:
            return
        _, left = await asyncio.wait(tasks, timeout=RECOVERY_TIMEOUT)
        for task in left:
            task.cancel()
        if left:
            late = f"{len(left)} of {len(tasks)} clients"
            self.unrecovered.append(f"{late} had not recovered {RECOVERY_TIMEOUT:g} s after: {kind}")

    async def run(self) -> None:
        """Play until the test is done, its time is over or a client fails; then raise the first error of a task.

        Clients have `_FINISH_TIMEOUT` seconds to receive their last answers. An error of `inject_faults` ends no game
        and is raised only then.
        """
        faults = asyncio.create_task(self.inject_faults())
        tables = [asyncio.create_task(self.play_tables(number)) for number in range(self.settings.tables)]
        try:
            _, playing = await asyncio.wait(tables, timeout=self.settings.seconds, return_when=asyncio.FIRST_EXCEPTION)
            self.finish()
            if playing:
                await asyncio.wait(playing, timeout=_FINISH_TIMEOUT)
        finally:
            for task in (faults, *tables):
                task.cancel()
            results = await asyncio.gather(faults, *tables, return_exceptions=True)
        for result in results:
            if isinstance(result, Exception):
                raise result


def build_report(soak: Soak, check: ConsistencyReport, seconds: float) -> dict[str, Any]:
    """Return the results as JSON values: counts by kind, recovery times in seconds, and the first five of each fault.

    "lost" to "diverged" count faults, "faults" quotes them; "diverged" includes boards that clients saw go wrong.
    `seconds` is how long the test took.
    """
    answers = sum((log.answers for log, _ in soak.finished_players), Counter())
    times = {
        kind: {
            "times": len(values),
            "median_s": round(statistics.median(values), 3),
            "p95_s": round(sorted(values)[int(0.95 * (len(values) - 1))], 3),
            "worst_s": round(max(values), 3),
        }
        for kind, values in sorted(soak.recovery_times.items())
        if values
    }
    diverged = len(check.diverged) + soak.counts["boards that differed"] + soak.counts["boards that went back"]
    return {
        "moves": check.moves,
        "stored_but_not_acknowledged": check.unacknowledged,
        "lost": len(check.lost),
        "duplicated": len(check.duplicated),
        "out_of_order": len(check.out_of_order),
        "unsent": len(check.unsent),
        "gaps": len(check.gaps),
        "illegal": len(check.illegal),
        "diverged": diverged,
        "answers": dict(sorted(answers.items())),
        "reconnects": soak.counts["connections"] - len(soak.finished_players),
        "kills": soak.counts["kills"],
        "restarts": soak.counts["restarts"],
        "outages": soak.counts["outages"],
        "recovery_times": times,
        "not_recovered": soak.unrecovered,
        "longest_stop_s": round(max(soak.stops, default=0.0), 3),
        "players": dict(sorted(soak.counts.items())),
        "network": dict(sorted(soak.proxy.counts.items())),
        "seconds": round(seconds, 1),
        "faults": {name: values[:5] for name, values in check.faults.items()},
    }


async def run_soak(settings: SoakSettings, folder: Path, database: str | None = None) -> dict[str, Any]:
    """Run a soak test on a folder, or on a database at an address; return what `build_report` does.

    The server runs in a process of its own and is killed at the end. Raise RuntimeError if it does not start or stop;
    other errors of a task, and those of `check_consistency`, pass through.
    """
    server = ServerProcess(folder, database)
    await server.start()
    start = time.monotonic()
    try:
        async with Proxy(server.port, FaultPlan(ODDS, settings.seed)) as proxy:
            soak = Soak(server, proxy, settings)
            await soak.run()
    finally:
        await server.kill()
    seconds = time.monotonic() - start
    logs, boards = [log for log, _ in soak.finished_players], [board for _, board in soak.finished_players]
    check = check_consistency(server.location, soak.tables, logs, [board for board in boards if board[1] >= 0])
    return build_report(soak, check, seconds)


def main(arguments: Sequence[str]) -> int:
    """Run the command line, given without the program's name, and print the report as JSON.

    Return 1 if the test found a fault, otherwise 0; exit with 2 for wrong options.
    """
    default = SoakSettings()
    parser = argparse.ArgumentParser(
        prog="scripts/soak", description="Run a soak test with injected faults; print the results as JSON."
    )
    parser.add_argument("--moves", type=int, default=default.moves, help="the number of moves (%(default)s)")
    parser.add_argument(
        "--seconds", type=float, default=default.seconds, help="the time limit in seconds (%(default)s)"
    )
    parser.add_argument(
        "--tables", type=int, default=default.tables, help="the number of simultaneous games (%(default)s)"
    )
    parser.add_argument("--seed", type=int, default=default.seed, help="the seed of the faults (%(default)s)")
    parser.add_argument("--database", metavar="ADDRESS", help="postgresql://...; by default, SQLite in a folder")
    parser.add_argument("--data", type=Path, help="the folder to use; by default, a temporary one")
    parser.add_argument(
        "--power-loss",
        action="store_true",
        help="instead, store moves in SQLite (by default 36) and let the power fail after every write",
    )
    given = parser.parse_args(arguments)
    if given.power_loss:
        moves = _POWER_LOSS_MOVES if given.moves == default.moves else given.moves
        report = run_power_loss(moves, given.seed)
        sys.stdout.write(f"{json.dumps(vars(report), indent=2)}\n")
        return 1 if report.faults else 0
    settings = SoakSettings.scale(given.moves, seconds=given.seconds, tables=given.tables, seed=given.seed)
    with tempfile.TemporaryDirectory() as folder:
        result = asyncio.run(run_soak(settings, given.data or Path(folder), given.database))
    sys.stdout.write(f"{json.dumps(result, indent=2)}\n")
    return 1 if result["faults"] or result["diverged"] or result["not_recovered"] else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
