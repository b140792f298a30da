"""`scripts/load`: put the same load on our server and on others, or on ours in growing sizes; print figures as JSON."""

import argparse
import asyncio
import json
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import uvloop

from benchmarks.load import comparison, curves, sites
from benchmarks.load.boardgame_io import FOLDER, BoardgameIo
from benchmarks.load.clients import CreateServer
from benchmarks.load.comparison import ECHO, compare_rates, measure_sockets
from benchmarks.load.echo import EchoServer
from benchmarks.load.our_server import OurServer
from benchmarks.load.processes import describe_machine, pin_client
from benchmarks.load.targets import (
    FILES,
    MEMORY,
    OURS,
    RATE_HEADER,
    build_rate_rows,
    check_targets,
    print_comparison,
    print_tables,
)
from benchmarks.load.workload import print_progress, raise_file_limit


def create_servers(folder: Path, database: str | None, prefix: Sequence[str]) -> dict[str, CreateServer]:
    """Return functions that prepare the servers to compare, by short name, each with a new folder below `folder`.

    All are pinned to a core by the words `prefix`.
    """
    numbers = iter(range(100))
    servers: dict[str, CreateServer] = {
        OURS: lambda: OurServer(folder / str(next(numbers)), database, prefix),
        MEMORY: lambda: BoardgameIo(None, prefix),
        FILES: lambda: BoardgameIo(folder / str(next(numbers)), prefix),
        ECHO: lambda: EchoServer(prefix),
    }
    if not (FOLDER / "node_modules").is_dir():
        print_progress("boardgame.io is not installed; see benchmarks/peers/boardgame_io/README.md")
        del servers[MEMORY], servers[FILES]
    return servers


async def compare(servers: dict[str, CreateServer], plan: comparison.Plan) -> dict[str, Any]:
    """Return the figures of all parts: "rates", "sockets" and "targets"; raise RuntimeError if a server is broken."""
    result: dict[str, Any] = {"tables": plan.tables, "rates": await compare_rates(servers, plan)}
    counted = [name for name in (OURS, MEMORY) if name in servers]
    result["sockets"] = {name: await measure_sockets(servers[name], plan) for name in counted}
    result["targets"] = check_targets(result)
    return result


def run(measure: Callable[[Path, list[str]], Any], *, pins: bool) -> dict[str, Any]:
    """Call `measure` with a new folder and the result of `pin_client`, or no words if nothing is to be pinned; return
    the machine and what it returned.
    """
    files, machine, prefix = raise_file_limit(), describe_machine(), pin_client() if pins else []
    with (
        tempfile.TemporaryDirectory() as folder,
        asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner,
    ):
        result = runner.run(measure(Path(folder), prefix))
    return {"machine": machine, "files": files, "pinned": bool(prefix), **result}


def main(arguments: Sequence[str]) -> None:
    """Parse the command line, measure, print tables to stderr and the figures as JSON."""
    parser = argparse.ArgumentParser(prog="scripts/load", description="Measure the server under load; JSON on stdout.")
    parser.add_argument("--quick", action="store_true", help="measure less, for a rough result")
    parser.add_argument("--curves", action="store_true", help="measure growing numbers of tables and of watchers")
    parser.add_argument(
        "--sites", action="store_true", help="measure one and two servers behind Caddy; needs root unless it is quick"
    )
    parser.add_argument("--database", metavar="ADDRESS", help="postgresql://...; the default is SQLite in a folder")
    names = OURS, MEMORY, FILES, ECHO
    parser.add_argument("--only", action="append", choices=names, help="measure this server only")
    options = parser.parse_args(arguments)

    async def measure(folder: Path, prefix: list[str]) -> dict[str, Any]:
        """Measure what the options say."""
        if options.sites:
            if options.quick:
                return await sites.measure_sites(folder, sites.QUICK, None)
            return await sites.measure_sites(folder, sites.PLAN, sites.SHARE)
        servers = create_servers(folder, options.database, prefix)
        if options.curves:
            plan = curves.QUICK if options.quick else curves.Plan()
            return await curves.measure_curves(servers[OURS], folder, prefix, plan)
        servers = {name: servers[name] for name in options.only or servers if name in servers}
        return await compare(servers, comparison.QUICK if options.quick else comparison.Plan())

    result = {
        "quick": options.quick,
        "kind": "sites" if options.sites else "curves" if options.curves else "comparison",
        **run(measure, pins=not options.sites),
    }
    if options.sites:
        print_tables([("One server and two behind Caddy", RATE_HEADER, build_rate_rows(result["rates"]))])
    elif options.curves:
        curves.print_curves(result)
    else:
        print_comparison(result)
    print(json.dumps(result, indent=2))


if __name__ == "__main__":
    main(sys.argv[1:])
