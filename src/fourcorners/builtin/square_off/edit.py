"""Setting up positions: men, and which seat has White. A draft may have wrong numbers of men."""

from collections.abc import Sequence

from fourcorners.builtin.square_off import board, notation, rules
from fourcorners.builtin.square_off.options import BLACK, WHITE, SquareOffOptions, format_cell, index_cells, list_cells
from fourcorners.core.arrays import State
from fourcorners.core.bits import bit
from fourcorners.core.contract import Tool
from fourcorners.core.errors import NotationError, OptionError, quote

_COLOURS = {"white": WHITE, "black": BLACK}
_SIDES = "sides"
_SWAP = "swap"


def list_tools(options: SquareOffOptions) -> Sequence[Tool]:
    """List the tools of the editor."""
    sides = [Tool(_SIDES, "Who plays White")] if options.swap else []
    return [Tool("white", "White men"), Tool("black", "Black men"), *sides]


def list_edits(s: State, tool: str) -> Sequence[str]:
    """List the cells, or the change of sides."""
    if tool in _COLOURS:
        return sorted(format_cell(cell, int(s.side)) for cell in list_cells(int(s.side)))
    if tool == _SIDES:
        return [_SWAP]
    raise OptionError("tool", f"{quote(tool)} is not allowed; it must be white, black or {_SIDES}")


def label_token(token: str) -> str:
    """Return the label of the change of sides; other tokens, which the board shows, are their own labels."""
    return "Change sides" if token == _SWAP else token


def edit(s: State, options: SquareOffOptions, tool: str, edit: str) -> str:
    """Return the draft with a man put down, or taken away if it was there, or with the sides changed."""
    if edit not in list_edits(s, tool):
        raise NotationError(f"{quote(edit)} cannot be changed with {quote(tool)}")
    last = -1
    if tool == _SIDES:
        s.swapped = 1 - int(s.swapped)
    else:
        colour, cell = _COLOURS[tool], index_cells(int(s.side))[edit]
        was_there = board.has_cell(s.men[colour], cell)
        for each in (WHITE, BLACK):
            s.men[each, cell >> 6] &= ~bit(cell & 63)
        if not was_there:
            s.men[colour, cell >> 6] |= bit(cell & 63)
            last = cell if colour == BLACK else -1
    _complete(s, options, last)
    return notation.write(s)


def read_draft(s: State, options: SquareOffOptions, text: str) -> None:
    """Fill a zeroed record from a draft: a position, or one with a wrong number of men."""
    found = notation.POSITION.fullmatch(text)
    if found is None:
        raise NotationError(f"{quote(text)} is not a draft of a position")
    rules.start(s, options, ())
    notation.read_men(s, text, found[1])
    s.swapped = int(found[3])
    if found[5]:
        s.right = rules.SPENT
    _complete(s, options, index_cells(options.size).get(found[4], -1))


def _complete(s: State, options: SquareOffOptions, last: int) -> None:
    """Compute, in place, the fields that follow from the men; `last` is the cell of Black's last man, if known."""
    men = {
        colour: [cell for cell in list_cells(options.size) if board.has_cell(s.men[colour], cell)] for colour in (0, 1)
    }
    s.placed = len(men[WHITE]) + len(men[BLACK])
    s.balance = 0
    s.free[:] = 0
    for cell in list_cells(options.size):
        s.free[cell >> 6] |= bit(cell & 63)
    for colour, cells in men.items():
        for cell in cells:
            s.free[cell >> 6] &= ~bit(cell & 63)
            s.balance += board.compute_symmetry_weight(s, cell) * (1 - 2 * colour)
    s.marks[:] = 0
    s.marked[:] = 0
    board.recompute_marks(s, WHITE)
    board.recompute_marks(s, BLACK)
    s.last = -1
    if len(men[WHITE]) == len(men[BLACK]) and rules.has_symmetry_right(s):
        s.last = last if last in men[BLACK] else men[BLACK][0]
