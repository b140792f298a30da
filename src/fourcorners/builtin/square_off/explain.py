"""Square Off in words: reasons for illegal moves, played moves, the end of the game, and labels of tokens."""

import functools

from fourcorners.builtin.square_off import rules
from fourcorners.builtin.square_off.board import has_cell, to_integer
from fourcorners.builtin.square_off.options import BLACK, COLOURS, WHITE, format_cell, index_cells, list_squares
from fourcorners.builtin.square_off.rules import RIGHT, SWAP
from fourcorners.core.arrays import State
from fourcorners.core.contract import ViewLike
from fourcorners.core.errors import Reason
from fourcorners.core.narration import spell_count
from fourcorners.core.presentation import Explanation
from fourcorners.core.termination import Termination

ENDING_CLAUSES = {Termination.COMPLETE: "the board is full"}
_SWAP = "swap"


def explain_illegal_action(s: State, action: int) -> Reason:
    """Return the reason why an action, which must be illegal but on the board, is illegal."""
    if action == SWAP:
        return _explain_swap(s)
    if action < SWAP:
        return _explain_taken_cell(s, action)
    replaced, target = (action - RIGHT) >> 8, action & 255
    return _explain_replaced(s, replaced) or _explain_illegal_target(s, replaced, target)


def _explain_swap(s: State) -> Reason:
    """Return the reason why the swap, which must be illegal, is not possible now."""
    if not s.may_swap:
        return Reason("swap-off", "this game is played without the swap")
    if s.swapped:
        return Reason("swapped", "the white man has already been taken over; a game has one swap at most")
    if not s.placed:
        return Reason("swap-early", "there is no white man to take over yet")
    return Reason("swap-late", "the swap is possible only as the answer to White’s first man")


def _find_colour(s: State, cell: int) -> int | None:
    """Return the colour of the man on a cell, None if the cell is free."""
    return next((colour for colour in (WHITE, BLACK) if has_cell(s.men[colour], cell)), None)


def _explain_taken_cell(s: State, cell: int) -> Reason:
    """Return the reason why no man can be placed on a cell on which a man stands."""
    name = _format_cell(s, cell)
    if cell == s.last:
        sentence = f"{name} is not free: to replace Black’s last man there, also name the free cell it goes to"
        return Reason("incomplete", sentence)
    return Reason("not-free", f"{name} is not free: a {_format_colour(s, cell)} man stands there")


def _explain_replaced(s: State, cell: int) -> Reason | None:
    """Return the reason why White may not replace the man (if any) on a cell now; None if White may."""
    name = _format_cell(s, cell)
    if s.last >= 0:
        if cell == s.last:
            return None
        last = _format_cell(s, int(s.last))
        return Reason("not-last", f"only Black’s last man may be replaced: that is {last}, not {name}")
    if s.right == rules.NEVER:
        return Reason("right-off", "this game is played without the symmetry right")
    if s.right == rules.SPENT:
        return Reason("right-used", "White has used the symmetry right, which exists only once in this game")
    if s.placed & 1:
        return Reason("not-white", "only White has the symmetry right, and it is Black’s turn")
    if not s.placed:
        return Reason("no-black-man", "there is no black man on the board to replace")
    symmetries = "the white men mirror the black men left to right, top to bottom, or by half a turn"
    return Reason("not-symmetric", f"White may replace Black’s last man only when {symmetries}")


def _explain_illegal_target(s: State, replaced: int, target: int) -> Reason:
    """Return the reason why the man on `replaced` cannot go to `target`, which must be the same or a taken cell."""
    name = _format_cell(s, target)
    if replaced == target:
        return Reason("same-cell", f"the man on {name} must go to another cell")
    return Reason("not-free", f"{name} is not free: a {_format_colour(s, target)} man stands there")


def explain_tokens(s: State, tokens: tuple[str, ...]) -> Reason | None:
    """Return the reason why no legal move begins with these tokens; that none does is not checked.

    Return None for no tokens, for a single free cell, and if a token is neither a cell of this board nor `swap`.
    """
    cells = [index_cells(int(s.side)).get(token) for token in tokens]
    if not cells or any(cell is None and token != _SWAP for cell, token in zip(cells, tokens, strict=True)):
        return None
    first = cells[0]
    if len(tokens) == 1:
        if first is None:
            return _explain_swap(s)
        return None if _find_colour(s, first) is None else _explain_taken_cell(s, first)
    if first is None:
        return Reason("too-long", "the swap is a complete move: nothing follows it")
    if _find_colour(s, first) is None:
        return Reason("too-long", f"{tokens[0]} is a free cell: placing a man there is a complete move")
    reason, second = _explain_replaced(s, first), cells[1]
    if reason is not None:
        return reason
    if second is None:
        return Reason("too-long", "the swap cannot be combined with a cell")
    if len(tokens) > 2:
        return Reason("too-long", "a move names two cells at most")
    return _explain_illegal_target(s, first, second)


def classify_ending(s: State) -> Termination:
    """Return the only way in which the game can end."""
    return Termination.COMPLETE


def find_seat_names(s: State) -> tuple[str, ...]:
    """Return the names of the colours by seat: after a swap, the seat that swapped is White."""
    return COLOURS[::-1] if s.swapped else COLOURS


def label(token: str) -> str:
    """Return the label of a token, the name of a cell or `swap`, for a button and a screen reader."""
    return "Swap: take over the white man" if token == _SWAP else f"cell {token}"


def _format_cell(s: State, cell: int) -> str:
    return format_cell(cell, int(s.side))


def _format_colour(s: State, cell: int) -> str:
    """Return the colour of the man on a cell, in lower case; empty if the cell is free."""
    colour = _find_colour(s, cell)
    return "" if colour is None else COLOURS[colour].lower()


def describe_move(before: ViewLike, after: ViewLike) -> str:
    """Describe the last move: the man or the swap, the squares that it completed, and the men newly marked."""
    cells = after.history[-1].split(" ")
    if cells == [_SWAP]:
        return "swapped and took over the white man"
    colour = int(before.record.placed) & 1
    words = f"placed a {COLOURS[colour].lower()} man on {cells[0]}"
    if len(cells) == 2:
        words = f"replaced the black man on {cells[0]}, which moved to {cells[1]}"
    for each in (WHITE, BLACK):
        squares = _count_completed_squares(after, each, cells)
        if squares:
            new_marks = int(after.record.marked[each]) - int(before.record.marked[each])
            who = "and completed" if each == colour else "and Black completed"
            words += f" {who} {spell_count(squares, 'square')}, marking {spell_count(new_marks, 'man', 'men')}"
    return words


def list_explanations(before: ViewLike, after: ViewLike) -> list[Explanation]:
    """List explanations about the swap and its offer, completed squares, and the symmetry right."""
    s, cells = after.record, after.history[-1].split(" ")
    explanations = []
    if cells == [_SWAP]:
        sentence = "The second player has taken over the white man, and the first player goes on as Black."
        explanations.append(Explanation("swap", sentence))
    elif rules.can_swap(s):
        sentence = "The second player may now swap: take over the white man and let the first player go on as Black."
        explanations.append(Explanation("swap-offer", sentence))
    if any(_count_completed_squares(after, colour, cells) for colour in (WHITE, BLACK)):
        explanations.append(
            Explanation("square", "Four men at the corners of a square are marked, and the most marked men win.")
        )
    if s.last >= 0:
        last = _format_cell(s, int(s.last))
        sentence = f"The men mirror each other: White may replace Black’s last man on {last}, which then moves."
        explanations.append(Explanation("symmetry", sentence))
    return explanations


def _count_completed_squares(view: ViewLike, colour: int, cells: list[str]) -> int:
    """Count the complete squares of a colour with a corner on one of the named cells; a swap names none."""
    size, men = int(view.record.side), to_integer(view.record.men[colour])
    changed = [index_cells(size)[cell] for cell in cells if cell != _SWAP]
    squares = {square for cell in changed if men >> cell & 1 for square in _list_squares_of_cell(size, cell)}
    return sum(all(men >> corner & 1 for corner in square) for square in squares)


@functools.lru_cache(maxsize=512)
def _list_squares_of_cell(size: int, cell: int) -> list[tuple[int, ...]]:
    """Return the corners of the squares of which a cell is one."""
    return [square for square in list_squares(size) if cell in square]
