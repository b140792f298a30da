"""Priors: the promise of legal moves before any search."""

import numpy as np

from fourcorners.builtin.squarin_off.rules import BLOCKER, find_boxes_beside
from fourcorners.builtin.squarin_off.strategy import greedy_moves
from fourcorners.builtin.squarin_off.strategy.endgame_playout import find_chain_end, measure_chain
from fourcorners.builtin.squarin_off.strategy.geometry import get_neighbour, get_row
from fourcorners.builtin.squarin_off.strategy.scratch_board import (
    CAPTURABLE,
    GROUND,
    KIND,
    LINK,
    can_gain_side,
    is_safe_edge,
)
from fourcorners.core.arrays import Actions, Priors, State
from fourcorners.core.jit import jitable_no_alloc

BEST, SECOND, SAFE, BLOCKS, OPENS, GIVES, NEVER = 8.0, -7.0, 0.0, 1.0, 0.0, -8.0, -12.0
"""The search tries a SECOND move after some twenty simulations, GIVES after fifty and NEVER after ten thousand."""
PER_POINT = -0.5
"""The change of a move's prior for each point that it gives away."""


@jitable_no_alloc
def rate_actions(s: State, actions: Actions, n: int, block_weight: float, out: Priors) -> None:
    """Write the prior of each of n legal actions to `out`, of length n or more, for a record with marked ground.

    `actions` are in the order of `rules.legal`: all free edges, then the moves with a blocker. Where something can be
    captured, all moves get NEVER but one capture and, unless an edge is safe, the handout if one is possible instead.
    `block_weight` 0 means a player who never lays blockers. The record, its scratch space zero, is restored.
    """
    can_capture, has_safe = False, False
    for i in range(n):
        if actions[i] >= BLOCKER:
            break
        below, above = find_boxes_beside(s, actions[i])
        one, two = np.int64(s.box[below]) & KIND, np.int64(s.box[above]) & KIND
        can_capture = can_capture or CAPTURABLE in (one, two)
        has_safe = has_safe or ((one < LINK or one >= GROUND) and (two < LINK or two >= GROUND))
    if can_capture:
        _rate_captures(s, actions, n, has_safe, block_weight, out)
    elif has_safe:
        _rate_safe_edges(s, actions, n, out)
    else:
        _rate_openings(s, actions, n, block_weight, out)


@jitable_no_alloc
def _rate_captures(s: State, actions: Actions, n: int, has_safe: bool, block_weight: float, out: Priors) -> None:  # noqa: FBT001  # compiled code takes no keywords
    """Rate one capture BEST and the rest NEVER; where a handout is possible, the better of the two is BEST, the other
    SECOND. At least one of the n `actions` must capture; `has_safe` is whether one is a safe edge, for then there is no
    handout. Writes n priors to `out`.
    """
    best, last, handout = -1, -1, -1
    ends = 0
    for i in range(n):
        out[i] = NEVER
        if actions[i] >= BLOCKER:
            continue
        below, above = find_boxes_beside(s, actions[i])
        for side in range(2):
            box = above if side else below
            if np.int64(s.box[box]) & KIND != CAPTURABLE:
                continue
            count, closed, second = greedy_moves.follow_captures(s, box, get_row(s, box))
            ends += 1 if closed else 2  # an opened loop has two capturable ends, a chain one: each makes 2
            if greedy_moves.can_be_handed_out(count, closed):
                last, handout = i, second
            else:
                best = i
    if best >= 0 or has_safe or ends != 2:
        out[last if best < 0 else best] = BEST
        return
    hands_out = greedy_moves.is_handout_better_than_capturing(s, block_weight)
    out[last] = SECOND if hands_out else BEST
    for i in range(n):
        if actions[i] == handout:
            out[i] = BEST if hands_out else SECOND


@jitable_no_alloc
def _rate_safe_edges(s: State, actions: Actions, n: int, out: Priors) -> None:
    """Write n priors to `out` where nothing can be captured: safe edges SAFE, others GIVES, blockers NEVER."""
    for i in range(n):
        if actions[i] >= BLOCKER:
            out[i] = NEVER
        else:
            out[i] = SAFE if is_safe_edge(s, actions[i]) else GIVES


@jitable_no_alloc
def _rate_openings(s: State, actions: Actions, n: int, block_weight: float, out: Priors) -> None:
    """Rate openings by what they give, one edge of each chain and NEVER the others; safe blockers on links lead.
    For n actions of a position without captures and safe edges; writes n priors to `out`. `block_weight` is as in
    `rate_actions`.
    """
    cheapest = np.inf
    for i in range(n):
        if actions[i] >= BLOCKER:
            out[i] = _rate_blocker(s, actions[i], block_weight)
            continue
        below, above = find_boxes_beside(s, actions[i])
        one, two = np.int64(s.box[below]) & KIND, np.int64(s.box[above]) & KIND
        link = below if one == LINK else above
        box, row, side = find_chain_end(s, link, get_row(s, link))
        count, total, lowest_edge = measure_chain(s, box, row, side, 0)
        # The edge that represents a chain is the middle one of a chain of two, and the lowest of any other.
        represents_chain = (one == LINK and two == LINK) if count == 2 else actions[i] == lowest_edge
        out[i] = PER_POINT * total if represents_chain else NEVER
        cheapest = min(cheapest, total)
    for i in range(n):
        if actions[i] < BLOCKER and out[i] != NEVER:
            is_cheapest = out[i] == PER_POINT * cheapest
            out[i] = OPENS if is_cheapest else SECOND + out[i] - PER_POINT * cheapest


@jitable_no_alloc
def _rate_blocker(s: State, action: int, block_weight: float) -> float:
    """Return the prior of a move with a blocker where no edge is safe; NEVER if `block_weight` is 0, GIVES if its edge
    gives the box beyond away, else BLOCKS on a link and less on another box.
    """
    if block_weight == 0.0:
        return NEVER
    box = (action - BLOCKER) >> 2
    if not can_gain_side(s, get_neighbour(s, box, action & 3)):
        return GIVES
    return BLOCKS if np.int64(s.box[box]) & KIND == LINK else BLOCKS + SECOND
