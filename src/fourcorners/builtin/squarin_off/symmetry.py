"""Equivalent positions of Squarin' Off: the board turned or mirrored, the colours exchanged."""

from collections.abc import Iterator

from fourcorners.builtin.squarin_off.notation import get_box, pack_free_edges
from fourcorners.builtin.squarin_off.rules import BLOCKED, SIDES
from fourcorners.core.arrays import State
from fourcorners.core.symmetry import join_grid, list_images

_ALL_SIDES = 4
_EDGE_SIGNS = {ord("1"): ".", ord("0"): "x"}
"""The signs of free and drawn edges, by their digits in a set of free edges."""
_DIGITS = tuple(map(str, range(256)))
_BOX_SIGNS = tuple("#" if byte & BLOCKED else "=" if byte & SIDES == _ALL_SIDES else "" for byte in range(256))
"""The signs of boxes by their bytes; empty for an open box, whose sign is its value."""


def list_equivalent_texts(s: State) -> Iterator[str]:
    """Yield a text for each image of the board, first that of the board itself; equivalent positions have the same
    texts.

    Points and owners are left out because they change nothing, and so are the seats: blockers are counted from the one
    to move.
    """
    players, turn = int(s.players), int(s.turn)
    left = s.blockers.tolist()[:players]
    blockers = ",".join(map(str, left[turn:] + left[:turn]))
    head = f"{players} {int(s.party_mask)} {int(s.classic)} {blockers}"
    return (f"{head} {join_grid(image)}" for image in list_images(_draw_grid(s)))


def _draw_grid(s: State) -> list[list[str]]:
    """Return the board as signs, dots and edges and boxes, from the bottom row up."""
    cols, rows, first_vertical = int(s.cols), int(s.rows), int(s.horizontal_edges)
    edges = f"{pack_free_edges(s):0{first_vertical + rows * (cols + 1)}b}"[::-1].translate(_EDGE_SIGNS)
    boxes = s.box[: get_box(s, 0, rows)].tolist()
    values = s.value[: len(boxes)].tolist()
    signs = [_BOX_SIGNS[byte] or _DIGITS[value] for byte, value in zip(boxes, values, strict=True)]
    grid = []
    for row in range(rows + 1):
        across = ["+"] * (2 * cols + 1)
        across[1::2] = edges[cols * row : cols * (row + 1)]
        grid.append(across)
        if row < rows:
            first, box = first_vertical + row * (cols + 1), (row + 1) * (cols + 1) + 1
            up = [""] * (2 * cols + 1)
            up[::2], up[1::2] = edges[first : first + cols + 1], signs[box : box + cols]
            grid.append(up)
    return grid
