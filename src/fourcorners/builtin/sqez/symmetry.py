"""Equivalent positions of Sqez: the field turned or mirrored."""

from collections.abc import Iterator

from fourcorners.core.arrays import State
from fourcorners.core.symmetry import join_grid, list_images


def list_equivalent_texts(s: State) -> Iterator[str]:
    """Yield a text for each image of the field; equivalent positions have the same texts.

    The seat to move is left out unless a seat has forfeited.
    """
    seats = f"{int(s.turn)} {int(s.out)}" if s.out else "-"
    head = f"{int(s.players)} {int(s.shared)} {int(s.any_dot)} {int(s.strict)} {seats}"
    return (f"{head} {join_grid(image)}" for image in list_images(_draw_grid(s)))


def _draw_grid(s: State) -> list[list[str]]:
    """Return the field as signs, dots and edges, from the bottom row up."""
    cols, rows = int(s.cols), int(s.rows)
    grid = [["+" if x % 2 == y % 2 == 0 else "." for x in range(2 * cols - 1)] for y in range(2 * rows - 1)]
    for y, (across, up) in enumerate(zip(s.across.tolist()[:rows], s.up.tolist()[:rows], strict=True)):
        for x in range(cols):
            if across >> x & 1:
                grid[2 * y][2 * x + 1] = "x"
            if up >> x & 1:
                grid[2 * y + 1][2 * x] = "x"
    return grid
