"""Text of Sqez: moves such as `b2 e5`, and positions such as `0 - 2:b-e 5:b-e b:2-5 e:2-5`.

A position's line holds the seat to move (the winner once the game is over), the seats that have forfeited (`-` if none)
and the drawn lines: those of row 2 from b to e, then those of column b from 2 to 5; `-` if there are none.
"""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import product
from typing import NoReturn

import numpy as np

from fourcorners.core import compiled_api
from fourcorners.core.dispatch import State
from fourcorners.core.errors import NotationError, departure, quote
from fourcorners.games.sqez.geometry import Runs, runs
from fourcorners.games.sqez.options import MAX_SIDE, SqezOptions
from fourcorners.games.sqez.rules import DTYPE, bound, pack, seats_left, start, unpack

LETTERS = "abcdefghijklmnopqrst"
_DOT = re.compile(r"([a-z])([1-9][0-9]?)", re.ASCII)
_MOVE = re.compile(r"([a-z])([1-9][0-9]?) ([a-z])([1-9][0-9]?)", re.ASCII)
_LONGEST = 2600
_ROW = re.compile(r"([1-9][0-9]?):([a-t]-[a-t](?:,[a-t]-[a-t])*)", re.ASCII)
_COLUMN = re.compile(r"([a-t]):([1-9][0-9]?-[1-9][0-9]?(?:,[1-9][0-9]?-[1-9][0-9]?)*)", re.ASCII)
_SHAPE = "a move is the lower-left and the upper-right dot of a rectangle, such as 'b2 e5'"


def dot(x: int, y: int) -> str:
    """Name a dot."""
    return f"{LETTERS[x]}{y + 1}"


def parse_dot(s: State, text: str) -> tuple[int, int]:
    """Read the name of a dot of this field; raise NotationError."""
    found = _DOT.fullmatch(text)
    if found is None:
        message = f"{quote(text)} is no dot: a dot is a letter for its column and a number for its row, such as 'b2'"
        raise NotationError(message)
    return _on_field(s, found[1], found[2])


def _on_field(s: State, letter: str, number: str) -> tuple[int, int]:
    x, y, cols, rows = LETTERS.find(letter), int(number) - 1, int(s.cols), int(s.rows)
    if not 0 <= x < cols or y >= rows:
        message = f"dot {letter}{number} is not on this field: its dots run from a1 to {dot(cols - 1, rows - 1)}"
        raise NotationError(message, "off-board")
    return x, y


def parse(s: State, text: str) -> int:
    """Read a move's text as an action, legal or not."""
    found = _MOVE.fullmatch(text)
    if found is None:
        if _DOT.fullmatch(text):
            name = dot(*parse_dot(s, text))
            message = f"{quote(name)} is only one corner: {_SHAPE}"
            raise NotationError(message, "incomplete")
        message = f"{quote(text)} is no move: {_SHAPE}"
        raise NotationError(message)
    x1, y1 = _on_field(s, found[1], found[2])
    x2, y2 = _on_field(s, found[3], found[4])
    if x2 <= x1 or y2 <= y1:
        message = f"dot {dot(x2, y2)} is not to the right of dot {dot(x1, y1)} and above it: {_SHAPE}"
        raise NotationError(message, "corners")
    return pack(x1, y1, x2, y2)


def format(s: State, action: int) -> str:  # the name is the protocol's
    """Write an action."""
    x1, y1, x2, y2 = unpack(int(action))
    return f"{dot(x1, y1)} {dot(x2, y2)}"


def offered(s: State) -> tuple[str, ...] | None:
    """Return, for a strict game, every text of two dots: finding the legal ones is the player's task."""
    return every_text(int(s.cols), int(s.rows)) if s.strict else None


@lru_cache(maxsize=8)
def every_text(cols: int, rows: int) -> tuple[str, ...]:
    """List the texts of all rectangles of a field, sorted."""
    wide = [(x1, x2) for x1 in range(cols) for x2 in range(x1 + 1, cols)]
    high = [(y1, y2) for y1 in range(rows) for y2 in range(y1 + 1, rows)]
    return tuple(sorted(f"{dot(x1, y1)} {dot(x2, y2)}" for (x1, x2), (y1, y2) in product(wide, high)))


def write(s: State) -> str:
    """Write a position as one line."""
    out = int(s.out)
    seats = "".join(str(seat) for seat in range(int(s.players)) if out >> seat & 1)
    lines = []
    for y, word in enumerate(s.across.tolist()):
        if word:
            lines.append(f"{y + 1}:" + ",".join(f"{LETTERS[a]}-{LETTERS[b]}" for a, b in runs(word)))
    for x, word in enumerate(s.sides.tolist()):
        if word:
            lines.append(f"{LETTERS[x]}:" + ",".join(f"{a + 1}-{b + 1}" for a, b in runs(word)))
    return " ".join([str(int(s.turn)), seats or "-", *(lines or "-")])


def read(s: State, options: SqezOptions, text: str) -> None:
    """Fill a zeroed record from a position's line."""
    start(s, options, ())
    words = text.split(" ") if len(text) <= _LONGEST else []
    if len(words) < 3:  # seat, forfeits, lines
        _refuse(
            text, "a position is the seat to move, the seats that have forfeited and the lines, such as '0 - 2:b-e'"
        )
    _read_seats(s, text, words[0], words[1])
    across, sides = [0] * MAX_SIDE, [0] * MAX_SIDE
    for word in words[2:] if words[2:] != ["-"] else ():
        row, column = _ROW.fullmatch(word), _COLUMN.fullmatch(word)
        if row is not None:
            y, ends = int(row[1]) - 1, [(LETTERS.find(part[0]), LETTERS.find(part[2])) for part in row[2].split(",")]
            _draw(text, word, across, (y, int(s.rows)), ends, int(s.cols))
        elif column is not None:
            x, parts = LETTERS.find(column[1]), [part.split("-") for part in column[2].split(",")]
            _draw(text, word, sides, (x, int(s.cols)), [(int(a) - 1, int(b) - 1) for a, b in parts], int(s.rows))
        else:
            _refuse(text, f"{quote(word)} is no line of a row, such as '2:b-e', or of a column, such as 'b:2-5'")
    _check_lines(text, across, sides, own=not s.shared)
    _fill(s, across, sides)
    s.over = seats_left(s) == 1 or not _any_left(s)
    usual = write(s)
    if usual != text:
        _refuse(text, departure(text, usual))


def _read_seats(s: State, text: str, turn: str, out: str) -> None:
    players = int(s.players)
    seats = [str(seat) for seat in range(players)]
    if turn not in seats:
        _refuse(text, f"the seat to move is given as {quote(turn)}; it may be 0 to {players - 1}")
    gone = [] if out == "-" else list(out)
    if gone != [seat for seat in seats if seat in gone] or not out:
        _refuse(text, f"the seats that have forfeited are given as {quote(out)}; they are digits in order, or '-'")
    if gone and not s.strict:
        _refuse(text, "a seat has forfeited, which happens only in a strict game")
    if turn in gone:
        _refuse(text, f"seat {turn} is to move, but has forfeited")
    s.turn = int(turn)
    s.out = sum(1 << int(seat) for seat in gone)


def _draw(text: str, word: str, lines: list[int], place: tuple[int, int], ends: Runs, length: int) -> None:
    """Mark runs of edges in one row or column; `place` is its number and how many there are."""
    index, count = place
    if index >= count:
        _refuse(text, f"{quote(word)} is not on this field")
    for first, last in ends:
        if not 0 <= first < last < length:
            _refuse(text, f"{quote(word)} is not on this field, or a line in it does not run right or up")
        edges = (1 << last) - (1 << first)
        if lines[index] & edges:
            _refuse(text, f"{quote(word)} draws an edge a second time")
        lines[index] |= edges


def _check_lines(text: str, across: list[int], sides: list[int], *, own: bool) -> None:
    """Refuse lines that no rectangles can have left: each edge is part of a whole one with a dot inside."""
    seen_across, seen_sides = [0] * MAX_SIDE, [0] * MAX_SIDE
    for y1 in range(MAX_SIDE - 2):
        for y2 in range(y1 + 2, MAX_SIDE):
            both, along = across[y1] & across[y2], (1 << y2) - (1 << y1)
            walls = [x for x, side in enumerate(sides) if side & along == along] if both else []
            for i, x1 in enumerate(walls):
                for x2 in walls[i + 1 :]:
                    edges = (1 << x2) - (1 << x1)
                    if both & edges != edges:
                        break
                    if x2 - x1 > 1:
                        seen_across[y1], seen_across[y2] = seen_across[y1] | edges, seen_across[y2] | edges
                        seen_sides[x1], seen_sides[x2] = seen_sides[x1] | along, seen_sides[x2] | along
    if (seen_across, seen_sides) != (across, sides):
        _refuse(text, "a line in it is not part of a whole rectangle with a dot inside")
    for x, y in product(range(MAX_SIDE), repeat=2) if own else ():
        lines = [across[y] >> x & 1, across[y] << 1 >> x & 1, sides[x] >> y & 1, sides[x] << 1 >> y & 1]
        if sum(lines) % 2:
            _refuse(text, f"at dot {dot(x, y)} a line ends on another, which needs the option sides=shared")


def _fill(s: State, across: list[int], sides: list[int]) -> None:
    s.across, s.sides = across, sides
    up = [sum((side >> y & 1) << x for x, side in enumerate(sides)) for y in range(MAX_SIDE)]
    s.up = up
    for y, free in enumerate(s.free.tolist()):
        below = up[y - 1] if y else 0
        s.free[y] = np.uint64(free & ~(across[y] | across[y] << 1 | up[y] | below))


def _any_left(s: State) -> bool:
    """Tell whether a rectangle is left; compiled, for on a large field full of lines this takes seconds in Python."""
    states = np.array([s], DTYPE)
    return bool(compiled_api.legal(states, 0, np.zeros(bound(s), np.int64)))


def _refuse(text: str, why: str) -> NoReturn:
    message = f"{quote(text)} is no position of this field: {why}"
    raise NotationError(message, "position")
