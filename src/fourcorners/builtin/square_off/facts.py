"""Facts about moves of Square Off: the squares, threats, forks and rights that they make or allow."""

from collections.abc import Mapping

import numpy as np

from fourcorners.builtin.square_off import hints
from fourcorners.builtin.square_off.board import has_cell
from fourcorners.builtin.square_off.options import BLACK, WHITE, format_cell, list_cells
from fourcorners.builtin.square_off.rules import NEVER, RIGHT, SPENT, SWAP
from fourcorners.builtin.square_off.strategy.square_potential import count_new_marks
from fourcorners.core import compiled_api
from fourcorners.core.arrays import State, States
from fourcorners.core.dispatch import view_record
from fourcorners.core.game import View
from fourcorners.players.hint_claims import Claim, Hint, Quantities


def list_threats(s: State, colour: int) -> dict[int, int]:
    """Return the free cells where a colour would newly mark men, with how many."""
    free = (cell for cell in list_cells(int(s.side)) if has_cell(s.free, cell))
    marks = ((cell, int(count_new_marks(s, colour, cell))) for cell in free)
    return {cell: count for cell, count in marks if count}


def _count_white_threats(s: State) -> int:
    return len(list_threats(s, WHITE))


def _count_black_threats(s: State) -> int:
    return len(list_threats(s, BLACK))


def count_symmetry_rights(s: State) -> int:
    """Return 1 if White may use the symmetry right now, otherwise 0."""
    return int(int(s.right) not in {NEVER, SPENT} and int(s.last) >= 0)


_THREATS = ("threats of White", "threats of Black")
QUANTITIES: Quantities = {
    _THREATS[WHITE]: _count_white_threats,
    _THREATS[BLACK]: _count_black_threats,
    "symmetry rights": count_symmetry_rights,
}
THEMES: Mapping[str, str] = {
    "squares": "Before each move, look for cells where the opponent would complete a square.",
    "forks": "Look for cells that threaten two squares at once: only one of them can be blocked.",
    "symmetry-right": "As Black, break the symmetry: while the men mirror each other, White may replace your last man.",
    "swap": "Swap if the first man stands on many squares.",
}
"""The advice for each theme."""


def list_facts(view: View, action: int) -> list[Hint]:
    """List the effects of a legal action of the seat to move: first the opponent's chances, then its merits."""
    after = view.states.copy()
    compiled_api.play(after, 0, action)
    facts = [_explain_right(after, action), _explain_open_square(view, after, action), _explain_fork(after, action)]
    reason = hints.hint(view, action)
    facts += [reason._replace(theme=_name_theme(view, action)), _count_threats(view, after, action, reason)]
    return [fact for fact in facts if fact is not None]


def _name_theme(view: View, action: int) -> str:
    """Return the theme of the hint for an action."""
    if action == SWAP:
        return "swap"
    return "symmetry-right" if action >= RIGHT else "squares"


def _explain_right(after: States, action: int) -> Hint | None:
    """Explain an action after which White may use the symmetry right; None for others."""
    s = view_record(after)
    if not count_symmetry_rights(s) or compiled_api.status(after.copy(), 0, np.zeros(2, np.int64)) < 0:
        return None
    last = format_cell(int(s.last), int(s.side))
    claim = Claim(1, (action,), quantity="symmetry rights")
    return Hint(f"makes the men mirror each other, so White may replace the man on {last}", (claim,), "symmetry-right")


def _explain_open_square(view: View, after: States, action: int) -> Hint | None:
    """Explain an action after which the opponent can mark men at once; None if it cannot."""
    s = view_record(after)
    colour = int(s.placed) & 1
    threats = list_threats(s, colour)
    if not threats:
        return None
    cell = max(threats, key=lambda each: (threats[each], -each))
    claim = Claim(threats[cell], (action, cell), 1 - (view.seat or 0))
    men = "1 man" if threats[cell] == 1 else f"{threats[cell]} men"
    return Hint(
        f"lets the opponent complete a square on {format_cell(cell, int(s.side))} and mark {men}", (claim,), "squares"
    )


def _explain_fork(after: States, action: int) -> Hint | None:
    """Explain an action after which the opponent can threaten squares on two cells at once; None if it cannot."""
    s = view_record(after)
    colour = int(s.placed) & 1
    if list_threats(s, colour) or list_threats(s, 1 - colour):
        return None
    for cell in list_cells(int(s.side)):
        if has_cell(s.free, cell):
            work = after.copy()
            compiled_api.play(work, 0, cell)
            threats = list_threats(view_record(work), colour)
            if len(threats) > 1:
                claim = Claim(len(threats), (action, cell), quantity=_THREATS[colour])
                name = format_cell(cell, int(s.side))
                return Hint(
                    f"lets the opponent fork on {name}, with threats on {len(threats)} cells", (claim,), "forks"
                )
    return None


def _count_threats(view: View, after: States, action: int, hint: Hint) -> Hint | None:
    """Count the cells where the mover threatens to complete a square after an action.

    Return None if there is none, if the action's hint says it already, or if the action is a swap.
    """
    if action == SWAP:
        return None
    colour = int(view.record.placed) & 1
    count = len(list_threats(view_record(after), colour))
    # The hint names a single cell and its gain.
    if not count or (count == 1 and hint.theme == hints.SINGLE_THREAT):
        return None
    cells = "1 cell" if count == 1 else f"{count} cells"
    claim = Claim(count, (action,), quantity=_THREATS[colour])
    return Hint(
        f"threatens to complete a square on {cells}", (claim,), "forks" if count > 1 else "squares", is_merit=True
    )
