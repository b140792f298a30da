"""How tiles and their edges are named in labels and sentences."""

from fourcorners.games.squendo.options import BLACK_EDGES, COLOUR_NAMES, PATTERNS, SIDES, SYMBOL_NAMES
from fourcorners.games.squendo.placements import get_pattern


def describe_tile(tile: int) -> str:
    """Name a tile (its code) and the black edges it has unrotated, such as "red 2a cross, black north and east"."""
    black = BLACK_EDGES[get_pattern(tile)]
    name = f"{COLOUR_NAMES[tile // 12]} {PATTERNS[get_pattern(tile)]} {SYMBOL_NAMES[tile & 1]}"
    return f"{name}, {describe_edges(black)}"


def describe_edges(black: int) -> str:
    """Name the black edges of a mask of four (bit 0 north, then clockwise), such as "black north and east"."""
    names = [SIDES[side] for side in range(4) if black >> side & 1]
    if len(names) in {0, 4}:
        return "all edges black" if names else "all edges white"
    return f"black {join_names(names)}"


def join_names(names: list[str], conjunction: str = "and") -> str:
    """Join names, at least one, with commas and before the last one a conjunction, "and" or "or"."""
    return f"{', '.join(names[:-1])} {conjunction} {names[-1]}" if len(names) > 1 else names[0]
