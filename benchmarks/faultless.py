"""Count moves of the strongest level that lose value on solved boards: `python -m benchmarks.faultless`."""

import argparse
import json
import random

import fourcorners as fc

PRESET = "dots-and-boxes"
BOARDS = ((2, 2), (3, 2), (3, 3), (4, 2), (4, 3))


def count_moves_that_lose_value(count: int, seconds: float | None, nodes: int | None, seed: int = 1) -> tuple[int, int]:
    """Let the computer move in `count` random positions; return how many moves lost value and how many it proved.

    It has `seconds` or `nodes` (simulations) per move; None means no limit, and at least one must be given. The
    positions, on BOARDS, have at least two edges left, and follow from the seed.
    """
    rng = random.Random(seed)
    faults = proven = 0
    for number in range(count):
        cols, rows = rng.choice(BOARDS)
        position = fc.game(PRESET, cols=cols, rows=rows).start()
        edges = cols * (rows + 1) + rows * (cols + 1)
        for _ in range(rng.randrange(edges - 1)):
            position = position.play(rng.choice(position.moves()))
        choice = fc.Computer(seconds=seconds, nodes=nodes, seed=number).choose(position)
        proven += choice.solved
        faults += choice.move not in fc.solve(position, memory=1 << 26).moves
    return faults, proven


def main() -> None:
    """Read the command line, count the faults and print them as JSON."""
    parser = argparse.ArgumentParser(description="Count moves that lose value on boards up to 3 x 4; JSON on stdout.")
    parser.add_argument("--positions", type=int, default=1000)
    parser.add_argument("--seconds", type=float, default=1.0, help="seconds per move")
    parser.add_argument("--nodes", type=int, help="simulations per move, instead of seconds")
    args = parser.parse_args()
    faults, proven = count_moves_that_lose_value(args.positions, None if args.nodes else args.seconds, args.nodes)
    print(json.dumps({"positions": args.positions, "lose_value": faults, "proven": proven}))


if __name__ == "__main__":
    main()
