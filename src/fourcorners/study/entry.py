"""The entry of games that were played on paper: moves typed one after the other, each checked, any corrected."""

from collections.abc import Sequence
from typing import NamedTuple

from fourcorners.core.errors import GameError, IllegalMoveError, OptionError
from fourcorners.core.game import Game
from fourcorners.core.match import Match
from fourcorners.core.move_list import RESIGNATIONS, split_words
from fourcorners.core.record_format import MAX_EVENTS
from fourcorners.study.rendering import Check, no_check

MAX_MOVES = min(MAX_EVENTS, 2000)


class WrongMove(NamedTuple):
    """A move that cannot be played: its number, counted from 1, its text, and the reason as a clause."""

    number: int
    move: str
    reason: str


class Entry(NamedTuple):
    """What has been entered: the match after all moves before the first wrong one, and that one, if any."""

    match: Match
    wrong: WrongMove | None


def enter_moves(
    game: Game,
    moves: Sequence[str],
    names: Sequence[str] | None = None,
    date: str | None = "",
    deck: Sequence[str] | None = None,
    check: Check = no_check,
) -> Entry:
    """Play moves as they were typed; "resign" resigns for the seat to move. `date` is as in `Match`, empty for none.

    Raise OptionError for wrong names, date or deck (which a game with hidden information needs), or for more than
    MAX_MOVES moves, and what `check` raises, which is called before each move.
    """
    if len(moves) > MAX_MOVES:
        raise OptionError("moves", f"{len(moves)} moves are not allowed; there can be {MAX_MOVES}")
    if game.spec.hidden and deck is None:
        raise OptionError("deck", f"it is missing: a game of {game.title} needs the tiles in the order of drawing")
    match = Match(game, names, deck=deck, date=date, nonce="")
    for number, move in enumerate(moves, 1):
        check()
        try:
            _play(match, move)
        except IllegalMoveError as error:
            return Entry(match, WrongMove(number, move, error.reason))
        except GameError as error:
            return Entry(match, WrongMove(number, move, error.message))
    return Entry(match, None)


def _play(match: Match, move: str) -> None:
    if move.strip().lower() in RESIGNATIONS:
        match.resign(match.seat if match.seat is not None else 0)
    else:
        match.play(move)


def split_moves(match: Match, line: str) -> list[str]:
    """Split a typed line into moves, which may consist of several words; what is no move stays one text.

    Moves may be numbered and separated by spaces, commas or semicolons, as in a list to import.
    """
    words = [word.text for word in split_words(line)]
    whole = " ".join(words)
    position = match.position
    if not words or position.is_over or position.why(whole) is None:
        return [whole] if words else []
    found: list[str] = []
    while words:
        counts = range(len(words), 0, -1)
        count = next((count for count in counts if position.why(" ".join(words[:count])) is None), 0)
        if not count or position.is_over:
            # A word that is wrong; the rest may be right once it is corrected, but nobody can know where it begins.
            return [*found, " ".join(words)]
        found.append(" ".join(words[:count]))
        position = position.play(found[-1])
        words = words[count:]
    return found
