"""The soak test: many moves over a bad network to a server that is killed again and again, with a report as JSON."""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.faults.games import Games, summarise_check, summarise_times
from tests.faults.machines import KINDS, MachineSettings, run_machine_soak
from tests.faults.move_log import ConsistencyReport, check_consistency
from tests.faults.power_loss import run_power_loss
from tests.faults.proxy import Direction, Fault, FaultPlan, Proxy
from tests.faults.server_process import ServerProcess

ODDS = {
    Fault.DELAY: 0.01,
    Fault.DUPLICATE: 0.02,
    Fault.TRUNCATE: 0.0015,
    Fault.CUT_BEFORE: 0.0015,
    Fault.CUT_AFTER: 0.0015,
}
MAX_KILL_DELAY = 0.02
"""Maximum seconds from a message to killing the server, which is then about to store the move or has just done so."""
_POWER_LOSS_MOVES = 36
_FAULT_MOVES, _MOVES_PER_REPEAT = 50_000, 12_500


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


class Soak(Games):
    """A running soak test with one server behind a proxy; `stops` are the seconds that the server took to stop."""

    def __init__(self, server: ServerProcess, proxy: Proxy, settings: SoakSettings) -> None:
        """Prepare to play through a proxy with the server, which runs."""
        super().__init__(settings.moves, settings.seconds, settings.tables, settings.seed)
        self.server = server
        self.proxy = proxy
        self.settings = settings
        self.stops: list[float] = []

    def choose_server(self) -> ServerProcess:
        """Return the only server."""
        return self.server

    def choose_port(self) -> int:
        """Return the port of the proxy."""
        return self.proxy.port

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
        self.is_injecting = True
        for index, kind in enumerate(kinds, 1):
            await self.wait_for_moves(index * settings.moves // (len(kinds) + 1))
            if self.is_done.is_set():
                return
            await injections[kind]()
        self.is_injecting = False

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
        self.counts["kills"] += 1
        await self.server.kill()
        await self.server.start()
        await self.measure_recovery("server killed")

    async def _restart_server(self) -> None:
        """Stop the server by a signal, note how long that takes, start it again and measure the recovery.

        Raise RuntimeError as `ServerProcess` does.
        """
        self.stops.append(await self.server.stop())
        self.counts["restarts"] += 1
        await self.server.start()
        await self.measure_recovery("server restarted")

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
        await self.measure_recovery("network")

    async def _silence_connections(self) -> None:
        """Make all connections dead without closing them, and measure how long the clients take to reconnect."""
        self.counts["silences"] += 1
        self.proxy.silence_connections()
        await self.measure_recovery("dead connections", reconnected=True)


def build_report(soak: Soak, check: ConsistencyReport, seconds: float) -> dict[str, Any]:
    """Return the results as JSON values: counts by kind, recovery times in seconds, and the first five of each fault.

    "lost" to "unstored" count faults, "faults" quotes them; "diverged" includes boards that clients saw go wrong.
    `seconds` is how long the test took.
    """
    answers = sum((log.answers for log, _ in soak.finished_players), Counter())
    diverged = len(check.diverged) + soak.counts["boards that differed"] + soak.counts["boards that went back"]
    return {
        **summarise_check(check),
        "diverged": diverged,
        "answers": dict(sorted(answers.items())),
        "reconnects": soak.counts["connections"] - len(soak.finished_players),
        "kills": soak.counts["kills"],
        "restarts": soak.counts["restarts"],
        "outages": soak.counts["outages"],
        "recovery_times": summarise_times(soak.recovery_times),
        "not_recovered": soak.unrecovered,
        "longest_stop_s": round(max(soak.stops, default=0.0), 3),
        "players": dict(sorted(soak.counts.items())),
        "network": dict(sorted(soak.proxy.counts.items())),
        "seconds": round(seconds, 1),
        "faults": {name: values[:5] for name, values in check.faults.items()},
    }


async def run_soak(settings: SoakSettings, folder: Path, database: str | None = None) -> dict[str, Any]:
    """Run a soak test on a folder, or on a database at an address; return what `build_report` does.

    The server runs in a separate process and is killed at the end. Raise RuntimeError if it does not start or stop;
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
    parser.add_argument(
        "--faults",
        nargs="?",
        const=",".join(KINDS),
        metavar="KIND,KIND...",
        help="instead, let two servers, PostgreSQL, its replica and Redis lose each other, pause, crash and fail over;"
        f" without kinds all: {', '.join(KINDS)}",
    )
    parser.add_argument("--repeats", type=int, help="with --faults, how often each kind happens (one in 12,500 moves)")
    given = parser.parse_args(arguments)
    if given.faults is not None:
        if unknown := set(given.faults.split(",")) - KINDS.keys():
            parser.error(f"there is no fault called {', '.join(sorted(unknown))}; the faults are {', '.join(KINDS)}")
        moves = _FAULT_MOVES if given.moves == default.moves else given.moves
        machine_settings = MachineSettings(
            moves,
            given.seconds,
            given.tables,
            tuple(given.faults.split(",")),
            given.repeats or max(1, moves // _MOVES_PER_REPEAT),
            seed=given.seed,
        )
        result = asyncio.run(run_machine_soak(machine_settings))
        sys.stdout.write(f"{json.dumps(result, indent=2)}\n")
        return 1 if result["faults"] or result["diverged"] or result["not_recovered"] else 0
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
