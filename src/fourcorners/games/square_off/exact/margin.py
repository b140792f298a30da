"""What the solvers know of Square Off, see `core/exact.py`: nodes, their keys, and what moves lead to.

A node is five words of cells. Up to the 8 x 8 board a bit is a cell of the rules; above, only the cells that still
matter at the root have a bit, and there may be 64 of them. `own` are the men of the colour to move. In most nodes what
counts no more is left out, and colours do not matter (see `fill`); the others are those of `mirroring`.
"""

from __future__ import annotations

import functools
import hashlib
from itertools import product
from typing import Any

import numpy as np

from fourcorners.core.bits import ZERO, mix
from fourcorners.core.dispatch import Actions, State, States, view_record
from fourcorners.core.errors import SolverLimit
from fourcorners.core.jit import jitable
from fourcorners.core.margin_protocol import BOARD_FIELDS, GAIN, OTHER, TURN
from fourcorners.games.square_off.exact import settled_positions, unsettled_positions
from fourcorners.games.square_off.exact.unsettled_positions import MIRRORINGS, NO_SWAP, SWAP_NEXT, SWAP_NOW
from fourcorners.games.square_off.options import BLACK, WHITE, SquareOffOptions, cells, shift_of
from fourcorners.games.square_off.rules import NEVER, ONCE

__all__ = ["BOARD", "NODE", "effort", "enter", "follow", "key", "limits", "moves"]

_MOST_CELLS = 64
_MOST_SQUARES = 904  # on the 16 x 16 board
_SMALL = 8
# Positions that are mirror images of each other are met in one search only where few men stood at first.
_FEW_MEN = 6

BOARD = np.dtype(
    [
        *BOARD_FIELDS,
        ("count", np.int64),  # of squares
        ("edge", np.int64),  # the board's side if its mirror images share a key, otherwise 0
        ("current", np.int64),  # whether a man is marked only while he is on a complete square
        ("salt", np.uint64),  # tells nodes of different boards apart where their bits mean different cells
        ("lasting", np.uint64),  # the men who are marked for good, as no move can break their squares
        ("spoilt", np.int64, (MIRRORINGS,)),  # whether a mirroring is for good
        ("images", np.uint64, (MIRRORINGS, _MOST_CELLS)),  # the bit of every cell's image; 0 if it counts no more
        ("squares", np.uint64, (_MOST_SQUARES,)),  # those that may be completed from here on
    ]
)
NODE = np.dtype(
    [
        ("own", np.uint64),
        ("other", np.uint64),
        ("marks", np.uint64),
        ("free", np.uint64),
        ("last", np.uint64),  # the man whom White may replace now
        ("low", np.int16),  # the limits
        ("high", np.int16),
        ("white", np.uint8),  # whether White is to move; 0 where that does not matter
        ("right", np.uint8),  # that White may still get, as in the rules; 0: none
        ("swap", np.uint8),
        ("pad", np.uint8),
    ]
)

_S1, _S2, _S4, _S7, _S8, _S9, _S14, _S16, _S18, _S28, _S32, _S36 = (
    np.uint64(n) for n in (1, 2, 4, 7, 8, 9, 14, 16, 18, 28, 32, 36)
)
_H1, _H2, _H4 = (np.uint64(n) for n in (0x5555555555555555, 0x3333333333333333, 0x0F0F0F0F0F0F0F0F))
_V1, _V2 = np.uint64(0x00FF00FF00FF00FF), np.uint64(0x0000FFFF0000FFFF)
_T1, _T2, _T4 = (np.uint64(n) for n in (0x00AA00AA00AA00AA, 0x0000CCCC0000CCCC, 0x00000000F0F0F0F0))
_OTHER_HALF = np.uint64(0x6A09E667F3BCC909)
_IMAGES = 8


@jitable
def limits(board: State, node: State) -> tuple[int, int]:
    """Return the limits that were found when the node was made."""
    return np.int64(node.low), np.int64(node.high)


@jitable
def moves(board: State, node: State, out: Actions) -> int:
    """Write the codes of a node's moves, the most promising first."""
    if node.right == NEVER and node.swap == NO_SWAP:
        return settled_positions.moves(board, node, out)
    return unsettled_positions.moves(board, node, out)


@jitable
def follow(board: State, node: State, move: int, child: State, link: Actions) -> None:
    """Write what a move leads to, and what the link is worth."""
    link[TURN] = OTHER
    if node.right == NEVER and node.swap == NO_SWAP:
        link[GAIN] = settled_positions.follow(board, node, move, child)
    else:
        link[GAIN] = unsettled_positions.follow(board, node, move, child)


@jitable
def key(board: State, node: State) -> tuple[np.uint64, np.uint64]:
    """Return two hashes of the mirror image with the smallest words."""
    a, b, c = node.own, node.other, node.marks
    # The free cells tell nothing new while all cells count, and no man is to be replaced when they do not.
    is_last = node.last != ZERO
    d = node.last if is_last else node.free
    if board.edge != 0:
        p, q, r, s = a, b, c, d
        for i in range(1, _IMAGES):
            if i == _IMAGES >> 1:
                p, q, r, s = turned(p), turned(q), turned(r), turned(s)
            elif i & 1 != 0:
                p, q = level(board, p), level(board, q)
                r, s = level(board, r), level(board, s)
            else:
                p, q = upright(board, p), upright(board, q)
                r, s = upright(board, r), upright(board, s)
            if p < a or (p == a and (q < b or (q == b and (r < c or (r == c and s < d))))):
                a, b, c, d = p, q, r, s
    state = np.int64(node.white) | np.int64(node.right) << 1 | np.int64(node.swap) << 3 | np.int64(is_last) << 5
    start = board.salt ^ np.uint64(state)
    one = mix(d ^ mix(c ^ mix(b ^ mix(a ^ start))))
    other = mix(a ^ mix(b ^ mix(c ^ mix(d ^ start ^ _OTHER_HALF))))
    return one, other


@jitable
def level(board: State, word: np.uint64) -> np.uint64:
    """Mirror a board left to right."""
    word = ((word >> _S1) & _H1) | ((word & _H1) << _S1)
    word = ((word >> _S2) & _H2) | ((word & _H2) << _S2)
    word = ((word >> _S4) & _H4) | ((word & _H4) << _S4)
    return word >> np.uint64(_SMALL - board.edge)


@jitable
def upright(board: State, word: np.uint64) -> np.uint64:
    """Mirror a board top to bottom."""
    word = ((word >> _S8) & _V1) | ((word & _V1) << _S8)
    word = ((word >> _S16) & _V2) | ((word & _V2) << _S16)
    word = (word >> _S32) | (word << _S32)
    return word >> np.uint64(_SMALL * (_SMALL - board.edge))


@jitable
def turned(word: np.uint64) -> np.uint64:
    """Exchange rows and columns."""
    swap = (word ^ (word >> _S7)) & _T1
    word = word ^ swap ^ (swap << _S7)
    swap = (word ^ (word >> _S14)) & _T2
    word = word ^ swap ^ (swap << _S14)
    swap = (word ^ (word >> _S28)) & _T4
    return word ^ swap ^ (swap << _S28)


@functools.cache
def all_squares(size: int) -> tuple[frozenset[int], ...]:
    """Return the corners of every square: all in one quarter, or one in each."""
    shift, half = shift_of(size), size // 2
    found = []
    for row, column, side in product(range(size), range(size), range(1, size)):
        up, across = row + side, column + side
        if max(up, across) < size and ((row < half) == (up < half)) == ((column < half) == (across < half)):
            found.append(frozenset((y << shift) + x for y in (row, up) for x in (column, across)))
    return tuple(found)


class _Sketch:
    """A position as sets of cells, and what of it can still matter."""

    def __init__(self, s: State) -> None:
        size, shift = int(s.side), int(s.shift)
        end = size - 1
        self.size = size
        self.men = [_cells(s.men[colour]) for colour in (WHITE, BLACK)]
        self.marked = _cells(s.marks[WHITE]) | _cells(s.marks[BLACK])
        self.free = _cells(s.free)
        self.last = {int(s.last)} if s.last >= 0 else set()
        self.loose = self.free | self.last
        self.current = bool(s.current)
        self.squares = [square for square in all_squares(size) if self._may_score(square)]

        def cell(row: int, column: int) -> int:
            return (row << shift) + column

        places = [(each >> shift, each & ((1 << shift) - 1), each) for each in cells(size)]
        self.images = [
            {each: cell(row, end - column) for row, column, each in places},
            {each: cell(end - row, column) for row, column, each in places},
            {each: cell(end - row, end - column) for row, column, each in places},
        ]
        self.spoilt = [any(self._spoils(each, image) for each, image in images.items()) for images in self.images]
        self.right = int(s.right) if s.right >= ONCE and any(map(self._may_come, self.images)) else NEVER
        self.swap = NO_SWAP
        if s.may_swap and not s.swapped and s.placed <= 1:
            self.swap = SWAP_NOW if s.placed == 1 else SWAP_NEXT

    def _may_score(self, square: frozenset[int]) -> bool:
        fixed = square - self.loose
        return len(fixed) < len(square) and any(fixed <= men for men in self.men)

    def _spoils(self, cell: int, image: int) -> bool:
        """Tell whether two men of one colour are each other's images for good."""
        return not {cell, image} & self.loose and any({cell, image} <= men for men in self.men)

    def _may_come(self, images: dict[int, int]) -> bool:
        pairs = list(images.items())
        return any({cell, image} <= self.free for cell, image in pairs) and not any(
            {cell, image} <= men for men in self.men for cell, image in pairs
        )

    def places(self) -> dict[int, int]:
        """Return the bit of every cell that has one."""
        if self.size <= _SMALL:
            return {cell: cell for cell in cells(self.size)}
        may_change = self.right != NEVER or self.swap != NO_SWAP
        # Men who are marked for good count no more, but one man has to tell whose the square is.
        for_good = self.marked - self.loose
        if may_change and self.current:
            for_good -= self.men[BLACK]
        counting = {cell for square in self.squares for cell in square - for_good}
        for square in self.squares:
            men = square - self.loose
            if men and not men & counting:
                counting.add(min(men))
        if may_change:
            counting |= self.loose | {images[cell] for images in self.images for cell in self.loose}
        return {cell: place for place, cell in enumerate(sorted(counting))}

    def lasting(self) -> set[int]:
        """Return the black men on squares that are complete and cannot be broken."""
        safe = self.men[BLACK] - self.loose
        return {cell for square in all_squares(self.size) if square <= safe for cell in square}

    def bounds(self) -> tuple[int, int]:
        """Return bounds of the value that hold whatever counts still."""
        placed = len(self.men[WHITE]) + len(self.men[BLACK])
        mover = self.men[placed & 1]
        other = self.men[1 - (placed & 1)]
        each = self.size * self.size // 2
        mine, theirs = each - len(mover & self.marked), each - len(other & self.marked)
        if self.right != NEVER:
            losable = len(self.men[BLACK] & self.marked)
            mine, theirs = (mine, theirs + losable) if placed & 1 else (mine + losable, theirs)
        if self.swap != NO_SWAP:
            mine = theirs = max(mine, theirs)
        return -theirs, mine


def _cells(words: Any) -> set[int]:
    board = sum(word << 64 * i for i, word in enumerate(words.tolist()))
    return {cell for cell in range(256) if board >> cell & 1}


def enter(options: SquareOffOptions, s: State) -> tuple[States, States]:
    """Return one board and one node for a position; raise SolverLimit if too many cells still matter."""
    sketch = _Sketch(s)
    place = sketch.places()
    if len(place) > _MOST_CELLS:
        lower, upper = sketch.bounds()
        message = f"{len(place)} cells still matter; on boards above 8 x 8 at most {_MOST_CELLS} may"
        raise SolverLimit(message, lower, upper)

    def word(some: set[int] | frozenset[int]) -> np.uint64:
        return np.uint64(sum(1 << place[cell] for cell in some if cell in place))

    boards, nodes = np.zeros(1, BOARD), np.zeros(1, NODE)
    board, node = view_record(boards), view_record(nodes)
    free = len(sketch.free)
    board.most_links = 2 * free + 1
    board.most_plies = free + 1
    board.step = 1
    board.count = len(sketch.squares)
    board.current = options.marks == "current"
    board.lasting = word(sketch.lasting())
    board.spoilt[:] = sketch.spoilt
    for kind, images in enumerate(sketch.images):
        for cell, image in images.items():
            if cell in place:
                board.images[kind, place[cell]] = word({image})
    for i, square in enumerate(sketch.squares):
        board.squares[i] = word(square)
    if options.size > _SMALL:
        content = f"{sorted(place)}".encode() + boards.tobytes()
        board.salt = np.frombuffer(hashlib.blake2b(content, digest_size=8).digest(), np.uint64)[0]
    elif int(s.placed) <= _FEW_MEN:
        board.edge = options.size
    mover = int(s.placed) & 1
    node.own, node.other = word(sketch.men[mover]), word(sketch.men[1 - mover])
    node.marks, node.free, node.last = word(sketch.marked), word(sketch.free), word(sketch.last)
    node.white, node.right, node.swap = mover == WHITE, sketch.right, sketch.swap
    unsettled_positions.refine(board, node)
    return boards, nodes


def effort(s: State) -> float:
    """Return about how many nodes a position takes, from the cells that still matter and how far its limits are apart.

    Fitted to 142 solved positions (docs/solved.md), of which 141 lie within a factor of ten.
    """
    options = SquareOffOptions(size=int(s.side), marks="current" if s.current else "kept")
    try:
        nodes = view_record(enter(options, s)[1])
    except SolverLimit:
        return float("inf")
    cells_left = int(nodes.free).bit_count()
    return float(10.0 ** (0.176 * cells_left + 0.058 * (int(nodes.high) - int(nodes.low)) - 0.444))
