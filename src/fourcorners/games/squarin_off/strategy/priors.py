"""How promising the moves of Squarin' Off look before any search."""

from __future__ import annotations

import numpy as np

from fourcorners.core.dispatch import Actions, Priors, State
from fourcorners.core.jit import jitable_no_alloc
from fourcorners.games.squarin_off.rules import BLOCKER, SIDES, beside
from fourcorners.games.squarin_off.strategy import endgame_playout, greedy_moves
from fourcorners.games.squarin_off.strategy.endgame_playout import GROUND

BEST, SECOND, SAFE, CUTS, OPENS, GIVES, NEVER = 8.0, -7.0, 0.0, 1.0, 0.0, -8.0, -12.0
"""SECOND is looked into once some twenty simulations have gone by, GIVES after fifty, NEVER after ten thousand."""
A_BOX = -0.5
"""What a point given away counts."""
_KIND = GROUND | SIDES
_READY, _LINK = 3, 2


@jitable_no_alloc
def judge(s: State, actions: Actions, n: int, cuts: float, out: Priors) -> None:
    """Write how promising each action looks; where something can be taken, all that is not part of it is a waste."""
    takes, safe = False, False
    for i in range(n):
        if actions[i] >= BLOCKER:
            break
        below, above = beside(s, actions[i])
        one, two = np.int64(s.box[below]) & _KIND, np.int64(s.box[above]) & _KIND
        takes = takes or _READY in (one, two)
        safe = safe or ((one < _LINK or one >= GROUND) and (two < _LINK or two >= GROUND))
    if takes:
        _judge_taking(s, actions, n, safe, cuts, out)
    elif safe:
        _judge_safe(s, actions, n, out)
    else:
        _judge_opening(s, actions, n, cuts, out)


@jitable_no_alloc
def _judge_taking(s: State, actions: Actions, n: int, safe: bool, cuts: float, out: Priors) -> None:  # noqa: FBT001  # compiled code takes no keywords
    """Rank one way of taking first; where the rest can be handed out, the better of the two."""
    best, last, other = -1, -1, -1
    groups = 0
    for i in range(n):
        out[i] = NEVER
        if actions[i] >= BLOCKER:
            continue
        below, above = beside(s, actions[i])
        for side in range(2):
            box = above if side else below
            if np.int64(s.box[box]) & _KIND != _READY:
                continue
            count, closed, second = greedy_moves.run_out(s, box, endgame_playout.row_of(s, box))
            groups += 1 if closed else 2  # a closed one is met from both its ends
            if greedy_moves.leaves(count, closed):
                last, other = i, second
            else:
                best = i
    if best >= 0 or safe or groups != 2:
        out[last if best < 0 else best] = BEST
        return
    leave = greedy_moves.pays_to_leave(s, cuts)
    out[last] = SECOND if leave else BEST
    for i in range(n):
        if actions[i] == other:
            out[i] = BEST if leave else SECOND


@jitable_no_alloc
def _judge_safe(s: State, actions: Actions, n: int, out: Priors) -> None:
    """Rank safe edges first, blockers last."""
    for i in range(n):
        if actions[i] >= BLOCKER:
            out[i] = NEVER
        else:
            out[i] = SAFE if endgame_playout.is_safe(s, actions[i]) else GIVES


@jitable_no_alloc
def _judge_opening(s: State, actions: Actions, n: int, cuts: float, out: Priors) -> None:
    """Rank what gives least first, one edge of each chain before its others; blockers that give nothing before all."""
    cheapest = np.inf
    for i in range(n):
        if actions[i] >= BLOCKER:
            out[i] = _worth_of_blocker(s, actions[i], cuts)
            continue
        below, above = beside(s, actions[i])
        one, two = np.int64(s.box[below]) & _KIND, np.int64(s.box[above]) & _KIND
        link = below if one == _LINK else above
        box, row, side = endgame_playout.end_of_run(s, link, endgame_playout.row_of(s, link))
        count, total, least = endgame_playout.measure(s, box, row, side, 0)
        foremost = (one == _LINK and two == _LINK) if count == 2 else actions[i] == least
        out[i] = A_BOX * total if foremost else NEVER
        cheapest = min(cheapest, total)
    for i in range(n):
        if actions[i] < BLOCKER and out[i] != NEVER:
            out[i] = OPENS if out[i] == A_BOX * cheapest else SECOND + out[i] - A_BOX * cheapest


@jitable_no_alloc
def _worth_of_blocker(s: State, action: int, cuts: float) -> float:
    """Return what a blocker is worth where there is no safe edge: one that opens nothing is best."""
    if cuts == 0.0:
        return NEVER
    box = (action - BLOCKER) >> 2
    other = endgame_playout.beyond(s, box, action & 3)
    if not endgame_playout.is_harmless(s, other):
        return GIVES
    return CUTS if np.int64(s.box[box]) & _KIND == _LINK else CUTS + SECOND
