"""Squarin' Off for learning programs: the indices of its actions, and its planes.

The index of an edge is its number: first the horizontal edges, row by row from the bottom, then the vertical ones. In a
game with blockers, the moves with a blocker follow: 4 x box + side, boxes row by row from the bottom, sides as in the
rules. A plane has a row and a column for each dot, from the lower left; an edge is at its left or lower dot, and a box
at its lower left dot.
"""

import numpy as np

from fourcorners.builtin.squarin_off.notation import list_edge_names
from fourcorners.builtin.squarin_off.options import COLUMNS, MAX_BLOCKERS, SquarinOffOptions
from fourcorners.builtin.squarin_off.rules import (
    BLOCKED,
    BLOCKER,
    BOTTOM,
    CLOSED,
    DTYPE,
    LEFT,
    OWNER_SHIFT,
    RIGHT,
    SIDES,
    TOP,
    can_take_blocker,
    count_edges,
    get_edge,
    is_free,
)
from fourcorners.core.arrays import Mask, Planes, State
from fourcorners.core.bits import ONE, ZERO
from fourcorners.core.encoding import fill_plane
from fourcorners.core.jit import jitable_no_alloc

VERSION = 1

_MOST_BLOCKERS = max(MAX_BLOCKERS.values())
_BLOCKER_PLANES = 2  # beside one for each seat
_WHOSE = ("my", "the next seat's", "the second next seat's", "the third next seat's")


def count_actions(options: SquarinOffOptions) -> int:
    """Return the number of edges, and of moves with a blocker if the game has any."""
    cols, rows = options.cols, options.rows
    return (rows + 1) * cols + rows * (cols + 1) + (4 * cols * rows if any(options.blockers) else 0)


def describe_action(options: SquarinOffOptions, index: int) -> str:
    """Describe an index, such as "edge a1b1" or "blocker on box a1 and its bottom edge"."""
    edges = list_edge_names(options.cols, options.rows)
    if index < len(edges):
        return f"edge {edges[index]}"
    box, side = divmod(index - len(edges), 4)
    row, column = divmod(box, options.cols)
    name = ("bottom", "right", "top", "left")[side]
    return f"blocker on box {COLUMNS[column]}{row + 1} and its {name} edge"


def find_action(s: State, index: int) -> int:
    """Return the action of an index, legal or not."""
    cols, edges = int(s.cols), int(count_edges(s))
    if index < edges:
        return index
    cell, side = divmod(index - edges, 4)
    return BLOCKER + 4 * (cell + cell // cols + cols + 2) + side


def plane_names(options: SquarinOffOptions) -> tuple[str, ...]:
    """Return the names of the planes; the parties and the seats are in turn order, first that of the viewer."""
    others = len(options.parties) - 1
    names = ["free horizontal edges", "free vertical edges", "my boxes"]
    names += ["others' boxes"] if others == 1 else [f"boxes of opponent {number + 1}" for number in range(others)]
    names += ["drawn sides / 4", "value / 9"]
    if any(options.blockers):
        names += ["blocked boxes", "boxes that take no blocker", "my blockers / 6"]
        names += [f"{_WHOSE[k]} blockers / 6" for k in range(1, options.players)]
    return tuple(names)


def plane_shape(options: SquarinOffOptions) -> tuple[int, int]:
    """Return the numbers of dots in a column and in a row."""
    return options.rows + 1, options.cols + 1


def small_dtype(options: SquarinOffOptions) -> np.dtype[np.void]:
    """Return a dtype without scratch space, with as many edges and boxes as the board has, rounded up to words."""
    cols, rows = options.cols, options.rows
    words = ((rows + 1) * cols + rows * (cols + 1) + 63) // 64
    slots = ((rows + 2) * (cols + 1) + 1 + 7) // 8 * 8
    lengths = {"free": words, "box": slots, "value": slots}
    fields = []
    for name in (DTYPE.names or ())[: (DTYPE.names or ()).index("value") + 1]:
        base, shape = DTYPE[name].subdtype or (DTYPE[name], ())
        fields.append((name, base, lengths.get(name, shape)))
    return np.dtype(fields)


@jitable_no_alloc
def index_action(s: State, action: int) -> int:
    """Return the index of an action."""
    if action < BLOCKER:
        return action
    cell = ((action - BLOCKER) >> 2) - np.int64(s.cols) - 2
    return count_edges(s) + 4 * (cell - cell // (np.int64(s.cols) + 1)) + (action & 3)


@jitable_no_alloc
def action_at(s: State, index: int) -> int:
    """Return the action of an index, or -1 if it is not legal."""
    edges = count_edges(s)
    if index < 0:
        return -1
    if index < edges:
        return index if is_free(s, index) else -1
    place = index - edges
    cols = np.int64(s.cols)
    if place >= 4 * cols * np.int64(s.rows) or np.int64(s.blockers[s.turn]) == 0:
        return -1
    cell, side = place >> 2, place & 3
    box = cell + cell // cols + cols + 2
    if can_take_blocker(s, box) and is_free(s, get_edge(s, box, side)):
        return BLOCKER + 4 * box + side
    return -1


@jitable_no_alloc
def mask_actions(s: State, out: Mask) -> None:
    """Write whether each index is legal."""
    edges = count_edges(s)
    for edge in range(edges):
        out[edge] = is_free(s, edge)
    if len(out) > edges:
        _mask_blockers(s, out, edges)


@jitable_no_alloc
def _mask_blockers(s: State, out: Mask, edges: int) -> None:
    """Write whether each move with a blocker is legal, behind the entries of the edges."""
    has_blocker = np.int64(s.blockers[s.turn]) > 0
    n = edges
    for row in range(1, np.int64(s.rows) + 1):
        first = row * (np.int64(s.cols) + 1) + 1
        for box in range(first, first + np.int64(s.cols)):
            takes_one = has_blocker and can_take_blocker(s, box)
            for side in range(4):
                out[n] = takes_one and is_free(s, get_edge(s, box, side))
                n += 1


@jitable_no_alloc
def update_mask(s: State, action: int, seat: int, out: Mask) -> None:
    """Take the drawn edge out of the mask; make the part of the blockers anew only if another seat's blockers count."""
    with_blocker = action >= BLOCKER
    edge = get_edge(s, (action - BLOCKER) >> 2, action & 3) if with_blocker else action
    out[edge] = False
    edges = count_edges(s)
    if len(out) == edges:
        return
    had_blocker = with_blocker or np.int64(s.blockers[seat]) > 0
    has_blocker = np.int64(s.blockers[s.turn]) > 0
    if had_blocker != has_blocker:
        _mask_blockers(s, out, edges)
    elif has_blocker:
        _unmask_edge(s, edge, out, edges)
        if with_blocker:
            _unmask_around(s, (action - BLOCKER) >> 2, out, edges)


@jitable_no_alloc
def _unmask_edge(s: State, edge: int, out: Mask, edges: int) -> None:
    """Take the moves with a blocker that draw this edge out of the mask."""
    cols, rows = np.int64(s.cols), np.int64(s.rows)
    along = edge - np.int64(s.horizontal_edges)
    if along < 0:
        row = (edge * np.int64(s.reciprocal)) >> 16
        if row > 0:
            out[edges + 4 * (edge - cols) + TOP] = False
        if row < rows:
            out[edges + 4 * edge + BOTTOM] = False
        return
    row = along // (cols + 1)
    column = along - row * (cols + 1)
    box = along - row
    if column > 0:
        out[edges + 4 * (box - 1) + RIGHT] = False
    if column < cols:
        out[edges + 4 * box + LEFT] = False


@jitable_no_alloc
def _unmask_around(s: State, box: int, out: Mask, edges: int) -> None:
    """Take the moves that put a blocker on a box or on one of the eight around it out of the mask."""
    cols, rows = np.int64(s.cols), np.int64(s.rows)
    row, column = box // (cols + 1) - 1, box % (cols + 1) - 1
    for y in range(max(0, row - 1), min(rows, row + 2)):
        for n in range(4 * (y * cols + max(0, column - 1)), 4 * (y * cols + min(cols, column + 2))):
            out[edges + n] = False


@jitable_no_alloc
def _write_edges(s: State, out: Planes) -> None:
    """Write 1 for each free edge and 0 for all other cells of the first two planes.

    The bits of whole rows are collected in a word, with a bit for each cell, and written in one loop. Here and below,
    unsigned indices and numbers of 32 bits let LLVM write many cells at once.
    """
    width = np.int64(s.cols) + 1
    edge = 0
    for plane in range(2):
        count = width - 1 + plane
        last = np.int64(s.rows) - plane
        cell, bits, used = 0, ZERO, 0
        for row in range(np.int64(s.rows) + 1):
            if row <= last:
                bits |= _read_edges(s, edge, count) << np.uint64(used)
                edge += count
            used += width
            if row == np.int64(s.rows) or used + width > 64:
                for k in range(used):
                    out[plane, np.uint64(cell + k)] = np.float32(np.int32((bits >> np.uint64(k)) & ONE))
                cell, bits, used = cell + used, ZERO, 0


@jitable_no_alloc
def _read_edges(s: State, edge: int, count: int) -> np.uint64:
    """Return a word with a bit for each of `count` edges from `edge` on: 1 if it is free."""
    word, offset = np.uint64(edge >> 6), edge & 63
    bits = s.free[word] >> np.uint64(offset)
    if offset + count > 64:
        bits |= s.free[word + ONE] << np.uint64(64 - offset)
    return bits & ((ONE << np.uint64(count)) - ONE)


@jitable_no_alloc
def _write_boxes(s: State, seat: int, parties: int, out: Planes) -> None:
    """Write owners by party, that of the seat first, drawn sides and values of the boxes, and 0 for other cells.

    These are the border boxes at the right and on top, of which nothing but drawn sides is known.
    """
    width, cells = np.int64(s.cols) + 1, out.shape[1]
    first = width + 1
    for party in range(parties):
        owner, party_mask = np.int32((seat + party) % parties), np.int32(s.party_mask)
        for k in range(cells):
            mark = np.int32(s.box[np.uint64(first + k)]) >> np.int32(OWNER_SHIFT)
            is_own = np.int32(mark > 0) & np.int32((mark - np.int32(1)) & party_mask == owner)
            out[2 + party, k] = np.float32(is_own)
    sides = 2 + parties
    for k in range(cells):
        drawn = np.int32(s.box[np.uint64(first + k)]) & np.int32(SIDES)
        out[sides, k] = np.float32(drawn) * np.float32(0.25)
    for k in range(cells):
        out[sides + 1, k] = np.float32(np.int32(s.value[np.uint64(first + k)])) / np.float32(9)
    for k in range(width - 1, cells, width):
        out[sides, k] = 0.0
    for k in range(cells - width, cells - 1):
        out[sides, k] = 0.0


@jitable_no_alloc
def write_planes(s: State, seat: int, out: Planes) -> None:
    """Write the planes that `plane_names` names; all is open."""
    parties = min(np.int64(s.players), np.int64(s.party_mask) + 1)
    _write_edges(s, out)
    _write_boxes(s, seat, parties, out)
    if len(out) > 2 + parties + 3:
        _write_blockers(s, seat, 4 + parties, out)


@jitable_no_alloc
def _write_blockers(s: State, seat: int, first: int, out: Planes) -> None:
    """Write the planes of a game with blockers, from the plane `first` on."""
    width, players = np.int64(s.cols) + 1, np.int64(s.players)
    fill_plane(out, first, 0.0)
    fill_plane(out, first + 1, 0.0)
    for row in range(np.int64(s.rows)):
        for cell in range(row * width, row * width + width - 1):
            byte = np.int64(s.box[width + 1 + cell])
            out[first, cell] = (byte & BLOCKED) != 0
            out[first + 1, cell] = (byte & CLOSED) != 0 or (byte & SIDES) == 4
    for k in range(players):
        left = np.int64(s.blockers[(seat + k) % players])
        fill_plane(out, first + _BLOCKER_PLANES + k, np.float32(left) / np.float32(_MOST_BLOCKERS))
