"""Pictures of Squarin' Off: the board and the tray of blockers, and the board as text."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from fourcorners.core.scene import Element, Part, Scene
from fourcorners.games.squarin_off.notation import free_edges
from fourcorners.games.squarin_off.options import COLUMNS, dot_name, seat_names
from fourcorners.games.squarin_off.rules import BLOCKED, OWNER_SHIFT, SIDES
from fourcorners.games.squarin_off.style import STYLE

if TYPE_CHECKING:
    from fourcorners.core.reading import View

__all__ = ["STYLE", "facts", "scene", "text"]

UNIT, MARGIN = 60, 46
_LETTERS = "ABCD"
_PLACES = {"left": -9, "mid": 0, "right": 9}
# Where the pips of a value lie, as on dice.
_PIPS = {
    1: ((0, 0),),
    2: ((-6, 0), (6, 0)),
    3: ((0, -6), (-6, 5), (6, 5)),
    4: ((-6, -6), (6, -6), (-6, 6), (6, 6)),
    5: ((-7, -7), (7, -7), (0, 0), (-7, 7), (7, 7)),
    6: ((-6, -9), (6, -9), (-6, 0), (6, 0), (-6, 9), (6, 9)),
    7: ((-6, -9), (6, -9), (-10, 0), (0, 0), (10, 0), (-6, 9), (6, 9)),
    8: ((-6, -9), (6, -9), (-10, 0), (0, 0), (10, 0), (-9, 9), (0, 9), (9, 9)),
    9: ((-9, -9), (0, -9), (9, -9), (-9, 0), (0, 0), (9, 0), (-9, 9), (0, 9), (9, 9)),
}


class _Edges(NamedTuple):
    """The edges of a board by their numbers: names, and how each looks free and drawn."""

    names: tuple[str, ...]
    free: tuple[Element, ...]
    drawn: tuple[Element, ...]


def scene(view: View) -> Scene:
    """Draw the board, and below it the blockers of the seat to move."""
    s, options = view.record, view.game.options
    cols, rows = int(s.cols), int(s.rows)
    edges = _edges(cols, rows)
    last = view.history[-1].split(" ") if view.history else []
    last_edge = last[-1] if last else ""
    left = free_edges(s)
    lines = []
    for number, name in enumerate(edges.names):
        if left >> number & 1:
            lines.append(edges.free[number])
        elif name == last_edge:
            lines.append(edges.drawn[number]._replace(classes="so-e last new"))
        else:
            lines.append(edges.drawn[number])
    new = _boxes_beside(last_edge)
    with_blockers = any(options.blockers)
    owners = tuple(seat_names(options))
    values, bytes_ = s.value.tolist(), s.box.tolist()
    boxes = []
    for row in range(rows):
        for x in range(cols):
            number = (row + 1) * (cols + 1) + x + 1
            byte = bytes_[number]
            fresh = (x, row) in new and (byte & SIDES == 4 or byte & BLOCKED != 0)
            if byte & BLOCKED and fresh:
                fresh = last[0] == f"#{dot_name(x, row)}"
            boxes.append(
                _box(x, rows - row, row, values[number], byte & 0xEF, owners[: int(s.purses) + 1], with_blockers, fresh)
            )
    width, height = cols * UNIT + 2 * MARGIN, rows * UNIT + 2 * MARGIN
    label = f"board of {cols} by {rows} boxes, {int(s.left)} edges free"
    board = Part((0, 0, width, height), (*_ground(cols, rows), *boxes, *lines), label)
    return Scene(board, _tray(view, width) if with_blockers else None)


@lru_cache(maxsize=64)
def _ground(cols: int, rows: int) -> tuple[Element, ...]:
    width, height = cols * UNIT, rows * UNIT
    outer = f'width="{width + 2 * MARGIN - 2}" height="{height + 2 * MARGIN - 2}" rx="18"'
    field = f'x="{MARGIN - 17}" y="{MARGIN - 17}" width="{width + 34}" height="{height + 34}" rx="9"'
    frame = (
        f'<rect class="so-board" x="1" y="1" {outer}/><rect class="so-relief" x="1" y="1" {outer}/>'
        f'<rect class="so-field" {field}/>'
        f'<g transform="translate({MARGIN} {MARGIN})">'
        f'<rect x="-7" y="-7" width="{width + 14}" height="{height + 14}" fill="url(#so-grid)"/></g>'
    )
    below = "".join(
        f'<text x="{MARGIN + x * UNIT}" y="{height + 2 * MARGIN - 9}">{COLUMNS[x]}</text>' for x in range(cols + 1)
    )
    beside = "".join(f'<text x="15" y="{MARGIN + (rows - y) * UNIT + 6}">{y + 1}</text>' for y in range(rows + 1))
    return Element("so-ground", frame), Element("so-names", below + beside, "so-names")


@lru_cache(maxsize=64)
def _edges(cols: int, rows: int) -> _Edges:
    names, free, drawn = [], [], []
    across = [(x, y, x + 1, y, "h") for y in range(rows + 1) for x in range(cols)]
    upright = [(x, y, x, y + 1, "u") for y in range(rows) for x in range(cols + 1)]
    for x, y, x2, y2, kind in across + upright:
        one, two = dot_name(x, y), dot_name(x2, y2)
        top = MARGIN + (rows - max(y, y2)) * UNIT
        markup = f'<use href="#so-{kind}" x="{MARGIN + x * UNIT}" y="{top}"/>'
        element = Element(f"so-{one}{two}", markup, "so-e so-f", one + two, f"edge from {one} to {two}, free", "pick")
        names.append(one + two)
        free.append(element)
        drawn.append(element._replace(classes="so-e", label=f"edge from {one} to {two}, drawn"))
    return _Edges(tuple(names), tuple(free), tuple(drawn))


@lru_cache(maxsize=16384)
def _box(
    x: int, up: int, row: int, value: int, byte: int, owners: tuple[str, ...], with_blockers: bool, fresh: bool
) -> Element:
    """Draw a box; `up` counts rows from the top of the board to the box's lower edge."""
    name = dot_name(x, row)
    left, top = MARGIN + x * UNIT, MARGIN + (up - 1) * UNIT
    at = f'x="{left}" y="{top}"'
    markup = f'<use href="#so-t" {at}/>'
    worth = f"{value} point" if value == 1 else f"{value} points"
    classes = f"so-b so-v{min(value, 4)}"
    owner = (byte >> OWNER_SHIFT) - 1
    if byte & BLOCKED:
        markup += f'<use class="so-k" href="#so-k" {at}/>'
        state = "blocked"
    elif owner >= 0:
        markup += f'<use class="so-c" href="#so-c" {at}/>' + _pips(left, top, value, owner)
        classes += f" so-o{owner}"
        state = owners[owner]
    else:
        markup += _pips(left, top, value, 0)
        state = f"{byte & SIDES} edges drawn"
    label = f"box {name}, {worth}, {state}"
    if fresh:
        classes += " last new"
    if with_blockers:
        return Element(f"so-b{name}", markup, classes, f"#{name}", label, "drop")
    return Element(f"so-b{name}", markup, classes, "", label if owner >= 0 else "")


def _pips(left: int, top: int, value: int, sign: int) -> str:
    pips = "".join(
        f'<use href="#so-s{sign}" x="{left + 30 + dx}" y="{top + 30 + dy}"/>' for dx, dy in _PIPS.get(value, ())
    )
    return f'<g class="so-p">{pips}</g>' if pips else ""


def _boxes_beside(edge: str) -> tuple[tuple[int, int], ...]:
    """Return column and row of the boxes that an edge may have on its sides."""
    if not edge:
        return ()
    cut = next(i for i in range(1, len(edge)) if edge[i] in COLUMNS)
    x, y = COLUMNS.index(edge[0]), int(edge[1:cut]) - 1
    return ((x, y), (x - 1, y)) if edge[cut] == edge[0] else ((x, y), (x, y - 1))


def _tray(view: View, width: int) -> Part:
    s, options = view.record, view.game.options
    seat = view.seat
    if seat is None:
        return Part((0, 0, max(width, 200), 64), (), "no blockers are needed any more")
    count, most = int(s.blockers[seat]), options.blockers[seat]
    colour = seat_names(options)[seat]
    step = 52
    length = step * max(most, 1) + 76
    width = max(width, length)
    start = (width - length) / 2
    shelf = f'<rect class="so-shelf" x="{start + 1:g}" y="2" width="{length - 2}" height="60" rx="14"/>'
    chip = f'<use class="so-c" href="#so-c" x="{start + 6:g}" y="2"/><g class="so-p"><use href="#so-s{seat & int(s.purses)}" x="{start + 36:g}" y="32"/></g>'
    hollows = "".join(
        f'<rect class="so-gone" x="{start + 73 + step * i:g}" y="15" width="34" height="34" rx="6"/>'
        for i in range(count, most)
    )
    blocks = "".join(f'<use class="so-k" href="#so-k" x="{start + 60 + step * i:g}" y="2"/>' for i in range(count))
    hit = f'<rect class="hit" x="{start + 64:g}" y="2" width="{step * max(most, 1)}" height="60"/>'
    label = f"blocker, {count} left"
    return Part(
        (0, 0, width, 64),
        (
            Element("so-shelf", shelf + hollows),
            Element("so-owner", chip, f"so-o{seat & int(s.purses)}"),
            Element("so-hand", hit + blocks, "so-hand", "#", label, "carry"),
        ),
        f"blockers of {colour}",
    )


def text(view: View) -> str:
    """Draw the board as lines of text, with the seats and their signs below."""
    s, options = view.record, view.game.options
    cols, rows = int(s.cols), int(s.rows)
    free, values, bytes_ = free_edges(s), s.value.tolist(), s.box.tolist()
    plain = set("".join(options.values)) == {"1"}
    lines = []
    for y in range(rows, -1, -1):
        dashes = ("   " if free >> (y * cols + x) & 1 else "---" for x in range(cols))
        lines.append(f"{y + 1:2} +" + "".join(dash + "+" for dash in dashes))
        if y:
            first = int(s.horizontals) + (y - 1) * (cols + 1)
            line = "   "
            for x in range(cols + 1):
                line += " " if free >> (first + x) & 1 else "|"
                if x < cols:
                    number = y * (cols + 1) + x + 1
                    line += _cell(bytes_[number], values[number], plain)
            lines.append(line.rstrip())
    lines.append("   " + "   ".join(COLUMNS[: cols + 1]))
    names = seat_names(options)
    for seat, points in enumerate(view.scores):
        move = "  to move" if seat == view.seat else ""
        blockers = f", blockers {s.blockers[seat]}" if any(options.blockers) else ""
        lines.append(f"{_LETTERS[seat & int(s.purses)]} {names[seat]}: {points}{blockers}{move}")
    return "\n".join(lines)


def _cell(byte: int, value: int, plain: bool) -> str:
    if byte & BLOCKED:
        return "###"
    owner = (byte >> OWNER_SHIFT) - 1
    if plain:
        return f" {_LETTERS[owner]} " if owner >= 0 else "   "
    return f"{_LETTERS[owner]} {value}" if owner >= 0 else f" {value} "


def facts(view: View) -> tuple[tuple[int | None, str, str], ...]:
    """List the blockers of every seat and the edges that are left."""
    s, options = view.record, view.game.options
    found: list[tuple[int | None, str, str]] = []
    if any(options.blockers):
        found = [
            (seat, "blockers left", str(count)) for seat, count in enumerate(s.blockers.tolist()[: view.game.seats])
        ]
    return (*found, (None, "free edges", str(int(s.left))))
