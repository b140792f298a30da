"""Square Off in words: why a move is refused, how the game ended, what a token is called."""

from __future__ import annotations

from fourcorners.core.dispatch import State
from fourcorners.core.errors import Reason
from fourcorners.core.termination import Termination
from fourcorners.games.square_off import rules
from fourcorners.games.square_off.options import BLACK, COLOURS, COLUMNS, WHITE, cell_name
from fourcorners.games.square_off.rules import RIGHT, SWAP
from fourcorners.games.square_off.squares import has

ENDING_CLAUSES = {
    Termination.COMPLETE: "the board is full",
}
_PAIR = 2
_SWAP = "swap"


def explain_illegal_action(s: State, action: int) -> Reason:
    """Say why an action that can be read is not legal."""
    if action == SWAP:
        return _no_swap(s)
    if action < SWAP:
        return _not_free(s, action)
    replaced, target = (action - RIGHT) >> 8, action & 255
    return _not_replaceable(s, replaced) or _no_target(s, replaced, target)


def _no_swap(s: State) -> Reason:
    if not s.may_swap:
        return Reason("swap-off", "this game is played without the swap")
    if s.swapped:
        return Reason("swapped", "the white man was taken over already; each game has one swap at most")
    if not s.placed:
        return Reason("swap-early", "there is no white man to take over yet")
    return Reason("swap-late", "a swap is possible only as the answer to White's first man")


def _man(s: State, cell: int) -> int | None:
    """Return the colour of the man on a cell."""
    return next((colour for colour in (WHITE, BLACK) if has(s.men[colour], cell)), None)


def _not_free(s: State, cell: int) -> Reason:
    name = _name(s, cell)
    if cell == s.last:
        sentence = f"{name} is not free: to replace Black's last man there, say also to which free cell he goes"
        return Reason("incomplete", sentence)
    return Reason("not-free", f"{name} is not free: a {_colour(s, cell)} man stands there")


def _not_replaceable(s: State, cell: int) -> Reason | None:
    """Say why White may not replace the man on a cell now; None if he may."""
    name = _name(s, cell)
    if s.last >= 0:
        if cell == s.last:
            return None
        last = _name(s, int(s.last))
        return Reason("not-last", f"only Black's last man may be replaced: that is {last}, not {name}")
    if s.right == rules.NEVER:
        return Reason("right-off", "this game is played without the symmetry right")
    if s.right == rules.SPENT:
        return Reason("right-used", "White has used the symmetry right, and it is given once in this game")
    if s.placed & 1:
        return Reason("not-white", "only White has the symmetry right, and it is Black's turn")
    if not s.placed:
        return Reason("no-black-man", "there is no black man on the board to replace")
    return Reason(
        "not-symmetric",
        "White may replace Black's last man only when the white men mirror the black men "
        "left to right, top to bottom, or by half a turn",
    )


def _no_target(s: State, replaced: int, target: int) -> Reason:
    name = _name(s, target)
    if replaced == target:
        return Reason("same-cell", f"the man on {name} must go to another cell")
    return Reason("not-free", f"{name} is not free: a {_colour(s, target)} man stands there")


def explain_tokens(s: State, tokens: tuple[str, ...]) -> Reason | None:
    """Say why no move begins with these tokens."""
    cells = [_cell(s, token) for token in tokens]
    if not cells or any(cell is None and token != _SWAP for cell, token in zip(cells, tokens, strict=True)):
        return None
    first = cells[0]
    if len(tokens) == 1:
        if first is None:
            return _no_swap(s)
        return None if _man(s, first) is None else _not_free(s, first)
    if first is None:
        return Reason("too-long", "the swap is a whole move: nothing follows it")
    if _man(s, first) is None:
        return Reason("too-long", f"{tokens[0]} is a free cell: placing a man there is a whole move")
    reason = _not_replaceable(s, first)
    if reason is not None:
        return reason
    second = cells[1]
    if second is None:
        return Reason("too-long", "the swap does not go with another cell")
    if len(tokens) > _PAIR:
        return Reason("too-long", "a move names two cells at most")
    return _no_target(s, first, second)


def classify_ending(s: State) -> Termination:
    """Return the only way in which the game can end."""
    return Termination.COMPLETE


def label(token: str) -> str:
    """Name a token."""
    return "Swap: take over the white man" if token == _SWAP else f"cell {token}"


def _cell(s: State, token: str) -> int | None:
    column, row = COLUMNS.find(token[:1]), token[1:]
    size = int(s.side)
    if not token or not 0 <= column < size or row not in {str(number + 1) for number in range(size)}:
        return None
    return ((int(row) - 1) << int(s.shift)) + column


def _name(s: State, cell: int) -> str:
    return cell_name(cell, int(s.side))


def _colour(s: State, cell: int) -> str:
    colour = _man(s, cell)
    return "" if colour is None else COLOURS[colour].lower()
