"""Pictures of Squarin' Off: the board and the tray of blockers, the outlines of chains, and the board as text."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple, cast

from fourcorners.builtin.squarin_off.decisive import find_decisive_boxes
from fourcorners.builtin.squarin_off.notation import find_boxes_beside, format_box, list_edge_names, pack_free_edges
from fourcorners.builtin.squarin_off.options import COLUMNS, SquarinOffOptions, format_dot, list_seat_names
from fourcorners.builtin.squarin_off.rules import BLOCKED, BOTTOM, LEFT, NEAR, OWNER_SHIFT, RIGHT, SIDES, TOP
from fourcorners.builtin.squarin_off.strategy.chains import Chain, find_chains, find_free_neighbours
from fourcorners.builtin.squarin_off.style import STYLE
from fourcorners.core.contract import ViewLike
from fourcorners.core.scene import Area, Element, Overlay, Part, Scene, frame_decisive

__all__ = ["STYLE", "draw_overlay", "draw_scene", "draw_text", "list_areas", "list_facts"]

UNIT, MARGIN = 60, 46
_TRAY_WIDTH, _TRAY_HEIGHT, _BLOCKER_THICKNESS = 232, 80, 3
# The outline of a chain: its distance from the edges of the boxes, the radius of its corners, and the length from which
# it is drawn bold.
_INSET, _RADIUS, _LONG_CHAIN = 11, 8, 3
# The corners of a box clockwise: the side before, the side after, and the direction of the corner from the middle.
_CORNERS = ((LEFT, TOP, -1, -1), (TOP, RIGHT, 1, -1), (RIGHT, BOTTOM, 1, 1), (BOTTOM, LEFT, -1, 1))
_LETTERS = "ABCD"
# The positions of the pips for small values, as on dice; larger values are printed as digits.
_PIPS = {1: ((0, 0),), 2: ((-6.5, 0), (6.5, 0)), 3: ((0, -6), (-6.5, 5), (6.5, 5))}


class _Edges(NamedTuple):
    """The edges of a board: their numbers by name, and by number their elements once free, once drawn, and once drawn
    by the last move.
    """

    numbers: dict[str, int]
    free: tuple[Element, ...]
    drawn: tuple[Element, ...]
    last: tuple[Element, ...]


class _BoxStyle(NamedTuple):
    """The traits shared by all boxes of a game; hashable, because it is part of the key of cached boxes."""

    owners: tuple[str, ...]  # the colours, by seat
    with_blockers: bool
    plain: bool  # all boxes count 1, so nothing is printed on them


class _Place(NamedTuple):
    """A box of a board: its lower left dot, from 0, the y coordinate of its upper side, and its points."""

    x: int
    row: int
    top: int
    value: int


class _Board(NamedTuple):
    """The common parts of all pictures of games with the same options; `places` are by the box's number."""

    size: tuple[int, int]
    style: _BoxStyle
    places: dict[int, _Place]


@lru_cache(maxsize=256)
def _prepare_board(options: SquarinOffOptions) -> _Board:
    """Compute the parts that do not depend on the position."""
    cols, rows = options.cols, options.rows
    values = [int(digit) for line in reversed(options.values) for digit in line]
    places = {}
    for index, value in enumerate(values):
        row, x = divmod(index, cols)
        # The record has a border of boxes around those of the board.
        places[(row + 1) * (cols + 1) + 1 + x] = _Place(x, row, MARGIN + (rows - 1 - row) * UNIT, value)
    style = _BoxStyle(list_seat_names(options), any(options.blockers), set(values) == {1})
    return _Board((cols * UNIT + 2 * MARGIN, rows * UNIT + 2 * MARGIN), style, places)


def draw_scene(view: ViewLike) -> Scene:
    """Draw the board, with the last move marked, and, in games with blockers, a tray with those of the seat to move."""
    s, options = view.record, _get_options(view)
    board, edges = _prepare_board(options), _draw_edges(options.cols, options.rows)
    style, sides = board.style, s.box.tolist()
    # A digit for each edge, the first edge's at the end of the text.
    free = f"{pack_free_edges(s):0{len(edges.free)}b}"[::-1]
    sticks = [one if digit == "1" else other for digit, one, other in zip(free, edges.free, edges.drawn, strict=True)]
    boxes = {box: _draw_box(place, sides[box] & ~NEAR, style, False) for box, place in board.places.items()}
    blocker, _, edge = view.last_move_text.rpartition(" ")
    if edge:
        number = edges.numbers[edge]
        sticks[number] = edges.last[number]
        for box in find_boxes_beside(options.cols, options.rows, edge):
            is_blocked = bool(sides[box] & BLOCKED) and blocker == f"#{format_box(s, box)}"
            if sides[box] >> OWNER_SHIFT or is_blocked:
                boxes[box] = _draw_box(board.places[box], sides[box] & ~NEAR, style, True)
    label = f"board of {options.cols} by {options.rows} boxes, {int(s.edges_left)} edges free"
    frames = [_frame_box(view, box) for box in find_decisive_boxes(view)]
    elements = *_draw_ground(options.cols, options.rows), *boxes.values(), *sticks, *frames
    return Scene(Part((0, 0, *board.size), elements, label), _draw_tray(view) if style.with_blockers else None)


def _frame_box(view: ViewLike, box: int) -> Element:
    """Frame a box that decided the game."""
    (left, top), name = _get_corner(view, box), format_box(view.record, box)
    return frame_decisive(
        f"so-w{name}", "so-won", (left + 4, top + 4, UNIT - 8, UNIT - 8), f"box {name} decided the game"
    )


def _get_options(view: ViewLike) -> SquarinOffOptions:
    """Return the options of a view's game with their type."""
    return cast("SquarinOffOptions", view.game.options)


@lru_cache(maxsize=64)
def _draw_ground(cols: int, rows: int) -> tuple[Element, ...]:
    """Draw the fixed parts: the frame, the field with its grooves and dots, and the names of columns and rows."""
    width, height = cols * UNIT, rows * UNIT
    # The field reaches 17 pixels beyond the outer dots (34 in all), the grid 7; names are 9 from below, 18 from left.
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
    beside = "".join(f'<text x="18" y="{MARGIN + (rows - y) * UNIT + 6}">{y + 1}</text>' for y in range(rows + 1))
    return Element("so-ground", frame), Element("so-names", below + beside, "so-names fc-label")


@lru_cache(maxsize=64)
def _draw_edges(cols: int, rows: int) -> _Edges:
    """Draw all edges of a board."""
    free = []
    horizontal = [(x, y, x + 1, y, "h") for y in range(rows + 1) for x in range(cols)]
    vertical = [(x, y, x, y + 1, "u") for y in range(rows) for x in range(cols + 1)]
    for x, y, x2, y2, kind in horizontal + vertical:
        one, two = format_dot(x, y), format_dot(x2, y2)
        top = MARGIN + (rows - max(y, y2)) * UNIT
        markup = f'<use href="#so-{kind}" x="{MARGIN + x * UNIT}" y="{top}"/>'
        label = f"edge from {one} to {two}, free"
        free.append(Element(f"so-{one}{two}", markup, "so-e so-f", one + two, label, "pick"))
    drawn = [edge._replace(classes="so-e", label=edge.label.replace("free", "drawn")) for edge in free]
    last = (edge._replace(classes="so-e last new") for edge in drawn)
    numbers = {name: number for number, name in enumerate(list_edge_names(cols, rows))}
    return _Edges(numbers, tuple(free), tuple(drawn), tuple(last))


@lru_cache(maxsize=16384)
def _draw_box(place: _Place, byte: int, style: _BoxStyle, is_new: bool) -> Element:  # noqa: FBT001
    """Draw a box; `byte` is that of the record without NEAR, `is_new` whether the last move changed the box."""
    # The arguments are plain values, so that games with different options share the boxes of a picture.
    x, row, top, value = place
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
        colour = style.owners[owner]
        markup += f'<use class="so-c" href="#so-c" {at}/>' + _draw_pips(left + 30, top + 30, value, owner)
        classes += f" so-o{owner} so-{colour.lower()}"
        state = colour
    else:
        if not style.plain:
            # Boxes without an owner have round pips, those of party 0.
            markup += _draw_pips(left + 30, top + 30, value, 0)
        if style.with_blockers:
            # Visible only while a player is placing a blocker here.
            markup += f'<use class="so-k so-w" href="#so-k" {at}/>'
        state = "1 edge drawn" if byte & SIDES == 1 else f"{byte & SIDES} edges drawn"
    label = f"box {name}, {value} point{'' if value == 1 else 's'}, {state}"
    classes += " last new" if is_new else ""
    if style.with_blockers:
        return Element(f"so-b{name}", markup, classes, f"#{name}", label, "drop")
    return Element(f"so-b{name}", markup, classes, "", label)


def _draw_pips(x: float, y: float, value: int, party: int) -> str:
    """Return the markup of a value around (x, y): pips in the shape of a party (0 to 3), digits above 3, "" for 0."""
    if value > 3:
        return f'<g class="so-p"><text x="{x:g}" y="{y + 8.5:g}">{value}</text></g>'
    pips = [f'<use href="#so-s{party}" x="{x + dx:g}" y="{y + dy:g}"/>' for dx, dy in _PIPS.get(value, ())]
    return f'<g class="so-p">{"".join(pips)}</g>' if pips else ""


def _draw_tray(view: ViewLike) -> Part:
    """Draw the chip and the blockers of the seat to move, the topmost to be carried; nothing once the game is over."""
    s, options = view.record, _get_options(view)
    seat = view.seat
    if seat is None:
        return Part((0, 0, _TRAY_WIDTH, _TRAY_HEIGHT), (), "no blockers: the game is over")
    count, owner = int(s.blockers[seat]), seat & int(s.chip_mask)
    colour = list_seat_names(options)[seat]
    left = 12  # the margin on both sides of the shelf
    # The full pile is as high above the middle of the shelf as below it; what is left of it stays where it is.
    bottom = 9 + _BLOCKER_THICKNESS * max(max(options.blockers) - 1, 0) // 2
    shelf = f'<rect class="so-shelf" x="{left}" y="2" width="208" height="{_TRAY_HEIGHT - 4}" rx="14"/>'
    shelf += f'<rect class="so-gone" x="{left + 81}" y="{bottom + 9}" width="42" height="42" rx="8"/>'
    chip = f'<use class="so-c" href="#so-c" x="{left + 10}" y="9"/>' + _draw_pips(left + 40, 39, 1, owner)
    pile = "".join(
        f'<use href="#so-l" x="{left + 72}" y="{bottom - _BLOCKER_THICKNESS * i}"/>' for i in range(count - 1)
    )
    top = bottom - _BLOCKER_THICKNESS * max(count - 1, 0)
    block = f'<rect class="hit" x="{left + 72}" y="{top}" width="60" height="60"/>'
    block += f'<use class="so-k" href="#so-k" x="{left + 72}" y="{top}"/>' if count else ""
    elements = (
        Element("so-shelf", shelf),
        Element("so-owner", chip, f"so-o{owner} so-{colour.lower()}"),
        Element("so-pile", pile, "so-k"),
        Element("so-hand", block, "so-hand", "#", f"blocker, {count} left", "carry"),
        Element("so-count", f'<text x="{left + 168}" y="49">× {count}</text>', "so-count"),
    )
    return Part((0, 0, _TRAY_WIDTH, _TRAY_HEIGHT), elements, f"blockers of {colour}")


def draw_overlay(view: ViewLike) -> Overlay:
    """Outline the chains and loops, each with its length and, where boxes differ in value, its points."""
    plain = _prepare_board(_get_options(view)).style.plain
    return Overlay("Chains", tuple(_draw_chain(view, chain, plain=plain) for chain in find_chains(view.record)))


def _draw_chain(view: ViewLike, chain: Chain, *, plain: bool) -> Element:
    """Draw the outline and the badge of a chain; `plain` is whether all boxes count 1, so that points are left out."""
    s, boxes, length = view.record, chain.boxes, len(chain.boxes)
    cells = []
    for box in boxes:
        inner_sides = {side for side, beyond in find_free_neighbours(s, box).items() if beyond in boxes}
        cells.append((*_get_corner(view, box), inner_sides))
    classes = "overlay so-chain so-long" if length >= _LONG_CHAIN else "overlay so-chain"
    classes += " so-joined" if chain.junction_ends else ""
    # Put the badge in the middle box; next to its value, if one is printed there.
    left, top = _get_corner(view, boxes[(length - 1) // 2])
    x, y = (left + 30, top + 30) if plain else (left + 43, top + 43)
    number = str(length) if plain or length == 1 else f"{length}·{chain.points}"
    half = 9 + 4 * (len(number) - 1) + (6 if chain.is_loop else 0)
    badge = f'<rect x="{x - half}" y="{y - 10}" width="{2 * half}" height="20" rx="10"/>'
    if chain.is_loop:
        badge += f'<circle cx="{x - half + 9}" cy="{y}" r="3.6"/>'
    badge += f'<text x="{x + (5 if chain.is_loop else 0)}" y="{y + 5.5}">{number}</text>'
    label = f"{'loop' if chain.is_loop else 'chain'} of {length} box{'' if length == 1 else 'es'}"
    label += "" if plain else f" worth {chain.points}"
    label += ", joined to others" if chain.junction_ends else ""
    names = [format_box(s, box) for box in boxes]
    markup = f'<path d="{_draw_outline(cells)}"/><g>{badge}</g>'
    return Element(f"so-r{min(names)}", markup, classes, "", f"{label}: {' '.join(names)}")


def _get_corner(view: ViewLike, box: int) -> tuple[int, int]:
    """Return (x, y) in the picture, y downwards, of the upper left corner of a box of the board."""
    row, column = divmod(box - 1, int(view.record.cols) + 1)
    return MARGIN + column * UNIT, MARGIN + (int(view.record.rows) - row) * UNIT


def list_areas(view: ViewLike) -> tuple[Area, ...]:
    """List the completed boxes that count for a party; a box with a blocker counts for no one."""
    s = view.record
    values, bytes_ = s.value.tolist(), s.box.tolist()
    owners = {box: (byte >> OWNER_SHIFT) - 1 for box, byte in enumerate(bytes_) if byte >> OWNER_SHIFT}
    return tuple(
        Area(f"box {format_box(s, box)}", (*_get_corner(view, box), UNIT, UNIT), values[box], owner & int(s.party_mask))
        for box, owner in owners.items()
    )


def _draw_outline(cells: list[tuple[int, int, set[int]]]) -> str:
    """Return the SVG path around the boxes of a chain; a loop has an outer and an inner ring.

    `cells` holds for each box the x and y of its upper left corner, and its inner sides: those (0 to 3, see `rules.py`)
    on which it is open to another box of the chain. Every box contributes the arcs of its four corners, and a line
    along each other side; these pieces are joined by their end points.
    """
    pieces: dict[tuple[int, int], tuple[str, tuple[int, int]]] = {}
    for left, top, inner_sides in cells:
        corners = [_trace_corner(left, top, corner, inner_sides) for corner in _CORNERS]
        for number, (start, command, end) in enumerate(corners):
            pieces[start] = (command, end)
            if _CORNERS[number][1] not in inner_sides:
                pieces[end] = ("L", corners[(number + 1) % 4][0])
    parts = []
    while pieces:
        start = at = next(iter(pieces))
        path = f"M{at[0]} {at[1]}"
        while at in pieces:
            command, at = pieces.pop(at)
            path += f"{command}{at[0]} {at[1]}"
        parts.append(path + ("Z" if at == start else ""))
    return "".join(parts)


def _trace_corner(
    left: int, top: int, corner: tuple[int, int, int, int], inner_sides: set[int]
) -> tuple[tuple[int, int], str, tuple[int, int]]:
    """Return the piece of the outline at one corner of a box: its start (x, y), its SVG path command, and its end.

    The command lacks its last point, the end. `left` and `top` are the upper left corner of the box, `corner` is an
    entry of _CORNERS. `inner_sides` are the sides of the box (0 to 3) with another box of the chain beyond: on them the
    piece runs on to the edge of the box, on the other sides it ends where the line along that side begins.
    """
    before, after, dx, dy = corner
    half = UNIT // 2
    x, y = left + half + dx * (half - _INSET), top + half + dy * (half - _INSET)

    def find_end(side: int) -> tuple[int, int]:
        """Return the end (x, y) of the piece towards `side`, one of the two sides at the corner."""
        if side in {TOP, BOTTOM}:
            return (x, top + half + dy * half) if side in inner_sides else (x - dx * _RADIUS, y)
        return (left + half + dx * half, y) if side in inner_sides else (x, y - dy * _RADIUS)

    straight = (before in inner_sides) != (after in inner_sides)
    return find_end(before), "L" if straight else f"Q{x} {y} ", find_end(after)


def draw_text(view: ViewLike) -> str:
    """Draw the board as lines of text, and below it the seats with their letters, points and blockers."""
    s, options = view.record, _get_options(view)
    cols, rows = int(s.cols), int(s.rows)
    free, values, bytes_ = pack_free_edges(s), s.value.tolist(), s.box.tolist()
    style = _prepare_board(options).style
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
                    line += _format_box_text(bytes_[number], values[number], plain=style.plain)
            lines.append(line.rstrip())
    lines.append("   " + "   ".join(COLUMNS[: cols + 1]))
    for seat, points in enumerate(view.scores):
        move = "  to move" if seat == view.seat else ""
        blockers = f", blockers {s.blockers[seat]}" if style.with_blockers else ""
        lines.append(f"{_LETTERS[seat & int(s.chip_mask)]} {style.owners[seat]}: {points}{blockers}{move}")
    return "\n".join(lines)


def _format_box_text(byte: int, value: int, *, plain: bool) -> str:
    """Return the three characters of a box, from its byte and value: its owner and, unless `plain`, its value.
    A blocked box is `###`.
    """
    if byte & BLOCKED:
        return "###"
    owner = (byte >> OWNER_SHIFT) - 1
    if plain:
        return f" {_LETTERS[owner]} " if owner >= 0 else "   "
    return f"{_LETTERS[owner]} {value}" if owner >= 0 else f" {value} "


def list_facts(view: ViewLike) -> tuple[tuple[int | None, str, str], ...]:
    """List, as (seat or None, label, value), the blockers left, if the game has any, and the number of free edges."""
    s, options = view.record, _get_options(view)
    counts = s.blockers.tolist()[: view.game.seats] if any(options.blockers) else []
    blockers = ((seat, "blockers left", str(count)) for seat, count in enumerate(counts))
    return (*blockers, (None, "free edges", str(int(s.edges_left))))
