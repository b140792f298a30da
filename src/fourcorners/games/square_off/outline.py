"""What everybody sees of a position: the men."""

from fourcorners.core.dispatch import State
from fourcorners.core.outline import Outline
from fourcorners.games.square_off.options import BLACK, WHITE

_COLOURS = ({"white": "black", "black": "white"},)
"""Exchanging all colours gives an equivalent position."""


def outline(s: State) -> Outline:
    """Return the outline of a position; cells are at their columns and rows, and a man may be replaced."""
    size, shift, men = int(s.side), int(s.shift), s.men.tolist()
    points = set()
    for row in range(size):
        for column in range(size):
            cell = (row << shift) + column
            for colour, name in ((WHITE, "white"), (BLACK, "black")):
                if men[colour][cell >> 6] >> (cell & 63) & 1:
                    points.add((column, row, name))
    return Outline(frozenset(points), size - 1, size - 1, slack=1, renamings=_COLOURS)
