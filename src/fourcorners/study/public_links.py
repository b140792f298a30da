"""Links to puzzles and lessons: positions that every installation has."""

import re
from urllib.parse import SplitResult

from fourcorners.core.errors import GameError
from fourcorners.core.game import Position
from fourcorners.core.match import Match, Record
from fourcorners.core.move_list import find_link
from fourcorners.core.site_links import split_link
from fourcorners.study.lessons.format import find_lesson
from fourcorners.study.lessons.judge import get_position
from fourcorners.study.puzzles.format import find_puzzle

_MAX_LENGTH = 25_000
"""The longest text that is searched for a link, in characters: as long as a link with a long position."""
_PUZZLE = re.compile(r"/puzzles/([a-z0-9-]{1,64})/([A-Za-z0-9_-]{1,64})(?:/.*)?")
_LESSON = re.compile(r"/learn/([a-z0-9-]{1,64})/([A-Za-z0-9_-]{1,64})(?:/.*)?")
_NO_PUZZLES = {"daily", "next", "run"}


def split_first_link(text: str) -> SplitResult | None:
    """Find and split the first link in a text; return None if there is none or it cannot be read."""
    link = find_link(text) if len(text) <= _MAX_LENGTH else None
    return None if link is None else split_link(link)


def find_position(path: str) -> Position | None:
    """Return the position of a puzzle, or the first position of a lesson, by its page's path; None for other paths.

    Raise GameError if this version has no such puzzle or lesson.
    """
    puzzle, lesson = _PUZZLE.fullmatch(path), _LESSON.fullmatch(path)
    try:
        if puzzle is not None and puzzle[2] not in _NO_PUZZLES:
            return find_puzzle(puzzle[1], puzzle[2]).position
        if lesson is not None:
            return get_position(find_lesson(lesson[1], lesson[2]), 0)
    except GameError:
        kind = "puzzle" if lesson is None else "lesson"
        raise GameError(f"this link leads to no {kind}: check that it is complete", "link") from None
    return None


def read_public_link(text: str) -> Record | None:
    """Return the position of a puzzle, or the first position of a lesson, by a link to any server.

    Return None for any other text. Raise GameError if this version has no such puzzle or lesson.
    """
    parts = split_first_link(text)
    position = None if parts is None else find_position(parts.path)
    return None if position is None else Match(position.game, date="", start=position).record()
