"""Names of players for sentences, which cannot be mistaken for another player, a seat or other words."""

import re
import unicodedata
from collections.abc import Sequence

from fourcorners.core.skeletons import skeletonise

_OTHERS = frozenset({"seat", "player", "you", "your", "nobody", "everybody", "opponent", "winner"})
"""Words that refer to people in sentences, besides the names of the seats."""
_SENTENCE_SIGNS = re.compile(r"[.,:;!?](?:\s|$)|[\[\]{}<>\"“”«»|→]")


def distinguish_names(seat_names: Sequence[str], names: Sequence[str]) -> tuple[str, ...]:
    """Return unambiguous names by seat, given the names of the seats in a position.

    If a name looks like another name, refers to another person or could be part of a sentence, each name is followed by
    its seat, as in “Ada (white)”, and names with punctuation are quoted.
    """
    keys = [_fold(name) for name in names]
    seats = [_fold(name) for name in seat_names]
    others = {*map(_fold, _OTHERS), *seats}
    is_clear = len(set(keys)) == len(keys) and not any(
        _SENTENCE_SIGNS.search(name) or (_list_words(name) & others and _fold(name) not in _list_own_names(seats, seat))
        for seat, name in enumerate(names)
    )
    if is_clear:
        return tuple(names)
    shown = [name.replace("“", '"').replace("”", '"') for name in names]
    quoted = [f"“{name}”" if "(" in name or _SENTENCE_SIGNS.search(name) else name for name in shown]
    return tuple(f"{name} ({_describe_seat(seat_names, seat)})" for seat, name in enumerate(quoted))


def _list_own_names(seats: Sequence[str], seat: int) -> set[str]:
    """Return the seat names that the player at a seat may use: the seat's name, if unique, and its number.

    The number counts from 0 in “seat 0” and from 1 in “Player 1” (players who share a screen have such names).
    """
    own = {_fold(f"seat {seat}"), _fold(f"player {seat + 1}")}
    return own | {seats[seat]} if seats.count(seats[seat]) == 1 else own


def _describe_seat(seat_names: Sequence[str], seat: int) -> str:
    """Return the name of a seat, with its number, counted from 1, if others have the same."""
    name = seat_names[seat]
    return f"{name}, seat {seat + 1}" if seat_names.count(name) > 1 else name


def _list_words(name: str) -> set[str]:
    """Return the folded words of a name, with and without its digits."""
    return {_fold(word) for pattern in (r"[^\W_]+", r"[^\W\d_]+") for word in re.findall(pattern, name)}


def _fold(name: str) -> str:
    """Return a key that is equal for names that look alike, or differ only in case and spaces."""
    return skeletonise(" ".join(unicodedata.normalize("NFKC", name).split()))
