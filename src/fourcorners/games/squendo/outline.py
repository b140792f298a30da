"""What everybody sees of a position: the tiles on the table. The hands are hidden, and a cheat would invent them."""

from fourcorners.core.dispatch import State
from fourcorners.core.outline import Outline, Point
from fourcorners.games.squendo.position_setup import list_stacks


def outline(s: State) -> Outline:
    """Return the outline of a position; the table has no edges, and a tile may be taken back."""
    points: set[Point] = set()
    for stack in list_stacks(s):
        points.add((stack.col, stack.row, f"tile {stack.top}"))
        if stack.under >= 0:
            points.add((stack.col, stack.row, f"tile {stack.under}"))
    return Outline(frozenset(points), 0, 0, floats=True, slack=2)
