"""Measure labels: `python -m benchmarks.labels --positions 3000 --free 22`.

Print as JSON how many positions of Dots and Boxes 5 x 5 a processor second labels with their values, with the values of
every move, and how many `fc.solve` solves. Random play has left at most `--free` edges.
"""

import argparse
import json
import random
import time
from typing import Any

import fourcorners as fc

_MOST_PLAYED_ON = 5
_SINGLE = 20  # the positions for each one that is solved alone


def play_positions(game: fc.Game, count: int, free: int) -> list[fc.Position]:
    """Return positions of random games with at most `free` moves left, up to 5 fewer."""
    rng = random.Random(1)
    positions = []
    for _ in range(count):
        position = game.start()
        left = free - rng.randint(0, _MOST_PLAYED_ON)
        while len(moves := position.moves()) > max(1, left):
            position = position.play(rng.choice(moves))
        positions.append(position)
    return positions


def measure_labels(game: fc.Game, count: int, free: int) -> dict[str, Any]:
    """Return rates in positions per second of processor time, by name, and the share that is exact.

    Each rate is that of a new solver, after compilation.
    """
    positions = play_positions(game, count, free)
    singles = positions[: max(1, count // _SINGLE)]
    result: dict[str, Any] = {"positions": count, "free": free}
    for name, every_move in (("values_per_s", False), ("every_move_per_s", True)):
        fc.Solver(game).label(positions[:1], every_move=every_move)
        solver, start = fc.Solver(game), time.process_time()
        labels = solver.label(positions, every_move=every_move)
        result[name] = round(count / (time.process_time() - start))
        result["exact"] = float(labels.exact.mean())
    fc.solve(singles[0], threads=1)
    start = time.process_time()
    for position in singles:
        fc.solve(position, threads=1)
    result["solves_per_s"] = round(len(singles) / (time.process_time() - start))
    return result


def main() -> None:
    """Read the command line, measure and print the figures as JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--positions", type=int, default=3000)
    parser.add_argument("--free", type=int, default=22)
    args = parser.parse_args()
    print(json.dumps(measure_labels(fc.game("dots-and-boxes"), args.positions, args.free)))


if __name__ == "__main__":
    main()
