"""The options of Cram."""

from pydantic import Field

from fourcorners.core import options


class Options(options.Options):
    """A board of up to 64 cells."""

    cols: int = Field(5, ge=1, le=8, title="Columns", description="Cells from left to right")
    rows: int = Field(4, ge=1, le=8, title="Rows", description="Cells from bottom to top")
