"""Seats: a person, or a computer with its strength, as the texts that are stored with a table."""

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple, TypeVar

from fourcorners.core.spec import Spec
from fourcorners.players.computer_play import ComputerPlay

T = TypeVar("T")
PERSON = "person"
OPEN = "open"
"""A seat for anyone who opens the table's link; the table stores it as a person's chair without a player."""
COMPUTER = "computer:"
MIN_MOVE_SECONDS, MAX_MOVE_SECONDS = 0.1, 60.0
DEFAULT_LEVEL = 3
"""The level that a form suggests."""
DEFAULT_MOVE_SECONDS = 3.0
"""The seconds per move that a form suggests."""
_UNNAMED = re.compile(r"Computer \(?[0-9]", re.ASCII)
_SECONDS_TEXT = re.compile(r"[0-9]{1,3}([.,][0-9]{1,3})?", re.ASCII)


class Strength(NamedTuple):
    """How strong a computer plays: at a level, counted from 1, or at full strength for `seconds` a move."""

    level: int | None = None
    seconds: float | None = None

    @property
    def kind(self) -> str:
        """The text that is stored for a seat."""
        return f"{COMPUTER}{self.level}" if self.seconds is None else f"{COMPUTER}{self.seconds:g}s"

    @property
    def name(self) -> str:
        """The name of such a computer at a table."""
        return f"Computer {self.level}" if self.seconds is None else f"Computer ({self.seconds:g} s)"


def name_players(names: Sequence[str], kinds: Sequence[str], colours: Sequence[str] = ()) -> tuple[str, ...]:
    """Return the names of the players as sentences use them, by seat: a computer without its own name is called by its
    level, and names that would be the same are followed by the seat's colour, if a position's `colours` are given.

    >>> name_players(("Ada", "Computer 3"), ("person", "computer:3"), ("light", "dark"))
    ('Ada', 'Computer (level 3)')
    >>> name_players(("Ada", "Ada"), ("person", "person"), ("light", "dark"))
    ('Ada (light)', 'Ada (dark)')
    """
    notes = [_describe_unnamed(name, kind) for name, kind in zip(names, kinds, strict=True)]
    keys = [note or name for name, note in zip(names, notes, strict=True)]
    return tuple(
        _join_notes("Computer" if note else name, note, colours[seat] if colours and keys.count(keys[seat]) > 1 else "")
        for seat, (name, note) in enumerate(zip(names, notes, strict=True))
    )


def _describe_unnamed(name: str, kind: str) -> str:
    """Return how strong a computer plays that has no name but this; empty for other players."""
    strength = kind.removeprefix(COMPUTER)
    if strength == kind or not _UNNAMED.match(name):
        return ""
    return f"{strength[:-1]} s per move" if strength.endswith("s") else f"level {strength}"


def _join_notes(name: str, *notes: str) -> str:
    noted = ", ".join(filter(None, notes))
    return f"{name} ({noted})" if noted else name


def parse_strength(kind: str, spec: Spec) -> Strength:
    """Parse a stored computer's kind (ValueError if it is none); a level that is now too high becomes the highest."""
    text = kind.removeprefix(COMPUTER)
    if text.endswith("s"):
        return Strength(seconds=float(text[:-1]))
    return Strength(min(int(text), len(spec.part(ComputerPlay).levels)))


def get_middle_strength(spec: Spec) -> Strength:
    """Return the level in the middle of a game's levels: it is not a beginner, and moves at once."""
    return Strength((len(spec.part(ComputerPlay).levels) + 1) // 2)


def describe_kinds(spec: Spec) -> str:
    """Describe the kinds of computers of a game, for a message."""
    return f"{COMPUTER}1 to {COMPUTER}{len(level_numbers(spec))}, or {COMPUTER}SECONDSs such as {COMPUTER}3s"


def is_strength(kind: str, spec: Spec) -> bool:
    """Return whether a text, such as computer:3 or computer:2.5s, is the stored kind of a computer in this game."""
    text = kind.removeprefix(COMPUTER)
    if not kind.startswith(COMPUTER):
        return False
    seconds = parse_seconds(text[:-1]) if text.endswith("s") else None
    # Another spelling of the same seconds, such as 3.0s, is not what is stored.
    return text in map(str, level_numbers(spec)) or (seconds is not None and Strength(seconds=seconds).kind == kind)


def parse_seconds(text: str) -> float | None:
    """Parse seconds per move as typed, with a point or a comma; None unless 0.1 to 60 with at most three decimals."""
    if not _SECONDS_TEXT.fullmatch(text.strip()):
        return None
    seconds = float(text.strip().replace(",", "."))
    return seconds if MIN_MOVE_SECONDS <= seconds <= MAX_MOVE_SECONDS else None


def rotate_seats(seats: Iterable[T], first: int) -> tuple[T, ...]:
    """Return the items of the seats, given in the order of play, so that those of seat `first` come first."""
    listed = list(seats)
    return tuple(listed[first:] + listed[:first])


def level_numbers(spec: Spec) -> tuple[int, ...]:
    """Return the level numbers of a game, from 1."""
    return tuple(range(1, len(spec.part(ComputerPlay).levels) + 1))


def describe_level(spec: Spec, level: int) -> str:
    """Return the sentence that explains what a level, from 1, does not see; raise IndexError if it is too high."""
    blind = spec.part(ComputerPlay).levels[level - 1].blind
    return f"It {blind}." if blind else "It holds nothing back."
