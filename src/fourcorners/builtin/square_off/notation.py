"""Moves and positions of Square Off as text.

A position is four or five words: the rows from the top, with `w` or `b` for a man, `W` or `B` for a marked man and a
number for a run of free cells; the colour to move; the seat that has White; the cell of Black's last man while White
may replace it, otherwise `-`; and `used` once White has used a right that exists once in a game.

    8/8/2w5/8/8/5b2/8/8 w 0 f3
"""

import re
from itertools import groupby, product
from typing import NoReturn

from fourcorners.builtin.square_off import board, rules
from fourcorners.builtin.square_off.options import BLACK, WHITE, SquareOffOptions, format_cell, index_cells, list_cells
from fourcorners.builtin.square_off.rules import RIGHT, SPENT, SWAP
from fourcorners.core.arrays import State
from fourcorners.core.bits import bit
from fourcorners.core.errors import NotationError, quote

_ANY_CELL = re.compile(r"[a-z][1-9][0-9]?", re.ASCII)
POSITION = re.compile(r"([0-9wWbB/]+) ([wb]) ([01]) (-|[a-p](?:[1-9]|1[0-6]))( used)?", re.ASCII)
_MAX_LENGTH = 320
_MIN_MEN_AFTER_RIGHT = 3
_MIN_MEN_AFTER_BROKEN_SQUARE = 9


def parse(s: State, text: str) -> int:
    """Parse a move, such as `c2`, `swap` or `c2 d4`, as an action, whether it is legal or not.
    Raise NotationError for other text, and with the code "off-board" for cells that are not on the board of `s`.
    """
    if text == "swap":
        return SWAP
    words = text.split(" ")
    if len(words) > 2 or not all(map(_ANY_CELL.fullmatch, words)):
        syntax = "a move is a cell such as 'c2', 'swap', or two cells such as 'c2 d4'"
        raise NotationError(f"{quote(text)} is not a move: {syntax}")
    named = [_parse_cell(s, word, text) for word in words]
    return named[0] if len(named) == 1 else RIGHT + (named[0] << 8) + named[1]


def _parse_cell(s: State, word: str, text: str) -> int:
    """Return the cell that `word`, a part of `text`, names; raise NotationError if it is not on the board."""
    cells = index_cells(int(s.side))
    if word not in cells:
        context = "" if word == text else f" in {quote(text)}"
        message = f"{quote(word)}{context} is not on the board, whose cells run from a1 to {next(reversed(cells))}"
        raise NotationError(message, "off-board")
    return cells[word]


def format(s: State, action: int) -> str:
    """Format an action, legal or not, as a move: a cell, `swap`, or the cells of the replaced man before and after."""
    size = int(s.side)
    if action == SWAP:
        return "swap"
    if action < SWAP:
        return format_cell(action, size)
    return f"{format_cell((action - RIGHT) >> 8, size)} {format_cell(action & 255, size)}"


def write(s: State) -> str:
    """Write a position as one line of four or five words, as the module describes."""
    size, shift = int(s.side), int(s.shift)
    men, marks = s.men.tolist(), s.marks.tolist()
    rows = []
    for row in reversed(range(size)):
        signs = ""
        for column in range(size):
            cell = (row << shift) + column
            word, mask = cell >> 6, 1 << (cell & 63)
            letter = "w" if men[WHITE][word] & mask else "b" if men[BLACK][word] & mask else " "
            signs += letter.upper() if (marks[WHITE][word] | marks[BLACK][word]) & mask else letter
        runs = (("".join(run), sign) for sign, run in groupby(signs))
        rows.append("".join(str(len(run)) if sign == " " else run for run, sign in runs))
    last = "-" if s.last < 0 else format_cell(int(s.last), size)
    return f"{'/'.join(rows)} {'wb'[int(s.placed) & 1]} {int(s.swapped)} {last}{' used' if s.right == SPENT else ''}"


def read(s: State, options: SquareOffOptions, text: str) -> None:
    """Fill a zeroed record in place from the line of a position; raise NotationError, perhaps with it half filled.
    Numbers of men, turn, marks and the symmetry right must agree with each other. Whether play can really lead to the
    position is not checked.
    """
    found = POSITION.fullmatch(text) if len(text) <= _MAX_LENGTH else None
    if found is None:
        example = f"{'/'.join([str(options.size)] * options.size)} w 0 -"
        parts = "rows, colour to move, White’s seat, and Black’s last man or '-'"
        _refuse(text, f"a position is {parts}, such as {example!r}")
    rules.start(s, options, ())
    marked = read_men(s, text, found[1])
    white, black = (sum(word.bit_count() for word in words) for words in s.men.tolist())
    if white - black not in {0, 1}:
        _refuse(text, f"White has {white} men and Black {black}: White has as many, or one more")
    if found[2] != "wb"[white - black]:
        _refuse(text, f"with {white} white and {black} black men it is {('White', 'Black')[white - black]}’s turn")
    s.placed = white + black
    s.swapped = int(found[3])
    if s.swapped and not (options.swap and s.placed):
        why = "the option swap is off" if not options.swap else "there is no man to take over yet"
        _refuse(text, f"White cannot belong to seat 1, as {why}")
    _read_right(s, options, text, bool(found[5]), found[4])
    _read_marks(s, options, text, marked)


def read_men(s: State, text: str, rows_text: str) -> list[tuple[int, int]]:
    """Put the men on the board, in place; return colour and cell of those that the text shows as marked.
    `rows_text` is the first word of `text`, the whole line, for errors. Raise NotationError unless it fills the board.
    """
    size, shift = int(s.side), int(s.shift)
    rows = rows_text.split("/")
    if len(rows) != size:
        _refuse(text, f"there are {len(rows)} rows; this board has {size}")
    marked = []
    for row, line in zip(reversed(range(size)), rows, strict=True):
        column = 0
        for sign in re.findall(r"[wWbB]|[0-9]+", line):
            if sign.isdigit():
                if sign.startswith("0") or len(sign) > 2:
                    _refuse(text, f"{quote(sign)} is not a number of free cells")
                column += int(sign)
            elif column < size:
                cell = (row << shift) + column
                colour = "wb".index(sign.lower())
                s.men[colour, cell >> 6] |= bit(cell & 63)
                s.free[cell >> 6] ^= bit(cell & 63)
                s.balance += board.compute_symmetry_weight(s, cell) * (1 - 2 * colour)
                if sign.isupper():
                    marked.append((colour, cell))
                column += 1
            else:
                column = size + 1
        if column != size:
            _refuse(text, f"row {row + 1} must have {size} cells")
    return marked


def _read_right(s: State, options: SquareOffOptions, text: str, used: bool, last: str) -> None:  # noqa: FBT001  # private
    """Set whether the symmetry right is used up, and the man that White may replace now, in place.
    `used` and `last`, a cell or `-`, are the parts of `text` about them; raise NotationError if the men contradict
    them.
    """
    if used:
        if options.symmetry != "once":
            _refuse(text, "the symmetry right can be used up only with the option symmetry=once")
        if s.placed < _MIN_MEN_AFTER_RIGHT:
            _refuse(text, "the symmetry right cannot have been used with fewer than three men")
        s.right = SPENT
    is_open = rules.has_symmetry_right(s)
    if is_open and last == "-":
        _refuse(text, "White may use the symmetry right, so the text must name Black’s last man")
    if not is_open and last != "-":
        _refuse(text, "White may not use the symmetry right, so the text must have '-' for Black’s last man")
    if is_open:
        cell = _parse_cell(s, last, last)
        if not board.has_cell(s.men[BLACK], cell):
            _refuse(text, f"no black man stands on {last}")
        s.last = cell


def _read_marks(s: State, options: SquareOffOptions, text: str, marked: list[tuple[int, int]]) -> None:
    """Mark the men on complete squares, and those of `marked`, pairs of colour and cell, that may have kept a mark.
    Raise NotationError if `marked` lacks one of the former, or has others; `text` is the whole line, for the error.
    """
    board.recompute_marks(s, WHITE)
    board.recompute_marks(s, BLACK)
    given, size = set(marked), options.size
    pairs = product((WHITE, BLACK), list_cells(size))
    needed = {(colour, cell) for colour, cell in pairs if board.has_cell(s.marks[colour], cell)}
    for _, cell in sorted(needed - given):
        _refuse(text, f"the man on {format_cell(cell, size)} stands on a complete square, so it must be marked")
    # Only black men ever leave a square, when White uses the right; with marks=kept they keep their marks.
    used = options.symmetry == "each" or s.right == SPENT
    may_differ = options.marks == "kept" and used and s.placed >= _MIN_MEN_AFTER_BROKEN_SQUARE
    for colour, cell in sorted(given - needed):
        if colour == WHITE or not may_differ:
            _refuse(text, f"the man on {format_cell(cell, size)} cannot be marked: it is on no complete square")
        s.marks[colour, cell >> 6] |= bit(cell & 63)
        s.marked[colour] += 1


def _refuse(text: str, why: str) -> NoReturn:
    """Raise NotationError with the code `position`, quoting the whole line `text` and saying why it is refused."""
    raise NotationError(f"{quote(text)} is not a position of this board: {why}", "position")
