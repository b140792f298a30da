"""Cram in words."""

from fourcorners.core.dispatch import State
from fourcorners.core.errors import Reason
from fourcorners.core.termination import Termination
from fourcorners_cram.notation import cell

_TAKEN = "cell {} is taken"


def explain_illegal_action(s: State, action: int) -> Reason:
    """Name the first taken cell."""
    first = action >> 1
    taken = first if not int(s.free) >> first & 1 else first + (8 if action & 1 else 1)
    return Reason("cell-taken", _TAKEN.format(cell(taken)))


def explain_tokens(s: State, tokens: tuple[str, ...]) -> Reason | None:
    """Say why no domino begins on a cell."""
    names = {cell(8 * y + x): 8 * y + x for y in range(s.rows) for x in range(s.cram_cols)}
    if not set(tokens) <= set(names):
        return None
    for token in tokens:
        if not int(s.free) >> names[token] & 1:
            return Reason("cell-taken", _TAKEN.format(token))
    return Reason("no-room", f"no domino begins on cell {tokens[0]}")


def classify_ending(s: State) -> Termination:
    """Return the only way in which the game can end."""
    return Termination.NO_MOVES


def label(token: str) -> str:
    """Name a token."""
    return f"cell {token}"
