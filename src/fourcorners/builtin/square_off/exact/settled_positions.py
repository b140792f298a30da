"""Settled positions of Square Off: neither the swap nor the symmetry right can occur any more.

No man loses its mark then, so the final margin depends only on who ends up with which cell, and one more man never
harms its colour. These reductions follow by strategy stealing (play as if the cells had changed places):

- A cell on no square that either colour can still complete is never better than another one; it can be left out.
- A colour with k men to come completes no square that lacks more than k.
- A cell is never better than another one if all its squares pass through that one.
- Nor is a cell that can change the margin by no more than another one surely does at once.

A square is *open* to a colour if it is not complete, and all its corners hold the colour's men or are free cells that
have not been left out.
"""

import numpy as np
from numpy.typing import NDArray

from fourcorners.core.arrays import Actions, State
from fourcorners.core.bits import ONE, ZERO, bit, lowest_bit, pop_bit, popcount
from fourcorners.core.jit import jitable

Words = NDArray[np.uint64]

_ALL_CELLS = np.uint64(0xFFFFFFFFFFFFFFFF)
_CORNERS = 4
# With this many free cells either colour has enough men to come for all corners of a square.
_ENOUGH_CELLS = 2 * _CORNERS
# Rows of a table by cell: the men that taking the cell marks at once, and those that it may help to mark, for either
# colour; and the free cells that all its open squares have in common.
_NOW, _THEIR_NOW, _EVER, _THEIR_EVER, _COMMON = range(5)
_ROWS = 5


@jitable
def simplify_settled(board: State, node: State) -> None:
    """Reduce a node in place to the men that can still be marked, and set `low` and `high`, the bounds of its value."""
    squares, count = board.squares, board.count
    own, other, free = node.own, node.other, node.free
    own_open = other_open = ZERO
    # Leaving out cells leaves either colour fewer men to come, which closes squares. With many cells it cannot.
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
        if cells == before or cells >= _ENOUGH_CELLS:
            break
    node.own, node.other, node.free = own, other, free
    node.marks = node.marks & (own | other)
    node.last, node.white = ZERO, 0
    mine = popcount(own & ~node.marks) + min(popcount(free & own_open), (cells + 1) >> 1)
    theirs = popcount(other & ~node.marks) + min(popcount(free & other_open), cells >> 1)
    _set_bounds(squares, count, node, mine, theirs)


@jitable
def _set_bounds(squares: Words, count: int, node: State, mine: int, theirs: int) -> None:
    """Set the bounds of a node's value, given the most marks that the mover and the opponent can still get.

    Two arguments apply. Either colour can at least take the cells where it completes a square at once, whatever the
    other does. Or it can break up the other's squares (Erdos and Selfridge 1973): give each of the other's open squares
    that lacks f men a weight of its unmarked men over 2**f, and subtract a half for every man that the colour itself
    marks at once. If the colour always takes the cell on which most of this potential depends, no pair of moves
    increases it. Potentials are in sixteenths.
    """
    own, other, free, marks = node.own, node.other, node.free, node.marks
    cells = popcount(free)
    own_men, other_men = (cells + 1) >> 1, cells >> 1
    own_now = other_now = ZERO
    best = first = second = 0
    first_at = ZERO
    # For every corner the sum of the weights of its squares, bit-sliced: a0 to a3 hold bits 0 to 3 of the sums of all
    # cells, and a4 those that reach sixteen. The same for the other colour in b0 to b4. Adding 2**(4 - f) is a carry
    # that starts in bit 4 - f. Both are written out so that the words stay in registers.
    a0 = a1 = a2 = a3 = a4 = ZERO
    b0 = b1 = b2 = b3 = b4 = ZERO
    for i in range(count):
        square = squares[i]
        rest = square & free
        if rest == ZERO:
            continue
        lacking = popcount(rest)
        unmarked = square & ~marks
        value = popcount(unmarked)
        if lacking <= own_men and square & ~(own | free) == ZERO:
            carry = unmarked
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
            carry = unmarked
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
    # A man that is sure to be marked, or to be marked if its cell is taken, counts once: not with every square.
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
        unmarked = square & ~marks
        up = down = 0
        if lacking <= own_men and square & ~(own | free) == ZERO:
            up = popcount(unmarked & ~own_sure) << (_CORNERS - lacking)
            if lacking == 1:
                down = 8 * popcount(unmarked & ~own_first)
                own_first |= unmarked
        if lacking <= other_men and square & ~(other | free) == ZERO:
            down += popcount(unmarked & ~other_sure) << (_CORNERS - lacking)
            if lacking == 1:
                up += 8 * popcount(unmarked & ~other_first)
                other_first |= unmarked
        if up | down != 0:
            while rest != ZERO:
                cell, rest = pop_bit(rest)
                swings[0, cell] += up
                swings[1, cell] += down
    max_up = max_down = next_down = 0
    left = free
    while left != ZERO:
        cell, left = pop_bit(left)
        max_up = max(max_up, swings[0, cell])
        swing = swings[1, cell]
        if swing > max_down:
            next_down, max_down = max_down, swing
        elif swing > next_down:
            next_down = swing
    # Besides the dearest cell where it completes a square, a colour gets every second one, and each marks at least one
    # man; the mover chooses first.
    if own_now != ZERO:
        best += (popcount(own_now) - 1) >> 1
    if second > 0:
        second += (popcount(other_now) >> 1) - 1
    # The mover's first move adds at most `max_up` to its own potential. The first pair of moves lowers the opponent's:
    # the mover takes `max_down` away, and the opponent adds `next_down` at most.
    high = _sum_potential(own, free, a0, a1, a2, a3, a4) - 8 * popcount(other_first) + max_up
    low = _sum_potential(other, free, b0, b1, b2, b3, b4) - 8 * popcount(own_first) - max_down + next_down
    node.high = min(mine - second, high >> 4)
    node.low = max(best - theirs, -(low >> 4))


@jitable
def _sum_potential(
    men: np.uint64,
    free: np.uint64,
    ones: np.uint64,
    twos: np.uint64,
    fours: np.uint64,
    eights: np.uint64,
    sixteens: np.uint64,
) -> int:
    """Return the sum of bit-sliced weights over men and free cells, in sixteenths; `sixteens` are all sums above 15.
    A man is marked only once, so it counts 16 at most; a free cell goes to one of two colours, so it counts 8 at most.
    """
    single = men & ~sixteens
    half = eights | sixteens
    small = single | (free & ~half)
    total = 16 * popcount(men & sixteens) + 8 * popcount(single & eights) + 8 * popcount(free & half)
    return total + popcount(ones & small) + 2 * popcount(twos & small) + 4 * popcount(fours & small)


@jitable
def list_moves(board: State, node: State, out: Actions) -> int:
    """Write the free cells into `out`, the most contested first, without those that are never better than another one
    (see the last two reductions of the module); return their number.
    """
    own, other, free, marks = node.own, node.other, node.free, node.marks
    table = np.zeros((_ROWS, 64), np.uint64)
    table[_COMMON] = _ALL_CELLS
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
        unmarked = square & ~marks
        lacking = popcount(rest)
        value = popcount(unmarked) << (_CORNERS - lacking)
        if is_own and is_other:
            value += value
        if lacking > 1:
            if is_own:
                own_later |= unmarked
            if is_other:
                other_later |= unmarked
        left = rest
        while left != ZERO:
            cell, left = pop_bit(left)
            score[cell] += value
            table[_COMMON, cell] &= rest
            if is_own:
                table[_EVER, cell] |= unmarked
                if lacking == 1:
                    table[_NOW, cell] |= unmarked
            if is_other:
                table[_THEIR_EVER, cell] |= unmarked
                if lacking == 1:
                    table[_THEIR_NOW, cell] |= unmarked
    # A man that two cells can mark is a sure gain of neither.
    own_once = other_once = ZERO
    left = free
    while left != ZERO:
        cell, left = pop_bit(left)
        own_later |= own_once & table[_NOW, cell]
        own_once |= table[_NOW, cell]
        other_later |= other_once & table[_THEIR_NOW, cell]
        other_once |= table[_THEIR_NOW, cell]
    surest, sure_gain = -1, 0
    left = free
    while left != ZERO:
        cell, left = pop_bit(left)
        here = bit(cell)
        # The man on the cell itself is a sure gain in any case: it cannot be marked without taking the cell.
        gain = popcount(table[_NOW, cell] & (~own_later | here))
        gain += popcount(table[_THEIR_NOW, cell] & (~other_later | here))
        if gain > sure_gain:
            surest, sure_gain = cell, gain
    n = 0
    left = free
    while left != ZERO:
        cell, left = pop_bit(left)
        if cell != surest and popcount(table[_EVER, cell]) + popcount(table[_THEIR_EVER, cell]) <= sure_gain:
            continue
        # A cell skipped above dominates only cells that are skipped there too; and `surest` is never dominated, as it
        # is the only free cell of a square.
        if not _is_dominated(table, cell):
            place = n
            while place > 0 and score[out[place - 1]] < score[cell]:
                out[place] = out[place - 1]
                place -= 1
            out[place] = cell
            n += 1
    return n


@jitable
def play_move(board: State, node: State, cell: int, child: State) -> int:
    """Write the node after the mover's man on this free cell into `child`; return the number of men it marks."""
    here = bit(cell)
    marked = find_completed_men(board, node.own | here, here) & ~node.marks
    child.own = node.other
    child.other = node.own | here
    child.free = node.free ^ here
    child.marks = node.marks | marked
    child.right, child.swap, child.pad = 0, 0, 0
    simplify_settled(board, child)
    return popcount(marked)


@jitable
def find_completed_men(board: State, men: np.uint64, here: np.uint64) -> np.uint64:
    """Return those of `men`, a bitboard of one colour, on complete squares through the cell whose bit is `here`."""
    found = ZERO
    for i in range(board.count):
        square = board.squares[i]
        if square & here != ZERO and square & ~men == ZERO:
            found |= square
    return found


@jitable
def _is_dominated(table: NDArray[np.uint64], cell: int) -> bool:
    """Return whether all open squares of a cell pass through another one, by `_COMMON` of the table from `list_moves`.
    The cell must have an open square. Of cells with equal squares the lowest is kept.
    """
    rest = table[_COMMON, cell] & ~bit(cell)
    while rest != ZERO:
        through, rest = pop_bit(rest)
        if through < cell or table[_COMMON, through] & bit(cell) == ZERO:
            return True
    return False
