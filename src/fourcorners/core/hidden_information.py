"""A game's declarations about decks and hidden information."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any

from fourcorners.core.arrays import State


@dataclass(frozen=True)
class Deck:
    """Tiles that are shuffled before a game."""

    shuffle: Callable[[Any, Random], tuple[str, ...]]
    """A function that returns a shuffled deck for options: always the same tokens, with all orders equally likely."""
    check: Callable[[Any, tuple[str, ...]], None]
    """A function that raises OptionError if a deck does not fit the options."""


@dataclass(frozen=True)
class HiddenInformation:
    """The declarations of a game in which a seat may know less than the whole position."""

    mask_move: Callable[[str], str] = field(default=lambda move: move)
    """A function that returns a move as the other seats see it."""
    has_drawn: Callable[[State, State], bool] = field(default=lambda *_: True)
    """A function that returns whether hidden tiles were drawn between two records, which blocks takebacks."""
    can_infer_hands: Callable[[State, int], bool] = field(default=lambda *_: False)
    """A function that returns whether a seat can infer everything hidden from it."""
    list_covered: Callable[[State], Sequence[tuple[str, str]]] = field(default=lambda _: ())
    """A function that returns the pieces that all seats have seen but no picture shows, because others cover them: for
    each its place, as the beginning of a sentence such as "under 1,-1 lies", and its token.
    """
