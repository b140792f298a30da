"""Moves and positions of Square Off as text.

A position is four or five words: the rows from the top, `w` or `b` for a man, `W` or `B` for a marked one, a number for
so many free cells; the colour to move; the seat that has White; Black's last man while White may replace him, or `-`;
and `used` once White has spent a right that is given once in a game.

    8/8/2w5/8/8/5b2/8/8 w 0 f3
"""

from __future__ import annotations

import re
from itertools import groupby
from typing import NoReturn

from fourcorners.core.bits import bit
from fourcorners.core.dispatch import State
from fourcorners.core.errors import NotationError, quote
from fourcorners.games.square_off import rules, squares
from fourcorners.games.square_off.options import BLACK, COLUMNS, WHITE, SquareOffOptions, cell_name, cells
from fourcorners.games.square_off.rules import RIGHT, SPENT, SWAP

_CELL = re.compile(r"([a-p])([1-9]|1[0-6])", re.ASCII)
_ANY_CELL = re.compile(r"([a-z])([1-9][0-9]?)", re.ASCII)
_POSITION = re.compile(r"([0-9wWbB/]+) ([wb]) ([01]) (-|[a-p](?:[1-9]|1[0-6]))( used)?", re.ASCII)
_RUN = re.compile(r"[wWbB]|[1-9][0-9]?", re.ASCII)
_LONGEST_POSITION = 320
_MOST_WORDS = 2
_FEWEST_AFTER_RIGHT = 3
_FEWEST_AFTER_BROKEN_SQUARE = 9


def parse(s: State, text: str) -> int:
    """Read a move."""
    if text == "swap":
        return SWAP
    words = text.split(" ")
    if len(words) > _MOST_WORDS or not all(_ANY_CELL.fullmatch(word) for word in words):
        message = (
            f"{quote(text)} cannot be read: a move is a free cell such as 'c2', 'swap', or two cells such as 'c2 d4'"
        )
        raise NotationError(message)
    codes = [_cell(s, word, text) for word in words]
    if len(codes) == 1:
        return codes[0]
    return RIGHT + (codes[0] << 8) + codes[1]


def _cell(s: State, word: str, text: str) -> int:
    size = int(s.side)
    found = _CELL.fullmatch(word)
    if found is None or COLUMNS.index(found[1]) >= size or int(found[2]) > size:
        last = f"{COLUMNS[size - 1]}{size}"
        of = "" if word == text else f" of {quote(text)}"
        message = f"{quote(word)}{of} is not on the board: its cells go from a1 to {last}"
        raise NotationError(message, "off-board")
    return ((int(found[2]) - 1) << int(s.shift)) + COLUMNS.index(found[1])


def format(s: State, action: int) -> str:
    """Write a move."""
    size = int(s.side)
    if action == SWAP:
        return "swap"
    if action < SWAP:
        return cell_name(action, size)
    return f"{cell_name((action - RIGHT) >> 8, size)} {cell_name(action & 255, size)}"


def write(s: State) -> str:
    """Write a position."""
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
    last = "-" if s.last < 0 else cell_name(int(s.last), size)
    return f"{'/'.join(rows)} {'wb'[int(s.placed) & 1]} {int(s.swapped)} {last}{' used' if s.right == SPENT else ''}"


def read(s: State, options: SquareOffOptions, text: str) -> None:
    """Fill a zeroed record from a line, so that only what play can lead to is taken as far as counts and marks show."""
    found = _POSITION.fullmatch(text) if len(text) <= _LONGEST_POSITION else None
    if found is None:
        example = f"{'/'.join([str(options.size)] * options.size)} w 0 -"
        _refuse(
            text, f"a position is rows, colour to move, White's seat and Black's last man or '-', as in {example!r}"
        )
    rules.start(s, options, ())
    marked = _place_men(s, text, found[1])
    white, black = (sum(word.bit_count() for word in words) for words in s.men.tolist())
    if white - black not in {0, 1}:
        _refuse(text, f"White has {white} men and Black {black}: White has as many, or one more")
    if found[2] != "wb"[white - black]:
        _refuse(text, f"with {white} white and {black} black men it is {('White', 'Black')[white - black]}'s turn")
    s.placed = white + black
    s.swapped = int(found[3])
    if s.swapped and not (options.swap and s.placed):
        why = "the option swap is off" if not options.swap else "there is no man to take over yet"
        _refuse(text, f"White cannot belong to seat 1, as {why}")
    _set_right(s, options, text, bool(found[5]), found[4])
    _set_marks(s, options, text, marked)


def _place_men(s: State, text: str, board: str) -> list[tuple[int, int]]:
    """Put the men on the board; return colour and cell of those that are given as marked."""
    size, shift = int(s.side), int(s.shift)
    rows = board.split("/")
    if len(rows) != size:
        _refuse(text, f"there are {len(rows)} rows; this board has {size}")
    marked = []
    for row, line in zip(reversed(range(size)), rows, strict=True):
        column = 0
        for sign in _signs(text, line):
            if sign.isdigit():
                column += int(sign)
            elif column < size:
                cell = (row << shift) + column
                colour = "wb".index(sign.lower())
                s.men[colour, cell >> 6] |= bit(cell & 63)
                s.free[cell >> 6] ^= bit(cell & 63)
                s.balance += squares.weight(s, cell) * (1 - 2 * colour)
                if sign.isupper():
                    marked.append((colour, cell))
                column += 1
            else:
                column = size + 1
        if column != size:
            _refuse(text, f"row {row + 1} must have {size} cells")
    return marked


def _signs(text: str, line: str) -> list[str]:
    """Split a row into men and numbers."""
    signs = re.findall(r"[wWbB]|[0-9]+", line)
    for sign in signs:
        if not _RUN.fullmatch(sign):
            _refuse(text, f"{quote(sign)} is no number of free cells")
    return signs


def _set_right(s: State, options: SquareOffOptions, text: str, used: bool, last: str) -> None:  # noqa: FBT001  # private
    if used:
        if options.symmetry != "once":
            _refuse(text, "only with the option symmetry=once can the symmetry right be used up")
        if s.placed < _FEWEST_AFTER_RIGHT:
            _refuse(text, "the symmetry right cannot have been used with fewer than three men")
        s.right = SPENT
    is_open = rules.makes_right(s)
    if is_open and last == "-":
        _refuse(text, "White may use the symmetry right, so Black's last man must be named")
    if not is_open and last != "-":
        _refuse(text, "White may not use the symmetry right, so '-' must stand for Black's last man")
    if is_open:
        cell = _cell(s, last, last)
        if not squares.has(s.men[BLACK], cell):
            _refuse(text, f"no black man stands on {last}")
        s.last = cell


def _set_marks(s: State, options: SquareOffOptions, text: str, marked: list[tuple[int, int]]) -> None:
    squares.mark_anew(s, WHITE)
    squares.mark_anew(s, BLACK)
    given = set(marked)
    needed = {
        (colour, cell)
        for colour in (WHITE, BLACK)
        for cell in cells(options.size)
        if squares.has(s.marks[colour], cell)
    }
    size = int(s.side)
    for _, cell in sorted(needed - given):
        _refuse(text, f"the man on {cell_name(cell, size)} stands on a complete square, so he must be marked")
    # Only Black's men ever leave a square, when the right is used; their marks stay unless the option says otherwise.
    used = options.symmetry == "each" or s.right == SPENT
    may_differ = options.marks == "kept" and used and s.placed >= _FEWEST_AFTER_BROKEN_SQUARE
    for colour, cell in sorted(given - needed):
        if colour == WHITE or not may_differ:
            _refuse(text, f"the man on {cell_name(cell, size)} cannot be marked: he stands on no complete square")
        s.marks[colour, cell >> 6] |= bit(cell & 63)
        s.marked[colour] += 1


def _refuse(text: str, why: str) -> NoReturn:
    message = f"{quote(text)} is no position of this board: {why}"
    raise NotationError(message, "position")
