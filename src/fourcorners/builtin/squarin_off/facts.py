"""Facts about moves of Squarin' Off: points given away, and the remaining safe edges and long chains."""

from collections.abc import Mapping

import numpy as np

from fourcorners.builtin.squarin_off import hints
from fourcorners.builtin.squarin_off.notation import format_box
from fourcorners.builtin.squarin_off.rules import (
    BLOCKER,
    SIDES,
    find_boxes_beside,
    play,
    to_move,
)
from fourcorners.builtin.squarin_off.strategy.chains import Chain, find_chains
from fourcorners.core.arrays import State
from fourcorners.core.dispatch import view_record
from fourcorners.core.game import View
from fourcorners.players.hint_claims import Claim, Hint, Quantities

_LONG = 3
"""The length of the shortest long chain: having to open one gives the other side control."""
_HANDOUT = 2
"""The boxes that a player who takes a chain may leave."""


def count_long_chains(s: State) -> int:
    """Count the chains of three boxes or more, not opened yet, that end at the border or a blocker, without loops."""
    boxes = s.box.tolist()
    return sum(_is_long(chain) and all(boxes[box] & SIDES == 2 for box in chain.boxes) for chain in find_chains(s))


def count_loops(s: State) -> int:
    """Count the loops."""
    return sum(chain.is_loop for chain in find_chains(s))


QUANTITIES: Quantities = {"safe edges": hints.count_safe_edges, "long chains": count_long_chains, "loops": count_loops}
THEMES: Mapping[str, str] = {
    "captures": "Before you draw, check which boxes have three sides, and count what the next player can take.",
    "safe-edges": "Count the safe edges: the player who runs out of them first must give boxes away.",
    "chain-rule": "Count the long chains: their number decides who must open the first of them.",
    "double-dealing": "Leave the last two boxes of a long chain, so that the other player must open the next one.",
    "chains": "When you must open something, open what costs least, and so that nothing can be handed back.",
    "loops": "A loop costs four boxes to hand back: count loops and chains apart.",
    "blockers": "Lay a blocker where it shortens a chain that you would have to open.",
}
"""The advice for each theme."""


def list_facts(view: View, action: int) -> list[Hint]:
    """List the effects of a legal action of the seat to move: gains and gifts first, then what it leaves."""
    facts: list[Hint | None] = [_explain_double_deal(view, action) or hints.hint(view, action)]
    after = np.array(view.states)
    play(view_record(after), action)
    if int(view_record(after).edges_left) > 0:
        facts += [_count_chains(view, view_record(after), action), _count_safe_edges(view_record(after), action)]
    return [fact for fact in facts if fact is not None]


def _is_long(chain: Chain) -> bool:
    return not chain.is_loop and not chain.junction_ends and len(chain.boxes) >= _LONG


def _explain_double_deal(view: View, action: int) -> Hint | None:
    """Explain an edge that opens a long chain, by the opponent's captures and handout; None for other actions."""
    if action >= BLOCKER:
        return None
    beside = {int(box) for box in find_boxes_beside(view.record, action)}
    opened = next((chain for chain in find_chains(view.record) if beside & set(chain.boxes)), None)
    after = np.array(view.states)
    seat = int(to_move(view_record(after)))
    play(view_record(after), action)
    captures = tuple(hints.list_captures(after))
    if opened is None or not _is_long(opened) or len(captures) != len(opened.boxes):
        return None
    total, rival = hints.count_captured_points(after, captures)
    if rival == seat or int(view_record(after).edges_left) == len(captures):
        return None
    taken, _ = hints.count_captured_points(after, captures[:-_HANDOUT])
    handout = (*captures[:-_HANDOUT], captures[-1])
    state = np.array(after)
    for edge in handout:
        play(view_record(state), edge)
    back, receiver = hints.count_captured_points(state, captures[-_HANDOUT:-1])
    if receiver != seat or back == 0:
        return None
    name = format_box(view.record, min(opened.boxes))
    claims = (
        Claim(total, (action, *captures), rival),
        Claim(taken, (action, *handout), rival),
        Claim(back, (action, *handout, captures[-_HANDOUT]), seat),
    )
    text = f"opens the long chain at {name}, worth {hints.format_points(total)}: the next player can take {taken}"
    return Hint(f"{text} and hand back {back} to keep control", claims, "double-dealing")


def _count_chains(view: View, after: State, action: int) -> Hint:
    """Say how many long chains an action leaves, and whether that changes their number."""
    before, left = count_long_chains(view.record), count_long_chains(after)
    claim = Claim(left, (action,), quantity="long chains")
    parity = "odd" if left % 2 else "even"
    if before == left:
        text = f"keeps the number of long chains at {left}, which is {parity}"
        return Hint(text, (claim,), "chain-rule", is_vague=True)
    return Hint(f"changes the number of long chains to {left}, which is {parity}", (claim,), "chain-rule")


def _count_safe_edges(after: State, action: int) -> Hint | None:
    """Say how many safe edges an action leaves; None if there are many, or none, which its hint says."""
    left = hints.count_safe_edges(after)
    if not 0 < left <= hints.FEW_SAFE_EDGES:
        return None
    claim = Claim(left, (action,), quantity="safe edges")
    edges = "1 safe edge" if left == 1 else f"{left} safe edges, an {'odd' if left % 2 else 'even'} number"
    return Hint(f"leaves {edges}", (claim,), "safe-edges", is_vague=left > 1)
