"""The names of tiles and their edges, as they are spoken."""

from __future__ import annotations

from fourcorners.games.squendo.options import BLACK, COLOUR_NAMES, PATTERNS, SIDES, SYMBOL_NAMES
from fourcorners.games.squendo.placements import pattern_of


def tile_label(tile: int) -> str:
    """Name a tile with its symbol and the black edges of its pattern."""
    black = BLACK[pattern_of(tile)]
    name = f"{COLOUR_NAMES[tile // 12]} {PATTERNS[pattern_of(tile)]} {SYMBOL_NAMES[tile & 1]}"
    return f"{name}, {edges_label(black)}"


def edges_label(black: int) -> str:
    """Say which edges are black."""
    names = [SIDES[side] for side in range(4) if black >> side & 1]
    if len(names) in {0, 4}:
        return "all edges black" if names else "all edges white"
    return f"black {listed(names)}"


def listed(names: list[str]) -> str:
    """Join names with commas and an "and"."""
    return f"{', '.join(names[:-1])} and {names[-1]}" if len(names) > 1 else names[0]
