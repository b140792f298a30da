"""Pictures of Squendo: the table with its stacks and the viewer's hand, as a scene and as text."""

import functools
import itertools
import re

from fourcorners.builtin.squendo.options import (
    COLOUR_ORDERS,
    HAND_SIZE,
    NEUTRAL_PART,
    SYMBOL_NAMES,
    TILES,
    TILES_PER_COLOUR,
    count_colours,
)
from fourcorners.builtin.squendo.placements import ROTATED_EDGES, decode_key, get_pattern, unpack_key, unpack_top
from fourcorners.builtin.squendo.position_setup import Stack, list_stacks, list_tile_names
from fourcorners.builtin.squendo.scoring import MIN_LINE
from fourcorners.builtin.squendo.style import PITCH, STYLE, TRAY_PITCH, use_numbers
from fourcorners.builtin.squendo.tile_names import describe_edges, describe_tile, name_colour, read_names
from fourcorners.core.arrays import State
from fourcorners.core.contract import ViewLike
from fourcorners.core.scene import Element, Part, Scene, frame_decisive

__all__ = ["STYLE", "draw_move", "draw_scene", "draw_text", "list_facts"]

_MARGIN, _THIN_MARGIN = 36, 22
_ROTATION = re.compile("r[0-3]", re.ASCII)
_MIN_REACH = 2
"""The least number of places shown on each side of the first tile."""

Place = tuple[int, int]
Rectangle = tuple[int, int, int, int]
"""Column and row of the lower left place, then width and height in places."""


def draw_scene(view: ViewLike) -> Scene:
    """Draw the table and, for a seat's view, its hand as the tray; at the end of the game an empty hand is left out."""
    s = view.record
    names = read_names(s).tiles
    stacks = list_stacks(s)
    free = _list_free_places(s)
    box = _compute_view_box((*free, *(stack[:2] for stack in stacks)))
    last = _find_last_place(view)
    elements = [*_draw_table(box)]
    by_place = {} if view.is_over else {place: _draw_free_place(place) for place in free}
    by_place |= {stack[:2]: _draw_stack(stack, names[stack.top], is_last=stack[:2] == last) for stack in stacks}
    # The top row first, each from the west: a double stack is raised and overlaps the places above and on the left.
    elements += [by_place[place] for place in sorted(by_place, key=lambda place: (-place[1], place[0]))]
    for seat in range(view.game.seats):
        own = frozenset(stack[:2] for stack in stacks if stack.top // TILES_PER_COLOUR == seat)
        colour = COLOUR_ORDERS[int(s.colours)][seat]
        elements += [_draw_outline(colour, rectangle) for rectangle in find_rectangles(own, lines=bool(s.lines))]
    if view.is_over and (decisive := _find_decisive_rectangle(view, stacks)):
        elements.append(_frame_rectangle(decisive))
    doubles = sum(stack.under >= 0 for stack in stacks)
    board = Part(
        box, tuple(elements), f"{len(stacks)} {'stack' if len(stacks) == 1 else 'stacks'}, {doubles} of them double"
    )
    hand = () if view.viewer is None else tuple(list_tile_names(s, int(s.hand[view.viewer])))
    if view.viewer is None or (view.is_over and not hand):
        return Scene(board)
    return Scene(board, _draw_hand(hand))


def _find_decisive_rectangle(view: ViewLike, stacks: list[Stack]) -> Rectangle | None:
    """Return the rectangle that the only winner filled last; None without one, or if the history begins later."""
    winners = [seat for seat, points in enumerate(view.scores) if points == max(view.scores)]
    if len(winners) > 1:
        return None
    own = frozenset(stack[:2] for stack in stacks if stack.top // TILES_PER_COLOUR == winners[0])
    plies: dict[tuple[int, ...], int] = {}
    for ply, move in enumerate(view.history):
        if move != "pass":
            plies[tuple(map(int, move.split(" ")[1].split(",")))] = ply
    found = [
        (max(plies.get((col + x, row + y), -1) for x in range(width) for y in range(height)), (col, row, width, height))
        for col, row, width, height in find_rectangles(own, lines=bool(view.record.lines))
    ]
    last, rectangle = max(found, default=(-1, None))
    return rectangle if last >= 0 else None


def _frame_rectangle(rectangle: Rectangle) -> Element:
    """Frame a rectangle that decided the game."""
    col, row, width, height = rectangle
    box = (PITCH * col - 58, -PITCH * (row + height - 1) - 58, PITCH * width + 18, PITCH * height + 20)
    return frame_decisive("sq-decisive", "sq-won", box, f"the rectangle of {width} by {height} decided the game")


def _list_free_places(s: State) -> list[Place]:
    """List (column, row) of the free places next to a tile, row by row from the bottom; (0, 0) on an empty table."""
    places = s.place.tolist()[: int(s.place_count)]
    return [decode_key(unpack_key(place)) for place in places if unpack_top(place) == 0]


def _find_last_place(view: ViewLike) -> Place | None:
    """Return the place on which the last tile in the view's history was laid; None if there is none."""
    for move in reversed(view.history):
        if move != "pass":
            col, row = move.split(" ")[1].split(",")
            return int(col), int(row)
    return None


@functools.lru_cache(maxsize=256)
def _compute_view_box(places: tuple[Place, ...]) -> tuple[int, int, int, int]:
    """Return x, y, width and height, in pixels, of the picture of these places, at least _MIN_REACH from 0 each way.
    It has a margin for the numbers on the left and below.
    """
    cols = [-_MIN_REACH, _MIN_REACH, *(col for col, _ in places)]
    rows = [-_MIN_REACH, _MIN_REACH, *(row for _, row in places)]
    return (
        PITCH * min(cols) - PITCH // 2 - _MARGIN,
        -PITCH * max(rows) - PITCH // 2 - _THIN_MARGIN,
        PITCH * (max(cols) - min(cols) + 1) + _MARGIN + _THIN_MARGIN,
        PITCH * (max(rows) - min(rows) + 1) + _MARGIN + _THIN_MARGIN,
    )


@functools.lru_cache(maxsize=256)
def _draw_table(box: tuple[int, int, int, int]) -> tuple[Element, ...]:
    """Return the cloth with its grid, and the column and row numbers along the edges of a box: x, y, width, height."""
    x, y, width, height = box
    # Much larger than the box, because a page may show more than the box.
    size = 'x="-5000" y="-5000" width="10000" height="10000"'
    # Each frame ends where the places do, so that no number of the next column or row shows in part.
    left, high = _MARGIN, height - _MARGIN
    cols = f'<svg x="{x + left}" y="{y}" width="{width - left}" height="{height}">'
    first = (x + left + PITCH // 2) // PITCH
    cols += f"{use_numbers('x', first, first + width // PITCH, -x - left, height - 22)}</svg>"
    lowest = -(y + high - PITCH // 2) // PITCH
    rows = f'<svg x="{x}" y="{y}" width="{width}" height="{high}">'
    rows += f"{use_numbers('y', lowest, lowest + high // PITCH, 21, -y)}</svg>"
    return (
        Element("sq-table", f'<rect class="sq-table" {size}/><rect class="sq-grid" {size}/>'),
        Element("sq-numbers", cols + rows),
    )


@functools.lru_cache(maxsize=1024)
def _draw_free_place(place: Place) -> Element:
    """Return the element of a free place, (column, row), with the token `col,row`; a tile can be dropped on it."""
    col, row = place
    # The id is the one in `_draw_stack` on purpose: a stack takes the place of this element.
    markup = f'<use href="#sq-f" x="{PITCH * col}" y="{-PITCH * row}"/>'
    return Element(f"sq-{col}_{row}", markup, "sq-free", f"{col},{row}", f"column {col}, row {row}, free", "drop")


@functools.lru_cache(maxsize=8192)
def _draw_stack(stack: Stack, tile: str, *, is_last: bool) -> Element:
    """Return the element of a stack, with the token `col,row`; a double one stands higher and has a small 2.
    `tile` is the name of the visible one; `is_last` tells whether the last tile was laid there: that is highlighted.
    """
    col, row, double = stack.col, stack.row, stack.under >= 0
    turned = f' transform="rotate({90 * stack.rotation})"' if stack.rotation else ""
    face = f'<use href="#sq-{tile[0]}"/><use href="#sq-{tile[1:]}"{turned}/>'
    if double:
        raised = f'<g transform="translate(-5 -8)">{face}<use href="#sq-n"/></g>'
        face = f'<use href="#sq-2"/><g class="sq-lift">{raised}</g>'
    else:
        face = f'<g class="sq-lift">{face}</g>'
    markup = f'<g transform="translate({PITCH * col} {-PITCH * row})">{face}<use href="#sq-s"/></g>'
    black = describe_edges(int(ROTATED_EDGES[get_pattern(stack.top) * 4 + stack.rotation]))
    name = f"{name_colour(tile)} {SYMBOL_NAMES[stack.top & 1]}"
    label = f"column {col}, row {row}, {name}, {black}{', double stack' if double else ''}"
    classes = "sq-place last new" if is_last else "sq-place"
    return Element(f"sq-{col}_{row}", markup, classes, f"{col},{row}", label, "drop")


@functools.lru_cache(maxsize=256)
def _draw_hand(hand: tuple[str, ...]) -> Part:
    """Return the tray with a hand, at most HAND_SIZE names of tiles from left to right, on its rack, all unrotated."""
    width, height = TRAY_PITCH * HAND_SIZE + 24, 128
    rack = (
        f'<rect class="sq-rack" x="2" y="2" width="{width - 4}" height="{height - 4}" rx="14"/>'
        f'<path class="sq-lip" d="M16 {height - 12}H{width - 16}"/>'
    )
    elements = [Element("sq-rack", rack)]
    for i, tile in enumerate(hand):
        face = f'<use href="#sq-{tile[0]}"/><g class="sq-turn"><use href="#sq-{tile[1:]}"/></g>'
        markup = f'<g class="sq-pos">{face}</g>'
        label = describe_tile(tile)
        elements.append(Element(f"sq-{tile}-h", markup, f"sq-tile sq-at{i}", tile, label, "carry"))
    label = f"Your hand: {len(hand)} {'tile' if len(hand) == 1 else 'tiles'}"
    return Part((0, 0, width, height), tuple(elements), label)


@functools.lru_cache(maxsize=4096)
def draw_move(move: str) -> Part | None:
    """Draw the tile that a move lays, as it lies then; if another one is left on the stack, an arrow and that one.
    Of a single token draw the tile that it names, unrotated. Return None if no tile is named.
    """
    tokens = move.split(" ")
    turn = next((int(token[1]) for token in tokens if _ROTATION.fullmatch(token)), 0)
    left = next((token.partition(":")[2] for token in tokens if token.startswith("leave:")), "")
    laid = tokens[0].rpartition(":")[2]
    if laid not in TILES:
        return None
    if not left or len(tokens) == 1:
        return Part((-48, -48, 96, 96), (Element("tile", _draw_tile(laid, turn)),), "")
    arrow = '<path class="sq-arrow" d="M56 0H82M72-10L82 0L72 10"/>'
    markup = f'{_draw_tile(laid, 0)}{arrow}<g transform="translate(140)">{_draw_tile(left, turn)}</g>'
    return Part((-48, -48, 236, 96), (Element("tiles", markup),), "")


def _draw_tile(tile: str, turn: int) -> str:
    """Return the markup of a tile, given by its name, around the origin; its face can be turned further by a style."""
    turned = f' transform="rotate({90 * turn})"' if turn else ""
    return f'<use href="#sq-{tile[0]}"/><g class="sq-turn"><use href="#sq-{tile[1:]}"{turned}/></g>'


@functools.lru_cache(maxsize=1024)
def find_rectangles(own: frozenset[Place], *, lines: bool) -> tuple[Rectangle, ...]:
    """List the filled rectangles of the places `own`, of one colour, that are not inside a larger one.

    They measure 2 x 2 or more; with `lines`, one row or column of MIN_LINE or more counts too. They are ordered by the
    column, then the row, of their lower left places. Smaller ones may score as well, but outlines of all would overlap.
    """
    found = []
    for col, row in sorted(own):
        width = _count_run(own, col, row)
        height = 1
        while width:
            next_width = min(width, _count_run(own, col, row + height))
            can_score = (width > 1 and height > 1) or (lines and width * height >= MIN_LINE)
            extends_left = all((col - 1, row + up) in own for up in range(height))
            extends_down = all((col + right, row - 1) in own for right in range(width))
            if can_score and next_width < width and not extends_left and not extends_down:
                found.append((col, row, width, height))
            width = next_width
            height += 1
    return tuple(found)


def _count_run(own: frozenset[Place], col: int, row: int) -> int:
    """Count the places from a column and row eastwards that belong to a set, up to the first gap."""
    return next(width for width in itertools.count() if (col + width, row) not in own)


@functools.lru_cache(maxsize=1024)
def _draw_outline(colour: str, rectangle: Rectangle) -> Element:
    """Return the element of a line around a rectangle, measured in places, of a colour (its letter)."""
    col, row, width, height = rectangle
    size = f'x="{PITCH * col - 48}" y="{-PITCH * (row + height - 1) - 48}" width="{PITCH * width - 2}"'
    size += f' height="{PITCH * height}" rx="11"'
    colour_class = f"sq-quad sq-q{colour.lower()}"
    markup = f'<rect class="sq-halo" {size}/><rect class="{colour_class}" {size}/>'
    return Element(f"sq-q-{col}_{row}_{width}_{height}", markup)


def draw_text(view: ViewLike) -> str:
    """Draw the table as text, three lines a row, the top row first, and the hand for the view of a seat.
    `#` is a black edge, `2` a double stack, `+` a free place.
    """
    laid = {(stack.col, stack.row): stack for stack in list_stacks(view.record)}
    free = [] if view.is_over else _list_free_places(view.record)
    all_cols, all_rows = zip(*laid, *free, strict=True)  # never empty: before the first tile, 0,0 is free
    cols = range(min(all_cols), max(all_cols) + 1)
    lines = []
    names = read_names(view.record).tiles
    for row in range(max(all_rows), min(all_rows) - 1, -1):
        cells = [_draw_cell(laid.get((col, row)), names, is_free=(col, row) in free) for col in cols]
        for i, head in enumerate(("", str(row), "")):
            lines.append(f"{head:>4} " + " ".join(cell[i] for cell in cells).rstrip())
    lines.append("     " + " ".join(f"{col:^6}" for col in cols).rstrip())
    if view.viewer is not None:
        lines.append(f"hand: {' '.join(list_tile_names(view.record, int(view.record.hand[view.viewer]))) or 'empty'}")
    return "\n".join(line.rstrip() for line in lines)


def _draw_cell(stack: Stack | None, names: tuple[str, ...], *, is_free: bool) -> tuple[str, str, str]:
    """Return the three lines of a place, each six characters wide; `is_free` matters only where no stack is."""
    if stack is None:
        return ("      ", "  +   " if is_free else "      ", "      ")
    black = int(ROTATED_EDGES[get_pattern(stack.top) * 4 + stack.rotation])
    top, bottom = (" #### " if black >> side & 1 else " ---- " for side in (0, 2))
    west, east = ("#" if black >> side & 1 else "|" for side in (3, 1))
    double = "2" if stack.under >= 0 else " "
    return top, f"{west}{double}{names[stack.top][0]}{names[stack.top][-1]} {east}", bottom


def list_facts(view: ViewLike) -> tuple[tuple[int | None, str, str], ...]:
    """List facts to show beside the table, each as seat (None for the table itself), label and value.
    They are the numbers of tiles in the pile, discarded and in every hand, and with two seats the neutral colour.
    """
    s = view.record
    on_table = sum(2 if stack.under >= 0 else 1 for stack in list_stacks(s))
    held = s.hand_size.tolist()[: view.game.seats]
    discarded = TILES_PER_COLOUR * count_colours(view.game.seats) - on_table - sum(held) - int(s.pile_size)
    facts = [(None, "pile", str(int(s.pile_size))), (None, "discarded", str(discarded))]
    if view.game.seats == NEUTRAL_PART:  # two seats: no third one plays that colour
        facts.append((None, "neutral colour", read_names(s).colours[NEUTRAL_PART]))
    return (*facts, *((seat, "tiles in hand", str(count)) for seat, count in enumerate(held)))
