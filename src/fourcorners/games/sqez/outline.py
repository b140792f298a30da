"""What everybody sees of a position: the lines."""

from fourcorners.core.dispatch import State
from fourcorners.core.outline import Outline, Point


def outline(s: State) -> Outline:
    """Return the outline of a position, with a point in the middle of each edge; dots are at even coordinates."""
    cols, rows = int(s.cols), int(s.rows)
    points: set[Point] = set()
    for y, word in enumerate(s.across.tolist()):
        points.update((2 * x + 1, 2 * y, "line") for x in range(cols) if word >> x & 1)
    for x, word in enumerate(s.sides.tolist()):
        points.update((2 * x, 2 * y + 1, "line") for y in range(rows) if word >> y & 1)
    return Outline(frozenset(points), 2 * (cols - 1), 2 * (rows - 1), step=2 * (cols + rows))
