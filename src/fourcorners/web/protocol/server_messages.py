"""What the server tells over a table's socket, as it is documented; the messages themselves are written elsewhere.

Nothing is checked against these models while the server runs: tests do that with all that it says.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field


class Told(BaseModel):
    """Something that is told: no field is missing, and none is unknown."""

    model_config = ConfigDict(strict=True, frozen=True, extra="forbid")


Seat = Annotated[int, Field(ge=0, le=63, description="A seat, counted from 0.")]
Id = Annotated[str, Field(description="The id that the command or question had.")]
Code = Annotated[str, Field(description="A stable word for programs, the same as in the library's errors.")]
Sentence = Annotated[str, Field(description="What there is to say, in words for people.")]
Fact = tuple[int | None, str, str]
PlyTold = tuple[int, str]


class OutcomeTold(Told):
    """How a game ended."""

    winners: list[int]
    reason: str


class ClockTold(Told):
    """The clocks: seconds left by seat, as they were at the server's time `since`; that of `running` runs on."""

    kind: Literal["game", "days"]
    left: list[float]
    running: int | None
    since: float
    increment: Annotated[int, Field(description="Seconds given after each move.")]
    days: Annotated[int, Field(description="Days given for each turn.")]


class ChairTold(Told):
    """A seat: whether somebody sits there, whether that is the asker, and whether it is kept for somebody."""

    taken: bool
    mine: bool
    kept: bool


class UndoTold(Told):
    """Somebody asks to go back to the position after so many plies; the seats missing have not agreed yet."""

    by: int
    ply: int
    missing: list[int]


class GameTold(Told):
    """The game that is played at a table."""

    id: str
    title: str
    seats: int
    seat_names: list[str]
    options: Annotated[dict[str, Any], Field(description="The options that differ from the usual ones.")]
    hidden: Annotated[bool, Field(description="Whether seats know different things.")]
    teams: Annotated[list[list[int]], Field(description="The seats that win together.")]


class TableTold(Told):
    """A table as the asker may know it; it changes with every event."""

    version: Annotated[int, Field(description="The number of events so far.")]
    viewer: Annotated[int | None, Field(description="The seat whose sight this is; null: a spectator's.")]
    seat: Annotated[int | None, Field(description="The seat to move; null before the start and at the end.")]
    mine: Annotated[bool, Field(description="Whether the seat to move is the asker's.")]
    seats: Annotated[list[int], Field(description="The asker's seats.")]
    started: Annotated[bool, Field(description="Whether all seats were taken.")]
    over: bool
    outcome: OutcomeTold | None
    result: Annotated[str, Field(description="The result in one line, or `running`.")]
    scores: list[int]
    out: Annotated[list[int], Field(description="Seats that gave up or ran out of time.")]
    names: list[str]
    kinds: Annotated[list[str], Field(description="By seat: person, computer:LEVEL or computer:SECONDSs.")]
    chairs: list[ChairTold]
    clock: ClockTold | None
    draw: Annotated[int | None, Field(description="The seat that offers a draw.")]
    undo_asked: UndoTold | None
    may: Annotated[list[str], Field(description="What the asker may do now: the verbs of commands.")]
    again: Annotated[str | None, Field(description="The table where the game was set up once more.")]
    commitment: Annotated[str | None, Field(description="A hash of the hidden deck and a nonce.")]
    nonce: Annotated[str | None, Field(description="The nonce of the commitment, once the game is over.")]
    moved: Annotated[
        list[tuple[int, int] | None] | None,
        Field(description="By seat, once a rated game is over: the rating before and after it."),
    ]
    facts: Annotated[list[Fact], Field(description="What stands beside the board: seat or null, name, value.")]
    moves: Annotated[
        list[str] | None,
        Field(
            description="For the seat to move, if it is the asker's and its hand is shown: its moves. Where finding "
            "the legal ones is part of the game, all that can be written. On the socket null if there are too many."
        ),
    ]


class _Pictured(TableTold):
    ply: Annotated[int, Field(description="How many plies were played.")]
    labels: Annotated[dict[str, str], Field(description="Names for the tokens of moves that no picture shows.")]
    curtain: Annotated[bool, Field(description="Hands are covered until the next person at this browser sits down.")]
    revealed: Annotated[bool, Field(description="Whether exact values may be asked for.")]
    overlay: str | None


class State(_Pictured):
    """The whole table: the answer to `hello`, and after a stale command."""

    type: Literal["state"]
    board: Annotated[str, Field(description="The board as SVG.")]
    tray: Annotated[str | None, Field(description="The tiles beside it as SVG.")]
    plies: Annotated[
        list[PlyTold], Field(description="All plies: seat and move, a move that is hidden as its public part.")
    ]
    game: GameTold
    study: Annotated[bool, Field(description="A record to look at, not a game to play.")]
    confirm: bool
    settings: Annotated[dict[str, Any], Field(description="As they were given when the table was set up.")]
    clock_label: str
    host: Annotated[bool, Field(description="Whether the asker set the table up.")]
    phrases: Annotated[list[str], Field(description="What may be said with `say`, by number.")]


class Patch(_Pictured):
    """What an event changed: of the picture, of the plies, and all the rest anew."""

    type: Literal["patch"]
    from_: Annotated[int, Field(alias="from", description="The version that this follows on.")]
    patch: Annotated[
        dict[str, Any],
        Field(description="For board and tray: box, label, remove (ids), set (id to what changed), add (behind, SVG)."),
    ]
    plies_from: Annotated[int, Field(description="Keep so many plies, and add these.")]
    plies: list[PlyTold]


class BeatTold(Told):
    """The line is alive. Answer with the same at once; come back if none has come for 10 seconds."""

    type: Literal["beat"]
    now: Annotated[float, Field(description="The server's time in seconds.")]


class Done(Told):
    """A command was done, and is stored; the same id is never done twice."""

    type: Literal["done"]
    id: Id
    version: int


class Refused(Told):
    """A command may not be done."""

    type: Literal["refused"]
    id: Id
    code: Code
    sentence: Sentence


class Stale(Told):
    """A command was made for a board that stands no more, or was not stored. Nothing was done; a `state` follows."""

    type: Literal["stale"]
    id: Id
    sentence: Annotated[str | None, Field(description="Where it could not be stored.")] = None


class Bad(Told):
    """A message could not be read, or the server failed at it."""

    type: Literal["bad"]
    sentence: Sentence
    of: Annotated[str | None, Field(description="The type of the message that this is about.")] = None
    id: Annotated[str | None, Field(description="Of the command that this is about.")] = None


class Here(Told):
    """Somebody came or went: by seat who is connected, and how many look on."""

    type: Literal["here"]
    chairs: list[bool]
    watching: int


class PlanTold(Told):
    """What one of the asker's seats has planned."""

    type: Literal["plan"]
    seat: Seat
    lines: list[list[str | None]]
    movers: Annotated[list[list[int | None]], Field(description="Who plays each move of the lines.")]


class TryTold(Told):
    """The board after a line of moves and what may be played there, or only what may follow: the answer to `try`."""

    type: Literal["try"]
    line: list[str | None]
    tokens: list[str] | None
    seat: int | None = None
    sentence: Annotated[str | None, Field(description="Why this cannot be planned.")] = None
    board: str | None = None
    tray: str | None = None
    mover: int | None = None
    moves: list[str] | None = None
    labels: dict[str, str] | None = None
    next: Annotated[list[str] | None, Field(description="What may follow the tokens.")] = None
    move: Annotated[bool | None, Field(description="Whether the tokens are a move.")] = None


class LineTold(Told):
    """A line of the chat; `seat` is null where somebody sits there no more."""

    number: int
    name: str
    seat: int | None
    text: str
    mine: bool
    who: Annotated[str, Field(description="The same for all that one player says, to mute it by.")]
    at: float


class ChatTold(Told):
    """What was said: at first the last hundred lines, then each new one."""

    type: Literal["chat"]
    lines: list[LineTold]


class Reported(Told):
    """Whether a report was taken; there is a limit to how many."""

    type: Literal["reported"]
    taken: bool


class Preparing(Told):
    """The rules are being compiled; what is asked is answered when they are."""

    type: Literal["preparing"]


class Ready(Told):
    """The rules are compiled."""

    type: Literal["ready"]


class Bye(Told):
    """The server stops; come back soon."""

    type: Literal["bye"]
    sentence: Sentence


class Thinking(Told):
    """A computer thinks: simulations so far, and which share of what it may use is used."""

    type: Literal["thinking"]
    seat: Seat
    simulations: int
    share: float


class LookTold(Told):
    """An earlier position: the answer to `look`."""

    type: Literal["look"]
    ply: int
    board: str
    tray: str | None
    facts: list[Fact]
    scores: list[int]


class CompleteTold(Told):
    """What may follow the tokens asked about, and whether they are a move."""

    type: Literal["complete"]
    tokens: list[str]
    next: list[str]
    move: bool
    labels: dict[str, str]


class WhyTold(Told):
    """Why a move is refused; nulls if it is not."""

    type: Literal["why"]
    text: str
    code: str | None
    sentence: str | None


class _Found(Told):
    id: Id
    state: Annotated[str, Field(description="found, solved, bounds, refused, or left: it is asked for no more.")]
    sentence: str | None = None
    detail: str | None = None


class SolveTold(_Found):
    """What a position is worth: the last answer to `solve`."""

    type: Literal["solve"]
    ply: int
    seat: int | None = None
    worth: Annotated[int | None, Field(description="What the seat to move wins by; below 0: loses by.")] = None
    counts: Annotated[str | None, Field(description="What the numbers mean: margin, rest or win.")] = None
    moves: Annotated[list[tuple[str, int]] | None, Field(description="Every move with its worth.")] = None


class Solving(Told):
    """Bounds so far, while a position is solved."""

    type: Literal["solving"]
    ply: int
    lower: int
    upper: int
    nodes: int


class HintTold(_Found):
    """A good move and why: the answer to `hint`."""

    type: Literal["hint"]
    move: str | None = None
    reason: str | None = None


class EvaluateTold(_Found):
    """How a position is expected to end: the answer to `evaluate`."""

    type: Literal["evaluate"]
    ply: int
    share: Annotated[float | None, Field(description="The chance to win of the first of `sides`.")] = None
    sides: list[list[int]] | None = None
    solved: bool | None = None
