"""Setting up positions: rectangles, and the seat to move. Every draft is a position."""

from collections.abc import Sequence
from itertools import combinations

from fourcorners.builtin.sqez import notation
from fourcorners.builtin.sqez.geometry import list_outline_edges
from fourcorners.builtin.sqez.notation import format_dot
from fourcorners.builtin.sqez.options import SqezOptions
from fourcorners.core.arrays import State
from fourcorners.core.contract import Tool
from fourcorners.core.errors import NotationError, OptionError, quote

_RECTANGLES, _TURN = "rectangles", "turn"
_SEAT = "seat:"

read_draft = notation.read


def list_tools(_: SqezOptions) -> Sequence[Tool]:
    """List the tools of the editor."""
    return [Tool(_RECTANGLES, "Rectangles"), Tool(_TURN, "Seat to move")]


def list_edits(s: State, tool: str) -> Sequence[str]:
    """List the rectangles with a dot inside, or the seats."""
    if tool == _TURN:
        return [f"{_SEAT}{seat}" for seat in range(int(s.players)) if not int(s.out) >> seat & 1]
    if tool != _RECTANGLES:
        raise OptionError("tool", f"{quote(tool)} is not allowed; it must be {_RECTANGLES} or {_TURN}")
    columns = [pair for pair in combinations(range(int(s.cols)), 2) if pair[1] - pair[0] > 1]
    rows = [pair for pair in combinations(range(int(s.rows)), 2) if pair[1] - pair[0] > 1]
    return sorted(f"{format_dot(x1, y1)} {format_dot(x2, y2)}" for x1, x2 in columns for y1, y2 in rows)


def label_token(token: str) -> str:
    """Return the label of a seat; other tokens, which the board shows, are their own labels."""
    return f"Seat {int(token.removeprefix(_SEAT)) + 1} to move" if token.startswith(_SEAT) else token


def edit(s: State, options: SqezOptions, tool: str, edit: str) -> str:
    """Return the line with a rectangle drawn, or removed if it was complete."""
    del options
    if edit not in list_edits(s, tool):
        raise NotationError(f"{quote(edit)} cannot be changed with {quote(tool)}")
    if tool == _TURN:
        s.turn = int(edit.removeprefix(_SEAT))
        return notation.write(s)
    (x1, y1), (x2, y2) = (notation.parse_dot(s, word) for word in edit.split(" "))
    across, sides = s.across.tolist(), s.sides.tolist()
    edges = list_outline_edges(x1, y1, x2, y2)
    # An edge along a row is a bit of the row, and one along a column a bit of the column.
    bits = [(across, y, x) if y == y_end else (sides, x, y) for x, y, _, y_end in edges]
    is_drawn = all(lines[index] >> place & 1 for lines, index, place in bits)
    for lines, index, place in bits:
        lines[index] = lines[index] & ~(1 << place) if is_drawn else lines[index] | 1 << place
    s.across[:] = across
    s.sides[:] = sides
    return notation.write(s)
