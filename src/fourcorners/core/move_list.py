"""Move lists from elsewhere: their words with their places, and the results of a game's importers."""

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

from fourcorners.core.contract import GameLike
from fourcorners.core.errors import GameError

# A comma between numbers is part of a move, such as 0,-3; any other one, as in 1.a2,2.b3, separates moves. Invisible
# signs, such as a zero width space, count as spaces.
_WORD = re.compile(r"(?:[^\s,;\ufeff\u200b\u2060]|(?<=[0-9]),(?=-?[0-9]+(?![0-9.:)])))+")
_NUMBER = re.compile(r"\(?[0-9]{1,5}(?:\.{1,3}|[):])|\.{3}|…")
_JUDGEMENT = re.compile(r"(?:^|(?<=[A-Za-z0-9]))[!?]{1,2}$|(?<=[A-Za-z0-9])\.$")
_QUOTE_MARKS = re.compile(r"^(?:[ \t]*>)+", re.MULTILINE)
_LINK = re.compile(
    r"https?://|www\.|(?<![a-z0-9.-])(?:localhost|[a-z0-9-]{1,63}(?:\.[a-z0-9-]{1,63}){0,4}\.[a-z]{2,24})(?::[0-9]{1,5})?/",
    re.IGNORECASE,
)
_LIKE_A_MOVE = re.compile(r"[A-Za-z][0-9]")
_PUNCTUATION = ".,;:!)]}>\"'”’»"
_EMPHASIS = "*_"  # which ids and positions may end with
_RESULT = re.compile(r"\*|[0-9]{1,4}(?:[-–][0-9]{1,4}){1,7}|1/2[-–]1/2|½[-–]½")


RESIGNATIONS = frozenset({"resign", "resigns"})
"""The words by which the seat to move resigns, in lower case."""


class Word(NamedTuple):
    """A word of a text and its place: line and column, both counted from 1.

    `is_first` says that more than spaces separates it from the word before it, so the two do not belong to one move.
    `ending` is the punctuation right after a link, which is not in its text but may belong to it.
    """

    text: str
    line: int
    column: int
    is_first: bool = True
    ending: str = ""


class ImportedGame(NamedTuple):
    """An imported game: its id and options, and moves in the notation of this package, each with its source word."""

    game: str
    options: Mapping[str, Any]
    moves: tuple[tuple[str, Word], ...]


class Importer(NamedTuple):
    """A reader of games from text. `name` describes its input for people, such as "a link to example.org".

    `read` gets the text and the game that the user named, or None. It returns None if the text is of another kind, and
    raises MoveListError if it is of this kind but invalid. Legality is checked later. `needs_game` says that such texts
    do not name their game.
    """

    name: str
    read: Callable[[str, GameLike | None], ImportedGame | None]
    needs_game: bool = False


class MoveListError(GameError):
    """A move list that cannot be read or played; `line` and `column` count from 1, and `number` is that of the move.

    `move` is the move or word as in the list. A number of 0 stands for the list as a whole.
    """

    def __init__(self, word: Word, number: int, reason: str) -> None:
        """Build the message from a word's place, its number among the moves, and the reason."""
        place = f"line {word.line}, column {word.column}" + (f", move {number}" if number else "")
        super().__init__(f"{place}: {reason}", "move-list")
        self.line, self.column, self.number = word.line, word.column, number
        self.move, self.reason = word.text, reason


def split_words(text: str) -> Iterator[Word]:
    """Split a move list at spaces, commas, semicolons and line ends into words, without numbers such as `12.` and
    the dots of `12. … c2`, and without judgements such as `!?` or a full stop behind a move.
    """
    for number, row in enumerate(text.split("\n"), 1):
        end, is_first = 0, True
        for found in _WORD.finditer(row):
            numbered = _NUMBER.match(found[0])
            skipped = numbered.end() if numbered else 0
            is_first = is_first or skipped > 0 or not row[end : found.start()].isspace()
            end = found.end()
            word = _JUDGEMENT.sub("", found[0][skipped:])
            if word:
                yield Word(word, number, found.start() + skipped + 1, is_first)
                is_first = False


def remove_quote_marks(text: str) -> str:
    """Return a text with spaces in place of the signs `>` that begin quoted lines in mail."""
    return _QUOTE_MARKS.sub(lambda found: " " * len(found[0]), text)


def find_link(text: str) -> Word | None:
    """Return the only link of a text, without punctuation around it.

    Return None if there is none, if there are several, or if there are moves beside it.
    """
    words = [(row, found) for row, line in enumerate(text.split("\n"), 1) for found in re.finditer(r"\S+", line)]
    links = [(row, found, link) for row, found in words if (link := _LINK.search(found[0]))]
    if len(links) != 1 or any(_LIKE_A_MOVE.search(found[0]) for _, found in words if found is not links[0][1]):
        return None
    row, found, link = links[0]
    # Brackets, quotation marks or a word such as "Game:" may come right before it.
    before, whole = found[0][: link.start()], found[0][link.start() :]
    text = whole.rstrip(_PUNCTUATION + "".join(sign for sign in _EMPHASIS if sign in before))
    return Word(text, row, found.start() + link.start() + 1, ending=whole[len(text) :])


def split_result(text: str) -> tuple[str, Word | None]:
    """Return a move list with spaces in place of the result at its end, such as `1-0` or `*`, and that word or None."""
    words = list(split_words(text))
    if not words or not _RESULT.fullmatch(words[-1].text):
        return text, None
    result = words[-1].text
    begin = text.rfind(result)
    return text[:begin] + " " * len(result) + text[begin + len(result) :], words[-1]
