"""Positions of Squarin' Off that are equivalent: the board turned or mirrored, the colours exchanged."""

from collections.abc import Iterator

from fourcorners.core.dispatch import State
from fourcorners.core.symmetry import join_grid, list_images
from fourcorners.games.squarin_off.notation import get_box, pack_free_edges
from fourcorners.games.squarin_off.rules import BLOCKED, SIDES

_ALL_SIDES = 4


def list_equivalent_texts(s: State) -> Iterator[str]:
    """Yield a text for each image of the board; equivalent positions have the same texts.

    Left out are the points and owners, which change nothing, and the seats: blockers are counted from the one to move.
    """
    players, turn = int(s.players), int(s.turn)
    blockers = [int(s.blockers[(turn + i) % players]) for i in range(players)]
    head = f"{players} {int(s.party_mask)} {int(s.classic)} {','.join(map(str, blockers))}"
    return (f"{head} {join_grid(image)}" for image in list_images(_draw_grid(s)))


def _draw_grid(s: State) -> list[list[str]]:
    """Return the board as signs, dots and edges and boxes, from the bottom row up."""
    cols, rows, first_vertical = int(s.cols), int(s.rows), int(s.horizontal_edges)
    free = pack_free_edges(s)
    edges = ["." if free >> edge & 1 else "x" for edge in range(first_vertical + rows * (cols + 1))]
    bytes_, values = s.box.tolist(), s.value.tolist()
    grid = [["+"] * (2 * cols + 1) for _ in range(2 * rows + 1)]
    for row in range(rows + 1):
        grid[2 * row][1::2] = edges[cols * row : cols * (row + 1)]
    for row in range(rows):
        first, box = first_vertical + row * (cols + 1), get_box(s, 0, row)
        grid[2 * row + 1][::2] = edges[first : first + cols + 1]
        grid[2 * row + 1][1::2] = [
            "#" if byte & BLOCKED else "=" if byte & SIDES == _ALL_SIDES else str(value)
            for byte, value in zip(bytes_[box : box + cols], values[box : box + cols], strict=True)
        ]
    return grid
