"""The rules of Sqez over one record: a field of dots, and the lines drawn on it as bits of its rows and columns."""

from __future__ import annotations

import numpy as np

from fourcorners.core.bits import ONE, ZERO, Rng, bit, lowest_bit, nth_bit, popcount, random_below
from fourcorners.core.dispatch import Actions, Points, State
from fourcorners.core.jit import jitable
from fourcorners.games.sqez.options import MAX_SEATS as SEATS
from fourcorners.games.sqez.options import MAX_SIDE, SqezOptions

DTYPE = np.dtype(
    [
        ("across", np.uint32, MAX_SIDE),  # by row: bit x is the drawn edge from column x to the right
        ("up", np.uint32, MAX_SIDE),  # by row: bit x is the drawn edge of column x upwards
        ("sides", np.uint32, MAX_SIDE),  # the edges of `up` again, by column: bit y
        ("free", np.uint32, MAX_SIDE),  # by row: dots that no drawn line touches
        ("cols", np.uint8),
        ("rows", np.uint8),
        ("players", np.uint8),
        ("shared", np.uint8),
        ("any_dot", np.uint8),
        ("strict", np.uint8),
        ("turn", np.uint8),  # the winner once the game is over
        ("out", np.uint8),  # bit of each seat that has forfeited
        ("over", np.uint8),
        ("pad", np.uint8, 7),
    ]
)
MAX_SEATS = SEATS
# With shared sides a move draws at least one of the 760 edges; every seat but one may forfeit besides.
MAX_PLIES = 2 * MAX_SIDE * (MAX_SIDE - 1) + MAX_SEATS - 1

_BITS, _LAST = 5, 31


@jitable
def pack(x1: int, y1: int, x2: int, y2: int) -> int:
    """Return the action that draws the rectangle of these lower-left and upper-right dots."""
    return (((x1 << _BITS | y1) << _BITS) | x2) << _BITS | y2


@jitable
def unpack(action: int) -> tuple[int, int, int, int]:
    """Return the columns and rows x1, y1, x2, y2 of an action's corners."""
    return action >> 3 * _BITS & _LAST, action >> 2 * _BITS & _LAST, action >> _BITS & _LAST, action & _LAST


@jitable
def span(first: int, end: int) -> np.uint64:
    """Return the word with the bits from `first` up to, not including, `end`."""
    return bit(end) - bit(first)


@jitable
def _changes(side: np.uint64, first: int, end: int) -> int:
    """Count along a side how often drawn and undrawn edges meet."""
    return popcount((side ^ (side >> ONE)) & span(first, end - 1))


@jitable
def outline_fits(s: State, x1: int, y1: int, x2: int, y2: int) -> bool:
    """Tell whether the lines drawn so far leave room for the outline of a rectangle."""
    across, along = span(x1, x2), span(y1, y2)
    bottom, top = np.uint64(s.across[y1]) & across, np.uint64(s.across[y2]) & across
    left, right = np.uint64(s.sides[x1]) & along, np.uint64(s.sides[x2]) & along
    if (bottom | top | left | right) == ZERO:
        return True
    if s.shared == 0:
        return False
    # The new edges are one run round the ring exactly if drawn and undrawn edges meet twice.
    changes = _changes(bottom, x1, x2) + _changes(top, x1, x2) + _changes(left, y1, y2) + _changes(right, y1, y2)
    changes += ((bottom & bit(x1)) != ZERO) != ((left & bit(y1)) != ZERO)
    changes += ((bottom & bit(x2 - 1)) != ZERO) != ((right & bit(y1)) != ZERO)
    changes += ((top & bit(x1)) != ZERO) != ((left & bit(y2 - 1)) != ZERO)
    changes += ((top & bit(x2 - 1)) != ZERO) != ((right & bit(y2 - 1)) != ZERO)
    return changes == 2


@jitable
def fits(s: State, x1: int, y1: int, x2: int, y2: int) -> bool:
    """Tell whether a rectangle of the field is a legal one."""
    if x2 - x1 < 2 or y2 - y1 < 2 or not outline_fits(s, x1, y1, x2, y2):
        return False
    if s.any_dot != 0:
        return True
    columns = span(x1 + 1, x2)
    for y in range(y1 + 1, y2):
        if np.uint64(s.free[y]) & columns != ZERO:
            return True
    return False


@jitable
def _crossed(edges: np.uint64, starts: np.uint64) -> np.uint64:
    """Return the edges that can be followed to the right from the starts, a subset of the edges."""
    # The carry of the addition runs through a row of edges, from the leftmost start to its end.
    return (edges & ~(edges + starts)) | starts


@jitable
def _starts(columns: np.uint64, edges: np.uint64, inside: np.uint64) -> np.uint64:
    """Return the columns in which a rectangle between two rows may begin; none if there is no such rectangle.

    `columns` are those with room for a whole side, `edges` are undrawn in both rows, `inside` has a dot to enclose.
    """
    begin = columns & edges
    middle = inside & (_crossed(edges, begin) << ONE) & edges
    return begin if (_crossed(edges, middle) << ONE) & columns != ZERO else ZERO


@jitable
def right_sides(
    s: State, y1: int, y2: int, x1: int, columns: np.uint64, edges: np.uint64, inside: np.uint64
) -> np.uint64:
    """Return the columns in which a legal rectangle between two rows ends if it begins in column x1."""
    dots = inside & ~(bit(x1 + 1) - ONE)
    if dots == ZERO:
        return ZERO
    nearest = dots & (~dots + ONE)
    right = columns & ~(nearest | (nearest - ONE))
    if s.shared == 0:
        stops = (~edges) & ~(bit(x1) - ONE)
        stop = stops & (~stops + ONE)
        return right & (stop | (stop - ONE))
    ends = ZERO
    while right != ZERO:
        x2 = lowest_bit(right)
        right = right & (right - ONE)
        if outline_fits(s, x1, y1, x2, y2):
            ends = ends | bit(x2)
    return ends


@jitable
def between_rows(
    s: State, y1: int, y2: int, walls: np.uint64, inside: np.uint64
) -> tuple[np.uint64, np.uint64, np.uint64]:
    """Return, for rectangles between two rows: where they may begin, the columns for sides, the edges of both rows."""
    field = span(0, np.int64(s.cols))
    edges = field >> ONE
    if s.shared != 0:
        return edges if inside != ZERO else ZERO, field, edges
    columns = field & ~walls
    edges = edges & ~(np.uint64(s.across[y1]) | np.uint64(s.across[y2]))
    return _starts(columns, edges, inside), columns, edges


@jitable
def to_enclose(s: State, y: int) -> np.uint64:
    """Return the dots of a row of which a rectangle round them must enclose at least one."""
    return span(0, np.int64(s.cols)) if s.any_dot != 0 else np.uint64(s.free[y])


@jitable
def any_left(s: State) -> bool:
    """Tell whether a legal rectangle is left."""
    for y1 in range(np.int64(s.rows) - 2):
        walls, inside = np.uint64(s.up[y1]), ZERO
        for y2 in range(y1 + 2, np.int64(s.rows)):
            walls, inside = walls | np.uint64(s.up[y2 - 1]), inside | to_enclose(s, y2 - 1)
            starts, columns, edges = between_rows(s, y1, y2, walls, inside)
            if s.shared == 0 and starts != ZERO:
                return True
            while starts != ZERO:
                if right_sides(s, y1, y2, lowest_bit(starts), columns, edges, inside) != ZERO:
                    return True
                starts = starts & (starts - ONE)
    return False


@jitable
def bound(s: State) -> int:
    """Return the number of rectangles with a dot inside on the empty field."""
    cols, rows = np.int64(s.cols), np.int64(s.rows)
    return (cols - 1) * (cols - 2) * (rows - 1) * (rows - 2) // 4


@jitable
def legal(s: State, out: Actions) -> int:
    """Write the legal rectangles, by lower row, upper row, left column, right column."""
    n = 0
    if s.over != 0:
        return n
    for y1 in range(np.int64(s.rows) - 2):
        walls, inside = np.uint64(s.up[y1]), ZERO
        for y2 in range(y1 + 2, np.int64(s.rows)):
            walls, inside = walls | np.uint64(s.up[y2 - 1]), inside | to_enclose(s, y2 - 1)
            starts, columns, edges = between_rows(s, y1, y2, walls, inside)
            while starts != ZERO:
                x1 = lowest_bit(starts)
                starts = starts & (starts - ONE)
                ends = right_sides(s, y1, y2, x1, columns, edges, inside)
                while ends != ZERO:
                    out[n] = pack(x1, y1, lowest_bit(ends), y2)
                    n += 1
                    ends = ends & (ends - ONE)
    return n


@jitable
def pick(s: State, rng: Rng) -> int:
    """Return a legal rectangle: any of all rectangles if it happens to be legal, else one found by going through."""
    cols, rows = np.int64(s.cols), np.int64(s.rows)
    # As many trials as take about the time of going through all once.
    for _ in range(rows * (6 if s.shared != 0 else 2)):
        x1, x2 = _two_below(rng, cols - 1)
        y1, y2 = _two_below(rng, rows - 1)
        if fits(s, x1, y1, x2 + 1, y2 + 1):
            return pack(x1, y1, x2 + 1, y2 + 1)
    return _pick_exactly(s, rng)


@jitable
def _two_below(rng: Rng, n: int) -> tuple[int, int]:
    """Draw two different numbers below n, the smaller first."""
    first, second = random_below(rng, n), random_below(rng, n - 1)
    return (first, second + 1) if second >= first else (second, first)


@jitable
def _pick_exactly(s: State, rng: Rng) -> int:
    """Return one of the legal rectangles; each group of those with the same start replaces the choice by its share."""
    count = 0
    low, high, left, rights = 0, 0, 0, ONE
    for y1 in range(np.int64(s.rows) - 2):
        walls, inside = np.uint64(s.up[y1]), ZERO
        for y2 in range(y1 + 2, np.int64(s.rows)):
            walls, inside = walls | np.uint64(s.up[y2 - 1]), inside | to_enclose(s, y2 - 1)
            starts, columns, edges = between_rows(s, y1, y2, walls, inside)
            while starts != ZERO:
                x1 = lowest_bit(starts)
                starts = starts & (starts - ONE)
                ends = right_sides(s, y1, y2, x1, columns, edges, inside)
                count += popcount(ends)
                if ends != ZERO and random_below(rng, count) < popcount(ends):
                    low, high, left, rights = y1, y2, x1, ends
    return pack(left, low, nth_bit(rights, random_below(rng, popcount(rights))), high)


@jitable
def play(s: State, action: int) -> None:
    """Draw a rectangle; in a strict game one that is not legal draws nothing and puts its seat out."""
    x1, y1, x2, y2 = unpack(action)
    if s.strict != 0 and not fits(s, x1, y1, x2, y2):
        s.out = np.int64(s.out) | 1 << np.int64(s.turn)
        _pass_turn(s)
        s.over = seats_left(s) == 1
        return
    draw(s, x1, y1, x2, y2)
    if any_left(s):
        _pass_turn(s)
    else:
        s.over = 1


@jitable
def draw(s: State, x1: int, y1: int, x2: int, y2: int) -> None:
    """Draw the outline of a rectangle."""
    across, along, ends = span(x1, x2), span(y1, y2), bit(x1) | bit(x2)
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
def seats_left(s: State) -> int:
    """Count the seats that have not forfeited."""
    return np.int64(s.players) - popcount(np.uint64(s.out))


@jitable
def _pass_turn(s: State) -> None:
    """Give the turn to the next seat that has not forfeited; there is at least one."""
    seat = (np.int64(s.turn) + 1) % np.int64(s.players)
    while np.int64(s.out) >> seat & 1 != 0:
        seat = (seat + 1) % np.int64(s.players)
    s.turn = seat


@jitable
def accepts_illegal(s: State, action: int) -> bool:
    """Tell whether a drawing that is no legal rectangle is taken, as a forfeit."""
    return s.strict != 0 and s.over == 0


@jitable
def to_move(s: State) -> int:
    """Return the seat to move."""
    return np.int64(s.turn)


@jitable
def is_over(s: State) -> bool:
    """Tell whether no legal rectangle, or only one seat, is left."""
    return s.over != 0


@jitable
def points(s: State, out: Points) -> None:
    """Write 1 for the winner once the game is over, 0 for all others."""
    for seat in range(np.int64(s.players)):
        out[seat] = s.over != 0 and seat == np.int64(s.turn)


def start(s: State, options: SqezOptions, deck: tuple[str, ...]) -> None:
    """Fill a zeroed record with the empty field."""
    s.cols, s.rows, s.players = options.cols, options.rows, options.players
    s.shared, s.any_dot, s.strict = options.sides == "shared", options.enclose == "any", options.strict
    s.free[: options.rows] = span(0, options.cols)
