"""`fourcorners perft`: count move sequences, to test the rules."""

from __future__ import annotations

import time
from typing import Annotated

import typer

from fourcorners.cli.common import OPTIONS_HELP, busy, fail, game_of, progress_bar
from fourcorners.core.errors import GameError
from fourcorners.core.perft import perft as count_sequences
from fourcorners.core.position import Position

_DIVIDED_FROM = 3


def perft(
    game: Annotated[str, typer.Argument(help="The id of a game; an unknown one is answered with all that there are.")],
    depth: Annotated[int, typer.Argument(min=0, max=64, help="The number of moves in a sequence.")],
    option: Annotated[list[str] | None, typer.Option("-o", "--option", help=OPTIONS_HELP)] = None,
    seed: Annotated[int, typer.Option(help="What shuffles the tiles of games that have some.")] = 0,
    position: Annotated[str | None, typer.Option(help="A position's line to count from, instead of the start.")] = None,
    divide: Annotated[bool, typer.Option("--divide", help="Show the count of every first move.")] = False,
) -> None:
    """Count the sequences of legal moves of a length.

    Two programs that play by the same rules count the same. Example: fourcorners perft GAME 2 -o cols=5 -o rows=5
    """
    chosen = game_of(game, option or [])
    try:
        root = chosen.start(seed=seed) if position is None else chosen.position(position)
    except GameError as error:
        fail(error.message, 2)
    began = time.perf_counter()
    if depth >= _DIVIDED_FROM or (divide and depth):
        counts = _divided(root, depth)
    else:
        with busy("counting"):
            counts = {"": count_sequences(root, depth)}
    seconds = time.perf_counter() - began
    if divide and depth:
        for move, part in counts.items():
            print(f"{move}: {part:,}")
    print(f"{sum(counts.values()):,} sequences of {depth} moves in {seconds:.2f} s")


def _divided(root: Position, depth: int) -> dict[str, int]:
    """Count by first move, showing how far it is."""
    with progress_bar() as bar:
        task = bar.add_task("counting", total=None)
        moves = root.moves()
        bar.update(task, total=len(moves))
        counts = {}
        for move in moves:
            counts[move] = count_sequences(root.play(move), depth - 1)
            bar.advance(task)
    return counts
