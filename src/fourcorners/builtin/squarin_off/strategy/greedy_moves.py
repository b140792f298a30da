"""The moves of a player that does not look ahead, one function for each kind of move.

All functions work on a scratch copy with marked ground (see `scratch_board.py`) and leave it as they found it.
"""

import numpy as np

from fourcorners.builtin.squarin_off.rules import BLOCKER, CLOSED, has_two_parties
from fourcorners.builtin.squarin_off.strategy.chain_values import compute_opener_margin
from fourcorners.builtin.squarin_off.strategy.endgame_playout import (
    MAX_MARGIN,
    NO_HANDOUT,
    capture_boxes,
    find_chain_end,
    measure_chain,
    open_all_chains,
)
from fourcorners.builtin.squarin_off.strategy.geometry import (
    get_free_sides,
    get_neighbour,
    get_neighbour_row,
    get_row_edge,
    get_single_side,
)
from fourcorners.builtin.squarin_off.strategy.scratch_board import (
    CAPTURABLE,
    KIND,
    LINK,
    VISITED,
    VISITED_BITS,
    can_gain_side,
    clear_bits,
    has_safe_edge,
    restore_edges,
    save_edges,
)
from fourcorners.core.arrays import Rng, State
from fourcorners.core.bits import random_below
from fourcorners.core.jit import jitable_no_alloc

_CHAIN_HANDOUT, _LOOP_HANDOUT = 2, 4
"""The number of boxes handed out from a chain and from a loop."""


@jitable_no_alloc
def follow_captures(s: State, box: int, row: int) -> tuple[int, bool, int]:
    """Follow the captures that begin at a CAPTURABLE box, without drawing anything; `row` must be the box's row.

    Return the number of boxes that can be captured in a row, whether the last of them is another CAPTURABLE box (the
    boxes are then an opened loop), and the edge by which the chain leaves its second box, -1 if it does not: drawing
    this edge hands the boxes out if `can_be_handed_out`.
    """
    count, entry, second = 1, -1, -1
    while True:
        mask = get_free_sides(s, box, row)
        side = get_single_side(mask if entry < 0 else mask & ~(1 << entry))
        if count == 2:
            second = get_row_edge(s, box, row, side)
        box, row = get_neighbour(s, box, side), get_neighbour_row(row, side)
        kind = np.int64(s.box[box]) & KIND
        if kind == CAPTURABLE:
            return count + 1, True, second
        if kind != LINK:
            return count, False, second
        count += 1
        entry = side ^ 2


@jitable_no_alloc
def can_be_handed_out(count: int, closed: bool) -> bool:  # noqa: FBT001  # compiled code takes no keywords
    """Return whether the last `count` capturable boxes, of an opened loop if `closed`, can be handed out."""
    return count == (_LOOP_HANDOUT if closed else _CHAIN_HANDOUT)


@jitable_no_alloc
def find_capture(s: State, hands_out: bool, block_weight: float) -> int:  # noqa: FBT001  # compiled code takes no keywords
    """Return an edge that completes a CAPTURABLE box, -1 if there is none, or the edge of a handout that is better.

    Hands out only if `hands_out`, and only when the boxes of one handout are all that can still be captured;
    `block_weight` 0 leaves blockers out of that comparison. The scratch space of `s` must be zero, and is so again
    afterwards.
    """
    found, handout, ends = -1, -1, 0
    stride = np.int64(s.cols) + 1
    for row in range(np.int64(s.rows)):
        first = (row + 1) * stride + 1
        for box in range(first, first + stride - 1):
            if np.int64(s.box[box]) & KIND != CAPTURABLE:
                continue
            edge = get_row_edge(s, box, row, get_single_side(get_free_sides(s, box, row)))
            if not hands_out:
                return edge
            count, closed, second = follow_captures(s, box, row)
            if not can_be_handed_out(count, closed):
                return edge
            ends += 1 if closed else 2  # an opened loop has two capturable ends, a chain one: each makes 2
            found, handout = edge, second
    if ends == 2 and is_handout_better_than_capturing(s, block_weight):
        return handout
    return found


@jitable_no_alloc
def is_handout_better_than_capturing(s: State, block_weight: float) -> bool:
    """Return whether a handout beats capturing all; never with more than two parties, or if capturing all would leave a
    safe edge, or if nothing can be handed out. Captures all and opens the chains on `s`, a scratch copy with marked
    ground and zero scratch space, and restores it; `block_weight` 0 leaves blockers out.
    """
    if not has_two_parties(s):
        return False
    save_edges(s)
    _, handout = capture_boxes(s)
    better = False
    if not has_safe_edge(s):
        margin = compute_opener_margin(s, open_all_chains(s, False), np.int64(s.turn) & 1, block_weight)
        # T - 2r - W > T + W, see `compute_margin`.
        better = handout != NO_HANDOUT and margin < -handout
    restore_edges(s)
    return better


@jitable_no_alloc
def pick_cheapest_opening(s: State, rng: Rng) -> int:
    """Return an edge that opens the cheapest chain or loop, at random among equals; -1 if there is none.
    Half the time, and always in a chain of two boxes, the edge lies one box further inside. Nothing may be capturable.
    Uses the VISITED bits, which must be 0 and are 0 again afterwards.
    """
    stride = np.int64(s.cols) + 1
    found, cheapest, ties = -1, MAX_MARGIN, 0
    inside = random_below(rng, 2)
    for row in range(np.int64(s.rows)):
        first = (row + 1) * stride + 1
        for box in range(first, first + stride - 1):
            byte = np.int64(s.box[box])
            if byte & KIND != LINK or byte & VISITED != 0:
                continue
            end, end_row, side = find_chain_end(s, box, row)
            count, total, _ = measure_chain(s, end, end_row, side, VISITED)
            if total > cheapest:
                continue
            ties = ties + 1 if total == cheapest else 1
            if ties > 1 and random_below(rng, ties) != 0:
                continue
            cheapest = total
            # Opened in its middle, a chain of two boxes leaves nothing to hand back.
            if count == _CHAIN_HANDOUT or inside == 1:
                side = get_single_side(get_free_sides(s, end, end_row) & ~(1 << side))
            found = get_row_edge(s, end, end_row, side)
    clear_bits(s, VISITED_BITS)
    return found


@jitable_no_alloc
def pick_safe_blocker(s: State, rng: Rng) -> int:
    """Return a random action that lays a blocker on the end of a chain, draws the edge that leads out of it there, and
    opens nothing; -1 if there is none, or if the seat to move has no blocker. A chain of one box is left alone.
    """
    if np.int64(s.blocker_moves) == 0 or np.int64(s.blockers[s.turn]) == 0:
        return -1
    stride = np.int64(s.cols) + 1
    found, count = -1, 0
    for row in range(np.int64(s.rows)):
        first = (row + 1) * stride + 1
        for box in range(first, first + stride - 1):
            if np.int64(s.box[box]) & (KIND | CLOSED) != LINK:
                continue
            mask = get_free_sides(s, box, row)
            for side in range(4):
                if mask & (1 << side) == 0 or not can_gain_side(s, get_neighbour(s, box, side)):
                    continue
                forward = get_single_side(mask & ~(1 << side))
                if np.int64(s.box[get_neighbour(s, box, forward)]) & KIND == LINK:
                    count += 1
                    if random_below(rng, count) == 0:
                        found = BLOCKER + 4 * box + side
    return found
