"""The options of Squendo, its tiles, and its deck."""

from __future__ import annotations

from collections import Counter
from random import Random
from typing import Literal

from pydantic import Field

from fourcorners.core.errors import OptionError, quote
from fourcorners.core.options import Options

MAX_SEATS = 4
HAND_SIZE = 4
COLOURS = "RBGY"
COLOUR_NAMES = ("red", "blue", "green", "yellow")
PATTERNS = ("0", "1", "2a", "2o", "3", "4")
SYMBOLS = "ox"
SYMBOL_NAMES = ("circle", "cross")
SIDES = ("north", "east", "south", "west")
NEUTRAL_COLOUR = 2

TILES = tuple(colour + pattern + symbol for colour in COLOURS for pattern in PATTERNS for symbol in SYMBOLS)
TILE_CODES = {tile: code for code, tile in enumerate(TILES)}

# The black edges of the unturned patterns: bit 0 north, 1 east, 2 south, 3 west.
BLACK_EDGES = (0b0000, 0b0001, 0b0011, 0b0101, 0b0111, 0b1111)


class SquendoOptions(Options):
    """The number of seats, and three rulings that players may want otherwise."""

    players: int = Field(
        2, ge=2, le=MAX_SEATS, title="Players", description="2 to 4. With two, green is a neutral colour."
    )
    take: Literal["own", "any"] = Field(
        "own",
        title="Tile taken",
        description="From a stack of three you may take a tile: of your own colour, or of any.",
    )
    rectangles: Literal["every", "maximal"] = Field(
        "every",
        title="Rectangles",
        description="Whether every filled rectangle counts, or only those that lie in no larger one (maximal).",
    )
    lines: bool = Field(False, title="Lines", description="A straight line of four or more counts too.")


def count_colours(options: SquendoOptions) -> int:
    """Return how many colours are in play; with two seats there is a neutral third."""
    return max(options.players, NEUTRAL_COLOUR + 1)


def seat_names(options: SquendoOptions) -> tuple[str, ...]:
    """Return the colours of the seats."""
    return COLOUR_NAMES[: options.players]


def list_tiles(options: SquendoOptions) -> tuple[str, ...]:
    """Return the tiles in play."""
    return TILES[: 12 * count_colours(options)]


def shuffle(options: SquendoOptions, random: Random) -> tuple[str, ...]:
    """Return the tiles in play in a random drawing order."""
    deck = list(list_tiles(options))
    random.shuffle(deck)
    return tuple(deck)


def check_deck(options: SquendoOptions, deck: tuple[str, ...]) -> None:
    """Accept a permutation of the tiles in play; raise OptionError naming what is wrong."""
    wanted = set(list_tiles(options))
    for tile, count in Counter(deck).items():
        if tile not in wanted:
            raise OptionError("deck", f"{quote(tile)} is not among the {len(wanted)} tiles in play, such as 'R2ax'")
        if count > 1:
            raise OptionError("deck", f"it has {quote(tile)} {count} times; it may have each of the tiles in play once")
    missing = sorted(wanted - set(deck), key=TILE_CODES.__getitem__)
    if missing:
        more = f" and {len(missing) - 1} more" if len(missing) > 1 else ""
        raise OptionError("deck", f"{missing[0]}{more} is missing; it may be any order of all {len(wanted)} tiles")
