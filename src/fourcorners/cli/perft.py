"""`fourcorners perft`: count sequences of moves, to test the rules."""

import time
from typing import Annotated

from typer import Argument, Option

from fourcorners.cli.common import GameId, GameOptions, Seed, create_progress_bar, fail, parse_game, show_status
from fourcorners.core.errors import GameError
from fourcorners.core.game import Position
from fourcorners.core.perft import perft as count_sequences
from fourcorners.core.plurals import pluralise

_SHOW_PROGRESS_FROM = 3  # moves deep; less takes only a moment


def perft(
    game: GameId,
    depth: Annotated[int, Argument(min=0, max=64, help="The number of moves in a sequence.")],
    option: GameOptions = None,
    seed: Seed = 0,
    position: Annotated[str | None, Option(help="The text of a position to count from; by default, the start.")] = None,
    divide: Annotated[bool, Option("--divide", help="Print the count for each first move.")] = False,
) -> None:
    """Count the sequences of legal moves of a given length.

    Two programs with the same rules get the same count. If the game, an option or the position is wrong, exit with
    status 2. Example: fourcorners perft GAME 2 -o cols=5 -o rows=5
    """
    chosen = parse_game(game, option)
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
    total = sum(counts.values())
    length = pluralise(depth, "{} move", "{} moves")
    print(f"{pluralise(total, '{} sequence', '{} sequences')} of {length} in {seconds:.2f} s")


def _count_by_first_move(root: Position, depth: int) -> dict[str, int]:
    """Return the number of sequences by first move, sorted, and show the progress; `depth` is 1 or more."""
    with create_progress_bar() as bar:
        moves = bar.track(root.moves(), description="counting")
        return {move: count_sequences(root.play(move), depth - 1) for move in moves}
