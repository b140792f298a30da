"""Choose the positions that tell from how early a game is solved: `python -m benchmarks.depth square-off --left 20`.

They go into `docs/solved/GAME-depth.csv`, where `python -m benchmarks.solved GAME-depth --untried --seconds 10 --write`
solves them; with options, such as `-o size=6`, into `GAME-size-6-depth.csv`. They come from random games and, with
`--computer`, from games of the computer against itself, a new game for each; what is left is counted in free cells of a
board, or in tiles of hands and pile. What the file says of positions that it has already stays.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections.abc import Callable
from itertools import product

import fourcorners as fc
from benchmarks.solved import Line, Tables, new_line
from fourcorners.core import catalogue

COUNTED: dict[str, Callable[[fc.Position], int]] = {
    "square-off": lambda position: int(position.record.side) ** 2 - int(position.record.placed),
    "squendo": lambda position: int(position.record.hand_size.sum()) + int(position.record.pile_size),
}


def position_of(game: fc.Game, kind: str, left: int, seed: int, simulations: int) -> fc.Position:
    """Play a game until so much is left."""
    count = COUNTED[game.spec.id]
    rng = random.Random(seed)
    computer = fc.Computer(nodes=max(simulations, 1), seed=seed)
    position = game.start(seed=seed)
    while count(position) > left and not position.is_over:
        move = rng.choice(position.moves()) if kind == "random" else computer.choose(position).move
        position = position.play(move)
    return position


def main(arguments: list[str]) -> None:
    """Read the command line and write the lines."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.depth", description=__doc__)
    parser.add_argument("game", choices=sorted(COUNTED))
    parser.add_argument(
        "--left", type=int, nargs="+", required=True, help="the numbers of free cells or tiles left, such as 16 18 20"
    )
    parser.add_argument("--games", type=int, default=5, help="the number of games of each kind")
    parser.add_argument(
        "--computer", type=int, default=0, help="simulations per move of the strong games; 0: no strong games"
    )
    parser.add_argument(
        "-o", "--option", action="append", default=[], metavar="NAME=VALUE", help="an option of the game"
    )
    given = parser.parse_args(arguments)
    game = catalogue.parse(given.game, dict(option.split("=", 1) for option in given.option))
    tables, table = Tables(), "-".join([given.game, *given.option, "depth"]).replace("=", "-")
    solved = {line["start"]: line for line in tables.read(table)} if table in tables.names() else {}
    lines: list[Line] = []
    for kind, left in product(("random", "strong") if given.computer else ("random",), given.left):
        for seed in range(given.games):
            position = position_of(game, kind, left, seed, given.computer)
            if not position.is_over:
                line = new_line(name=f"{kind}-{left}-{seed}", game=given.game, start=f"position {position.text}")
                line["options"] = " ".join(given.option)
                lines.append(solved.get(line["start"], line))
    tables.write(table, lines)


if __name__ == "__main__":
    main(sys.argv[1:])
