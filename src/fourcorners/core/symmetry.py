"""Boards that look the same once turned or mirrored, so that positions equivalent under symmetry are recognised."""

from collections.abc import Iterator, Sequence

Grid = tuple[tuple[str, ...], ...]


def list_images(grid: Sequence[Sequence[str]]) -> Iterator[Grid]:
    """Yield the eight images of a grid of signs, given as rows: the four quarter turns of it and of its mirror image.

    Those of a grid that is not square have its rows and columns exchanged in every other one.
    """
    image: Grid = tuple(tuple(row) for row in grid)
    for _ in range(4):
        image = tuple(zip(*image[::-1], strict=True))
        yield image
        yield tuple(row[::-1] for row in image)


def join_grid(grid: Grid) -> str:
    """Return a grid as text, its rows separated by a stroke."""
    return "/".join("".join(row) for row in grid)
