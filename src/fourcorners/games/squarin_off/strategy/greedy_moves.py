"""What a player of Squarin' Off does who does not look ahead: one move of each kind."""

from __future__ import annotations

import numpy as np

from fourcorners.core.bits import Rng, random_below, random_word
from fourcorners.core.dispatch import State
from fourcorners.core.jit import jitable_no_alloc
from fourcorners.games.squarin_off.rules import BLOCKER, CLOSED, SIDES, is_free
from fourcorners.games.squarin_off.strategy import chain_values, endgame_playout
from fourcorners.games.squarin_off.strategy.endgame_playout import ALL, GROUND, edge_at, free_mask, side_of

_KIND = GROUND | SIDES
_READY, _LINK = 3, 2
_CHAIN_END, _LOOP_END = 2, 4


@jitable_no_alloc
def run_out(s: State, box: int, row: int) -> tuple[int, bool, int]:
    """Look at what can be completed from a box with three sides on.

    Return how many boxes, whether they end in another with three sides, and the edge behind the second one.
    """
    count, came, second = 1, -1, -1
    while True:
        mask = free_mask(s, box, row)
        side = side_of(mask if came < 0 else mask & ~(1 << came))
        if count == 2:
            second = edge_at(s, box, row, side)
        box, row = endgame_playout.beyond(s, box, side), endgame_playout.row_beyond(row, side)
        kind = np.int64(s.box[box]) & _KIND
        if kind == _READY:
            return count + 1, True, second
        if kind != _LINK:
            return count, False, second
        count += 1
        came = side ^ 2


@jitable_no_alloc
def leaves(count: int, closed: bool) -> bool:  # noqa: FBT001  # compiled code takes no keywords
    """Tell whether so many boxes are just those that can be handed out."""
    return count == (_LOOP_END if closed else _CHAIN_END)


@jitable_no_alloc
def capturing(s: State, hands: bool, cuts: float) -> int:  # noqa: FBT001  # compiled code takes no keywords
    """Return an edge that completes a box, or one that hands out the last ones if that pays; -1 if there is none."""
    found, only, groups = -1, -1, 0
    stride = np.int64(s.cols) + 1
    for row in range(np.int64(s.rows)):
        first = (row + 1) * stride + 1
        for box in range(first, first + stride - 1):
            if np.int64(s.box[box]) & _KIND != _READY:
                continue
            edge = edge_at(s, box, row, side_of(free_mask(s, box, row)))
            if not hands:
                return edge
            count, closed, second = run_out(s, box, row)
            if not leaves(count, closed):
                return edge
            groups += 1 if closed else 2  # a closed one is met from both its ends
            found, only = edge, second
    if groups == 2 and pays_to_leave(s, cuts):
        return only
    return found


@jitable_no_alloc
def pays_to_leave(s: State, cuts: float) -> bool:
    """Tell whether to leave over what can be completed is better than to take it and move on."""
    if np.int64(s.players) != 2 and np.int64(s.purses) != 1:
        return False
    endgame_playout.keep(s)
    _, back = endgame_playout.capture_all(s)
    pays = False
    if not has_safe(s):
        margin = chain_values.margin_of_opener(s, endgame_playout.list_gifts(s), np.int64(s.turn) & 1, cuts)
        pays = back != ALL and margin < -back
    endgame_playout.undo(s)
    return pays


@jitable_no_alloc
def has_safe(s: State) -> bool:
    """Tell whether there is a safe edge."""
    for edge in range(endgame_playout.edges(s)):
        if is_free(s, edge) and endgame_playout.is_safe(s, edge):
            return True
    return False


@jitable_no_alloc
def cheapest(s: State, rng: Rng) -> int:
    """Return the edge by which to open the cheapest chain or loop; -1 if there is none.

    A chain of two is opened in its middle, where nothing of it can be handed back.
    """
    stride = np.int64(s.cols) + 1
    found, least, equal = -1, 0, 0
    start = random_below(rng, 2)
    for row in range(np.int64(s.rows)):
        first = (row + 1) * stride + 1
        for box in range(first, first + stride - 1):
            byte = np.int64(s.box[box])
            if byte & _KIND != _LINK or byte & 32 != 0:
                continue
            end, end_row, side = endgame_playout.end_of_run(s, box, row)
            count, total, _ = endgame_playout.measure(s, end, end_row, side, 32)
            if found >= 0 and total > least:
                continue
            if found >= 0 and total == least:
                equal += 1
                if random_below(rng, equal) != 0:
                    continue
            else:
                equal = 1
            least = total
            if count == _CHAIN_END or start == 1:
                side = side_of(free_mask(s, end, end_row) & ~(1 << side))
            found = edge_at(s, end, end_row, side)
    endgame_playout.wipe(s)
    return found


@jitable_no_alloc
def blocker(s: State, rng: Rng) -> int:
    """Return a move with a blocker at the end of a chain that opens nothing; -1 if there is none."""
    if np.int64(s.room) == 0 or np.int64(s.blockers[s.turn]) == 0:
        return -1
    stride = np.int64(s.cols) + 1
    found, equal = -1, 0
    for row in range(np.int64(s.rows)):
        first = (row + 1) * stride + 1
        for box in range(first, first + stride - 1):
            if np.int64(s.box[box]) & (_KIND | CLOSED) != _LINK:
                continue
            mask = free_mask(s, box, row)
            for side in range(4):
                if mask & (1 << side) == 0 or not endgame_playout.is_harmless(s, endgame_playout.beyond(s, box, side)):
                    continue
                on = side_of(mask & ~(1 << side))
                if np.int64(s.box[endgame_playout.beyond(s, box, on)]) & _KIND == _LINK:
                    equal += 1
                    if random_below(rng, equal) == 0:
                        found = BLOCKER + 4 * box + side
    return found


@jitable_no_alloc
def any_edge(s: State, rng: Rng) -> int:
    """Return a random free edge."""
    n = endgame_playout.edges(s)
    bits, key = endgame_playout.width(n), random_word(rng)
    found = -1
    for i in range(1 << bits):
        edge = endgame_playout.shuffled(i, key, bits)
        if edge < n and is_free(s, edge):
            found = edge
            break
    return found
