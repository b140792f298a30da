"""The rules of Squarin' Off, and of its preset Dots and Boxes, over one record.

Edges are numbered from 0: first the horizontal ones row by row from the bottom, then the vertical ones in the same
order. Box (column, row) has the number `(row + 1) * (cols + 1) + column + 1`. The slots around the board form a border
of boxes closed to blockers, so every edge has a box on either side and every box has eight around it.

An action is an edge number, or `BLOCKER + 4 * box + side` for a blocker on that box followed by the edge on that side.

A *party* is a seat or, in a team game, two partners who share their points.
"""

import numpy as np

from fourcorners.builtin.squarin_off.options import SquarinOffOptions
from fourcorners.core.arrays import Actions, Points, Rng, State
from fourcorners.core.bits import ONE, ZERO, bit, lowest_bit, nth_bit, popcount, random_below
from fourcorners.core.jit import jitable

MAX_SEATS = 4
MAX_PLIES = 840
BLOCKER = 1024
"""The first action code with a blocker; all lower ones are edges."""
BOTTOM, RIGHT, TOP, LEFT = 0, 1, 2, 3
BOX_SLOTS = 464
"""The length of `box` and `value`: the boxes of a 20 x 20 board with their border."""
EDGE_WORDS = 14
MAX_CHAINS = 80
MAX_MARGINS = 112  # at least 100, the most boxes of a 20 x 20 board that do not touch each other

# A byte of `box` holds the number of drawn sides, whether a blocker is on the box or next to it, and 1 + the owner.
SIDES, BLOCKED, NEAR, OWNER_SHIFT = 7, 8, 16, 5
CLOSED = BLOCKED | NEAR
"""A box with either bit takes no blocker."""

DTYPE: np.dtype[np.void] = np.dtype(
    [
        ("free", np.uint64, EDGE_WORDS),  # a bit for each edge that is not drawn
        ("points", np.int32, 4),  # by party
        ("reciprocal", np.int32),  # 2**16 / cols, rounded up: divides a horizontal edge by cols
        ("edges_left", np.int16),
        ("blocker_moves", np.int16),  # free sides of boxes that can take a blocker; 0 when no seat has a blocker left
        ("blockers_left", np.int16),  # of all seats together
        ("horizontal_edges", np.int16),
        ("blockers", np.uint8, 4),  # left, by seat
        ("cols", np.uint8),
        ("rows", np.uint8),
        ("players", np.uint8),
        ("turn", np.uint8),  # the seat to move
        ("party_mask", np.uint8),  # the party of a seat is `seat & party_mask`
        ("classic", np.uint8),  # whether the edition is "classic"
        ("chip_mask", np.uint8),  # the owner of a box that a seat completes is `seat & chip_mask`
        ("pad", np.uint8),
        ("box", np.uint8, BOX_SLOTS),
        ("value", np.uint8, BOX_SLOTS),
        # Scratch space of `strategy/endgame_playout.py`, used on copies; always 0 in a position.
        ("chain_value", np.int16, MAX_CHAINS),
        ("chain_handout", np.int16, MAX_CHAINS),
        ("chain_spots", np.int16, MAX_CHAINS),
        ("margins", np.int16, MAX_MARGINS),
        ("saved_free", np.uint64, EDGE_WORDS),
    ]
)


def start(s: State, options: SquarinOffOptions, deck: tuple[str, ...]) -> None:
    """Fill a zeroed record in place with the start of a game, seat 0 to move; `deck` is empty and not used."""
    cols, rows = options.cols, options.rows
    stride = cols + 1
    edges = (rows + 1) * cols + rows * stride
    for word in range(EDGE_WORDS):
        here = min(64, max(0, edges - 64 * word))
        s.free[word] = np.uint64((1 << here) - 1)
    s.cols, s.rows, s.edges_left, s.horizontal_edges = cols, rows, edges, (rows + 1) * cols
    s.reciprocal = -(-65536 // cols)
    s.players, s.party_mask, s.classic = options.players, 1 if options.teams else 3, options.edition == "classic"
    s.chip_mask = 3 if options.chips == "own" else s.party_mask
    for seat, count in enumerate(options.blockers):
        s.blockers[seat] = count
    s.blockers_left = sum(options.blockers)
    s.blocker_moves = 4 * cols * rows if s.blockers_left else 0
    s.box[: (rows + 2) * stride + 1] = NEAR  # the boxes of the board and its border
    for row in range(rows):
        first = (row + 1) * stride + 1
        s.box[first : first + cols] = 0
        s.value[first : first + cols] = [int(digit) for digit in options.values[rows - 1 - row]]


@jitable
def find_boxes_beside(s: State, edge: int) -> tuple[int, int]:
    """Return the boxes below and above a horizontal edge, or left and right of a vertical one; some are border."""
    stride = np.int64(s.cols) + 1
    along = edge - np.int64(s.horizontal_edges)
    vertical = along >= 0
    first = along + stride if vertical else edge + ((edge * np.int64(s.reciprocal)) >> 16) + 1
    return first, first + (1 if vertical else stride)


@jitable
def get_edge(s: State, box: int, side: int) -> int:
    """Return the edge on a side (0 bottom, 1 right, 2 top, 3 left) of a box of the board, not of its border."""
    stride = np.int64(s.cols) + 1
    cell = box - 1 - stride
    if side == LEFT:
        return np.int64(s.horizontal_edges) + cell
    if side == RIGHT:
        return np.int64(s.horizontal_edges) + cell + 1
    below = cell - cell // stride
    if side == BOTTOM:
        return below
    return below + np.int64(s.cols)


@jitable
def is_free(s: State, edge: int) -> bool:
    """Return whether an edge is not drawn yet."""
    return (s.free[edge >> 6] >> np.uint64(edge & 63)) & ONE != ZERO


@jitable
def get_box_stop(s: State) -> int:
    """Return the number after that of the last box of the board."""
    return (np.int64(s.rows) + 1) * (np.int64(s.cols) + 1)


@jitable
def can_take_blocker(s: State, box: int) -> bool:
    """Return whether a blocker may go on a box: not completed, not blocked, and no blocker on the boxes around it."""
    byte = np.int64(s.box[box])
    return (byte & CLOSED) == 0 and (byte & SIDES) != 4


@jitable
def block_box(s: State, box: int) -> None:
    """Mark a box of the board as BLOCKED, and it and the eight around it as NEAR, in place; no count changes."""
    stride = np.int64(s.cols) + 1
    for row in range(box - stride, box + stride + 1, stride):
        for around in range(row - 1, row + 2):
            s.box[around] = np.int64(s.box[around]) | NEAR
    s.box[box] = np.int64(s.box[box]) | BLOCKED


@jitable
def count_blocker_moves(s: State) -> int:
    """Count the free sides of all boxes that can take a blocker, whether or not a seat has one left."""
    count = 0
    for box in range(np.int64(s.cols) + 2, get_box_stop(s)):
        byte = np.int64(s.box[box])
        if (byte & CLOSED) == 0:
            count += 4 - (byte & SIDES)
    return count


@jitable
def count_edges(s: State) -> int:
    """Return the number of edges of the board, drawn or free."""
    return np.int64(s.horizontal_edges) + (np.int64(s.cols) + 1) * np.int64(s.rows)


@jitable
def count_words(s: State) -> int:
    """Return the number of words of `free` that the board uses."""
    return (count_edges(s) + 63) >> 6


@jitable
def has_two_parties(s: State) -> bool:
    """Return whether two players or two teams play, so that what one wins the other loses."""
    return np.int64(s.players) == 2 or np.int64(s.party_mask) == 1


@jitable
def bound(s: State) -> int:
    """Return a number that the count of legal actions does not exceed."""
    return np.int64(s.edges_left) + np.int64(s.blocker_moves)


@jitable
def legal(s: State, out: Actions) -> int:
    """Write the legal actions to `out`, of length `bound(s)` or more, and return how many; 0 if the game is over.
    First come the free edges in ascending order (R4: any may be drawn), then the moves with a blocker by box and side.
    """
    n = 0
    for word in range(count_words(s)):
        free = s.free[word]
        while free != ZERO:
            out[n] = (word << 6) + lowest_bit(free)
            free = free & (free - ONE)
            n += 1
    if np.int64(s.blocker_moves) > 0 and np.int64(s.blockers[s.turn]) > 0:
        for box in range(np.int64(s.cols) + 2, get_box_stop(s)):
            if can_take_blocker(s, box):
                for side in range(4):
                    if is_free(s, get_edge(s, box, side)):
                        out[n] = BLOCKER + 4 * box + side
                        n += 1
    return n


@jitable
def pick(s: State, rng: Rng) -> int:
    """Return a legal action, each with the same probability; the game must not be over (not checked)."""
    edges = np.int64(s.edges_left)
    total = edges
    if np.int64(s.blocker_moves) > 0 and np.int64(s.blockers[s.turn]) > 0:
        total = edges + np.int64(s.blocker_moves)
    k = random_below(rng, total)
    if k < edges:
        # Count in all words: a loop that stops at the right one mispredicts its last branch, which costs more.
        word, before, count = 0, 0, 0
        for w in range(count_words(s) - 1):
            count += popcount(s.free[np.uint64(w)])
            word = w + 1 if k >= count else word
            before = count if k >= count else before
        return (word << 6) + nth_bit(s.free[np.uint64(word)], k - before)
    return _pick_blocker_move(s, k - edges)


@jitable
def _pick_blocker_move(s: State, k: int) -> int:
    """Return a move with a blocker, each for one `k` from 0 on: boxes in the order of `legal`, the sides of a box from
    last to first. `k` must be 0 or more and below their number (not checked).
    """
    box = np.int64(s.cols) + 1
    sides = 0
    while k >= 0:
        box += 1
        byte = np.int64(s.box[box])
        sides = 4 - (byte & SIDES) if (byte & CLOSED) == 0 else 0
        k -= sides
    # Now -k free sides, counted from the bottom, lead to the one picked.
    side = -1
    while k < 0:
        side += 1
        if is_free(s, get_edge(s, box, side)):
            k += 1
    return BLOCKER + 4 * box + side


@jitable
def play(s: State, action: int) -> None:
    """Play an action in place: place the blocker, if any; draw the edge; score boxes; keep the turn or pass it.
    The action is trusted to be legal. Whether a box is completed is random in playouts, so that part is computed
    without branches, which would be mispredicted. Unsigned indices spare Numba the test for negative ones.
    """
    with_blocker = action >= BLOCKER
    edge = _place_blocker(s, action) if with_blocker else action
    word = np.uint64(edge >> 6)
    s.free[word] = s.free[word] & ~bit(edge & 63)
    s.edges_left = np.int64(s.edges_left) - 1
    below, above = find_boxes_beside(s, edge)
    first, second = np.uint64(below), np.uint64(above)
    one, two = np.int64(s.box[first]) + 1, np.int64(s.box[second]) + 1
    if np.int64(s.blocker_moves) > 0:
        lost = np.int64((one & CLOSED) == 0) + np.int64((two & CLOSED) == 0)
        s.blocker_moves = np.int64(s.blocker_moves) - lost
    one_done, two_done = np.int64((one & (SIDES | BLOCKED)) == 4), np.int64((two & (SIDES | BLOCKED)) == 4)
    party = np.int64(s.turn) & np.int64(s.party_mask)
    mark = ((np.int64(s.turn) & np.int64(s.chip_mask)) + 1) << OWNER_SHIFT
    s.box[first] = one + one_done * mark
    s.box[second] = two + two_done * mark
    gained = one_done * np.int64(s.value[first]) + two_done * np.int64(s.value[second])
    s.points[party] = np.int64(s.points[party]) + gained
    goes_on = (one_done | two_done) & (np.int64(s.classic) | np.int64(not with_blocker))
    turn = np.int64(s.turn) + 1 - goes_on
    s.turn = turn if turn < np.int64(s.players) else 0


@jitable
def _place_blocker(s: State, action: int) -> int:
    """Place a blocker of the seat to move, in place, and count anew; return the edge that the action then draws."""
    box = (action - BLOCKER) >> 2
    seat = np.int64(s.turn)
    s.blockers[seat] = np.int64(s.blockers[seat]) - 1
    s.blockers_left = np.int64(s.blockers_left) - 1
    block_box(s, box)
    s.blocker_moves = count_blocker_moves(s) if np.int64(s.blockers_left) > 0 else 0
    return get_edge(s, box, action & 3)


@jitable
def to_move(s: State) -> int:
    """Return the seat to move."""
    return np.int64(s.turn)


@jitable
def is_over(s: State) -> bool:
    """Return whether all edges are drawn, including edges with only blocked boxes beside them (R5)."""
    return np.int64(s.edges_left) == 0


@jitable
def points(s: State, out: Points) -> None:
    """Write the present points of MAX_SEATS seats to `out`, 0 for absent ones; partners have those of their team."""
    party_mask = np.int64(s.party_mask)
    for seat in range(MAX_SEATS):
        out[seat] = s.points[seat & party_mask]
