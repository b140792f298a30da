"""`fourcorners perft`: count sequences of moves, to test the rules."""

from __future__ import annotations

import time
from typing import Annotated

import typer

from fourcorners.cli.common import (
    GAME_HELP,
    OPTIONS_HELP,
    SEED_HELP,
    create_progress_bar,
    fail,
    parse_game,
    show_status,
)
from fourcorners.core.errors import GameError
from fourcorners.core.perft import perft as count_sequences
from fourcorners.core.position import Position

_SHOW_PROGRESS_FROM = 3


def perft(
    game: Annotated[str, typer.Argument(help=GAME_HELP)],
    depth: Annotated[int, typer.Argument(min=0, max=64, help="The number of moves in a sequence.")],
    option: Annotated[list[str] | None, typer.Option("-o", "--option", help=OPTIONS_HELP)] = None,
    seed: Annotated[int, typer.Option(help=SEED_HELP)] = 0,
    position: Annotated[
        str | None, typer.Option(help="The line of a position to count from, instead of the start.")
    ] = None,
    divide: Annotated[bool, typer.Option("--divide", help="Print the count for each first move.")] = False,
) -> None:
    """Count the sequences of legal moves of a given length.

    Two programs with the same rules get the same count. Example: fourcorners perft GAME 2 -o cols=5 -o rows=5
    """
    chosen = parse_game(game, option or [])
    try:
        root = chosen.start(seed=seed) if position is None else chosen.position(position)
    except GameError as error:
        fail(error.message, 2)
    start = time.perf_counter()
    if depth >= _SHOW_PROGRESS_FROM or (divide and depth):
        counts = _count_by_first_move(root, depth)
    else:
        with show_status("counting"):
            counts = {"": count_sequences(root, depth)}
    seconds = time.perf_counter() - start
    if divide and depth:
        for move, part in counts.items():
            print(f"{move}: {part:,}")
    print(f"{sum(counts.values()):,} sequences of {depth} moves in {seconds:.2f} s")


def _count_by_first_move(root: Position, depth: int) -> dict[str, int]:
    """Return the count for each first move, and show the progress."""
    with create_progress_bar() as bar:
        task = bar.add_task("counting", total=None)
        moves = root.moves()
        bar.update(task, total=len(moves))
        counts = {}
        for move in moves:
            counts[move] = count_sequences(root.play(move), depth - 1)
            bar.advance(task)
    return counts
