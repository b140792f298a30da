"""Cram in words: why a move is illegal, how the game ended, what a cell is called."""

from fourcorners.core.arrays import State
from fourcorners.core.errors import Reason
from fourcorners.core.termination import Termination
from fourcorners_cram.notation import format_cell


def explain_illegal_action(s: State, action: int) -> Reason:
    """Return the reason, with the code `cell-taken`, why a domino is illegal: the first of its cells that is taken.

    Both cells must be on the board, and one of them taken.
    """
    first, second = action >> 1, (action >> 1) + (8 if action & 1 else 1)
    taken = second if int(s.free) >> first & 1 else first
    return Reason("cell-taken", f"cell {format_cell(taken)} is taken")


def explain_tokens(s: State, tokens: tuple[str, ...]) -> Reason | None:
    """Return the reason why no legal move begins with these cells, of which there must be one; None if one is no cell.

    The codes are `cell-taken`, for the first of them that is taken, and `no-room`. Cells are names such as `a1`.
    """
    indices = {format_cell(8 * y + x): 8 * y + x for y in range(s.rows) for x in range(s.cram_cols)}
    if not set(tokens) <= set(indices):
        return None
    for token in tokens:
        if not int(s.free) >> indices[token] & 1:
            return Reason("cell-taken", f"cell {token} is taken")
    return Reason("no-room", f"no domino fits with its lower or left end on cell {tokens[0]}")


def classify_ending(s: State) -> Termination:
    """Return NO_MOVES, the only way in which the game can end."""
    return Termination.NO_MOVES


def label(token: str) -> str:
    """Return the label of a cell, by its name, for a button and a screen reader."""
    return f"cell {token}"
