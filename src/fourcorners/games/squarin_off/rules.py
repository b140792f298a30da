"""The rules of Squarin' Off, and of Dots and Boxes with it, over one record.

Edges are numbered from 0: the horizontal ones row by row from the bottom, then the vertical ones likewise. Boxes lie
in `box` with a border of closed ones around them, so that every edge has a box on either side and every box eight
around it: box (column, row) is `(row + 1) * (cols + 1) + column + 1`.
An action is an edge, or `BLOCKER + 4 * box + side`: a blocker on that box and then its edge on that side.
"""

from __future__ import annotations

import numpy as np

from fourcorners.core.bits import ONE, ZERO, Rng, bit, lowest_bit, nth_bit, popcount, random_below
from fourcorners.core.dispatch import Actions, Points, State
from fourcorners.core.jit import jitable
from fourcorners.games.squarin_off.options import SquarinOffOptions

MAX_SEATS = 4
MAX_PLIES = 840
BLOCKER = 1024
BOTTOM, RIGHT, TOP, LEFT = 0, 1, 2, 3
BOXES = 464
MOST_GIFTS = 80
MOST_STATES = 112

# A byte of `box`: how many sides are drawn, whether a blocker is on it or near it, and 1 + the purse that owns it.
SIDES, BLOCKED, NEAR, OWNER_SHIFT = 7, 8, 16, 5
CLOSED = BLOCKED | NEAR

DTYPE: np.dtype[np.void] = np.dtype(
    [
        ("free", np.uint64, 14),
        ("points", np.int32, 4),  # by purse: partners share one
        ("reciprocal", np.int32),  # 2**16 / cols, rounded up: divides an edge by cols
        ("left", np.int16),  # free edges
        ("room", np.int16),  # pairs of a box open to a blocker and a free side of it; 0 when no blocker is left
        ("held", np.int16),  # blockers left, of all seats
        ("horizontals", np.int16),
        ("blockers", np.uint8, 4),
        ("cols", np.uint8),
        ("rows", np.uint8),
        ("players", np.uint8),
        ("turn", np.uint8),
        ("purses", np.uint8),  # a mask: the purse of a seat is `seat & purses`
        ("classic", np.uint8),
        ("pad", np.uint8, 2),
        ("box", np.uint8, BOXES),
        ("value", np.uint8, BOXES),
        # Room to work in for `ending.py`, on copies; in a position always 0.
        ("gift", np.int16, MOST_GIFTS),
        ("back", np.int16, MOST_GIFTS),
        ("spots", np.int16, MOST_GIFTS),
        ("margin", np.int16, MOST_STATES),
        ("kept", np.uint64, 14),
    ]
)


def start(s: State, options: SquarinOffOptions, deck: tuple[str, ...]) -> None:
    """Fill a zeroed record with the start of a game."""
    cols, rows = options.cols, options.rows
    stride = cols + 1
    edges = (rows + 1) * cols + rows * stride
    for word in range(14):
        here = min(64, max(0, edges - 64 * word))
        s.free[word] = np.uint64((1 << here) - 1)
    s.cols, s.rows, s.left, s.horizontals = cols, rows, edges, (rows + 1) * cols
    s.reciprocal = -(-65536 // cols)
    s.players, s.purses, s.classic = options.players, 1 if options.teams else 3, options.edition == "classic"
    for seat, count in enumerate(options.blockers):
        s.blockers[seat] = count
    s.held = sum(options.blockers)
    s.room = 4 * cols * rows if s.held else 0
    s.box[:] = NEAR
    for row in range(rows):
        first = (row + 1) * stride + 1
        s.box[first : first + cols] = 0
        s.value[first : first + cols] = [int(digit) for digit in options.values[rows - 1 - row]]


@jitable
def beside(s: State, edge: int) -> tuple[int, int]:
    """Return the boxes below and above an edge, or left and right of it."""
    stride = np.int64(s.cols) + 1
    along = edge - np.int64(s.horizontals)
    vertical = along >= 0
    first = along + stride if vertical else edge + ((edge * np.int64(s.reciprocal)) >> 16) + 1
    return first, first + (1 if vertical else stride)


@jitable
def edge_of(s: State, box: int, side: int) -> int:
    """Return the edge on a side of a box."""
    stride = np.int64(s.cols) + 1
    cell = box - 1 - stride
    if side == LEFT:
        return np.int64(s.horizontals) + cell
    if side == RIGHT:
        return np.int64(s.horizontals) + cell + 1
    below = cell - cell // stride
    if side == BOTTOM:
        return below
    return below + np.int64(s.cols)


@jitable
def is_free(s: State, edge: int) -> bool:
    """Tell whether an edge is not yet drawn."""
    return (s.free[edge >> 6] >> np.uint64(edge & 63)) & ONE != ZERO


@jitable
def end_of_boxes(s: State) -> int:
    """Return the number after that of the last box."""
    return (np.int64(s.rows) + 1) * (np.int64(s.cols) + 1)


@jitable
def is_open(s: State, box: int) -> bool:
    """Tell whether a blocker may be put on a box: not completed, not blocked, no blocker around it."""
    byte = np.int64(s.box[box])
    return (byte & CLOSED) == 0 and (byte & SIDES) != 4


@jitable
def close(s: State, box: int) -> None:
    """Mark a box as blocked, and those around it as near a blocker."""
    stride = np.int64(s.cols) + 1
    for row in range(box - stride, box + stride + 1, stride):
        for around in range(row - 1, row + 2):
            s.box[around] = np.int64(s.box[around]) | NEAR
    s.box[box] = np.int64(s.box[box]) | BLOCKED


@jitable
def count_room(s: State) -> int:
    """Count the pairs of an open box and a free side of it."""
    room = 0
    for box in range(np.int64(s.cols) + 2, end_of_boxes(s)):
        byte = np.int64(s.box[box])
        if (byte & CLOSED) == 0:
            room += 4 - (byte & SIDES)
    return room


@jitable
def words(s: State) -> int:
    """Return how many words of `free` the board uses."""
    return (np.int64(s.horizontals) + (np.int64(s.cols) + 1) * np.int64(s.rows) + 63) >> 6


@jitable
def bound(s: State) -> int:
    """Return how many actions there are at most."""
    return np.int64(s.left) + np.int64(s.room)


@jitable
def legal(s: State, out: Actions) -> int:
    """Write the free edges (R4: any may be drawn), then the moves with a blocker."""
    n = 0
    for word in range(words(s)):
        free = s.free[word]
        while free != ZERO:
            out[n] = (word << 6) + lowest_bit(free)
            free = free & (free - ONE)
            n += 1
    if np.int64(s.room) > 0 and np.int64(s.blockers[s.turn]) > 0:
        for box in range(np.int64(s.cols) + 2, end_of_boxes(s)):
            if is_open(s, box):
                for side in range(4):
                    if is_free(s, edge_of(s, box, side)):
                        out[n] = BLOCKER + 4 * box + side
                        n += 1
    return n


@jitable
def pick(s: State, rng: Rng) -> int:
    """Return a legal action, each with the same chance."""
    left = np.int64(s.left)
    total = left
    if np.int64(s.room) > 0 and np.int64(s.blockers[s.turn]) > 0:
        total = left + np.int64(s.room)
    k = random_below(rng, total)
    if k < left:
        # All words are counted: a loop that stopped at the right one would stop unpredictably, which costs more.
        word, before, count = 0, 0, 0
        for w in range(words(s) - 1):
            count += popcount(s.free[np.uint64(w)])
            word = w + 1 if k >= count else word
            before = count if k >= count else before
        return (word << 6) + nth_bit(s.free[np.uint64(word)], k - before)
    return _pick_blocker(s, k - left)


@jitable
def _pick_blocker(s: State, k: int) -> int:
    box = np.int64(s.cols) + 1
    sides = 0
    while k >= 0:
        box += 1
        byte = np.int64(s.box[box])
        sides = 4 - (byte & SIDES) if (byte & CLOSED) == 0 else 0
        k -= sides
    side = -1
    while k < 0:
        side += 1
        if is_free(s, edge_of(s, box, side)):
            k += 1
    return BLOCKER + 4 * box + side


@jitable
def play(s: State, action: int) -> None:
    """Put the blocker, if there is one; draw the edge; mark what it completes; keep the turn or pass it.

    What random play cannot foresee is computed without branches; unsigned indices spare a test for negative ones.
    """
    with_blocker = action >= BLOCKER
    edge = _put_blocker(s, action) if with_blocker else action
    word = np.uint64(edge >> 6)
    s.free[word] = s.free[word] & ~bit(edge & 63)
    s.left = np.int64(s.left) - 1
    below, above = beside(s, edge)
    first, second = np.uint64(below), np.uint64(above)
    one, two = np.int64(s.box[first]) + 1, np.int64(s.box[second]) + 1
    if np.int64(s.room) > 0:
        s.room = np.int64(s.room) - np.int64((one & CLOSED) == 0) - np.int64((two & CLOSED) == 0)
    one_done, two_done = np.int64((one & (SIDES | BLOCKED)) == 4), np.int64((two & (SIDES | BLOCKED)) == 4)
    purse = np.int64(s.turn) & np.int64(s.purses)
    mark = (purse + 1) << OWNER_SHIFT
    s.box[first] = one + one_done * mark
    s.box[second] = two + two_done * mark
    gained = one_done * np.int64(s.value[first]) + two_done * np.int64(s.value[second])
    s.points[purse] = np.int64(s.points[purse]) + gained
    goes_on = (one_done | two_done) & (np.int64(s.classic) | np.int64(not with_blocker))
    turn = np.int64(s.turn) + 1 - goes_on
    s.turn = turn if turn < np.int64(s.players) else 0


@jitable
def _put_blocker(s: State, action: int) -> int:
    """Take a blocker from the seat to move and put it on its box; return the edge that is to be drawn."""
    box = (action - BLOCKER) >> 2
    seat = np.int64(s.turn)
    s.blockers[seat] = np.int64(s.blockers[seat]) - 1
    s.held = np.int64(s.held) - 1
    close(s, box)
    s.room = count_room(s) if np.int64(s.held) > 0 else 0
    return edge_of(s, box, action & 3)


@jitable
def to_move(s: State) -> int:
    """Return the seat to move."""
    return np.int64(s.turn)


@jitable
def is_over(s: State) -> bool:
    """Tell whether all edges are drawn, those beside blocked boxes too (R5)."""
    return np.int64(s.left) == 0


@jitable
def points(s: State, out: Points) -> None:
    """Write the points of every seat; partners have their team's."""
    purses = np.int64(s.purses)
    for seat in range(MAX_SEATS):
        out[seat] = s.points[seat & purses]
