"""Moves and positions of Squarin' Off as text.

A move is an edge, `c4d4`, or a blocker's box and then an edge, `#c4 c4d4`. A position is the seat to move, the blockers
left by seat, and the board from top to bottom: rows of dots (`-` drawn, `.` free) and rows of boxes between them, in
which every second sign is an upright edge (`|` drawn, `.` free) and the others are boxes (`_` open, `#` blocked,
or the seat that completed it; of partners the first).
"""

from __future__ import annotations

import re
from functools import lru_cache

import numpy as np

from fourcorners.core.bits import bit
from fourcorners.core.dispatch import State
from fourcorners.core.errors import NotationError, quote
from fourcorners.games.squarin_off import rules
from fourcorners.games.squarin_off.options import COLUMNS, SquarinOffOptions, dot_name
from fourcorners.games.squarin_off.rules import BLOCKED, BLOCKER, NEAR, OWNER_SHIFT, SIDES

# A blocker with an edge that is not of its box can be read, but is never legal: `ELSEWHERE + 1024 * box + edge`.
ELSEWHERE = 4096
HOW = "a move is an edge such as c4d4, or a blocker and an edge of its box such as #c4 c4d4"

_DOT = r"([a-z])([1-9][0-9]?)"
_EDGE = re.compile(_DOT + _DOT, re.ASCII)
_BOX = re.compile("#" + _DOT, re.ASCII)
_LOOSE_EDGE = re.compile(r" *([a-z]) *0*([1-9][0-9]?)[ ,-]*([a-z]) *0*([1-9][0-9]?) *", re.ASCII | re.IGNORECASE)


def box_number(s: State, column: int, row: int) -> int:
    """Return the number of a box in the record."""
    return (row + 1) * (int(s.cols) + 1) + column + 1


def box_name(s: State, box: int) -> str:
    """Name a box by its lower-left dot."""
    row, column = divmod(int(box) - 1, int(s.cols) + 1)
    return dot_name(column, row - 1)


def edge_name(s: State, edge: int) -> str:
    """Name an edge by its two dots, the lower or left one first."""
    return edge_names(int(s.cols), int(s.rows))[edge]


@lru_cache(maxsize=64)
def edge_names(cols: int, rows: int) -> tuple[str, ...]:
    """Name all edges of a board by their numbers: the level ones row by row from below, then the upright ones."""
    level = (dot_name(x, y) + dot_name(x + 1, y) for y in range(rows + 1) for x in range(cols))
    upright = (dot_name(x, y) + dot_name(x, y + 1) for y in range(rows) for x in range(cols + 1))
    return (*level, *upright)


def read_edge(s: State, token: str) -> int:
    """Read an edge of this board; raise NotationError."""
    found = _EDGE.fullmatch(token)
    if found is None:
        raise NotationError(f"{quote(token)} is no edge: {_hint(token)}")
    x, y = COLUMNS.find(found[1]), int(found[2]) - 1
    to_right, up = COLUMNS.find(found[3]) - x, int(found[4]) - 1 - y
    cols, rows = int(s.cols), int(s.rows)
    for letter, number in ((found[1], found[2]), (found[3], found[4])):
        if not 0 <= COLUMNS.find(letter) <= cols or int(number) - 1 > rows:
            last = dot_name(cols, rows)
            raise NotationError(
                f"{letter}{number} is no dot of this board: its dots run from a1 to {last}", "off-board"
            )
    if (to_right, up) == (1, 0):
        return y * cols + x
    if (to_right, up) == (0, 1):
        return int(s.horizontals) + y * (cols + 1) + x
    raise NotationError(f"{quote(token)} is no edge: {_hint(token)}")


def read_box(s: State, token: str) -> int:
    """Read a blocker on a box of this board; raise NotationError."""
    found = _BOX.fullmatch(token)
    if found is None:
        raise NotationError(f"{quote(token)} is no blocker: it is written # and the box's lower-left dot, such as #c4")
    x, y = COLUMNS.find(found[1]), int(found[2]) - 1
    cols, rows = int(s.cols), int(s.rows)
    if not 0 <= x < cols or y >= rows:
        last = dot_name(cols - 1, rows - 1)
        raise NotationError(f"{token[1:]} is no box of this board: its boxes run from a1 to {last}", "off-board")
    return box_number(s, x, y)


def side_of(s: State, box: int, edge: int) -> int:
    """Return on which side of a box an edge is; -1 if it is not beside it."""
    for side in range(4):
        if rules.edge_of(s, box, side) == edge:
            return side
    return -1


def parse(s: State, text: str) -> int:
    """Read a move's canonical text as an action, legal or not; raise NotationError."""
    if not text:
        raise NotationError(f"an empty text is no move: {HOW}", "incomplete")
    if not text.startswith("#"):
        return read_edge(s, text)
    token, space, rest = text.partition(" ")
    if token == "#" and not space:
        raise NotationError("'#' is only the beginning of a move: name the blocker's box, such as #c4", "incomplete")
    box = read_box(s, token)
    if not rest:
        below = edge_name(s, rules.edge_of(s, box, rules.BOTTOM))
        message = f"{quote(text)} is only the beginning of a move: after a blocker, draw a free edge of its box"
        raise NotationError(f"{message}, such as {token} {below}", "unreadable" if space else "incomplete")
    edge = read_edge(s, rest)
    side = side_of(s, box, edge)
    return ELSEWHERE + 1024 * box + edge if side < 0 else BLOCKER + 4 * box + side


def take_apart(s: State, action: int) -> tuple[int, int]:
    """Return the box of an action's blocker, -1 if there is none, and its edge."""
    if action >= ELSEWHERE:
        return (action - ELSEWHERE) >> 10, (action - ELSEWHERE) & 1023
    if action >= BLOCKER:
        box = (action - BLOCKER) >> 2
        return box, int(rules.edge_of(s, box, action & 3))
    return -1, action


def format(s: State, action: int) -> str:
    """Write an action as a move."""
    box, edge = take_apart(s, int(action))
    return edge_name(s, edge) if box < 0 else f"#{box_name(s, box)} {edge_name(s, edge)}"


def write(s: State) -> str:
    """Write a position as one line."""
    cols, rows, horizontals = int(s.cols), int(s.rows), int(s.horizontals)
    free = free_edges(s)
    boxes = s.box.tolist()
    lines = []
    for row in range(rows, -1, -1):
        lines.append("".join("." if free >> (row * cols + x) & 1 else "-" for x in range(cols)))
        if row:
            first = horizontals + (row - 1) * (cols + 1)
            upright = ["." if free >> (first + x) & 1 else "|" for x in range(cols + 1)]
            inside = [_sign(boxes[box_number(s, x, row - 1)]) for x in range(cols)]
            lines.append("".join(a + b for a, b in zip(upright, [*inside, ""], strict=True)))
    blockers = ",".join(map(str, s.blockers.tolist()[: int(s.players)]))
    return f"{s.turn} {blockers} {'/'.join(lines)}"


def free_edges(s: State) -> int:
    """Return the free edges as one whole number, an edge a bit."""
    return int.from_bytes(s.free.astype("<u8").tobytes(), "little")


def _sign(byte: int) -> str:
    if byte & BLOCKED:
        return "#"
    return str((byte >> OWNER_SHIFT) - 1) if byte >> OWNER_SHIFT else "_"


def read(s: State, options: SquarinOffOptions, text: str) -> None:
    """Fill a zeroed record from a position's line, checking everything; raise NotationError."""
    rules.start(s, options, ())
    cols, rows, players = options.cols, options.rows, options.players
    parts = text.split(" ")
    if len(parts) != 3:
        raise _wrong(f"it has {len(parts)} parts, not 3: the seat to move, the blockers left, the board")
    turn, blockers, board = parts
    if not re.fullmatch(f"[0-{players - 1}]", turn, re.ASCII):
        raise _wrong(f"the seat to move is {quote(turn)}, but may be 0 to {players - 1}")
    if not re.fullmatch(f"[0-9](?:,[0-9]){{{players - 1}}}", blockers, re.ASCII):
        raise _wrong(f"the blockers left are {quote(blockers)}, but must be {players} numbers with commas between them")
    left = [int(count) for count in blockers.split(",")]
    for seat, count in enumerate(left):
        if count > options.blockers[seat]:
            raise _wrong(f"seat {seat} has {count} blockers left, but began with {options.blockers[seat]}")
    lines = board.split("/")[::-1]
    if len(lines) != 2 * rows + 1:
        raise _wrong(f"the board has {len(lines)} lines, not {2 * rows + 1}")
    for number, line in enumerate(lines):
        width = 2 * cols + 1 if number % 2 else cols
        if not re.fullmatch(r"(?:[.|](?:[_#0-3][.|])+)" if number % 2 else "[.-]+", line) or len(line) != width:
            what = "upright edges '.' or '|' with boxes '_', '#' or seats between" if number % 2 else "edges '.' or '-'"
            raise _wrong(f"line {quote(line)} of the board must be {width} signs: {what}")
    _draw(s, lines)
    used = sum(options.blockers) - sum(left)
    _fill(s, lines, used)
    s.turn, s.held = int(turn), sum(left)
    s.blockers[:players] = left
    s.room = rules.count_room(s) if sum(left) else 0


def _draw(s: State, lines: list[str]) -> None:
    cols = int(s.cols)
    for number, line in enumerate(lines):
        row = number // 2
        if number % 2:
            first = int(s.horizontals) + row * (cols + 1)
            drawn = [first + x for x in range(cols + 1) if line[2 * x] == "|"]
        else:
            drawn = [row * cols + x for x in range(cols) if line[x] == "-"]
        for edge in drawn:
            s.free[edge >> 6] &= ~bit(edge & 63)
            s.left -= 1
            for box in rules.beside(s, edge):
                s.box[box] += 1


def _fill(s: State, lines: list[str], used: int) -> None:
    cols, rows = int(s.cols), int(s.rows)
    purses = min(int(s.players), int(s.purses) + 1)
    blocked = 0
    for row in range(rows):
        for column in range(cols):
            box, sign = box_number(s, column, row), lines[2 * row + 1][2 * column + 1]
            name, sides = dot_name(column, row), int(s.box[box]) & SIDES
            if sign == "#":
                if int(s.box[box]) & NEAR:
                    raise _wrong(f"box {name} is blocked, but beside another blocked box")
                if sides == 0:
                    raise _wrong(f"box {name} is blocked, but none of its edges is drawn")
                rules.close(s, box)
                blocked += 1
            elif sign == "_":
                if sides == 4:
                    raise _wrong(f"all edges of box {name} are drawn: it must be blocked or belong to a seat")
            elif int(sign) >= purses:
                raise _wrong(f"box {name} belongs to {sign}, but boxes may belong to 0 to {purses - 1}")
            elif sides != 4:
                raise _wrong(f"box {name} belongs to seat {sign}, but not all of its edges are drawn")
            else:
                purse = int(sign)
                s.points[purse] += int(s.value[box])
                s.box[box] |= np.uint8((purse + 1) << OWNER_SHIFT)
    if blocked != used:
        raise _wrong(f"{blocked} boxes are blocked, but {used} blockers have been used")


def _wrong(what: str) -> NotationError:
    return NotationError(f"this is no position of this game: {what}")


def _hint(token: str) -> str:
    """Say how the edge that was probably meant is written, or else what a move looks like."""
    found = _LOOSE_EDGE.fullmatch(token)
    if found is not None:
        ends = sorted(((found[1].lower(), int(found[2])), (found[3].lower(), int(found[4]))))
        (a, m), (b, n) = ends
        if (ord(b) - ord(a), n - m) in {(1, 0), (0, 1)}:
            return f"it is written {a}{m}{b}{n}, the lower or left dot first"
        return "its two dots must be neighbours, such as c4d4 or c4c5"
    return HOW
