"""Records: a match as a readable text file, and back, every move checked."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple, NoReturn

from fourcorners.core import catalogue
from fourcorners.core.errors import GameError, RecordError, quote
from fourcorners.core.game import Game
from fourcorners.core.match import Match

TITLE = "fourcorners record 1"
LONGEST_RECORD = 1_000_000
_HEADERS = ("game", "options", "seats", "date", "result", "deck", "seen by")
_EVENT = re.compile(r"([1-9][0-9]{0,6}) ([0-9]{1,2}) (.+)", re.ASCII)


class Line(NamedTuple):
    """A seat and what it did: a move, or a word beginning with `!`."""

    seat: int
    text: str


@dataclass(frozen=True)
class Record:
    """A match as text; `str(record)` writes it, `Record.parse` reads it.

    `seen_by` is empty when the record holds everything; otherwise it names the seat, or "spectator", that may know
    what is in it: the record of a running game with hidden information. Such a record cannot be replayed.
    """

    game: Game
    lines: tuple[Line, ...] = ()
    seats: tuple[str, ...] = ()
    date: str = ""
    result: str = ""
    deck: tuple[str, ...] = ()
    seen_by: str = ""
    first_line: int = field(default=0, compare=False)

    @classmethod
    def of(cls, match: Match, seat: int | None = None) -> Record:
        """Record a match: all of it once it is over or if nothing is hidden, else what the seat may know."""
        partial = match.game.spec.hidden and not match.is_over
        lines = (
            Line(event.seat, event.public if partial and event.seat != seat else event.text) for event in match.events
        )
        seen_by = "" if not partial else "spectator" if seat is None else f"seat {seat}"
        deck = () if partial else match.deck
        return cls(match.game, tuple(lines), match.names, match.date, match.result, deck, seen_by)

    def __str__(self) -> str:
        """Write the record."""
        header = [TITLE, f"game: {self.game.id}"]
        if self.game.given():
            header.append(f"options: {json.dumps(self.game.given())}")
        if self.seats:
            header.append(f"seats: {json.dumps(list(self.seats), ensure_ascii=False)}")
        for name, value in (("date", self.date), ("result", self.result), ("deck", " ".join(self.deck))):
            if value:
                header.append(f"{name}: {value}")
        if self.seen_by:
            header.append(f"seen by: {self.seen_by}")
        lines = [f"{number} {line.seat} {line.text}" for number, line in enumerate(self.lines, 1)]
        return "\n".join([*header, "", *lines]) + "\n"

    @classmethod
    def parse(cls, text: str) -> Record:
        """Read a record and replay it; raise RecordError naming line, move and reason."""
        record = cls._read(text)
        if not record.seen_by:
            match = record.match()
            if record.result and record.result != match.result:
                _fail(0, f"the result is given as {quote(record.result)}, but it is {quote(match.result)}")
        return record

    @classmethod
    def _read(cls, text: object) -> Record:
        if not isinstance(text, str) or len(text) > LONGEST_RECORD:
            _fail(0, f"{quote(text)} is no record: it must be text of at most {LONGEST_RECORD} characters")
        rows = [row.rstrip("\r") for row in str.__str__(text).strip().split("\n")]
        if rows[0].strip() != TITLE:
            _fail(1, f"a record begins with {quote(TITLE)}, not with {quote(rows[0])}")
        end = rows.index("") if "" in rows else len(rows)
        header = _header(rows[1:end])
        game = _game(header)
        seats, date = header.pop("seats", ""), header.get("date", "")
        names = tuple(_json(seats, 0, list)) if seats else ()
        lines: list[Line] = []
        for row_number, row in enumerate(rows[end + 1 :], end + 2):
            found = _EVENT.fullmatch(row)
            if found is None:
                _fail(row_number, f"an event is a number, a seat and a move, such as '1 0 c4d4', not {quote(row)}")
            if int(found[1]) != len(lines) + 1:
                _fail(row_number, f"the events are numbered in order: {len(lines) + 1} is next, not {found[1]}")
            lines.append(Line(int(found[2]), found[3]))
        deck = tuple(header.get("deck", "").split())
        result, seen_by = header.get("result", ""), header.get("seen by", "")
        return cls(game, tuple(lines), names, date, result, deck, seen_by, end + 2)

    def match(self) -> Match:
        """Replay the record into a match; raise RecordError."""
        if self.seen_by:
            _fail(0, f"this record holds only what {self.seen_by} may know, so it cannot be replayed")
        if self.game.spec.hidden and not self.deck:
            _fail(0, "the header has no deck")
        try:
            match = Match(self.game, self.seats or None, deck=self.deck or None, date=self.date)
        except GameError as error:
            raise RecordError(0, error.message) from None
        for offset, line in enumerate(self.lines):
            try:
                replay_line(match, line.seat, line.text)
            except GameError as error:
                reason = getattr(error, "reason", error.message)
                number = self.first_line + offset if self.first_line else 0
                raise RecordError(number, error.message, line.text, reason) from None
        return match


def replay_line(match: Match, seat: int, text: str) -> None:
    """Apply one event of a record to a match; raise GameError."""
    word, _, rest = text.partition(" ")
    if not text.startswith("!"):
        match.play(text, seat)
    elif word == "!undo" and re.fullmatch(r"[0-9]{1,6}", rest, re.ASCII):
        match.take_back(seat, int(rest))
    elif text in _WORDS:
        _WORDS[text](match, seat)
    else:
        message = f"{quote(text)} is no event: it may be a move, {', '.join(_WORDS)} or !undo with a number of plies"
        raise RecordError(0, message, text)


_WORDS: dict[str, Callable[[Match, int], None]] = {
    "!resign": Match.resign,
    "!time": Match.flag,
    "!offer-draw": Match.offer_draw,
    "!accept-draw": lambda match, seat: match.answer_draw(seat, accept=True),
    "!decline-draw": lambda match, seat: match.answer_draw(seat, accept=False),
}


def _header(rows: list[str]) -> dict[str, str]:
    header: dict[str, str] = {}
    for number, row in enumerate(rows, 2):
        name, colon, value = row.partition(": ")
        if not colon or name not in _HEADERS:
            _fail(number, f"a header line is one of {', '.join(_HEADERS)}, a colon and a value, not {quote(row)}")
        if name in header:
            _fail(number, f"the header has {quote(name)} twice")
        header[name] = value
    return header


def _game(header: dict[str, str]) -> Game:
    if "game" not in header:
        _fail(0, "the header has no game")
    given = _json(header.get("options", "{}"), 0, dict)
    try:
        return catalogue.game(header["game"], **given)
    except GameError as error:
        raise RecordError(0, error.message) from None


def _json(text: str, line: int, kind: type) -> Any:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        _fail(line, f"{quote(text)} cannot be read as JSON")
    if type(value) is not kind:
        _fail(line, f"{quote(text)} is not a JSON {'list' if kind is list else 'object'}")
    return value


def _fail(line: int, message: str) -> NoReturn:
    raise RecordError(line, message)
