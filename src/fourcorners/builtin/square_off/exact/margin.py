"""Exact play of Square Off for the margin solvers (see `solvers/margin_protocol.py`): nodes, their keys and moves.

A node consists of bitboards of one word. Up to the 8 x 8 board, a bit is a cell as in the rules; on larger boards only
the cells that still matter at the root have a bit, of which there may be 64. `own` are the men of the colour to move.
Most nodes are settled: whatever can no longer be marked is left out of them, and colours do not matter. The others are
those of `unsettled_positions.py`.
"""

import hashlib
from collections.abc import Iterable
from itertools import chain
from typing import Any

import numpy as np

from fourcorners.builtin.square_off.board import to_integer
from fourcorners.builtin.square_off.exact import settled_positions, unsettled_positions
from fourcorners.builtin.square_off.exact.unsettled_positions import NO_SWAP, SWAP_NEXT, SWAP_NOW, SYMMETRIES
from fourcorners.builtin.square_off.options import BLACK, WHITE, SquareOffOptions, list_cells, list_squares
from fourcorners.builtin.square_off.rules import NEVER, ONCE
from fourcorners.core.arrays import Actions, State, States
from fourcorners.core.bits import ZERO, mix
from fourcorners.core.dispatch import view_record
from fourcorners.core.errors import SolverLimit
from fourcorners.core.jit import deferrable, jitable, kernel
from fourcorners.solvers.margin_protocol import BOARD_FIELDS, GAIN, OTHER, TURN

OPTIONS = ("size", "swap", "symmetry", "marks")
_MAX_CELLS = 64
_MAX_SQUARES = 904  # on the 16 x 16 board
_SMALL = 8
# A search meets mirror images of a position only if it started with few men on the board.
_FEW_MEN = 6

BOARD = np.dtype(
    [
        *BOARD_FIELDS,
        ("count", np.int64),  # the number of squares
        ("edge", np.int64),  # the side of the board if mirror images share a key, otherwise 0
        ("current", np.int64),  # whether a man is marked only while it stands on a complete square
        ("salt", np.uint64),  # makes keys differ between boards whose bits stand for different cells
        ("permanent", np.uint64),  # men that are marked for good, since no move can break their squares
        ("ruled_out", np.int64, (SYMMETRIES,)),  # whether a symmetry can never occur
        ("images", np.uint64, (SYMMETRIES, _MAX_CELLS)),  # the bit of each cell's image, 0 if that cell has no bit
        ("squares", np.uint64, (_MAX_SQUARES,)),  # those that may still be completed
    ]
)
NODE = np.dtype(
    [
        ("own", np.uint64),
        ("other", np.uint64),
        ("marks", np.uint64),
        ("free", np.uint64),
        ("last", np.uint64),  # the man that White may replace now, or none
        ("low", np.int16),  # bounds of the value
        ("high", np.int16),
        ("white", np.uint8),  # whether White is to move; 0 where that does not matter
        ("right", np.uint8),  # the symmetry right that White may still get, as in the rules; NEVER if none can occur
        ("swap", np.uint8),  # NO_SWAP, SWAP_NOW or SWAP_NEXT
        ("pad", np.uint8),
    ]
)

_S1, _S2, _S4, _S7, _S8, _S14, _S16, _S28, _S32 = (np.uint64(n) for n in (1, 2, 4, 7, 8, 14, 16, 28, 32))
# Masks to reflect a word of 8 x 8 cells: columns (H), rows (V), and along the diagonal (D).
_H1, _H2, _H4 = (np.uint64(n) for n in (0x5555555555555555, 0x3333333333333333, 0x0F0F0F0F0F0F0F0F))
_V1, _V2 = np.uint64(0x00FF00FF00FF00FF), np.uint64(0x0000FFFF0000FFFF)
_D1, _D2, _D4 = (np.uint64(n) for n in (0x00AA00AA00AA00AA, 0x0000CCCC0000CCCC, 0x00000000F0F0F0F0))
_SECOND_SEED = np.uint64(0x6A09E667F3BCC909)
_IMAGES = 8


@jitable
def limits(board: State, node: State) -> tuple[int, int]:
    """Return the lower and upper bound of a node's value, which were computed when it was made."""
    return np.int64(node.low), np.int64(node.high)


@jitable
def moves(board: State, node: State, out: Actions) -> int:
    """Write the codes of a node's moves into `out`, promising ones first; return how many, up to `most_links`."""
    if node.right == NEVER and node.swap == NO_SWAP:
        return settled_positions.list_moves(board, node, out)
    return unsettled_positions.list_moves(board, node, out)


@jitable
def follow(board: State, node: State, move: int, child: State, link: Actions) -> None:
    """Write the node after one of the `moves` into `child`, and into `link` its GAIN and a TURN that passes on."""
    link[TURN] = OTHER
    if node.right == NEVER and node.swap == NO_SWAP:
        link[GAIN] = settled_positions.play_move(board, node, move, child)
    else:
        link[GAIN] = unsettled_positions.play_move(board, node, move, child)


@jitable
def key(board: State, node: State) -> tuple[np.uint64, np.uint64]:
    """Return two hashes of a node; where mirror images share a key, those of the smallest of its eight images.
    Images are compared as four words, one after another.
    """
    a, b, c = node.own, node.other, node.marks
    # Where a man may be replaced, no cell was left out, so the men determine the free cells, and `last` replaces them.
    is_last = node.last != ZERO
    d = node.last if is_last else node.free
    if board.edge != 0:
        p, q, r, s = a, b, c, d
        for i in range(1, _IMAGES):  # column, row, column; transpose; then the same again
            if i == _IMAGES >> 1:
                p, q, r, s = transpose(p), transpose(q), transpose(r), transpose(s)
            elif i & 1 != 0:
                p, q = reflect_columns(board, p), reflect_columns(board, q)
                r, s = reflect_columns(board, r), reflect_columns(board, s)
            else:
                p, q = reflect_rows(board, p), reflect_rows(board, q)
                r, s = reflect_rows(board, r), reflect_rows(board, s)
            if p < a or (p == a and (q < b or (q == b and (r < c or (r == c and s < d))))):
                a, b, c, d = p, q, r, s
    state = np.int64(node.white) | np.int64(node.right) << 1 | np.int64(node.swap) << 3 | np.int64(is_last) << 5
    start = board.salt ^ np.uint64(state)
    # Chains in opposite orders, so that words which collide in one seldom do so in the other.
    first = mix(d ^ mix(c ^ mix(b ^ mix(a ^ start))))
    second = mix(a ^ mix(b ^ mix(c ^ mix(d ^ start ^ _SECOND_SEED))))
    return first, second


@jitable
def reflect_columns(board: State, word: np.uint64) -> np.uint64:
    """Reflect a word left to right: swap neighbouring bits, pairs and nibbles, and move the board back to column a."""
    word = ((word >> _S1) & _H1) | ((word & _H1) << _S1)
    word = ((word >> _S2) & _H2) | ((word & _H2) << _S2)
    word = ((word >> _S4) & _H4) | ((word & _H4) << _S4)
    return word >> np.uint64(_SMALL - board.edge)


@jitable
def reflect_rows(board: State, word: np.uint64) -> np.uint64:
    """Reflect a word top to bottom: swap bytes, pairs and halves, and move the board back to row 1."""
    word = ((word >> _S8) & _V1) | ((word & _V1) << _S8)
    word = ((word >> _S16) & _V2) | ((word & _V2) << _S16)
    word = (word >> _S32) | (word << _S32)
    return word >> np.uint64(_SMALL * (_SMALL - board.edge))


@jitable
def transpose(word: np.uint64) -> np.uint64:
    """Exchange rows and columns of 8 x 8 cells by delta swaps: of neighbours, then of blocks of 2 x 2 and of 4 x 4."""
    swap = (word ^ (word >> _S7)) & _D1
    word = word ^ swap ^ (swap << _S7)
    swap = (word ^ (word >> _S14)) & _D2
    word = word ^ swap ^ (swap << _S14)
    swap = (word ^ (word >> _S28)) & _D4
    return word ^ swap ^ (swap << _S28)


class _Analysis:
    """A position as sets of cells, with the parts that can still affect the margin.

    `loose` are the cells that can still change: the free ones, and that of the man that White may replace. `squares`
    are those that may still be completed; `images` maps each cell to its image under each symmetry.
    """

    def __init__(self, s: State) -> None:
        """Analyse a record, which stays as it is."""
        self.size = size = int(s.side)
        self.men = [_to_set(s.men[colour]) for colour in (WHITE, BLACK)]
        self.marked = _to_set(s.marks[WHITE]) | _to_set(s.marks[BLACK])
        self.free = _to_set(s.free)
        self.last = {int(s.last)} if s.last >= 0 else set()
        self.loose = self.free | self.last
        self.current = bool(s.current)
        self.squares = [square for square in map(frozenset, list_squares(size)) if self._can_be_completed(square)]
        cells = list_cells(size)
        rows = [cells[i : i + size] for i in range(0, len(cells), size)]
        # Left to right, top to bottom, and half a turn.
        mirrored = (chain.from_iterable(row[::-1] for row in rows), chain.from_iterable(rows[::-1]), cells[::-1])
        self.images = [dict(zip(cells, images, strict=True)) for images in mirrored]
        self.ruled_out = [any(self._rules_out(*pair) for pair in images.items()) for images in self.images]
        self.right = int(s.right) if s.right >= ONCE and any(map(self._can_become_symmetric, self.images)) else NEVER
        self.swap = NO_SWAP
        if s.may_swap and not s.swapped and s.placed <= 1:
            self.swap = SWAP_NOW if s.placed == 1 else SWAP_NEXT

    def _can_be_completed(self, square: frozenset[int]) -> bool:
        """Return whether a square has a loose cell and men of one colour at most on its other cells."""
        fixed = square - self.loose
        return len(fixed) < len(square) and any(fixed <= men for men in self.men)

    def _rules_out(self, cell: int, image: int) -> bool:
        """Return whether two men of one colour, which can never leave, are on a cell and its image."""
        return not {cell, image} & self.loose and any({cell, image} <= men for men in self.men)

    def _can_become_symmetric(self, images: dict[int, int]) -> bool:
        """Return whether White may still get the right under the symmetry that maps each cell to its image.
        Some pair must be free, and no pair may hold two men of one colour: see `unsettled_positions.py`.
        """
        pairs = list(images.items())
        return any({cell, image} <= self.free for cell, image in pairs) and not any(
            {cell, image} <= men for men in self.men for cell, image in pairs
        )

    def assign_bits(self) -> dict[int, int]:
        """Map cells to their bits in nodes, from 0: all cells, or on large boards those that matter, however many."""
        if self.size <= _SMALL:
            return {cell: cell for cell in list_cells(self.size)}
        may_change = self.right != NEVER or self.swap != NO_SWAP
        # Men that stay marked no longer matter, but one man of each square must show which colour it belongs to.
        stay_marked = self.marked - self.loose
        if may_change and self.current:
            stay_marked -= self.men[BLACK]
        relevant = {cell for square in self.squares for cell in square - stay_marked}
        for square in self.squares:
            men = square - self.loose
            if men and not men & relevant:
                relevant.add(min(men))
        if may_change:
            relevant |= self.loose | {images[cell] for images in self.images for cell in self.loose}
        return {cell: index for index, cell in enumerate(sorted(relevant))}

    def find_permanent_men(self) -> set[int]:
        """Return the cells of black men (white ones never leave) on complete squares that can no longer be broken."""
        safe = self.men[BLACK] - self.loose
        return {cell for square in list_squares(self.size) if safe.issuperset(square) for cell in square}

    def compute_bounds(self) -> tuple[int, int]:
        """Return a lower and an upper bound of the margin to come, for the colour to move, from men and marks alone."""
        placed = len(self.men[WHITE]) + len(self.men[BLACK])
        mover, other = self.men[placed & 1], self.men[1 - (placed & 1)]
        half = self.size * self.size // 2
        mine, theirs = half - len(mover & self.marked), half - len(other & self.marked)
        if self.right != NEVER:
            losable = len(self.men[BLACK] & self.marked)
            mine, theirs = (mine, theirs + losable) if placed & 1 else (mine + losable, theirs)
        if self.swap != NO_SWAP:
            mine = theirs = max(mine, theirs)
        return -theirs, mine


def _to_set(words: Any) -> set[int]:
    """Return the cells of a bitboard of four words."""
    board = to_integer(words)
    return {cell for cell in range(256) if board >> cell & 1}


def enter(options: SquareOffOptions, s: State) -> tuple[States, States]:
    """Return arrays of one board and one root node for a position; `options` must be those of the position. Raise
    SolverLimit, with bounds of the margin to come, if too many cells still matter.
    """
    analysis = _Analysis(s)
    bits = analysis.assign_bits()
    if len(bits) > _MAX_CELLS:
        lower, upper = analysis.compute_bounds()
        message = f"{len(bits)} cells still matter; on boards above 8 x 8 the limit is {_MAX_CELLS}"
        raise SolverLimit(message, lower, upper)

    def to_word(cells: Iterable[int]) -> np.uint64:
        return np.uint64(sum(1 << bits[cell] for cell in cells if cell in bits))

    boards, nodes = np.zeros(1, BOARD), np.zeros(1, NODE)
    board, node = view_record(boards), view_record(nodes)
    free = len(analysis.free)
    board.most_links, board.most_plies, board.step = 2 * free + 1, free + 1, 1
    board.count, board.current = len(analysis.squares), options.marks == "current"
    board.permanent = to_word(analysis.find_permanent_men())
    board.ruled_out[:] = analysis.ruled_out
    for kind, images in enumerate(analysis.images):
        for cell, image in images.items():
            if cell in bits:
                board.images[kind, bits[cell]] = to_word({image})
    for i, square in enumerate(analysis.squares):
        board.squares[i] = to_word(square)
    if options.size > _SMALL:  # up to 8 x 8, bits mean the same on all boards of a game
        content = f"{sorted(bits)}".encode() + boards.tobytes()
        board.salt = np.frombuffer(hashlib.blake2b(content, digest_size=8).digest(), np.uint64)[0]
    elif int(s.placed) <= _FEW_MEN:
        board.edge = options.size
    mover = int(s.placed) & 1
    node.own, node.other = to_word(analysis.men[mover]), to_word(analysis.men[1 - mover])
    node.marks, node.free, node.last = to_word(analysis.marked), to_word(analysis.free), to_word(analysis.last)
    node.white, node.right, node.swap = mover == WHITE, analysis.right, analysis.swap
    _simplify_root(boards, nodes)
    return boards, nodes


@deferrable
@kernel
def _simplify_root(boards: States, nodes: States) -> None:
    """Remove the irrelevant parts of `nodes[0]`, in place, and set its bounds."""
    unsettled_positions.simplify_node(boards[0], nodes[0])


def estimate_cost(s: State) -> float:
    """Estimate the number of nodes to solve a position, from its relevant free cells and its bounds' width.

    Return infinity for a position that is too large. The formula was fitted to 142 solved positions (docs/solved.md),
    and is right within a factor of ten for 141 of them.
    """
    options = SquareOffOptions(size=int(s.side), marks="current" if s.current else "kept")
    try:
        node = view_record(enter(options, s)[1])
    except SolverLimit:
        return float("inf")
    free = int(node.free).bit_count()
    return float(10.0 ** (0.176 * free + 0.058 * (int(node.high) - int(node.low)) - 0.444))
