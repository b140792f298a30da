"""The requests and answers about players, games and tables."""

from typing import Annotated, Any, Literal

from msgspec import Meta

from fourcorners.web.api.models.common import GameId, Options, Request, Viewer
from fourcorners.web.application.table_setup import MAX_SEATS
from fourcorners.web.domain.clocks import MAX_DAYS, MAX_INCREMENT, MAX_SECONDS, MIN_SECONDS
from fourcorners.web.domain.commands import Hash, Name, Version
from fourcorners.web.protocol.codec import example
from fourcorners.web.protocol.table_fields import (
    BOARD_EXAMPLE,
    INTRODUCTION_EXAMPLE,
    Fields,
    GameInfo,
    IsHidden,
    IsHost,
    Plies,
    ServerTime,
    Settings,
    Shuffle,
    TableFields,
    Words,
)

ME = "me"
"""The word for the caller's own seat in a request."""
LONGEST_WAIT = 30.0


@example(name="Ada's program")
class NewPlayer(Request, frozen=True, kw_only=True):
    """A guest."""

    name: Name = ""


_RATED_DESCRIPTION = (
    "Whether the game counts for ratings. It needs a clock and another player at each seat; against computers a level, "
    "the standard board and random order as well."
)


class GameClock(Request, frozen=True, kw_only=True, tag_field="kind", tag="game"):
    """Seconds for the whole game, and an increment after each turn."""

    seconds: Annotated[int, Meta(ge=MIN_SECONDS, le=MAX_SECONDS)]
    increment: Annotated[int, Meta(ge=0, le=MAX_INCREMENT)] = 0


class DaysClock(Request, frozen=True, kw_only=True, tag_field="kind", tag="days"):
    """Days for each turn."""

    days: Annotated[int, Meta(ge=1, le=MAX_DAYS)]


class NewTable(Request, frozen=True, kw_only=True):
    """A table to create."""

    game: GameId
    options: Options = {}
    seats: (
        Annotated[
            list[Annotated[str, Meta(max_length=32)]],
            Meta(
                max_length=MAX_SEATS,
                description="Who plays each seat: `me`, `open` for anyone, `computer:LEVEL` or `computer:SECONDSs`. "
                "By default you take the first seat and the others are open.",
            ),
        ]
        | None
    ) = None
    name: Name = ""
    order: Annotated[
        Literal["random", "given"], Meta(description="Whether seats are assigned at random or as listed.")
    ] = "random"
    clock: GameClock | DaysClock | None = None
    visibility: Annotated[
        Literal["link", "public"],
        Meta(description="Whether the lobby lists the table; anyone with its link can watch."),
    ] = "link"
    chat: Annotated[Literal["presets", "free"], Meta(description="What people may write in the chat.")] = "presets"
    rated: Annotated[bool, Meta(description=_RATED_DESCRIPTION)] = False
    hide_points: Annotated[
        bool, Meta(description="Whether points stay hidden until the end, when players count them on the board.")
    ] = False
    hash: Hash = ""


class TableQuery(Request, frozen=True, kw_only=True):
    """How to view a table."""

    since: Annotated[Version, Meta(description="Answer as soon as the version is larger than this.")] | None = None
    wait: Annotated[
        float, Meta(ge=0, le=LONGEST_WAIT, description="Wait at most this many seconds for a larger version.")
    ] = 0.0
    viewer: Viewer | None = None


class TablesQuery(Request, frozen=True, kw_only=True):
    """Which tables to list."""

    mine: Annotated[bool, Meta(description="List your own tables instead of the lobby.")] = False


@example(id="9f…", name="Ada", account=None)
class Player(Fields, frozen=True, kw_only=True):
    """Who you are: a guest, or an account if `account` is not null."""

    id: str
    name: str
    account: str | None


@example(id="9f…", name="Ada's program", account=None, secret="k3J…")  # noqa: S106  # only an example
class Guest(Player, frozen=True, kw_only=True):
    """A new guest. `secret` is its API key, which is shown only once; send it as `Authorization: Bearer KEY`."""

    secret: str


class Level(Fields, frozen=True, kw_only=True):
    """A level of the computer, and its blind spot."""

    level: int
    name: str
    blind: str


class OfferedGame(Fields, frozen=True, kw_only=True):
    """A game that can be played; `options` is a JSON Schema of the options that a table can set."""

    id: str
    title: str
    summary: str
    hidden: IsHidden
    seats: Annotated[int, Meta(description="The number of seats with the default options.")]
    options: dict[str, Any]
    levels: list[Level]


class Games(Fields, frozen=True, kw_only=True):
    """All games."""

    games: list[OfferedGame]


class ListedTable(Fields, frozen=True, kw_only=True):
    """A table in a list."""

    id: str
    game: str
    options: dict[str, Any]
    names: Annotated[list[str], Meta(description="The name at each seat; empty where it is open.")]
    kinds: list[str]
    free: Annotated[list[int], Meta(description="The seats that you can take.")]
    seats: Annotated[list[int], Meta(description="Your seats.")]
    version: int
    turn: Annotated[int | None, Meta(description="The seat to move.")]
    result: Annotated[str, Meta(description="Empty until the game is over.")]
    settings: dict[str, Any]
    created: Annotated[float, Meta(description="The server time in seconds, like all times.")]
    started: float | None
    changed: float


class Tables(Fields, frozen=True, kw_only=True):
    """A list of tables, most recently changed first; the lobby starts with those that are waiting for players."""

    tables: list[ListedTable]


@example(id="x1Yb3kQ_9aZc", link="/play/x1Yb3kQ_9aZc")
class CreatedTable(Fields, frozen=True, kw_only=True):
    """A table that was created; `link` is its page."""

    id: str
    link: str


class ViewText(Fields, frozen=True, kw_only=True):
    """What you may know of the position; `fourcorners.game(id, **options).view(text, seat)` reads it."""

    seat: int | None
    text: str


@example(
    id="x1Yb3kQ_9aZc",
    view=ViewText(seat=0, text="2/…"),
    now=1795279143.25,
    **{name: value for name, value in BOARD_EXAMPLE.items() if name in TableFields.__struct_fields__},
    **INTRODUCTION_EXAMPLE,
)
class TableAnswer(TableFields, frozen=True, kw_only=True):
    """A table, limited to what you may know."""

    id: str
    plies: Plies
    words: Words
    game: GameInfo
    settings: Settings
    host: IsHost
    shuffle: Shuffle
    view: ViewText
    now: ServerTime
