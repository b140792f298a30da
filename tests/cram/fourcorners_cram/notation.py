"""Moves and positions of Cram as text.

A move is the two cells of a domino, `a1 b1`, the lower or left one first. A position is its rows from the top, `.` for
a free cell and `x` for a taken one, and the seat to move: `..xx/.... 1`.
"""

import re

from fourcorners.core.arrays import State
from fourcorners.core.errors import NotationError, quote
from fourcorners_cram.options import CramOptions

_MOVE = re.compile(r"([a-h])([1-8])(?: ([a-h])([1-8]))?", re.ASCII)


def format_cell(index: int) -> str:
    """Return the name of a cell, `a1` to `h8`, given its bit index, 0 to 63."""
    return f"{'abcdefgh'[index % 8]}{index // 8 + 1}"


def format(s: State, action: int) -> str:
    """Format an action, legal or not, as a move such as `a1 b1`."""
    first = action >> 1
    return f"{format_cell(first)} {format_cell(first + (8 if action & 1 else 1))}"


def parse(s: State, text: str) -> int:
    """Parse a move such as `a1 b1` as an action, whether it is legal or not.

    Raise NotationError unless it names a cell of the board of `s` and then the one to its right or above it. For a
    single cell its code is `incomplete`.
    """
    found = _MOVE.fullmatch(text)
    if found is None:
        message = f"{quote(text)} is not a move: a move is two neighbouring cells, such as a1 b1"
        raise NotationError(message)
    if found[3] is None:
        message = f"{quote(text)} is only one cell: a move is two neighbouring cells, such as a1 b1"
        raise NotationError(message, "incomplete")
    x, y = ord(found[1]) - ord("a"), int(found[2]) - 1
    step = (ord(found[3]) - ord("a") - x, int(found[4]) - 1 - y)
    if step not in ((1, 0), (0, 1)) or x + step[0] >= s.cram_cols or y + step[1] >= s.rows:
        message = f"{quote(text)} is not a move: the second cell must be on the board, right of the first or above it"
        raise NotationError(message)
    return 2 * (8 * y + x) + step[1]


def write(s: State) -> str:
    """Write a position as one line: the rows from the top, `.` free and `x` taken, and the seat to move."""
    free = int(s.free)
    rows = ["".join(".x"[not free >> (8 * y + x) & 1] for x in range(s.cram_cols)) for y in reversed(range(s.rows))]
    return f"{'/'.join(rows)} {s.turn}"


def read(s: State, options: CramOptions, text: str) -> None:
    """Fill a zeroed record in place from the line of a position; raise NotationError if it does not fit the options."""
    row = f"[.x]{{{options.cols}}}"
    if not re.fullmatch(rf"{row}(/{row}){{{options.rows - 1}}} [01]", text, re.ASCII):
        shape = "a position is rows of . and x from the top, joined by /, and the seat to move"
        message = f"{quote(text)} is not a position of this board: {shape}"
        raise NotationError(message)
    rows, turn = text.split(" ")
    s.cram_cols, s.rows, s.turn = options.cols, options.rows, int(turn)
    for y, cells in enumerate(reversed(rows.split("/"))):
        s.free = int(s.free) | sum(1 << (8 * y + x) for x, sign in enumerate(cells) if sign == ".")
