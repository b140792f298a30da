"""Positions of Squarin' Off and of Dots and Boxes for tests."""

import random
from typing import Any

import fourcorners as fc
from fourcorners.builtin.squarin_off.exact import margin
from fourcorners.core.dispatch import view_record


def set_up_board(board: str, **options: Any) -> fc.Position:
    """Return the position of a board drawn as in the notation of positions, with spaces between its lines.

    Seat 0 is to move, and both seats have their two blockers left. `options` are further options of the game. Raise
    NotationError for a board that is not possible.
    """
    lines = board.split()
    cols, rows = len(lines[0]), len(lines) // 2
    return fc.game("squarin-off", cols=cols, rows=rows, blockers=2, **options).position(f"0 2,2 {'/'.join(lines)}")


def list_chain_moves(*lengths: int) -> tuple[list[str], dict[str, Any]]:
    """Return moves that leave one or two rows as chains of these lengths, and the options `cols` and `rows` for them.

    The rows come from the bottom; a length is a number of boxes, 8 at most. Every chain is open at the left border, and
    at its last box: below it in the lowest row, above it in the highest.
    """
    cols, rows = max(lengths), len(lengths)
    names = "abcdefghi"
    ends = {
        f"{names[length - 1]}{row}{names[length]}{row}" for length, row in zip(lengths, (1, rows + 1), strict=False)
    }
    across = [f"{names[c]}{row}{names[c + 1]}{row}" for row in range(1, rows + 2) for c in range(cols)]
    up = [f"{names[c]}{r + 1}{names[c]}{r + 2}" for r, length in enumerate(lengths) for c in range(length, cols + 1)]
    return [edge for edge in across + up if edge not in ends], {"cols": cols, "rows": rows}


def set_up_chains(*lengths: int) -> fc.Position:
    """Return a position of Dots and Boxes with only these chains left, one in each row; other boxes are completed."""
    moves, options = list_chain_moves(*lengths)
    return fc.game("dots-and-boxes", **options).replay(moves)


def is_known(position: fc.Position) -> bool:
    """Return whether exact play knows a position's value without search."""
    boards, root = margin.enter(None, position.record)
    lower, upper = margin.limits(view_record(boards), view_record(root))
    return bool(lower == upper)


def play_random_game(rng: random.Random, *, blockers: bool = True) -> fc.Position:
    """Return a position of a random game on a small board with random values; with `blockers` a few moves use one."""
    cols, rows = rng.randint(1, 5), rng.randint(1, 5)
    values = ["".join(rng.choice("0123456789") for _ in range(cols)) for _ in range(rows)]
    options: dict[str, Any] = {"blockers": 3 if blockers else 0, "values": values}
    position = fc.game("squarin-off", cols=cols, rows=rows, **options).start()
    for _ in range(rng.randrange(2 * cols * rows + cols + rows)):
        moves = position.moves()
        edges = [move for move in moves if "#" not in move]
        if not moves:
            break
        position = position.play(rng.choice(moves if rng.random() < 0.05 else edges))
    return position
