"""Square Off while the swap or the symmetry right may still come: every move is tried, and nothing is left out.

White may use the right under a mirroring if every pair of cells that it exchanges is free or holds one man of each
colour. A pair of two men of one colour spoils it: no white man ever leaves his cell, and a black one only by the right
itself. So once all mirrorings are spoilt, or have no free pair any more, there will be no right again.
"""

from __future__ import annotations

import numpy as np

from fourcorners.core.bits import ONE, ZERO, bit, lowest, popcount
from fourcorners.core.exact import GAIN, OTHER, RANK, TURN, Links
from fourcorners.core.jit import jitable
from fourcorners.core.kernel import State, States
from fourcorners.games.square_off.fill import settle
from fourcorners.games.square_off.rules import ONCE

MIRRORINGS = 3
# Values of a node's `swap`.
NO_SWAP, SWAP_NOW, SWAP_NEXT = 0, 1, 2


@jitable
def may_come(board: State, white: np.uint64, black: np.uint64, free: np.uint64) -> bool:
    """Tell whether any mirroring is neither spoilt nor without a free pair."""
    for kind in range(MIRRORINGS):
        if board.spoilt[kind] != 0:
            continue
        open_pair, whole = False, True
        rest = white | black | free
        while rest != ZERO and whole:
            cell = lowest(rest)
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
            cell = lowest(rest)
            rest = rest & (rest - ONE)
            here, there = bit(cell), board.images[kind, cell]
            # The image of a cell that counts no more counts no more either: such a pair is one of each colour.
            if there != ZERO:
                whole = there & (black if white & here != ZERO else white) != ZERO
        if whole:
            return True
    return False


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
        settle(board.squares, board.count, node, np.zeros((2, 64), np.int64))
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
    node.high, node.low = mine, -theirs


@jitable
def branch(board: State, node: State, children: States, links: Links) -> int:
    """Write what all moves lead to."""
    n = 0
    own, other = node.own, node.other
    rest = node.free
    while rest != ZERO:
        here = rest & (~rest + ONE)
        rest = rest & (rest - ONE)
        child = children[n]
        fresh = completed(board, own | here, here) & ~node.marks
        child.own = other
        child.other = own | here
        child.marks = node.marks | fresh
        child.free = node.free ^ here
        child.white = 1 - np.int64(node.white)
        child.right = node.right
        child.swap = max(np.int64(node.swap) - 1, NO_SWAP)
        child.last = ZERO
        # After Black's move White may have the right.
        if node.white == 0 and node.right != 0 and is_mirrored(board, other, own | here, child.free):
            child.last = here
        gain = popcount(fresh)
        denied = popcount(completed(board, other | here, here) & ~node.marks)
        links[n, GAIN] = gain
        links[n, TURN] = OTHER
        links[n, RANK] = -4 * (gain + denied) - chances(board, node, here)
        refine(board, child)
        n += 1
    if node.swap == SWAP_NOW:
        # The same men with the seats exchanged: Black is to move still.
        children[n] = node
        children[n].swap = NO_SWAP
        links[n, GAIN] = 0
        links[n, TURN] = OTHER
        links[n, RANK] = 0
        refine(board, children[n])
        n += 1
    if node.last != ZERO:
        n = replace(board, node, children, links, n)
    return n


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
def replace(board: State, node: State, children: States, links: Links, n: int) -> int:
    """Write what White's symmetry right leads to, behind the first n links."""
    last = node.last
    white = node.own | last
    was_marked = node.marks & last != ZERO
    kept = node.marks & ~last
    mine = completed(board, white, last) & ~(kept & node.own)
    rest = node.free
    while rest != ZERO:
        here = rest & (~rest + ONE)
        rest = rest & (rest - ONE)
        black = (node.other ^ last) | here
        if board.current != 0:
            theirs = standing(board, black)
        else:
            theirs = (kept & black) | completed(board, black, here)
            if was_marked:
                theirs |= here
        child = children[n]
        child.own = black
        child.other = white
        child.marks = (kept & node.own) | mine | theirs
        child.free = node.free ^ here
        child.white = 0
        child.right = 0 if node.right == ONCE else node.right
        child.swap = NO_SWAP
        child.last = ZERO
        gain = popcount(mine) - popcount(theirs) + popcount(node.other & node.marks)
        links[n, GAIN] = gain
        links[n, TURN] = OTHER
        links[n, RANK] = -4 * gain - chances(board, node, here)
        refine(board, child)
        n += 1
    return n
