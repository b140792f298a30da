"""A rough playout to the end of the game, on a scratch copy of the position.

Everything that can be captured is captured, safe edges are drawn at random, and then all chains and loops are opened,
the cheapest first. The result is a list of chains, which `chain_values.py` turns into a margin.

Of a chain worth T the player who captures it may leave the last two boxes (of a loop the last four) as a *handout*
worth r, so that the opponent must open the next chain.
"""

import numpy as np

from fourcorners.builtin.squarin_off.rules import CLOSED, MAX_CHAINS, count_edges, is_free
from fourcorners.builtin.squarin_off.strategy.geometry import (
    get_free_sides,
    get_neighbour,
    get_neighbour_row,
    get_row_edge,
    get_single_side,
)
from fourcorners.builtin.squarin_off.strategy.scratch_board import (
    CAPTURABLE,
    COMPLETE,
    KIND,
    LINK,
    VISITED,
    VISITED_BITS,
    can_gain_side,
    draw_edge,
    is_safe_edge,
)
from fourcorners.core.arrays import Rng, State
from fourcorners.core.bits import ONE, random_word
from fourcorners.core.jit import jitable_no_alloc, jitable_wraparound

NO_HANDOUT = 30_000
"""In place of r: nothing can be handed out; the capturing party must take all."""
MAX_MARGIN = 1 << 20
_MIN_LONG_CHAIN, _MIN_LOOP = 3, 4
"""The least number of boxes of a chain and of a loop that allow a handout."""


@jitable_wraparound
def permute_number(i: int, key: np.uint64, bits: int) -> int:
    """Return the number at index `i`, below 2**bits, of a permutation of the numbers below 2**bits; `key` selects it.
    Each step is a bijection modulo 2**bits: multiplying by an odd number, and xoring the high half into the low one. So
    edges come in random order without an array to shuffle.
    """
    mask = np.uint64((1 << bits) - 1)
    half = np.uint64((bits + 1) >> 1)
    x = (np.uint64(i) * (key | ONE) + (key >> np.uint64(48))) & mask
    x = x ^ (x >> half)
    x = (x * ((key >> np.uint64(24)) | ONE)) & mask
    return np.int64(x ^ (x >> half))


@jitable_no_alloc
def count_bits(n: int) -> int:
    """Return the number of bits, at least 1, for the numbers from 0 to n - 1."""
    bits = 1
    while (1 << bits) < n:
        bits += 1
    return bits


@jitable_no_alloc
def draw_safe_edges(s: State, rng: Rng) -> int:
    """Draw safe edges of the scratch board in random order until none is left; return how many. Needs marked ground."""
    n = count_edges(s)
    bits, key = count_bits(n), random_word(rng)
    count = 0
    for i in range(1 << bits):
        edge = permute_number(i, key, bits)
        if edge < n and is_free(s, edge) and is_safe_edge(s, edge):
            draw_edge(s, edge)
            count += 1
    return count


@jitable_no_alloc
def pick_edge(s: State, rng: Rng, must_be_safe: bool) -> int:  # noqa: FBT001  # compiled code takes no keywords
    """Return a random free edge, or -1 if there is none; with `must_be_safe` a safe one, which needs marked ground."""
    n = count_edges(s)
    bits, key = count_bits(n), random_word(rng)
    for i in range(1 << bits):
        edge = permute_number(i, key, bits)
        if edge < n and is_free(s, edge) and (not must_be_safe or is_safe_edge(s, edge)):
            return edge
    return -1


@jitable_no_alloc
def capture_chain(s: State, box: int, row: int) -> tuple[int, int, int]:
    """Complete a box on the scratch board and go on with each box that an edge gives its third side; the last edge may
    also give the other end of an opened loop its fourth.

    `box` must be CAPTURABLE, with marked ground, and `row` its row. Draws the edges in `s` without scoring them. Return
    how many boxes were completed, their value, and that of the handout that was possible instead of completing the last
    of them, or NO_HANDOUT.
    """
    count, total, closed = 0, 0, False
    # The values of the last four boxes, the last one first.
    one, two, three, four = 0, 0, 0, 0
    while True:
        side = get_single_side(get_free_sides(s, box, row))
        draw_edge(s, get_row_edge(s, box, row, side))
        one, two, three, four = np.int64(s.value[box]), one, two, three
        count += 1
        total += one
        box, row = get_neighbour(s, box, side), get_neighbour_row(row, side)
        kind = np.int64(s.box[box]) & KIND
        if kind == COMPLETE:
            one, two, three, four = np.int64(s.value[box]), one, two, three
            count += 1
            total += one
            closed = True
        if kind != CAPTURABLE:
            break
    handout = NO_HANDOUT
    if closed and count >= _MIN_LOOP:
        handout = one + two + three + four
    elif not closed and count >= 2:
        handout = one + two
    return count, total, handout


@jitable_no_alloc
def capture_boxes(s: State) -> tuple[int, int]:
    """Make all captures on the scratch board; return their value (0 for none) and the least handout, or NO_HANDOUT.
    Needs marked ground.
    """
    total, handout = 0, NO_HANDOUT
    # One sweep suffices: an edge changes only the boxes beside it, and `capture_chain` follows those.
    stride = np.int64(s.cols) + 1
    for row in range(np.int64(s.rows)):
        first = (row + 1) * stride + 1
        for box in range(first, first + stride - 1):
            if np.int64(s.box[box]) & KIND == CAPTURABLE:
                _, chain_value, chain_handout = capture_chain(s, box, row)
                total += chain_value
                handout = min(handout, chain_handout)
    return total, handout


@jitable_no_alloc
def find_chain_end(s: State, box: int, row: int) -> tuple[int, int, int]:
    """Return an end of a link's chain: the last link, its row, and the side that leads out; of a loop, the link itself
    and one of its free sides. Needs marked ground; `row` must be the row of `box`, a LINK.
    """
    mask = get_free_sides(s, box, row)
    return follow_chain(s, box, row, get_single_side(mask & -mask))


@jitable_no_alloc
def follow_chain(s: State, box: int, row: int, side: int) -> tuple[int, int, int]:
    """Return an end as `find_chain_end` does: the one that `side`, a free side of the link, leads to."""
    start = box
    while True:
        neighbour = get_neighbour(s, box, side)
        if np.int64(s.box[neighbour]) & KIND != LINK:
            return box, row, side
        box, row = neighbour, get_neighbour_row(row, side)
        entry = side ^ 2
        side = get_single_side(get_free_sides(s, box, row) & ~(1 << entry))
        if box == start:
            return box, row, entry


@jitable_no_alloc
def measure_chain(s: State, box: int, row: int, side: int, mark: int) -> tuple[int, int, int]:
    """Return the number of boxes of a chain, their value, and its lowest edge. `box`, `row` and `side` are an end of it
    as `find_chain_end` returns it. `mark`, unless it is 0, is a value within VISITED_BITS that is written, in place,
    into these bits of all links of the chain.
    """
    start, count, total = box, 0, 0
    lowest_edge = get_row_edge(s, box, row, side)
    while True:
        byte = np.int64(s.box[box])
        if mark != 0:
            s.box[box] = (byte & ~VISITED_BITS) | mark
        count += 1
        total += np.int64(s.value[box])
        side = get_single_side(get_free_sides(s, box, row) & ~(1 << side))
        lowest_edge = min(lowest_edge, get_row_edge(s, box, row, side))
        box, row = get_neighbour(s, box, side), get_neighbour_row(row, side)
        if box == start or np.int64(s.box[box]) & KIND != LINK:
            return count, total, lowest_edge
        side ^= 2


@jitable_no_alloc
def open_all_chains(s: State, may_give_boxes: bool) -> int:  # noqa: FBT001  # compiled code takes no keywords
    """Open and capture all chains and loops on the scratch board, the cheapest first; return the number recorded.

    Needs marked ground and VISITED bits of 0, which it sets; there must be no safe edge, and nothing to capture. Writes
    to the record for each chain, as it is opened: its value to `chain_value`, its handout or NO_HANDOUT to
    `chain_handout`, and to `chain_spots` about how many blockers it has room for: those that open nothing, or with
    `may_give_boxes` one for every other box of a chain or loop. Without `may_give_boxes`, `s.margins` is overwritten.
    """
    # In each round open the chains worth up to `limit`, in the first those worth a point, and find the next limit.
    count, reserved, limit, mark = 0, 0, 1, VISITED
    stride = np.int64(s.cols) + 1
    while True:
        # Rounds mark with alternate bits, so boxes marked in the previous round count as not visited.
        mark ^= VISITED_BITS
        cheapest = MAX_MARGIN
        for row in range(np.int64(s.rows)):
            first = (row + 1) * stride + 1
            for box in range(first, first + stride - 1):
                byte = np.int64(s.box[box])
                if byte & KIND != LINK or byte & VISITED_BITS == mark:
                    continue
                end, end_row, side = find_chain_end(s, box, row)
                length, total, _ = measure_chain(s, end, end_row, side, mark)
                if total > limit:
                    cheapest = min(cheapest, total)
                    continue
                spots = 0
                if np.int64(s.blocker_moves) > 0 and length > 1:
                    if may_give_boxes:
                        spots = (length + 1) >> 1
                    else:
                        spots = reserve_spots(s, end, end_row, side, length, reserved)
                        reserved += spots
                draw_edge(s, get_row_edge(s, end, end_row, side))
                length, total, handout = capture_chain(s, end, end_row)
                if count == MAX_CHAINS:
                    # This hardly ever happens. Add the value to the last chain, so that no points are lost.
                    s.chain_value[count - 1] = np.int64(s.chain_value[count - 1]) + total
                else:
                    s.chain_value[count] = total
                    s.chain_handout[count] = handout if length >= _MIN_LONG_CHAIN else NO_HANDOUT
                    s.chain_spots[count] = spots
                    count += 1
        if cheapest == MAX_MARGIN:
            return count
        limit = cheapest


@jitable_no_alloc
def reserve_spots(s: State, box: int, row: int, side: int, length: int, reserved: int) -> int:
    """Return at how many ends of a chain of two or more boxes a blocker can lie that opens nothing: 0 to 2, 0 for a
    loop.

    `box`, `row` and `side` are an end as `find_chain_end` returns it. Blockers must not touch, so each end found is
    appended to the boxes already reserved, the first `reserved` entries of `s.margins`. A chain of two boxes has room
    for one.
    """
    count = np.int64(_reserve_spot(s, box, side, reserved))
    if length > 2 or count == 0:
        forward = get_single_side(get_free_sides(s, box, row) & ~(1 << side))
        box, row, side = follow_chain(s, box, row, forward)
        count += np.int64(_reserve_spot(s, box, side, reserved + count))
    return count


@jitable_no_alloc
def _reserve_spot(s: State, box: int, side: int, reserved: int) -> bool:
    """Reserve a spot as `reserve_spots` does, at one end; return whether a blocker can lie there."""
    if np.int64(s.box[box]) & CLOSED != 0 or not can_gain_side(s, get_neighbour(s, box, side)):
        return False
    stride = np.int64(s.cols) + 1
    for i in range(reserved):
        distance = abs(np.int64(s.margins[i]) - box)
        if distance == 1 or stride - 1 <= distance <= stride + 1:
            return False
    s.margins[reserved] = box
    return True
