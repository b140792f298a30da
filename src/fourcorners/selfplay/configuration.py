"""The configuration of a run of self-play: with it, every byte of the data follows."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from fourcorners.core import catalogue
from fourcorners.core.errors import OptionError, quote
from fourcorners.core.game import Game
from fourcorners.players.engine_match import Side, parse_side

UNIT = 16
"""The number of games in a unit, which is written as a whole."""


@dataclass(frozen=True)
class Configuration:
    """What is played, by whom, and what is noted; all fields are JSON values."""

    game: str
    """The id of the game."""
    options: Mapping[str, Any]
    """Its options."""
    games: int
    """The number of games, 1 or more."""
    players: tuple[str, ...]
    """The players, as `parse_side` reads them: seat s of game i has player (s + i) modulo their number."""
    nodes: int | None
    """The simulations of each move; None for the limits of the levels."""
    plies: int
    """The number of random plies that open a game."""
    seed: int
    """The seed; that of a game is this one with the game's number."""
    label_nodes: int | None = None
    """The nodes of a solver for the labels of each position; None for no labels."""
    date: str = ""
    """The date of publication, an ISO date; empty for none."""

    @property
    def units(self) -> int:
        """The number of units."""
        return -(-self.games // UNIT)

    def list_games(self, unit: int) -> range:
        """List the numbers of the games of a unit."""
        return range(unit * UNIT, min((unit + 1) * UNIT, self.games))

    def make_game(self) -> Game:
        """Return the game; raise OptionError."""
        return catalogue.game(self.game, **self.options)

    def make_sides(self) -> list[Side]:
        """Return the players; raise OptionError for an unknown one, and for one whose time is limited."""
        game = self.make_game()
        sides = [parse_side(game, text, self.nodes) for text in self.players]
        for side in sides:
            if side.is_timed:
                reason = "thinks for a limited time, so another run would give other games: limit it with --nodes"
                raise OptionError("player", f"{quote(side.name)} {reason}")
        return sides

    def to_json(self) -> dict[str, Any]:
        """Return the configuration as JSON values."""
        return {**asdict(self), "options": dict(self.options), "players": list(self.players)}


def describe_versions() -> dict[str, str]:
    """Return the versions on which the bytes depend, by name."""
    import pyarrow as pa  # noqa: PLC0415  # an optional dependency

    from fourcorners import __version__  # noqa: PLC0415  # the front imports all games

    return {"fourcorners": __version__, "numpy": np.__version__, "pyarrow": pa.__version__}
