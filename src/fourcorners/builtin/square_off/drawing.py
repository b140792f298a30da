"""Pictures of Square Off: a board of four quarters, and men, the marked ones crowned."""

import functools
from itertools import product
from math import hypot
from typing import NamedTuple

from fourcorners.builtin.square_off import rules
from fourcorners.builtin.square_off.board import HALF_TURN, LEFT_RIGHT, TOP_BOTTOM, find_symmetries, to_integer
from fourcorners.builtin.square_off.options import (
    BLACK,
    COLOURS,
    COLUMNS,
    WHITE,
    format_cell,
    get_row_shift,
    index_cells,
    list_cells,
    list_squares,
)
from fourcorners.builtin.square_off.style import STYLE
from fourcorners.core.contract import ViewLike
from fourcorners.core.scene import Element, Part, Scene, frame_decisive

__all__ = ["STYLE", "draw_scene", "draw_text", "list_facts"]

_CELL, _GAP, _MARGIN, _LIP = 60, 12, 34, 5  # a cell, the gap between quarters, the margin, the rim round the cells
_SYMMETRIES = (
    (LEFT_RIGHT, "lr", "left to right"),
    (TOP_BOTTOM, "tb", "top to bottom"),
    (HALF_TURN, "ht", "by half a turn"),
)


class _Board(NamedTuple):
    """The content of a picture as plain numbers; a bitboard is one integer with a bit for each cell."""

    size: int
    men: list[int]  # bitboards by colour
    marks: list[int]  # likewise
    last: int  # the cell of the man that White may replace, or -1
    turn: int  # the colour to move, -1 once the game is over
    moved: tuple[int, ...]  # the cells that the last move names
    completed: list[tuple[int, tuple[int, ...]]]  # the colours and corners of the squares that it completed


def _read_board(view: ViewLike) -> _Board:
    """Read the content of a picture from a view; the last move comes from the history, if there is one."""
    s = view.record
    size = int(s.side)
    men, marks = ([to_integer(words) for words in boards] for boards in (s.men, s.marks))
    last_move = view.history[-1] if view.history else "swap"
    moved = () if last_move == "swap" else tuple(index_cells(size)[word] for word in last_move.split(" "))
    completed = [
        (colour, square)
        for colour, square in product((WHITE, BLACK), list_squares(size))
        if not set(moved).isdisjoint(square) and all(men[colour] >> corner & 1 for corner in square)
    ]
    turn = -1 if view.is_over else int(s.placed) & 1
    return _Board(size, men, marks, int(s.last), turn, moved, completed)


def draw_scene(view: ViewLike) -> Scene:
    """Draw the board, its men and the effect of the last move, as a scene of one part."""
    board = _read_board(view)
    size = board.size
    end = _get_start(size, size)
    elements = [*_draw_board(size), Element("so-turn", "", f"so-turn{['', ' w', ' b'][board.turn + 1]}")]
    for colour, square in board.completed:
        name = f"so-sq-{format_cell(square[0], size)}-{square[1] - square[0]}"
        elements.append(Element(name, _draw_square(size, square), f"so-sq {'wb'[colour]} new"))
    elements.extend(_draw_cell(board, cell) for cell in list_cells(size))
    elements.append(_draw_mirror(view, board))
    if len(board.moved) > 1:
        elements.append(_draw_replaced_path(size, *board.moved))
    if view.is_over and (decisive := _find_decisive_square(view, board)):
        elements.append(_frame_square(size, decisive))
    label = f"Square Off board, {size} by {size} cells in four quarters"
    return Scene(Part((0, 0, end + _MARGIN, end + _MARGIN), tuple(elements), label))


def _find_decisive_square(view: ViewLike, board: _Board) -> tuple[int, ...] | None:
    """Return the corners of the last square that the winner completed; None after a draw, or if the history of the view
    begins later.
    """
    if view.scores[0] == view.scores[1]:
        return None
    men = board.men[(view.scores[1] > view.scores[0]) ^ int(view.record.swapped)]
    cells = index_cells(board.size)
    plies = {cells[word]: ply for ply, move in enumerate(view.history) if move != "swap" for word in move.split(" ")}
    squares = [square for square in list_squares(board.size) if all(men >> corner & 1 for corner in square)]
    last, square = max(((max(plies.get(corner, -1) for corner in each), each) for each in squares), default=(-1, None))
    return square if last >= 0 else None


def _frame_square(size: int, square: tuple[int, ...]) -> Element:
    """Frame a square that decided the game; its corners are ascending cells."""
    (left, bottom), (right, top) = _get_corner(size, square[0]), _get_corner(size, square[3])
    box = (left - 3, top - 3, right - left + _CELL + 6, bottom - top + _CELL + 6)
    label = f"the square {format_cell(square[0], size)} to {format_cell(square[3], size)} decided the game"
    return frame_decisive("so-decisive", "so-won", box, label)


def _draw_cell(board: _Board, cell: int) -> Element:
    """Return the element of a cell, which players can pick, with classes and a label for its man."""
    name, markup = _draw_cell_markup(board.size, cell)
    classes, label = "so-cell", f"cell {name}, free"
    for colour in (WHITE, BLACK):
        if board.men[colour] >> cell & 1:
            classes += " " + "wb"[colour]
            label = f"cell {name}, {COLOURS[colour].lower()} man"
    if (board.marks[WHITE] | board.marks[BLACK]) >> cell & 1:
        classes += " m"
        label += ", marked"
    if cell == board.last:
        classes += " right"
        label += ", White may replace it"
    if cell in board.moved:
        classes += " last new"
        label += ", last move"
    return Element(f"so-{name}", markup, classes, name, label, "pick")


def _get_start(size: int, index: int) -> int:
    """Return the pixel where a column begins, or a row counted from the top; index `size` is the board's end."""
    return _MARGIN + _CELL * index + _GAP * (index >= size // 2)


def _get_corner(size: int, cell: int) -> tuple[int, int]:
    """Return the upper left corner of a cell in the picture, x and y in pixels."""
    shift = get_row_shift(size)
    return _get_start(size, cell & ((1 << shift) - 1)), _get_start(size, size - 1 - (cell >> shift))


def _get_centre(size: int, cell: int) -> tuple[int, int]:
    """Return the centre of a cell in the picture, x and y in pixels."""
    x, y = _get_corner(size, cell)
    return x + _CELL // 2, y + _CELL // 2


@functools.lru_cache(maxsize=1024)
def _draw_cell_markup(size: int, cell: int) -> tuple[str, str]:
    """Return the name (such as `c3`) and the markup of a cell; CSS classes decide whether the man in it shows."""
    (left, top), (x, y) = _get_corner(size, cell), _get_centre(size, cell)
    hit = f'<rect class="hit" x="{left}" y="{top}" width="{_CELL}" height="{_CELL}" rx="4"/>'
    return format_cell(cell, size), f'{hit}<use href="#so-man" x="{x}" y="{y}"/>'


def _draw_square(size: int, corners: tuple[int, ...]) -> str:
    """Return the markup of a complete square through the centres of its men, whose cells `corners` are ascending."""
    (left, bottom), (right, top) = (_get_centre(size, corner) for corner in (corners[0], corners[3]))
    points = f"{left},{bottom} {right},{bottom} {right},{top} {left},{top}"
    return f'<polygon class="so-under" pathLength="1" points="{points}"/><polygon pathLength="1" points="{points}"/>'


def _draw_replaced_path(size: int, start: int, end: int) -> Element:
    """Return the element with the path of the black man that a white one replaced, from the cell `start` to `end`."""
    (x1, y1), (x2, y2) = _get_centre(size, start), _get_centre(size, end)
    half, length = _CELL // 2, max(hypot(x2 - x1, y2 - y1), 1)
    # From the rim of one cell to the rim of the man on the other, as a gentle arc.
    dx, dy, bend = (x2 - x1) / length, (y2 - y1) / length, length / 6
    middle = f"{(x1 + x2) / 2 - dy * bend:.0f} {(y1 + y2) / 2 + dx * bend:.0f}"
    path = f"M{x1 + dx * half:.0f} {y1 + dy * half:.0f}Q{middle} {x2 - dx * half:.0f} {y2 - dy * half:.0f}"
    label = f"the black man moved from {format_cell(start, size)} to {format_cell(end, size)}"
    return Element("so-carried", f'<path d="{path}"/>', "so-carried new", label=label)


def _draw_mirror(view: ViewLike, board: _Board) -> Element:
    """Return the element that shows how the men mirror each other; nothing of it shows unless White may replace one."""
    kinds = find_symmetries(view.record) if board.last >= 0 else 0
    classes = " ".join(["so-mirror", *(name for kind, name, _ in _SYMMETRIES if kinds & kind)])
    how = " and ".join(words for kind, _, words in _SYMMETRIES if kinds & kind)
    label = f"the men mirror each other {how}: White may replace Black’s last man" if kinds else ""
    return Element("so-mirror", _draw_axes(board.size), classes, label=label)


@functools.lru_cache(maxsize=16)
def _draw_axes(size: int) -> str:
    """Return the markup of three symmetries: an axis each for `lr` and `tb`, and for `ht` two arrows round the centre.
    CSS classes with these names, on the element around it, decide which of them show.
    """
    end = _get_start(size, size)
    middle = (_MARGIN + end) // 2
    # The axes end a little inside the board.
    low, high = _MARGIN + 6, end - 6
    return (
        f'<path class="lr" d="M{middle} {low}V{high}"/><path class="tb" d="M{low} {middle}H{high}"/>'
        f'<g class="ht"><circle cx="{middle}" cy="{middle}" r="23"/>'
        f'<path d="M{middle - 13} {middle - 4}a14 14 0 0 1 26-2m-1-8 2 9-9 1'
        f'M{middle + 13} {middle + 4}a14 14 0 0 1-26 2m1 8-2-9 9-1"/></g>'
    )


@functools.lru_cache(maxsize=16)
def _draw_board(size: int) -> tuple[Element, ...]:
    """Return the elements that never change on a board of this size: frame, quarters, coordinates."""
    end = _get_start(size, size)
    width = end + _MARGIN
    half, quarter = size // 2, _CELL * (size // 2)
    well = _LIP + 1
    frame = (
        f'<rect class="so-frame" x="1" y="1" width="{width - 2}" height="{width - 2}" rx="12"/>'
        f'<rect class="so-lip" x="5" y="5" width="{width - 10}" height="{width - 10}" rx="9"/>'
        f'<rect class="so-well" x="{_MARGIN - well}" y="{_MARGIN - well}" width="{end - _MARGIN + 2 * well}" '
        f'height="{end - _MARGIN + 2 * well}" rx="5"/>'
    )
    middle = (_MARGIN + end) // 2
    brass = (
        f'<path class="so-brass" d="M{middle} {_MARGIN - 2}V{end + 2}M{_MARGIN - 2} {middle}H{end + 2}"/>'
        f'<circle class="so-pin" cx="{middle}" cy="{middle}" r="4"/>'
    )
    near, far = _get_start(size, 0), _get_start(size, half)
    # The grain of each quarter runs across that of its neighbours, as in quartered veneer.
    quarters = "".join(
        _draw_quarter(x, y, quarter, turned=(x == near) == (y == near)) for y in (near, far) for x in (near, far)
    )
    return Element("so-frame", frame + brass), Element("so-quarters", quarters), _draw_coordinates(size)


def _draw_quarter(x: int, y: int, quarter: int, *, turned: bool) -> str:
    """Return the markup of a quarter from its upper left corner and side in pixels; `turned` turns the grain by 90°."""
    count = quarter // _CELL
    dark = "".join(
        f"M{x + _CELL * i} {y + _CELL * j}h{_CELL}v{_CELL}h-{_CELL}z"
        for j in range(count)
        for i in range(count)
        if (i + j + count) % 2
    )
    lines = "".join(f"M{x} {y + _CELL * i}h{quarter}M{x + _CELL * i} {y}v{quarter}" for i in range(1, count))
    # The shape so-grain is drawn for a quarter of 240 pixels.
    scale = f"scale({quarter / 240:g})"
    place = f"translate({x} {y}) {scale}" if not turned else f"translate({x + quarter} {y}) rotate(90) {scale}"
    return (
        f'<rect class="so-veneer" x="{x}" y="{y}" width="{quarter}" height="{quarter}" rx="2"/>'
        f'<path class="so-check" d="{dark}"/><use href="#so-grain" transform="{place}"/>'
        f'<path class="so-lines" d="{lines}"/>'
    )


def _draw_coordinates(size: int) -> Element:
    """Return the element with the letters of the columns and the numbers of the rows."""
    end = _get_start(size, size)
    half = _CELL // 2
    columns = "".join(
        f'<text x="{_get_start(size, i) + half}" y="{end + _MARGIN - 11}">{COLUMNS[i]}</text>' for i in range(size)
    )
    rows = "".join(f'<text x="18" y="{_get_start(size, size - 1 - i) + half + 5}">{i + 1}</text>' for i in range(size))
    return Element("so-coordinates", columns + rows, "so-text fc-label")


def list_facts(view: ViewLike) -> tuple[tuple[int | None, str, str], ...]:
    """List facts for the table as seat (None for the board), label and value, all as text but the seat.
    They are colour, marked men and men left of each seat, and the symmetry right if White may use it or has used it up.
    """
    s = view.record
    shown: list[tuple[int | None, str, str]] = []
    for seat in range(2):
        colour = seat ^ int(s.swapped)
        left = int(s.side) ** 2 // 2 - (int(s.placed) + (colour == WHITE)) // 2
        shown += [(seat, "colour", COLOURS[colour]), (seat, "marked men", str(view.scores[seat]))]
        shown.append((seat, "men left", str(left)))
    if s.last >= 0:
        shown.append((None, "symmetry right", f"White may replace {format_cell(int(s.last), int(s.side))}"))
    elif s.right == rules.SPENT:
        shown.append((None, "symmetry right", "used"))
    return tuple(shown)


def draw_text(view: ViewLike) -> str:
    """Draw the board as lines: `w` and `b` are men, `W` and `B` marked men, `.` free cells; then points and turn."""
    board = _read_board(view)
    size, half = board.size, board.size // 2
    shift = get_row_shift(size)
    lines = []
    for row in reversed(range(size)):
        signs = [_get_sign(board, (row << shift) + column) for column in range(size)]
        lines.append(f"{row + 1:2}  {' '.join(signs[:half])} | {' '.join(signs[half:])}")
        if row == half:
            lines.append(f"    {'-' * (2 * half)}+{'-' * (2 * half)}")
    lines.append(f"    {' '.join(COLUMNS[:half])}   {' '.join(COLUMNS[half:size])}")
    swapped = int(view.record.swapped)
    counts = (f"{COLOURS[seat ^ swapped]} (seat {seat}) {view.scores[seat]}" for seat in (swapped, 1 - swapped))
    lines.append(f"Marked men: {', '.join(counts)}." + ("" if board.turn < 0 else f" {COLOURS[board.turn]} to move."))
    return "\n".join(lines)


def _get_sign(board: _Board, cell: int) -> str:
    """Return the character for a cell: `w`, `b`, `W` or `B` (marked), or `.` if it is free."""
    for colour in (WHITE, BLACK):
        if board.men[colour] >> cell & 1:
            sign = "wb"[colour]
            return sign.upper() if board.marks[colour] >> cell & 1 else sign
    return "."
