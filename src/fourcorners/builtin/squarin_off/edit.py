"""Setting up positions: edges, the owners of boxes, blockers, and the seat to move. Every draft is a position."""

import re
from collections.abc import Sequence

from fourcorners.builtin.squarin_off import notation
from fourcorners.builtin.squarin_off.notation import list_edge_names
from fourcorners.builtin.squarin_off.options import SquarinOffOptions, format_dot
from fourcorners.builtin.squarin_off.rules import BLOCKED, OWNER_SHIFT, SIDES
from fourcorners.core.arrays import State
from fourcorners.core.contract import Tool
from fourcorners.core.errors import NotationError, OptionError, quote

_EDGES, _OWNERS, _BLOCKERS, _TURN = "edges", "owners", "blockers", "turn"
_SEAT = "seat:"
_DOTS = re.compile(r"([a-z])([0-9]+)")

read_draft = notation.read


def list_tools(options: SquarinOffOptions) -> Sequence[Tool]:
    """List the tools of the editor."""
    blockers = [Tool(_BLOCKERS, "Blockers")] if any(options.blockers) else []
    return [Tool(_EDGES, "Edges"), Tool(_OWNERS, "Owners of boxes"), *blockers, Tool(_TURN, "Seat to move")]


def list_edits(s: State, tool: str) -> Sequence[str]:
    """List the edges, the boxes that have an owner or can be blocked, or the seats."""
    cols, rows = int(s.cols), int(s.rows)
    if tool == _EDGES:
        return sorted(list_edge_names(cols, rows))
    if tool == _TURN:
        return [f"{_SEAT}{seat}" for seat in range(int(s.players))]
    boxes = {format_dot(x, y): int(s.box[notation.get_box(s, x, y)]) for y in range(rows) for x in range(cols)}
    has_tokens = bool(s.blockers_left) or any(byte & BLOCKED for byte in boxes.values())
    prefix = "#" if has_tokens else "so-b"
    if tool == _OWNERS:
        return sorted(f"{prefix}{name}" for name, byte in boxes.items() if byte >> OWNER_SHIFT)
    if tool == _BLOCKERS:
        return sorted(f"{prefix}{name}" for name, byte in boxes.items() if byte & SIDES != 4)
    raise OptionError("tool", f"{quote(tool)} is not allowed; it must be {_EDGES}, {_OWNERS}, {_BLOCKERS} or {_TURN}")


def label_token(token: str) -> str:
    """Return the label of a seat; other tokens, which the board shows, are their own labels."""
    return f"Seat {int(token.removeprefix(_SEAT)) + 1} to move" if token.startswith(_SEAT) else token


def edit(s: State, options: SquarinOffOptions, tool: str, edit: str) -> str:
    """Return the line after a change: a box with four edges belongs to the seat to move until its owner is changed."""
    if edit not in list_edits(s, tool):
        raise NotationError(f"{quote(edit)} cannot be changed with {quote(tool)}")
    turn, left, board = notation.write(s).split(" ")
    lines = [list(line) for line in board.split("/")[::-1]]
    blockers = [int(count) for count in left.split(",")]
    owner = str(int(turn) & int(s.chip_mask))
    if tool == _TURN:
        turn = edit.removeprefix(_SEAT)
    elif tool == _EDGES:
        _toggle_edge(lines, edit)
    elif tool == _OWNERS:
        row, column = _find_box(edit)
        owners = min(int(s.players), int(s.chip_mask) + 1)
        lines[row][column] = str((int(lines[row][column]) + 1) % owners)
    else:
        _toggle_blocker(lines, edit, blockers, options, int(turn))
    _assign_boxes(lines, owner)
    rows = "/".join("".join(line) for line in lines[::-1])
    return f"{turn} {','.join(map(str, blockers))} {rows}"


def _find_box(token: str) -> tuple[int, int]:
    """Return the line of a box, from the bottom, and its place there."""
    dots = _DOTS.findall(token.removeprefix("so-b"))
    column, row = ord(dots[0][0]) - ord("a"), int(dots[0][1]) - 1
    return 2 * row + 1, 2 * column + 1


def _toggle_edge(lines: list[list[str]], edge: str) -> None:
    """Draw an edge, or remove it, in place."""
    (a, m), (b, _) = _DOTS.findall(edge)
    column, row = ord(a) - ord("a"), int(m) - 1
    line, place, sign = (2 * row, column, "-") if a != b else (2 * row + 1, 2 * column, "|")
    lines[line][place] = "." if lines[line][place] == sign else sign


def _toggle_blocker(
    lines: list[list[str]], token: str, blockers: list[int], options: SquarinOffOptions, turn: int
) -> None:
    """Put a blocker of the seat to move, or else of another seat, on a box, or give it back, in place."""
    row, column = _find_box(token)
    seats = [turn, *(seat for seat in range(len(blockers)) if seat != turn)]
    if lines[row][column] == "#":
        owner = next(seat for seat in seats if blockers[seat] < options.blockers[seat])
        blockers[owner] += 1
        lines[row][column] = "_"
        return
    owner = next((seat for seat in seats if blockers[seat]), -1)
    if owner < 0:
        raise NotationError("all blockers are on the board: take one away first")
    blockers[owner] -= 1
    lines[row][column] = "#"


def _assign_boxes(lines: list[list[str]], owner: str) -> None:
    """Give newly completed boxes to a seat, and take incomplete boxes from their owners, in place."""
    for row in range(1, len(lines), 2):
        for column in range(1, len(lines[row]), 2):
            below, above = lines[row - 1][column // 2], lines[row + 1][column // 2]
            is_full = (below, above, lines[row][column - 1], lines[row][column + 1]) == ("-", "-", "|", "|")
            sign = lines[row][column]
            if is_full and sign == "_":
                lines[row][column] = owner
            elif not is_full and sign.isdigit():
                lines[row][column] = "_"
