"""Chains and loops of a position, with all that pictures show of them.

A box with one or two free sides is a *link*, a box with more is a *junction*. Links joined by free edges form a
*chain*. Each end of a chain lies at the ground (the border or a blocked box), at a junction, or in a box whose other
sides are all drawn. A chain without ends is a *loop*; in this module "chain" includes loops.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fourcorners.core.dispatch import State
from fourcorners.core.jit import jitable
from fourcorners.games.squarin_off.rules import (
    BLOCKED,
    BOTTOM,
    BOX_SLOTS,
    LEFT,
    RIGHT,
    SIDES,
    TOP,
    get_box_stop,
    get_edge,
    is_free,
)

Numbers = NDArray[np.int64]

# What `chain_of` holds for boxes that belong to no chain.
NO_CHAIN, JUNCTION = -1, -2

# The columns of `chains`: number of boxes, their points, 1 for a loop, number of ends at a junction (0: independent),
# number of boxes that can be captured at once (one free side), and the index of the first box in `order`.
LENGTH, POINTS, IS_LOOP, JUNCTION_ENDS, CAPTURABLE, START = range(6)
COLUMNS = 6


@jitable
def is_on_board(s: State, box: int) -> bool:
    """Return whether a number is that of a box of the board, not of the border around it."""
    stride = np.int64(s.cols) + 1
    return box > stride and box < get_box_stop(s) and box % stride != 0


@jitable
def count_free_sides(s: State, box: int) -> int:
    """Count the free sides of a box of the board; a blocked box counts as having none."""
    byte = np.int64(s.box[box])
    return 0 if byte & BLOCKED else 4 - (byte & SIDES)


@jitable
def find_open_neighbour(s: State, box: int, side: int) -> int:
    """Return the box beyond a side, or 0 for the ground."""
    stride = np.int64(s.cols) + 1
    neighbour = box - 1
    if side == BOTTOM:
        neighbour = box - stride
    elif side == TOP:
        neighbour = box + stride
    elif side == RIGHT:
        neighbour = box + 1
    if not is_on_board(s, neighbour) or np.int64(s.box[neighbour]) & BLOCKED:
        return 0
    return neighbour


@jitable
def get_opposite_side(side: int) -> int:
    """Return the side on which the neighbour beyond `side` has the same edge."""
    if side == BOTTOM:
        return TOP
    if side == TOP:
        return BOTTOM
    return RIGHT if side == LEFT else LEFT


@jitable
def find_exit(s: State, box: int, entry: int) -> int:
    """Return a free side of a box other than the side `entry` (-1: any), or -1 if there is none."""
    for side in range(4):
        if side != entry and is_free(s, get_edge(s, box, side)):
            return side
    return -1


@jitable
def _find_chain_end(s: State, start: int, side: int) -> tuple[int, int]:
    """Walk from a link through a side to the last link in that direction.

    Return that link and the side by which the walk entered it (-1 if the start is the last link). In a loop the walk
    ends at the start, entered by its other side.
    """
    box, entry = start, -1
    while side >= 0:
        neighbour = find_open_neighbour(s, box, side)
        if neighbour == 0 or count_free_sides(s, neighbour) > 2:
            break
        box, entry = neighbour, get_opposite_side(side)
        if box == start:
            break
        side = find_exit(s, box, entry)
    return box, entry


@jitable
def find_chains(s: State, chain_of: Numbers, order: Numbers, chains: Numbers) -> int:
    """Find all chains and loops and return their number.

    Writes three arrays. `chain_of`, of length BOX_SLOTS: for each box the number of its chain, or NO_CHAIN (completed,
    blocked or not on the board), or JUNCTION. `order`, of the same length: the boxes of one chain after the other, each
    from end to end. `chains`, of shape (BOX_SLOTS, COLUMNS): a row for each chain.
    """
    for box in range(BOX_SLOTS):
        chain_of[box] = NO_CHAIN
    count, links = 0, 0
    for box in range(np.int64(s.cols) + 2, get_box_stop(s)):
        if not is_on_board(s, box) or chain_of[box] >= 0:
            continue
        sides = count_free_sides(s, box)
        if sides > 2:
            chain_of[box] = JUNCTION
        elif sides > 0:
            chains[count, START] = links
            _record_chain(s, box, count, chain_of, order, chains)
            links += chains[count, LENGTH]
            count += 1
    return count


@jitable
def _record_chain(s: State, box: int, number: int, chain_of: Numbers, order: Numbers, chains: Numbers) -> None:
    """Write the links of the chain that contains `box` in order, give them its number, and fill its row.

    The row's START must be set already.
    """
    side = find_exit(s, box, -1)
    first, entry = _find_chain_end(s, box, side)
    loop = first == box and entry >= 0
    for column in range(START):
        chains[number, column] = 0
    chains[number, IS_LOOP] = np.int64(loop)
    # `back` is the side of the first link away from the other links (in a loop: either side); the walk avoids it.
    if loop:
        back = entry
    elif first == box:
        back = side
    else:
        back = find_exit(s, first, entry)
    if not loop and back >= 0:
        neighbour = find_open_neighbour(s, first, back)
        chains[number, JUNCTION_ENDS] += np.int64(neighbour != 0 and count_free_sides(s, neighbour) > 2)
    link = first
    while True:
        chain_of[link] = number
        order[chains[number, START] + chains[number, LENGTH]] = link
        chains[number, LENGTH] += 1
        chains[number, POINTS] += np.int64(s.value[link])
        chains[number, CAPTURABLE] += np.int64(count_free_sides(s, link) == 1)
        forward = find_exit(s, link, back)
        if forward < 0:
            return
        neighbour = find_open_neighbour(s, link, forward)
        if neighbour == 0:
            return
        if count_free_sides(s, neighbour) > 2:
            chains[number, JUNCTION_ENDS] += 1
            return
        if chain_of[neighbour] == number:
            return
        link, back = neighbour, get_opposite_side(forward)
