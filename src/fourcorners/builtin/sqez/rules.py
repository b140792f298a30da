"""The rules of Sqez over one record: a field of dots, and the lines drawn on it as bits by row and by column.

A rectangle is given by the columns and rows of two corners, x1 < x2 and y1 < y2, counted from 0. An edge joins two
neighbouring dots. The functions trust that rectangles lie on the field.
"""

import numpy as np

from fourcorners.builtin.sqez.options import MAX_SIDE, PENCILS, SqezOptions
from fourcorners.core.arrays import Actions, Points, Rng, State
from fourcorners.core.bits import ONE, ZERO, bit, lowest_bit, nth_bit, pop_bit, popcount, random_below
from fourcorners.core.jit import jitable

DTYPE = np.dtype(
    [
        ("across", np.uint32, MAX_SIDE),  # by row: bit x is set if the edge from column x to the right is drawn
        ("up", np.uint32, MAX_SIDE),  # by row: bit x is set if the edge upwards in column x is drawn
        ("sides", np.uint32, MAX_SIDE),  # the same edges as in `up`, by column: bit y
        ("free", np.uint32, MAX_SIDE),  # by row: bit x is set if no drawn line touches the dot in column x
        *((option, np.uint8) for option in ("cols", "rows", "players", "shared", "any_dot", "strict")),
        ("turn", np.uint8),  # the seat to move; once the game is over, the winner
        ("out", np.uint8),  # bit i is set if seat i has forfeited
        ("over", np.uint8),
        ("pad", np.uint8, 7),
    ]
)
MAX_SEATS = len(PENCILS)
# Every move draws at least one of the 760 edges, or is a forfeit, of which there is one for every seat but the last.
MAX_PLIES = 2 * MAX_SIDE * (MAX_SIDE - 1) + MAX_SEATS - 1

_BITS, _LAST = 5, 31  # the bits of each number in an action, and the largest number that fits into them


@jitable
def pack(x1: int, y1: int, x2: int, y2: int) -> int:
    """Return the action that draws the rectangle with these corners, x1 < x2 and y1 < y2: five bits for each number."""
    return (((x1 << _BITS | y1) << _BITS) | x2) << _BITS | y2


@jitable
def unpack(action: int) -> tuple[int, int, int, int]:
    """Return the corners x1, y1, x2, y2 of an action, columns and rows counted from 0: the inverse of `pack`."""
    return action >> 3 * _BITS & _LAST, action >> 2 * _BITS & _LAST, action >> _BITS & _LAST, action & _LAST


@jitable
def bit_range(first: int, end: int) -> np.uint64:
    """Return the word with the bits from `first` up to, but not including, `end` (at least `first`, at most 63)."""
    # Subtracting two powers of two leaves a run of set bits.
    return bit(end) - bit(first)


@jitable
def _count_changes(side: np.uint64, first: int, end: int) -> int:
    """Count where a drawn edge (a bit of `side`) and an undrawn one are neighbours among edges `first` to `end` - 1."""
    return popcount((side ^ (side >> ONE)) & bit_range(first, end - 1))


@jitable
def can_draw_outline(s: State, x1: int, y1: int, x2: int, y2: int) -> bool:
    """Return whether the lines drawn so far allow the outline of a rectangle on the field, whatever dots it encloses.
    Own sides: no edge of it is drawn. Shared sides: its undrawn edges are one unbroken line, or all of the outline.
    """
    across, along = bit_range(x1, x2), bit_range(y1, y2)
    bottom, top = np.uint64(s.across[y1]) & across, np.uint64(s.across[y2]) & across
    left, right = np.uint64(s.sides[x1]) & along, np.uint64(s.sides[x2]) & along
    if (bottom | top | left | right) == ZERO:
        return True
    if s.shared == 0:
        return False
    # Going round the outline, drawn and undrawn edges meet twice if the undrawn ones form a single run, and never
    # if all are drawn. Count along the sides, then at the four corners.
    changes = _count_changes(bottom, x1, x2) + _count_changes(top, x1, x2)
    changes += _count_changes(left, y1, y2) + _count_changes(right, y1, y2)
    changes += ((bottom & bit(x1)) != ZERO) != ((left & bit(y1)) != ZERO)
    changes += ((bottom & bit(x2 - 1)) != ZERO) != ((right & bit(y1)) != ZERO)
    changes += ((top & bit(x1)) != ZERO) != ((left & bit(y2 - 1)) != ZERO)
    changes += ((top & bit(x2 - 1)) != ZERO) != ((right & bit(y2 - 1)) != ZERO)
    return changes == 2


@jitable
def is_legal_rectangle(s: State, x1: int, y1: int, x2: int, y2: int) -> bool:
    """Return whether a rectangle on the field is legal under the game's options, whether or not the game is over.
    Its size, the drawn edges on its outline and the free dots inside decide.
    """
    if x2 - x1 < 2 or y2 - y1 < 2 or not can_draw_outline(s, x1, y1, x2, y2):
        return False
    if s.any_dot != 0:
        return True
    columns = bit_range(x1 + 1, x2)
    for y in range(y1 + 1, y2):
        if np.uint64(s.free[y]) & columns != ZERO:
            return True
    return False


@jitable
def _flood_right(edges: np.uint64, starts: np.uint64) -> np.uint64:
    """Return the edges from each start to the right end of its run in `edges`; each start must be a bit of `edges`."""
    # The carry of the addition runs through a run of set bits from its leftmost start, and clears them up to the end.
    return (edges & ~(edges + starts)) | starts


@jitable
def _find_left_sides(columns: np.uint64, edges: np.uint64, inside: np.uint64) -> np.uint64:
    """Return the candidate columns for the left side of a rectangle between two rows; none if no rectangle fits there.

    All words have a bit for each column: `columns` have no drawn edge between the rows, `edges` are undrawn in both
    rows (bit x runs to column x + 1), and `inside` are the columns with a dot to enclose. For own sides only.
    """
    begin = columns & edges
    # Reachable dots inside, from which the outline can go on; then the columns that it can reach from those.
    middle = inside & (_flood_right(edges, begin) << ONE) & edges
    return begin if (_flood_right(edges, middle) << ONE) & columns != ZERO else ZERO


@jitable
def find_right_sides(
    s: State, y1: int, y2: int, x1: int, columns: np.uint64, edges: np.uint64, inside: np.uint64
) -> np.uint64:
    """Return the columns x2, as bits, of all legal rectangles between rows y1 and y2 whose left side is in column x1.

    x1 must be a left side that `scan_row_pair` returned, `columns` and `edges` are the rest of what it returned, and
    `inside` are the columns with a dot to enclose strictly between the rows.
    """
    dots = inside & ~(bit(x1 + 1) - ONE)
    if dots == ZERO:
        return ZERO
    # The right side lies beyond the nearest dot to enclose. For a single bit b, b - 1 has all lower bits set.
    nearest = dots & (~dots + ONE)
    right = columns & ~(nearest | (nearest - ONE))
    if s.shared == 0:
        # It lies no farther than the first drawn edge, on which bottom and top have to stop.
        drawn = (~edges) & ~(bit(x1) - ONE)
        stop = drawn & (~drawn + ONE)
        return right & (stop | (stop - ONE))
    ends = ZERO
    while right != ZERO:
        x2, right = pop_bit(right)
        if can_draw_outline(s, x1, y1, x2, y2):
            ends = ends | bit(x2)
    return ends


@jitable
def scan_row_pair(
    s: State, y1: int, y2: int, walls: np.uint64, inside: np.uint64
) -> tuple[np.uint64, np.uint64, np.uint64]:
    """Return the input of `find_right_sides` for rectangles between rows y1 and y2 >= y1 + 2, three words by column.

    They are the left sides to try, the columns that either side may be in, and the edges that bottom and top may use.
    `walls` are the columns with a drawn edge between the rows, `inside` those with a dot to enclose. With own sides
    there are left sides only if there is a legal rectangle; with shared sides they are a superset.
    """
    field = bit_range(0, np.int64(s.cols))
    edges = field >> ONE
    if s.shared != 0:
        return edges if inside != ZERO else ZERO, field, edges
    columns = field & ~walls
    edges = edges & ~(np.uint64(s.across[y1]) | np.uint64(s.across[y2]))
    return _find_left_sides(columns, edges, inside), columns, edges


@jitable
def get_enclosable_dots(s: State, y: int) -> np.uint64:
    """Return the columns, as bits, of row y's dots that count when enclosed: free ones, or all with `enclose=any`."""
    return bit_range(0, np.int64(s.cols)) if s.any_dot != 0 else np.uint64(s.free[y])


@jitable
def has_legal_rectangle(s: State) -> bool:
    """Return whether any rectangle is legal; only lines and dots count, so the answer does not depend on `over`."""
    for y1 in range(np.int64(s.rows) - 2):
        walls, inside = np.uint64(s.up[y1]), ZERO
        for y2 in range(y1 + 2, np.int64(s.rows)):
            walls, inside = walls | np.uint64(s.up[y2 - 1]), inside | get_enclosable_dots(s, y2 - 1)
            starts, columns, edges = scan_row_pair(s, y1, y2, walls, inside)
            if s.shared == 0 and starts != ZERO:
                return True  # `scan_row_pair` returns left sides only where a rectangle fits
            while starts != ZERO:
                if find_right_sides(s, y1, y2, lowest_bit(starts), columns, edges, inside) != ZERO:
                    return True
                starts = starts & (starts - ONE)
    return False


@jitable
def bound(s: State) -> int:
    """Return an upper bound of the number of legal actions: that of the rectangles on an empty field of this size."""
    cols, rows = np.int64(s.cols), np.int64(s.rows)
    return (cols - 1) * (cols - 2) * (rows - 1) * (rows - 2) // 4


@jitable
def legal(s: State, out: Actions) -> int:
    """Write the legal rectangles into `out`, whose length is at least `bound(s)`; return their number, 0 if it is over.
    They are sorted by lower row, upper row, left column, right column.
    """
    n = 0
    if s.over != 0:
        return n
    for y1 in range(np.int64(s.rows) - 2):
        walls, inside = np.uint64(s.up[y1]), ZERO
        for y2 in range(y1 + 2, np.int64(s.rows)):
            walls, inside = walls | np.uint64(s.up[y2 - 1]), inside | get_enclosable_dots(s, y2 - 1)
            starts, columns, edges = scan_row_pair(s, y1, y2, walls, inside)
            while starts != ZERO:
                x1, starts = pop_bit(starts)
                ends = find_right_sides(s, y1, y2, x1, columns, edges, inside)
                while ends != ZERO:
                    out[n] = pack(x1, y1, lowest_bit(ends), y2)
                    n += 1
                    ends = ends & (ends - ONE)
    return n


@jitable
def count_legal(s: State) -> int:
    """Count the legal rectangles, whether or not the game is over."""
    n = 0
    for y1 in range(np.int64(s.rows) - 2):
        walls, inside = np.uint64(s.up[y1]), ZERO
        for y2 in range(y1 + 2, np.int64(s.rows)):
            walls, inside = walls | np.uint64(s.up[y2 - 1]), inside | get_enclosable_dots(s, y2 - 1)
            starts, columns, edges = scan_row_pair(s, y1, y2, walls, inside)
            while starts != ZERO:
                x1, starts = pop_bit(starts)
                n += popcount(find_right_sides(s, y1, y2, x1, columns, edges, inside))
    return n


@jitable
def pick(s: State, rng: Rng) -> int:
    """Return a legal rectangle, uniformly at random; there must be one. Try random ones first, then go through all."""
    cols, rows = np.int64(s.cols), np.int64(s.rows)
    # This many trials take about as long as listing all rectangles once.
    for _ in range(rows * (6 if s.shared != 0 else 2)):
        # Sides are two steps or more apart: draw different numbers, and put the right and upper side one step further.
        x1, x2 = _sample_pair(rng, cols - 1)
        y1, y2 = _sample_pair(rng, rows - 1)
        if is_legal_rectangle(s, x1, y1, x2 + 1, y2 + 1):
            return pack(x1, y1, x2 + 1, y2 + 1)
    return _pick_by_enumeration(s, rng)


@jitable
def _sample_pair(rng: Rng, n: int) -> tuple[int, int]:
    """Draw two different numbers from 0 to n - 1 uniformly at random, n >= 2; return the smaller first."""
    first, second = random_below(rng, n), random_below(rng, n - 1)  # the second draw skips the first number
    return (first, second + 1) if second >= first else (second, first)


@jitable
def _pick_by_enumeration(s: State, rng: Rng) -> int:
    """Draw a legal rectangle (there must be one) uniformly in one pass: reservoir sampling over left sides.
    A left side replaces the one kept so far with a probability that is its share of the rectangles seen.
    """
    count = 0
    low, high, left, right_sides = 0, 0, 0, ONE  # never used: the first left side found is always kept
    for y1 in range(np.int64(s.rows) - 2):
        walls, inside = np.uint64(s.up[y1]), ZERO
        for y2 in range(y1 + 2, np.int64(s.rows)):
            walls, inside = walls | np.uint64(s.up[y2 - 1]), inside | get_enclosable_dots(s, y2 - 1)
            starts, columns, edges = scan_row_pair(s, y1, y2, walls, inside)
            while starts != ZERO:
                x1, starts = pop_bit(starts)
                ends = find_right_sides(s, y1, y2, x1, columns, edges, inside)
                count += popcount(ends)
                if ends != ZERO and random_below(rng, count) < popcount(ends):
                    low, high, left, right_sides = y1, y2, x1, ends
    return pack(left, low, nth_bit(right_sides, random_below(rng, popcount(right_sides))), high)


@jitable
def play(s: State, action: int) -> None:
    """Draw a legal rectangle in place, and pass the turn on, or end the game if no legal one is left.
    In a strict game an illegal one on the field draws nothing: its seat forfeits; the game ends if one seat remains.
    """
    x1, y1, x2, y2 = unpack(action)
    if s.strict != 0 and not is_legal_rectangle(s, x1, y1, x2, y2):
        s.out = np.int64(s.out) | 1 << np.int64(s.turn)
        # Also if the game is over now: the turn is then that of the winner.
        _advance_turn(s)
        s.over = count_active_seats(s) == 1
        return
    draw_rectangle(s, x1, y1, x2, y2)
    if has_legal_rectangle(s):
        _advance_turn(s)
    else:
        s.over = 1  # the turn stays with the winner


@jitable
def draw_rectangle(s: State, x1: int, y1: int, x2: int, y2: int) -> None:
    """Mark the outline of a rectangle as drawn and its dots as not free, in place; turn and `over` stay as they are."""
    across, along, ends = bit_range(x1, x2), bit_range(y1, y2), bit(x1) | bit(x2)
    s.across[y1] = np.uint64(s.across[y1]) | across
    s.across[y2] = np.uint64(s.across[y2]) | across
    s.sides[x1] = np.uint64(s.sides[x1]) | along
    s.sides[x2] = np.uint64(s.sides[x2]) | along
    touched = across | ends
    s.free[y1] = np.uint64(s.free[y1]) & ~touched
    s.free[y2] = np.uint64(s.free[y2]) & ~touched
    for y in range(y1, y2):
        s.up[y] = np.uint64(s.up[y]) | ends
        s.free[y] = np.uint64(s.free[y]) & ~ends


@jitable
def count_active_seats(s: State) -> int:
    """Count the seats that have not forfeited."""
    return np.int64(s.players) - popcount(np.uint64(s.out))


@jitable
def _advance_turn(s: State) -> None:
    """Give the turn, in place, to the next seat that has not forfeited; there must be one."""
    seat = (np.int64(s.turn) + 1) % np.int64(s.players)
    while np.int64(s.out) >> seat & 1 != 0:
        seat = (seat + 1) % np.int64(s.players)
    s.turn = seat


@jitable
def accepts_illegal(s: State, action: int) -> bool:
    """Return whether illegal rectangles are accepted as moves, by which the seat to move forfeits.
    They are in a strict game that is not over; `action` is not looked at.
    """
    return s.strict != 0 and s.over == 0


@jitable
def to_move(s: State) -> int:
    """Return the seat to move; the winner once the game is over."""
    return np.int64(s.turn)


@jitable
def is_over(s: State) -> bool:
    """Return whether the game has ended, because no legal rectangle is left or only one seat has not forfeited."""
    return s.over != 0


@jitable
def points(s: State, out: Points) -> None:
    """Write 1 for the winner and 0 for the others into `out[:players]`, by seat; all 0 while the game goes on."""
    for seat in range(np.int64(s.players)):
        out[seat] = s.over != 0 and seat == np.int64(s.turn)


def start(s: State, options: SqezOptions, deck: tuple[str, ...]) -> None:
    """Fill a zeroed record in place with an empty field of these options; Sqez has no deck, so `deck` is ignored."""
    s.cols, s.rows, s.players = options.cols, options.rows, options.players
    s.shared, s.any_dot, s.strict = options.sides == "shared", options.enclose == "any", options.strict
    s.free[: options.rows] = bit_range(0, options.cols)
