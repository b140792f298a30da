"""Moves are two cells, `a1 b1`; a position is its rows from the top and the seat to move, `..xx/.... 1`."""

import re

from fourcorners.core.dispatch import State
from fourcorners.core.errors import NotationError, quote
from fourcorners_cram.options import Options

_MOVE = re.compile(r"([a-h])([1-8])(?: ([a-h])([1-8]))?", re.ASCII)


def cell(index: int) -> str:
    """Name a cell."""
    return f"{'abcdefgh'[index % 8]}{index // 8 + 1}"


def format(s: State, action: int) -> str:
    """Write a move."""
    first = action >> 1
    return f"{cell(first)} {cell(first + (8 if action & 1 else 1))}"


def parse(s: State, text: str) -> int:
    """Read a move."""
    found = _MOVE.fullmatch(text)
    if found is None:
        message = f"{quote(text)} is no move: it is two neighbouring cells, such as a1 b1"
        raise NotationError(message)
    if found[3] is None:
        message = f"{quote(text)} is the beginning of a move: the second cell is missing"
        raise NotationError(message, "incomplete")
    x, y = ord(found[1]) - ord("a"), int(found[2]) - 1
    step = (ord(found[3]) - ord("a") - x, int(found[4]) - 1 - y)
    if step not in ((1, 0), (0, 1)) or x + step[0] >= s.cram_cols or y + step[1] >= s.rows:
        message = f"{quote(text)} is no move: the second cell is right of or above the first, and on the board"
        raise NotationError(message)
    return 2 * (8 * y + x) + step[1]


def write(s: State) -> str:
    """Write a position."""
    free = int(s.free)
    rows = ["".join(".x"[not free >> (8 * y + x) & 1] for x in range(s.cram_cols)) for y in reversed(range(s.rows))]
    return f"{'/'.join(rows)} {s.turn}"


def read(s: State, options: Options, text: str) -> None:
    """Read a position."""
    row = f"[.x]{{{options.cols}}}"
    if not re.fullmatch(rf"{row}(/{row}){{{options.rows - 1}}} [01]", text, re.ASCII):
        message = f"{quote(text)} is no position: it is rows of . and x from the top, joined by /, and the seat to move"
        raise NotationError(message)
    rows, turn = text.split(" ")
    s.cram_cols, s.rows, s.turn = options.cols, options.rows, int(turn)
    for y, cells in enumerate(reversed(rows.split("/"))):
        s.free = int(s.free) | sum(1 << (8 * y + x) for x, sign in enumerate(cells) if sign == ".")
