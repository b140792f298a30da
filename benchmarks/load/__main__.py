"""Load: `scripts/load` drives our server and boardgame.io's with the same moves, and prints both as JSON."""

from __future__ import annotations

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
from benchmarks.load.drive import at_rate, good, idle, leave, most, raise_file_limit, say, whole_game
from benchmarks.load.lines import Served
from benchmarks.load.ours import Ours

SERVER_CORE, CLIENT_CORE = 0, 1
AIM_RATE, AIM_SOCKETS = 250.0, 5000


@dataclass(frozen=True)
class Effort:
    """How much is measured."""

    tables: int = 100
    seconds: float = 5.0
    first: float = 50.0
    halvings: int = 1
    sockets: tuple[int, ...] = (1000, AIM_SOCKETS)
    aim_seconds: float = 15.0


QUICK = Effort(tables=20, seconds=2.0, halvings=0, sockets=(200,), aim_seconds=2.0)


async def measure(make: Callable[[], Served], effort: Effort) -> dict[str, Any]:
    """Measure one server."""
    result: dict[str, Any] = {}
    server = make()
    await server.start()
    try:
        for seed in range(2):
            scores, right = await whole_game(server, seed)
            if scores != right:
                raise RuntimeError(f"{server.name} counts {scores} where {right} is right")
        say(f"{server.name}: how many moves a second")
        steps = await most(server, effort.tables, effort.seconds, effort.first, effort.halvings)
        result["steps"] = steps
        kept_up = [step for step in steps if good(step)]
        result["most"] = max(kept_up, key=lambda step: step["moves_per_s"], default=None)
    finally:
        await server.stop()
    for sockets in effort.sockets:
        say(f"{server.name}: {sockets} sockets")
        server = make()
        await server.start()
        try:
            await whole_game(server, 1)
            cost, playing = await idle(server, sockets)
            say(f"  {cost}")
            if sockets == max(effort.sockets):
                cost["while_played"] = await at_rate(server, playing, AIM_RATE, effort.aim_seconds)
            result[f"{sockets} sockets"] = cost
            await leave(playing)
        except (OSError, RuntimeError, TimeoutError, WebSocketException) as error:
            result[f"{sockets} sockets"] = {"failed": str(error) or type(error).__name__}
        finally:
            await server.stop()
    return result


def pinned(core: int) -> list[str]:
    """Return what is put before a command so that it runs on a core."""
    return ["taskset", "-c", str(core)] if shutil.which("taskset") and (os.cpu_count() or 1) > 1 else []


def main(arguments: Sequence[str]) -> None:
    """Read the command line, measure, and print."""
    parser = argparse.ArgumentParser(prog="scripts/load", description="Measure the server under load; JSON on stdout.")
    parser.add_argument("--quick", action="store_true", help="a first impression")
    parser.add_argument("--database", metavar="ADDRESS", help="postgresql://...; otherwise SQLite in a folder")
    parser.add_argument("--only", action="append", choices=("ours", "memory", "files"), help="only this server")
    given = parser.parse_args(arguments)
    effort = QUICK if given.quick else Effort()
    files = raise_file_limit()
    before = pinned(SERVER_CORE)
    if before:
        os.sched_setaffinity(0, {CLIENT_CORE})
    result: dict[str, Any] = {"cores": os.cpu_count(), "files": files, "pinned": bool(before), "load": os.getloadavg()}
    with tempfile.TemporaryDirectory() as folder:
        numbers = iter(range(100))
        makers: dict[str, Callable[[], Served]] = {
            "ours": lambda: Ours(Path(folder) / str(next(numbers)), given.database, before),
            "memory": lambda: BoardgameIo(None, before),
            "files": lambda: BoardgameIo(Path(folder) / str(next(numbers)), before),
        }
        if not (FOLDER / "node_modules").is_dir():
            say("the peer is not installed: run `npm install --ignore-scripts --no-package-lock` in benchmarks/peers/boardgame_io")
            makers = {"ours": makers["ours"]}
        for name in given.only or makers:
            if name in makers:
                result[name] = asyncio.run(measure(makers[name], effort))
    print(json.dumps(result, indent=2))


if __name__ == "__main__":
    main(sys.argv[1:])
