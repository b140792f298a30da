"""Colours that the players choose: an option of a game with one letter for each seat."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fourcorners.core.game import Game


@dataclass(frozen=True)
class SeatColours:
    """An option whose value has the letter of each seat's colour, in order, then those of colours that no seat has.

    `names` has the name of every colour by its letter, as in `Style.seats`, in the order of the default; `count` tells
    for a number of seats how many letters the value has. `rename_deck` returns the deck of a game, in its order, with
    the names that the same tiles have in another game, whose seats have other colours.
    """

    option: str
    names: Mapping[str, str]
    count: Callable[[int], int]
    rename_deck: Callable[[Game, Game, Sequence[str]], tuple[str, ...]]

    def read(self, game: Game) -> str:
        """Return the letters of a game's colours, by seat, and then of those that no seat has."""
        return str(getattr(game.options, self.option))

    def choose(self, game: Game, seat: int, letter: str) -> Game:
        """Return the game in which a seat has another colour; a seat that had it gets the old one in exchange.
        Raise OptionError if there is no such colour.
        """
        value = self.read(game)
        swapped = {value[seat]: letter, letter: value[seat]}
        return self._change(game, "".join(swapped.get(old, old) for old in value))

    def _change(self, game: Game, value: str) -> Game:
        """Return the game with another value of the option; raise OptionError."""
        options = {**game.given_options(), self.option: value}
        return type(game)(game.spec, options, preset=game.id if game.preset else "")

    def rotate(self, game: Game, first: int) -> Game:
        """Return the game whose players keep their colours when those of seat `first` move to seat 0, and so on.

        Default colours stay with their seats: if no one has chosen a colour, the game does not change.
        """
        if self.option not in game.given_options():
            return game
        value, seats = self.read(game), game.seats
        return self._change(game, value[first:seats] + value[:first] + value[seats:])
