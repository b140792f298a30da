"""Decks and hidden information: what a game declares about them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any

from fourcorners.core.arrays import State


@dataclass(frozen=True)
class Deck:
    """Tiles that are shuffled before a game."""

    shuffle: Callable[[Any, Random], tuple[str, ...]]
    """Returns a shuffled deck for options, as tokens in drawing order: the same ones, in every order equally often."""
    check: Callable[[Any, tuple[str, ...]], None]
    """Raises OptionError if a deck does not fit the options."""


@dataclass(frozen=True)
class HiddenInformation:
    """What is known of a game in which a seat may know less than the whole position."""

    mask_move: Callable[[str], str] = field(default=lambda move: move)
    """Returns a move as the other seats see it."""
    has_drawn: Callable[[State, State], bool] = field(default=lambda *_: True)
    """Returns whether something hidden was drawn between two records: a match cannot be taken back past that."""
    can_infer_hands: Callable[[State, int], bool] = field(default=lambda *_: False)
    """Returns whether a seat can infer all that is hidden from it."""
    list_covered: Callable[[State], Sequence[tuple[str, str]]] = field(default=lambda _: ())
    """Returns the pieces that everyone has seen but no picture shows, because others lie on them: for each its place,
    as the beginning of a sentence such as "under 1,-1 lies", and its token.
    """
