"""Pictures of Squarin' Off: the board and the tray of blockers, and the board as text."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple, cast

import numpy as np

from fourcorners.core.scene import Element, Overlay, Part, Scene
from fourcorners.games.squarin_off.notation import format_box, pack_free_edges
from fourcorners.games.squarin_off.options import COLUMNS, SquarinOffOptions, format_dot, list_seat_names
from fourcorners.games.squarin_off.rules import (
    BLOCKED,
    BOTTOM,
    BOX_SLOTS,
    LEFT,
    NEAR,
    OWNER_SHIFT,
    RIGHT,
    SIDES,
    TOP,
    get_edge,
    is_free,
)
from fourcorners.games.squarin_off.strategy import chains
from fourcorners.games.squarin_off.style import STYLE

if TYPE_CHECKING:
    from fourcorners.core.dispatch import State
    from fourcorners.core.position import View

__all__ = ["STYLE", "draw_overlay", "draw_scene", "draw_text", "list_facts"]

UNIT, MARGIN = 60, 46
_TRAY, _THICK = 80, 3
# The outline of a chain: how far inside its boxes, and how round. A chain of three boxes is worth fighting for.
_INSET, _ROUND, _LONG = 11, 8, 3
# The corners of a box clockwise: the side before, the side after, and in which direction it lies.
_CORNERS = ((LEFT, TOP, -1, -1), (TOP, RIGHT, 1, -1), (RIGHT, BOTTOM, 1, 1), (BOTTOM, LEFT, -1, 1))
_LETTERS = "ABCD"
# Where the pips of the smaller values lie, as on dice; greater ones are printed as digits.
_PIPS = {1: ((0, 0),), 2: ((-6.5, 0), (6.5, 0)), 3: ((0, -6), (-6.5, 5), (6.5, 5))}


class _Edges(NamedTuple):
    """The edges of a board by their numbers: names, and how each looks free and drawn."""

    names: tuple[str, ...]
    free: tuple[Element, ...]
    drawn: tuple[Element, ...]


class _BoardStyle(NamedTuple):
    """What the boxes of a game have in common."""

    owners: tuple[str, ...]  # the colours by party
    with_blockers: bool
    plain: bool  # all boxes count 1, so that nothing is printed on them

    @classmethod
    def of(cls, options: SquarinOffOptions) -> _BoardStyle:
        return cls(list_seat_names(options), any(options.blockers), set("".join(options.values)) == {"1"})


def draw_scene(view: View) -> Scene:
    """Draw the board, and below it the blockers of the seat to move."""
    s = view.record
    cols, rows = int(s.cols), int(s.rows)
    common = _BoardStyle.of(_get_options(view))
    edges = _draw_edges(cols, rows)
    move = view.history[-1].split(" ") if view.history else [""]
    left = pack_free_edges(s)
    sticks = [edges.free[n] if left >> n & 1 else edges.drawn[n] for n in range(len(edges.names))]
    if move[-1]:
        number = edges.names.index(move[-1])
        sticks[number] = edges.drawn[number]._replace(classes="so-e last new")
    changed = _parse_boxes_beside(move[-1])
    values, sides = s.value.tolist(), s.box.tolist()
    boxes = []
    for row in range(rows):
        first = (row + 1) * (cols + 1) + 1
        for x in range(cols):
            byte, top = sides[first + x] & ~NEAR, MARGIN + (rows - 1 - row) * UNIT
            fresh = (x, row) in changed and (
                byte >> OWNER_SHIFT > 0 or (byte & BLOCKED > 0 and move[0] == f"#{format_dot(x, row)}")
            )
            boxes.append(_draw_box(x, row, top, values[first + x], byte, common, fresh))
    width, height = cols * UNIT + 2 * MARGIN, rows * UNIT + 2 * MARGIN
    label = f"board of {cols} by {rows} boxes, {int(s.edges_left)} edges free"
    board = Part((0, 0, width, height), (*_draw_ground(cols, rows), *boxes, *sticks), label)
    return Scene(board, _draw_tray(view, width) if common.with_blockers else None)


def _get_options(view: View) -> SquarinOffOptions:
    return cast("SquarinOffOptions", view.game.options)


@lru_cache(maxsize=64)
def _draw_ground(cols: int, rows: int) -> tuple[Element, ...]:
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
def _draw_edges(cols: int, rows: int) -> _Edges:
    names, free, drawn = [], [], []
    across = [(x, y, x + 1, y, "h") for y in range(rows + 1) for x in range(cols)]
    upright = [(x, y, x, y + 1, "u") for y in range(rows) for x in range(cols + 1)]
    for x, y, x2, y2, kind in across + upright:
        one, two = format_dot(x, y), format_dot(x2, y2)
        top = MARGIN + (rows - max(y, y2)) * UNIT
        markup = f'<use href="#so-{kind}" x="{MARGIN + x * UNIT}" y="{top}"/>'
        element = Element(f"so-{one}{two}", markup, "so-e so-f", one + two, f"edge from {one} to {two}, free", "pick")
        names.append(one + two)
        free.append(element)
        drawn.append(element._replace(classes="so-e", label=f"edge from {one} to {two}, drawn"))
    return _Edges(tuple(names), tuple(free), tuple(drawn))


@lru_cache(maxsize=16384)
def _draw_box(x: int, row: int, top: int, value: int, byte: int, common: _BoardStyle, fresh: bool) -> Element:  # noqa: FBT001
    name = format_dot(x, row)
    left = MARGIN + x * UNIT
    at = f'x="{left}" y="{top}"'
    markup = f'<use href="#so-t" {at}/>'
    classes = f"so-b so-v{min(value, 4)}"
    owner = (byte >> OWNER_SHIFT) - 1
    if byte & BLOCKED:
        markup += f'<use class="so-k" href="#so-k" {at}/>'
        state = "blocked"
    elif owner >= 0:
        colour = common.owners[owner]
        markup += f'<use class="so-c" href="#so-c" {at}/>' + _draw_pips(left + 30, top + 30, value, owner)
        classes += f" so-o{owner} so-{colour.lower()}"
        state = colour
    else:
        if not common.plain:
            markup += _draw_pips(left + 30, top + 30, value, 0)
        if common.with_blockers:
            # Shown while a blocker is being put here.
            markup += f'<use class="so-k so-w" href="#so-k" {at}/>'
        state = "1 edge drawn" if byte & SIDES == 1 else f"{byte & SIDES} edges drawn"
    label = f"box {name}, {value} point{'' if value == 1 else 's'}, {state}"
    if fresh:
        classes += " last new"
    if common.with_blockers:
        return Element(f"so-b{name}", markup, classes, f"#{name}", label, "drop")
    return Element(f"so-b{name}", markup, classes, "", label if owner >= 0 else "")


def _draw_pips(x: float, y: float, value: int, sign: int) -> str:
    """Print a value around a point, in the sign of a seat."""
    if value > 3:
        return f'<g class="so-p"><text x="{x:g}" y="{y + 8.5:g}">{value}</text></g>'
    pips = [f'<use href="#so-s{sign}" x="{x + dx:g}" y="{y + dy:g}"/>' for dx, dy in _PIPS.get(value, ())]
    return f'<g class="so-p">{"".join(pips)}</g>' if pips else ""


def _parse_boxes_beside(edge: str) -> tuple[tuple[int, int], ...]:
    """Return column and row of the boxes that an edge may have on its sides."""
    if not edge:
        return ()
    cut = next(i for i in range(1, len(edge)) if edge[i] in COLUMNS)
    x, y = COLUMNS.index(edge[0]), int(edge[1:cut]) - 1
    return ((x, y), (x - 1, y)) if edge[cut] == edge[0] else ((x, y), (x, y - 1))


def _draw_tray(view: View, board_width: int) -> Part:
    """Draw the pile of blockers of the seat to move, with its chip; the topmost is carried from here."""
    s, options = view.record, _get_options(view)
    seat = view.seat
    if seat is None:
        return Part((0, 0, board_width, _TRAY), (), "the blockers have been put away")
    count, party = int(s.blockers[seat]), seat & int(s.party_mask)
    colour = list_seat_names(options)[seat]
    width = max(board_width, 232)
    left = width / 2 - 104
    shelf = f'<rect class="so-shelf" x="{left:g}" y="2" width="208" height="{_TRAY - 4}" rx="14"/>'
    shelf += f'<rect class="so-gone" x="{left + 81:g}" y="27" width="42" height="42" rx="8"/>'
    chip = f'<use class="so-c" href="#so-c" x="{left + 10:g}" y="9"/>' + _draw_pips(left + 40, 39, 1, party)
    pile = "".join(f'<use href="#so-l" x="{left + 72:g}" y="{18 - _THICK * i}"/>' for i in range(count - 1))
    top = 18 - _THICK * max(count - 1, 0)
    block = f'<rect class="hit" x="{left + 72:g}" y="{top}" width="60" height="60"/>'
    block += f'<use class="so-k" href="#so-k" x="{left + 72:g}" y="{top}"/>' if count else ""
    elements = (
        Element("so-shelf", shelf),
        Element("so-owner", chip, f"so-o{party} so-{colour.lower()}"),
        Element("so-pile", pile, "so-k"),
        Element("so-hand", block, "so-hand", "#", f"blocker, {count} left", "carry"),
        Element("so-count", f'<text x="{left + 168:g}" y="49">× {count}</text>', "so-count"),
    )
    return Part((0, 0, width, _TRAY), elements, f"blockers of {colour}")


def draw_overlay(view: View) -> Overlay:
    """Outline the chains and loops, each with its length, and with its points where boxes differ."""
    s, plain = view.record, _BoardStyle.of(_get_options(view)).plain
    run_of, order = np.zeros(BOX_SLOTS, np.int64), np.zeros(BOX_SLOTS, np.int64)
    runs = np.zeros((BOX_SLOTS, chains.COLUMNS), np.int64)
    count = chains.find_chains(s, run_of, order, runs)
    elements = []
    for run in runs[:count].tolist():
        boxes = order[run[chains.START] :][: run[chains.LENGTH]].tolist()
        elements.append(_draw_chain(view, run, boxes, plain=plain))
    return Overlay("Chains", tuple(elements))


def _draw_chain(view: View, run: list[int], boxes: list[int], *, plain: bool) -> Element:
    s = view.record
    length, points, loop = run[chains.LENGTH], run[chains.POINTS], run[chains.IS_LOOP]
    outline = _draw_outline({box: (*_get_corner(view, box), _find_inner_sides(s, box, boxes)) for box in boxes})
    classes = "overlay so-run"
    if length >= _LONG:
        classes += " so-long"
    if run[chains.JUNCTION_ENDS]:
        classes += " so-joined"
    # The number stands in the middle, beside what is printed there.
    left, top = _get_corner(view, boxes[(length - 1) // 2])
    x, y = (left + 30, top + 30) if plain else (left + 43, top + 43)
    number = str(length) if plain or length == 1 else f"{length}·{points}"
    half = 9 + 4 * (len(number) - 1) + (6 if loop else 0)
    badge = f'<rect x="{x - half}" y="{y - 10}" width="{2 * half}" height="20" rx="10"/>'
    if loop:
        badge += f'<circle cx="{x - half + 9}" cy="{y}" r="3.6"/>'
    badge += f'<text x="{x + (5 if loop else 0)}" y="{y + 5.5}">{number}</text>'
    what = "loop" if loop else "chain"
    label = f"{what} of {length} box{'' if length == 1 else 'es'}"
    if not plain:
        label += f" worth {points}"
    if run[chains.JUNCTION_ENDS]:
        label += ", joined to others"
    names = [format_box(s, box) for box in boxes]
    path = f'<path d="{outline}"/>'
    return Element(f"so-r{min(names)}", f"{path}<g>{badge}</g>", classes, "", f"{label}: {' '.join(names)}")


def _get_corner(view: View, box: int) -> tuple[int, int]:
    """Return where on the picture the upper left corner of a box is."""
    row, column = divmod(box - 1, int(view.record.cols) + 1)
    return MARGIN + column * UNIT, MARGIN + (int(view.record.rows) - row) * UNIT


def _find_inner_sides(s: State, box: int, boxes: list[int]) -> frozenset[int]:
    """Return the sides by which a box goes over into others of its run."""
    free = (side for side in range(4) if is_free(s, get_edge(s, box, side)))
    return frozenset(side for side in free if chains.find_open_neighbour(s, box, side) in boxes)


def _draw_outline(cells: dict[int, tuple[int, int, frozenset[int]]]) -> str:
    """Return the closed path around cells, given by their upper left corners and the sides that lead on."""
    ways: dict[tuple[int, int], tuple[str, tuple[int, int]]] = {}
    for left, top, ways_on in cells.values():
        turns = [_trace_corner(left, top, corner, ways_on) for corner in _CORNERS]
        for number, (start, way, end) in enumerate(turns):
            ways[start] = (way, end)
            if _CORNERS[number][1] not in ways_on:
                following = turns[(number + 1) % 4][0]
                ways[end] = ("L", following)
    parts = []
    while ways:
        start = at = next(iter(ways))
        path = f"M{at[0]} {at[1]}"
        while at in ways:
            way, at = ways.pop(at)
            path += f"{way}{at[0]} {at[1]}"
        parts.append(path + ("Z" if at == start else ""))
    return "".join(parts)


def _trace_corner(
    left: int, top: int, corner: tuple[int, int, int, int], ways_on: frozenset[int]
) -> tuple[tuple[int, int], str, tuple[int, int]]:
    """Return the way around one corner of a cell: where it begins, how it goes, where it ends."""
    before, after, dx, dy = corner
    half = UNIT // 2
    x, y = left + half + dx * (half - _INSET), top + half + dy * (half - _INSET)

    def end(side: int) -> tuple[int, int]:
        if side in {TOP, BOTTOM}:
            return (x, top + half + dy * half) if side in ways_on else (x - dx * _ROUND, y)
        return (left + half + dx * half, y) if side in ways_on else (x, y - dy * _ROUND)

    straight = (before in ways_on) != (after in ways_on)
    return end(before), "L" if straight else f"Q{x} {y} ", end(after)


def draw_text(view: View) -> str:
    """Draw the board as lines of text, with the seats and their signs below."""
    s, options = view.record, _get_options(view)
    cols, rows = int(s.cols), int(s.rows)
    free, values, bytes_ = pack_free_edges(s), s.value.tolist(), s.box.tolist()
    common = _BoardStyle.of(options)
    lines = []
    for y in range(rows, -1, -1):
        dashes = ("   " if free >> (y * cols + x) & 1 else "---" for x in range(cols))
        lines.append(f"{y + 1:2} +" + "".join(dash + "+" for dash in dashes))
        if y:
            first = int(s.horizontal_edges) + (y - 1) * (cols + 1)
            line = "   "
            for x in range(cols + 1):
                line += " " if free >> (first + x) & 1 else "|"
                if x < cols:
                    number = y * (cols + 1) + x + 1
                    line += _format_cell(bytes_[number], values[number], plain=common.plain)
            lines.append(line.rstrip())
    lines.append("   " + "   ".join(COLUMNS[: cols + 1]))
    for seat, points in enumerate(view.scores):
        move = "  to move" if seat == view.seat else ""
        blockers = f", blockers {s.blockers[seat]}" if common.with_blockers else ""
        lines.append(f"{_LETTERS[seat & int(s.party_mask)]} {common.owners[seat]}: {points}{blockers}{move}")
    return "\n".join(lines)


def _format_cell(byte: int, value: int, *, plain: bool) -> str:
    if byte & BLOCKED:
        return "###"
    owner = (byte >> OWNER_SHIFT) - 1
    if plain:
        return f" {_LETTERS[owner]} " if owner >= 0 else "   "
    return f"{_LETTERS[owner]} {value}" if owner >= 0 else f" {value} "


def list_facts(view: View) -> tuple[tuple[int | None, str, str], ...]:
    """List the blockers of every seat and the edges that are left."""
    s, options = view.record, _get_options(view)
    found: list[tuple[int | None, str, str]] = []
    if any(options.blockers):
        found = [
            (seat, "blockers left", str(count)) for seat, count in enumerate(s.blockers.tolist()[: view.game.seats])
        ]
    return (*found, (None, "free edges", str(int(s.edges_left))))
