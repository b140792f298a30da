"""Chains and loops: the runs of boxes that, once a player has to open one, fall one after the other.

A box with one or two free sides is a link, one with more is a junction. Links that share free edges form a *chain*,
which ends at the ground (the border or a blocked box), at a junction or in a box whose other sides are all drawn; or,
without any end, a *loop*.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fourcorners.core.dispatch import State
from fourcorners.core.jit import jitable
from fourcorners.games.squarin_off.rules import (
    BLOCKED,
    BOTTOM,
    BOXES,
    LEFT,
    RIGHT,
    SIDES,
    TOP,
    edge_of,
    end_of_boxes,
    is_free,
)

Numbers = NDArray[np.int64]

# What a box belongs to, where that is no chain or loop.
NOTHING, JUNCTION = -1, -2

# The columns of a run: how many boxes, what they are worth, whether it is a loop, how many of its ends are at a
# junction (none: it is independent), how many of its boxes have one free side only, and where in `order` it begins.
LENGTH, POINTS, LOOP, JOINED, READY, START = range(6)
COLUMNS = 6


@jitable
def is_inside(s: State, box: int) -> bool:
    """Tell whether a number is that of a box of the board, not of the border around it."""
    stride = np.int64(s.cols) + 1
    return box > stride and box < end_of_boxes(s) and box % stride != 0


@jitable
def free_sides(s: State, box: int) -> int:
    """Count the free sides of a box of the board; a blocked box counts as having none."""
    byte = np.int64(s.box[box])
    return 0 if byte & BLOCKED else 4 - (byte & SIDES)


@jitable
def across(s: State, box: int, side: int) -> int:
    """Return the box beyond a side; 0 if that is the ground."""
    stride = np.int64(s.cols) + 1
    beyond = box - 1
    if side == BOTTOM:
        beyond = box - stride
    elif side == TOP:
        beyond = box + stride
    elif side == RIGHT:
        beyond = box + 1
    if not is_inside(s, beyond) or np.int64(s.box[beyond]) & BLOCKED:
        return 0
    return beyond


@jitable
def opposite(side: int) -> int:
    """Return the side on which the box beyond a side has the same edge."""
    if side == BOTTOM:
        return TOP
    if side == TOP:
        return BOTTOM
    return RIGHT if side == LEFT else LEFT


@jitable
def way_on(s: State, box: int, came: int) -> int:
    """Return a free side of a box other than the one by which it was entered (-1: none); -1 if there is none."""
    for side in range(4):
        if side != came and is_free(s, edge_of(s, box, side)):
            return side
    return -1


@jitable
def _end(s: State, start: int, side: int) -> tuple[int, int]:
    """Walk from a link through a side to the last link that way.

    Return it and the side by which it was entered; the start itself, entered by that side, if the way leads round.
    """
    box, came = start, -1
    while side >= 0:
        beyond = across(s, box, side)
        if beyond == 0 or free_sides(s, beyond) > 2:
            break
        box, came = beyond, opposite(side)
        if box == start:
            break
        side = way_on(s, box, came)
    return box, came


@jitable
def find_runs(s: State, run_of: Numbers, order: Numbers, runs: Numbers) -> int:
    """Find all chains and loops; return how many.

    `run_of`, of length BOXES, is given for each box the number of its run, or NOTHING (completed, blocked or not on the
    board), or JUNCTION. `order`, of the same length, is given the boxes of one run after the other, each from end to
    end. `runs`, of BOXES rows and COLUMNS columns, is given what there is to say of each.
    """
    for box in range(BOXES):
        run_of[box] = NOTHING
    count, links = 0, 0
    for box in range(np.int64(s.cols) + 2, end_of_boxes(s)):
        if not is_inside(s, box) or run_of[box] >= 0:
            continue
        sides = free_sides(s, box)
        if sides > 2:
            run_of[box] = JUNCTION
        elif sides > 0:
            runs[count, START] = links
            _follow(s, box, count, run_of, order, runs)
            links += runs[count, LENGTH]
            count += 1
    return count


@jitable
def _follow(s: State, box: int, number: int, run_of: Numbers, order: Numbers, runs: Numbers) -> None:
    """Give a number to the links of the run to which a link belongs, and put them in order."""
    side = way_on(s, box, -1)
    first, came = _end(s, box, side)
    loop = first == box and came >= 0
    for column in range(START):
        runs[number, column] = 0
    runs[number, LOOP] = np.int64(loop)
    # At the first link the way on leads back into the run: an end that has been found is behind.
    if loop:
        behind = came
    elif first == box:
        behind = side
    else:
        behind = way_on(s, first, came)
    if not loop and behind >= 0:
        beyond = across(s, first, behind)
        runs[number, JOINED] += np.int64(beyond != 0 and free_sides(s, beyond) > 2)
    link = first
    while True:
        run_of[link] = number
        order[runs[number, START] + runs[number, LENGTH]] = link
        runs[number, LENGTH] += 1
        runs[number, POINTS] += np.int64(s.value[link])
        runs[number, READY] += np.int64(free_sides(s, link) == 1)
        on = way_on(s, link, behind)
        if on < 0:
            return
        beyond = across(s, link, on)
        if beyond == 0:
            return
        if free_sides(s, beyond) > 2:
            runs[number, JOINED] += 1
            return
        if run_of[beyond] == number:
            return
        link, behind = beyond, opposite(on)
