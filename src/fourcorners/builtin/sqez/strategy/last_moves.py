"""Last moves: finding, allowing and forcing the rectangle that ends the game, a few moves ahead.

Compiled searches do not copy records: `make_move` draws a rectangle, and `unmake_move` takes it back. All other
functions leave the record as it was; those that return a rectangle return NONE if there is none. All ignore forfeits
and `over`.
"""

import numpy as np

from fourcorners.builtin.sqez import rules
from fourcorners.core.arrays import Rng, State
from fourcorners.core.bits import ONE, ZERO, bit, random_below
from fourcorners.core.jit import jitable

NONE = -1
"""Stands for no action; before the first one in `find_next_legal`."""
DrawnSides = tuple[np.uint64, np.uint64, np.uint64, np.uint64]
"""The edges of an outline that were drawn already: bottom and top by column, left and right by row."""


@jitable
def make_move(s: State, action: int) -> DrawnSides:
    """Draw a legal rectangle in place, without passing the turn on; return the input of `unmake_move`."""
    x1, y1, x2, y2 = rules.unpack(action)
    across, along = rules.bit_range(x1, x2), rules.bit_range(y1, y2)
    bottom, top = np.uint64(s.across[y1]) & across, np.uint64(s.across[y2]) & across
    left, right = np.uint64(s.sides[x1]) & along, np.uint64(s.sides[x2]) & along
    rules.draw_rectangle(s, x1, y1, x2, y2)
    return bottom, top, left, right


@jitable
def unmake_move(s: State, action: int, before: DrawnSides) -> None:
    """Undo `make_move` of this action in place; `before` is what it returned. Undo the rectangle drawn last first.
    The free dots are found anew: those that no line touches.
    """
    x1, y1, x2, y2 = rules.unpack(action)
    across, along = ~rules.bit_range(x1, x2), ~rules.bit_range(y1, y2)
    s.across[y1] = np.uint64(s.across[y1]) & across | before[0]
    s.across[y2] = np.uint64(s.across[y2]) & across | before[1]
    s.sides[x1] = np.uint64(s.sides[x1]) & along | before[2]
    s.sides[x2] = np.uint64(s.sides[x2]) & along | before[3]
    for y in range(y1, y2):
        left, right = (before[2] >> np.uint64(y)) & ONE, (before[3] >> np.uint64(y)) & ONE
        kept = np.uint64(s.up[y]) & ~(bit(x1) | bit(x2))
        s.up[y] = kept | left << np.uint64(x1) | right << np.uint64(x2)
    field = rules.bit_range(0, np.int64(s.cols))
    for y in range(y1, y2 + 1):
        row, column = np.uint64(s.across[y]), np.uint64(s.up[y])
        below = np.uint64(s.up[y - 1]) if y > 0 else ZERO
        s.free[y] = field & ~(row | row << ONE | column | below)


@jitable
def is_last_move(s: State, action: int) -> bool:
    """Return whether drawing this rectangle, which must be legal, leaves no legal one. The record is restored."""
    before = make_move(s, action)
    is_last = not rules.has_legal_rectangle(s)
    unmake_move(s, action, before)
    return is_last


@jitable
def find_next_legal(s: State, previous: int) -> int:
    """Return the legal rectangle with the smallest code above `previous`, an action or NONE; NONE if there is none.
    Searches use it instead of a list of actions, which would be memory for every ply.
    """
    cols, rows = np.int64(s.cols), np.int64(s.rows)
    a, b, c, d = (0, 0, 0, 0) if previous < 0 else rules.unpack(previous)
    for x1 in range(a, cols - 2):
        for y1 in range(b if x1 == a else 0, rows - 2):
            same_corner = x1 == a and y1 == b
            for x2 in range(max(c, x1 + 2) if same_corner else x1 + 2, cols):
                for y2 in range(max(d + 1, y1 + 2) if same_corner and x2 == c else y1 + 2, rows):
                    if rules.is_legal_rectangle(s, x1, y1, x2, y2):
                        return rules.pack(x1, y1, x2, y2)
    return NONE


@jitable
def pick_last_move(s: State, rng: Rng) -> int:
    """Draw one of the legal rectangles that end the game, uniformly at random; return NONE if there is none."""
    found, count = NONE, 0
    action = find_next_legal(s, NONE)
    while action >= 0:
        if is_last_move(s, action):
            count += 1
            if random_below(rng, count) == 0:
                found = action  # reservoir sampling, which needs no list
        action = find_next_legal(s, action)
    return found


@jitable
def find_last_move(s: State) -> int:
    """Return the legal rectangle with the smallest code that ends the game, or NONE. The record is restored."""
    action = find_next_legal(s, NONE)
    while action >= 0 and not is_last_move(s, action):
        action = find_next_legal(s, action)
    return action


@jitable
def pick_safe_move(s: State, limit: int, rng: Rng) -> int:
    """Draw one of the legal rectangles after which no answer ends the game, uniformly at random.
    Return NONE if there is none, or if more than `limit` rectangles are legal. The record is restored.
    """
    count = 0
    action = find_next_legal(s, NONE)
    while action >= 0 and count <= limit:
        count += 1
        action = find_next_legal(s, action)
    if count > limit:
        return NONE
    found, count = NONE, 0
    action = find_next_legal(s, NONE)
    while action >= 0:
        before = make_move(s, action)
        if find_last_move(s) < 0:
            count += 1
            if random_below(rng, count) == 0:
                found = action
        unmake_move(s, action, before)
        action = find_next_legal(s, action)
    return found


@jitable
def find_ending_answer(s: State, action: int) -> int:
    """Return the rectangle with the smallest code that ends the game when drawn after a legal action, or NONE."""
    before = make_move(s, action)
    answer = find_last_move(s)
    unmake_move(s, action, before)
    return answer


@jitable
def can_end_after_any_answer(s: State, action: int) -> bool:
    """Return whether a legal action has answers, and after each of them some rectangle ends the game.
    This is False if an answer ends the game itself. The record is restored.
    """
    before = make_move(s, action)
    answer = find_next_legal(s, NONE)
    can_end = answer >= 0
    while answer >= 0 and can_end:
        before_answer = make_move(s, answer)
        can_end = find_last_move(s) >= 0
        unmake_move(s, answer, before_answer)
        answer = find_next_legal(s, answer)
    unmake_move(s, action, before)
    return can_end
