"""Choose positions that show how early a game can be solved: `python -m benchmarks.depth square-off --left 20`.

The positions are written to `docs/solved/GAME-depth.csv` (with options such as `-o size=6`, `GAME-size-6-depth.csv`),
and `python -m benchmarks.solved GAME-depth --untried --seconds 10 --write` solves them. Each comes from another random
game or, with `--computer`, also from a game of the computer against itself. `--left` counts the free cells of the
board, or the tiles in hands and pile. Results that the file already has are kept.
"""

import argparse
import random
import sys
from collections.abc import Callable
from itertools import product

import fourcorners as fc
from benchmarks.solved import Row, Tables, create_row
from fourcorners.core import catalogue

COUNTERS: dict[str, Callable[[fc.Position], int]] = {
    "square-off": lambda position: int(position.record.side) ** 2 - int(position.record.placed),
    "squendo": lambda position: int(position.record.hand_size.sum()) + int(position.record.pile_size),
}


def play_until(game: fc.Game, kind: str, left: int, seed: int, simulations: int) -> fc.Position:
    """Play a game until `left` cells or tiles are left, as COUNTERS counts them, or it ends; return the position.

    The moves are random, or those of a computer with `simulations` for each move if `kind` is "strong". The seed
    determines them and the deck.
    """
    count = COUNTERS[game.spec.id]
    rng = random.Random(seed)
    computer = fc.Computer(nodes=max(simulations, 1), seed=seed)
    position = game.start(seed=seed)
    while count(position) > left and not position.is_over:
        move = rng.choice(position.moves()) if kind == "random" else computer.choose(position).move
        position = position.play(move)
    return position


def main(arguments: list[str]) -> None:
    """Read the command line, choose the positions and write the table, which replaces one of the same name.

    Rows of the old table with the same start are kept whole, with their results. Games that end too early are left
    out. Raise OptionError for a wrong option of the game, ValueError for one without `=`.
    """
    parser = argparse.ArgumentParser(prog="python -m benchmarks.depth", description=__doc__)
    parser.add_argument("game", choices=sorted(COUNTERS))
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
    args = parser.parse_args(arguments)
    game = catalogue.parse_game(args.game, dict(option.split("=", 1) for option in args.option))
    tables, table = Tables(), "-".join([args.game, *args.option, "depth"]).replace("=", "-")
    solved = {row["start"]: row for row in tables.read(table)} if table in tables.list_names() else {}
    rows: list[Row] = []
    for kind, left in product(("random", "strong") if args.computer else ("random",), args.left):
        for seed in range(args.games):
            position = play_until(game, kind, left, seed, args.computer)
            if not position.is_over:
                row = create_row(name=f"{kind}-{left}-{seed}", game=args.game, start=f"position {position.text}")
                row["options"] = " ".join(args.option)
                rows.append(solved.get(row["start"], row))
    tables.write(table, rows)


if __name__ == "__main__":
    main(sys.argv[1:])
