"""The entry of games that were played on paper: moves typed one after the other, each checked, any corrected."""

from collections.abc import Sequence
from typing import NamedTuple

from fourcorners.core.errors import GameError, IllegalMoveError, OptionError
from fourcorners.core.game import Game
from fourcorners.core.game_import import find_typed_move
from fourcorners.core.match import Match
from fourcorners.core.move_list import RESIGNATIONS, Word, split_words
from fourcorners.core.position import Position
from fourcorners.core.record_format import MAX_EVENTS
from fourcorners.study.rendering import Check, no_check

MAX_MOVES = min(MAX_EVENTS, 2000)
MAX_LINE_LENGTH = 100_000
"""How many characters one typed line may have: far more than a game of MAX_MOVES moves."""


class WrongMove(NamedTuple):
    """A move that cannot be played: its number, counted from 1, its text, and the reason as a clause."""

    number: int
    move: str
    reason: str

    @property
    def clause(self) -> str:
        """Which move is wrong, and why, with its text once: "move 3, zz: the game is over"."""
        is_quoted = self.move in self.reason or len(self.move) > len(self.reason)
        return f"move {self.number}{'' if is_quoted else f', {self.move}'}: {self.reason}"


class Entry(NamedTuple):
    """What has been entered: the match after all moves before the first wrong one, that one, if any, and all moves.

    The item of the wrong move begins with it, and may go on with more words of the same line.
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
    """Play moves as they were typed; "resign" resigns for the seat to move. `date` is as in `Match`, empty for none.

    The item with the index `typed` is a line that may have several moves, separated by spaces, commas or semicolons
    and perhaps numbered, in capitals or small letters; every other item is one move. Seats without a name, or with an
    empty one, are called by colour.

    Raise OptionError for wrong names, date or deck (which a game with hidden information needs), or for more than
    MAX_MOVES moves, and what `check` raises, which is called before each move.
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
    """Return what the seats are called, in a game at its start or in a position: by their colours, or by their numbers
    where these do not tell them apart.
    """
    game = place if isinstance(place, Game) else place.game
    names = [name[:1].upper() + name[1:] for name in place.seat_names]
    if game.spec.seat_names is None or len(set(names)) < len(names):
        return [f"Seat {number}" for number in range(1, game.seats + 1)]
    return names


def _check_number(count: int) -> None:
    """Raise OptionError for more moves than there can be."""
    if count > MAX_MOVES:
        raise OptionError("moves", f"{count} moves are not allowed; there can be {MAX_MOVES}")


def _find_move(match: Match, words: list[Word], index: int) -> tuple[list[Word], int, int]:
    """Return the words, those of the next move in its own spelling, and where it begins and ends; what is not a move
    lasts up to what surely begins another one.
    """
    words, start, count = find_typed_move(match.position, words, index)
    if start == len(words):
        return words, index, start  # nothing but numbers
    if not count and words[start].text.lower() not in RESIGNATIONS:
        count = len(_group(words[start:])[0])
    return words, start, start + max(1, count)


def _group(words: list[Word]) -> list[list[Word]]:
    """Return the words by what stands between numbers, commas, semicolons and line ends."""
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
