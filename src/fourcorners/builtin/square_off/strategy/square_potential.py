"""The potential of the squares of Square Off: threats, forks and open squares, for the 64 cells of a word at once.

Squares are visited row by row. `LEFT_CORNERS` has a word with the left corners, in one row, of all squares whose other
row lies `rise` rows higher (lower, if `rise` is negative); their width is the absolute value of `rise`. The corners of
all these squares are then the bits of two words, the row's own and the other row's, once as they are and once shifted
by the width. A square is visited twice, once from each of its rows, and each visit sets bits in that row only.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fourcorners.builtin.square_off.options import list_squares
from fourcorners.core.arrays import State
from fourcorners.core.bits import ZERO, bit, popcount
from fourcorners.core.jit import jitable_no_alloc

MAX_SIDE = 16
_WORDS = 4
_SMALL = 3  # the shift of boards that fit into one word
_ROW_BITS, _WORD_BITS = np.uint64(16), np.uint64(64)


def _build_left_corners() -> NDArray[np.uint64]:
    """Return the table `LEFT_CORNERS`; the entries of odd sides, sides below 4 and a rise of 0 are zero."""
    words = np.zeros((MAX_SIDE + 1, _WORDS, 2 * MAX_SIDE - 1), np.uint64)
    for side in range(4, MAX_SIDE + 1, 2):
        for lower_left, lower_right, upper_left, _ in list_squares(side):
            rise = lower_right - lower_left
            words[side, lower_left >> 6, MAX_SIDE - 1 + rise] |= bit(lower_left & 63)
            words[side, upper_left >> 6, MAX_SIDE - 1 - rise] |= bit(upper_left & 63)
    return words


LEFT_CORNERS = _build_left_corners()
"""Words of left corners, by side of the board, word, and rise + MAX_SIDE - 1."""


class KeyCells(NamedTuple):
    """The free cells of a word that matter to either colour, a bit for each."""

    takes: np.uint64  # where the colour completes a square
    blocks: np.uint64  # where the other colour does
    forks: np.uint64  # where the colour threatens two squares or more at once; one cell may complete both
    their_forks: np.uint64  # where the other colour does
    still_open: np.uint64  # on a square that either colour may still complete


@jitable_no_alloc
def shift_rows(s: State, colour: int, word: int, rise: int) -> np.uint64:
    """Return word number `word` of a colour's men moved down by `rise` rows (up if negative), empty where no row is:
    row i of the result, from its lowest bits, is the row that lies `rise` rows above row i of that word on the board.
    """
    if s.shift == _SMALL:
        men = s.men[colour, word]
        return men >> np.uint64(8 * rise) if rise > 0 else men << np.uint64(-8 * rise)
    first = 4 * word + rise
    source, offset = first >> 2, np.uint64(first & 3) * _ROW_BITS
    low = s.men[colour, source] if 0 <= source < _WORDS else ZERO
    # A shift by 64 would be undefined.
    if offset == ZERO:
        return low
    high = s.men[colour, source + 1] if 0 <= source + 1 < _WORDS else ZERO
    return (low >> offset) | (high << (_WORD_BITS - offset))


@jitable_no_alloc
def count_words(s: State) -> int:
    """Return the number of words that the board needs."""
    return 1 if s.shift == _SMALL else _WORDS


@jitable_no_alloc
def find_overlaps(a: np.uint64, b: np.uint64, c: np.uint64, d: np.uint64) -> np.uint64:
    """Return the bits that two or more of four words have."""
    return (a & b) | (c & d) | ((a | b) & (c | d))


@jitable_no_alloc
def find_key_cells(s: State, colour: int, word: int) -> KeyCells:
    """Return the free cells of word number `word` that matter most, as bits of the word and as `colour` sees them."""
    own, other, free, side = s.men[colour, word], s.men[1 - colour, word], s.free[word], np.int64(s.side)
    takes = blocks = forks = their_forks = still_open = threats = their_threats = ZERO
    for rise in range(1 - side, side):
        corners = LEFT_CORNERS[side, word, rise + MAX_SIDE - 1]
        if corners == ZERO:
            continue
        # Men on the near left, near right, far left and far right corner: a to d, and p, q, r, t of the other colour.
        width = np.uint64(abs(rise))
        far, their_far = shift_rows(s, colour, word, rise), shift_rows(s, 1 - colour, word, rise)
        a, b, c, d = own, own >> width, far, far >> width
        p, q, r, t = other, other >> width, their_far, their_far >> width
        both_far, their_both_far = c & d & corners, r & t & corners
        takes |= (b & both_far) | ((a & both_far) << width)
        blocks |= (q & their_both_far) | ((p & their_both_far) << width)
        mine, theirs = corners & ~(p | q | r | t), corners & ~(a | b | c | d)
        still_open |= (mine | theirs) | ((mine | theirs) << width)
        threats, forks = _add_pairs(threats, forks, mine & find_overlaps(a, b, c, d), width)
        their_threats, their_forks = _add_pairs(their_threats, their_forks, theirs & find_overlaps(p, q, r, t), width)
    return KeyCells(takes & free, blocks & free, forks & free, their_forks & free, still_open & free)


@jitable_no_alloc
def _add_pairs(threats: np.uint64, forks: np.uint64, left: np.uint64, width: np.uint64) -> tuple[np.uint64, np.uint64]:
    """Return the cells where a colour's man threatens one square or more, and two or more, from those before, adding
    squares with two men of the colour and none of the other: `left` are their near left corners, `width` their width.
    """
    forks |= threats & left
    threats |= left
    right = left << width
    return threats | right, forks | (threats & right)


@jitable_no_alloc
def find_completing_cells(s: State, colour: int, word: int) -> tuple[np.uint64, np.uint64]:
    """Return the free cells of word number `word` where the colour completes a square, and where the other one does.
    They are the first two fields of `find_key_cells`, found in less time.
    """
    own, other = s.men[colour, word], s.men[1 - colour, word]
    takes = blocks = ZERO
    side = np.int64(s.side)
    for rise in range(1 - side, side):
        if rise == 0:
            continue
        corners = LEFT_CORNERS[side, word, rise + MAX_SIDE - 1]
        width = np.uint64(abs(rise))
        far, their_far = shift_rows(s, colour, word, rise), shift_rows(s, 1 - colour, word, rise)
        both_far, their_both_far = far & (far >> width) & corners, their_far & (their_far >> width) & corners
        takes |= ((own >> width) & both_far) | ((own & both_far) << width)
        blocks |= ((other >> width) & their_both_far) | ((other & their_both_far) << width)
    return takes & s.free[word], blocks & s.free[word]


@jitable_no_alloc
def count_new_marks(s: State, colour: int, cell: int) -> int:
    """Return the number of men, itself included, that a man of the colour on this free cell would newly mark."""
    side, shift = np.int64(s.side), np.int64(s.shift)
    row, column = cell >> shift, cell & ((1 << shift) - 1)
    half, here = side >> 1, 1 << column
    # A square's other column is in the same half of the board as this one exactly if its other row is.
    near = (1 << half) - 1 if column < half else ((1 << half) - 1) << half
    far = near ^ ((1 << side) - 1)
    own_row = extract_row(s.men[colour, (row << shift) >> 6], row, shift)
    unmarked = own_row & ~extract_row(s.marks[colour, (row << shift) >> 6], row, shift)
    beside = count = 0
    for other_row in range(side):
        if other_row == row:
            continue
        word = (other_row << shift) >> 6
        men = extract_row(s.men[colour, word], other_row, shift)
        if men & here == 0:
            continue
        width = abs(other_row - row)
        candidates = near if (other_row < half) == (row < half) else far
        columns = men & own_row & candidates & ((here << width) | (here >> width))
        if columns != 0:
            beside |= columns
            found = (columns | here) & ~extract_row(s.marks[colour, word], other_row, shift)
            while found != 0:
                count += 1
                found &= found - 1
    if beside == 0:
        return 0
    # Men in the same row may belong to two squares, one above and one below: they count once. There are few bits to
    # count, so loops are faster than `popcount`.
    beside &= unmarked
    count += 1
    while beside != 0:
        count += 1
        beside &= beside - 1
    return count


@jitable_no_alloc
def count_squares_through(s: State, cell: int) -> int:
    """Return the number of squares of the board with a corner on this cell, regardless of the men on them."""
    word, here = cell >> 6, bit(cell & 63)
    count = 0
    for rise in range(1 - MAX_SIDE, MAX_SIDE):
        corners = LEFT_CORNERS[np.int64(s.side), word, rise + MAX_SIDE - 1]
        right_corners = corners << np.uint64(abs(rise))
        count += popcount((corners | right_corners) & here)
        count += popcount(corners & right_corners & here)
    return count


@jitable_no_alloc
def extract_row(word: np.uint64, row: int, shift: int) -> int:
    """Return row number `row` of the board, from the word that has it and the board's `shift`: column a is bit 0."""
    return np.int64(word >> np.uint64((row << shift) & 63)) & ((1 << (1 << shift)) - 1)


@jitable_no_alloc
def has_bit(word: np.uint64, cell: int) -> bool:
    """Return whether `word`, the word of a bitboard that has this cell, has the cell's bit."""
    return word & bit(cell & 63) != ZERO
