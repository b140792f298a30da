"""`scripts/load`: put the same load on our server and on boardgame.io's, and print the measurements as JSON."""

import argparse
import asyncio
import json
import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from websockets.exceptions import WebSocketException

from benchmarks.load.boardgame_io import FOLDER, BoardgameIo
from benchmarks.load.clients import GameServer
from benchmarks.load.our_server import OurServer
from benchmarks.load.workload import (
    close_matches,
    find_max_rate,
    has_kept_up,
    measure_idle,
    play_at_rate,
    play_whole_game,
    print_progress,
    raise_file_limit,
)

SERVER_CORE, CLIENT_CORE = 0, 1
TARGET_RATE, TARGET_SOCKETS = 250.0, 5000


@dataclass(frozen=True)
class Plan:
    """What to measure: the search for the highest rate, then each number of idle sockets.

    With the largest number of sockets, moves are played at TARGET_RATE for `target_seconds` as well.
    """

    tables: int = 100
    seconds: float = 5.0
    first_rate: float = 50.0
    halvings: int = 1
    sockets: tuple[int, ...] = (1000, TARGET_SOCKETS)
    target_seconds: float = 15.0


QUICK = Plan(tables=20, seconds=2.0, halvings=0, sockets=(200,), target_seconds=2.0)


async def measure_server(create_server: Callable[[], GameServer], plan: Plan) -> dict[str, Any]:
    """Measure one server, in a fresh process for each part; return the figures by name.

    "steps" are the results of `find_max_rate`, "most" the quickest with which the server kept up (None: none), and
    "N sockets" the cost of N idle sockets, or why measuring it failed. Raise RuntimeError if the server does not start
    or scores one of two games wrongly.
    """
    result: dict[str, Any] = {}
    server = create_server()
    await server.start()
    try:
        for seed in range(2):
            scores, correct = await play_whole_game(server, seed)
            if scores != correct:
                raise RuntimeError(f"{server.name} reports the scores {scores} instead of {correct}")
        print_progress(f"{server.name}: highest rate of moves")
        steps = await find_max_rate(server, plan.tables, plan.seconds, plan.first_rate, plan.halvings)
        result["steps"] = steps
        successful = [step for step in steps if has_kept_up(step)]
        result["most"] = max(successful, key=lambda step: step["moves_per_s"], default=None)
    finally:
        await server.stop()
    for sockets in plan.sockets:
        print_progress(f"{server.name}: {sockets} sockets")
        server = create_server()
        await server.start()
        try:
            # The first game warms the server up, so that its memory before the sockets is comparable.
            await play_whole_game(server, 1)
            cost, matches = await measure_idle(server, sockets)
            print_progress(f"  {cost}")
            if sockets == max(plan.sockets):
                cost["while_played"] = await play_at_rate(server, matches, TARGET_RATE, plan.target_seconds)
            result[f"{sockets} sockets"] = cost
            await close_matches(matches)
        except (OSError, RuntimeError, TimeoutError, WebSocketException) as error:
            result[f"{sockets} sockets"] = {"failed": str(error) or type(error).__name__}
        finally:
            await server.stop()
    return result


def build_pin_prefix(core: int) -> list[str]:
    """Return the words before a command that pin it to a core, counted from 0; none where that is not possible."""
    return ["taskset", "-c", str(core)] if shutil.which("taskset") and (os.cpu_count() or 1) > 1 else []


def main(arguments: Sequence[str]) -> None:
    """Parse the command line, measure the servers and print the figures by server as JSON.

    With several cores, servers run on SERVER_CORE and this process, for good, on CLIENT_CORE. Without boardgame.io only
    our server is measured, even if `--only` names another.
    """
    parser = argparse.ArgumentParser(prog="scripts/load", description="Measure the server under load; JSON on stdout.")
    parser.add_argument("--quick", action="store_true", help="measure less, for a rough result")
    parser.add_argument("--database", metavar="ADDRESS", help="postgresql://...; the default is SQLite in a folder")
    parser.add_argument("--only", action="append", choices=("ours", "memory", "files"), help="measure this server only")
    options = parser.parse_args(arguments)
    plan = QUICK if options.quick else Plan()
    files = raise_file_limit()
    prefix = build_pin_prefix(SERVER_CORE)
    if prefix:
        os.sched_setaffinity(0, {CLIENT_CORE})
    result: dict[str, Any] = {"cores": os.cpu_count(), "files": files, "pinned": bool(prefix), "load": os.getloadavg()}
    with tempfile.TemporaryDirectory() as folder:
        numbers = iter(range(100))
        servers: dict[str, Callable[[], GameServer]] = {
            "ours": lambda: OurServer(Path(folder) / str(next(numbers)), options.database, prefix),
            "memory": lambda: BoardgameIo(None, prefix),
            "files": lambda: BoardgameIo(Path(folder) / str(next(numbers)), prefix),
        }
        if not (FOLDER / "node_modules").is_dir():
            print_progress("boardgame.io is not installed; see benchmarks/peers/boardgame_io/README.md")
            servers = {"ours": servers["ours"]}
        for name in options.only or servers:
            if name in servers:
                result[name] = asyncio.run(measure_server(servers[name], plan))
    print(json.dumps(result, indent=2))


if __name__ == "__main__":
    main(sys.argv[1:])
