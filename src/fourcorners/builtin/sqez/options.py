"""The options of Sqez, the limits of its sizes, and the names of the seats' pencils."""

from typing import Literal

from pydantic import Field

from fourcorners.core.options import Options

MIN_SIDE, MAX_SIDE = 3, 20
PENCILS = ("graphite", "red", "blue", "green", "violet", "orange", "teal", "brown")


class SqezOptions(Options):
    """The size of the field, the number of seats, and the variant of the rules."""

    cols: int = Field(8, ge=MIN_SIDE, le=MAX_SIDE, title="Columns", description="Columns of dots.")
    rows: int = Field(8, ge=MIN_SIDE, le=MAX_SIDE, title="Rows", description="Rows of dots.")
    players: int = Field(2, ge=2, le=len(PENCILS), title="Players", description="The number of players.")
    sides: Literal["own", "shared"] = Field(
        "own",
        title="Sides",
        description="Own: every rectangle has its own sides. Shared: drawn lines may serve as part of its sides.",
    )
    enclose: Literal["free", "any"] = Field(
        "free",
        title="Dot inside",
        description="Free: a rectangle needs a dot inside that no line touches. Any: any dot strictly inside will do.",
    )
    strict: bool = Field(
        False, title="Strict", description="Illegal rectangles are accepted, but a player who draws one is out."
    )


def seat_names(options: SqezOptions) -> tuple[str, ...]:
    """Return the names of the pencils, one for each seat in the game, by seat."""
    return PENCILS[: options.players]
