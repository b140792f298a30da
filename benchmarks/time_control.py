"""Measure how well the computer keeps to its time: `python -m benchmarks.time_control dots-and-boxes -o cols=5`.

The strongest level plays whole games against itself with one thread and a limit in seconds for each move. Measure on an
idle machine, because the seconds are those of the clock. Moves after which the game is known exactly take less.
"""

import argparse
import random
import statistics
import time
from collections.abc import Sequence

import fourcorners as fc
from fourcorners.core import catalogue

OPENING_PLIES = 2
TOLERANCE = 1.2
"""By which factor a move may exceed its limit."""


def time_moves(game: fc.Game, seconds: float, seed: int) -> list[float]:
    """Play a game after an opening of random moves, and return the wall-clock seconds of each of its other moves."""
    rng = random.Random(seed)
    position = game.start(seed=seed)
    for _ in range(OPENING_PLIES):
        position = position.play(rng.choice(position.moves()))
    computers = [fc.Computer(seconds=seconds, threads=1) for _ in range(game.seats)]
    times = []
    while position.seat is not None:
        start = time.perf_counter()
        choice = computers[position.seat].choose(position)
        times.append(time.perf_counter() - start)
        position = position.play(choice.move)
    return times


def describe_times(times: Sequence[float], seconds: float) -> str:
    """Return a line about at least two times: median, 99th percentile, longest, and how many exceed the limit."""
    late = sum(moment > TOLERANCE * seconds for moment in times)
    percentile = statistics.quantiles(times, n=100, method="inclusive")[-1]
    return (
        f"{len(times)} moves with {seconds:g} s: median {statistics.median(times):.3f} s, 99% {percentile:.3f} s, "
        f"longest {max(times):.3f} s; {late} took more than {TOLERANCE:g} times the limit"
    )


def main() -> None:
    """Read the command line, play, and print a line. A first game, which does not count, compiles what is missing."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.time_control", description=__doc__)
    parser.add_argument("game", choices=fc.games())
    parser.add_argument("--seconds", type=float, default=0.1, help="the limit for each move")
    parser.add_argument("--games", type=int, default=5)
    parser.add_argument(
        "-o", "--option", action="append", default=[], metavar="NAME=VALUE", help="an option of the game"
    )
    args = parser.parse_args()
    game = catalogue.parse_game(args.game, dict(option.split("=", 1) for option in args.option))
    time_moves(game, args.seconds, seed=0)
    times = [moment for seed in range(1, args.games + 1) for moment in time_moves(game, args.seconds, seed)]
    print(f"{game.id}: {describe_times(times, args.seconds)}")


if __name__ == "__main__":
    main()
