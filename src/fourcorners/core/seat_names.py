"""Names of players as sentences need them: nobody's name can be taken for another one's or for a seat."""

import re
import unicodedata
from collections.abc import Sequence

from fourcorners.core.game import Game

_OTHERS = frozenset({"seat", "player", "you", "your", "nobody", "everybody", "opponent", "winner"})
"""Words by which sentences mean somebody, beside the names of the seats."""
_SENTENCE_SIGNS = re.compile(r"[.,:;!?](?:\s|$)|[\[\]{}<>\"“”«»|→]")


def distinguish_names(game: Game, names: Sequence[str]) -> tuple[str, ...]:
    """Return the names by seat. If one of them is like another one, means somebody else or looks like a part of a
    sentence, each has the name of its seat behind it: “Ada (white)”, and one with signs of a sentence is quoted.
    """
    folded = [_fold(name) for name in names]
    seats = [_fold(name) for name in game.seat_names]
    is_clear = len(set(folded)) == len(folded) and not any(
        _SENTENCE_SIGNS.search(name) or (_list_words(name) & {*_OTHERS, *seats} and name not in _list_own(seats, seat))
        for seat, name in enumerate(folded)
    )
    if is_clear:
        return tuple(names)
    shown = [name.replace("“", '"').replace("”", '"') for name in names]
    quoted = [f"“{name}”" if "(" in name or _SENTENCE_SIGNS.search(name) else name for name in shown]
    return tuple(f"{name} ({_describe_seat(game, seat)})" for seat, name in enumerate(quoted))


def _list_own(seats: Sequence[str], seat: int) -> set[str]:
    """List what a player at a seat may be called: the seat's own name, if no other has it, or its number."""
    own = {f"seat {seat}"}
    return own | {seats[seat]} if seats.count(seats[seat]) == 1 else own


def _describe_seat(game: Game, seat: int) -> str:
    """Return the name of a seat, with its number, counted from 1, if others have the same."""
    name = game.seat_names[seat]
    return f"{name}, seat {seat + 1}" if game.seat_names.count(name) > 1 else name


def _list_words(text: str) -> set[str]:
    return set(re.findall(r"[^\W\d_]+", text))


def _fold(name: str) -> str:
    """Return a key that is equal for names that differ only in case, spaces or Unicode form."""
    return " ".join(unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold()).split())
