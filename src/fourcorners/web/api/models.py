"""What programs send to the API and get from it, as models: requests are read by them, answers documented."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from fourcorners.core.match import MAX_NAME_LENGTH
from fourcorners.web.domain.clocks import LEAST_SECONDS, MOST_DAYS, MOST_INCREMENT, MOST_SECONDS
from fourcorners.web.pages.forms import MOST_SEATS
from fourcorners.web.protocol.client_messages import Version
from fourcorners.web.protocol.server_messages import GameTold, PlyTold, TableTold, Told

LONGEST_WAIT = 30.0
_Name = Annotated[str, Field(max_length=10 * MAX_NAME_LENGTH, description="What to be called at tables; cut to 60 signs.")]


class Asked(BaseModel):
    """Something that is asked for: a field that is not known is refused."""

    model_config = ConfigDict(strict=True, frozen=True, extra="forbid")


class NewPlayer(Asked):
    """A guest."""

    name: _Name = ""


class GameClock(Asked):
    """Seconds for the game, and so many more after each move."""

    kind: Literal["game"]
    seconds: Annotated[int, Field(ge=LEAST_SECONDS, le=MOST_SECONDS)]
    increment: Annotated[int, Field(ge=0, le=MOST_INCREMENT)] = 0


class DaysClock(Asked):
    """Days for each turn."""

    kind: Literal["days"]
    days: Annotated[int, Field(ge=1, le=MOST_DAYS)]


class NewTable(Asked):
    """A table to set up."""

    game: Annotated[str, Field(max_length=60, description="The id of a game, as /api/games lists them.")]
    options: Annotated[dict[str, Any], Field(description="The game's options that are not as usual.")] = {}
    seats: Annotated[
        list[Annotated[str, Field(max_length=32)]] | None,
        Field(
            max_length=MOST_SEATS,
            description="Who plays each seat: `me`, `open` for whoever comes, `computer:LEVEL` or `computer:SECONDSs`. "
            "Left out: you, and the others open.",
        ),
    ] = None
    name: _Name = ""
    order: Annotated[Literal["random", "given"], Field(description="Whether the seats are drawn by lot.")] = "random"
    clock: Annotated[GameClock | DaysClock | None, Field(discriminator="kind")] = None
    visibility: Annotated[
        Literal["link", "public"], Field(description="Whether the lobby shows it; anybody with its address may watch.")
    ] = "link"
    chat: Annotated[Literal["presets", "free"], Field(description="What people may say there.")] = "presets"
    rated: bool = False


class TableQuery(Asked):
    """How to look at a table."""

    model_config = ConfigDict(strict=False, frozen=True, extra="forbid")

    since: Annotated[Version | None, Field(description="Answer as soon as the version is larger than this.")] = None
    wait: Annotated[
        float, Field(ge=0, le=LONGEST_WAIT, allow_inf_nan=False, description="Wait at most so many seconds for that.")
    ] = 0.0
    viewer: Annotated[
        int | None,
        Field(ge=0, le=63, description="Which of your seats to see the table as, if you have more than one."),
    ] = None


class TablesQuery(Asked):
    """Which tables to list."""

    model_config = ConfigDict(strict=False, frozen=True, extra="forbid")

    mine: Annotated[bool, Field(description="Those at which you sit, instead of the lobby's.")] = False


class Problem(Told):
    """Why something was not done."""

    code: Annotated[str, Field(description="A stable word for programs; for moves, that of the library's error.")]
    sentence: Annotated[str, Field(description="The reason in words for people.")]


class PlayerTold(Told):
    """Who you are: a guest, or an account if that is not null."""

    id: str
    name: str
    account: str | None


class Guest(PlayerTold):
    """A new guest. The secret is told this once: send it as `Authorization: Bearer SECRET` and show it to nobody."""

    secret: str


class LevelTold(Told):
    """A computer's level and what it is blind to."""

    level: int
    name: str
    blind: str


class OfferedGame(Told):
    """A game that may be played; `options` is a JSON Schema of what a table may set."""

    id: str
    title: str
    summary: str
    hidden: Annotated[bool, Field(description="Whether seats know different things.")]
    seats: Annotated[int, Field(description="How many seats it has with the usual options.")]
    options: dict[str, Any]
    levels: list[LevelTold]


class Games(Told):
    """All games."""

    games: list[OfferedGame]


class ListedTable(Told):
    """A table in a list."""

    id: str
    game: str
    options: dict[str, Any]
    names: Annotated[list[str], Field(description="Who sits there; empty where a seat is free.")]
    kinds: list[str]
    free: Annotated[list[int], Field(description="The seats that you could take.")]
    seats: Annotated[list[int], Field(description="Your seats.")]
    version: int
    turn: Annotated[int | None, Field(description="The seat to move.")]
    result: Annotated[str, Field(description="Empty while it is not over.")]
    settings: dict[str, Any]
    created: Annotated[float, Field(description="The server's time in seconds, as all times.")]
    started: float | None
    changed: float


class Tables(Told):
    """Some tables: in the lobby those that wait for players and then those that run, each the last changed first."""

    tables: list[ListedTable]


class NewTableTold(Told):
    """A table that was set up; `link` is its page, for people."""

    id: str
    link: str


class ViewTold(Told):
    """What the asker may know of the position: `fourcorners.game(id, **options).view(text, seat)` reads it."""

    seat: int | None
    text: str


class TableAnswer(TableTold):
    """A table, for the asker."""

    id: str
    game: GameTold
    plies: Annotated[list[PlyTold], Field(description="Seat and move; a hidden move as its public part.")]
    view: ViewTold
    settings: dict[str, Any]
    host: Annotated[bool, Field(description="Whether you set it up.")]
    now: Annotated[float, Field(description="The server's time in seconds.")]


class CommandDone(Told):
    """It was done, and is stored."""

    type: Literal["done"]
    id: str
    version: int
