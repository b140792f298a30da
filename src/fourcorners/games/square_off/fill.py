"""Square Off where only the full board will count: neither the swap nor the symmetry right can come any more.

No mark is lost then, so the final margin depends on who ends up with which cell, and a man more never harms his colour.
Hence, by borrowing strategies (play as if the cells had changed places):

- A cell on no square that either colour can still complete is never better than another; it may be left out altogether.
- A colour with k men to come completes no square that lacks more than k.
- A cell all of whose squares pass through another cell is never better than that one.
- Nor is a cell that can move the margin by no more than another surely does at once.

A square is *open* to a colour if no other man and no cell left out is on it, and it is not complete.
"""

from __future__ import annotations

import numpy as np

from fourcorners.core.bits import ONE, ZERO, bit, lowest, popcount
from fourcorners.core.exact import GAIN, OTHER, RANK, TURN, Links
from fourcorners.core.jit import jitable
from fourcorners.core.kernel import State, States

_ALL = np.uint64(0xFFFFFFFFFFFFFFFF)
_CORNERS = 4
# With so many cells either colour has the men for four corners.
_PLENTY = 2 * _CORNERS
# What a square is worth to the order of moves, by the number of men it lacks.
_WEIGHTS = np.array([0, 64, 16, 4, 1], np.int64)
# Of every cell: the corners that taking it scores at once, and those that it may help to score, for either colour;
# and what all its open squares have in common.
_NOW, _THEIR_NOW, _EVER, _THEIR_EVER, _COMMON = range(5)
_ROWS = 5


@jitable
def settle(board: State, node: State) -> None:
    """Leave only what can still score, and note the limits of the value."""
    own, other, free = node.own, node.other, node.free
    marks = node.marks
    while True:
        cells = popcount(free)
        own_men, other_men = (cells + 1) >> 1, cells >> 1
        few = cells < _PLENTY
        own_open = other_open = ZERO
        own_now = other_now = ZERO
        best = first = second = 0
        first_at = ZERO
        for i in range(board.count):
            square = board.squares[i]
            rest = square & free
            if rest == ZERO:
                continue
            lacking = popcount(rest) if few else 1
            at_once = rest & (rest - ONE) == ZERO
            if square & ~(own | free) == ZERO and lacking <= own_men:
                own_open |= square
                if at_once:
                    own_now |= rest
                    best = max(best, popcount(square & ~marks))
            if square & ~(other | free) == ZERO and lacking <= other_men:
                other_open |= square
                if at_once:
                    other_now |= rest
                    gain = popcount(square & ~marks)
                    if gain > first:
                        if rest != first_at:
                            second = first
                        first, first_at = gain, rest
                    elif rest != first_at:
                        second = max(second, gain)
        before = cells
        own &= own_open
        other &= other_open
        free &= own_open | other_open
        cells = popcount(free)
        if cells == before or cells >= _PLENTY:
            break
    marks &= own | other
    node.own, node.other, node.free, node.marks = own, other, free, marks
    node.last, node.white = ZERO, 0
    # Each marks at most all he can; but half of the cells that score at once for one are his, whatever the other does.
    mine = popcount(own & ~marks) + min(popcount(free & own_open), (cells + 1) >> 1)
    theirs = popcount(other & ~marks) + min(popcount(free & other_open), cells >> 1)
    if own_now != ZERO:
        best += (popcount(own_now) - 1) >> 1
    if second > 0:
        second += (popcount(other_now) >> 1) - 1
    node.high = mine - second
    node.low = best - theirs


@jitable
def spread(board: State, node: State, children: States, links: Links) -> int:
    """Write what the moves lead to, but for those that others dominate."""
    own, other, free, marks = node.own, node.other, node.free, node.marks
    table = np.zeros((_ROWS, 64), np.uint64)
    table[_COMMON] = _ALL
    score = np.zeros(64, np.int64)
    own_later = other_later = ZERO
    for i in range(board.count):
        square = board.squares[i]
        rest = square & free
        if rest == ZERO:
            continue
        is_own = square & ~(own | free) == ZERO
        is_other = square & ~(other | free) == ZERO
        if not is_own and not is_other:
            continue
        fresh = square & ~marks
        lacking = popcount(rest)
        value = popcount(fresh) * _WEIGHTS[lacking]
        if is_own and is_other:
            value += value
        if lacking > 1:
            if is_own:
                own_later |= fresh
            if is_other:
                other_later |= fresh
        left = rest
        while left != ZERO:
            cell = lowest(left)
            left = left & (left - ONE)
            score[cell] += value
            table[_COMMON, cell] &= rest
            if is_own:
                table[_EVER, cell] |= fresh
                if lacking == 1:
                    table[_NOW, cell] |= fresh
            if is_other:
                table[_THEIR_EVER, cell] |= fresh
                if lacking == 1:
                    table[_THEIR_NOW, cell] |= fresh
    # Corners that two cells may score are sure for neither.
    own_once = other_once = ZERO
    left = free
    while left != ZERO:
        cell = lowest(left)
        left = left & (left - ONE)
        own_later |= own_once & table[_NOW, cell]
        own_once |= table[_NOW, cell]
        other_later |= other_once & table[_THEIR_NOW, cell]
        other_once |= table[_THEIR_NOW, cell]
    surest, sure = -1, 0
    left = free
    while left != ZERO:
        cell = lowest(left)
        left = left & (left - ONE)
        here = bit(cell)
        gain = popcount(table[_NOW, cell] & (~own_later | here)) + popcount(
            table[_THEIR_NOW, cell] & (~other_later | here)
        )
        if gain > sure:
            surest, sure = cell, gain
    n = 0
    left = free
    while left != ZERO:
        cell = lowest(left)
        left = left & (left - ONE)
        if cell != surest and popcount(table[_EVER, cell]) + popcount(table[_THEIR_EVER, cell]) <= sure:
            continue
        if is_dominated(table, cell):
            continue
        here = bit(cell)
        child = children[n]
        child.own = other
        child.other = own | here
        child.free = free ^ here
        child.marks = marks | table[_NOW, cell]
        child.right, child.swap, child.pad = 0, 0, 0
        settle(board, child)
        links[n, GAIN] = popcount(table[_NOW, cell])
        links[n, TURN] = OTHER
        links[n, RANK] = -score[cell]
        n += 1
    return n


@jitable
def is_dominated(table: object, cell: int) -> bool:
    """Tell whether all open squares of a cell pass through another; of equal cells the lowest is spared."""
    rest = table[_COMMON, cell] & ~bit(cell)  # type: ignore[index]  # an array
    while rest != ZERO:
        through = lowest(rest)
        rest = rest & (rest - ONE)
        if through < cell or table[_COMMON, through] & bit(cell) == ZERO:  # type: ignore[index]  # an array
            return True
    return False
