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
from numpy.typing import NDArray

from fourcorners.core.bits import ONE, ZERO, bit, lowest_bit, popcount
from fourcorners.core.dispatch import Actions, State
from fourcorners.core.jit import jitable

Words = NDArray[np.uint64]

_ALL = np.uint64(0xFFFFFFFFFFFFFFFF)
_CORNERS = 4
# With so many cells either colour has the men for four corners.
_PLENTY = 2 * _CORNERS
# Of every cell: the corners that taking it scores at once, and those that it may help to score, for either colour;
# and what all its open squares have in common.
_NOW, _THEIR_NOW, _EVER, _THEIR_EVER, _COMMON = range(5)
_ROWS = 5


@jitable
def settle(board: State, node: State) -> None:
    """Leave only what can still score, and note the limits of the value."""
    squares, count = board.squares, board.count
    own, other, free = node.own, node.other, node.free
    own_open = other_open = ZERO
    while True:
        before = popcount(free)
        own_men, other_men = (before + 1) >> 1, before >> 1
        own_open = other_open = ZERO
        for i in range(count):
            square = squares[i]
            rest = square & free
            if rest == ZERO:
                continue
            lacking = popcount(rest)
            if lacking <= own_men and square & ~(own | free) == ZERO:
                own_open |= square
            if lacking <= other_men and square & ~(other | free) == ZERO:
                other_open |= square
        own &= own_open
        other &= other_open
        free &= own_open | other_open
        cells = popcount(free)
        if cells == before or cells >= _PLENTY:
            break
    node.own, node.other, node.free = own, other, free
    node.marks = node.marks & (own | other)
    node.last, node.white = ZERO, 0
    mine = popcount(own & ~node.marks) + min(popcount(free & own_open), (cells + 1) >> 1)
    theirs = popcount(other & ~node.marks) + min(popcount(free & other_open), cells >> 1)
    bracket(squares, count, node, mine, theirs)


@jitable
def bracket(squares: Words, count: int, node: State, mine: int, theirs: int) -> None:
    """Note limits of the value, given what each colour can still mark at most.

    Either colour may take the cells that score at once, whatever the other does. Or it may break the other's squares
    (Erdos and Selfridge 1973): let an open square of the other's that lacks f men be worth its unmarked men over 2**f,
    and a corner that the colour itself scores at once minus a half. Whoever always takes the cell on which most of the
    sum depends keeps it from growing in each pair of moves. A sixteenth is the unit below.
    """
    own, other, free, marks = node.own, node.other, node.free, node.marks
    cells = popcount(free)
    own_men, other_men = (cells + 1) >> 1, cells >> 1
    own_now = other_now = ZERO
    best = first = second = 0
    first_at = ZERO
    # Sums for every corner, in binary: the planes of ones, twos, fours, eights; and where sixteen is reached.
    # Written out for either colour: as locals the planes stay in the processor's registers.
    a0 = a1 = a2 = a3 = a4 = ZERO
    b0 = b1 = b2 = b3 = b4 = ZERO
    for i in range(count):
        square = squares[i]
        rest = square & free
        if rest == ZERO:
            continue
        lacking = popcount(rest)
        fresh = square & ~marks
        value = popcount(fresh)
        if lacking <= own_men and square & ~(own | free) == ZERO:
            carry = fresh
            if lacking > 3:
                a0, carry = a0 ^ carry, a0 & carry
            if lacking > 2:
                a1, carry = a1 ^ carry, a1 & carry
            if lacking > 1:
                a2, carry = a2 ^ carry, a2 & carry
            else:
                own_now |= rest
                best = max(best, value)
            a3, carry = a3 ^ carry, a3 & carry
            a4 |= carry
        if lacking <= other_men and square & ~(other | free) == ZERO:
            carry = fresh
            if lacking > 3:
                b0, carry = b0 ^ carry, b0 & carry
            if lacking > 2:
                b1, carry = b1 ^ carry, b1 & carry
            if lacking > 1:
                b2, carry = b2 ^ carry, b2 & carry
            else:
                other_now |= rest
                if value > first:
                    if rest != first_at:
                        second = first
                    first, first_at = value, rest
                elif rest != first_at:
                    second = max(second, value)
            b3, carry = b3 ^ carry, b3 & carry
            b4 |= carry
    # What is surely marked if anything is, or counts with the cell itself, is in no square's worth.
    swings = np.empty((2, 64), np.int64)
    own_sure, other_sure = (own & a4) | (free & (a3 | a4)), (other & b4) | (free & (b3 | b4))
    left = free
    while left != ZERO:
        here = left & (~left + ONE)
        left ^= here
        cell = lowest_bit(here)
        swings[0, cell] = 8 if own_sure & here != ZERO else 0
        swings[1, cell] = 8 if other_sure & here != ZERO else 0
    own_first = other_first = ZERO
    for i in range(count):
        square = squares[i]
        rest = square & free
        if rest == ZERO:
            continue
        lacking = popcount(rest)
        fresh = square & ~marks
        up = down = 0
        if lacking <= own_men and square & ~(own | free) == ZERO:
            up = popcount(fresh & ~own_sure) << (_CORNERS - lacking)
            if lacking == 1:
                down = 8 * popcount(fresh & ~own_first)
                own_first |= fresh
        if lacking <= other_men and square & ~(other | free) == ZERO:
            down += popcount(fresh & ~other_sure) << (_CORNERS - lacking)
            if lacking == 1:
                up += 8 * popcount(fresh & ~other_first)
                other_first |= fresh
        if up | down != 0:
            while rest != ZERO:
                cell = lowest_bit(rest)
                rest = rest & (rest - ONE)
                swings[0, cell] += up
                swings[1, cell] += down
    most = most_down = next_down = 0
    left = free
    while left != ZERO:
        cell = lowest_bit(left)
        left = left & (left - ONE)
        most = max(most, swings[0, cell])
        swing = swings[1, cell]
        if swing > most_down:
            next_down, most_down = most_down, swing
        elif swing > next_down:
            next_down = swing
    if own_now != ZERO:
        best += (popcount(own_now) - 1) >> 1
    if second > 0:
        second += (popcount(other_now) >> 1) - 1
    high = potential(own, free, a0, a1, a2, a3, a4) - 8 * popcount(other_first) + most
    low = potential(other, free, b0, b1, b2, b3, b4) - 8 * popcount(own_first) - most_down + next_down
    node.high = min(mine - second, high >> 4)
    node.low = max(best - theirs, -(low >> 4))


@jitable
def potential(
    men: np.uint64,
    free: np.uint64,
    ones: np.uint64,
    twos: np.uint64,
    fours: np.uint64,
    eights: np.uint64,
    full: np.uint64,
) -> int:
    """Sum up over men and free cells: a man is marked only once, and a free cell is taken by one of two."""
    single = men & ~full
    half = eights | full
    less = (single | free) & ~half
    few = ones & (less | single), twos & (less | single), fours & (less | single)
    total = 16 * popcount(men & full) + 8 * popcount(single & eights) + 8 * popcount(free & half)
    return total + popcount(few[0]) + 2 * popcount(few[1]) + 4 * popcount(few[2])


@jitable
def moves(board: State, node: State, out: Actions) -> int:
    """Write the cells to be tried, but for those that others dominate, the most contested first."""
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
        value = popcount(fresh) << (_CORNERS - lacking)
        if is_own and is_other:
            value += value
        if lacking > 1:
            if is_own:
                own_later |= fresh
            if is_other:
                other_later |= fresh
        left = rest
        while left != ZERO:
            cell = lowest_bit(left)
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
        cell = lowest_bit(left)
        left = left & (left - ONE)
        own_later |= own_once & table[_NOW, cell]
        own_once |= table[_NOW, cell]
        other_later |= other_once & table[_THEIR_NOW, cell]
        other_once |= table[_THEIR_NOW, cell]
    surest, sure = -1, 0
    left = free
    while left != ZERO:
        cell = lowest_bit(left)
        left = left & (left - ONE)
        here = bit(cell)
        gain = popcount(table[_NOW, cell] & (~own_later | here))
        gain += popcount(table[_THEIR_NOW, cell] & (~other_later | here))
        if gain > sure:
            surest, sure = cell, gain
    n = 0
    left = free
    while left != ZERO:
        cell = lowest_bit(left)
        left = left & (left - ONE)
        if cell != surest and popcount(table[_EVER, cell]) + popcount(table[_THEIR_EVER, cell]) <= sure:
            continue
        if not is_dominated(table, cell):
            place = n
            while place > 0 and score[out[place - 1]] < score[cell]:
                out[place] = out[place - 1]
                place -= 1
            out[place] = cell
            n += 1
    return n


@jitable
def follow(board: State, node: State, cell: int, child: State) -> int:
    """Write what a move leads to; return what it scores."""
    here = bit(cell)
    fresh = completed(board, node.own | here, here) & ~node.marks
    child.own = node.other
    child.other = node.own | here
    child.free = node.free ^ here
    child.marks = node.marks | fresh
    child.right, child.swap, child.pad = 0, 0, 0
    settle(board, child)
    return popcount(fresh)


@jitable
def completed(board: State, men: np.uint64, here: np.uint64) -> np.uint64:
    """Return the men of all complete squares that pass through a cell."""
    found = ZERO
    for i in range(board.count):
        square = board.squares[i]
        if square & here != ZERO and square & ~men == ZERO:
            found |= square
    return found


@jitable
def is_dominated(table: NDArray[np.uint64], cell: int) -> bool:
    """Tell whether all open squares of a cell pass through another; of equal cells the lowest is spared."""
    rest = table[_COMMON, cell] & ~bit(cell)
    while rest != ZERO:
        through = lowest_bit(rest)
        rest = rest & (rest - ONE)
        if through < cell or table[_COMMON, through] & bit(cell) == ZERO:
            return True
    return False
