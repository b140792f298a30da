"""The text form of a record: a header of named lines, an empty line, and numbered events."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple, NoReturn

from fourcorners.core.errors import RecordError, quote

TITLE = "fourcorners record 1"
LONGEST_RECORD = 1_000_000
MOST_EVENTS = 20_000
_HEADERS = ("game", "options", "seats", "date", "result", "commitment", "deck", "nonce", "seen by")
_EVENT = re.compile(r"([1-9][0-9]{0,6}) ([0-9]{1,2}) (.+)", re.ASCII)


class Line(NamedTuple):
    """A seat and what it did: a move, or a word beginning with `!`."""

    seat: int
    text: str


class Sheet(NamedTuple):
    """A record as read: the header's values by name, the events, and the number of the first event's line."""

    header: Mapping[str, str]
    lines: tuple[Line, ...]
    first_line: int


def write(header: Mapping[str, str], lines: Iterable[Line]) -> str:
    """Write a header, whose empty values are left out, and events."""
    rows = [TITLE, *(f"{name}: {header[name]}" for name in _HEADERS if header.get(name)), ""]
    rows += [f"{number} {line.seat} {line.text}" for number, line in enumerate(lines, 1)]
    return "\n".join(rows) + "\n"


def read(text: object) -> Sheet:
    """Read a record's text, not yet its moves; raise RecordError."""
    sheet = str.__str__(text) if isinstance(text, str) else None
    if sheet is None or len(sheet) > LONGEST_RECORD:
        fail(0, f"{quote(text)} is no record: it must be text of at most {LONGEST_RECORD} characters")
    rows = [row.rstrip("\r") for row in sheet.strip().split("\n")]
    if rows[0].strip() != TITLE:
        fail(1, f"a record begins with {quote(TITLE)}, not with {quote(rows[0])}")
    end = rows.index("") if "" in rows else len(rows)
    if len(rows) - end > MOST_EVENTS + 1:
        fail(0, f"a record has at most {MOST_EVENTS} events, not {len(rows) - end - 1}")
    lines: list[Line] = []
    for row_number, row in enumerate(rows[end + 1 :], end + 2):
        found = _EVENT.fullmatch(row)
        if found is None:
            fail(row_number, f"an event is a number, a seat and a move, such as '1 0 c4d4', not {quote(row)}")
        if int(found[1]) != len(lines) + 1:
            fail(row_number, f"the events are numbered in order: {len(lines) + 1} is next, not {found[1]}")
        lines.append(Line(int(found[2]), found[3]))
    return Sheet(_header(rows[1:end]), tuple(lines), end + 2)


def _header(rows: list[str]) -> dict[str, str]:
    header: dict[str, str] = {}
    for number, row in enumerate(rows, 2):
        name, colon, value = row.partition(": ")
        if not colon or name not in _HEADERS:
            fail(number, f"a header line is one of {', '.join(_HEADERS)}, a colon and a value, not {quote(row)}")
        if name in header:
            fail(number, f"the header has {quote(name)} twice")
        header[name] = value
    if "game" not in header:
        fail(0, "the header has no game")
    return header


def from_json(text: str, kind: type) -> Any:
    """Read a header's value that is a JSON list or object; raise RecordError."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        fail(0, f"{quote(text)} cannot be read as JSON")
    if type(value) is not kind:
        fail(0, f"{quote(text)} is not a JSON {'list' if kind is list else 'object'}")
    return value


def fail(line: int, message: str) -> NoReturn:
    """Refuse a record."""
    raise RecordError(line, message)
