"""Equivalent positions of Square Off: the board turned or mirrored."""

from collections.abc import Iterator

from fourcorners.builtin.square_off.board import to_integer
from fourcorners.builtin.square_off.options import BLACK, WHITE
from fourcorners.core.arrays import State
from fourcorners.core.symmetry import join_grid, list_images


def list_equivalent_texts(s: State) -> Iterator[str]:
    """Yield a text for each image of the board; equivalent positions have the same texts.

    Which seat has which colour is left out. The colours themselves count, because only White has the symmetry right.
    """
    may_swap = int(bool(s.may_swap) and int(s.placed) == 1 and not s.swapped)
    head = f"{int(s.placed) & 1} {int(s.right)} {int(s.current)} {may_swap}"
    return (f"{head} {join_grid(image)}" for image in list_images(_draw_grid(s)))


def _draw_grid(s: State) -> list[list[str]]:
    """Return the board as signs, from the bottom row up: men, marked men as capitals, and `!` for a replaceable man."""
    size, shift, last = int(s.side), int(s.shift), int(s.last)
    white, black = to_integer(s.men[WHITE]), to_integer(s.men[BLACK])
    marked = to_integer(s.marks[WHITE]) | to_integer(s.marks[BLACK])
    grid = []
    for row in range(size):
        signs = []
        for column in range(size):
            cell = (row << shift) + column
            sign = "w" if white >> cell & 1 else "b" if black >> cell & 1 else "."
            signs.append((sign.upper() if marked >> cell & 1 else sign) + ("!" if last == cell else ""))
        grid.append(signs)
    return grid
