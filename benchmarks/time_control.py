"""Measure how well the computer keeps to its time: `python -m benchmarks.time_control [GAME] [-o cols=5]`; JSON lines.

The strongest level plays against itself with a limit for each move: whole games, of which at most `--moves` moves in a
row are measured, a random part of the game; the easiest level plays up to there. Without a game all of BOARDS are
played. By default processor time counts, and the computer has one thread, so that the machine may have other work; with
`--clock` real time counts, and the machine must be idle. Moves that are proven at once take less than the limit.
"""

import argparse
import contextlib
import gc
import json
import random
import statistics
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import fourcorners as fc
from fourcorners.core import catalogue, slices
from fourcorners.players.computer_play import ComputerPlay

TOLERANCE = 1.2
"""By which factor a move may exceed its limit."""
BOARDS: Sequence[tuple[str, Mapping[str, Any]]] = (
    ("dots-and-boxes", {"cols": 5, "rows": 5}),
    ("dots-and-boxes", {"cols": 7, "rows": 7}),
    ("dots-and-boxes", {"cols": 20, "rows": 20}),
    ("squarin-off", {}),
    ("squarin-off", {"cols": 5, "rows": 5}),
    ("squarin-off", {"cols": 4, "rows": 4, "players": 3}),
    ("squarin-off", {"cols": 20, "rows": 20}),
    ("square-off", {}),
    ("square-off", {"size": 4}),
    ("square-off", {"size": 16}),
    ("squendo", {}),
    ("squendo", {"players": 3}),
    ("squendo", {"players": 4}),
    ("sqez", {}),
    ("sqez", {"cols": 10, "rows": 10}),
    ("sqez", {"cols": 14, "rows": 14}),
    ("sqez", {"cols": 20, "rows": 20}),
    ("sqez", {"cols": 10, "rows": 10, "players": 3}),
)


class Move(NamedTuple):
    """What a move took: the part of the limit, and the simulations or nodes that it was chosen with."""

    ratio: float
    nodes: int


def open_game(game: fc.Game, moves: int, seed: int) -> fc.Position:
    """Return a position of a game of the easiest level, from which about `moves` moves are left, or the start."""
    positions = [game.start(seed=seed)]
    while not positions[-1].is_over:
        positions.append(positions[-1].play(fc.Computer(1).choose_move(positions[-1])))
    return positions[random.Random(seed).randrange(max(1, len(positions) - moves))]


def time_moves(
    game: fc.Game, seconds: float, seed: int, *, moves: int = 40, threads: int | None = None
) -> Iterator[Move]:
    """Play up to `moves` moves of a game, a random part of it, and yield what each of them took.

    Without `threads` the processor time of this thread counts, and the computer uses no other.
    """
    position = open_game(game, moves, seed)
    with slices.count_processor_time() if threads is None else contextlib.nullcontext():
        if threads is None:
            computers = [
                fc.Computer.from_level(game.spec.part(ComputerPlay).levels[-1], seconds) for _ in range(game.seats)
            ]
        else:
            computers = [fc.Computer(seconds=seconds, threads=threads) for _ in range(game.seats)]
        for _ in range(moves):
            if position.seat is None:
                return
            taken = slices.Budget()  # without what is compiled
            choice = computers[position.seat].choose(position)
            yield Move(taken.elapsed_seconds / seconds, choice.nodes)
            position = position.play(choice.move)


def summarize(moves: Sequence[Move]) -> dict[str, Any]:
    """Return the share of one or more moves that kept to their time, and how long they took as parts of the limit."""
    ratios = [move.ratio for move in moves]
    return {
        "moves": len(moves),
        "within": round(sum(ratio <= TOLERANCE for ratio in ratios) / len(ratios), 4),
        "median": round(statistics.median(ratios), 3),
        "longest": round(max(ratios), 3),
        "nodes": round(statistics.fmean(move.nodes for move in moves)),
    }


def measure(game: fc.Game, seconds: float, games: int, moves: int, threads: int | None) -> dict[str, Any]:
    """Return the figures of `games` games. A first game, which does not count, compiles what is missing."""
    for _ in time_moves(game, seconds, 0, moves=moves, threads=threads):
        pass
    gc.collect()  # otherwise Python goes through all that Numba keeps, once, in the middle of some move
    seeds = range(1, games + 1)
    return summarize([move for seed in seeds for move in time_moves(game, seconds, seed, moves=moves, threads=threads)])


def main() -> None:
    """Read the command line, play, and print a JSON object for each game."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.time_control", description=__doc__)
    parser.add_argument("game", choices=[*fc.games(), []], nargs="?", metavar="GAME")
    parser.add_argument("--seconds", type=float, nargs="+", default=[0.1], help="the limits for each move")
    parser.add_argument("--games", type=int, default=5)
    parser.add_argument("--moves", type=int, default=40, help="the most moves of a game that are measured")
    parser.add_argument("--clock", action="store_true", help="count real time, not the processor time of one thread")
    parser.add_argument("--threads", type=int, default=1, help="the threads of the tree search, with --clock")
    parser.add_argument(
        "-o", "--option", action="append", default=[], metavar="NAME=VALUE", help="an option of the game"
    )
    args = parser.parse_args()
    boards = BOARDS
    if args.game:
        boards = [(args.game, dict(option.split("=", 1) for option in args.option))]
    for name, options in boards:
        game = catalogue.parse_game(name, {option: str(value) for option, value in options.items()})
        for seconds in args.seconds:
            found = measure(game, seconds, args.games, args.moves, args.threads if args.clock else None)
            print(json.dumps({"game": name, "options": options, "seconds": seconds} | found), flush=True)


if __name__ == "__main__":
    main()
