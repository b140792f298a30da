"""The messages of `fourcorners engine`: the lines of JSON that it reads and writes, in the manner of KataGo.

Names of fields are those of KataGo's analysis engine wherever they mean the same; Python has them in snake_case.
"""

import contextlib
import json
from collections.abc import Iterator
from typing import Any, ClassVar, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError
from pydantic.alias_generators import to_camel

from fourcorners.core import catalogue
from fourcorners.core.errors import GameError, NotationError, OptionError, quote
from fourcorners.core.game import Game, Position, View
from fourcorners.core.match import Record
from fourcorners.players.computer import MAX_NODES, MAX_SECONDS, require_own_view
from fourcorners.solvers.default_exact import WIDE
from fourcorners.study.analysis import MAX_LINES, Analysis
from fourcorners.study.analysis_run import AnalysisLine, AnalysisProgress

MAX_LINE = 1 << 21
"""The longest line that is read, in bytes; a record has at most half as many characters."""
_MAX_ID = 200
_MAX_TURNS = 1000
_TURNS = f"a list of turns, at most {_MAX_TURNS}; default: all"


class _Message(BaseModel):
    """Base of all messages. The description of a field says what its value must be."""

    model_config: ClassVar[ConfigDict] = ConfigDict(
        alias_generator=to_camel, populate_by_name=True, frozen=True, extra="forbid", strict=True, allow_inf_nan=False
    )

    def write(self) -> str:
        """Return the message as one line of JSON in ASCII, without the fields that were not set."""
        return json.dumps(self.model_dump(by_alias=True, exclude_unset=True)) + "\n"


class _Request(_Message):
    """A message to the engine."""

    id: str = Field(max_length=_MAX_ID, description=f"text of at most {_MAX_ID} characters, which each answer repeats")


class Query(_Request):
    """Positions to analyse: of a game after moves, of a record, or one that is given as text."""

    game: str | None = Field(None, description="the id of a game, unless there is a record")
    options: dict[str, Any] = Field({}, description="an object with options of the game")
    position: str | None = Field(None, description="the line of a position, or of a seat’s view; default: the start")
    seat: int | None = Field(None, ge=0, description="the seat, from 0 on, whose view is analysed; it must be to move")
    moves: list[str] = Field([], description="a list of moves, each as text")
    record: str | None = Field(None, description="the text of a record, instead of game, options, position and moves")
    analyze_turns: list[int] | None = Field(
        None,
        min_length=1,
        max_length=_MAX_TURNS,
        description=f"a list of 1 to {_MAX_TURNS} numbers of moves after which to analyse; default: after the last",
    )
    max_visits: int | None = Field(None, ge=1, le=MAX_NODES, description=f"a whole number from 1 to {MAX_NODES}")
    seconds: float | None = Field(
        None, gt=0, le=MAX_SECONDS, description=f"a number above 0, at most {MAX_SECONDS:.0f}; default: 1"
    )
    lines: int = Field(3, ge=1, le=MAX_LINES, description=f"the number of best moves to report, 1 to {MAX_LINES}")
    seed: int | None = Field(None, description="a whole number, which with maxVisits alone determines the answer")
    priority: int = Field(0, description="a whole number: waiting positions with a higher one come first")
    report_during_search_every: float | None = Field(
        None, gt=0, description="the number of seconds, above 0, between reports during the search"
    )


class Terminate(_Request):
    """A request to end the queries with an id, or only some of their turns; they are answered with what was found."""

    action: Literal["terminate"] = Field(description="terminate")
    terminate_id: str = Field(description="the id of a query")
    turn_numbers: list[int] | None = Field(None, max_length=_MAX_TURNS, description=_TURNS)


class TerminateAll(_Request):
    """A request to end all queries, or only some of their turns."""

    action: Literal["terminate_all"] = Field(description="terminate_all")
    turn_numbers: list[int] | None = Field(None, max_length=_MAX_TURNS, description=_TURNS)


class QueryVersion(_Request):
    """A request for the version of the engine."""

    action: Literal["query_version"] = Field(description="query_version")


Request = Query | Terminate | TerminateAll | QueryVersion
_ACTIONS: dict[str, type[Terminate | TerminateAll | QueryVersion]] = {
    "terminate": Terminate,
    "terminate_all": TerminateAll,
    "query_version": QueryVersion,
}


class MoveInfo(_Message):
    """A move and its value for the seat to move.

    `lower` and `upper` are proven bounds of its final margin, null as long as there are none, and equal if `exact`.
    """

    order: int
    move: str
    visits: int
    winrate: float
    score_lead: float
    lower: int | None
    upper: int | None
    exact: bool
    pv: tuple[str, ...]
    why: str = Field(description="why the move is good, or what it gives away; only in the last answer")


class RootInfo(_Message):
    """The value of the position for the seat to move, whose best move is the first one; bounds as in a MoveInfo."""

    current_player: int
    visits: int
    winrate: float
    score_lead: float
    lower: int | None
    upper: int | None
    exact: bool


class Result(_Message):
    """The analysis of one turn of a query."""

    id: str
    turn_number: int
    is_during_search: bool
    move_infos: tuple[MoveInfo, ...]
    root_info: RootInfo


class NoResults(_Message):
    """The answer for a turn that was terminated while it waited."""

    id: str
    turn_number: int
    is_during_search: Literal[False]
    no_results: Literal[True]


class Failure(_Message):
    """A line that was refused, or a turn that could not be analysed; `id` is null if the line has none."""

    id: str | None
    error: str
    field: str | None = None
    turn_number: int | None = None


class Acknowledgement(_Message):
    """The answer to an action, whose fields it repeats."""

    id: str
    action: str
    terminate_id: str | None = None
    turn_numbers: list[int] | None = None
    version: str | None = None


Answer = Result | NoResults | Failure | Acknowledgement


def build_schema() -> dict[str, Any]:
    """Return the JSON schemas of all lines: `request` and `answer`."""
    unions: dict[str, Any] = {"request": Request, "answer": Answer}
    schemas = {name: TypeAdapter(union).json_schema() for name, union in unions.items()}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Lines of fourcorners engine",
        "$defs": {key: value for schema in schemas.values() for key, value in schema["$defs"].items()},
        **{name: {"anyOf": schema["anyOf"]} for name, schema in schemas.items()},
    }


def parse_line(line: bytes) -> dict[str, Any]:
    """Parse a line as a JSON object; raise NotationError."""
    if len(line) > MAX_LINE:
        raise NotationError(f"the line is longer than {MAX_LINE} bytes")
    try:
        content = json.loads(line.decode())
    except UnicodeDecodeError as error:
        raise NotationError(f"the line is not UTF-8: see byte {error.start + 1}") from None
    except (ValueError, RecursionError) as error:
        where = f": see column {error.colno}" if isinstance(error, json.JSONDecodeError) else ""
        raise NotationError(f"the line is not JSON{where}") from None
    if not isinstance(content, dict):
        raise NotationError("the line is not a JSON object")
    return content


def find_id(content: dict[str, Any]) -> str | None:
    """Return the id of a request, valid or not; None if it has none that an answer could repeat."""
    found = content.get("id")
    return found if isinstance(found, str) and len(found) <= _MAX_ID else None


def build_request(content: dict[str, Any]) -> Request:
    """Build a request from a JSON object; raise OptionError, which names the first wrong field."""
    model: type[Request] = Query
    if "action" in content:
        action = content["action"]
        if not isinstance(action, str) or action not in _ACTIONS:
            raise OptionError("action", f"{quote(action)} is not allowed; it must be {' or '.join(_ACTIONS)}")
        model = _ACTIONS[action]
    names = {str(field.alias): field for field in model.model_fields.values()}
    for name in content:
        if name not in names:
            raise OptionError(quote(name).strip("'"), f"there is no such field; the fields are: {', '.join(names)}")
    try:
        return model.model_validate(content)
    except ValidationError as error:
        found = error.errors(include_url=False, include_context=False)[0]
    name = str(found["loc"][0])
    fault = f"{quote(content[name])} is not allowed" if name in content else "it is missing"
    raise OptionError(name, f"{fault}; it must be {names[name].description}")


def list_views(query: Query) -> list[tuple[int, View]]:
    """Return the turns of a query, each with the view of the seat to move; raise OptionError, which names a field."""
    views = _list_positions(query)
    last = len(views) - 1
    found = []
    for turn in [last] if query.analyze_turns is None else query.analyze_turns:
        if not 0 <= turn <= last:
            raise OptionError("analyzeTurns", f"{quote(turn)} is not allowed; the turns are 0 to {last}")
        with _blame("analyzeTurns", f"turn {turn}: "):
            position = views[turn]
            # A view of another seat, too, is refused in words of the game.
            if query.seat is not None and isinstance(position, Position):
                position = position.view(query.seat)
            found.append((turn, require_own_view(position)))
    return found


def _list_positions(query: Query) -> list[Position] | list[View]:
    """Return the positions of a query by turn, or its one view; raise OptionError, which names a field."""
    if query.record is not None:
        if query.game is not None or query.options or query.position is not None or query.moves:
            raise OptionError("record", "it already has the game, options, position and moves: omit those")
        with _blame("record"):
            return list(Record.replay(query.record).positions)
    if query.game is None:
        raise OptionError("game", f"it is missing; it must be {' or '.join(catalogue.games())}")
    with _blame("game"):
        catalogue.game(query.game)
    with _blame("options"):
        game = catalogue.game(query.game, **query.options)
    if query.position is not None and query.seat is not None:
        if query.moves:
            raise OptionError("moves", "no moves can be played from the view of a seat")
        with _blame("position"):
            return [game.view(query.position, query.seat)]
    positions = [_find_start(game, query)]
    for number, move in enumerate(query.moves, 1):
        with _blame("moves", f"move {number}: "):
            positions.append(positions[-1].play(move))
    return positions


def _find_start(game: Game, query: Query) -> Position:
    """Return the position before the moves of a query; raise OptionError."""
    if query.position is not None:
        with _blame("position"):
            return game.position(query.position)
    if game.spec.hidden:
        raise OptionError("position", "a game with a hidden deck needs a position, the view of a seat, or a record")
    return game.start()


@contextlib.contextmanager
def _blame(field: str, where: str = "") -> Iterator[None]:
    """Raise the errors of a with statement as OptionErrors that name a field of the query."""
    try:
        yield
    except GameError as error:
        reason = error.message.removeprefix(f"{field}: ")
        raise OptionError(field, where + reason) from None


def build_result(
    query: Query, turn: int, view: View, found: Analysis | AnalysisProgress, reasons: tuple[str, ...]
) -> Result:
    """Return what is known of a turn: at its end an Analysis with a reason for each line, before that its progress."""
    lines, is_during_search = found.lines, isinstance(found, AnalysisProgress)
    infos = [
        MoveInfo(order=order, move=line.move, visits=line.nodes, pv=line.line, why=why, **_rate(line))
        for order, (line, why) in enumerate(zip(lines, reasons, strict=True))
    ]
    root = RootInfo(
        current_player=0 if view.seat is None else view.seat,
        visits=found.nodes,
        **{**_rate(lines[0]), **_bound(found.lower, found.upper)},
    )
    return Result(
        id=query.id, turn_number=turn, is_during_search=is_during_search, move_infos=tuple(infos), root_info=root
    )


def _rate(line: AnalysisLine) -> dict[str, Any]:
    """Return the fields with the value of a move; only a proven chance of winning is 0 or 1."""
    value = {"winrate": round(line.win, 4), "score_lead": round(line.final_margin, 3)}
    return {**value, **_bound(line.lower, line.upper)}


def _bound(lower: int, upper: int) -> dict[str, int | bool | None]:
    """Return the fields with the bounds of a margin."""
    known = (None if abs(bound) > WIDE // 2 else bound for bound in (lower, upper))
    return {**dict(zip(("lower", "upper"), known, strict=True)), "exact": lower == upper}
