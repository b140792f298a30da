"""Square Off while the swap or the symmetry right may still come: every move is tried, and nothing is left out.

White may use the right under a mirroring if every pair of cells that it exchanges is free or holds one man of each
colour. A pair of two men of one colour spoils it: no white man ever leaves his cell, and a black one only by the right
itself. So once all mirrorings are spoilt, or have no free pair any more, there will be no right again.
"""

from __future__ import annotations

import numpy as np

from fourcorners.core.bits import ONE, ZERO, bit, lowest_bit, popcount
from fourcorners.core.dispatch import Actions, State
from fourcorners.core.jit import jitable
from fourcorners.games.square_off.exact.settled_positions import completed, settle
from fourcorners.games.square_off.rules import ONCE, RIGHT, SWAP

MIRRORINGS = 3
# Values of a node's `swap`.
NO_SWAP, SWAP_NOW, SWAP_NEXT = 0, 1, 2
_URGENT = 4


@jitable
def may_come(board: State, white: np.uint64, black: np.uint64, free: np.uint64) -> bool:
    """Tell whether any mirroring is neither spoilt nor without a free pair."""
    for kind in range(MIRRORINGS):
        if board.spoilt[kind] != 0:
            continue
        open_pair, whole = False, True
        rest = white | black | free
        while rest != ZERO and whole:
            cell = lowest_bit(rest)
            rest = rest & (rest - ONE)
            here, there = bit(cell), board.images[kind, cell]
            if white & here != ZERO:
                whole = white & there == ZERO
            elif black & here != ZERO:
                whole = black & there == ZERO
            elif free & there != ZERO:
                open_pair = True
        if whole and open_pair:
            return True
    return False


@jitable
def is_mirrored(board: State, white: np.uint64, black: np.uint64, free: np.uint64) -> bool:
    """Tell whether a mirroring carries the white men onto the black ones, some cells being free."""
    if free == ZERO:
        return False
    for kind in range(MIRRORINGS):
        whole = board.spoilt[kind] == 0
        rest = white | black
        while rest != ZERO and whole:
            cell = lowest_bit(rest)
            rest = rest & (rest - ONE)
            here, there = bit(cell), board.images[kind, cell]
            # The image of a cell that counts no more counts no more either: such a pair is one of each colour.
            if there != ZERO:
                whole = there & (black if white & here != ZERO else white) != ZERO
        if whole:
            return True
    return False


@jitable
def standing(board: State, men: np.uint64) -> np.uint64:
    """Return the men of all complete squares."""
    found = board.lasting & men
    for i in range(board.count):
        if board.squares[i] & ~men == ZERO:
            found |= board.squares[i]
    return found


@jitable
def refine(board: State, node: State) -> None:
    """Let go of a right that cannot come any more, and note the limits of the value."""
    white = node.white != 0
    men = node.own if white else node.other
    others = node.other if white else node.own
    if node.right != 0 and not may_come(board, men, others, node.free):
        node.right = 0
        node.last = ZERO
    if node.right == 0 and node.swap == NO_SWAP:
        settle(board, node)
        return
    cells = popcount(node.free)
    mine = popcount(node.own & ~node.marks) + ((cells + 1) >> 1)
    theirs = popcount(node.other & ~node.marks) + (cells >> 1)
    # Only black men can lose marks.
    if board.current != 0 and node.right != 0:
        if white:
            mine += popcount(node.other & node.marks)
        else:
            theirs += popcount(node.own & node.marks)
    if node.swap != NO_SWAP:
        mine = theirs = max(mine, theirs)
    if node.swap == NO_SWAP:
        # White may let the right pass, so it takes nothing from him.
        own, other, marks, free, last = node.own, node.other, node.marks, node.free, node.last
        settle(board, node)
        if white:
            theirs = min(theirs, -np.int64(node.low))
        else:
            mine = min(mine, np.int64(node.high))
        node.own, node.other, node.marks, node.free, node.last = own, other, marks, free, last
        node.white = 1 if white else 0
    node.high, node.low = mine, -theirs


@jitable
def moves(board: State, node: State, out: Actions) -> int:
    """Write all moves: cells, the swap, and RIGHT plus the cell where the replaced man goes."""
    n = 0
    rest = node.free
    ranks = np.empty(board.most_links, np.int64)
    while rest != ZERO:
        here = rest & (~rest + ONE)
        rest = rest & (rest - ONE)
        gain = popcount(completed(board, node.own | here, here) & ~node.marks)
        denied = popcount(completed(board, node.other | here, here) & ~node.marks)
        rank = _URGENT * (gain + denied) + chances(board, node, here)
        n = insert(out, ranks, n, lowest_bit(here), rank)
        if node.last != ZERO:
            gain = popcount(completed(board, node.own | node.last, node.last) & ~node.marks)
            n = insert(out, ranks, n, RIGHT + lowest_bit(here), _URGENT * gain + chances(board, node, here))
    if node.swap == SWAP_NOW:
        n = insert(out, ranks, n, SWAP, 0)
    return n


@jitable
def insert(out: Actions, ranks: Actions, n: int, code: int, rank: int) -> int:
    """Put a move among the n moves in the order of their ranks; return how many there are then."""
    place = n
    while place > 0 and ranks[place - 1] < rank:
        out[place], ranks[place] = out[place - 1], ranks[place - 1]
        place -= 1
    out[place], ranks[place] = code, rank
    return n + 1


@jitable
def chances(board: State, node: State, here: np.uint64) -> int:
    """Count the open squares through a cell."""
    count = 0
    for i in range(board.count):
        square = board.squares[i]
        if square & here != ZERO and (square & node.own == ZERO or square & node.other == ZERO):
            count += 1
    return count


@jitable
def follow(board: State, node: State, move: int, child: State) -> int:
    """Write what a move leads to; return what it scores."""
    child.right, child.swap, child.last, child.pad = node.right, NO_SWAP, ZERO, 0
    if move == SWAP:
        # The same men with the seats exchanged: Black is to move still.
        child.own, child.other, child.marks, child.free = node.own, node.other, node.marks, node.free
        child.white = node.white
        refine(board, child)
        return 0
    here = bit(move & (RIGHT - 1))
    child.own = node.other
    child.other = node.own | here
    child.free = node.free ^ here
    child.white = 1 - np.int64(node.white)
    if move >= RIGHT:
        return replace(board, node, here, child)
    fresh = completed(board, child.other, here) & ~node.marks
    child.marks = node.marks | fresh
    child.swap = max(np.int64(node.swap) - 1, NO_SWAP)
    # After Black's move White may have the right.
    if node.white == 0 and node.right != 0 and is_mirrored(board, node.other, child.other, child.free):
        child.last = here
    refine(board, child)
    return popcount(fresh)


@jitable
def replace(board: State, node: State, here: np.uint64, child: State) -> int:
    """Write what White's symmetry right leads to, the replaced man going here; return what it scores."""
    last = node.last
    child.other = node.own | last
    child.own = (node.other ^ last) | here
    if node.right == ONCE:
        child.right = 0
    kept = node.marks & ~last
    mine = completed(board, child.other, last) & ~(kept & node.own)
    if board.current != 0:
        theirs = standing(board, child.own)
    else:
        theirs = (kept & child.own) | completed(board, child.own, here)
        if node.marks & last != ZERO:
            theirs |= here
    child.marks = (kept & node.own) | mine | theirs
    gain = popcount(mine) - popcount(theirs) + popcount(node.other & node.marks)
    refine(board, child)
    return gain
