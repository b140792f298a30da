"""Moves of Sqez, such as `b2 e5`, and positions, such as `0 - 2:b-e 5:b-e b:2-5 e:2-5`, as text.

A position is the seat to move (the winner once the game is over), the seats that have forfeited (`-` if none), and the
drawn lines (`-` if none): first by row, `2:b-e` in row 2 from b to e, then by column, `b:2-5` in column b from 2 to 5.
"""

import re
from functools import lru_cache
from itertools import combinations, product
from typing import NoReturn

import numpy as np

from fourcorners.builtin.sqez.geometry import Runs, find_runs
from fourcorners.builtin.sqez.options import MAX_SIDE, SqezOptions
from fourcorners.builtin.sqez.rules import DTYPE, count_active_seats, pack, start, unpack
from fourcorners.core import compiled_api
from fourcorners.core.arrays import State
from fourcorners.core.errors import NotationError, describe_first_difference, quote

LETTERS = "abcdefghijklmnopqrst"
_DOT = re.compile(r"([a-z])([1-9][0-9]?)", re.ASCII)
_MAX_LENGTH = 2600  # no position has a longer line: at most ten lines in each of 20 rows and 20 columns
_ROW = re.compile(r"([1-9][0-9]?):([a-t]-[a-t](?:,[a-t]-[a-t])*)", re.ASCII)
_COLUMN = re.compile(r"([a-t]):([1-9][0-9]?-[1-9][0-9]?(?:,[1-9][0-9]?-[1-9][0-9]?)*)", re.ASCII)
_SHAPE = "a move is the lower-left and the upper-right dot of a rectangle, such as 'b2 e5'"


def format_dot(x: int, y: int) -> str:
    """Return the name of a dot, such as `b2`; column `x` and row `y` count from 0 and must be on a field of 20 x 20."""
    return f"{LETTERS[x]}{y + 1}"


def parse_dot(s: State, text: str) -> tuple[int, int]:
    """Return column and row, from 0, of a dot such as `b2`; raise NotationError: unreadable, or off-board."""
    found = _DOT.fullmatch(text)
    if found is None:
        syntax = "a dot is the letter of its column and the number of its row, such as 'b2'"
        raise NotationError(f"{quote(text)} is not a dot: {syntax}")
    x, y, cols, rows = LETTERS.find(found[1]), int(found[2]) - 1, int(s.cols), int(s.rows)
    if not 0 <= x < cols or y >= rows:
        last = format_dot(cols - 1, rows - 1)
        raise NotationError(f"dot {text} is not on this field, whose dots run from a1 to {last}", "off-board")
    return x, y


def parse(s: State, text: str) -> int:
    """Parse a move such as `b2 e5`, the lower-left and the upper-right dot of a rectangle, as an action, legal or not.
    Raise NotationError: unreadable, incomplete (one dot), off-board (not on the field of `s`), corners (wrong ones).
    """
    words = text.split(" ")
    if len(words) > 2 or not all(map(_DOT.fullmatch, words)):
        raise NotationError(f"{quote(text)} is not a move: {_SHAPE}")
    dots = [parse_dot(s, word) for word in words]
    if len(dots) == 1:
        raise NotationError(f"{quote(text)} is only one corner: {_SHAPE}", "incomplete")
    (x1, y1), (x2, y2) = dots
    if x2 <= x1 or y2 <= y1:
        message = f"dot {format_dot(x2, y2)} is not above dot {format_dot(x1, y1)} and to its right: {_SHAPE}"
        raise NotationError(message, "corners")
    return pack(x1, y1, x2, y2)


def format(s: State, action: int) -> str:
    """Format an action as a move: its lower-left and its upper-right dot, such as `b2 e5`. The record is not used."""
    x1, y1, x2, y2 = unpack(int(action))
    return f"{format_dot(x1, y1)} {format_dot(x2, y2)}"


def list_offered_moves(s: State) -> tuple[str, ...] | None:
    """Return all rectangles, legal or not, sorted, in a strict game, where finding the legal ones is the player's task.
    Return None otherwise: only the legal moves are offered then.
    """
    return _list_all_moves(int(s.cols), int(s.rows)) if s.strict else None


@lru_cache(maxsize=8)
def _list_all_moves(cols: int, rows: int) -> tuple[str, ...]:
    """Return all rectangles of a field of cols x rows dots as moves such as `a1 b2`, legal or not, sorted as text."""
    pairs = product(combinations(range(cols), 2), combinations(range(rows), 2))
    return tuple(sorted(f"{format_dot(x1, y1)} {format_dot(x2, y2)}" for (x1, x2), (y1, y2) in pairs))


def write(s: State) -> str:
    """Write a position as one line such as `0 - 2:b-e 5:b-e b:2-5 e:2-5`, whose parts the module describes."""
    out = int(s.out)
    seats = "".join(str(seat) for seat in range(int(s.players)) if out >> seat & 1)
    rows, columns = (enumerate(map(find_runs, words.tolist())) for words in (s.across, s.sides))
    lines = [f"{y + 1}:" + ",".join(f"{LETTERS[a]}-{LETTERS[b]}" for a, b in runs) for y, runs in rows if runs]
    lines += [f"{LETTERS[x]}:" + ",".join(f"{a + 1}-{b + 1}" for a, b in runs) for x, runs in columns if runs]
    return " ".join([str(int(s.turn)), seats or "-", *(lines or "-")])


def read(s: State, options: SqezOptions, text: str) -> None:
    """Fill a zeroed record in place from the line of a position, such as `0 - 2:b-e 5:b-e b:2-5 e:2-5`.

    Raise NotationError, which may leave it half filled, if rectangles cannot have left these lines under the options,
    if a seat cannot be to move or out, or if `write` would not return the same text.
    """
    start(s, options, ())
    words = text.split(" ") if len(text) <= _MAX_LENGTH else []
    if len(words) < 3:  # seat, forfeits, lines
        syntax = "the seat to move, the seats that have forfeited and the lines, such as '0 - 2:b-e'"
        _reject_position(text, f"a position is {syntax}")
    _read_seats(s, text, words[0], words[1])
    across, sides = [0] * MAX_SIDE, [0] * MAX_SIDE
    for word in words[2:] if words[2:] != ["-"] else ():
        row, column = _ROW.fullmatch(word), _COLUMN.fullmatch(word)
        if row is not None:
            y, ends = int(row[1]) - 1, [(LETTERS.find(part[0]), LETTERS.find(part[2])) for part in row[2].split(",")]
            _add_lines(text, word, across, (y, int(s.rows)), ends, int(s.cols))
        elif column is not None:
            x, parts = LETTERS.find(column[1]), [part.split("-") for part in column[2].split(",")]
            _add_lines(text, word, sides, (x, int(s.cols)), [(int(a) - 1, int(b) - 1) for a, b in parts], int(s.rows))
        else:
            expected = "expected one in a row, such as '2:b-e', or in a column, such as 'b:2-5'"
            _reject_position(text, f"{quote(word)} is not a line: {expected}")
    _check_lines(text, across, sides, own=not s.shared)
    _fill_lines(s, across, sides)
    # The list is compiled: in Python a large field full of lines takes seconds.
    s.over = count_active_seats(s) == 1 or not len(compiled_api.list_legal(np.array([s], DTYPE), 0))
    usual = write(s)
    if usual != text:
        _reject_position(text, describe_first_difference(text, usual))


def _read_seats(s: State, text: str, turn: str, out: str) -> None:
    """Set the seat to move from `turn`, such as `0`, and the seats that have forfeited from `out`, such as `13` or `-`.
    Raise NotationError, which quotes `text`, if they are not seats, out of order, or contradict each other or `strict`.
    """
    players = int(s.players)
    seats = [str(seat) for seat in range(players)]
    if turn not in seats:
        _reject_position(text, f"the seat to move is given as {quote(turn)}; it must be 0 to {players - 1}")
    gone = [] if out == "-" else list(out)
    if gone != [seat for seat in seats if seat in gone] or not out:
        _reject_position(
            text, f"the seats that have forfeited are given as {quote(out)}; they must be digits in order, or '-'"
        )
    if gone and not s.strict:
        _reject_position(text, "a seat has forfeited, which happens only in a strict game")
    if turn in gone:
        _reject_position(text, f"seat {turn} is to move, but has forfeited")
    s.turn = int(turn)
    s.out = sum(1 << int(seat) for seat in gone)


def _add_lines(text: str, word: str, lines: list[int], place: tuple[int, int], ends: Runs, length: int) -> None:
    """Add straight lines to one word of `lines`, a word of edges for each row (or column), in place.

    `place` is the index of that row or column and how many of them the field has. `ends` are the first and the last dot
    of each line, and `length` is the number of dots in the row or column. Raise NotationError for `word`, the part of
    `text` that is being read, if a line lies off the field, runs backwards, or repeats an edge.
    """
    index, count = place
    if index >= count:
        _reject_position(text, f"{quote(word)} is not on this field")
    for first, last in ends:
        if not 0 <= first < last < length:
            _reject_position(text, f"{quote(word)} is not on this field, or does not run to the right or upwards")
        edges = (1 << last) - (1 << first)
        if lines[index] & edges:
            _reject_position(text, f"{quote(word)} draws an edge for a second time")
        lines[index] |= edges


def _check_lines(text: str, across: list[int], sides: list[int], *, own: bool) -> None:
    """Raise NotationError for lines that rectangles cannot have left; `text` is the whole line of the position.

    `across` has a word for each row, whose bit x is the edge to the right of column x; `sides` one for each column,
    whose bit y is the edge above row y. Every edge must be part of a complete rectangle with a dot inside. With `own`
    sides (the option sides=own), in addition, an even number of edges meets at every dot.
    """
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
        _reject_position(text, "one of its lines is not part of a complete rectangle with a dot inside")
    for x, y in product(range(MAX_SIDE), repeat=2) if own else ():
        lines = [across[y] >> x & 1, across[y] << 1 >> x & 1, sides[x] >> y & 1, sides[x] << 1 >> y & 1]
        if sum(lines) % 2:
            _reject_position(
                text, f"at dot {format_dot(x, y)} a line ends on another, which needs the option sides=shared"
            )


def _fill_lines(s: State, across: list[int], sides: list[int]) -> None:
    """Write the drawn edges, given as in `_check_lines`, into `across`, `sides` and `up` of a new record, in place.
    Take the dots on them out of `free`, where `start` has put all dots.
    """
    s.across, s.sides = across, sides
    up = [sum((side >> y & 1) << x for x, side in enumerate(sides)) for y in range(MAX_SIDE)]
    s.up = up
    for y, free in enumerate(s.free.tolist()):
        below = up[y - 1] if y else 0
        s.free[y] = np.uint64(free & ~(across[y] | across[y] << 1 | up[y] | below))


def _reject_position(text: str, why: str) -> NoReturn:
    """Raise NotationError with the code `position`, quoting the whole line `text` and saying why it is refused."""
    raise NotationError(f"{quote(text)} is not a position of this field: {why}", "position")
