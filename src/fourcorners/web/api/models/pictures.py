"""The requests for pictures and printed sheets."""

from typing import Annotated, Literal

from msgspec import Meta

from fourcorners.study.rendering import MAX_WIDTH, MIN_WIDTH
from fourcorners.web.api.models.common import Request, Viewer
from fourcorners.web.application.pictures import MAX_FRAMES


class PictureStyle(Request, frozen=True, kw_only=True):
    """What a picture looks like."""

    theme: Literal["light", "dark", "print"] = "light"
    palette: Annotated[str, Meta(max_length=40, description="A palette such as high-contrast.")] = ""
    look: Annotated[str, Meta(max_length=40, description="What the board is made of, if players can choose.")] = ""
    width: Annotated[
        int,
        Meta(ge=MIN_WIDTH, le=MAX_WIDTH, description="In pixels, except for SVG; an animation has at most 640."),
    ] = 640
    pause: Annotated[int, Meta(ge=20, le=10_000, description="Milliseconds for each move of an animation.")] = 800
    last: (
        Annotated[
            int, Meta(ge=1, lt=MAX_FRAMES, description="An animation shows only this many moves, with the score below.")
        ]
        | None
    ) = None


class PictureQuery(PictureStyle, frozen=True, kw_only=True):
    """What to draw."""

    ply: (
        Annotated[int, Meta(ge=0, le=10_000, description="After this many moves; by default, after the last.")] | None
    ) = None
    viewer: Viewer | None = None


class SheetQuery(Request, frozen=True, kw_only=True):
    """How to print a game."""

    viewer: Viewer | None = None
    paper: Literal["a4", "letter"] = "a4"
