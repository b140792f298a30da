"""The names of tiles, their colours and their edges in moves, labels and sentences."""

import functools
from typing import NamedTuple

from fourcorners.builtin.squendo.options import (
    BLACK_EDGES,
    COLOUR_NAMES,
    COLOUR_ORDERS,
    COLOURS,
    PATTERNS,
    SIDES,
    SYMBOL_NAMES,
    SYMBOLS,
    name_tiles,
)
from fourcorners.core.arrays import State
from fourcorners.core.plurals import list_words

_EDGE_NAMES = (
    "white edges",
    "one black edge",
    "a black corner",
    "two opposite black edges",
    "three black edges",
    "black edges",
)
"""The description of each pattern in any rotation."""


class TileNames(NamedTuple):
    """The names of all tiles and colours in a game, which depend on the colours that the seats have chosen."""

    tiles: tuple[str, ...]  # by code
    codes: dict[str, int]  # by name
    colours: tuple[str, ...]  # such as "red", by part: the seats, or the neutral one


def read_names(s: State) -> TileNames:
    """Return the names that a record uses."""
    return build_names(int(s.colours))


@functools.lru_cache(maxsize=len(COLOUR_ORDERS))
def build_names(order: int) -> TileNames:
    """Build the names for an index in COLOUR_ORDERS."""
    tiles = name_tiles(COLOUR_ORDERS[order])
    return TileNames(
        tiles, {tile: code for code, tile in enumerate(tiles)}, tuple(map(name_colour, COLOUR_ORDERS[order]))
    )


def name_colour(tile: str) -> str:
    """Return the name of the colour, such as "red", of a tile's name or of a colour's letter."""
    return COLOUR_NAMES[COLOURS.index(tile[0])]


def describe_tile(tile: str) -> str:
    """Describe a tile, unrotated, by its name: "red cross, black north and east" for `R2ax`."""
    black = BLACK_EDGES[PATTERNS.index(tile[1:-1])]
    return f"{name_colour(tile)} {SYMBOL_NAMES[SYMBOLS.index(tile[-1])]}, {describe_edges(black)}"


def describe_stacked_tile(tile: str) -> str:
    """Describe a tile of a stack, whose symbols are all the same: "red with a black corner" for `R2ax`."""
    return f"{name_colour(tile)} with {_EDGE_NAMES[PATTERNS.index(tile[1:-1])]}"


def describe_turned_tile(tile: str) -> str:
    """Describe a tile in any rotation, by its name: "red cross with a black corner" for `R2ax`."""
    return f"{name_colour(tile)} {SYMBOL_NAMES[SYMBOLS.index(tile[-1])]} with {_EDGE_NAMES[PATTERNS.index(tile[1:-1])]}"


def describe_edges(black: int) -> str:
    """Name the black edges of a mask of four (bit 0 north, then clockwise), such as "black north and east"."""
    names = [SIDES[side] for side in range(4) if black >> side & 1]
    if len(names) in {0, 4}:
        return "all edges black" if names else "all edges white"
    return f"black {list_words(names)}"
