"""What messages and answers of the API say of a table: its fields and the objects in them, with examples."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta, Struct

from fourcorners.web.domain.clocks import ClockReading
from fourcorners.web.domain.commands import Verb

Svg = Annotated[str, Meta(description="A picture as SVG.")]
Tray = Annotated[str | None, Meta(description="The tiles beside the board as SVG.")]
Version = Annotated[int, Meta(description="The number of events so far.")]
Viewer = Annotated[int | None, Meta(description="The seat whose view this is; null for a spectator's.")]
Labels = Annotated[dict[str, str], Meta(description="Names for the tokens of moves that no picture shows.")]
TokenPictures = Annotated[dict[str, Svg], Meta(description="Small pictures of tokens.")]
IsHidden = Annotated[bool, Meta(description="Whether some information is hidden from some seats.")]
ServerTime = Annotated[float, Meta(description="The server time in seconds.")]
Fact = tuple[int | None, str, str]
_PLIES_DESCRIPTION = "All plies, each as seat and move; of a hidden move, only its public part."
Plies = Annotated[Sequence[tuple[int, str]], Meta(description=_PLIES_DESCRIPTION)]
_WORDS_DESCRIPTION = "The same plies in words, each a clause without subject such as `swapped`."
Words = Annotated[Sequence[str], Meta(description=_WORDS_DESCRIPTION)]
_MINIATURES_DESCRIPTION = "The same plies as small SVG pictures, which may be empty; none if the game draws no moves."
Miniatures = Annotated[Sequence[str], Meta(description=_MINIATURES_DESCRIPTION)]
_GAINS_DESCRIPTION = (
    "The points that each of them gained its seat; none where the last move wins or points are counted."
)
Gains = Annotated[Sequence[int], Meta(description=_GAINS_DESCRIPTION)]
EFFECTS_DESCRIPTION = "Effects that the tokens of a move do not show, by move, such as `discards two tiles`."
_PROMPTS_DESCRIPTION = "The prompts for choosing tokens such as `leave:B1x`, by their first word."
_TERMINATION_DESCRIPTION = (
    "How it ended: `complete`, `no-moves` and `forfeit` on the board, or by `resignation`, `timeout` or `agreement`."
)
_SCORING_DESCRIPTION = "Whether the most points win, or the last move."
_POINTS_DESCRIPTION = "The most points that all seats together can make; null if that is not known."
_EXPLANATIONS_DESCRIPTION = "For newcomers, what the new plies show (of a whole table, the last one), and a first hand."
_SCORES_DESCRIPTION = "The points by seat; none as long as the table hides points."
_MOVED_DESCRIPTION = "For each seat, once a rated game is over: the rating before and after it."
_AREAS_DESCRIPTION = "Everything that counts on the final board, while players count points; may be empty."
_SENTENCE_NAMES_DESCRIPTION = "The names as sentences use them: a computer with its level, equal names with colours."
_FACTS_DESCRIPTION = "The facts shown beside the board: for each, its seat or null, name, value."
_MOVES_DESCRIPTION = (
    "The moves of the seat to move, if it is yours and its hand is shown. Where finding the legal moves is part of "
    "the game, all moves that can be written. On the socket, null if there are too many."
)
_HASHES_DESCRIPTION = "For each seat, the hash of its value; null if the seat takes no part."
_VALUES_DESCRIPTION = "For each seat, its value once the game has started; null if it gave none."
Settings = Annotated[dict[str, Any], Meta(description="The settings of the table.")]
IsHost = Annotated[bool, Meta(description="Whether you created the table.")]


class Fields(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """An object inside messages, or a whole answer of the API; clients may rely on its fields."""


class Outcome(Fields, frozen=True, kw_only=True):
    """How a game ended."""

    verdict: Annotated[str, Meta(description="Who won, for you, and the points: `You win 5 : 3`.")]
    winners: Sequence[int]
    reason: str
    termination: Annotated[str, Meta(description=_TERMINATION_DESCRIPTION)]


class ChairState(Fields, frozen=True, kw_only=True):
    """A chair: whether it is taken, whether it is yours, and whether it is reserved for a player."""

    taken: bool
    mine: bool
    kept: bool


class TakebackRequestState(Fields, frozen=True, kw_only=True):
    """A takeback request: seat `by` asks to go back to the position after `ply` plies; `missing` must still agree."""

    by: int
    ply: int
    missing: Sequence[int]


class RematchRequestState(Fields, frozen=True, kw_only=True):
    """A rematch that seat `by` asks for and to which the players of `missing` must still agree; if one has declined,
    `by` is null and `declined` that seat.
    """

    by: int | None
    missing: Sequence[int]
    declined: int | None


class ColourInfo(Fields, frozen=True, kw_only=True):
    """The colours of a game in which players choose one: the letters of those in play by seat, and all names."""

    value: Annotated[str, Meta(description="A letter for each seat, then those of colours that no seat has.")]
    names: Annotated[Mapping[str, str], Meta(description="The names of all colours by letter.")]


class GameInfo(Fields, frozen=True, kw_only=True):
    """The game that is played at a table."""

    id: str
    title: str
    seats: int
    seat_names: Sequence[str]
    options: Annotated[dict[str, Any], Meta(description="The options that differ from the defaults.")]
    hidden: IsHidden
    teams: Annotated[Sequence[Sequence[int]], Meta(description="The teams: seats that win together.")]
    levels: Annotated[int, Meta(description="The number of levels at which the computer plays, from 1.")]
    scoring: Annotated[Literal["points", "last-move"], Meta(description=_SCORING_DESCRIPTION)]
    points: Annotated[int | None, Meta(description=_POINTS_DESCRIPTION)]
    prompts: Annotated[Mapping[str, str], Meta(description=_PROMPTS_DESCRIPTION)]
    colours: Annotated[ColourInfo | None, Meta(description="The colours to choose from; null if there are none.")]


class ShuffleState(Fields, frozen=True, kw_only=True):
    """What the seats give for a fair shuffle. The commitment is the hash of the server's part, its nonce."""

    hashes: Annotated[Sequence[str | None], Meta(description=_HASHES_DESCRIPTION)]
    values: Annotated[Sequence[str | None], Meta(description=_VALUES_DESCRIPTION)]
    waiting: Annotated[bool, Meta(description="Whether every seat is taken and the game starts with the last value.")]


Shuffle = Annotated[ShuffleState | None, Meta(description="The shuffle; null if nothing is shuffled fairly here.")]


class ExplanationState(Fields, frozen=True, kw_only=True):
    """A sentence about something that a move shows; its id, unique in the game, tells whether it was read before."""

    id: str
    sentence: str


class AreaState(Fields, frozen=True, kw_only=True):
    """What counts on a final board: its place there (x, y, width, height), and for which party it counts."""

    name: Annotated[str, Meta(description="Unique, such as `box c4`.")]
    box: tuple[float, float, float, float]
    points: int
    seat: Annotated[int, Meta(description="The first seat of the party.")]


Explanations = Annotated[Sequence[ExplanationState], Meta(description=_EXPLANATIONS_DESCRIPTION)]


class TableFields(Fields, frozen=True, kw_only=True):
    """A table, limited to what you may know; these fields change with every event."""

    version: Version
    viewer: Viewer
    seat: Annotated[int | None, Meta(description="The seat to move; null before the start and at the end.")]
    mine: Annotated[bool, Meta(description="Whether the seat to move is yours.")]
    seats: Annotated[Sequence[int], Meta(description="Your seats.")]
    started: Annotated[bool, Meta(description="Whether the game has started.")]
    over: bool
    outcome: Outcome | None
    result: Annotated[str, Meta(description="The result in one line, or `running`.")]
    scores: Annotated[Sequence[int], Meta(description=_SCORES_DESCRIPTION)]
    out: Annotated[Sequence[int], Meta(description="The seats that resigned or ran out of time.")]
    names: Sequence[str]
    kinds: Annotated[Sequence[str], Meta(description="For each seat: person, computer:LEVEL or computer:SECONDSs.")]
    chairs: list[ChairState]
    clock: ClockReading | None
    draw: Annotated[int | None, Meta(description="The seat that offers a draw.")]
    takeback_request: TakebackRequestState | None
    may: Annotated[list[Verb], Meta(description="The commands that you may send now.")]
    rematch_request: RematchRequestState | None
    rematch: Annotated[str | None, Meta(description="The table of the rematch.")]
    commitment: Annotated[str | None, Meta(description="A hash of the server's nonce, or of the deck and a nonce.")]
    nonce: Annotated[str | None, Meta(description="The nonce of the commitment, once the game is over.")]
    moved: Annotated[list[tuple[int, int] | None] | None, Meta(description=_MOVED_DESCRIPTION)]
    unrated: Annotated[str | None, Meta(description="Why a rated game that is over does not count for ratings.")]
    facts: Annotated[Sequence[Fact], Meta(description=_FACTS_DESCRIPTION)]
    moves: Annotated[Sequence[str] | None, Meta(description=_MOVES_DESCRIPTION)]


class BoardFields(TableFields, frozen=True, kw_only=True):
    """The fields of a table that a page needs as well."""

    ply: Annotated[int, Meta(description="The number of plies played.")]
    sentence_names: Annotated[Sequence[str], Meta(description=_SENTENCE_NAMES_DESCRIPTION)]
    labels: Labels
    pictures: TokenPictures
    effects: Annotated[dict[str, str], Meta(description=EFFECTS_DESCRIPTION)]
    curtain: Annotated[bool, Meta(description="Whether hands are covered until the next person takes over.")]
    revealed: Annotated[bool, Meta(description="Whether exact values are available.")]
    count: Annotated[bool, Meta(description="Whether players now count points that were hidden, on the final board.")]
    areas: Annotated[Sequence[AreaState], Meta(description=_AREAS_DESCRIPTION)]
    overlay: str | None


_BOARD_EXAMPLE = """{
    "version": 12, "viewer": 0, "seat": 1, "mine": false, "seats": [0], "started": true, "over": false, "outcome": null,
    "result": "running", "scores": [1, 0], "out": [], "names": ["Ada", "Computer 3"], "kinds": ["person", "computer:3"],
    "chairs": [{"taken": true, "mine": true, "kept": false}, {"taken": true, "mine": false, "kept": false}],
    "clock": {"kind": "game", "left": [290.5, 300], "running": 1, "since": 1795279140, "increment": 3, "days": 0},
    "draw": null, "takeback_request": null, "may": ["resign", "undo"],
    "rematch_request": null, "rematch": null,
    "commitment": null, "nonce": null, "moved": null, "unrated": null,
    "facts": [[0, "marks", "5"], [null, "to play", "6"]], "moves": [],
    "ply": 2, "sentence_names": ["Ada", "Computer (level 3)"],
    "labels": {"pass": "Pass"}, "pictures": {}, "effects": {},
    "curtain": false, "revealed": false, "count": false, "areas": [], "overlay": null
}"""
BOARD_EXAMPLE = msgspec.structs.asdict(msgspec.json.decode(_BOARD_EXAMPLE, type=BoardFields))
"""The fields of `BoardFields` in the examples."""
_SEATS_EXAMPLE: dict[str, Any] = {
    "seats": 2,
    "seat_names": ["light", "dark"],
    "teams": [[0], [1]],
    "levels": 6,
    "scoring": "points",
    "points": 16,
    "prompts": {},
    "colours": None,
}
_GAME_EXAMPLE = GameInfo(id="a-game", title="A Game", options={"size": 4}, hidden=False, **_SEATS_EXAMPLE)
INTRODUCTION_EXAMPLE: dict[str, Any] = {
    "plies": [(0, "c4"), (1, "b2")],
    "words": ["put a mark on c4", "put a mark on b2"],
    "game": _GAME_EXAMPLE,
    "settings": {"clock": {"kind": "game", "seconds": 300, "increment": 3}, "visibility": "link"},
    "host": True,
    "shuffle": None,
}
"""The fields that describe how a table was set up, in the examples."""
