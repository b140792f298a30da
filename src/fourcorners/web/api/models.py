"""The requests and answers of the API: types that parse, serialise and document themselves."""

from typing import Annotated, Any, Literal

from msgspec import Meta, Struct

from fourcorners.study.entry import MAX_MOVES
from fourcorners.study.rendering import MAX_WIDTH, MIN_WIDTH
from fourcorners.web.application.lessons import MAX_LESSON_MOVES, MAX_STEPS
from fourcorners.web.application.table_setup import MAX_SEATS
from fourcorners.web.domain.clocks import MAX_DAYS, MAX_INCREMENT, MAX_SECONDS, MIN_SECONDS
from fourcorners.web.protocol.client_messages import Hash, Name, Seat, Version
from fourcorners.web.protocol.codec import example
from fourcorners.web.protocol.server_messages import (
    BOARD_EXAMPLE,
    INTRODUCTION_EXAMPLE,
    Fields,
    GameInfo,
    IsHost,
    Plies,
    Settings,
    Shuffle,
    TableFields,
    Words,
)

ME = "me"
"""The word for the caller's own seat in a request."""
LONGEST_WAIT = 30.0


class Request(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A request; unknown fields are refused."""


@example(name="Ada's program")
class NewPlayer(Request, frozen=True, kw_only=True):
    """A guest."""

    name: Name = ""


class GameClock(Request, frozen=True, kw_only=True, tag_field="kind", tag="game"):
    """Seconds for the whole game, and an increment after each turn."""

    seconds: Annotated[int, Meta(ge=MIN_SECONDS, le=MAX_SECONDS)]
    increment: Annotated[int, Meta(ge=0, le=MAX_INCREMENT)] = 0


class DaysClock(Request, frozen=True, kw_only=True, tag_field="kind", tag="days"):
    """Days for each turn."""

    days: Annotated[int, Meta(ge=1, le=MAX_DAYS)]


class NewTable(Request, frozen=True, kw_only=True):
    """A table to create."""

    game: Annotated[str, Meta(max_length=60, description="The id of a game, as listed by /api/games.")]
    options: Annotated[dict[str, Any], Meta(description="The game's options that differ from the defaults.")] = {}
    seats: (
        Annotated[
            list[Annotated[str, Meta(max_length=32)]],
            Meta(
                max_length=MAX_SEATS,
                description="Who plays each seat: `me`, `open` for anybody, `computer:LEVEL` or `computer:SECONDSs`. "
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
        Meta(description="Whether the lobby lists the table; anybody with its link can watch."),
    ] = "link"
    chat: Annotated[Literal["presets", "free"], Meta(description="What people may write in the chat.")] = "presets"
    rated: bool = False
    hide_points: Annotated[
        bool, Meta(description="Whether nobody learns points until the end, so that players count them on the board.")
    ] = False
    hash: Hash = ""


@example(game="a-game", lesson="rules", step=0, moves=["c4"])
class LessonMoves(Request, frozen=True, kw_only=True):
    """What a learner has played in a step of a lesson, so that the server need not remember it."""

    game: Annotated[str, Meta(max_length=60, description="The id of a game, as listed by /api/games.")]
    lesson: Annotated[str, Meta(max_length=60, description="The id of a lesson, the last part of its page's address.")]
    step: Annotated[int, Meta(ge=0, lt=MAX_STEPS, description="The step, counted from 0.")]
    moves: Annotated[
        list[Annotated[str, Meta(max_length=100)]],
        Meta(max_length=MAX_LESSON_MOVES, description="The learner's own moves since the step began."),
    ] = []


_OptionName = Annotated[str, Meta(max_length=40)]


@example(game="a-game", options={"size": 6}, moves=["b2", "c3"], names=["Ada", "Ben"], date="2026-11-23", deck=None)
class TypedGame(Request, frozen=True, kw_only=True):
    """A game that was played on paper, as it was typed so far; the server does not remember it."""

    game: Annotated[str, Meta(max_length=60, description="The id of a game, as listed by /api/games.")]
    options: Annotated[dict[_OptionName, Any], Meta(max_length=40)] = {}
    moves: Annotated[
        list[Annotated[str, Meta(max_length=100)]],
        Meta(max_length=MAX_MOVES, description="All moves; at the end perhaps `resign`."),
    ] = []
    names: Annotated[
        list[Annotated[str, Meta(max_length=60)]] | None, Meta(description="The players' names, by seat.")
    ] = None
    date: Annotated[str, Meta(max_length=10, description="Such as 2026-11-23; empty if unknown.")] = ""
    deck: Annotated[
        list[Annotated[str, Meta(max_length=20)]] | None,
        Meta(description="The tiles in drawing order, for games with a hidden deck."),
    ] = None


class TableQuery(Request, frozen=True, kw_only=True):
    """How to view a table."""

    since: Annotated[Version, Meta(description="Answer as soon as the version is larger than this.")] | None = None
    wait: Annotated[
        float, Meta(ge=0, le=LONGEST_WAIT, description="Wait at most this many seconds for a larger version.")
    ] = 0.0
    viewer: Annotated[Seat, Meta(description="The seat to view it from, if you have several.")] | None = None


class PictureQuery(Request, frozen=True, kw_only=True):
    """What to draw."""

    ply: (
        Annotated[int, Meta(ge=0, le=10_000, description="After so many moves; by default, after the last.")] | None
    ) = None
    viewer: Annotated[Seat, Meta(description="The seat to view it from, if you have several.")] | None = None
    theme: Literal["light", "dark", "print"] = "light"
    palette: Annotated[str, Meta(max_length=40, description="A palette such as high-contrast.")] = ""
    look: Annotated[str, Meta(max_length=40, description="What the board is made of, if players can choose.")] = ""
    width: Annotated[
        int,
        Meta(ge=MIN_WIDTH, le=MAX_WIDTH, description="In pixels, except for SVG; an animation has at most 640."),
    ] = 640
    pause: Annotated[int, Meta(ge=20, le=10_000, description="Milliseconds for each move of an animation.")] = 800


class SheetQuery(Request, frozen=True, kw_only=True):
    """How to print a game."""

    viewer: Annotated[Seat, Meta(description="The seat to view it from, if you have several.")] | None = None
    paper: Literal["a4", "letter"] = "a4"


class TablesQuery(Request, frozen=True, kw_only=True):
    """Which tables to list."""

    mine: Annotated[bool, Meta(description="List your own tables instead of the lobby.")] = False


@example(code="not-your-turn", sentence="it is Ben's turn")
class Problem(Fields, frozen=True, kw_only=True):
    """Why a request was refused."""

    code: Annotated[str, Meta(description="A stable code for programs; for moves, that of the library's error.")]
    sentence: Annotated[str, Meta(description="The reason, as a human-readable sentence.")]


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
    hidden: Annotated[bool, Meta(description="Whether some information is hidden from some seats.")]
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
    result: Annotated[str, Meta(description="Empty while the game is not over.")]
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


@example(state="running", plies=24, judged=9, errors=1, sentence="", review=None)
class ReviewAnswer(Fields, frozen=True, kw_only=True):
    """The review of a finished game, which anybody who knows the table may have made and read."""

    state: Annotated[
        Literal["none", "running", "finished", "failed"],
        Meta(description="A review stops if nobody asks about it for a minute, and has then failed."),
    ]
    plies: Annotated[int, Meta(description="The number of moves.")]
    judged: Annotated[int, Meta(description="How many of them are judged.")]
    errors: Annotated[int, Meta(description="How many errors were found so far.")]
    sentence: Annotated[str, Meta(description="Why the review failed; otherwise empty.")]
    review: Annotated[
        dict[str, Any] | None,
        Meta(description="What was found so far, as JSON of the format that its field `schema` names."),
    ]


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
    now: Annotated[float, Meta(description="The server time in seconds.")]
