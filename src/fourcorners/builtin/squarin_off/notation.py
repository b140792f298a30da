"""Moves and positions of Squarin' Off as text.

A move is an edge, `c4d4`, or a box for a blocker and then an edge, `#c4 c4d4`. A position is the seat to move, the
blockers left by seat, and the board from top to bottom. In the board rows of horizontal edges (`-` drawn, `.` free)
alternate with rows of boxes; in the latter every other sign is a vertical edge (`|` drawn, `.` free) and the rest are
boxes (`_` open, `#` blocked, or the seat that owns it; for a team whose chips are shared its first seat).
"""

import re
from functools import lru_cache

import numpy as np

from fourcorners.builtin.squarin_off import rules
from fourcorners.builtin.squarin_off.options import COLUMNS, SquarinOffOptions, format_dot
from fourcorners.builtin.squarin_off.rules import BLOCKED, BLOCKER, NEAR, OWNER_SHIFT, SIDES
from fourcorners.core.arrays import State
from fourcorners.core.bits import bit
from fourcorners.core.errors import NotationError, quote

MISMATCHED = 4096
"""The first code of moves whose edge is not a side of the blocker's box: `MISMATCHED + 1024 * box + edge`.

Such a move can be parsed but is never legal, so `explain.py` can say why.
"""

_DOT = r"([a-z])([1-9][0-9]?)"
_EDGE = re.compile(_DOT + _DOT, re.ASCII)
_BOX = re.compile("#" + _DOT, re.ASCII)
_LOOSE_EDGE = re.compile(r" *([a-z]) *0*([1-9][0-9]?)[ ,-]*([a-z]) *0*([1-9][0-9]?) *", re.ASCII | re.IGNORECASE)


def get_box(s: State, column: int, row: int) -> int:
    """Return the number of a box in the record, from its column and row counted from 0."""
    return (row + 1) * (int(s.cols) + 1) + column + 1


def format_box(s: State, box: int) -> str:
    """Return the name of a box of the board (its number in the record), that of its lower-left dot, such as c4."""
    row, column = divmod(int(box) - 1, int(s.cols) + 1)
    return format_dot(column, row - 1)


def format_edge(s: State, edge: int) -> str:
    """Return the name of an edge of the board: its two dots, the lower or left one first."""
    return list_edge_names(int(s.cols), int(s.rows))[edge]


@lru_cache(maxsize=64)
def list_edge_names(cols: int, rows: int) -> tuple[str, ...]:
    """Return the names of all edges of a board, such as `c4d4`, in the order of their numbers."""
    horizontal = (format_dot(x, y) + format_dot(x + 1, y) for y in range(rows + 1) for x in range(cols))
    vertical = (format_dot(x, y) + format_dot(x, y + 1) for y in range(rows) for x in range(cols + 1))
    return (*horizontal, *vertical)


@lru_cache(maxsize=4096)
def find_boxes_beside(cols: int, rows: int, edge: str) -> tuple[int, int]:
    """Return the boxes, by their numbers in the record, beside a named edge of the board: below and above it, or left
    and right. One of them may be a box of the border.
    """
    number, stride = list_edge_names(cols, rows).index(edge), cols + 1
    along = number - cols * (rows + 1)
    if along >= 0:
        return along + stride, along + stride + 1
    first = number + number // cols + 1
    return first, first + stride


def parse_edge(s: State, token: str) -> int:
    """Parse an edge, drawn or not, as its number.
    Raise NotationError with the code "off-board" for dots that are not on the board, else "unreadable".
    """
    found = _EDGE.fullmatch(token)
    if found is None:
        raise NotationError(f"{quote(token)} is not an edge: {_suggest_edge(s, token)}")
    x, y = COLUMNS.find(found[1]), int(found[2]) - 1
    dx, dy = COLUMNS.find(found[3]) - x, int(found[4]) - 1 - y
    cols, rows = int(s.cols), int(s.rows)
    for letter, number in ((found[1], found[2]), (found[3], found[4])):
        if not 0 <= COLUMNS.find(letter) <= cols or int(number) - 1 > rows:
            message = f"{letter}{number} is not a dot of this board: its dots run from a1 to {format_dot(cols, rows)}"
            raise NotationError(message, "off-board")
    if (dx, dy) == (1, 0):
        return y * cols + x
    if (dx, dy) == (0, 1):
        return int(s.horizontal_edges) + y * (cols + 1) + x
    raise NotationError(f"{quote(token)} is not an edge: {_suggest_edge(s, token)}")


def parse_blocker(s: State, token: str) -> int:
    """Parse a blocker, such as #c4, and return its box; raise NotationError as `parse_edge` does."""
    found = _BOX.fullmatch(token)
    if found is None:
        raise NotationError(f"{quote(token)} is not a blocker: write # and the box’s lower-left dot, such as #c4")
    x, y = COLUMNS.find(found[1]), int(found[2]) - 1
    cols, rows = int(s.cols), int(s.rows)
    if not 0 <= x < cols or y >= rows:
        last = format_dot(cols - 1, rows - 1)
        raise NotationError(f"{token[1:]} is not a box of this board: its boxes run from a1 to {last}", "off-board")
    return get_box(s, x, y)


def find_side(s: State, box: int, edge: int) -> int:
    """Return the side (0 to 3) of a box of the board that an edge is, or -1 if it is none of its four."""
    return next((side for side in range(4) if rules.get_edge(s, box, side) == edge), -1)


def parse(s: State, text: str) -> int:
    """Parse a move as an action, legal or not (see MISMATCHED).
    Raise NotationError with the code "incomplete" for an empty text, "#" and a blocker alone, else as `parse_edge`.
    """
    if not text:
        raise NotationError(f"an empty text is not a move: {describe_syntax(s)}", "incomplete")
    if not text.startswith("#"):
        return parse_edge(s, text)
    token, space, rest = text.partition(" ")
    if token == "#" and not space:
        raise NotationError("'#' is only the beginning of a move: name the blocker’s box, such as #c4", "incomplete")
    box = parse_blocker(s, token)
    if not rest:
        below = format_edge(s, rules.get_edge(s, box, rules.BOTTOM))
        message = f"{quote(text)} is only the beginning of a move: after a blocker, draw a free edge of its box"
        raise NotationError(f"{message}, such as {token} {below}", "unreadable" if space else "incomplete")
    edge = parse_edge(s, rest)
    side = find_side(s, box, edge)
    return MISMATCHED + 1024 * box + edge if side < 0 else BLOCKER + 4 * box + side


def split_action(s: State, action: int) -> tuple[int, int]:
    """Return the box of an action's blocker, -1 if it has none, and its edge; takes codes from MISMATCHED on, too."""
    if action >= MISMATCHED:
        return (action - MISMATCHED) >> 10, (action - MISMATCHED) & 1023
    if action >= BLOCKER:
        box = (action - BLOCKER) >> 2
        return box, int(rules.get_edge(s, box, action & 3))
    return -1, action


def format(s: State, action: int) -> str:
    """Format an action as a move; it may be illegal, from MISMATCHED on too, but must be of this board."""
    if action < BLOCKER:  # an edge, as most actions are
        return list_edge_names(int(s.cols), int(s.rows))[action]
    box, edge = split_action(s, int(action))
    return f"#{format_box(s, box)} {format_edge(s, edge)}"


def write(s: State) -> str:
    """Write a position as one line (see above): the seat to move, the blockers left by seat, and the board."""
    cols, rows, horizontal_edges = int(s.cols), int(s.rows), int(s.horizontal_edges)
    free = pack_free_edges(s)
    boxes = s.box.tolist()
    lines = []
    for row in range(rows, -1, -1):
        lines.append("".join("." if free >> (row * cols + x) & 1 else "-" for x in range(cols)))
        if row:
            first = horizontal_edges + (row - 1) * (cols + 1)
            vertical = ["." if free >> (first + x) & 1 else "|" for x in range(cols + 1)]
            inside = [_format_box_state(boxes[get_box(s, x, row - 1)]) for x in range(cols)]
            lines.append("".join(a + b for a, b in zip(vertical, [*inside, ""], strict=True)))
    blockers = ",".join(map(str, s.blockers.tolist()[: int(s.players)]))
    return f"{s.turn} {blockers} {'/'.join(lines)}"


def pack_free_edges(s: State) -> int:
    """Return the set of free edges as one integer, with a bit for each edge."""
    return int.from_bytes(s.free.astype("<u8").tobytes(), "little")


def _format_box_state(byte: int) -> str:
    """Return the sign of a box, from its byte, in the line of a position: `#`, the owner's digit, or `_`."""
    if byte & BLOCKED:
        return "#"
    return str((byte >> OWNER_SHIFT) - 1) if byte >> OWNER_SHIFT else "_"


def read(s: State, options: SquarinOffOptions, text: str) -> None:
    """Fill a zeroed record in place from the line of a position; raise NotationError, perhaps with it half filled.
    Every part must fit the options and the other parts. Whether play can lead to the position is not checked.
    """
    rules.start(s, options, ())
    cols, rows, players = options.cols, options.rows, options.players
    parts = text.split(" ")
    if len(parts) != 3:
        what = "the seat to move, the blockers left, the board"
        raise _invalid_position(f"it must have 3 parts, not {len(parts)}: {what}")
    turn, blockers, board = parts
    if not re.fullmatch(f"[0-{players - 1}]", turn, re.ASCII):
        raise _invalid_position(f"the seat to move is {quote(turn)}, but must be 0 to {players - 1}")
    if not re.fullmatch(f"[0-9](?:,[0-9]){{{players - 1}}}", blockers, re.ASCII):
        what = f"{players} numbers with commas between them"
        raise _invalid_position(f"the blockers left are {quote(blockers)}, but must be {what}")
    left = [int(count) for count in blockers.split(",")]
    for seat, count in enumerate(left):
        if count > options.blockers[seat]:
            raise _invalid_position(f"seat {seat} has {count} blockers left, but began with {options.blockers[seat]}")
    lines = board.split("/")[::-1]
    if len(lines) != 2 * rows + 1:
        raise _invalid_position(f"the board has {len(lines)} lines, not {2 * rows + 1}")
    for number, line in enumerate(lines):
        width = 2 * cols + 1 if number % 2 else cols
        if not re.fullmatch(r"(?:[.|](?:[_#0-3][.|])+)" if number % 2 else "[.-]+", line) or len(line) != width:
            boxes = "vertical edges '.' or '|' with boxes '_', '#' or seats between"
            what = boxes if number % 2 else "horizontal edges '.' or '-'"
            raise _invalid_position(f"line {quote(line)} of the board must have {width} characters: {what}")
    _read_edges(s, lines)
    _read_boxes(s, lines, sum(options.blockers) - sum(left))
    s.turn, s.blockers_left = int(turn), sum(left)
    s.blockers[:players] = left
    s.blocker_moves = rules.count_blocker_moves(s) if sum(left) else 0


def _read_edges(s: State, lines: list[str]) -> None:
    """Draw, in place, the edges of a board's lines, bottom line first and checked, on a record of an empty board."""
    cols = int(s.cols)
    for number, line in enumerate(lines):
        row = number // 2
        if number % 2:
            first = int(s.horizontal_edges) + row * (cols + 1)
            drawn = [first + x for x in range(cols + 1) if line[2 * x] == "|"]
        else:
            drawn = [row * cols + x for x in range(cols) if line[x] == "-"]
        for edge in drawn:
            s.free[edge >> 6] &= ~bit(edge & 63)
            s.edges_left -= 1
            for box in rules.find_boxes_beside(s, edge):
                s.box[box] += 1


def _read_boxes(s: State, lines: list[str], used: int) -> None:
    """Set owners, points and blocked boxes, in place, from a board's checked lines, bottom first; its edges are set.
    Raise NotationError if they do not fit the edges, or if the number of blocked boxes is not `used`.
    """
    cols, rows = int(s.cols), int(s.rows)
    owners = min(int(s.players), int(s.chip_mask) + 1)
    blocked = 0
    for row in range(rows):
        for column in range(cols):
            box, sign = get_box(s, column, row), lines[2 * row + 1][2 * column + 1]
            name, sides = format_dot(column, row), int(s.box[box]) & SIDES
            if sign == "#":
                if int(s.box[box]) & NEAR:
                    raise _invalid_position(f"box {name} is blocked, but beside another blocked box")
                if sides == 0:
                    raise _invalid_position(f"box {name} is blocked, but none of its edges is drawn")
                rules.block_box(s, box)
                blocked += 1
            elif sign == "_":
                if sides == 4:
                    raise _invalid_position(f"box {name} has all four edges: it must be blocked or belong to a seat")
            elif int(sign) >= owners:
                raise _invalid_position(f"box {name} belongs to seat {sign}, but must belong to 0 to {owners - 1}")
            elif sides != 4:
                raise _invalid_position(f"box {name} belongs to seat {sign}, but not all of its edges are drawn")
            else:
                owner = int(sign)
                s.points[owner & int(s.party_mask)] += int(s.value[box])
                s.box[box] |= np.uint8((owner + 1) << OWNER_SHIFT)
    if blocked != used:
        raise _invalid_position(f"the number of blocked boxes is {blocked}, but that of used blockers is {used}")


def _invalid_position(problem: str) -> NotationError:
    """Return, not raise, the error for a line that is not a position, for the reason `problem`."""
    return NotationError(f"this is not a position of this game: {problem}")


def describe_syntax(s: State) -> str:
    """Return, as a clause, how moves are written; of blockers only while some are left."""
    blocker = ", or a blocker and an edge of its box such as #c4 c4d4" if s.blockers_left else ""
    return f"a move is an edge such as c4d4{blocker}"


def _suggest_edge(s: State, token: str) -> str:
    """Return, as a clause, how to write the edge that was probably meant, which may be off the board; that its two dots
    must be neighbours; or, for anything unlike two dots, the syntax of moves.
    """
    found = _LOOSE_EDGE.fullmatch(token)
    if found is not None:
        (a, m), (b, n) = sorted(((found[1].lower(), int(found[2])), (found[3].lower(), int(found[4]))))
        if (ord(b) - ord(a), n - m) in {(1, 0), (0, 1)}:
            return f"write {a}{m}{b}{n}, with the lower or left dot first"
        return "its two dots must be neighbours, such as c4d4 or c4c5"
    return describe_syntax(s)
