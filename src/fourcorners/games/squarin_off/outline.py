"""What everybody sees of a position: the edges that are drawn and the boxes that are blocked.

Who owns which box changes nothing about the moves that are good.
"""

from fourcorners.core.dispatch import State
from fourcorners.core.outline import Outline, Point
from fourcorners.games.squarin_off.notation import pack_free_edges
from fourcorners.games.squarin_off.rules import BLOCKED


def outline(s: State) -> Outline:
    """Return the outline of a position; dots are at even coordinates, and a blocker is one more point of a move."""
    cols, rows, first_vertical = int(s.cols), int(s.rows), int(s.horizontal_edges)
    free = pack_free_edges(s)
    points: list[Point] = []
    for edge in range(first_vertical + rows * (cols + 1)):
        if free >> edge & 1:
            continue
        if edge < first_vertical:
            points.append((2 * (edge % cols) + 1, 2 * (edge // cols), "edge"))
        else:
            row, column = divmod(edge - first_vertical, cols + 1)
            points.append((2 * column, 2 * row + 1, "edge"))
    for box, byte in enumerate(s.box.tolist()):
        if byte & BLOCKED:
            row, column = divmod(box - 1, cols + 1)
            points.append((2 * column + 1, 2 * row - 1, "blocker"))
    return Outline(frozenset(points), 2 * cols, 2 * rows, step=2 if int(s.blockers_left) else 1)
