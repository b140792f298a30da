"""The options of Squendo, its tiles and its deck."""

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
"""With two seats, the colour that scores for nobody (R14)."""

TILES = tuple(colour + pattern + symbol for colour in COLOURS for pattern in PATTERNS for symbol in SYMBOLS)
"""Every tile by its code, which is colour * 12 + pattern * 2 + symbol.

So `tile // 12` is the colour (12 is TILES_PER_COLOUR), `tile % 12 // 2` the pattern and `tile & 1` the symbol. A set of
tiles is a word with bit `tile` for each of them.
"""
TILES_PER_COLOUR = len(PATTERNS) * len(SYMBOLS)
TILE_CODES = {tile: code for code, tile in enumerate(TILES)}

BLACK_EDGES = (0b0000, 0b0001, 0b0011, 0b0101, 0b0111, 0b1111)
"""The black edges of each unrotated pattern, as a mask: bit 0 north, 1 east, 2 south, 3 west."""


class SquendoOptions(Options):
    """The number of seats, and three rulings that players may choose otherwise."""

    players: int = Field(
        2, ge=2, le=MAX_SEATS, title="Players", description="2 to 4. With two players, green is a neutral colour."
    )
    take: Literal["own", "any"] = Field(
        "own",
        title="Taking back",
        description="Which tile you may take back from a stack of three: one of your own colour, or any.",
    )
    rectangles: Literal["every", "maximal"] = Field(
        "every",
        title="Rectangles",
        description="Which filled rectangles count: every one, or only those not inside a larger one (maximal).",
    )
    lines: bool = Field(False, title="Lines", description="Straight lines of four or more tiles count as well.")


def count_colours(players: int) -> int:
    """Return the number of colours in play with 2 to 4 players; with two a neutral colour is the third."""
    return max(players, NEUTRAL_COLOUR + 1)


def seat_names(options: SquendoOptions) -> tuple[str, ...]:
    """Return the colour names of the seats, by seat."""
    return COLOUR_NAMES[: options.players]


def list_tiles(options: SquendoOptions) -> tuple[str, ...]:
    """Return the tiles in play, in the order of their codes."""
    return TILES[: 12 * count_colours(options.players)]


def shuffle(options: SquendoOptions, random: Random) -> tuple[str, ...]:
    """Return the names of the tiles in play in a random drawing order, the first one drawn first."""
    deck = list(list_tiles(options))
    random.shuffle(deck)
    return tuple(deck)


def check_deck(options: SquendoOptions, deck: tuple[str, ...]) -> None:
    """Raise OptionError unless a deck, in drawing order, is a permutation of the tiles in play; see `list_tiles`."""
    wanted = set(list_tiles(options))
    for tile, count in Counter(deck).items():
        if tile not in wanted:
            raise OptionError("deck", f"{quote(tile)} is not among the {len(wanted)} tiles in play, such as 'R2ax'")
        if count > 1:
            raise OptionError("deck", f"it contains {quote(tile)} {count} times; each tile in play must appear once")
    missing = sorted(wanted - set(deck), key=TILE_CODES.__getitem__)
    if missing:
        more = f" and {len(missing) - 1} more are" if len(missing) > 1 else " is"
        raise OptionError("deck", f"{missing[0]}{more} missing; it must contain all {len(wanted)} tiles, in any order")
