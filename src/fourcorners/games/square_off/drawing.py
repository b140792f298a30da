"""Pictures of Square Off: a quartered board, men, and crowns on the marked ones."""

from __future__ import annotations

import functools
from math import hypot
from typing import TYPE_CHECKING, NamedTuple

from fourcorners.core.scene import Element, Part, Scene
from fourcorners.games.square_off import rules, squares
from fourcorners.games.square_off.options import BLACK, COLOURS, COLUMNS, WHITE, cell_name, cells, shift_of
from fourcorners.games.square_off.style import STYLE

if TYPE_CHECKING:
    from fourcorners.core.position import View

__all__ = ["STYLE", "facts", "scene", "text"]

_CELL, _GAP, _MARGIN, _LIP = 60, 12, 34, 5
_MIRRORS = (
    (squares.LEFT_RIGHT, "lr", "left to right"),
    (squares.TOP_BOTTOM, "tb", "top to bottom"),
    (squares.HALF_TURN, "ht", "by half a turn"),
)


class _Look(NamedTuple):
    """What the pictures need of a position, as plain numbers; boards of men are one integer each."""

    size: int
    men: tuple[int, int]
    marks: tuple[int, int]
    last: int
    turn: int
    moved: tuple[int, ...]
    completed: tuple[tuple[int, int, int], ...]


def _look(view: View) -> _Look:
    s = view.record
    size = int(s.side)
    white, black = (sum(word << 64 * i for i, word in enumerate(words)) for words in s.men.tolist())
    white_marks, black_marks = (sum(word << 64 * i for i, word in enumerate(words)) for words in s.marks.tolist())
    last_move = view.history[-1] if view.history else "swap"
    moved = () if last_move == "swap" else tuple(_cell(word, size) for word in last_move.split(" "))
    men = (white, black)
    completed = tuple(square for cell in moved for square in _squares(size, men, cell))
    turn = -1 if view.is_over else int(s.placed) & 1
    return _Look(size, men, (white_marks, black_marks), int(s.last), turn, moved, completed)


def _cell(name: str, size: int) -> int:
    return ((int(name[1:]) - 1) << shift_of(size)) + COLUMNS.index(name[0])


def _squares(size: int, men: tuple[int, int], cell: int) -> list[tuple[int, int, int]]:
    """Return the complete squares with a corner on a cell: colour, lower-left cell, side."""
    shift, half = shift_of(size), size // 2
    row, column = cell >> shift, cell & ((1 << shift) - 1)
    colour = WHITE if men[WHITE] >> cell & 1 else BLACK
    found = []
    for other in range(size):
        side = abs(other - row)
        for across in (column - side, column + side):
            same_half = (other < half) == (row < half)
            if not side or not 0 <= across < size or ((across < half) == (column < half)) != same_half:
                continue
            corners = [(y << shift) + x for y in (row, other) for x in (column, across)]
            if all(men[colour] >> corner & 1 for corner in corners):
                found.append((colour, min(corners), side))
    return found


def scene(view: View) -> Scene:
    """Draw the board."""
    look = _look(view)
    size = look.size
    end = _start(size, size)
    elements = [*_board(size), Element("so-turn", "", f"so-turn {_turn_class(look)}".rstrip())]
    for colour, corner, side in look.completed:
        name = f"so-sq-{cell_name(corner, size)}-{side}"
        elements.append(Element(name, _square(size, corner, side), f"so-sq {'wb'[colour]} new"))
    elements.extend(_cell_element(look, cell) for cell in cells(size))
    elements.append(_mirror(view, look))
    if len(look.moved) > 1:
        elements.append(_carried(size, *look.moved))
    label = f"Square Off board, {size} by {size} cells in four quarters"
    return Scene(Part((0, 0, end + _MARGIN, end + _MARGIN), tuple(elements), label))


def _turn_class(look: _Look) -> str:
    return "" if look.turn < 0 else "wb"[look.turn]


def _cell_element(look: _Look, cell: int) -> Element:
    name, markup = _cell_parts(look.size, cell)
    classes, label = "so-cell", f"cell {name}, free"
    for colour in (WHITE, BLACK):
        if look.men[colour] >> cell & 1:
            classes += " " + "wb"[colour]
            label = f"cell {name}, {COLOURS[colour].lower()} man"
    if (look.marks[WHITE] | look.marks[BLACK]) >> cell & 1:
        classes += " m"
        label += ", marked"
    if cell == look.last:
        classes += " right"
        label += ", White may replace him"
    if cell in look.moved:
        classes += " last new"
        label += ", last move"
    return Element(f"so-{name}", markup, classes, name, label, "pick")


def _start(size: int, index: int) -> int:
    """Return where the column begins, or the row counted from the top; the index `size` is the end of the board."""
    return _MARGIN + _CELL * index + _GAP * (index >= size // 2)


def _corner(size: int, cell: int) -> tuple[int, int]:
    """Return the upper left corner of a cell in the picture."""
    shift = shift_of(size)
    return _start(size, cell & ((1 << shift) - 1)), _start(size, size - 1 - (cell >> shift))


@functools.lru_cache(maxsize=1024)
def _cell_parts(size: int, cell: int) -> tuple[str, str]:
    x, y = _corner(size, cell)
    half = _CELL // 2
    hit = f'<rect class="hit" x="{x}" y="{y}" width="{_CELL}" height="{_CELL}" rx="4"/>'
    return cell_name(cell, size), f'{hit}<use href="#so-man" x="{x + half}" y="{y + half}"/>'


def _square(size: int, corner: int, side: int) -> str:
    """Draw a complete square through the centres of its men."""
    left, bottom = _corner(size, corner)
    right, top = _corner(size, corner + (side << shift_of(size)) + side)
    half = _CELL // 2
    left, right, top, bottom = left + half, right + half, top + half, bottom + half
    points = f"{left},{bottom} {right},{bottom} {right},{top} {left},{top}"
    return f'<polygon class="so-under" pathLength="1" points="{points}"/><polygon pathLength="1" points="{points}"/>'


def _carried(size: int, start: int, end: int) -> Element:
    """Show the way of the black man whom a white one replaced."""
    (x1, y1), (x2, y2) = _corner(size, start), _corner(size, end)
    half, length = _CELL // 2, max(hypot(x2 - x1, y2 - y1), 1)
    # From the rim of one cell to the rim of the man on the other, as a gentle arc.
    dx, dy = (x2 - x1) / length, (y2 - y1) / length
    x1, y1, x2, y2 = x1 + half, y1 + half, x2 + half, y2 + half
    bend = length / 6
    middle = f"{(x1 + x2) / 2 - dy * bend:.0f} {(y1 + y2) / 2 + dx * bend:.0f}"
    way = f"M{x1 + dx * half:.0f} {y1 + dy * half:.0f}Q{middle} {x2 - dx * half:.0f} {y2 - dy * half:.0f}"
    label = f"the black man of {cell_name(start, size)} went to {cell_name(end, size)}"
    return Element("so-carried", f'<path d="{way}"/>', "so-carried new", label=label)


def _mirror(view: View, look: _Look) -> Element:
    """Show how the men mirror each other while White may use that."""
    kinds = squares.symmetries(view.record) if look.last >= 0 else 0
    classes = " ".join(["so-mirror", *(name for kind, name, _ in _MIRRORS if kinds & kind)])
    how = " and ".join(words for kind, _, words in _MIRRORS if kinds & kind)
    label = f"the men mirror each other {how}: White may replace Black's last man" if kinds else ""
    return Element("so-mirror", _mirror_markup(look.size), classes, label=label)


@functools.lru_cache(maxsize=16)
def _mirror_markup(size: int) -> str:
    end = _start(size, size)
    middle = (_MARGIN + end) // 2
    low, high = _MARGIN + 6, end - 6
    return (
        f'<path class="lr" d="M{middle} {low}V{high}"/><path class="tb" d="M{low} {middle}H{high}"/>'
        f'<g class="ht"><circle cx="{middle}" cy="{middle}" r="23"/>'
        f'<path d="M{middle - 13} {middle - 4}a14 14 0 0 1 26-2m-1-8 2 9-9 1'
        f'M{middle + 13} {middle + 4}a14 14 0 0 1-26 2m1 8-2-9 9-1"/></g>'
    )


@functools.lru_cache(maxsize=16)
def _board(size: int) -> tuple[Element, ...]:
    """Draw what never changes: frame, quarters, coordinates."""
    end = _start(size, size)
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
    near, far = _start(size, 0), _start(size, half)
    # The grain of each quarter runs across that of its neighbours, as in quartered veneer.
    quarters = "".join(
        _quarter(x, y, quarter, turned=(x == near) == (y == near)) for y in (near, far) for x in (near, far)
    )
    parts = [Element("so-frame", frame + brass), Element("so-quarters", quarters), _coordinates(size)]
    return tuple(parts)


def _quarter(x: int, y: int, quarter: int, *, turned: bool) -> str:
    count = quarter // _CELL
    dark = "".join(
        f"M{x + _CELL * i} {y + _CELL * j}h{_CELL}v{_CELL}h-{_CELL}z"
        for j in range(count)
        for i in range(count)
        if (i + j + count) % 2
    )
    lines = "".join(f"M{x} {y + _CELL * i}h{quarter}M{x + _CELL * i} {y}v{quarter}" for i in range(1, count))
    scale = f"scale({quarter / 240:g})"
    place = f"translate({x} {y}) {scale}" if not turned else f"translate({x + quarter} {y}) rotate(90) {scale}"
    return (
        f'<rect class="so-veneer" x="{x}" y="{y}" width="{quarter}" height="{quarter}" rx="2"/>'
        f'<path class="so-check" d="{dark}"/><use href="#so-grain" transform="{place}"/>'
        f'<path class="so-lines" d="{lines}"/>'
    )


def _coordinates(size: int) -> Element:
    end = _start(size, size)
    half = _CELL // 2
    columns = "".join(
        f'<text x="{_start(size, i) + half}" y="{end + _MARGIN - 11}">{COLUMNS[i]}</text>' for i in range(size)
    )
    rows = "".join(f'<text x="16" y="{_start(size, size - 1 - i) + half + 5}">{i + 1}</text>' for i in range(size))
    return Element("so-coordinates", columns + rows, "so-text")


def facts(view: View) -> tuple[tuple[int | None, str, str], ...]:
    """List colour, marked men and men left of each seat."""
    s = view.record
    each = int(s.side) ** 2 // 2
    placed = int(s.placed)
    shown: list[tuple[int | None, str, str]] = []
    for seat in range(2):
        colour = seat ^ int(s.swapped)
        men = (placed + 1) // 2 if colour == WHITE else placed // 2
        shown.append((seat, "colour", COLOURS[colour]))
        shown.append((seat, "marked men", str(view.scores[seat])))
        shown.append((seat, "men left", str(each - men)))
    if s.last >= 0:
        shown.append((None, "symmetry right", f"White may replace {cell_name(int(s.last), int(s.side))}"))
    elif s.right == rules.SPENT:
        shown.append((None, "symmetry right", "used"))
    return tuple(shown)


def text(view: View) -> str:
    """Draw the board as text: `w` and `b` are men, `W` and `B` marked ones."""
    look = _look(view)
    size, half = look.size, look.size // 2
    shift = shift_of(size)
    lines = []
    for row in reversed(range(size)):
        signs = [_sign(look, (row << shift) + column) for column in range(size)]
        lines.append(f"{row + 1:2}  {' '.join(signs[:half])} | {' '.join(signs[half:])}")
        if row == half:
            lines.append(f"    {'-' * (2 * half)}+{'-' * (2 * half)}")
    lines.append(f"    {' '.join(COLUMNS[:half])}   {' '.join(COLUMNS[half:size])}")
    swapped = int(view.record.swapped)
    counts = ", ".join(
        f"{COLOURS[seat ^ swapped]} (seat {seat}) {view.scores[seat]}" for seat in (swapped, 1 - swapped)
    )
    lines.append(f"Marked men: {counts}." + ("" if look.turn < 0 else f" {COLOURS[look.turn]} to move."))
    return "\n".join(lines)


def _sign(look: _Look, cell: int) -> str:
    for colour in (WHITE, BLACK):
        if look.men[colour] >> cell & 1:
            sign = "wb"[colour]
            return sign.upper() if look.marks[colour] >> cell & 1 else sign
    return "."
