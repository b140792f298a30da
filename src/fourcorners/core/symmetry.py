"""Images of boards under rotation and reflection, to recognise positions equivalent under symmetry."""

from collections.abc import Iterator, Sequence

Grid = Sequence[Sequence[str]]


def list_images(grid: Grid) -> Iterator[Grid]:
    """Yield the eight images of a grid of signs, given as rows: the four quarter turns of it and of its mirror image.

    The first is the grid itself.

    Those of a grid that is not square have its rows and columns exchanged in every other one.
    """
    for _ in range(4):
        yield grid
        yield [row[::-1] for row in grid]
        grid = list(zip(*grid[::-1], strict=True))


def join_grid(grid: Grid) -> str:
    """Return a grid as text, its rows separated by a stroke."""
    return "/".join(["".join(row) for row in grid])
