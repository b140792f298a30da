"""The options of Square Off, its colours, the numbers and names of its cells, and its squares."""

from functools import cache
from itertools import product
from typing import Literal

from pydantic import Field

from fourcorners.core.options import Options

WHITE, BLACK = 0, 1
COLOURS = ("White", "Black")
COLUMNS = "abcdefghijklmnop"
_SMALL = 8  # the largest board whose rows fit into 8 bits


class SquareOffOptions(Options):
    """The size of the board, the swap, and the readings of two rules about symmetry and marks."""

    size: int = Field(
        default=8,
        ge=4,
        le=16,
        multiple_of=2,
        title="Size",
        description="Cells along each side of the board; a quarter has half as many.",
    )
    swap: bool = Field(
        default=True, title="Swap", description="Whether the second player may take over White’s first man."
    )
    symmetry: Literal["each", "once", "none"] = Field(
        default="each",
        title="Symmetry right",
        description="How often White may answer a symmetric position by replacing Black’s last man: "
        "every time, once in a game, or never.",
    )
    marks: Literal["kept", "current"] = Field(
        default="kept",
        title="Marks",
        description="Whether a man keeps its mark for good, or only while it stands on a complete square.",
    )


def list_seat_names(options: SquareOffOptions) -> tuple[str, ...]:
    """Return the names of the colours by seat, as they are before any swap; `explain.find_seat_names` knows swaps."""
    return COLOURS


def get_row_shift(size: int) -> int:
    """Return the `shift` of a board: a cell is its row shifted left by this many bits, plus its column."""
    return 3 if size <= _SMALL else 4


@cache
def index_cells(size: int) -> dict[str, int]:
    """Return the number of every cell by its name, row by row from a1. It is cached: callers must not change it."""
    shift = get_row_shift(size)
    return {f"{COLUMNS[x]}{y + 1}": (y << shift) + x for y, x in product(range(size), range(size))}


def list_cells(size: int) -> tuple[int, ...]:
    """Return the numbers of all cells, row by row from a1."""
    return tuple(index_cells(size).values())


@cache
def list_squares(size: int) -> tuple[tuple[int, ...], ...]:
    """Return the four corners of every square, all in one quarter or one in each, in ascending order of their cells."""
    shift, half = get_row_shift(size), size // 2
    found = []
    for row, column, side in product(range(size), range(size), range(1, size)):
        up, right = row + side, column + side
        if max(up, right) < size and ((row < half) == (up < half)) == ((column < half) == (right < half)):
            found.append(tuple((y << shift) + x for y in (row, up) for x in (column, right)))
    return tuple(found)


def format_cell(cell: int, size: int) -> str:
    """Return the name, such as `b3`, of a cell of a board of `size` x `size` cells; others are not refused."""
    shift = get_row_shift(size)
    return f"{COLUMNS[cell & ((1 << shift) - 1)]}{(cell >> shift) + 1}"
