"""The text format of a record: a header of named lines, an empty line, and numbered events."""

import json
import re
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple, NoReturn

from fourcorners.core.errors import RecordError, quote

TITLE = "fourcorners record 1"
MAX_RECORD_LENGTH = 1_000_000
MAX_EVENTS = 20_000
_HEADERS = ("game", "options", "seats", "date", "result", "commitment", "deck", "nonce", "values", "seen by")
_EVENT = re.compile(r"([1-9][0-9]{0,6}) ([0-9]{1,2}) (.+)", re.ASCII)


class RecordLine(NamedTuple):
    """A seat and what it did: a move, or a word that begins with `!`."""

    seat: int
    text: str


class ParsedText(NamedTuple):
    """The parts of a record's text: the header's values by name, the events, and the line number of the first event."""

    header: Mapping[str, str]
    lines: tuple[RecordLine, ...]
    first_line: int


def write(header: Mapping[str, str], lines: Iterable[RecordLine]) -> str:
    """Return a record's text: known header names in order, without empty values, and events numbered from 1."""
    rows = [TITLE, *(f"{name}: {header[name]}" for name in _HEADERS if header.get(name)), ""]
    rows += [f"{number} {line.seat} {line.text}" for number, line in enumerate(lines, 1)]
    return "\n".join(rows) + "\n"


def parse(text: object) -> ParsedText:
    """Parse a text into header and events, without checking their content; raise RecordError; the title is line 1."""
    record = str.__str__(text) if isinstance(text, str) else None
    if record is None or len(record) > MAX_RECORD_LENGTH:
        fail(0, f"{quote(text)} is not a record: it must be text of at most {MAX_RECORD_LENGTH} characters")
    rows = [row.rstrip("\r") for row in record.strip().split("\n")]
    if rows[0].strip() != TITLE:
        fail(1, f"a record begins with {quote(TITLE)}, not with {quote(rows[0])}")
    end = rows.index("") if "" in rows else len(rows)
    if len(rows) - end > MAX_EVENTS + 1:
        fail(0, f"a record has at most {MAX_EVENTS} events, not {len(rows) - end - 1}")
    lines: list[RecordLine] = []
    for row_number, row in enumerate(rows[end + 1 :], end + 2):
        found = _EVENT.fullmatch(row)
        if found is None:
            fail(row_number, f"an event is a number, a seat and a move, such as '1 0 c4d4', not {quote(row)}")
        if int(found[1]) != len(lines) + 1:
            fail(row_number, f"events are numbered in order: the next one is {len(lines) + 1}, not {found[1]}")
        lines.append(RecordLine(int(found[2]), found[3]))
    return ParsedText(_parse_header(rows[1:end]), tuple(lines), end + 2)


def _parse_header(rows: list[str]) -> dict[str, str]:
    """Parse the rows from line 2 to the empty line into values by name; RecordError for a wrong row or no `game`."""
    header: dict[str, str] = {}
    for number, row in enumerate(rows, 2):
        name, colon, value = row.partition(": ")
        if not colon or name not in _HEADERS:
            fail(number, f"a header line is one of {', '.join(_HEADERS)}, a colon and a value, not {quote(row)}")
        if name in header:
            fail(number, f"the header has {quote(name)} twice")
        header[name] = value
    if "game" not in header:
        fail(0, "the header names no game")
    return header


def parse_json(text: str, kind: type) -> Any:
    """Parse a header's value as JSON; raise RecordError unless it is of the `kind`, `list` or `dict`."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        fail(0, f"{quote(text)} cannot be parsed as JSON")
    if type(value) is not kind:
        fail(0, f"{quote(text)} is not a JSON {'list' if kind is list else 'object'}")
    return value


def fail(line: int, message: str) -> NoReturn:
    """Raise RecordError for a line, counted from 1, or for the whole record (0)."""
    raise RecordError(line, message)
