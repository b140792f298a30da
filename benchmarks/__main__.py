"""Measure speed and print it as JSON: `python -m benchmarks [--quick] [names of parts or games]`."""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import platform
import sys
from typing import Any

import numba
import numpy as np

import fourcorners as fc
from benchmarks import peers, pictures, rates, starting

PARTS = ("rates", "peers", "starting", "pictures")


def say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def machine() -> dict[str, Any]:
    """Say what was measured on."""
    return {
        "python": platform.python_version(),
        "numpy": np.__version__,
        "numba": numba.__version__,
        "fourcorners": fc.__version__,
        "processor": platform.processor() or platform.machine(),
        "cores": os.cpu_count(),
    }


def measure(parts: list[str], games: list[str], *, quick: bool) -> dict[str, Any]:
    """Measure the parts for the games; progress goes to stderr."""
    effort = rates.QUICK if quick else rates.FULL
    result: dict[str, Any] = {"machine": machine(), "quick": quick}
    for part in parts:
        found: dict[str, Any] = {}
        if part == "peers":
            if importlib.util.find_spec("pyspiel") is None:
                say("peers: OpenSpiel is not installed, nothing to compare with")
                continue
            for size in peers.SIZES:
                say(f"peers: {peers.PRESET} {size} x {size}")
                found[f"{peers.PRESET} {size}x{size}"] = peers.compare(size, effort)
        for game in games if part != "peers" else ():
            say(f"{part}: {game}")
            if part == "rates":
                found[game] = rates.measure(fc.game(game).start(seed=1), effort)
            elif part == "starting":
                found[game] = starting.measure(game, 1 if quick else 3)
            else:
                found[game] = pictures.measure(fc.game(game), effort.rounds)
        result[part] = found
    return result


def main(arguments: list[str]) -> None:
    """Read the command line and print the result."""
    parser = argparse.ArgumentParser(prog="scripts/bench", description="Measure speed; JSON on stdout.")
    parser.add_argument("--quick", action="store_true", help="do less work and fewer rounds, for a first impression")
    parser.add_argument(
        "names",
        nargs="*",
        metavar="NAME",
        help=f"run only these parts ({', '.join(PARTS)}) or games ({', '.join(fc.games())})",
    )
    given = parser.parse_args(arguments)
    for name in given.names:
        if name not in PARTS and name not in fc.games():
            parser.error(f"{name!r} is neither a part ({', '.join(PARTS)}) nor a game ({', '.join(fc.games())})")
    parts = [part for part in PARTS if part in given.names] or list(PARTS)
    games = [game for game in fc.games() if game in given.names] or fc.games()
    print(json.dumps(measure(parts, games, quick=given.quick), indent=2))


if __name__ == "__main__":
    main(sys.argv[1:])
