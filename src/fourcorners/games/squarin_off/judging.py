"""How promising the moves of Squarin' Off look before any search."""

from __future__ import annotations

import numpy as np

from fourcorners.core.jit import borrowing
from fourcorners.core.kernel import Actions, Priors, State
from fourcorners.games.squarin_off import choosing, ending
from fourcorners.games.squarin_off.ending import GROUND
from fourcorners.games.squarin_off.rules import BLOCKER, SIDES, beside

TAKES, TAKES_LAST, HANDS, SAFE, CUTS, OPENS, GIVES, WASTES = 8.0, 6.0, 5.0, 0.0, -0.2, -0.3, -4.0, -6.0
A_BOX = -0.25
"""What a point given away counts."""
_KIND = GROUND | SIDES
_READY, _LINK = 3, 2


@borrowing
def judge(s: State, actions: Actions, n: int, cuts: float, out: Priors) -> None:
    """Write how promising each action looks; where something can be taken, all that is not part of it is a waste."""
    ending.lay_ground(s)
    takes, safe = False, False
    for i in range(n):
        if actions[i] >= BLOCKER:
            break
        below, above = beside(s, actions[i])
        one, two = np.int64(s.box[below]) & _KIND, np.int64(s.box[above]) & _KIND
        takes = takes or one == _READY or two == _READY
        safe = safe or (one < _LINK or one >= GROUND) and (two < _LINK or two >= GROUND)
    if takes:
        _judge_taking(s, actions, n, safe, out)
    elif safe:
        _judge_safe(s, actions, n, out)
    else:
        _judge_opening(s, actions, n, cuts, out)


@borrowing
def _judge_taking(s: State, actions: Actions, n: int, safe: bool, out: Priors) -> None:  # noqa: FBT001  # not by keyword
    """Rank taking: first what cannot be handed out, then what can, then to hand it out."""
    one, two = -1, -1
    for i in range(n):
        out[i] = WASTES
        if actions[i] >= BLOCKER:
            continue
        below, above = beside(s, actions[i])
        for side in range(2):
            box = above if side else below
            if np.int64(s.box[box]) & _KIND != _READY:
                continue
            out[i] = TAKES
            if safe:
                continue
            count, closed, second = choosing.run_out(s, box, ending.row_of(s, box))
            if choosing.leaves(count, closed):
                out[i] = TAKES_LAST
                one, two = second, one
    for i in range(n):
        if actions[i] < BLOCKER and (actions[i] == one or actions[i] == two):  # noqa: PLR1714  # no tuple in compiled code
            out[i] = HANDS


@borrowing
def _judge_safe(s: State, actions: Actions, n: int, out: Priors) -> None:
    """Rank safe edges first, blockers last."""
    for i in range(n):
        if actions[i] >= BLOCKER:
            out[i] = WASTES
        else:
            out[i] = SAFE if ending.is_safe(s, actions[i]) else GIVES


@borrowing
def _judge_opening(s: State, actions: Actions, n: int, cuts: float, out: Priors) -> None:
    """Rank what gives least first, one edge of each chain before its others; blockers that give nothing before all."""
    for i in range(n):
        if actions[i] >= BLOCKER:
            out[i] = _worth_of_blocker(s, actions[i], cuts)
            continue
        below, above = beside(s, actions[i])
        one, two = np.int64(s.box[below]) & _KIND, np.int64(s.box[above]) & _KIND
        link = below if one == _LINK else above
        box, row, side = ending.end_of_run(s, link, ending.row_of(s, link))
        count, total, least = ending.measure(s, box, row, side, 0)
        foremost = (one == _LINK and two == _LINK) if count == 2 else actions[i] == least
        out[i] = OPENS + A_BOX * total if foremost else GIVES + A_BOX * total


@borrowing
def _worth_of_blocker(s: State, action: int, cuts: float) -> float:
    """Return what a blocker is worth where there is no safe edge: one that opens nothing is best."""
    if cuts == 0.0:
        return WASTES
    box = (action - BLOCKER) >> 2
    other = ending.beyond(s, box, action & 3)
    if not ending.is_harmless(s, other):
        return GIVES
    byte = np.int64(s.box[box])
    return CUTS if byte & _KIND == _LINK else CUTS - 1.0


