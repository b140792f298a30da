"""Games of Dots and Boxes from elsewhere: links to trmph.com, and move lists in the notations of Little Golem.

Both name an edge by one point of a grid in which dots, edges and boxes alternate: with 5 x 5 boxes a1 is the lower left
dot, b1 the edge to its right, a2 the edge above it, b2 the first box, and k11 the upper right dot. An older notation of
Little Golem's forum names an edge by its two dots, such as b5-c5. `docs/records.md` says where this is from.
"""

import re
from typing import cast

from fourcorners.builtin.squarin_off.options import COLUMNS, SquarinOffOptions, format_dot
from fourcorners.core.contract import GameLike
from fourcorners.core.errors import quote
from fourcorners.core.move_list import (
    RESIGNATIONS,
    ImportedGame,
    Importer,
    MoveListError,
    Word,
    find_link,
    split_words,
)

_LINK = re.compile(r"(?:https?://)?(?:www\.)?trmph\.com/([a-z0-9-]+)/?(?:board#?(\S*))?", re.IGNORECASE | re.ASCII)
_SIZE = re.compile(r"([1-9][0-9]?)(?:,|$)", re.ASCII)
_POINT = re.compile(r"([a-z])([1-9][0-9]?)", re.IGNORECASE | re.ASCII)
_POINTS = re.compile(r"(?:[a-z][1-9][0-9]?)+", re.IGNORECASE | re.ASCII)
_EDGE = re.compile(r"([a-z])([1-9][0-9]?)[-–]?([a-z])([1-9][0-9]?)", re.IGNORECASE | re.ASCII)
_LETTERS = "abcdefghijklmnopqrstuvwxyz"
_MAX_SIZE = 12  # in boxes: then the letters end
_ID = "dots-and-boxes"


def read_link(text: str, game: GameLike | None) -> ImportedGame | None:
    """Read a link such as `https://trmph.com/dnb/board#5,f7f5g8`: the size in boxes, and points."""
    link = find_link(text)
    found = None if link is None else _LINK.fullmatch(link.text)
    if link is None or found is None:
        return None
    line, content = link.line, found[2] or ""
    column = link.column + (found.start(2) if found[2] is not None else len(link.text))
    if found[1].lower() != "dnb":
        place = Word(found[1], line, link.column + found.start(1))
        raise MoveListError(place, 0, f"{quote(found[1])} is not allowed; links to trmph.com/dnb/board can be imported")
    size = _SIZE.match(content)
    if size is None or int(size[1]) > _MAX_SIZE:
        allowed = f"a number of boxes from 1 to {_MAX_SIZE}, then a comma and moves"
        raise MoveListError(Word(content, line, column), 0, f"after # there must be {allowed}, not {quote(content)}")
    boxes = int(size[1])
    word = Word(content[size.end() :], line, column + size.end())
    return ImportedGame(_ID, {"cols": boxes, "rows": boxes}, tuple(_read_points(word, boxes, boxes, 0)))


def read_list(text: str, game: GameLike | None) -> ImportedGame | None:
    """Read a list of points, of which one word may have several, or of edges with a hyphen between their dots.

    The first move decides which it is. Raise MoveListError for the first word that is something else.
    """
    # Numbers need no full stop.
    words = [] if game is None else [word for word in split_words(text) if not word.text.isdecimal()]
    moves = [word for word in words if not _is_resignation(word)]
    if game is None or not moves:
        return None
    has_points = _name_edge(moves[0].text) is None
    if has_points and not _POINTS.fullmatch(moves[0].text):
        return None
    options = cast(SquarinOffOptions, game.options)
    found: list[tuple[str, Word]] = []
    for word in words:
        if _is_resignation(word):
            found.append((word.text, word))
        elif has_points and not _POINTS.fullmatch(word.text):
            reason = f"{quote(word.text)} is not a point, which is a letter and a number"
            raise MoveListError(word, len(found) + 1, reason)
        elif has_points:
            found += _read_points(word, options.cols, options.rows, len(found))
        elif (edge := _name_edge(word.text)) is not None:
            found.append((edge, word))
        elif not any(map(_has_hyphen, moves)):
            return None  # in the game's own notation, perhaps with blockers
        else:
            reason = f"{quote(word.text)} is not an edge, which is two neighbouring dots such as b5-c5"
            raise MoveListError(word, len(found) + 1, reason)
    return ImportedGame(game.id, game.given_options(), tuple(found))


def _has_hyphen(word: Word) -> bool:
    """Return whether a word is an edge with a hyphen between its dots."""
    return _name_edge(word.text) is not None and not word.text.isalnum()


def _is_resignation(word: Word) -> bool:
    """Return whether a word says that the seat to move resigns."""
    return word.text.lower() in RESIGNATIONS


def _name_edge(text: str) -> str | None:
    """Return the name of an edge that is given by two neighbouring dots in any order; None if there is no such edge."""
    found = _EDGE.fullmatch(text.lower())
    if found is None:
        return None
    dots = sorted((COLUMNS.find(found[i]), int(found[i + 1]) - 1) for i in (1, 3))
    (column, row), (next_column, next_row) = dots
    if column < 0 or (next_column - column, next_row - row) not in {(1, 0), (0, 1)}:
        return None
    return format_dot(column, row) + format_dot(next_column, next_row)


def _read_points(word: Word, cols: int, rows: int, count: int) -> list[tuple[str, Word]]:
    """Return the edges of a word of points such as f7f5, on a board of cols x rows boxes; raise MoveListError.

    `count` moves precede them.
    """
    edges: list[tuple[str, Word]] = []
    begin = 0
    while begin < len(word.text):
        found = _POINT.match(word.text, begin)
        place = Word(word.text[begin:] if found is None else found[0], word.line, word.column + begin)
        number = count + len(edges) + 1
        if found is None:
            raise MoveListError(place, number, f"{quote(place.text)} is not a point, which is a letter and a number")
        edges.append((_convert_point(place, number, cols, rows), place))
        begin = found.end()
    return edges


def _convert_point(place: Word, number: int, cols: int, rows: int) -> str:
    """Return the name of the edge at a point; raise MoveListError if there is none on a board of cols x rows boxes."""
    point = place.text.lower()
    x, y = _LETTERS.index(point[0]), int(point[1:]) - 1
    if x > 2 * cols or y > 2 * rows:
        last = f"{_LETTERS[min(2 * cols, 25)]}{2 * rows + 1}"
        reason = f"{quote(place.text)} is not on this board of {cols} × {rows} boxes, whose points go from a1 to {last}"
        raise MoveListError(place, number, reason)
    if x % 2 == y % 2:
        what = "a box" if x % 2 else "a dot"
        raise MoveListError(place, number, f"{quote(place.text)} is {what}, not an edge")
    column, row = x // 2, y // 2
    return format_dot(column, row) + (format_dot(column + 1, row) if x % 2 else format_dot(column, row + 1))


IMPORTERS = (
    Importer("a link such as https://trmph.com/dnb/board#5,f7f5g8", read_link),
    Importer("a list of Little Golem", read_list, needs_game=True),
)
