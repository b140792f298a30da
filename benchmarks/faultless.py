"""Count moves of the strongest level that lose value, where that is known: `python -m benchmarks.faultless`."""

from __future__ import annotations

import argparse
import json
import random

import fourcorners as fc

PRESET = "dots-and-boxes"
BOARDS = ((2, 2), (3, 2), (3, 3), (4, 2), (4, 3))


def faults(count: int, seconds: float | None, nodes: int | None, seed: int = 1) -> tuple[int, int]:
    """Let it choose in so many random positions; return how often it lost value, and how often it knew the value."""
    rng = random.Random(seed)
    lost = known = done = 0
    while done < count:
        cols, rows = rng.choice(BOARDS)
        position = fc.game(PRESET, cols=cols, rows=rows).start()
        edges = cols * (rows + 1) + rows * (cols + 1)
        for _ in range(rng.randrange(edges - 1)):
            position = position.play(rng.choice(position.moves()))
        choice = fc.Computer(seconds=seconds, nodes=nodes, seed=done).choose(position)
        known += choice.solved
        lost += choice.move not in fc.solve(position, memory=1 << 26).moves
        done += 1
    return lost, known


def main() -> None:
    """Read the command line, count, print."""
    parser = argparse.ArgumentParser(description="Count moves that lose value up to 3 x 4; JSON on stdout.")
    parser.add_argument("--positions", type=int, default=1000)
    parser.add_argument("--seconds", type=float, default=1.0, help="seconds per move")
    parser.add_argument("--nodes", type=int, help="simulations per move, instead of seconds")
    given = parser.parse_args()
    lost, known = faults(given.positions, None if given.nodes else given.seconds, given.nodes)
    print(json.dumps({"positions": given.positions, "lose_value": lost, "proven": known}))


if __name__ == "__main__":
    main()
