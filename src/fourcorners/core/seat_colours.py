"""Colours that the players choose: an option of a game with one letter for each seat."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fourcorners.core.game import Game


@dataclass(frozen=True)
class SeatColours:
    """An option whose value has the letter of each seat's colour, in order, then those of colours that no seat has.

    `names` has the name of every colour by its letter, as in `Style.seats`, in the order of the default; `count` tells
    for a number of seats how many letters the value has.
    """

    option: str
    names: Mapping[str, str]
    count: Callable[[int], int]

    def rotate(self, game: Game, first: int) -> Game:
        """Return the game with the colours that its players have if those of seat `first` move to seat 0, and so on.

        Default colours stay with their seats, so that a game in which nobody has chosen one is not changed.
        """
        given = game.given_options()
        if self.option not in given:
            return game
        value, seats = given[self.option], game.seats
        given[self.option] = value[first:seats] + value[:first] + value[seats:]
        return type(game)(game.spec, given, preset=game.id if game.preset else "")
