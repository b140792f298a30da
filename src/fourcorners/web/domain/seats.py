"""Who sits where: a person, or a computer with its strength, as texts that are stored with a table."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple, TypeVar

from fourcorners.core.spec import Spec

T = TypeVar("T")
PERSON = "person"
OPEN = "open"
"""A seat for whoever comes by the table's link; at a table it is a person's."""
COMPUTER = "computer:"
LEAST_SECONDS, MOST_SECONDS = 0.1, 60.0
DEFAULT_LEVEL = 3
"""The level that a form proposes."""
DEFAULT_MOVE_SECONDS = 3.0
"""The seconds a move that a form proposes."""
_SECONDS = re.compile(r"[0-9]{1,3}([.,][0-9]{1,3})?", re.ASCII)


class Strength(NamedTuple):
    """How strong a computer plays: at a level, or at full strength for so many seconds a move."""

    level: int | None = None
    seconds: float | None = None

    @property
    def kind(self) -> str:
        """The text that is stored for a seat."""
        return f"{COMPUTER}{self.level}" if self.seconds is None else f"{COMPUTER}{self.seconds:g}s"

    @property
    def name(self) -> str:
        """What such a computer is called at a table."""
        return f"Computer {self.level}" if self.seconds is None else f"Computer ({self.seconds:g} s)"


def parse_strength(kind: str, spec: Spec) -> Strength:
    """Read what is stored for a computer's seat; a level that the game no longer has is its highest."""
    text = kind.removeprefix(COMPUTER)
    if text.endswith("s"):
        return Strength(seconds=float(text[:-1]))
    return Strength(min(int(text), len(spec.levels)))


def is_strength(kind: str, spec: Spec) -> bool:
    """Tell whether a text names a computer of a game, as it is stored for a seat."""
    text = kind.removeprefix(COMPUTER)
    if not kind.startswith(COMPUTER):
        return False
    seconds = parse_seconds(text[:-1]) if text.endswith("s") else None
    return text in map(str, level_numbers(spec)) or (seconds is not None and Strength(seconds=seconds).kind == kind)


def parse_seconds(text: str) -> float | None:
    """Read seconds a move as they are typed; None if they are no number from 0.1 to 60."""
    if not _SECONDS.fullmatch(text.strip()):
        return None
    seconds = float(text.strip().replace(",", "."))
    return seconds if LEAST_SECONDS <= seconds <= MOST_SECONDS else None


def rotate_seats(seats: Iterable[T], first: int) -> tuple[T, ...]:
    """Let the seat `first` begin."""
    listed = list(seats)
    return tuple(listed[first:] + listed[:first])


def level_numbers(spec: Spec) -> tuple[int, ...]:
    """List the levels of a game."""
    return tuple(range(1, len(spec.levels) + 1))


def format_level(spec: Spec, level: int) -> str:
    """Name a level in a form."""
    return f"Level {level}: {spec.levels[level - 1].name}"


def describe_level(spec: Spec, level: int) -> str:
    """Say what a level is blind to."""
    blind = spec.levels[level - 1].blind
    return f"It {blind}." if blind else "It holds nothing back."
