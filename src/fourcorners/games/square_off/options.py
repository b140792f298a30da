"""The options of Square Off, and the names of its cells."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from fourcorners.core.options import Options

WHITE, BLACK = 0, 1
COLOURS = ("White", "Black")
COLUMNS = "abcdefghijklmnop"
_SMALL = 8


class SquareOffOptions(Options):
    """What players may choose: the board, the swap, and two readings of the rule about symmetry."""

    size: int = Field(
        default=8,
        ge=4,
        le=16,
        multiple_of=2,
        title="Size",
        description="Cells along a side of the board; each quarter has half as many.",
    )
    swap: bool = Field(
        default=True,
        title="Swap",
        description="Whether the second player may take over White's first man.",
    )
    symmetry: Literal["each", "once", "none"] = Field(
        default="each",
        title="Symmetry right",
        description="How often White may answer a symmetric position by replacing Black's last man: "
        "each time, once in a game, or never.",
    )
    marks: Literal["kept", "current"] = Field(
        default="kept",
        title="Marks",
        description="Whether a marked man keeps his mark for good, or only while he stands on a complete square.",
    )


def seat_names(options: SquareOffOptions) -> tuple[str, ...]:
    """Return the colours by seat, as they are before a swap."""
    return COLOURS


def shift_of(size: int) -> int:
    """Return by how many bits a row is shifted to make a cell of this size of board."""
    return 3 if size <= _SMALL else 4


def cells(size: int) -> tuple[int, ...]:
    """Return the cells of a board, row by row from a1."""
    return tuple((row << shift_of(size)) + column for row in range(size) for column in range(size))


def cell_name(cell: int, size: int) -> str:
    """Name a cell as on a chessboard."""
    shift = shift_of(size)
    return f"{COLUMNS[cell & ((1 << shift) - 1)]}{(cell >> shift) + 1}"
