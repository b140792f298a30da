"""Entry of games played on paper: moves typed one after the other, each checked, any of them correctable."""

from collections.abc import Sequence
from typing import NamedTuple

from fourcorners.core.errors import GameError, IllegalMoveError, OptionError
from fourcorners.core.game import Game, Position
from fourcorners.core.game_import import find_typed_move
from fourcorners.core.match import Match
from fourcorners.core.move_list import RESIGNATIONS, Word, split_words
from fourcorners.core.record_format import MAX_EVENTS
from fourcorners.study.rendering import Check, no_check

MAX_MOVES = min(MAX_EVENTS, 2000)
MAX_LINE_LENGTH = 100_000
"""The maximum length of a typed line in characters: far more than a game of MAX_MOVES moves needs."""


class WrongMove(NamedTuple):
    """A move that cannot be played: its number, counted from 1, its text, and the reason as a clause."""

    number: int
    move: str
    reason: str

    @property
    def clause(self) -> str:
        """The wrong move and the reason, with its text once: "move 3, zz: the game is over"."""
        is_quoted = self.move in self.reason or len(self.move) > len(self.reason)
        return f"move {self.number}{'' if is_quoted else f', {self.move}'}: {self.reason}"


class Entry(NamedTuple):
    """An entry: the match up to the first wrong move, that move, if any, and all moves as typed.

    The wrong move's item begins with it; more words of the same line may follow.
    """

    match: Match
    wrong: WrongMove | None
    moves: list[str]


def enter_moves(
    game: Game,
    moves: Sequence[str],
    names: Sequence[str] | None = None,
    date: str | None = "",
    deck: Sequence[str] | None = None,
    check: Check = no_check,
    *,
    typed: int | None = None,
) -> Entry:
    """Play moves as typed; "resign" resigns for the seat to move. `date` is as in `Match`, empty for none.

    The item with the index `typed` is a line with one or more moves, separated by spaces, commas or semicolons,
    optionally numbered, in upper or lower case; every other item is one move. Seats without a name, or with an empty
    one, are named after their colours.

    `check` is called before each move; its errors pass through. Raise OptionError for invalid names, date or deck
    (which a game with hidden information needs), or for more than MAX_MOVES moves.
    """
    if game.spec.hidden and deck is None:
        raise OptionError("deck", f"it is missing: a game of {game.title} needs the tiles in the order of drawing")
    colours = name_seats(game)
    given = list(names or ())
    named = [name or colour for name, colour in zip(given, [*colours, *given], strict=False)]
    match = Match(game, [*named, *colours[len(named) :]], deck=deck, date=date, nonce="")
    played: list[str] = []
    for index, text in enumerate(moves):
        words = list(split_words(text)) if index == typed else [Word(text, 1, 1)]
        start = 0
        while start < len(words):
            _check_number(len(played) + len(moves) - index)
            check()
            words, start, end = _find_move(match, words, start)
            move = _join(words[start:end])
            if (reason := _play(match, move)) is not None:
                unplayed = [*map(_join, _group(words[start:])), *moves[index + 1 :]]
                _check_number(len(played) + len(unplayed))
                return Entry(match, WrongMove(len(played) + 1, move, reason), [*played, *unplayed])
            played.append(move)
            start = end
    return Entry(match, None, played)


def name_seats(place: Game | Position) -> list[str]:
    """Return the names of the seats, in a game at its start or in a position: their colours, or their numbers where the
    colours do not tell them apart.
    """
    game = place if isinstance(place, Game) else place.game
    names = [name[:1].upper() + name[1:] for name in place.seat_names]
    if game.spec.seat_names is None or len(set(names)) < len(names):
        return [f"Seat {number}" for number in range(1, game.seats + 1)]
    return names


def _check_number(count: int) -> None:
    """Raise OptionError if there are too many moves."""
    if count > MAX_MOVES:
        raise OptionError("moves", f"{count} moves are not allowed; there can be {MAX_MOVES}")


def _find_move(match: Match, words: list[Word], index: int) -> tuple[list[Word], int, int]:
    """Return the words, with the next move in its standard spelling, and where that move begins and ends.

    Words that are not a move extend to the next certain beginning of a move.
    """
    words, start, count = find_typed_move(match.position, words, index)
    if start == len(words):
        return words, index, start  # only numbers
    if not count and words[start].text.lower() not in RESIGNATIONS:
        count = len(_group(words[start:])[0])
    return words, start, start + max(1, count)


def _group(words: list[Word]) -> list[list[Word]]:
    """Group the words between numbers, commas, semicolons and line ends."""
    groups: list[list[Word]] = []
    for word in words:
        if word.is_first or not groups:
            groups.append([])
        groups[-1].append(word)
    return groups


def _join(words: list[Word]) -> str:
    return " ".join(word.text for word in words)


def _play(match: Match, move: str) -> str | None:
    """Play a move, or resign; return why it cannot be played, as a clause."""
    try:
        if move.strip().lower() in RESIGNATIONS:
            match.resign(match.seat if match.seat is not None else 0)
        else:
            match.play(move)
    except IllegalMoveError as error:
        return error.reason
    except GameError as error:
        return error.message
    return None
