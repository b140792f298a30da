"""Unsettled positions of Square Off: the swap or the symmetry right may still occur, so every move is tried.

White may use the right under a symmetry if each pair of cells that it exchanges is free or holds one man of each
colour. A pair of two men of one colour rules the symmetry out: no white man ever leaves its cell, and a black man
leaves it only by the right itself. So once every symmetry is ruled out, or has no free pair left, there will be no
right again.
"""

import numpy as np

from fourcorners.builtin.square_off.exact.settled_positions import find_completed_men, simplify_settled
from fourcorners.builtin.square_off.rules import ONCE, RIGHT, SWAP
from fourcorners.core.arrays import Actions, State
from fourcorners.core.bits import ONE, ZERO, bit, lowest_bit, pop_bit, popcount
from fourcorners.core.jit import jitable

SYMMETRIES = 3
NO_SWAP, SWAP_NOW, SWAP_NEXT = 0, 1, 2
"""Values of a node's `swap`: never again, possible now, possible after the next move."""
_MARK_VALUE = 4
"""The number of open squares that a mark counts as in the order of moves."""


@jitable
def _can_become_symmetric(board: State, white: np.uint64, black: np.uint64, free: np.uint64) -> bool:
    """Return whether any symmetry is not ruled out and has a free pair of cells; arguments are bitboards of a node."""
    for kind in range(SYMMETRIES):
        if board.ruled_out[kind] != 0:
            continue
        has_free_pair, is_possible = False, True
        rest = white | black | free
        while rest != ZERO and is_possible:
            cell, rest = pop_bit(rest)
            here, there = bit(cell), board.images[kind, cell]
            if white & here != ZERO:
                is_possible = white & there == ZERO
            elif black & here != ZERO:
                is_possible = black & there == ZERO
            elif free & there != ZERO:
                has_free_pair = True
        if is_possible and has_free_pair:
            return True
    return False


@jitable
def _is_symmetric(board: State, white: np.uint64, black: np.uint64, free: np.uint64) -> bool:
    """Return whether some cell is free and a symmetry carries the white men onto the black ones, given as bitboards."""
    if free == ZERO:
        return False
    for kind in range(SYMMETRIES):
        is_whole = board.ruled_out[kind] == 0
        rest = white | black
        while rest != ZERO and is_whole:
            cell, rest = pop_bit(rest)
            here, there = bit(cell), board.images[kind, cell]
            # An image without a bit can no longer change, nor can the cell: as the symmetry is not ruled out, the pair
            # holds one man of each colour.
            if there != ZERO:
                is_whole = there & (black if white & here != ZERO else white) != ZERO
        if is_whole:
            return True
    return False


@jitable
def _find_men_on_squares(board: State, men: np.uint64) -> np.uint64:
    """Return those of the men, a bitboard of one colour, that stand on complete squares, permanent ones included."""
    found = board.permanent & men
    for i in range(board.count):
        if board.squares[i] & ~men == ZERO:
            found |= board.squares[i]
    return found


@jitable
def simplify_node(board: State, node: State) -> None:
    """Drop a symmetry right that cannot occur any more, reduce a node that is settled, and set the bounds, in place.
    Other nodes keep their men and cells.
    """
    is_white = node.white != 0
    white = node.own if is_white else node.other
    black = node.other if is_white else node.own
    if node.right != 0 and not _can_become_symmetric(board, white, black, node.free):
        node.right = 0
        node.last = ZERO
    if node.right == 0 and node.swap == NO_SWAP:
        simplify_settled(board, node)
        return
    cells = popcount(node.free)
    mine = popcount(node.own & ~node.marks) + ((cells + 1) >> 1)
    theirs = popcount(node.other & ~node.marks) + (cells >> 1)
    # Only black men can lose marks.
    if board.current != 0 and node.right != 0:
        if is_white:
            mine += popcount(node.other & node.marks)
        else:
            theirs += popcount(node.own & node.marks)
    if node.swap != NO_SWAP:
        # Either seat may still get either colour.
        mine = theirs = max(mine, theirs)
    else:
        # White need not use the right, so the value without it is a bound. Computing that overwrites the node.
        own, other, marks, free, last = node.own, node.other, node.marks, node.free, node.last
        simplify_settled(board, node)
        if is_white:
            theirs = min(theirs, -np.int64(node.low))
        else:
            mine = min(mine, np.int64(node.high))
        node.own, node.other, node.marks, node.free, node.last = own, other, marks, free, last
        node.white = 1 if is_white else 0
    node.high, node.low = mine, -theirs


@jitable
def list_moves(board: State, node: State, out: Actions) -> int:
    """Write all moves into `out`, the most promising first; return their number, at most `board.most_links`.
    They are cells, SWAP, and RIGHT plus the cell where the replaced man goes.
    """
    n = 0
    rest = node.free
    ranks = np.empty(board.most_links, np.int64)
    while rest != ZERO:
        here = rest & (~rest + ONE)
        rest = rest & (rest - ONE)
        taken = popcount(find_completed_men(board, node.own | here, here) & ~node.marks)
        blocked = popcount(find_completed_men(board, node.other | here, here) & ~node.marks)
        rank = _MARK_VALUE * (taken + blocked) + _count_open_squares(board, node, here)
        n = _insert_by_rank(out, ranks, n, lowest_bit(here), rank)
        if node.last != ZERO:
            taken = popcount(find_completed_men(board, node.own | node.last, node.last) & ~node.marks)
            rank = _MARK_VALUE * taken + _count_open_squares(board, node, here)
            n = _insert_by_rank(out, ranks, n, RIGHT + lowest_bit(here), rank)
    if node.swap == SWAP_NOW:
        n = _insert_by_rank(out, ranks, n, SWAP, 0)
    return n


@jitable
def _insert_by_rank(out: Actions, ranks: Actions, n: int, code: int, rank: int) -> int:
    """Insert a move and its rank into n moves that are sorted by falling rank, in place; return the new number."""
    place = n
    while place > 0 and ranks[place - 1] < rank:
        out[place], ranks[place] = out[place - 1], ranks[place - 1]
        place -= 1
    out[place], ranks[place] = code, rank
    return n + 1


@jitable
def _count_open_squares(board: State, node: State, here: np.uint64) -> int:
    """Return the number of squares through the cell with the bit `here` that have men of one colour at most."""
    count = 0
    for i in range(board.count):
        square = board.squares[i]
        if square & here != ZERO and (square & node.own == ZERO or square & node.other == ZERO):
            count += 1
    return count


@jitable
def play_move(board: State, node: State, move: int, child: State) -> int:
    """Write the node after a move into `child`; return by how many marked men it changes the mover's margin."""
    child.right, child.swap, child.last, child.pad = node.right, NO_SWAP, ZERO, 0
    if move == SWAP:
        # The seats change places, not the colours: Black is still to move, with the same men.
        child.own, child.other, child.marks, child.free = node.own, node.other, node.marks, node.free
        child.white = node.white
        simplify_node(board, child)
        return 0
    here = bit(move & (RIGHT - 1))
    child.own = node.other
    child.other = node.own | here
    child.free = node.free ^ here
    child.white = 1 - np.int64(node.white)
    if move >= RIGHT:
        return _replace_last_man(board, node, here, child)
    marked = find_completed_men(board, child.other, here) & ~node.marks
    child.marks = node.marks | marked
    # SWAP_NEXT becomes SWAP_NOW, and SWAP_NOW becomes NO_SWAP.
    child.swap = max(np.int64(node.swap) - 1, NO_SWAP)
    # After a move of Black's, White may have the right.
    if node.white == 0 and node.right != 0 and _is_symmetric(board, node.other, child.other, child.free):
        child.last = here
    simplify_node(board, child)
    return popcount(marked)


@jitable
def _replace_last_man(board: State, node: State, here: np.uint64, child: State) -> int:
    """Finish `child`, which `play_move` began: a white man replaces `node.last`, which goes to the bit `here`.
    Return by how many marked men that changes White's margin.
    """
    last = node.last
    child.other = node.own | last
    child.own = (node.other ^ last) | here
    if node.right == ONCE:
        child.right = 0
    kept = node.marks & ~last
    mine = find_completed_men(board, child.other, last) & ~(kept & node.own)
    if board.current != 0:
        theirs = _find_men_on_squares(board, child.own)
    else:
        theirs = (kept & child.own) | find_completed_men(board, child.own, here)
        if node.marks & last != ZERO:
            theirs |= here
    child.marks = (kept & node.own) | mine | theirs
    gain = popcount(mine) - popcount(theirs) + popcount(node.other & node.marks)
    simplify_node(board, child)
    return gain
