"""Trying a rectangle on the record itself and taking it back, as compiled searches make no copies."""

from __future__ import annotations

import numpy as np

from fourcorners.core.bits import ONE, ZERO, Rng, bit, random_below
from fourcorners.core.dispatch import State
from fourcorners.core.jit import jitable
from fourcorners.games.sqez.rules import any_left, draw, fits, pack, span, unpack

NONE = -1

Sides = tuple[np.uint64, np.uint64, np.uint64, np.uint64]
"""What was drawn of the bottom, the top, the left and the right side of a rectangle."""


@jitable
def sides_of(s: State, action: int) -> Sides:
    """Return what is drawn of the outline of a rectangle: `take_back` needs to know it."""
    x1, y1, x2, y2 = unpack(action)
    across, along = span(x1, x2), span(y1, y2)
    bottom, top = np.uint64(s.across[y1]) & across, np.uint64(s.across[y2]) & across
    return bottom, top, np.uint64(s.sides[x1]) & along, np.uint64(s.sides[x2]) & along


@jitable
def put_down(s: State, action: int) -> Sides:
    """Draw a rectangle, whoever's turn it is; return what there was of its outline."""
    before = sides_of(s, action)
    x1, y1, x2, y2 = unpack(action)
    draw(s, x1, y1, x2, y2)
    return before


@jitable
def take_back(s: State, action: int, before: Sides) -> None:
    """Undo `put_down` of the rectangle drawn last."""
    x1, y1, x2, y2 = unpack(action)
    across, along = ~span(x1, x2), ~span(y1, y2)
    s.across[y1] = np.uint64(s.across[y1]) & across | before[0]
    s.across[y2] = np.uint64(s.across[y2]) & across | before[1]
    s.sides[x1] = np.uint64(s.sides[x1]) & along | before[2]
    s.sides[x2] = np.uint64(s.sides[x2]) & along | before[3]
    for y in range(y1, y2):
        left, right = (before[2] >> np.uint64(y)) & ONE, (before[3] >> np.uint64(y)) & ONE
        kept = np.uint64(s.up[y]) & ~(bit(x1) | bit(x2))
        s.up[y] = kept | left << np.uint64(x1) | right << np.uint64(x2)
    field = span(0, np.int64(s.cols))
    for y in range(y1, y2 + 1):
        row, column = np.uint64(s.across[y]), np.uint64(s.up[y])
        below = np.uint64(s.up[y - 1]) if y > 0 else ZERO
        s.free[y] = field & ~(row | row << ONE | column | below)


@jitable
def is_last(s: State, action: int) -> bool:
    """Tell whether a legal rectangle leaves none to draw."""
    before = put_down(s, action)
    last = not any_left(s)
    take_back(s, action, before)
    return last


@jitable
def next_legal(s: State, after: int) -> int:
    """Return the legal rectangle after an action, in the order of their codes; the first one after NONE."""
    cols, rows = np.int64(s.cols), np.int64(s.rows)
    a, b, c, d = (0, 0, 0, 0) if after < 0 else unpack(after)
    for x1 in range(a, cols - 2):
        for y1 in range(b if x1 == a else 0, rows - 2):
            begun = x1 == a and y1 == b
            for x2 in range(max(c, x1 + 2) if begun else x1 + 2, cols):
                for y2 in range(max(d + 1, y1 + 2) if begun and x2 == c else y1 + 2, rows):
                    if fits(s, x1, y1, x2, y2):
                        return pack(x1, y1, x2, y2)
    return NONE


@jitable
def last_move(s: State, rng: Rng) -> int:
    """Draw one of the rectangles that end the game; NONE if there is none."""
    found, count = NONE, 0
    action = next_legal(s, NONE)
    while action >= 0:
        if is_last(s, action):
            count += 1
            if random_below(rng, count) == 0:
                found = action
        action = next_legal(s, action)
    return found


@jitable
def can_end(s: State) -> bool:
    """Tell whether some rectangle ends the game."""
    action = next_legal(s, NONE)
    while action >= 0:
        if is_last(s, action):
            return True
        action = next_legal(s, action)
    return False


@jitable
def safe_move(s: State, most: int, rng: Rng) -> int:
    """Draw one of the rectangles after which none ends the game; NONE if all do, or if more than `most` are legal."""
    count = 0
    action = next_legal(s, NONE)
    while action >= 0 and count <= most:
        count += 1
        action = next_legal(s, action)
    if count > most:
        return NONE
    found, count = NONE, 0
    action = next_legal(s, NONE)
    while action >= 0:
        before = put_down(s, action)
        if not can_end(s):
            count += 1
            if random_below(rng, count) == 0:
                found = action
        take_back(s, action, before)
        action = next_legal(s, action)
    return found


@jitable
def ending_answer(s: State, action: int) -> int:
    """Return a rectangle that ends the game after an action; NONE if none does."""
    before = put_down(s, action)
    found, answer = NONE, next_legal(s, NONE)
    while answer >= 0 and found < 0:
        if is_last(s, answer):
            found = answer
        answer = next_legal(s, answer)
    take_back(s, action, before)
    return found


@jitable
def ends_whatever_comes(s: State, action: int) -> bool:
    """Tell whether after an action, and after every answer to it, there is a last move for the third."""
    before = put_down(s, action)
    answer = next_legal(s, NONE)
    ends = answer >= 0
    while answer >= 0 and ends:
        between = put_down(s, answer)
        ends = can_end(s)
        take_back(s, answer, between)
        answer = next_legal(s, answer)
    take_back(s, action, before)
    return ends
