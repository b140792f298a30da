"""What requests of all areas of the API share, and the answer to a request that is refused."""

from typing import Annotated, Any

from msgspec import Meta, Struct

from fourcorners.study.review import MAX_PLIES
from fourcorners.web.domain.commands import Seat
from fourcorners.web.protocol.codec import example
from fourcorners.web.protocol.table_fields import Fields

GameId = Annotated[str, Meta(max_length=60, description="The id of a game, as listed by /api/games.")]
Options = Annotated[dict[str, Any], Meta(description="The game's options that differ from the defaults.")]
Move = Annotated[str, Meta(max_length=100)]
Tokens = Annotated[list[Annotated[str, Meta(max_length=100)]], Meta(max_length=100)]
Ply = Annotated[int, Meta(ge=0, le=MAX_PLIES, description="The move of the game, counted from 0.")]
Viewer = Annotated[Seat, Meta(description="The seat to view it from, if you have several.")]


class Request(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A request; unknown fields are refused."""


@example(code="not-yours", sentence="seat 1 is not yours")
class Problem(Fields, frozen=True, kw_only=True):
    """Why a request was refused."""

    code: Annotated[str, Meta(description="A stable code for programs; for moves, that of the library's error.")]
    sentence: Annotated[str, Meta(description="The reason, as a human-readable sentence.")]
