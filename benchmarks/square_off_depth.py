"""From how early Square Off is solved, as JSON: `python -m benchmarks.square_off_depth [--seconds 10] [--games 10]`.

Positions come from random games and from games that the computer plays against itself; for every number of free cells
it is told how many of them were solved within the seconds. The values are exact, the seconds depend on the machine.
"""

from __future__ import annotations

import argparse
import importlib
import json
import random
import statistics
import sys
import time
from typing import Any

import fourcorners as fc
from benchmarks.rates import significant
from fourcorners.core.errors import SolverLimit
from fourcorners.solve.task import Method

_SLICE = 2000


def random_game(game: fc.Game, free: int, seed: int) -> fc.Position:
    """Play at random until so many cells are free."""
    rng = random.Random(seed)
    return play_on(game, free, lambda position: rng.choice(position.moves()))


def strong_game(game: fc.Game, free: int, seed: int, nodes: int) -> fc.Position:
    """Let the computer play both seats."""
    computer = fc.Computer(nodes=nodes, seed=seed)
    return play_on(game, free, lambda position: computer.choose(position).move)


def play_on(game: fc.Game, free: int, choose: Any) -> fc.Position:
    position = game.start()
    cells = int(position.record.side) ** 2
    while cells - int(position.record.placed) > free:
        position = position.play(choose(position))
    return position


def solve(method: Method, position: fc.Position, seconds: float) -> dict[str, Any]:
    """Return the bounds that were proven, the nodes and the seconds."""
    begun = time.perf_counter()
    found: dict[str, Any] = {"position": position.text}
    try:
        task = method.task(position)
        done = task.advance(1)
        while not done and time.perf_counter() - begun < seconds:
            done = task.advance(_SLICE)
    except SolverLimit as limit:
        return {**found, "lower": limit.lower, "upper": limit.upper, "nodes": limit.nodes, "seconds": 0.0}
    took = significant(time.perf_counter() - begun)
    return {**found, "lower": task.lower, "upper": task.upper, "nodes": task.nodes, "seconds": took}


def summary(found: list[dict[str, Any]]) -> dict[str, Any]:
    solved = [one for one in found if one["lower"] == one["upper"]]
    return {
        "positions": len(found),
        "solved": len(solved),
        "median_seconds": statistics.median(one["seconds"] for one in found),
        "median_nodes": int(statistics.median(one["nodes"] for one in found)),
        "each": found,
    }


def main(arguments: list[str]) -> None:
    """Read the command line and print the table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.square_off_depth", description=__doc__)
    parser.add_argument("--size", type=int, default=8)
    parser.add_argument("--seconds", type=float, default=10.0, help="for each position")
    parser.add_argument("--free", type=int, nargs="+", default=[16, 18, 20, 22, 24, 26, 28])
    parser.add_argument("--games", type=int, default=10, help="of each kind")
    parser.add_argument(
        "--computer", type=int, default=2000, help="simulations for a move of the strong games; 0: none"
    )
    parser.add_argument("--memory", type=int, default=1 << 30, help="bytes")
    parser.add_argument("--method", default="margins:Margins", help="module and class in fourcorners.solve")
    given = parser.parse_args(arguments)
    module, name = given.method.split(":")
    make = getattr(importlib.import_module(f"fourcorners.solve.{module}"), name)
    game = fc.game("square-off", size=given.size)
    # Compile first: that is no part of solving.
    solve(make(game, 1 << 20, 1), random_game(game, 8, 0), 60.0)
    table: dict[str, Any] = {"arguments": vars(given)}
    for kind in ("random", "strong") if given.computer else ("random",):
        table[kind] = {}
        for free in given.free:
            found = []
            for seed in range(given.games):
                position = (
                    random_game(game, free, seed) if kind == "random" else strong_game(game, free, seed, given.computer)
                )
                found.append(solve(make(game, given.memory, 1), position, given.seconds))
            table[kind][free] = summary(found)
            print(f"{kind} {free}: {table[kind][free]['solved']} of {given.games}", file=sys.stderr, flush=True)
    print(json.dumps(table, indent=2))


if __name__ == "__main__":
    main(sys.argv[1:])
