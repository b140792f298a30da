"""The options of Cram."""

from pydantic import Field

from fourcorners.core.options import Options


class CramOptions(Options):
    """The size of the board; its cells fit into one word of 64 bits."""

    cols: int = Field(5, ge=1, le=8, title="Columns", description="Cells from left to right.")
    rows: int = Field(4, ge=1, le=8, title="Rows", description="Cells from bottom to top.")
