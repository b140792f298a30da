"""The scratch board: a copy of a position on which playouts draw edges and take them back.

Only the free edges and the numbers of drawn sides change; points and the turn stay as they are. While it works on a
copy, a playout uses three more bits of the bytes of `box`, which boxes that are not completed leave free.
"""

import numpy as np

from fourcorners.builtin.squarin_off.rules import (
    BLOCKED,
    BOX_SLOTS,
    MAX_CHAINS,
    MAX_MARGINS,
    SIDES,
    count_edges,
    count_words,
    find_boxes_beside,
    is_free,
)
from fourcorners.core.arrays import State
from fourcorners.core.bits import ONE, ZERO, bit, lowest_bit
from fourcorners.core.jit import jitable_no_alloc

GROUND = 128
"""The bit of boxes without anything to win: the border, blocked boxes and worthless ones."""
VISITED_BITS = 96
"""Two bits with which walks mark the boxes of chains that they have seen."""
VISITED = 32
KIND = GROUND | SIDES
"""The bits of the kind of a box: `byte & KIND` is one of the next three, fewer sides, or at least GROUND."""
COMPLETE, CAPTURABLE, LINK = 4, 3, 2


@jitable_no_alloc
def mark_ground(s: State) -> None:
    """Set the GROUND bit of the border, of blocked boxes and of those worth nothing, in place, unless completed.
    In completed boxes the bit is part of the owner.
    """
    # Reviews and puzzles call this in Python, where each field of a record takes a microsecond.
    boxes, values = s.box, s.value
    for box in range(BOX_SLOTS):
        byte = np.int64(boxes[box])
        if byte & SIDES != COMPLETE and (values[box] == 0 or byte & BLOCKED != 0):
            boxes[box] = byte | GROUND


@jitable_no_alloc
def clear_bits(s: State, bits: int) -> None:
    """Clear bits in place in all boxes not completed: GROUND undoes `mark_ground`, VISITED_BITS make walks begin anew.
    In completed boxes the same bits hold the owner.
    """
    for box in range(BOX_SLOTS):
        byte = np.int64(s.box[box])
        if byte & SIDES != COMPLETE:
            s.box[box] = byte & ~bits


@jitable_no_alloc
def draw_edge(s: State, edge: int) -> None:
    """Draw a free edge (not checked) in place without scoring: only `free` and the sides of the two boxes change.
    `restore_edges` takes it back. Indices are unsigned as in `rules.play`.
    """
    word = np.uint64(edge >> 6)
    s.free[word] = s.free[word] & ~bit(edge & 63)
    below, above = find_boxes_beside(s, edge)
    s.box[np.uint64(below)] = np.int64(s.box[np.uint64(below)]) + 1
    s.box[np.uint64(above)] = np.int64(s.box[np.uint64(above)]) + 1


@jitable_no_alloc
def save_edges(s: State) -> None:
    """Copy the free edges to `s.saved_free`, for `restore_edges`; an earlier copy is overwritten."""
    for word in range(count_words(s)):
        s.saved_free[word] = s.free[word]


@jitable_no_alloc
def restore_edges(s: State) -> None:
    """Take back all edges drawn since `save_edges`, and zero the whole scratch space of the record and VISITED bits.
    Each call needs a `save_edges` before it: without one all edges would become drawn.
    """
    for word in range(count_words(s)):
        drawn = s.saved_free[word] & ~s.free[word]
        s.free[word] = s.saved_free[word]
        s.saved_free[word] = ZERO
        while drawn != ZERO:
            below, above = find_boxes_beside(s, (word << 6) + lowest_bit(drawn))
            drawn = drawn & (drawn - ONE)
            s.box[below] = np.int64(s.box[below]) - 1
            s.box[above] = np.int64(s.box[above]) - 1
    clear_bits(s, VISITED_BITS)
    for i in range(MAX_CHAINS):
        s.chain_value[i] = s.chain_handout[i] = s.chain_spots[i] = 0
    for i in range(MAX_MARGINS):
        s.margins[i] = 0


@jitable_no_alloc
def can_gain_side(s: State, box: int) -> bool:
    """Return whether one more side of a box gives nothing away: it is ground, or no link yet. Needs marked ground."""
    return np.int64(s.box[np.uint64(box)]) & KIND < LINK or np.int64(s.box[np.uint64(box)]) & GROUND != 0


@jitable_no_alloc
def is_safe_edge(s: State, edge: int) -> bool:
    """Return whether a free edge gives nothing away and captures nothing; boxes that are ground do not count.
    Needs marked ground.
    """
    below, above = find_boxes_beside(s, edge)
    return can_gain_side(s, below) and can_gain_side(s, above)


@jitable_no_alloc
def has_safe_edge(s: State) -> bool:
    """Return whether any free edge is safe (see `is_safe_edge`). Needs marked ground."""
    for edge in range(count_edges(s)):
        if is_free(s, edge) and is_safe_edge(s, edge):
            return True
    return False
