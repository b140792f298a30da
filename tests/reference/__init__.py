"""Slow references of the four games: plain Python, written from the rules alone, sharing nothing with the package."""

import random
from collections import Counter
from types import ModuleType
from typing import Any, Protocol

from . import sqez, square_off, squarin_off, squendo, squendo_tiles


class Game(Protocol):
    """The interface of every `Reference`.

    `moves` lists all legal moves as canonical text, sorted. `play` trusts that its move is legal. `scores` are the
    points by seat as they stand. `used` counts, for each key of the module's `KEYS` (a rule, ruling or option), how
    often this game exercised it; the setup and the moves add to it, and nothing else in the game depends on it.
    """

    used: Counter[str]

    @property
    def seat(self) -> int | None: ...
    @property
    def scores(self) -> tuple[int, ...]: ...
    @property
    def is_over(self) -> bool: ...
    def moves(self) -> list[str]: ...
    def play(self, move: str) -> None: ...


REFERENCES: dict[str, ModuleType] = {
    "squarin-off": squarin_off,
    "square-off": square_off,
    "squendo": squendo,
    "sqez": sqez,
}


def draw_setup(game: str, rng: random.Random) -> tuple[list[str] | None, dict[str, Any]]:
    """Return a random deck, None for games without one, and random options, both for `Reference` and the package."""
    chosen = REFERENCES[game].draw_options(rng)
    return (
        squendo_tiles.draw_deck(chosen["players"], rng, chosen.get("colours")) if game == "squendo" else None
    ), chosen
