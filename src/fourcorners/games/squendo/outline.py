"""What everybody sees of a position: the tiles on the table. The hands are hidden, and a cheat would invent them."""

from fourcorners.core.dispatch import State
from fourcorners.core.outline import Outline, Point
from fourcorners.games.squendo.options import PATTERNS
from fourcorners.games.squendo.placements import get_pattern
from fourcorners.games.squendo.position_setup import list_stacks


def outline(s: State) -> Outline:
    """Return the outline of a position without colours; the table has no edges, and a tile may be taken back."""
    points: set[Point] = set()
    for stack in list_stacks(s):
        points.update((stack.col, stack.row, _name(tile)) for tile in (stack.top, stack.under) if tile >= 0)
    return Outline(frozenset(points), 0, 0, floats=True, slack=2, renamings=_RENAMINGS)


def _name(tile: int, *, is_inverse: bool = False, has_other_symbol: bool = False) -> str:
    """Return the name of a tile without its colour, or with black and white edges or the symbols exchanged."""
    pattern = get_pattern(tile)
    return f"tile {_INVERSE[pattern] if is_inverse else pattern} {(tile & 1) ^ has_other_symbol}"


_INVERSE = tuple(PATTERNS.index({"0": "4", "1": "3", "3": "1", "4": "0"}.get(name, name)) for name in PATTERNS)
"""By pattern, the pattern with black and white edges exchanged."""
_RENAMINGS = tuple(
    {_name(tile): _name(tile, is_inverse=inverse, has_other_symbol=other) for tile in range(12)}
    for inverse, other in ((False, True), (True, False), (True, True))
)
