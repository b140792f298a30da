"""Last moves: finding, allowing and forcing the rectangle that ends the game, a few moves ahead.

All functions leave the record as it was, and return NONE where there is no such rectangle. They ignore forfeits.
"""

from __future__ import annotations

import numpy as np

from fourcorners.core.bits import Rng, random_below
from fourcorners.core.dispatch import State
from fourcorners.core.jit import jitable
from fourcorners.games.sqez.rules import has_legal_rectangle, is_legal_rectangle, pack, unpack
from fourcorners.games.sqez.strategy.make_unmake import make, unmake

NONE = -1
"""Stands for no action; before the first one in `find_next_legal`."""


@jitable
def is_last_move(s: State, action: int) -> bool:
    """Return whether a legal rectangle leaves no legal one."""
    before = make(s, action)
    is_last = not has_legal_rectangle(s)
    unmake(s, action, before)
    return is_last


@jitable
def find_next_legal(s: State, previous: int) -> int:
    """Return the legal rectangle with the smallest code above `previous`, an action or NONE.

    Searches use it instead of a list of actions, which would be memory for every ply.
    """
    cols, rows = np.int64(s.cols), np.int64(s.rows)
    a, b, c, d = (0, 0, 0, 0) if previous < 0 else unpack(previous)
    for x1 in range(a, cols - 2):
        for y1 in range(b if x1 == a else 0, rows - 2):
            same_corner = x1 == a and y1 == b
            for x2 in range(max(c, x1 + 2) if same_corner else x1 + 2, cols):
                for y2 in range(max(d + 1, y1 + 2) if same_corner and x2 == c else y1 + 2, rows):
                    if is_legal_rectangle(s, x1, y1, x2, y2):
                        return pack(x1, y1, x2, y2)
    return NONE


@jitable
def pick_last_move(s: State, rng: Rng) -> int:
    """Draw one of the rectangles that end the game, uniformly at random."""
    found, count = NONE, 0
    action = find_next_legal(s, NONE)
    while action >= 0:
        if is_last_move(s, action):
            count += 1
            if random_below(rng, count) == 0:
                found = action
        action = find_next_legal(s, action)
    return found


@jitable
def has_last_move(s: State) -> bool:
    """Return whether some rectangle ends the game."""
    action = find_next_legal(s, NONE)
    while action >= 0:
        if is_last_move(s, action):
            return True
        action = find_next_legal(s, action)
    return False


@jitable
def pick_safe_move(s: State, limit: int, rng: Rng) -> int:
    """Draw one of the rectangles after which none ends the game; NONE also if more than `limit` are legal."""
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
        before = make(s, action)
        if not has_last_move(s):
            count += 1
            if random_below(rng, count) == 0:
                found = action
        unmake(s, action, before)
        action = find_next_legal(s, action)
    return found


@jitable
def find_ending_answer(s: State, action: int) -> int:
    """Return a rectangle that ends the game as the answer to a legal action."""
    before = make(s, action)
    found, answer = NONE, find_next_legal(s, NONE)
    while answer >= 0 and found < 0:
        if is_last_move(s, answer):
            found = answer
        answer = find_next_legal(s, answer)
    unmake(s, action, before)
    return found


@jitable
def can_end_after_any_answer(s: State, action: int) -> bool:
    """Return whether a legal action has answers, and after each of them some rectangle ends the game."""
    before = make(s, action)
    answer = find_next_legal(s, NONE)
    can_end = answer >= 0
    while answer >= 0 and can_end:
        before_answer = make(s, answer)
        can_end = has_last_move(s)
        unmake(s, answer, before_answer)
        answer = find_next_legal(s, answer)
    unmake(s, action, before)
    return can_end
