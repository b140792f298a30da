"""Measure speed and print it as JSON: `python -m benchmarks [--quick] [names of parts or games]`."""

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
from benchmarks import envs, peers, pictures, rates, starting
from benchmarks.load.processes import find_processor

PARTS = ("rates", "peers", "starting", "pictures", "envs")


def print_progress(text: str) -> None:
    """Print a line of progress to stderr at once; stdout is for the result."""
    print(text, file=sys.stderr, flush=True)


def describe_machine() -> dict[str, Any]:
    """Return the versions and the hardware that the figures depend on, by name."""
    return {
        "python": platform.python_version(),
        "numpy": np.__version__,
        "numba": numba.__version__,
        "fourcorners": fc.__version__,
        "processor": find_processor(),
        "cores": os.cpu_count(),
    }


def measure_parts(parts: list[str], games: list[str], *, quick: bool) -> dict[str, Any]:
    """Run parts, some of PARTS, for games by id; return the figures by part and game, beside "machine" and "quick".

    This takes minutes, or seconds if `quick`. The part "peers" compares one preset whatever the games, and is left out
    without OpenSpiel; its figures are by board size. "envs" has those of `envs.measure_environments`.
    """
    effort = rates.QUICK if quick else rates.FULL
    result: dict[str, Any] = {"machine": describe_machine(), "quick": quick}
    for part in parts:
        figures: dict[str, Any] = {}
        if part == "envs":
            print_progress("envs: environments of other libraries, and ours")
            result[part] = envs.measure_environments(games, envs.QUICK if quick else envs.FULL, print_progress)
            continue
        if part == "peers":
            if importlib.util.find_spec("pyspiel") is None:
                print_progress("peers: OpenSpiel is not installed, so there is no comparison")
                continue
            for size in peers.SIZES:
                print_progress(f"peers: {peers.PRESET} {size} x {size}")
                figures[f"{peers.PRESET} {size}x{size}"] = peers.compare_with_openspiel(size, effort)
        for game in games if part != "peers" else ():
            print_progress(f"{part}: {game}")
            if part == "rates":
                figures[game] = rates.measure_rates(fc.game(game).start(seed=1), effort)
            elif part == "starting":
                figures[game] = starting.measure_start_up(game, 1 if quick else 3)
            else:
                figures[game] = pictures.measure_pictures(fc.game(game), effort.rounds)
        result[part] = figures
    return result


def main(arguments: list[str]) -> None:
    """Read the command line and print what `measure_parts` returns as JSON; exit with status 2 for an unknown name."""
    parser = argparse.ArgumentParser(prog="scripts/bench", description="Measure speed; JSON on stdout.")
    parser.add_argument("--quick", action="store_true", help="do less work and fewer rounds, for a first impression")
    parser.add_argument(
        "names",
        nargs="*",
        metavar="NAME",
        help=f"run only these parts ({', '.join(PARTS)}) or games ({', '.join(fc.games())})",
    )
    options = parser.parse_args(arguments)
    for name in options.names:
        if name not in PARTS and name not in fc.games():
            parser.error(f"{name!r} is neither a part ({', '.join(PARTS)}) nor a game ({', '.join(fc.games())})")
    parts = [part for part in PARTS if part in options.names] or list(PARTS)
    games = [game for game in fc.games() if game in options.names] or fc.games()
    print(json.dumps(measure_parts(parts, games, quick=options.quick), indent=2))


if __name__ == "__main__":
    main(sys.argv[1:])
