"""Colours that the players choose: an option of a game with one letter for each seat."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from fourcorners.core.contract import GameLike

G = TypeVar("G", bound=GameLike)


@dataclass(frozen=True)
class SeatColours:
    """An option whose value has the letters of the seats' colours, in order, then those of unused colours.

    `names` has the name of every colour by its letter, as in `Style.seats`, in the order of the default; `count`
    returns the number of letters of the value for a number of seats. `rename_deck` returns the deck of a game, in its
    order, with the names that the same tiles have in another game, whose seats have other colours.
    """

    option: str
    names: Mapping[str, str]
    count: Callable[[int], int]
    rename_deck: Callable[[GameLike, GameLike, Sequence[str]], tuple[str, ...]]

    def read(self, game: GameLike) -> str:
        """Return the letters of a game's colours, by seat, and then of the unused ones."""
        return str(getattr(game.options, self.option))

    def choose(self, game: G, seat: int, letter: str) -> G:
        """Return the game in which a seat has another colour; a seat that had it gets the old one in exchange.

        Raise OptionError if there is no such colour.
        """
        value = self.read(game)
        swapped = {value[seat]: letter, letter: value[seat]}
        return game.change_options({self.option: "".join(swapped.get(old, old) for old in value)})

    def rotate(self, game: G, first: int) -> G:
        """Return the game whose players keep their colours when those of seat `first` move to seat 0, and so on.

        Default colours stay with their seats: the game does not change if no colour was chosen.
        """
        if self.option not in game.given_options():
            return game
        value, seats = self.read(game), game.seats
        return game.change_options({self.option: value[first:seats] + value[:first] + value[seats:]})
